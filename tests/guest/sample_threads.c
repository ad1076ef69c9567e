// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rest of a period is kept per thread over switches, migrations, STOPs and STARTs: the samples
 * of each of many threads on two CPUs represent all its events except less than a period, and match
 * a counting PMC. The same holds for whole CPUs. Samples of threads that exit have their ids, in a
 * PID namespace, too.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

#include "exact.h"
#include "ring.h"

#define THREADS	200	/* without a divisor */
#define STIRRED	20	/* rounds during which the PMCs are stopped and started repeatedly */
#define ROUNDS	60	/* rounds without a STOP */
#define PERIOD	15000	/* less than 0.5 % of a thread's events */
#define LONG	2000000	/* period of a CPU's PMC */
#define ROUND	60000	/* user instructions of a round: several periods */
#define EXITS	1000	/* threads that only exit; without a divisor */
#define KERNEL	100003	/* period of kernel mode: more than the debug kernel executes for a sample */

static pthread_barrier_t begin, stirred, done, end;
static unsigned int thread_count;

struct sampled_thread {
	pthread_t thread;
	pid_t tid;
	uint64_t events;
	unsigned long samples;
};

static struct sampled_thread workers[THREADS];

static void rounds(int n)
{
	while (n--) {
		run(ROUND / 2);
		sched_yield();
	}
}

static void *work(void *arg)
{
	struct sampled_thread *w = arg;

	w->tid = syscall(SYS_gettid);
	pthread_barrier_wait(&begin);
	rounds(STIRRED);
	pthread_barrier_wait(&stirred);
	rounds(ROUNDS);
	pthread_barrier_wait(&done);
	pthread_barrier_wait(&end);
	return NULL;
}

struct seen {
	uint32_t id;
	uint64_t strangers;
	uint64_t events;
	uint64_t lost;
};

static void see(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	struct seen *seen = arg;

	if (record->type == HWPMC_LOG_DROP)
		seen->lost += ((const struct hwpmc_log_drop *)record)->lost;
	if (record->type != HWPMC_LOG_SAMPLE || record->id != seen->id)
		return;
	seen->events += sample->period;
	for (unsigned int i = 0; i < thread_count; i++) {
		if (workers[i].tid != sample->tid)
			continue;
		workers[i].events += sample->period;
		workers[i].samples++;
		return;
	}
	if (sample->tid != getpid())
		seen->strangers++;
}

static uint64_t events_of(pid_t tid)
{
	for (unsigned int i = 0; i < thread_count; i++)
		if (workers[i].tid == tid)
			return workers[i].events;
	return 0;
}

/* Compares every thread's samples with its part of the value. */
static void compare(int fd, const struct seen *seen)
{
	static struct hwpmc_target_value parts[THREADS + 8];
	uint32_t count = ARRAY_SIZE(parts);
	unsigned int wrong = 0, compared = 0;
	uint64_t value, total = 0;

	if (dev_targets(fd, seen->id, &value, parts, &count))
		die("targets: %s", dev_sentence(fd));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t events = events_of(parts[i].tid);

		if (parts[i].tid == getpid() || !parts[i].tid)
			continue;
		compared++;
		total += parts[i].value;
		if (events > parts[i].value || parts[i].value - events >= PERIOD) {
			wrong++;
			printf("# thread %d: %llu events, samples represent %llu\n", parts[i].tid,
			       (unsigned long long)parts[i].value, (unsigned long long)events);
		}
	}
	check(compared == thread_count && !wrong,
	      "%u threads with %llu events: the samples of %u do not represent them", compared,
	      (unsigned long long)total, wrong);
	check(!seen->strangers && !seen->lost, "no sample is of another thread and none is lost");
}

/* Compares every thread's samples with a counting PMC. */
static void compare_beside(int fd, uint32_t id)
{
	static struct hwpmc_target_value parts[THREADS + 8];
	uint32_t count = ARRAY_SIZE(parts), compared = 0, near = 0;
	uint64_t value;

	if (dev_targets(fd, id, &value, parts, &count))
		die("targets: %s", dev_sentence(fd));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t events = events_of(parts[i].tid);

		if (!events || !parts[i].value)
			continue;
		compared++;
		near += events * 1000 / parts[i].value >= 995 &&
			events * 1000 / parts[i].value <= 1005;
	}
	check(compared == thread_count && near == compared,
	      "%u of %u threads: samples match a counting PMC within 0.5 %%", near,
	      compared);
}

static void threads(int fd, struct ring_map *map)
{
	struct seen seen = {
		.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER, 0),
	};
	uint32_t ids[] = { seen.id, counter(fd, -1, 0) };

	pthread_barrier_init(&begin, NULL, thread_count + 1);
	pthread_barrier_init(&stirred, NULL, thread_count + 1);
	pthread_barrier_init(&done, NULL, thread_count + 1);
	pthread_barrier_init(&end, NULL, thread_count + 1);
	for (unsigned int i = 0; i < thread_count; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			die("thread %u: %s", i, strerror(errno));
	if (dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("start: %s", dev_sentence(fd));
	pthread_barrier_wait(&begin);
	for (int i = 0; i < 20; i++) {
		/* Stops in the middle of periods. */
		if (dev_ids(fd, HWPMC_IOC_STOP, ids, 2) || dev_ids(fd, HWPMC_IOC_START, ids, 2))
			die("stop and start: %s", dev_sentence(fd));
		ring_drain(map, see, &seen);
		usleep(2000);	/* lets the threads run a part of a period */
	}
	pthread_barrier_wait(&stirred);
	pthread_barrier_wait(&done);
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, 2))
		die("stop: %s", dev_sentence(fd));
	ring_drain(map, see, &seen);
	compare(fd, &seen);
	compare_beside(fd, ids[1]);
	pthread_barrier_wait(&end);
	for (unsigned int i = 0; i < thread_count; i++)
		pthread_join(workers[i].thread, NULL);
	check(!dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2), "RELEASE");
}

/* PMCs of whole CPUs keep the rest of a period for each CPU. */
static void cpus(int fd, struct ring_map *map)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	struct ring_tally tally = { 0 };
	uint32_t ids[8];

	n = n > 8 ? 8 : n;
	for (int cpu = 0; cpu < n; cpu++)
		ids[cpu] = dev_sampler(fd, cpu, EV_INSTRUCTIONS, LONG,
				       HWPMC_CAP_USER | HWPMC_CAP_SYSTEM,
				       HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN);
	if (dev_ids(fd, HWPMC_IOC_START, ids, n))
		die("start: %s", dev_sentence(fd));
	for (int i = 0; i < 30; i++) {
		pin(0, i % n);
		spin(1);
		usleep(1000);	/* so that a switch occurs */
	}
	pin(0, -1);
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, n))
		die("stop: %s", dev_sentence(fd));
	dev_flush(fd);
	for (int cpu = 0; cpu < n; cpu++) {
		struct hwpmc_sampled s = dev_sampled(fd, ids[cpu], cpu);
		uint64_t value = dev_value(fd, ids[cpu]);

		check(s.taken > 3 && s.events <= value && value - s.events < LONG,
		      "cpu %d: %llu samples represent %llu of %llu events", cpu,
		      (unsigned long long)s.taken, (unsigned long long)s.events,
		      (unsigned long long)value);
	}
	for (int cpu = 0; cpu < n; cpu++) {
		struct hwpmc_sampled s = dev_sampled(fd, ids[cpu], -1), here;

		here = dev_sampled(fd, ids[cpu], cpu);
		check(s.taken == here.taken, "cpu %d: all its samples are in its own ring", cpu);
	}
	/* One drain moves the tails of all rings. */
	tally.id = ids[0];
	ring_drain(map, ring_count, &tally);
	check(tally.samples + tally.lost == dev_sampled(fd, ids[0], -1).taken,
	      "cpu 0: all samples are read (%lu) or reported lost (%llu)", tally.samples,
	      (unsigned long long)tally.lost);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, n);
}

/* Numbers of records of exiting threads: SAMPLE, PROBE, and those of both with wrong ids. */
struct exits {
	unsigned long samples;
	unsigned long switches;
	unsigned long nameless;
};

static void see_exit(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	struct exits *exits = arg;

	if (record->type == HWPMC_LOG_SAMPLE)
		exits->samples++;
	else if (record->type == HWPMC_LOG_PROBE)
		exits->switches++;
	else
		return;
	exits->nameless += sample->pid != getpid() || sample->tid <= 0;
}

static void *leave(void *unused)
{
	return unused;
}

/* Samples each time that a thread of this process is scheduled out. */
static uint32_t switch_sampler(int fd)
{
	static const char name[] = "tracepoint:sched_switch";
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = HWPMC_MODE_TS, .cpu = -1, .count = 1,
		.name = (uintptr_t)name, .name_length = sizeof(name) - 1,
	};

	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("allocate: %s", dev_sentence(fd));
	return a.id;
}

/*
 * The kernel executes instructions for an exiting thread after it has detached the thread's pid,
 * and then schedules the thread out. Without the pid, the thread has no ids in this PID namespace,
 * unless the module keeps the pid.
 */
static void exiting(void *unused)
{
	int fd = dev_open();
	uint32_t ids[] = {
		dev_sampler(fd, -1, EV_INSTRUCTIONS, KERNEL, HWPMC_CAP_SYSTEM, 0),
		switch_sampler(fd),
	};
	const unsigned int count = scaled(EXITS);
	struct exits exits = { 0 };
	struct ring_map map;
	pthread_t thread;

	(void)unused;
	ring_open(&map, fd, 4 * 1024 * 1024);
	if (dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("start: %s", dev_sentence(fd));
	for (unsigned int i = 0; i < count; i++) {
		if (pthread_create(&thread, NULL, leave, NULL) || pthread_join(thread, NULL))
			die("thread %u", i);
		ring_drain(&map, see_exit, &exits);
	}
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, 2))
		die("stop: %s", dev_sentence(fd));
	ring_drain(&map, see_exit, &exits);
	check(exits.samples > count / 10 && exits.switches >= count && !exits.nameless,
	      "%u threads exit: of %lu samples and %lu switches, %lu are without pid and tid",
	      count, exits.samples, exits.switches, exits.nameless);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2);
	ring_close(&map);
	close(fd);
}

int main(int argc, char **argv)
{
	struct ring_map map;
	int fd = dev_open();

	time_limit(200);
	scale_down(argc, argv);
	thread_count = scaled(THREADS);
	/* The ring has room for all samples, however rarely this thread runs. */
	ring_open(&map, fd, 4 * 1024 * 1024);
	threads(fd, &map);
	cpus(fd, &map);
	ring_close(&map);
	close(fd);
	in_pid_namespace("threads exit in a PID namespace", exiting, NULL);
	return result();
}
