// SPDX-License-Identifier: GPL-2.0-only
/*
 * "probe_syscall [CALLS]": probes of system calls, by name or of all calls, at entry and return,
 * count exactly the calls of a thread, a process, its descendants or a CPU, and no others.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

#include "probe.h"
#include "test.h"

static unsigned long calls = 100000;
static int fd;

static void *thread_main(void *unused)
{
	probe_call(calls);
	return unused;
}

static void in_child(void)
{
	pid_t child = fork();

	if (!child) {
		probe_call_in_threads(calls);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void is(uint64_t value, uint64_t want, const char *what)
{
	check(value == want, "%s: %llu of %llu", what, (unsigned long long)value,
	      (unsigned long long)want);
}

/* One thread, at entry and return, and a call that it does not make. */
static void one_thread(void)
{
	const uint32_t ids[] = {
		probe_count(fd, "syscall:getpriority:entry", HWPMC_F_THREAD),
		probe_count(fd, "syscall:getpriority:return", HWPMC_F_THREAD),
		probe_count(fd, "syscall:setpriority:entry", HWPMC_F_THREAD),
		probe_count(fd, "syscall:*:entry", HWPMC_F_THREAD),
	};
	uint64_t values[ARRAY_SIZE(ids)];

	if (dev_ids(fd, HWPMC_IOC_START, ids, ARRAY_SIZE(ids)))
		die("start: %s", dev_sentence(fd));
	probe_call(calls);
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, ARRAY_SIZE(ids)) ||
	    dev_read(fd, ids, ARRAY_SIZE(ids), values))
		die("stop: %s", dev_sentence(fd));
	is(values[0], calls, "calls of a thread that begin");
	is(values[1], calls, "calls of a thread that return");
	is(values[2], 0, "a call that the thread does not make");
	is(values[3], calls + 1, "all calls of a thread, with the ioctl(2) of STOP");
	probe_call(1);
	is(dev_value(fd, ids[0]), calls, "calls after STOP are not counted");
	is(probe_skipped(fd, ids[0]), 0, "no call is skipped");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, ARRAY_SIZE(ids));
}

/* All threads of a process, and those of its children, running at the same time. */
static void many(void)
{
	const uint32_t ids[] = {
		probe_count(fd, "syscall:getpriority:entry", 0),
		probe_count(fd, "syscall:getpriority:return", HWPMC_F_DESCENDANTS),
	};
	uint64_t values[ARRAY_SIZE(ids)];

	if (dev_ids(fd, HWPMC_IOC_START, ids, ARRAY_SIZE(ids)))
		die("start: %s", dev_sentence(fd));
	probe_call_in_threads(calls);
	in_child();
	if (dev_read(fd, ids, ARRAY_SIZE(ids), values))
		die("read: %s", dev_sentence(fd));
	is(values[0], PROBE_THREADS * calls, "calls of eight threads");
	is(values[1], 2 * PROBE_THREADS * calls, "calls of eight threads, and of eight of a child");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, ARRAY_SIZE(ids));
}

/* The sum over all CPUs is the number of the threads' calls, wherever they run. */
static void of_cpus(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t ids[cpus];
	uint64_t values[cpus], sum = 0;

	for (int cpu = 0; cpu < cpus; cpu++) {
		int64_t id = probe_allocate(fd, "syscall:getpriority:entry", HWPMC_MODE_SC, cpu, 0);

		if (id < 0)
			die("cpu %d: %s", cpu, dev_sentence(fd));
		ids[cpu] = id;
	}
	if (dev_ids(fd, HWPMC_IOC_START, ids, cpus))
		die("start: %s", dev_sentence(fd));
	in_child();
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, cpus) || dev_read(fd, ids, cpus, values))
		die("stop: %s", dev_sentence(fd));
	for (int cpu = 0; cpu < cpus; cpu++)
		sum += values[cpu];
	is(sum, PROBE_THREADS * calls, "calls on all CPUs");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, cpus);
}

/*
 * Reads while another thread causes events all the time: the value of each PMC never decreases, and
 * never exceeds the number of calls. There are many PMCs, so that events occur while the values are
 * copied.
 */
static void read_meanwhile(void)
{
	static uint32_t ids[256];
	static uint64_t values[ARRAY_SIZE(ids)], before[ARRAY_SIZE(ids)];
	unsigned long decreased = 0, readings = 0;
	pthread_t thread;

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = probe_count(fd, "syscall:getpriority:entry", 0);
	if (dev_ids(fd, HWPMC_IOC_START, ids, ARRAY_SIZE(ids)) ||
	    pthread_create(&thread, NULL, thread_main, NULL))
		die("start: %s", dev_sentence(fd));
	do {
		if (dev_read(fd, ids, ARRAY_SIZE(ids), values))
			die("read: %s", dev_sentence(fd));
		for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
			decreased += values[i] < before[i] || values[i] > calls;
		memcpy(before, values, sizeof(values));
		readings++;
	} while (pthread_tryjoin_np(thread, NULL));
	check(!decreased, "%lu readings while a thread counts; impossible values: %lu", readings,
	      decreased);
	dev_read(fd, ids, ARRAY_SIZE(ids), values);
	is(values[0], calls, "calls of the thread after these readings");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, ARRAY_SIZE(ids));
}

/* PMCs share a probe, which is registered only while a PMC uses it, and for a moment after that. */
static void present(void)
{
	uint32_t first = probe_count(fd, "syscall:getpriority:entry", 0);
	uint64_t probes = dev_stats(fd).probes;
	uint32_t second = probe_count(fd, "syscall:getpriority:entry", 0);

	check(dev_stats(fd).probes == probes, "two PMCs share a probe");
	dev_release(fd, first);
	dev_release(fd, second);
	check(SOON(!dev_stats(fd).probes), "an unused probe is removed");
	first = probe_count(fd, "syscall:getpriority:entry", HWPMC_F_THREAD);
	dev_start(fd, first);
	probe_call(10);
	is(dev_value(fd, first), 10, "calls that a new PMC counts afterwards");
	dev_release(fd, first);
}

/* Refusals of ALLOCATE: @a is valid except for one field. */
static void refuses_with(struct hwpmc_allocate a, int error, const char *what)
{
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	check(err == -error, "%s: %s", what, err ? dev_sentence(fd) : "it is accepted");
}

static void refused(void)
{
	static const char name[] = "syscall:getpriority:entry";
	const struct hwpmc_allocate right = {
		.class_id = HWPMC_CLASS_PROBE, .mode = HWPMC_MODE_TC, .cpu = -1,
		.name = (uintptr_t)name, .name_length = strlen(name),
	};
	struct hwpmc_allocate a;

#define REFUSES(error, what, ...) do {			\
	a = right;					\
	__VA_ARGS__;					\
	refuses_with(a, error, what);			\
} while (0)
	REFUSES(EINVAL, "no name", a.name = 0);
	REFUSES(EINVAL, "a name of no length", a.name_length = 0);
	REFUSES(EINVAL, "a name that is too long", a.name_length = HWPMC_PROBE_NAME_MAX + 1);
	REFUSES(EFAULT, "a bad address", a.name = 8);
	REFUSES(EINVAL, "an event", a.event = 1);
	REFUSES(EINVAL, "a configuration word", a.config[1] = 1);
	REFUSES(EINVAL, "arguments of a probe that counts", a.args = 1);
	REFUSES(EINVAL, "a frequency", a.flags = HWPMC_F_FREQUENCY; a.mode = HWPMC_MODE_TS);
	REFUSES(EINVAL, "a period of 0", a.mode = HWPMC_MODE_TS);
	REFUSES(EINVAL, "too many arguments", a.mode = HWPMC_MODE_TS; a.count = 1;
		a.args = HWPMC_PROBE_ARGS_MAX + 1);
	REFUSES(EOPNOTSUPP, "a capability that the class does not have", a.caps = HWPMC_CAP_EDGE);
	REFUSES(EINVAL, "the name of another class's event", a.class_id = HWPMC_CLASS_SOFT);
	probe_refused(fd, "getpriority", 0, EINVAL);
	probe_refused(fd, "syscall:", 0, EINVAL);
	probe_refused(fd, "syscall:getpriority", 0, EINVAL);
	probe_refused(fd, "syscall:getpriority:middle", 0, EINVAL);
	probe_refused(fd, "syscall:getpriorit:entry", 0, ENOENT);
	probe_refused(fd, "nothing:getpriority:entry", 0, EINVAL);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		calls = strtoul(argv[1], NULL, 0);
	alarm(120 * PATIENCE);
	fd = dev_open();
	refused();
	one_thread();
	many();
	of_cpus();
	read_meanwhile();
	present();
	return result();
}
