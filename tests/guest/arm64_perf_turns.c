// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: arm64_perf_turns [N [sleep]]: perf and the module take the PMU in turns, N times,
 * while both CPUs are busy. perf's driver is loaded; the module claims its PMU with the first
 * hardware PMC and releases it with the last. Each is refused while the other counts. Also: events
 * that perf holds open and does not count, CPUs that go offline and online, a sleep of the machine
 * (slow: the kernel frees memory for an image of it), and loads and unloads of the module while
 * perf opens events.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "exact.h"
#include "file.h"
#include "param.h"
#include "perf_turns.h"
#include "ring.h"

#define MAX_PERCENT	"/proc/sys/kernel/perf_cpu_time_max_percent"
#define RATE		"/proc/sys/kernel/perf_event_max_sample_rate"
#define LOADS		5
/* The counter wraps in a turn whose count begins here. */
#define WRAPS		((1ULL << 32) - ROUNDS)

/*
 * perf may drop the sample of an overflow whose interrupt is taken in the kernel, as after a timer
 * tick at the same time, since the event excludes the kernel (sample_is_allowed() of Linux 6.1).
 */
static bool all_but_one(uint64_t value, unsigned int samples)
{
	return samples + 1 >= value / PERIOD;
}

static void perf_task(void *arg)
{
	int perf;

	/* The parent may hold the PMU at this moment. */
	do
		perf = perf_open((intptr_t)arg, 0);
	while (perf == -EBUSY);
	if (perf < 0)
		die("perf_event_open: %s", strerror(-perf));
	for (;;)
		run(ROUNDS);
}

/* perf's event of another process, on a task or on a CPU, keeps the module from the PMU. */
static void check_refused(int fd, int cpu, const char *what)
{
	struct worker worker = worker_start(perf_task, (void *)(intptr_t)cpu);
	int64_t id = 0;

	pin(worker.pid, 1);
	worker_begin(&worker);
	/* Calls that succeed precede the event. */
	for (int i = 0; i < 1000 && id >= 0; i++) {
		id = hwpmc_open(fd, 0);
		if (id >= 0)
			dev_release(fd, id);
		usleep(1000);
	}
	check(id == -EBUSY && strstr(dev_sentence(fd), PERF_HOLDS) &&
	      strstr(dev_sentence(fd), "KVM") && strstr(dev_sentence(fd), "watchdog"),
	      "refused while perf counts %s: %s", what, dev_sentence(fd));
	/*
	 * perf does not hold the PMU while the task is switched out, such as for a kernel thread.
	 */
	check(SOON(perf_holds(fd)), "CPU_INFO has the reason");
	worker_end(&worker);
	check(SOON(!perf_holds(fd)), "it has none when that process is dead");
}

/* What the event of a child counted during the child's last run. */
struct idle_event { uint64_t count, running; };

static void run_with_event(void *arg)
{
	static int perf = -1;
	struct idle_event *event = arg, before;

	if (perf < 0)
		perf = perf_open(-1, 0);
	if (perf < 0)
		die("perf_event_open: %s", strerror(-perf));
	before.count = perf_read(perf, &before.running);
	run(ROUNDS);
	event->count = perf_read(perf, &event->running) - before.count;
	event->running -= before.running;
}

/* perf's events on both CPUs, this one included, while the module counts this task and this CPU. */
static void check_idle_events(int fd)
{
	struct idle_event *event = shared(2 * sizeof(*event));
	struct worker worker[2];
	uint32_t ids[2];
	uint64_t values[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		worker[i] = worker_start(run_with_event, &event[i]);
		pin(worker[i].pid, i);
		worker_do(&worker[i]);
		wait_asleep(worker[i].pid);
	}
	check(turn_near(event[0].count) && turn_near(event[1].count),
	      "perf counts two tasks, which sleep then");
	ids[0] = counter(fd, -1, 0);
	ids[1] = counter(fd, 0, 0);
	if (dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("start: %s", dev_sentence(fd));
	worker_do(&worker[0]);
	worker_do(&worker[1]);
	check(!event[0].count && !event[0].running && !event[1].count && !event[1].running,
	      "their events count nothing while the module has the PMU: %llu, %llu",
	      (unsigned long long)event[0].count, (unsigned long long)event[1].count);
	run(ROUNDS);
	if (dev_read(fd, ids, 2, values))
		die("read: %s", dev_sentence(fd));
	check(turn_near(values[0]), "the module counts on where they were scheduled: %llu beside",
	      (unsigned long long)(values[0] - 2 * ROUNDS));
	check(values[1] >= 4 * ROUNDS, "so it does the CPU, with both tasks: %llu",
	      (unsigned long long)values[1]);
	dev_release(fd, ids[0]);
	dev_release(fd, ids[1]);
	for (i = 0; i < 2; i++)
		worker_do(&worker[i]);
	check(turn_near(event[0].count) && turn_near(event[1].count),
	      "their events count again when the module gave the PMU back: %llu, %llu",
	      (unsigned long long)event[0].count, (unsigned long long)event[1].count);
	for (i = 0; i < 2; i++)
		worker_end(&worker[i]);
}

static void check_samples(int fd)
{
	struct ring_tally tally = { 0 };
	struct ring_map map;
	uint64_t value;

	ring_open(&map, fd, 0);
	tally.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER, 0);
	if (dev_start(fd, tally.id))
		die("start: %s", dev_sentence(fd));
	run(50 * ROUNDS);
	dev_stop(fd, tally.id);
	value = dev_value(fd, tally.id);
	ring_drain(&map, ring_count, &tally);
	dev_release(fd, tally.id);
	ring_close(&map);
	check(tally.samples >= 99 && tally.events <= value && value - tally.events < PERIOD,
	      "%lu samples stand for %llu of %llu events", tally.samples,
	      (unsigned long long)tally.events, (unsigned long long)value);
}

/* One turn of perf and one of the module, on @cpu. */
static void check_on(int fd, int cpu, const char *when)
{
	bool perf, hwpmc;

	pin(0, cpu);
	perf = perf_turn(fd, all_but_one);
	hwpmc = hwpmc_turn(fd, WRAPS);
	pin(0, 0);
	check(perf && hwpmc, "%s: perf counts on CPU %d and so does the module", when, cpu);
}

static void check_hotplug(int fd)
{
	uint32_t ids[2] = { counter(fd, -1, 0), counter(fd, 1, 0) };
	uint64_t before[2], after[2];

	if (dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("start: %s", dev_sentence(fd));
	pin(0, 1);
	run(ROUNDS);
	pin(0, 0);
	check(cpu_online(1, false) && perf_open(-1, 0) == -EBUSY,
	      "CPU 1 goes offline while the module has the PMU");
	check(cpu_online(1, true) && perf_open(-1, 0) == -EBUSY && perf_open(1, 0) == -EBUSY,
	      "it comes online, and perf is refused there");
	dev_read(fd, ids, 2, before);
	pin(0, 1);
	run(ROUNDS);
	pin(0, 0);
	dev_read(fd, ids, 2, after);
	/* Before run() the task also wrote to sysfs. */
	check(before[0] >= 2 * ROUNDS && before[0] < 2 * ROUNDS + 50000 &&
	      turn_near(after[0] - before[0]),
	      "the task's count goes on there: %llu, %llu more", (unsigned long long)before[0],
	      (unsigned long long)(after[0] - before[0]));
	check(after[1] - before[1] >= 2 * ROUNDS, "and that of the CPU: %llu more",
	      (unsigned long long)(after[1] - before[1]));
	check(cpu_online(1, false), "it goes offline again");
	dev_release(fd, ids[0]);
	dev_release(fd, ids[1]);
	check(cpu_online(1, true), "and online when the PMU was given back");
	check_on(fd, 1, "after that");

	check(cpu_online(1, false), "it goes offline again");
	ids[0] = counter(fd, -1, 0);
	if (dev_start(fd, ids[0]))
		die("start: %s", dev_sentence(fd));
	check(cpu_online(1, true), "and online when the PMU was taken");
	pin(0, 1);
	run(ROUNDS);
	pin(0, 0);
	check(turn_near(dev_value(fd, ids[0])), "a task is counted there");
	dev_release(fd, ids[0]);
	check_on(fd, 1, "and after that");
}

/* Suspends up to the step before the power is cut: all CPUs but one are off. */
static bool sleeps(void)
{
	return file_write("/sys/power/pm_test", "core") && file_write("/sys/power/state", "disk") &&
	       file_write("/sys/power/pm_test", "none");
}

static void check_sleep(int fd)
{
	uint32_t id = counter(fd, -1, 0);
	uint64_t before, after;

	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	run(ROUNDS);
	check(sleeps(), "the machine sleeps but for the last step");
	check(perf_open(-1, 0) == -EBUSY, "the module has the PMU still");
	before = dev_value(fd, id);
	run(ROUNDS);
	after = dev_value(fd, id);
	check(before >= 2 * ROUNDS && turn_near(after - before),
	      "counting continues: %llu, %llu more", (unsigned long long)before,
	      (unsigned long long)(after - before));
	dev_release(fd, id);
	check_on(fd, 0, "after the sleep");
	check_on(fd, 1, "after the sleep");
}

/* A pinned event must count whenever its task runs, or not at all. */
static void check_pinned(int fd)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = EV_INSTRUCTIONS,
		.exclude_kernel = 1, .pinned = 1,
	};
	pid_t child = fork_tied();
	uint64_t value;
	int64_t id;
	int perf;

	if (!child)
		for (;;)
			usleep(1000);
	wait_asleep(child);
	perf = syscall(SYS_perf_event_open, &attr, child, -1, -1, PERF_FLAG_FD_CLOEXEC);
	check(SOON((id = hwpmc_open(fd, 0)) > 0), "a pinned event of a task that sleeps mostly");
	/* The task runs during this time. */
	usleep(50000);
	dev_release(fd, id);
	check(perf >= 0 && read(perf, &value, sizeof(value)) == 0,
	      "is in error when the module had the PMU");
	close(perf);
	kill(child, SIGKILL);
	reap(child);
}

/*
 * Opens perf events in a loop, while the module claims and releases the PMU: each is refused, or
 * counts, or counts nothing.
 */
static void open_events(void *arg)
{
	volatile unsigned long *opened = arg;

	for (;;) {
		int perf = perf_open(-1, 0);

		if (perf == -EBUSY)
			continue;
		if (perf < 0)
			die("perf_event_open: %s", strerror(-perf));
		run(100);
		close(perf);
		++*opened;
	}
}

/*
 * Returns how many of 100 attempts got the PMU for the module; in *@exactly, how many counted
 * exactly.
 */
static unsigned int race(int fd, unsigned int *exactly)
{
	unsigned int got = 0;

	for (int i = 0; i < 100; i++) {
		int64_t id = hwpmc_open(fd, 0);

		if (id < 0)
			continue;
		got++;
		if (!dev_start(fd, id)) {
			run(ROUNDS);
			*exactly += turn_near(dev_value(fd, id));
		}
		dev_release(fd, id);
	}
	return got;
}

/* The remaining cases use a module that was loaded again. */
static void check_unload(int fd)
{
	volatile unsigned long *opened = shared(2 * sizeof(*opened));
	unsigned int got = 0, exactly = 0, loads = 0;
	struct worker worker[2];

	/* Children would keep the file open. */
	close(fd);
	for (int i = 0; i < 2; i++) {
		worker[i] = worker_start(open_events, (void *)&opened[i]);
		pin(worker[i].pid, i);
		worker_begin(&worker[i]);
	}
	fd = dev_open();
	for (; loads < LOADS; loads++) {
		got += race(fd, &exactly);
		close(fd);
		if (!SOON(module_unload()))
			break;
		module_load();
		fd = dev_open();
	}
	check(loads == LOADS, "unloaded %u times while perf opens events", loads);
	check(got && exactly == got, "the module got the PMU %u times beside %lu events, and counted: %u",
	      got, opened[0] + opened[1], exactly);
	for (int i = 0; i < 2; i++)
		worker_end(&worker[i]);
	check_on(fd, 0, "after that");
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	int fd = dev_open();

	time_limit(240);
	pin(0, 0);
	/*
	 * On a slow host perf would stop its event until the next tick, because its interrupts take
	 * long. Earlier interrupts of the module count as perf's and may have lowered its rate.
	 */
	if (!file_write(MAX_PERCENT, "25") || !file_write(RATE, "100000") ||
	    !file_write(MAX_PERCENT, "0"))
		die("%s, %s: %s", MAX_PERCENT, RATE, strerror(errno));
	perf_turns(fd, count, WRAPS, all_but_one);
	check_samples(fd);
	check_refused(fd, -1, "a task");
	check_refused(fd, 1, "a CPU");
	check_idle_events(fd);
	check_pinned(fd);
	check_hotplug(fd);
	if (argc > 2)
		check_sleep(fd);
	check_unload(fd);
	return result();
}
