// SPDX-License-Identifier: GPL-2.0-only
/*
 * "probe_sample [CALLS]": PROBE records have the arguments, the result, the thread and the call
 * chain of each event; one record represents a period of events; and while rings overflow, the
 * records read and the losses reported add up to the events.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "probe.h"
#include "ring.h"
#include "test.h"

#define COMM	"probed"
#define ARGS	6

static unsigned long calls = 20000;
static int fd;

static int64_t sampler(const char *name, uint32_t mode, int cpu, uint64_t period, uint32_t args,
		       uint32_t flags)
{
	struct hwpmc_allocate a = {
		.flags = flags, .class_id = HWPMC_CLASS_PROBE, .mode = mode, .cpu = cpu,
		.name = (uintptr_t)name, .name_length = strlen(name), .count = period, .args = args,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	if (err)
		die("%s: %s: %s", name, strerror(-err), dev_sentence(fd));
	return a.id;
}

/* The records of one PMC. */
struct seen {
	uint32_t id;
	unsigned long records;
	unsigned long right;	/* number of records that @is_right accepts */
	uint64_t events;
	bool (*is_right)(const struct hwpmc_log_probe *probe);
};

static void look(const struct hwpmc_log_header *record, void *arg)
{
	struct seen *seen = arg;
	const struct hwpmc_log_probe *probe = (const void *)record;

	if (record->type != HWPMC_LOG_PROBE || record->id != seen->id)
		return;
	seen->records++;
	seen->events += probe->sample.period;
	seen->right += seen->is_right(probe);
}

static const uint64_t *args_of(const struct hwpmc_log_probe *probe)
{
	return (const void *)((const char *)probe + probe->args_offset);
}

static bool is_mine(const struct hwpmc_log_probe *probe)
{
	return probe->sample.pid == getpid() && probe->sample.tid == (pid_t)syscall(SYS_gettid) &&
	       probe->comm_offset &&
	       !strcmp((const char *)probe + probe->comm_offset, COMM);
}

/* getpriority(PRIO_PROCESS or 7, getpid(), 2, 3, 4, 5): every other call fails with EINVAL. */
static void call_often(unsigned long times)
{
	for (unsigned long i = 0; i < times; i++)
		syscall(SYS_getpriority, i % 2 ? 7 : PRIO_PROCESS, getpid(), 2, 3, 4, 5);
}

static bool entry_is_right(const struct hwpmc_log_probe *probe)
{
	const uint64_t *args = args_of(probe);

	return is_mine(probe) && probe->args == ARGS && (args[0] == PRIO_PROCESS || args[0] == 7) &&
	       args[1] == (uint64_t)getpid() && args[2] == 2 && args[3] == 3 && args[4] == 4 &&
	       args[5] == 5 && !(probe->sample.h.flags & HWPMC_PROBE_RETURN) &&
	       (probe->sample.h.flags & HWPMC_SAMPLE_USER) && probe->sample.chain_user > 1;
}

static bool return_is_right(const struct hwpmc_log_probe *probe)
{
	bool error = probe->sample.h.flags & HWPMC_PROBE_ERROR;

	if (!is_mine(probe) || !(probe->sample.h.flags & HWPMC_PROBE_RETURN) ||
	    args_of(probe)[1] != (uint64_t)getpid())
		return false;
	/* The kernel returns 20 - nice. */
	return error ? probe->retval == (uint64_t)-EINVAL && args_of(probe)[0] == 7 :
		       probe->retval >= 1 && probe->retval <= 40 && args_of(probe)[0] == PRIO_PROCESS;
}

static bool function_is_right(const struct hwpmc_log_probe *probe)
{
	return is_mine(probe) && !(probe->sample.h.flags & HWPMC_SAMPLE_USER) && probe->sample.pc &&
	       probe->sample.chain_kernel > 1 && probe->sample.chain_user > 1;
}

/* The arguments of sys_enter are the address of the user registers and the system call's number. */
static bool tracepoint_is_right(const struct hwpmc_log_probe *probe)
{
	uint64_t number = args_of(probe)[1];

	return is_mine(probe) && probe->args == 2 && args_of(probe)[0] >> 63 && number < 1000 &&
	       probe->sample.chain_kernel > 0 && probe->sample.pc >> 63;
}

static void close_seen(struct seen *seen, uint64_t want, const char *name)
{
	check(seen->records == want && seen->right == want,
	      "%s: %lu records of %llu, %lu of them right", name, seen->records,
	      (unsigned long long)want, seen->right);
}

static void contents_of(struct ring_map *map, const char *name, uint32_t args, uint64_t want,
			bool (*is_right)(const struct hwpmc_log_probe *probe))
{
	struct seen seen = { .is_right = is_right };

	seen.id = sampler(name, HWPMC_MODE_TS, -1, 1, args, HWPMC_F_THREAD | HWPMC_F_COMM |
			  HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN);
	if (dev_start(fd, seen.id))
		die("start: %s", dev_sentence(fd));
	call_often(100);
	if (dev_stop(fd, seen.id))
		die("stop: %s", dev_sentence(fd));
	ring_drain(map, look, &seen);
	close_seen(&seen, want, name);
	dev_release(fd, seen.id);
}

static bool any(const struct hwpmc_log_probe *probe)
{
	return !probe->args && !probe->comm_offset && !probe->sample.chain_offset;
}

/* Seven events make one record; the rest of a period is kept over a STOP. */
static void periods(struct ring_map *map)
{
	struct seen seen = { .is_right = any };

	seen.id = sampler("syscall:getpriority:entry", HWPMC_MODE_TS, -1, 7, 0, HWPMC_F_THREAD);
	for (int i = 0; i < 10; i++) {
		if (dev_start(fd, seen.id))
			die("start: %s", dev_sentence(fd));
		call_often(10);
		if (dev_stop(fd, seen.id))
			die("stop: %s", dev_sentence(fd));
	}
	ring_drain(map, look, &seen);
	close_seen(&seen, 100 / 7, "one record for seven events");
	check(seen.events == 98 && dev_value(fd, seen.id) == 100,
	      "the records represent 98 of 100 events: %llu of %llu",
	      (unsigned long long)seen.events, (unsigned long long)dev_value(fd, seen.id));
	dev_release(fd, seen.id);
}

/* The rings have room for a small part of the records, and are read at the end. */
static void losses(struct ring_map *map, const char *name, uint32_t flags)
{
	struct ring_tally tally = {};
	struct hwpmc_sampled s;
	uint64_t value;

	tally.id = sampler(name, HWPMC_MODE_TS, -1, 1, 2, flags);
	if (dev_start(fd, tally.id))
		die("start: %s", dev_sentence(fd));
	probe_call_in_threads(calls);
	if (dev_stop(fd, tally.id))
		die("stop: %s", dev_sentence(fd));
	value = dev_value(fd, tally.id);
	s = dev_sampled(fd, tally.id, -1);
	ring_drain(map, ring_count, &tally);
	dev_flush(fd);
	ring_drain(map, ring_count, &tally);
	check(value + s.skipped == PROBE_THREADS * calls && s.taken == value && s.lost &&
	      tally.samples + tally.lost == value && !tally.out_of_order,
	      "%s: %llu events of %llu, %llu skipped: %lu are read, and %llu reported as lost", name,
	      (unsigned long long)value, (unsigned long long)(PROBE_THREADS * calls),
	      (unsigned long long)s.skipped, tally.samples, (unsigned long long)tally.lost);
	dev_release(fd, tally.id);
}

int main(int argc, char **argv)
{
	struct ring_map map;

	if (argc > 1)
		calls = strtoul(argv[1], NULL, 0);
	alarm(120 * PATIENCE);
	prctl(PR_SET_NAME, COMM);
	fd = dev_open();
	ring_open(&map, fd, 65536);
	contents_of(&map, "syscall:getpriority:entry", ARGS, 100, entry_is_right);
	contents_of(&map, "syscall:getpriority:return", 2, 100, return_is_right);
	contents_of(&map, "kprobe:" PROBE_FUNCTION, 1, 100, function_is_right);
	/* Also counts the calls of getpid(2), and the ioctl(2) of STOP. */
	contents_of(&map, "tracepoint:sys_enter", 2, 201, tracepoint_is_right);
	periods(&map);
	losses(&map, "syscall:getpriority:entry", 0);
	losses(&map, "kprobe:" PROBE_FUNCTION, HWPMC_F_CALLCHAIN);
	losses(&map, "kprobe:" PROBE_FUNCTION ":return", HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN);
	return result();
}
