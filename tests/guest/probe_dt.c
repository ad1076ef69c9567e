// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module does not have the bugs of the device that class PROBE was modelled on (dt_dev.c of
 * 2026). Each row has the line number there, the bug, and the test that would find it here:
 *
 *	507	a statistic is the last CPU's, not the sum	statistics() below
 *	471,	sizes are those of another type, and a list is	names() below
 *	495	cut off without an error
 *	464	arguments of records are 0			arguments() below; probe_sample.c
 *	240	closing the file leaves probes in the kernel	closes() below; probe_storm.c
 *	283	read(2) begins with the same CPU each time	ring_read_whole.c: each CPU in turn
 *	257	a record that is cut off is lost		ring_read_whole.c: short buffers
 *	275	an error after a part was copied loses records	ring_read_whole.c: bad addresses
 *	-	reads always wait				ring_read.c: EAGAIN
 *	-	no poll(2)					ring_read.c; ring_epoll.c
 *
 * The module's parameter "probes" corresponds to that device's kern.allowdt; see turned_off().
 */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/syscall.h>

#include "cpu.h"
#include "param.h"
#include "probe.h"
#include "ring.h"
#include "test.h"

#define CALL	"syscall:getpriority:entry"

static void calls_on(int cpu, unsigned int count)
{
	pin(0, cpu);
	probe_call(count);
	pin(0, -1);
}

static uint32_t sampler(int fd, const char *name, uint32_t args)
{
	struct hwpmc_allocate a = {
		.flags = HWPMC_F_THREAD, .class_id = HWPMC_CLASS_PROBE, .mode = HWPMC_MODE_TS,
		.cpu = -1, .name = (uintptr_t)name, .name_length = strlen(name), .count = 1,
		.args = args,
	};

	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("%s: %s", name, dev_sentence(fd));
	return a.id;
}

/* The number of records of each CPU, and of all CPUs, for a thread that moves between two CPUs. */
static void statistics(void)
{
	struct hwpmc_sampled of[3];
	struct ring_map map;
	int fd = dev_open();
	uint32_t id;

	ring_open(&map, fd, 65536);
	id = sampler(fd, CALL, 0);
	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	calls_on(0, 100);
	calls_on(1, 50);
	calls_on(0, 20);
	dev_stop(fd, id);
	for (int i = 0; i < 3; i++)
		of[i] = dev_sampled(fd, id, i - 1);
	check(of[1].recorded == 120 && of[2].recorded == 50 && of[0].recorded == 170,
	      "a statistic of all CPUs is the sum of each: %llu is %llu and %llu",
	      (unsigned long long)of[0].recorded, (unsigned long long)of[1].recorded,
	      (unsigned long long)of[2].recorded);
	ring_close(&map);
	close(fd);
}

/* Lists the names that match @pattern. Returns 0 or -errno. */
static int list(int fd, struct hwpmc_events *events, const char *pattern, char *names, uint64_t size)
{
	*events = (struct hwpmc_events) {
		.pattern = (uintptr_t)pattern, .pattern_length = strlen(pattern),
		.names = (uintptr_t)names, .names_size = size,
	};
	return dev_call(fd, HWPMC_IOC_EVENTS, events, sizeof(*events));
}

static unsigned int count_names(const char *names, uint64_t size)
{
	unsigned int count = 0;

	for (uint64_t i = 0; i < size; i++)
		count += !names[i];
	return count;
}

/*
 * A first call returns the size of the list; with less room a call fails, and writes nothing
 * beyond.
 */
static void names(void)
{
	static const char pattern[] = "tracepoint:sched_*";
	static char room[65536], name[300];
	struct hwpmc_events asked, got;
	int err, fd = dev_open();

	err = list(fd, &asked, pattern, NULL, 0);
	check(!err && asked.count > 5 && asked.names_size > asked.count && asked.names_size < sizeof(room),
	      "without room the call returns only the size: %u names, %llu bytes", asked.count,
	      (unsigned long long)asked.names_size);
	memset(room, 'x', sizeof(room));
	err = list(fd, &got, pattern, room, asked.names_size);
	check(!err && got.count == asked.count && got.names_size == asked.names_size &&
	      count_names(room, got.names_size) == got.count && room[got.names_size] == 'x' &&
	      !strncmp(room, "tracepoint:sched_", 17), "with as much room the list is complete");
	memset(room, 'x', sizeof(room));
	err = list(fd, &got, pattern, room, asked.names_size - 1);
	check(err == -ENOSPC && got.names_size == asked.names_size && room[asked.names_size - 1] == 'x' &&
	      strcmp(dev_sentence(fd), NO_SENTENCE), "with a byte less the call fails: %s", dev_sentence(fd));
	err = list(fd, &got, "no:such:*", room, sizeof(room));
	check(!err && !got.count && !got.names_size, "a list without a match is empty");
	err = list(fd, &got, pattern, (void *)8, sizeof(room));
	check(err == -EFAULT, "a list at a bad address fails: %s", strerror(-err));
	memset(name, '*', sizeof(name) - 1);
	err = list(fd, &got, name, room, sizeof(room));
	check(err == -EINVAL, "a pattern that is too long is refused: %s", dev_sentence(fd));
	close(fd);
}

struct seen {
	uint32_t id;
	unsigned int records, right;
};

static void look(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_probe *probe = (const void *)record;
	const uint64_t *args = (const void *)((const char *)probe + probe->args_offset);
	struct seen *seen = arg;

	if (record->type != HWPMC_LOG_PROBE || record->id != seen->id)
		return;
	seen->records++;
	seen->right += probe->args == 6 && args[0] == PRIO_PROCESS && args[1] == (uint32_t)getpid() &&
		       args[2] == UINT64_MAX && args[3] == 0x123456789abcdef0 && args[4] == 4 && args[5] == 5;
}

/* All six arguments, some of which have more than 32 bits. */
static void arguments(void)
{
	struct seen seen = {};
	struct ring_map map;
	int fd = dev_open();

	ring_open(&map, fd, 65536);
	seen.id = sampler(fd, CALL, 6);
	if (dev_start(fd, seen.id))
		die("start: %s", dev_sentence(fd));
	for (int i = 0; i < 10; i++)
		syscall(SYS_getpriority, PRIO_PROCESS, getpid(), UINT64_MAX, 0x123456789abcdef0, 4, 5);
	dev_stop(fd, seen.id);
	ring_drain(&map, look, &seen);
	check(seen.records == 10 && seen.right == 10, "%u records of 10 calls, %u with all six arguments",
	      seen.records, seen.right);
	ring_close(&map);
	close(fd);
}

/* The function of this program that is probed. */
static PROBED int target(int value)
{
	return value + 1;
}

/* A PMC of each provider runs when the file is closed. */
static void closes(void)
{
	static const char *const each[] = {
		CALL, "syscall:*:return", "tracepoint:sched:sched_switch", "tracepoint:sys_enter",
		"kprobe:" PROBE_FUNCTION, "kprobe:" PROBE_FUNCTION ":return", "profile:hz:99",
		"interval:ms:10",
	};
	int watch = dev_open(), fd = dev_open();
	uint32_t ids[ARRAY_SIZE(each) + 2], count = 0;
	uint64_t linger = param_get("probes_linger"), probes;
	int64_t entry, returns;

	param_set("probes_linger", 1);
	if (!SOON(!dev_stats(watch).probes))
		die("probes of other cases remain");
	for (size_t i = 0; i < ARRAY_SIZE(each); i++)
		ids[count++] = probe_count(fd, each[i], 0);
	entry = probe_allocate_at(fd, target, "entry", HWPMC_MODE_TC, -1, 0);
	returns = probe_allocate_at(fd, target, "return", HWPMC_MODE_TC, -1, 0);
	if (entry < 0 || returns < 0)
		die("uprobes: %s", dev_sentence(fd));
	ids[count++] = entry;
	ids[count++] = returns;
	if (dev_ids(fd, HWPMC_IOC_START, ids, count))
		die("start: %s", dev_sentence(fd));
	probe_call(10);
	target(1);
	probes = dev_stats(watch).probes;
	close(fd);
	check(probes == count && SOON(!dev_stats(watch).probes) && !dev_stats(watch).pmcs,
	      "closing the file removes its %llu probes, of %u, from the kernel",
	      (unsigned long long)probes, count);
	param_set("probes_linger", linger);
	close(watch);
}

static void turned_off(void)
{
	int fd = dev_open();
	uint32_t before = probe_count(fd, CALL, 0);
	int64_t id;

	param_set("probes", 0);
	id = probe_allocate(fd, CALL, HWPMC_MODE_TC, -1, 0);
	check(id == -EPERM && strstr(dev_sentence(fd), "probes is 0"), "with probes=0 ALLOCATE fails: %s",
	      dev_sentence(fd));
	if (dev_start(fd, before))
		die("start: %s", dev_sentence(fd));
	probe_call(3);
	check(dev_value(fd, before) == 3, "a PMC that was allocated before counts: %llu of 3",
	      (unsigned long long)dev_value(fd, before));
	param_set("probes", 1);
	id = probe_allocate(fd, CALL, HWPMC_MODE_TC, -1, 0);
	check(id > 0, "with probes=1 ALLOCATE succeeds");
	close(fd);
}

int main(void)
{
	alarm(60 * PATIENCE);
	statistics();
	names();
	arguments();
	closes();
	turned_off();
	return result();
}
