// SPDX-License-Identifier: GPL-2.0-only
/*
 * "probe_kernel [CALLS]": probes of tracepoints and of the kernel's functions, at entry and return,
 * count every call of eight threads exactly. A function that cannot be probed is refused with a
 * sentence. Probes of functions that the module itself executes neither deadlock nor recurse.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "probe.h"
#include "test.h"

static unsigned long calls = 100000;
static int fd;

/* Each call of getpriority(2) is one event of each of these probes, and no other call is. */
static const char *const places[] = {
	"kprobe:" PROBE_FUNCTION, "kprobe:" PROBE_FUNCTION ":entry", "kprobe:" PROBE_FUNCTION ":return",
	"syscall:getpriority:entry",
};

static void exact_calls(void)
{
	uint32_t ids[ARRAY_SIZE(places)];
	uint64_t values[ARRAY_SIZE(places)];

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		ids[i] = probe_count(fd, places[i], 0);
	probe_values(fd, ids, ARRAY_SIZE(ids), calls, values);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		uint64_t skipped = probe_skipped(fd, ids[i]);

		/* The kernel skips a return while it handles a probe in an interrupt. */
		check(values[i] + skipped == PROBE_THREADS * calls && !skipped,
		      "%s: %llu of %llu calls of eight threads, %llu skipped", places[i],
		      (unsigned long long)values[i], (unsigned long long)(PROBE_THREADS * calls),
		      (unsigned long long)skipped);
	}
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, ARRAY_SIZE(ids));
}

/* The tracepoint of all system calls, by both of its names, and the probe of all system calls. */
static void exact_tracepoint(void)
{
	const uint32_t ids[] = {
		probe_count(fd, "tracepoint:sys_enter", 0),
		probe_count(fd, "tracepoint:raw_syscalls:sys_enter", 0),
		probe_count(fd, "syscall:*:entry", 0),
	};
	uint64_t values[ARRAY_SIZE(ids)];

	probe_values(fd, ids, ARRAY_SIZE(ids), calls, values);
	check(values[0] >= PROBE_THREADS * calls && values[1] == values[0] && values[2] == values[0],
	      "a tracepoint by both of its names: %llu, %llu, and all system calls: %llu",
	      (unsigned long long)values[0], (unsigned long long)values[1],
	      (unsigned long long)values[2]);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, ARRAY_SIZE(ids));
}

/* The switches of this thread, as the scheduler counts them. */
static uint64_t switches_so_far(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/*
 * Reads the PMC while this thread is not scheduled out. Returns the number of the thread's switches
 * so far.
 */
static uint64_t value_and_switches(uint32_t id, uint64_t *value)
{
	uint64_t before;

	do {
		before = switches_so_far();
		*value = dev_value(fd, id);
	} while (switches_so_far() != before);
	return before;
}

/* Each switch of this thread is one event of sched_switch. */
static void switches(void)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	uint32_t id = probe_count(fd, "tracepoint:sched:sched_switch", HWPMC_F_THREAD);
	uint64_t value, first, switched;

	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	switched = value_and_switches(id, &first);
	/* Some of these sleeps may end before the thread is scheduled out. */
	for (int i = 0; i < 100; i++)
		nanosleep(&moment, NULL);
	switched = value_and_switches(id, &value) - switched;
	dev_stop(fd, id);
	check(switched > 0 && value - first == switched,
	      "sched_switch of a thread that sleeps: %llu of %llu switches",
	      (unsigned long long)(value - first), (unsigned long long)switched);
	dev_release(fd, id);
}

static const char *const steps[] = {
	"tracepoint:sched:sched_process_fork", "tracepoint:sched:sched_process_exec",
	"tracepoint:sched:sched_process_exit",
};

#define STEPS	ARRAY_SIZE(steps)

/* Forks, execs and exits, counted by PMCs of tasks and of CPUs. */
static void process_life(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t ids[STEPS * (1 + cpus)];
	uint64_t values[STEPS * (1 + cpus)], sums[STEPS] = { 0 };

	for (size_t i = 0; i < STEPS; i++)
		ids[i] = probe_count(fd, steps[i], HWPMC_F_DESCENDANTS);
	for (size_t i = STEPS; i < ARRAY_SIZE(ids); i++)
		ids[i] = probe_allocate(fd, steps[i % STEPS], HWPMC_MODE_SC, i / STEPS - 1, 0);
	if (dev_ids(fd, HWPMC_IOC_START, ids, ARRAY_SIZE(ids)))
		die("start: %s", dev_sentence(fd));
	for (int i = 0; i < 10; i++) {
		pid_t child = fork();

		if (!child) {
			execl("/proc/self/exe", "probe_kernel", "exit", NULL);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, ARRAY_SIZE(ids)) ||
	    dev_read(fd, ids, ARRAY_SIZE(ids), values))
		die("stop: %s", dev_sentence(fd));
	for (size_t i = STEPS; i < ARRAY_SIZE(ids); i++)
		sums[i % STEPS] += values[i];
	for (size_t i = 0; i < STEPS; i++)
		check(values[i] == 10 && sums[i] >= 10, "%s of ten children: %llu, of all CPUs: %llu",
		      steps[i], (unsigned long long)values[i], (unsigned long long)sums[i]);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, ARRAY_SIZE(ids));
}

static void refused(void)
{
	probe_refused(fd, "tracepoint:no_such_point", 0, ENOENT);
	probe_refused(fd, "tracepoint:sched:no_such_point", 0, ENOENT);
	probe_refused(fd, "tracepoint:no_system:sched_switch", 0, ENOENT);
	probe_refused(fd, "tracepoint:syscalls:sys_enter_openat", 0, EOPNOTSUPP);
	probe_refused(fd, "tracepoint:", 0, ENOENT);
	probe_refused(fd, "kprobe:no_such_function", 0, ENOENT);
	probe_refused(fd, "kprobe:", 0, EINVAL);
	probe_refused(fd, "kprobe:vfs_read:middle", 0, EINVAL);
	probe_refused(fd, "kprobe:vfs_read+x", 0, EINVAL);
	probe_refused(fd, "kprobe:vfs_read+1:return", 0, EINVAL);
	probe_refused(fd, "kprobe:hwpmc_ioctl", 0, EOPNOTSUPP);
	probe_refused(fd, "kprobe:hwpmc_ioctl:return", 0, EOPNOTSUPP);
	probe_refused(fd, "kprobe:hwpmc_fire", 0, EOPNOTSUPP);
#ifdef __aarch64__
	probe_refused(fd, "kprobe:el1h_64_sync_handler", 0, EOPNOTSUPP);
	probe_refused(fd, "kprobe:vfs_read+2", 0, EINVAL);
#else
	probe_refused(fd, "kprobe:exc_int3", 0, EOPNOTSUPP);
	probe_refused(fd, "kprobe:vfs_read+1", 0, EINVAL);
#endif
}

/*
 * Functions and tracepoints that the module executes while it counts, switches, samples and wakes
 * readers, or that fire under locks of the scheduler and of timers. Those that this kernel does not
 * have, or cannot probe, are left out.
 */
static const char *const everywhere[] = {
	"kprobe:irq_work_queue", "kprobe:ktime_get_mono_fast_ns", "kprobe:__wake_up",
	"kprobe:try_to_wake_up", "kprobe:schedule", "kprobe:finish_task_switch.isra.0",
	"kprobe:update_rq_clock", "kprobe:hrtimer_start_range_ns", "kprobe:hrtimer_interrupt",
	"kprobe:copy_from_user_nofault", "kprobe:_raw_spin_lock_irqsave", "kprobe:_raw_spin_lock",
	"kprobe:mutex_lock", "kprobe:kmem_cache_alloc", "kprobe:__rcu_read_lock", "kprobe:vfs_write",
	"kprobe:smp_call_function_single", "kprobe:generic_smp_call_function_interrupt",
	"kprobe:_printk", "kprobe:vprintk_emit", "kprobe:schedule:return", "kprobe:mutex_lock:return",
	"kprobe:try_to_wake_up:return", "kprobe:vfs_write:return",
	"tracepoint:sched_switch", "tracepoint:sched_waking", "tracepoint:sched_wakeup",
	"tracepoint:sched_stat_runtime", "tracepoint:hrtimer_start", "tracepoint:hrtimer_cancel",
	"tracepoint:hrtimer_expire_entry", "tracepoint:hrtimer_expire_exit", "tracepoint:timer_start",
	"tracepoint:irq_handler_entry", "tracepoint:softirq_raise", "tracepoint:softirq_entry",
	"tracepoint:ipi_raise", "tracepoint:ipi_entry", "tracepoint:irq_work_entry",
	"tracepoint:contention_begin", "tracepoint:contention_end", "tracepoint:kmem_cache_alloc",
	"tracepoint:kmem_cache_free", "tracepoint:mm_page_alloc", "tracepoint:rcu_utilization",
	"tracepoint:cpu_idle", "tracepoint:page_fault_kernel", "tracepoint:page_fault_user",
	"tracepoint:lock_acquire", "tracepoint:lock_release", "tracepoint:irq_disable",
	"tracepoint:irq_enable", "tracepoint:preempt_disable", "tracepoint:sys_enter",
	"tracepoint:sys_exit", "tracepoint:console", "tracepoint:nmi_handler",
};

/* Makes switches, timers, forks, page faults and writes for that time. */
static void load(int seconds)
{
	time_t end = time(NULL) + seconds;
	pid_t child;

	do {
		const struct timespec moment = { .tv_nsec = 100000 };
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		for (int i = 0; i < 20; i++) {
			nanosleep(&moment, NULL);
			if (write(null, &moment, sizeof(moment)) < 0)
				die("write: %s", strerror(errno));
		}
		close(null);
		child = fork();
		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	} while (time(NULL) < end);
}

static void survives(void)
{
	uint32_t ids[2 * ARRAY_SIZE(everywhere)];
	uint64_t values[2 * ARRAY_SIZE(everywhere)], sum = 0;
	unsigned int count = 0, found = 0;

	for (size_t i = 0; i < ARRAY_SIZE(everywhere); i++) {
		int64_t id = probe_allocate(fd, everywhere[i], HWPMC_MODE_SC, 0, 0);

		if (id < 0)
			continue;
		found++;
		ids[count++] = id;
		ids[count++] = probe_count(fd, everywhere[i], HWPMC_F_DESCENDANTS);
	}
	if (dev_ids(fd, HWPMC_IOC_START, ids, count))
		die("start: %s", dev_sentence(fd));
	load(5);
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, count) || dev_read(fd, ids, count, values))
		die("stop: %s", dev_sentence(fd));
	for (unsigned int i = 0; i < count; i++)
		sum += values[i];
	check(found > 25 && sum > 1000, "%u probes of code that the module executes: %llu events, %llu skipped",
	      found, (unsigned long long)sum, (unsigned long long)dev_stats(fd).probe_skipped);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, count);
	check(SOON(!dev_stats(fd).probes), "all probes are removed");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "exit"))
		return 0;
	if (argc > 1)
		calls = strtoul(argv[1], NULL, 0);
	alarm(180 * PATIENCE);
	fd = dev_open();
	refused();
	exact_calls();
	exact_tracepoint();
	switches();
	process_life();
	survives();
	return result();
}
