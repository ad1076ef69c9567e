// SPDX-License-Identifier: GPL-2.0-only
/* session_allocate(): allocates the PMCs of all events, and prints why events are refused. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/device.h"
#include "base/error.h"
#include "base/memory.h"
#include "run/session.h"

/* In ns: without a period, off-CPU time of a millisecond or more is a sample of its own. */
#define OFF_CPU_PERIOD	1000000

static uint64_t caps_of(const struct event *event)
{
	uint64_t caps = 0;

	if (event->modifiers & MODIFIER_USER)
		caps |= HWPMC_CAP_USER;
	if (event->modifiers & MODIFIER_KERNEL)
		caps |= HWPMC_CAP_SYSTEM;
	/* Both modes are requested: a refusal of one is a note, see allocate_allowed(). */
	return caps ? caps : HWPMC_CAP_USER | HWPMC_CAP_SYSTEM;
}

static unsigned int mode_of(const struct session *session, int cpu)
{
	if (session->sampling.on)
		return cpu < 0 ? HWPMC_MODE_TS : HWPMC_MODE_SS;
	return cpu < 0 ? HWPMC_MODE_TC : HWPMC_MODE_SC;
}

static int allocate_code(struct session *session, const struct event *event,
			 const struct event_code *code, int cpu, uint32_t *id)
{
	struct hwpmc_allocate allocate = {
		.size = sizeof(allocate),
		.flags = session->flags,
		.class_id = code->class_id,
		.mode = mode_of(session, cpu),
		.cpu = cpu,
		.caps = caps_of(event),
		.event = code->event,
		.count = session->sampling.count,
		.user_stack = session->sampling.user_stack,
		.config = { code->config[0], code->config[1] },
		.name = (uintptr_t)code->name,
		.name_length = code->name ? (uint32_t)strlen(code->name) : 0,
		.args = event->args,
		.file = event->file >= 0 ? event->file : 0,
		.filters = event->filter_count,
		.filter_list = (uintptr_t)event->filters,
		.filter_size = sizeof(*event->filters),
		.string = event->string,
	};
	int result;

	/*
	 * Probes fire less often than hardware events, so without a period each event is sampled.
	 */
	if (code->name && (allocate.flags & HWPMC_F_FREQUENCY)) {
		allocate.flags &= ~HWPMC_F_FREQUENCY;
		allocate.count = 1;
	}
	/*
	 * A frequency applies only to other events. Off-CPU time gets a fixed period, since the
	 * thread itself determines how often it blocks.
	 */
	if (event->kind == KIND_OFF_CPU && (allocate.flags & HWPMC_F_FREQUENCY)) {
		allocate.flags &= ~HWPMC_F_FREQUENCY;
		allocate.count = OFF_CPU_PERIOD;
	}
	result = device_call(session->fd, HWPMC_IOC_ALLOCATE, &allocate);
	*id = allocate.id;
	return result;
}

static bool cannot_be_counted(int error)
{
	return error == EINVAL || error == ENODEV || error == EOPNOTSUPP;
}

/*
 * Whether to try the next code of an event after an error. Reference cycles have another rate in
 * each class, so they do not use another class when no row is free.
 */
static bool try_next(const struct event *event, unsigned int i, int error)
{
	if (i + 1 >= event->code_count)
		return false;
	if (cannot_be_counted(error))
		return true;
	return error == EBUSY && event->kind != KIND_REF_CYCLES &&
	       event->codes[i + 1].class_id != event->codes[i].class_id;
}

/* Allocates the first code that this CPU implements and has a free row for. */
static int allocate_any(struct session *session, const struct event *event, int cpu, uint32_t *id)
{
	int result = -1;

	errno = ENODEV;
	for (unsigned int i = 0; i < event->code_count; i++) {
		result = allocate_code(session, event, &event->codes[i], cpu, id);
		if (!result || !try_next(event, i, errno))
			break;
	}
	return result;
}

/* As in perf: a user who may not count the kernel counts user mode, shown as ":u". */
static int allocate_allowed(struct session *session, struct event *event, int cpu, uint32_t *id)
{
	char why[HWPMC_SENTENCE_MAX];
	int result = allocate_any(session, event, cpu, id);

	if (!result || errno != EPERM || event->modifiers || cpu >= 0)
		return result;
	device_sentence(EPERM, why, sizeof(why));
	event->modifiers = MODIFIER_USER;
	result = allocate_any(session, event, cpu, id);
	if (result) {
		event->modifiers = 0;
	} else if (!session->user_only) {
		session->user_only = true;
		note("%.*s: counting user mode only (:u)", (int)strcspn(why, ";"), why);
	}
	return result;
}

static void add_counter(struct session *session, unsigned int event, int cpu, uint32_t id)
{
	unsigned int count = session->counter_count + 1;

	session->counters = xrealloc(session->counters, count, sizeof(*session->counters));
	session->ids = xrealloc(session->ids, count, sizeof(*session->ids));
	session->counters[count - 1] = (struct counter){ .event = event, .cpu = cpu };
	session->ids[count - 1] = id;
	session->counter_count = count;
}

/* Adds the range of rows @first to @last to a text such as "0,5-7". */
static void add_rows(char *text, size_t size, unsigned int first, unsigned int last)
{
	size_t length = strlen(text);

	length += (size_t)snprintf(text + length, size - length, "%s%u", length ? "," : "", first);
	if (last != first && length < size)
		snprintf(text + length, size - length, "-%u", last);
}

#define BUSY "no row is free for event "

/*
 * The module names the holder of each row that could count the event. If this command's own PMCs
 * hold all of them, the message has the numbers of the rows instead of the holders.
 */
static void explain_own_rows(char *why, size_t size)
{
	unsigned int row, first = 0, last = 0;
	char event[32], rows[64] = "";
	const char *at = why;
	int pid, length = 0;

	if (sscanf(at, BUSY "%31[0-9a-fx]: %n", event, &length) != 1 || !length)
		return;
	for (at += length, length = 0;; at += 2, length = 0) {
		if (sscanf(at, "row %u pid %d (%n", &row, &pid, &length) != 2 || !length ||
		    pid != getpid())
			return;
		at = strchr(at + length, ')');
		if (!at)
			return;
		at++;
		if (!last || row != last) {
			if (last)
				add_rows(rows, sizeof(rows), first, last - 1);
			first = row;
		}
		last = row + 1;
		if (strncmp(at, ", ", 2) != 0)
			break;
	}
	if (*at)
		return;
	add_rows(rows, sizeof(rows), first, last - 1);
	if (strpbrk(rows, ",-"))
		snprintf(why, size, "only rows %s can count %s; this command holds them all", rows, event);
	else
		snprintf(why, size, "only row %s can count %s; this command holds it", rows, event);
}

/*
 * The module does not get the names of perf's users. If the NMI watchdog is on, it is probably the
 * user that holds the counters.
 */
static const char *watchdog_advice(const char *why)
{
	FILE *file = NULL;
	bool on;

	if (strstr(why, "NMI watchdog"))
		file = fopen("/proc/sys/kernel/nmi_watchdog", "re");
	on = file && fgetc(file) == '1';
	if (file)
		fclose(file);
	return on ? "; the NMI watchdog is on, and 'pmctl doctor --fix' disables it" : "";
}

static void print_refusal(const struct event *event, int cpu, int error)
{
	char why[HWPMC_SENTENCE_MAX], where[32] = "";
	const char *letters = modifier_letters(event->modifiers);

	snprintf(why, sizeof(why), "this machine has no such counter");
	if (event->code_count)
		device_sentence(error, why, sizeof(why));
	explain_own_rows(why, sizeof(why));
	if (cpu >= 0)
		snprintf(where, sizeof(where), " on CPU %d", cpu);
	note("event '%s%s%s'%s: %s%s", event->name, *letters ? ":" : "", letters, where, why,
	     watchdog_advice(why));
}

enum outcome { OUTCOME_FAIL = -1, OUTCOME_REFUSED, OUTCOME_ALLOCATED, OUTCOME_OFFLINE };

/* Allocates one event on one CPU. OUTCOME_REFUSED: the run continues without it. */
static enum outcome allocate_on_cpu(struct session *session, unsigned int index, int cpu)
{
	struct event *event = &session->events[index];
	uint32_t id;
	int error;

	if (!allocate_allowed(session, event, cpu, &id)) {
		add_counter(session, index, cpu, id);
		return OUTCOME_ALLOCATED;
	}
	error = errno;
	if (cannot_be_counted(error)) {
		if (!session->lenient)
			print_refusal(event, cpu, error);
		return OUTCOME_REFUSED;
	}
	if (error == ENXIO && session->may_skip)
		return OUTCOME_OFFLINE;
	if (!session->was_busy)
		print_refusal(event, cpu, error);
	if (error != EBUSY || !session->lenient)
		return OUTCOME_FAIL;
	session->was_busy = true;
	session->grants[index] = GRANT_NOT_COUNTED;
	return OUTCOME_REFUSED;
}

static void release_event(struct session *session, unsigned int index)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < session->counter_count; i++) {
		struct hwpmc_ids one = {
			.size = sizeof(one),
			.count = 1,
			.ids = (uintptr_t)&session->ids[i],
		};

		if (session->counters[i].event == index) {
			device_call(session->fd, HWPMC_IOC_RELEASE, &one);
			continue;
		}
		session->counters[kept] = session->counters[i];
		session->ids[kept++] = session->ids[i];
	}
	session->counter_count = kept;
}

static int allocate_event(struct session *session, unsigned int index)
{
	const int any = -1, *cpus = session->cpus.count ? session->cpus.cpu : &any;
	unsigned int count = session->cpus.count ? session->cpus.count : 1;
	bool granted = false;

	session->grants[index] = GRANT_NOT_SUPPORTED;
	for (unsigned int i = 0; i < count; i++) {
		enum outcome outcome = allocate_on_cpu(session, index, cpus[i]);

		if (outcome == OUTCOME_FAIL)
			return -1;
		/* No row on one CPU: the sum over the other CPUs would be misleading. */
		if (session->grants[index] == GRANT_NOT_COUNTED) {
			release_event(session, index);
			return 0;
		}
		/* Refused on the first CPU: do not repeat the message for each CPU. */
		if (outcome == OUTCOME_REFUSED && !granted)
			return 0;
		granted |= outcome == OUTCOME_ALLOCATED;
	}
	if (granted)
		session->grants[index] = GRANT_YES;
	return 0;
}

static bool group_complete(const struct session *session, unsigned int group)
{
	for (unsigned int i = 0; i < session->event_count; i++)
		if (session->events[i].group == group && session->grants[i] != GRANT_YES)
			return false;
	return true;
}

/* A group is counted completely or not at all. */
static void release_incomplete_groups(struct session *session)
{
	for (unsigned int i = 0; i < session->event_count; i++) {
		unsigned int group = session->events[i].group;

		if (!group || session->grants[i] != GRANT_YES || group_complete(session, group))
			continue;
		release_event(session, i);
		session->grants[i] = GRANT_NOT_COUNTED;
	}
}

int session_allocate(struct session *session)
{
	for (unsigned int i = 0; i < session->event_count; i++)
		if (allocate_event(session, i))
			return -1;
	/* No row was free for any of the default events. */
	if (!session->counter_count && session->was_busy)
		return -1;
	release_incomplete_groups(session);
	return 0;
}
