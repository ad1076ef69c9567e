// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples leave most of each CPU to its programs, whatever the period, the number of PMCs and their
 * mode: the test compares the progress of a program on each CPU with and without samples. START and
 * the exit of an owner take no longer than without samples, and the log reports throttling.
 *
 * The CPUs are measured one after another, while the program and the PMCs of the other CPU do not
 * run. QEMU runs the CPUs of an x86 machine in turns in one thread, so a second in which samples
 * take a quarter of each CPU's time would leave half of the thread to the programs, not three
 * quarters.
 */
#include <signal.h>
#include <sys/wait.h>

#include "exact.h"
#include "median.h"
#include "param.h"
#include "ring.h"

#define CPUS		2
#define MAX_ROWS	16
#define ROUNDS		5
#define TRIES		4
#define SLICE		60	/* ms */
#define LEAST_LEFT	0.60	/* of a CPU */
#define START_LIMIT	0.1	/* seconds */
#define KILL_LIMIT	2.0
#define CAPS		(HWPMC_CAP_USER | HWPMC_CAP_SYSTEM)

/* A program that runs on each CPU, and its progress. */
static volatile uint64_t *progress[CPUS];
static pid_t spinners[CPUS];

/* PMCs of @cpus CPUs or of their programs: ids[first[cpu]] to ids[first[cpu + 1] - 1] are of a CPU. */
struct pmc_set {
	int fd, cpus;
	struct ring_map map;
	unsigned int count, first[CPUS + 1];
	uint32_t ids[CPUS * MAX_ROWS];
	struct ring_tally tally;
};

static void spin_everywhere(void)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		/* In a page of its own, so that the CPUs share no cache line. */
		progress[cpu] = shared(4096);
		spinners[cpu] = fork_tied();
		if (!spinners[cpu]) {
			pin(0, cpu);
			spin_on(progress[cpu]);
		}
	}
}

/* Adds up to @rows PMCs of @cpu, or with @follow of the program on that CPU. */
static void pmc_set_add(struct pmc_set *set, int cpu, bool follow, uint64_t period,
			unsigned int rows)
{
	struct hwpmc_allocate args = {
		.class_id = dev_class(), .mode = follow ? HWPMC_MODE_TS : HWPMC_MODE_SS, .cpu = follow ? -1 : cpu,
		.event = EV_CYCLES, .caps = CAPS, .count = period,
	};

	for (unsigned int row = 0; row < rows; row++) {
		if (dev_call(set->fd, HWPMC_IOC_ALLOCATE, &args, sizeof(args))) {
			if (!row)
				die("allocate: %s", dev_sentence(set->fd));
			return;
		}
		if (follow && dev_attach(set->fd, args.id, spinners[cpu], 0))
			die("attach: %s", dev_sentence(set->fd));
		set->ids[set->count++] = args.id;
	}
}

static void pmc_set_open(struct pmc_set *set, bool follow, uint64_t period, unsigned int rows)
{
	memset(set, 0, sizeof(*set));
	set->fd = dev_open();
	ring_open(&set->map, set->fd, 1 << 20);
	/* A PMC of programs uses its row on every CPU. */
	set->cpus = follow && rows > 1 ? 1 : CPUS;
	for (int cpu = 0; cpu < set->cpus; cpu++) {
		pmc_set_add(set, cpu, follow, period, rows);
		set->first[cpu + 1] = set->count;
	}
}

static void pmc_set_switch(struct pmc_set *set, unsigned long cmd, unsigned int from, unsigned int to)
{
	if (dev_ids(set->fd, cmd, set->ids + from, to - from))
		die("start or stop: %s", dev_sentence(set->fd));
}

static void count_any(const struct hwpmc_log_header *record, void *arg)
{
	struct ring_tally *tally = arg;

	/* Losses without an id are not samples. */
	tally->id = record->id ? record->id : UINT32_MAX;
	ring_count(record, tally);
}

static void stop_spinner(int cpu)
{
	int status;

	kill(spinners[cpu], SIGSTOP);
	if (waitpid(spinners[cpu], &status, WUNTRACED) != spinners[cpu] || !WIFSTOPPED(status))
		die("the program on CPU %d does not stop", cpu);
}

static double measure_speed(int cpu)
{
	uint64_t before = *progress[cpu];
	double since = seconds();

	nap(SLICE);
	return (*progress[cpu] - before) / (seconds() - since);
}

/* Returns the part of @cpu that the samples of its PMCs leave to the program. */
static double measure_left(struct pmc_set *set, int cpu)
{
	unsigned int from = set->first[cpu], to = set->first[cpu + 1];
	double without, with;

	for (int other = 0; other < CPUS; other++)
		if (other != cpu)
			stop_spinner(other);
	without = measure_speed(cpu);
	pmc_set_switch(set, HWPMC_IOC_START, from, to);
	with = measure_speed(cpu);
	pmc_set_switch(set, HWPMC_IOC_STOP, from, to);
	for (int other = 0; other < CPUS; other++)
		if (other != cpu)
			kill(spinners[other], SIGCONT);
	return with / without;
}

/* Runs all PMCs and programs at the same time. Returns how long START takes. */
static double measure_start(struct pmc_set *set)
{
	double since = seconds();

	pmc_set_switch(set, HWPMC_IOC_START, 0, set->count);
	since = seconds() - since;
	nap(SLICE);
	pmc_set_switch(set, HWPMC_IOC_STOP, 0, set->count);
	return since;
}

/*
 * Measures with and without samples alternately and uses medians: the host may stop a CPU of the
 * machine at any time, and its speed changes.
 */
static double measure(struct pmc_set *set, double left[CPUS])
{
	double starts[ROUNDS], parts[CPUS][ROUNDS];

	for (int round = 0; round < ROUNDS; round++) {
		for (int cpu = 0; cpu < set->cpus; cpu++)
			parts[cpu][round] = measure_left(set, cpu);
		starts[round] = measure_start(set);
		ring_drain(&set->map, count_any, &set->tally);
	}
	for (int cpu = 0; cpu < set->cpus; cpu++)
		left[cpu] = median(parts[cpu], ROUNDS);
	return median(starts, ROUNDS);
}

static void check_books(struct pmc_set *set, const char *name)
{
	unsigned long long taken = 0, throttles = 0;

	dev_flush(set->fd);
	ring_drain(&set->map, count_any, &set->tally);
	for (unsigned int i = 0; i < set->count; i++) {
		struct hwpmc_sampled sampled = dev_sampled(set->fd, set->ids[i], -1);

		taken += sampled.taken;
		throttles += sampled.throttles;
	}
	check(taken == set->tally.samples + set->tally.lost && throttles == set->tally.throttled,
	      "%s: %llu samples are taken, %lu read and %llu lost; throttled %llu times, %lu times in the log", name, taken,
	      set->tally.samples, (unsigned long long)set->tally.lost, throttles, set->tally.throttled);
}

static void run_set(bool follow, uint64_t period, unsigned int rows)
{
	double left[CPUS], start;
	int tries = TRIES;
	struct pmc_set set;
	char name[80];
	bool enough;

	pmc_set_open(&set, follow, period, rows);
	snprintf(name, sizeof(name), "%u PMCs of %s, period %llu", set.count, follow ? "a program" : "CPUs",
		 (unsigned long long)period);
	/* Repeat if the host was busy with other work. */
	do {
		start = measure(&set, left);
		enough = true;
		for (int cpu = 0; cpu < set.cpus; cpu++)
			enough &= left[cpu] >= LEAST_LEFT;
	} while (--tries && (!enough || start >= START_LIMIT));
	for (int cpu = 0; cpu < set.cpus; cpu++)
		check(left[cpu] >= LEAST_LEFT, "%s: %.0f %% of CPU %d are left to its program", name, 100 * left[cpu], cpu);
	check(start < START_LIMIT, "%s: START takes %.1f ms", name, 1000 * start);
	check_books(&set, name);
	if (period <= 1000)
		check(set.tally.throttled, "%s: throttled %lu times", name, set.tally.throttled);
	ring_close(&set.map);
	close(set.fd);
}

/* A child samples itself, or each CPU, on all rows. */
static void kill_it(bool follow)
{
	int *ready = shared(sizeof(*ready)), status;
	double since;
	pid_t pid = fork_tied();

	if (!pid) {
		struct pmc_set mine;

		pin(0, 1);
		spinners[0] = getpid();
		pmc_set_open(&mine, follow, 1000, MAX_ROWS);
		pmc_set_switch(&mine, HWPMC_IOC_START, 0, mine.count);
		__atomic_store_n(ready, 1, __ATOMIC_RELEASE);
		for (;;)
			spin(1);
	}
	if (!SOON(__atomic_load_n(ready, __ATOMIC_ACQUIRE)))
		die("the child does not start");
	nap(300);
	since = seconds();
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	since = seconds() - since;
	check(WIFSIGNALED(status) && since < KILL_LIMIT, "an owner of all rows of %s exits within %.0f ms after SIGKILL",
	      follow ? "itself" : "each CPU", 1000 * since);
}

int main(void)
{
	static const uint64_t periods[] = { 1, 1000, 10000, 50000 };
	uint64_t least = param_get("mincount");

	time_limit(120);
	spin_everywhere();
	param_set("mincount", 1);
	param_set("max_cpu_percent", 25);
	for (size_t i = 0; i < ARRAY_SIZE(periods); i++) {
		run_set(false, periods[i], 1);
		run_set(false, periods[i], MAX_ROWS);
		run_set(true, periods[i], 1);
		run_set(true, periods[i], MAX_ROWS);
	}
	param_set("mincount", least);
	kill_it(true);
	kill_it(false);
	return result();
}
