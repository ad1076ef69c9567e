// SPDX-License-Identifier: GPL-2.0-only
/*
 * "probe_threads [CALLS]": each of eight threads calls a function CALLS times, with an argument and
 * a result of its own: a function of the kernel (kprobe, kretprobe), and one of a program (uprobe,
 * uretprobe). PMCs with a condition on the argument or the result count all calls of one thread.
 * With samples of every event, the records read and the losses reported add up to all calls.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "probe.h"
#include "ring.h"
#include "test.h"

#define TIMES		3ULL	/* the program's function multiplies its argument by this */

static unsigned long calls = 100000;
static int fd;

/* Threads that wait until all PMCs run. The nice value of each is its index. */
static pthread_t threads[PROBE_THREADS];
static pid_t tids[PROBE_THREADS];
static pthread_barrier_t ready, go;

/**
 * struct subject - what is probed
 * @entry: name of the probe of calls
 * @returns: name of the probe of returns
 * @file: descriptor of the program's file, or 0
 * @call: makes one call in the thread of index @i
 * @arg: returns the argument of that thread's calls
 * @result: returns the result of that thread's calls
 */
struct subject {
	const char *entry, *returns;
	int file;
	void (*call)(unsigned int i);
	uint64_t (*arg)(unsigned int i);
	uint64_t (*result)(unsigned int i);
};

static PROBED uint64_t target(uint64_t number)
{
	return number * TIMES;
}

static void call_target(unsigned int i)
{
	target(1000 + i);
}

static uint64_t target_arg(unsigned int i)
{
	return 1000 + i;
}

static uint64_t target_result(unsigned int i)
{
	return TIMES * (1000 + i);
}

/* getpriority(2) finds the task, which is the caller itself, and returns 20 - nice. */
static void call_kernel(unsigned int i)
{
	syscall(SYS_getpriority, PRIO_PROCESS, tids[i]);
}

static uint64_t kernel_arg(unsigned int i)
{
	return tids[i];
}

static uint64_t kernel_result(unsigned int i)
{
	return 20 - i;
}

static const struct subject *called;

static void *thread_main(void *arg)
{
	unsigned int self = (uintptr_t)arg;

	tids[self] = syscall(SYS_gettid);
	if (setpriority(PRIO_PROCESS, 0, (int)self))
		die("setpriority: %s", strerror(errno));
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&go);
	for (unsigned long i = 0; i < calls; i++)
		called->call(self);
	return NULL;
}

static void create_threads(const struct subject *it)
{
	called = it;
	for (uintptr_t i = 0; i < PROBE_THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread_main, (void *)i))
			die("a thread");
	pthread_barrier_wait(&ready);
}

/* The threads make their calls while the PMCs run. */
static void run(const uint32_t *ids, unsigned int count, uint64_t *values)
{
	if (dev_ids(fd, HWPMC_IOC_START, ids, count))
		die("start: %s", dev_sentence(fd));
	pthread_barrier_wait(&go);
	for (int i = 0; i < PROBE_THREADS; i++)
		pthread_join(threads[i], NULL);
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, count) || dev_read(fd, ids, count, values))
		die("stop: %s", dev_sentence(fd));
}

static uint32_t allocate(const struct subject *it, const char *name, uint32_t mode, uint32_t args,
			 const struct hwpmc_filter *filter)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = mode, .cpu = -1, .name = (uintptr_t)name,
		.name_length = strlen(name), .file = it->file, .count = mode == HWPMC_MODE_TS,
		.args = args, .filters = !!filter, .filter_list = (uintptr_t)filter,
		.filter_size = filter ? sizeof(*filter) : 0,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	if (err)
		die("%s: %s: %s", name, strerror(-err), dev_sentence(fd));
	return a.id;
}

/* Returns the number of threads whose calls are all counted. */
static unsigned int complete(const uint64_t *values)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < PROBE_THREADS; i++)
		count += values[i] == calls;
	return count;
}

/* For each thread a PMC counts calls with its argument, and another one returns with its result. */
static void counted(const struct subject *it)
{
	uint32_t ids[2 * PROBE_THREADS];
	uint64_t values[2 * PROBE_THREADS], skipped;

	fd = dev_open();
	create_threads(it);
	for (unsigned int i = 0; i < PROBE_THREADS; i++) {
		const struct hwpmc_filter arg = {
			.field = HWPMC_FILTER_ARG, .bytes = 4, .value = it->arg(i),
		}, result = {
			.field = HWPMC_FILTER_RETVAL, .bytes = 8, .value = it->result(i),
		};

		ids[i] = allocate(it, it->entry, HWPMC_MODE_TC, 0, &arg);
		ids[PROBE_THREADS + i] = allocate(it, it->returns, HWPMC_MODE_TC, 0, &result);
	}
	run(ids, ARRAY_SIZE(ids), values);
	skipped = probe_skipped(fd, ids[0]) + probe_skipped(fd, ids[PROBE_THREADS]);
	check(complete(values) == PROBE_THREADS && complete(values + PROBE_THREADS) == PROBE_THREADS &&
	      !skipped,
	      "%s: of %u of %d threads all %lu calls are counted by argument, of %u by result, %llu skipped",
	      it->entry, complete(values), PROBE_THREADS, calls, complete(values + PROBE_THREADS),
	      (unsigned long long)skipped);
	close(fd);
}

/* The records of the two PMCs, and the thread that reads them. */
struct reader {
	const struct subject *subject;
	struct ring_map map;
	struct ring_tally entry, returns;
	unsigned long wrong;
	bool over;
};

/* Whether @number is the argument of thread @tid, or its result if @result is set. */
static bool is_right(const struct subject *it, pid_t tid, uint64_t number, bool result)
{
	for (unsigned int i = 0; i < PROBE_THREADS; i++)
		if (tids[i] == tid)
			return number == (result ? it->result(i) : it->arg(i));
	return false;
}

static void look(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_probe *probe = (const void *)record;
	struct reader *it = arg;

	ring_count(record, &it->entry);
	ring_count(record, &it->returns);
	if (record->type != HWPMC_LOG_PROBE)
		return;
	if (record->id == it->returns.id) {
		it->wrong += !is_right(it->subject, probe->sample.tid, probe->retval, true);
	} else {
		const uint64_t *args = (const void *)((const char *)probe + probe->args_offset);

		/* The argument is a number of 32 bits. */
		it->wrong += !is_right(it->subject, probe->sample.tid, (uint32_t)args[0], false);
	}
}

static void *reader_main(void *arg)
{
	struct reader *it = arg;

	while (!__atomic_load_n(&it->over, __ATOMIC_ACQUIRE)) {
		ring_drain(&it->map, look, it);
		usleep(1000);
	}
	return NULL;
}

static void check_read(const struct ring_tally *tally, const char *name, uint64_t events)
{
	check(tally->samples && tally->samples + tally->lost == events &&
	      events == PROBE_THREADS * calls,
	      "%s: %lu records are read and %llu reported as lost, of %llu events", name, tally->samples,
	      (unsigned long long)tally->lost, (unsigned long long)events);
}

static void sampled(const struct subject *it)
{
	struct reader reader = { .subject = it };
	uint64_t values[2];
	uint32_t ids[2];
	pthread_t thread;

	fd = dev_open();
	ring_open(&reader.map, fd, 1 << 20);
	create_threads(it);
	ids[0] = allocate(it, it->entry, HWPMC_MODE_TS, 1, NULL);
	ids[1] = allocate(it, it->returns, HWPMC_MODE_TS, 0, NULL);
	reader.entry.id = ids[0];
	reader.returns.id = ids[1];
	if (pthread_create(&thread, NULL, reader_main, &reader))
		die("a thread");
	run(ids, 2, values);
	__atomic_store_n(&reader.over, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	ring_drain(&reader.map, look, &reader);
	dev_flush(fd);
	ring_drain(&reader.map, look, &reader);
	check_read(&reader.entry, it->entry, values[0]);
	check_read(&reader.returns, it->returns, values[1]);
	check(!reader.wrong, "%s: %lu records have a wrong argument or result", it->entry, reader.wrong);
	ring_close(&reader.map);
	close(fd);
}

int main(int argc, char **argv)
{
	char entry[64], returns[64];
	struct subject subjects[] = {
		{ .entry = "kprobe:find_task_by_vpid", .returns = "kprobe:" PROBE_FUNCTION ":return",
		  .call = call_kernel, .arg = kernel_arg, .result = kernel_result },
		{ .entry = entry, .returns = returns, .call = call_target, .arg = target_arg,
		  .result = target_result },
	};
	uint64_t offset;

	if (argc > 1)
		calls = strtoul(argv[1], NULL, 0);
	alarm(240 * PATIENCE);
	subjects[1].file = probe_file(target, &offset);
	snprintf(entry, sizeof(entry), "uprobe:%#" PRIx64 ":entry", offset);
	snprintf(returns, sizeof(returns), "uprobe:%#" PRIx64 ":return", offset);
	pthread_barrier_init(&ready, NULL, PROBE_THREADS + 1);
	pthread_barrier_init(&go, NULL, PROBE_THREADS + 1);
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
		counted(&subjects[i]);
		sampled(&subjects[i]);
	}
	return result();
}
