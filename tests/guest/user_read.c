// SPDX-License-Identifier: GPL-2.0-only
/*
 * "user_read [DIVISOR]": a thread reads its own counters in user mode (HWPMC_F_DIRECT), and other
 * tasks cannot. The counts are exact while PMCs stop and start and the thread migrates. No counter
 * that the thread can read contains events of other tasks.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "exact.h"
#include "own.h"
#include "param.h"
#include "test_class.h"

#define SIX		6
#define THREADS		4

static int fd;

static __u64 own_value(const struct own *own)
{
	__u64 value;

	if (hwpmc_user_self_one(&own->reader, 0, &value))
		die("read: %s", strerror(errno));
	return value;
}

static void flags(void)
{
	int64_t id;

	id = dev_allocate(fd, dev_class(), HWPMC_MODE_TC, -1, EV_INSTRUCTIONS, HWPMC_CAP_USER,
			  HWPMC_F_DIRECT);
	check(id == -EINVAL, "DIRECT without THREAD fails with EINVAL: %s", dev_sentence(fd));
	id = dev_allocate(fd, dev_class(), HWPMC_MODE_SC, 0, EV_INSTRUCTIONS, HWPMC_CAP_USER,
			  HWPMC_F_DIRECT);
	check(id == -EINVAL, "DIRECT of a whole CPU fails with EINVAL: %s", dev_sentence(fd));
}

/* Where counters are not readable, the same reader makes calls and returns correct values. */
static void by_call(uint32_t flags, const char *name)
{
	struct own own;
	__u64 before, after;

	own_open_as(&own, fd, 2, flags);
	own_start(&own);
	check(!own_index(&own, 0) && !own_index(&own, 1) && own_raw_faults(),
	      "%s: the page has no counter, and a read gets a signal", name);
	before = own_value(&own);
	run(1000);
	after = own_value(&own);
	check(after - before > 2000 && after - before < 4000 && after <= dev_value(fd, own.ids[0]),
	      "the reader makes a call: %llu instructions", (unsigned long long)(after - before));
	own_close(&own);
}

/*
 * Returns the events between two reads with 2 * @rounds instructions in between, including those of
 * the reads. *@repeated: whether the second read may have been repeated, because of a switch. Not
 * inlined, since copies by the compiler would differ.
 */
static __attribute__((__noinline__)) __u64 between(const struct own *own, uint64_t rounds,
						   bool *repeated)
{
	__u64 before = own_value(own), after;
	__u32 seq;

	run(rounds);
	seq = own_seq(own);
	after = own_value(own);
	*repeated = own_seq(own) != seq;
	return after - before;
}

static void read_pairs(const struct own *own)
{
	uint64_t i, wrong = 0, repeats = 0, times = scaled(5000);
	__u64 one, off;
	bool repeated;

	/* The first reads cause page faults. */
	between(own, 1, &repeated);
	do
		one = between(own, 1, &repeated);
	while (repeated);
	for (i = 2; i < times + 2; i++) {
		off = between(own, i, &repeated) - one - 2 * (i - 1);
		repeats += repeated;
		/* More than repeating a read takes. */
		if (off <= (repeated ? 1000 : 0))
			continue;
		if (wrong++ < 3)
			printf("# pair %llu%s: %lld events too many\n", (unsigned long long)i,
			       repeated ? ", with a switch" : "", (long long)off);
	}
	check(!wrong, "%llu times two reads differ by the instructions between them; %llu times they do not",
	      (unsigned long long)times, (unsigned long long)wrong);
	check(repeats <= 3 + times / 200, "few of these reads are repeated because of a switch: %llu",
	      (unsigned long long)repeats);
}

static void least(__u64 *value, __u64 other)
{
	if (other < *value)
		*value = other;
}

static void exactly(void)
{
	__u64 a, b, one = ~0ULL, all = ~0ULL, six[SIX];
	struct own own;
	int i;

	own_open(&own, fd, SIX);
	check(own_index(&own, 0) && own_index(&own, SIX - 1) && own.reader.page->counts[0].width,
	      "the page has the counters: %u to %u, of %u bits", own_index(&own, 0),
	      own_index(&own, SIX - 1), own.reader.page->counts[0].width);
	read_pairs(&own);
	/* The least, since page faults and switches make a read longer. */
	for (i = 0; i < 5; i++) {
		hwpmc_user_self_one(&own.reader, 0, &a);
		hwpmc_user_self_one(&own.reader, 0, &b);
		least(&one, b - a);
	}
	check(one <= 15, "a read takes %llu instructions, at most 15", (unsigned long long)one);
	for (i = 0; i < 5; i++) {
		hwpmc_user_self(&own.reader, six);
		a = six[0];
		hwpmc_user_self(&own.reader, six);
		least(&all, six[0] - a);
	}
	check(all <= 80, "a read of six takes %llu instructions, at most 80",
	      (unsigned long long)all);
	a = own_value(&own);
	b = dev_value(fd, own.ids[0]);
	check(b >= a && b - a < 2000 && own_value(&own) >= b, "READ returns the same count: %llu after %llu",
	      (unsigned long long)b, (unsigned long long)a);
	own_close(&own);
}

/* STOP and START of one of two PMCs, and then STOP of both. */
static void stopped(void)
{
	uint64_t value;
	struct own own;
	__u64 before, after;

	own_open(&own, fd, 2);
	before = own_value(&own);
	if (dev_stop(fd, own.ids[0]))
		die("stop: %s", dev_sentence(fd));
	value = dev_value(fd, own.ids[0]);
	check(!own_index(&own, 0) && own_index(&own, 1) && value > before &&
	      own_value(&own) == value, "after STOP the page has no counter for the PMC, and the reader returns the value of READ");
	check(own_raw(1, &value), "a read of the counter after STOP gets no signal");
	run(1000);
	value = dev_value(fd, own.ids[0]);
	dev_start(fd, own.ids[0]);
	after = own_value(&own);
	check(own_index(&own, 0) && after >= value && after - value < 2000,
	      "after START the page has a counter again: %llu more events", (unsigned long long)(after - value));
	if (dev_ids(fd, HWPMC_IOC_STOP, own.ids, 2))
		die("stop: %s", dev_sentence(fd));
	nap(2);
	check(own_raw(1, &value) && value < OWN_SHORT,
	      "a read after STOP of all PMCs and a switch gets no signal, and the counter is nearly 0: %llu",
	      (unsigned long long)value);
	own_close(&own);
	check(own_raw_faults(), "after RELEASE a read gets SIGILL");
}

static void released(void)
{
	struct own own;

	own_open(&own, fd, 1);
	dev_ids(fd, HWPMC_IOC_RELEASE, own.ids, 1);
	check(!own_index(&own, 0) && hwpmc_user_state(&own.reader, 0) == HWPMC_USER_RELEASED &&
	      own_raw_faults(), "after RELEASE the page has state RELEASED and no counter, and a read gets a signal");
	hwpmc_user_unmap(&own.reader);
	own_open(&own, fd, 1);
	check(!dev_detach(fd, own.ids[0], syscall(SYS_gettid), HWPMC_ATTACH_TID) &&
	      !own_index(&own, 0) && own_raw_faults(), "after DETACH the page has no counter, and a read gets a signal");
	own_close(&own);
}

static void *thread_faults(void *arg)
{
	return own_raw_faults() ? arg : NULL;
}

static void others(void)
{
	void *faults = NULL;
	pthread_t thread;
	struct own own;
	pid_t pid;

	own_open(&own, fd, 1);
	pthread_create(&thread, NULL, thread_faults, &own);
	pthread_join(thread, &faults);
	check(faults == &own, "a read by another thread of the process gets SIGILL");
	pid = fork_tied();
	if (!pid)
		_exit(!own_raw_faults());
	check(!reap(pid), "a read by a child gets SIGILL");
	own_close(&own);
}

/* "user_read raw" exits with 0 if a read gets the signal. */
static void executed(const char *program)
{
	pid_t pid = fork_tied();

	if (!pid) {
		struct own own;

		own_open(&own, fd, 1);
		if (!own_index(&own, 0))
			_exit(3);
		execl(program, program, "raw", NULL);
		_exit(2);
	}
	check(!reap(pid), "a read by a program that the thread executes gets SIGILL");
}

static void evicted(void)
{
	struct own own;

	own_open(&own, fd, 1);
	dev_evict(fd, own.ids[0]);
	check(!own_index(&own, 0) && own_raw_faults(), "after an administrator evicts the PMC the page has no counter, and a read gets a signal");
	own_close(&own);
}

static void whole_cpus(void)
{
	int64_t id;
	struct own own;

	own_open(&own, fd, 1);
	id = dev_allocate(fd, dev_class(), HWPMC_MODE_SC, 0, EV_INSTRUCTIONS, HWPMC_CAP_USER, 0);
	check(id == -EBUSY, "ALLOCATE of a CPU's PMC fails with EBUSY while a thread may read: %s",
	      dev_sentence(fd));
	own_close(&own);
	id = dev_allocate(fd, dev_class(), HWPMC_MODE_SC, 0, EV_INSTRUCTIONS, HWPMC_CAP_USER, 0);
	check(id > 0, "ALLOCATE of a CPU's PMC succeeds afterwards");
	own_open(&own, fd, 1);
	check(!own_index(&own, 0) && own_raw_faults(), "a page has no counter while a PMC counts a CPU");
	own_close(&own);
	dev_release(fd, id);
}

/* Starts a task that is to be counted. @reads: it opens six PMCs, and may read their counters. */
static pid_t victim_start(int cpu, bool reads, volatile uint64_t *progress)
{
	pid_t pid = fork_tied();
	struct own own;

	if (pid)
		return pid;
	pin(0, cpu);
	if (reads)
		own_open(&own, dev_open(), SIX);
	spin_on(progress);
}

/*
 * This thread reads all counters @times, on each CPU in turn. Returns how often a counter contains
 * events of others. If @progress is given, the CPU's victim runs before each read.
 */
static unsigned int look(unsigned int times, unsigned int cpus, volatile uint64_t *progress,
			 uint64_t *worst)
{
	static const struct timespec doze = { .tv_nsec = 3000000 };
	unsigned int i, dirty = 0, rows = dev_class_info()->rows;

	for (i = 0; i < times; i++) {
		unsigned int cpu = i % cpus;
		uint64_t seen = progress ? progress[cpu] : 0;

		if (cpus > 1)
			pin(0, cpu);
		do
			nanosleep(&doze, NULL);
		while (progress && (progress[cpu] - seen) * SPIN_STEP <= OWN_SHORT);
		dirty += !own_clean(rows, worst);
	}
	pin(0, 0);
	return dirty;
}

/*
 * Victims run on each CPU while this thread sleeps there. They may read six counters of their own,
 * or another file counts them, on this thread's rows and on others. This thread reads every counter
 * as soon as it runs.
 */
static void hostile(bool reads)
{
	unsigned int i, count, cpu, cpus = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 2 : 1;
	volatile uint64_t *progress = shared(2 * sizeof(*progress));
	unsigned int dirty, times = scaled(200) * cpus;
	int other = dev_open();
	uint64_t worst = 0, seen;
	uint32_t ids[SIX];
	pid_t pids[2];
	struct own own;

	for (count = 0; !reads && count < SIX; count++)
		ids[count] = dev_instructions(other, 0);
	for (cpu = 0; cpu < cpus; cpu++) {
		pids[cpu] = victim_start(cpu, reads, &progress[cpu]);
		for (i = 0; i < count; i++)
			if (dev_attach(other, ids[i], pids[cpu], 0))
				die("victim: %s", dev_sentence(other));
	}
	if (count && dev_ids(other, HWPMC_IOC_START, ids, count))
		die("victim: %s", dev_sentence(other));
	own_open(&own, fd, 1);
	seen = progress[0];
	dirty = look(times, cpus, progress, &worst);
	seen = (progress[0] - seen) * SPIN_STEP;
	check(!dirty && seen > OWN_SHORT * (uint64_t)times / cpus,
	      "all counters are read %u times on %u CPUs beside victims that %s: at most %llu events, %u times too many (CPU 0's victim ran %llu)",
	      times, cpus, reads ? "read, too" : "are counted", (unsigned long long)worst, dirty,
	      (unsigned long long)seen);
	for (cpu = 0; cpu < cpus; cpu++) {
		kill(pids[cpu], SIGKILL);
		reap(pids[cpu]);
	}
	dev_ids(other, HWPMC_IOC_RELEASE, ids, count);
	check(!look(10, cpus, NULL, &worst), "after RELEASE of the victims' PMCs no counter has events of them");
	own_close(&own);
	close(other);
}

/**
 * struct mover - a thread that reads while it migrates
 * @rounds: number of reads
 * @back: number of values that were less than the one before
 * @jumped: number of values that differ from the one before by more than a read can take
 * @calls: number of reads for which the page had no counter
 */
struct mover {
	uint64_t rounds, back, jumped, calls;
	pthread_t thread;
};

static void *move(void *arg)
{
	static const struct timespec doze = { .tv_nsec = 1000 };
	struct mover *m = arg;
	__u64 value = 0, before;
	cpu_set_t set;
	uint64_t i;
	struct own own;

	own_open(&own, fd, 1);
	before = own_value(&own);
	for (i = 0; i < m->rounds; i++) {
		bool moves = !(i & 255);

		if (moves) {
			CPU_ZERO(&set);
			CPU_SET((i >> 8) & 1, &set);
			sched_setaffinity(0, sizeof(set), &set);
		}
		if (!(i & 4095))
			nanosleep(&doze, NULL);
		m->calls += !hwpmc_user_any(own.reader.page, 0, 1, &value);
		m->back += value < before;
		/* More than the loop and a retry of the read take. */
		m->jumped += value - before > 1000;
		before = value;
	}
	own_close(&own);
	return NULL;
}

static void moved(void)
{
	struct mover movers[THREADS] = {};
	uint64_t rounds = scaled(10000000) / THREADS, back = 0, jumped = 0, calls = 0;
	unsigned int i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		skip("threads that move: this machine has one CPU");
		return;
	}
	for (i = 0; i < THREADS; i++) {
		movers[i].rounds = rounds;
		pthread_create(&movers[i].thread, NULL, move, &movers[i]);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(movers[i].thread, NULL);
		back += movers[i].back;
		jumped += movers[i].jumped;
		calls += movers[i].calls;
	}
	check(!back && !jumped && !calls,
	      "%llu reads in %u threads that migrate: none decreases (%llu), none jumps (%llu), none is without a counter (%llu)",
	      (unsigned long long)(rounds * THREADS), THREADS, (unsigned long long)back,
	      (unsigned long long)jumped, (unsigned long long)calls);
}

/* A counter of 32 bits that starts at half of its range wraps after 2^31 instructions. */
static void wrapped(void)
{
	uint64_t rounds = (1ULL << 31) / 128;
	unsigned int i, back = 0;
	__u64 value, before, first;
	struct own own;

	if (scaled(100) != 100) {
		skip("a counter that wraps: with full rounds only");
		return;
	}
	own_open(&own, fd, 1);
	first = own_value(&own);
	before = first;
	for (i = 0; i < 80; i++) {
		run(rounds);
		value = own_value(&own);
		back += value - before < 2 * rounds || value - before > 2 * rounds + 2000;
		before = value;
	}
	check(!back && before - first >= 160 * rounds && before <= dev_value(fd, own.ids[0]),
	      "over %llu instructions all 80 reads are right, except %u; the counter has %u bits",
	      (unsigned long long)(before - first), back, own.reader.page->counts[0].width);
	own_close(&own);
}

static void on_hardware(void)
{
	param_set("user_reads", 1);
	by_call(0, "without the flag DIRECT");
	pin(0, 0);
	exactly();
	stopped();
	released();
	others();
	executed("/proc/self/exe");
	evicted();
	whole_cpus();
	hostile(false);
	hostile(true);
	wrapped();
	moved();
	param_set("user_reads", 0);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "raw"))
		return !own_raw_faults();
	scale_down(argc, argv);
	time_limit(600);
	fd = dev_open();
	flags();
	by_call(HWPMC_F_DIRECT, "without the parameter user_reads");
	if (OWN_READS)
		on_hardware();
	else
		skip("reads in user mode: not on this architecture");
	return result();
}
