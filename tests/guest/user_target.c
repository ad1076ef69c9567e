// SPDX-License-Identifier: GPL-2.0-only
/*
 * An owner reads the counts of a thread that it follows from the page, without a system call: they
 * are exact as of the thread's last switch, all of one instant, with its time, and never decrease.
 */
#include <signal.h>

#include <hwpmc_user.h>

#include "exact.h"

#define SIX		6
#define SLACK_NS	2000000	/* of the two clocks, whose frequencies differ a little */

static int fd;

/* PMCs of a thread, and their page. */
struct target {
	uint32_t ids[SIX];
	unsigned int count;
	struct hwpmc_user_reader reader;
};

/*
 * Starts PMCs that count the user instructions of @pid, and maps their page: as many PMCs as there
 * are rows, but at most @most.
 */
static void target_open(struct target *t, pid_t pid, unsigned int most)
{
	for (t->count = 0; t->count < most; t->count++) {
		int64_t id = dev_allocate(fd, dev_class(), HWPMC_MODE_TC, -1, EV_INSTRUCTIONS,
					  HWPMC_CAP_USER, HWPMC_F_THREAD);

		if (id < 0)
			break;
		t->ids[t->count] = id;
		if (dev_attach(fd, id, pid, 0))
			die("attach: %s", dev_sentence(fd));
	}
	if (hwpmc_user_map(&t->reader, fd, t->ids, t->count))
		die("map: %s", strerror(errno));
	if (dev_ids(fd, HWPMC_IOC_START, t->ids, t->count))
		die("start: %s", dev_sentence(fd));
}

static void target_close(struct target *t)
{
	hwpmc_user_unmap(&t->reader);
	dev_ids(fd, HWPMC_IOC_RELEASE, t->ids, t->count);
}

/*
 * From one sleep to the next the server executes the same number of instructions. Both tasks are on
 * one CPU: on another CPU, /proc shows a task as asleep a moment before it is switched out.
 */
static void each_switch(void)
{
	struct server server = { .times = scaled(100), .rounds = 10000 };
	uint64_t i, before = 0, begun = 0, wrong = 0, stale = 0, late = 0;
	struct target t;

	server_open(&server);
	target_open(&t, server.worker.pid, 1);
	worker_begin(&server.worker);
	for (i = 0; i < server.times; i++) {
		__u64 value, ticks, age, seen, earliest, latest;

		wait_asleep(server.worker.pid);
		seen = clock_ns(CLOCK_MONOTONIC);
		hwpmc_user_last(&t.reader, &value, &ticks);
		/* The host may stop the CPU between any two of these. */
		earliest = clock_ns(CLOCK_MONOTONIC);
		age = hwpmc_user_age(&t.reader, ticks);
		latest = clock_ns(CLOCK_MONOTONIC) - age;
		earliest -= age;
		stale += value != dev_value(fd, t.ids[0]);
		late += i && (latest + SLACK_NS < begun || earliest > seen + SLACK_NS);
		wrong += i && value - before != SERVE_COST(1, server.rounds);
		before = value;
		begun = clock_ns(CLOCK_MONOTONIC);
		server_do(&server);
	}
	check(!wrong, "for %llu requests the page has %llu instructions each; for %llu it has not",
	      (unsigned long long)server.times - 1, (unsigned long long)SERVE_COST(1, server.rounds),
	      (unsigned long long)wrong);
	check(!stale, "while a thread sleeps its page has the value of READ; %llu times it has not",
	      (unsigned long long)stale);
	check(!late, "the time is that of the switch; %llu times it is not", (unsigned long long)late);
	worker_wait(&server.worker);
	target_close(&t);
	server_close(&server);
}

struct hopper {
	uint64_t masks[2], times, rounds;
};

static void hop_about(void *arg)
{
	static const struct timespec doze = { .tv_nsec = 100000 };
	const struct hopper *h = arg;

	hop(h->masks, h->times, h->rounds, &doze);
}

/* Reads all the time while the thread migrates between CPUs. */
static void moving(unsigned int most)
{
	struct hopper h = { .masks = { 1, 2 }, .times = scaled(500), .rounds = 2000 };
	uint64_t passes = 0, back = 0, apart = 0, seen = 0, final = HOP_COST(h.times, h.rounds);
	struct worker worker = worker_start(hop_about, &h);
	__u64 values[SIX], before = 0;
	struct target t;
	unsigned int i;

	target_open(&t, worker.pid, most);
	worker_begin(&worker);
	do {
		hwpmc_user_last(&t.reader, values, NULL);
		back += values[0] < before;
		seen += values[0] != before;
		before = values[0];
		for (i = 1; i < t.count; i++)
			apart += values[i] != values[0];
		passes++;
		yield_cpu();
	} while (values[0] < final);
	worker_wait(&worker);
	check(!back, "%u counts of a thread that migrates: none of %llu values decreases; %llu do", t.count,
	      (unsigned long long)passes, (unsigned long long)back);
	check(seen > h.times / 10, "the counts are read between switches: %llu values in %llu migrations",
	      (unsigned long long)seen, (unsigned long long)h.times);
	check(!apart, "all values of a reading are of one instant; %llu are not", (unsigned long long)apart);
	wait_asleep(worker.pid);
	hwpmc_user_last(&t.reader, values, NULL);
	check_exact(values[0], final, "at the end the page has the instructions of the thread");
	target_close(&t);
	worker_end(&worker);
}

/* STOP takes effect at once on a thread that runs on the other CPU, and the page has its value. */
static void stopped_while_running(void)
{
	volatile uint64_t *progress = shared(sizeof(*progress));
	uint64_t i, before = 0, stale = 0, later = 0, back = 0, moved = 0, rounds = scaled(200);
	pid_t pid = fork_tied();
	struct target t;

	if (!pid) {
		pin(0, 1);
		spin_on(progress);
	}
	target_open(&t, pid, 1);
	for (i = 0; i < rounds; i++) {
		uint64_t seen = *progress;
		__u64 value, again;

		while (*progress == seen)
			yield_cpu();
		if (dev_stop(fd, t.ids[0]))
			die("stop: %s", dev_sentence(fd));
		hwpmc_user_last(&t.reader, &value, NULL);
		stale += value != dev_value(fd, t.ids[0]);
		back += value < before;
		moved += value != before;
		before = value;
		seen = *progress;
		while (*progress == seen)
			yield_cpu();
		hwpmc_user_last(&t.reader, &again, NULL);
		later += again != value;
		if (dev_start(fd, t.ids[0]))
			die("start: %s", dev_sentence(fd));
	}
	check(moved == rounds && !stale && !back && !later,
	      "%llu times STOP of a thread that runs: the page has its value (stale %llu, decreased %llu, changed later %llu)",
	      (unsigned long long)moved, (unsigned long long)stale, (unsigned long long)back,
	      (unsigned long long)later);
	target_close(&t);
	kill(pid, SIGKILL);
	reap(pid);
}

/* Returns the caller's instructions, which @id of @own counts, while it reads the page. */
static uint64_t reads(const struct target *t, int own, uint32_t id, unsigned int times)
{
	uint64_t begun = dev_value(own, id);
	__u64 values[SIX], ticks;

	while (times--)
		hwpmc_user_last(&t->reader, values, &ticks);
	return dev_value(own, id) - begun;
}

/*
 * Measures the instructions of a read, including those of the loop. The first reads cause page
 * faults. Another file counts the caller, and may use the same rows.
 */
static void cost(unsigned int most, uint64_t limit)
{
	int own = dev_open();
	uint32_t id = dev_instructions(own, HWPMC_F_THREAD);
	pid_t pid = fork_tied();
	struct target t;
	uint64_t each;

	if (!pid)
		for (;;)
			nap(1000);
	if (dev_start(own, id))
		die("start: %s", dev_sentence(own));
	target_open(&t, pid, most);
	reads(&t, own, id, 1);
	each = reads(&t, own, id, 2000);
	each = (each - reads(&t, own, id, 1000) + 500) / 1000;
	check(each <= limit, "an attached target's %u values are read with %llu instructions, at most %llu",
	      t.count, (unsigned long long)each, (unsigned long long)limit);
	target_close(&t);
	close(own);
	kill(pid, SIGKILL);
	reap(pid);
}

int main(int argc, char **argv)
{
	scale_down(argc, argv);
	time_limit(300);
	fd = dev_open();
	pin(0, 0);
	each_switch();
	cost(1, 30);
	cost(SIX, 80);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		skip("a thread that moves: this machine has one CPU");
		return result();
	}
	moving(1);
	moving(SIX);
	stopped_while_running();
	return result();
}
