// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/hwpmc_netlink.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "watch/family.h"
#include "watch/notice.h"

/**
 * struct kind - one value of enum hwpmc_nl_what
 * @name: for JSON and filters
 * @one: what happened. %e: the event of the PMC; %n: COUNT; %c: the CPU; %t: the target; %w: where
 *	a PMC of a CPU counts: " on CPU 3"
 * @many: the same if COUNT is not 1; NULL: @one
 */
struct kind {
	const char *name;
	const char *one;
	const char *many;
};

static const struct kind kinds[] = {
	[HWPMC_NL_WHAT_LOST] = { "lost", "%n notice was lost: it was not read in time",
				 "%n notices were lost: they were not read in time" },
	[HWPMC_NL_WHAT_OPEN] = { "open", "opened the device", NULL },
	[HWPMC_NL_WHAT_CLOSE] = { "close", "closed the device, with 1 PMC left",
				  "closed the device, with %n PMCs left" },
	[HWPMC_NL_WHAT_ALLOCATE] = { "allocate", "allocated %e%w", NULL },
	[HWPMC_NL_WHAT_RELEASE] = { "release", "released %e%w", "released %n PMCs, first %e%w" },
	[HWPMC_NL_WHAT_ATTACH] = { "attach", "attached %e to %t", NULL },
	[HWPMC_NL_WHAT_DETACH] = { "detach", "detached %e from %t", NULL },
	[HWPMC_NL_WHAT_START] = { "start", "started %e%w", "started %n PMCs, first %e%w" },
	[HWPMC_NL_WHAT_STOP] = { "stop", "stopped %e%w", "stopped %n PMCs, first %e%w" },
	[HWPMC_NL_WHAT_ENDED] = { "ended", "all its targets have exited", NULL },
	[HWPMC_NL_WHAT_EVICT] = { "evict", "lost %e%w to an administrator", NULL },
	[HWPMC_NL_WHAT_THROTTLE] = { "throttle", "%e%w was throttled once",
				     "%e%w was throttled %n times" },
	[HWPMC_NL_WHAT_DROP] = { "drop", "%e%w lost 1 sample", "%e%w lost %n samples" },
	[HWPMC_NL_WHAT_CLAIM] = { "claim", "the module claimed the PMU from perf", NULL },
	[HWPMC_NL_WHAT_UNCLAIM] = { "unclaim", "the module released the PMU to perf", NULL },
	[HWPMC_NL_WHAT_REFUSE] = { "refuse", "was refused a PMC: perf or another user holds the PMU",
				   "was refused %n PMCs: perf or another user holds the PMU" },
	[HWPMC_NL_WHAT_ONLINE] = { "online", "CPU %c went online", NULL },
	[HWPMC_NL_WHAT_OFFLINE] = { "offline", "CPU %c went offline", NULL },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

int notice_find(const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return (int)i;
	return -1;
}

/* The module's times are those of the boot-time clock. */
static uint64_t time_of(uint64_t boottime)
{
	struct timespec now, boot;

	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return boottime + (uint64_t)((now.tv_sec - boot.tv_sec) * NS_PER_SECOND + now.tv_nsec -
				     boot.tv_nsec);
}

void notice_read(struct notice *notice, struct nlattr **attrs, const struct hardware *hardware)
{
	notice->what = family_u32(attrs, HWPMC_NL_PMC_WHAT);
	notice->time = time_of(family_u64(attrs, HWPMC_NL_PMC_TIME));
	notice->count = family_u64(attrs, HWPMC_NL_PMC_COUNT);
	notice->owned = attrs[HWPMC_NL_PMC_PID];
	pmc_read(&notice->pmc, attrs, hardware, NULL);
}

void notice_free(struct notice *notice)
{
	pmc_free(&notice->pmc);
}

static void put_word(const struct notice *notice, char word, FILE *out)
{
	const struct pmc *pmc = &notice->pmc;

	switch (word) {
	case 'e':
		fputs(pmc->event_name, out);
		break;
	case 'n':
		fprintf(out, "%" PRIu64, notice->count);
		break;
	case 'c':
		fprintf(out, "%d", pmc->cpu);
		break;
	case 'w':
		if (pmc_is_system(pmc))
			fprintf(out, " on CPU %d", pmc->cpu);
		break;
	case 't':
		if (*pmc->target_comm)
			fprintf(out, "%s (%u)", pmc->target_comm, pmc->target);
		else if (pmc->target)
			fprintf(out, "%u (ended)", pmc->target);
		else
			fputs("a hidden process", out);
		break;
	}
}

static void put_sentence(const struct notice *notice, FILE *out)
{
	const struct kind *kind = &kinds[notice->what];
	const char *text = kind->many && notice->count != 1 ? kind->many : kind->one;

	for (; *text; text++)
		if (*text == '%')
			put_word(notice, *++text, out);
		else
			fputc(*text, out);
}

void notice_print(const struct notice *notice, FILE *out)
{
	time_t seconds = (time_t)(notice->time / NS_PER_SECOND);
	struct tm when;
	char text[32];

	if (notice->what >= KINDS)
		return;
	localtime_r(&seconds, &when);
	strftime(text, sizeof(text), "%H:%M:%S", &when);
	fprintf(out, "%s.%06" PRIu64 "  ", text, (uint64_t)(notice->time % NS_PER_SECOND) / 1000);
	if (notice->owned)
		fprintf(out, "%s (%u, %s): ", notice->pmc.comm, notice->pmc.pid, notice->pmc.user);
	put_sentence(notice, out);
	fputc('\n', out);
}

static void add_number(json_t *object, const char *name, uint64_t value)
{
	json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void add_text(json_t *object, const char *name, const char *text)
{
	if (*text)
		json_object_set_new(object, name, escape_json(text));
}

static void add_pmc(json_t *object, const struct pmc *pmc)
{
	add_number(object, "serial", pmc->serial);
	add_number(object, "id", pmc->id);
	add_text(object, "event", pmc->event_name);
	add_number(object, "code", pmc->event);
	add_number(object, "row", pmc->row);
	add_text(object, "mode", pmc_mode(pmc));
}

void notice_print_json(const struct notice *notice, FILE *out)
{
	const struct pmc *pmc = &notice->pmc;
	json_t *object = json_object();

	if (notice->what < KINDS)
		add_text(object, "what", kinds[notice->what].name);
	json_object_set_new(object, "time", json_sprintf("%" PRIu64 ".%09" PRIu64,
							 (uint64_t)(notice->time / NS_PER_SECOND),
							 (uint64_t)(notice->time % NS_PER_SECOND)));
	add_number(object, "count", notice->count);
	if (pmc->cpu >= 0)
		add_number(object, "cpu", (uint64_t)pmc->cpu);
	if (notice->owned) {
		add_number(object, "pid", pmc->pid);
		add_number(object, "uid", pmc->uid);
		add_text(object, "user", pmc->user);
		add_text(object, "command", pmc->comm);
		add_number(object, "file", pmc->owner);
	}
	if (pmc->serial)
		add_pmc(object, pmc);
	if (pmc->target)
		add_number(object, "target-pid", pmc->target);
	add_text(object, "target-command", pmc->target_comm);
	json_dumpf(object, out, JSON_COMPACT);
	fputc('\n', out);
	json_decref(object);
}
