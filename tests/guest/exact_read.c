// SPDX-License-Identifier: GPL-2.0-only
/*
 * "exact_read [DIVISOR]": READ, START and STOP take effect at once while the target runs on the
 * other CPU, and values that are read together are of one instant.
 */
#include "exact.h"

#define ROWS	6

static volatile uint64_t *progress;
/* Whether QEMU runs with -icount. Without it the emulated CPUs wait for the host's CPUs. */
static bool by_clock;

static void spin_there(void *arg)
{
	(void)arg;
	pin(0, 1);
	spin_on(progress);
}

static struct worker spinner(void)
{
	struct worker worker;

	*progress = 0;
	worker = worker_start(spin_there, NULL);
	worker_begin(&worker);
	while (!*progress)
		nap(1);
	return worker;
}

/*
 * Waits until the spinner has run @steps more. QEMU may run the spinner's CPU only while this CPU
 * sleeps.
 */
static void await_steps(uint64_t steps)
{
	uint64_t from = *progress;

	while (*progress - from < steps)
		nap(1);
}

/*
 * Whichever CPU QEMU runs at the time, a READ counts every step that the spinner published before
 * the READ, and no step that the spinner has not run.
 */
static void keeps_pace(int fd, uint32_t id)
{
	uint64_t first = *progress, begun = dev_value(fd, id), started = *progress;
	unsigned int i, behind = 0, ahead = 0;
	uint64_t last = begun;

	for (i = 0; i < 100; i++) {
		uint64_t before, value, after;

		await_steps(1);
		before = *progress;
		value = dev_value(fd, id);
		after = *progress;
		behind += value <= last || value - begun < (before - started - 1) * SPIN_STEP;
		ahead += value - begun > (after - first + 1) * SPIN_STEP;
		last = value;
	}
	check(!behind && !ahead, "100 reads match the spinner's progress: %u behind it, %u ahead",
	      behind, ahead);
}

/*
 * The clock counts one event per nanosecond, except the kernel's. This sleeps to compare it with
 * the clock.
 */
static void keeps_time(int fd, uint32_t id)
{
	uint64_t last = dev_value(fd, id);
	double then = seconds(), least = 1e9, most = 0;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		double rate, now;
		uint64_t value;

		nap(20);
		value = dev_value(fd, id);
		now = seconds();
		rate = (value - last) / (now - then) / 1e9;
		least = rate < least ? rate : least;
		most = rate > most ? rate : most;
		last = value;
		then = now;
	}
	check(least > 0.9 && most < 1.1,
	      "20 reads, 20 ms apart, count %.2f to %.2f per nanosecond", least, most);
}

/* START and STOP do not wait for a switch: the spinner does not switch. */
static void turns_at_once(int fd, uint32_t id)
{
	uint64_t last = dev_value(fd, id), value;

	check(!dev_stop(fd, id), "STOP while it spins");
	value = dev_value(fd, id);
	await_steps(10000);
	check(dev_value(fd, id) == value, "none of 10,000 steps after STOP is counted");
	if (by_clock)
		check(value - last < 100000,
		      "STOP does not wait for a switch: %llu since the last read",
		      (unsigned long long)(value - last));
	check(!dev_start(fd, id), "START while it spins");
	await_steps(1000);
	last = value;
	value = dev_value(fd, id);
	check(value - last > 999 * SPIN_STEP, "steps after START are counted: %llu",
	      (unsigned long long)(value - last));
}

static void fresh(int fd)
{
	struct worker worker = spinner();
	uint32_t id = counter(fd, -1, 0);
	uint64_t last, value;

	check(!dev_attach(fd, id, worker.pid, 0) && !dev_start(fd, id),
	      "ATTACH to a task that spins on the other CPU, and START");
	keeps_pace(fd, id);
	if (by_clock)
		keeps_time(fd, id);
	turns_at_once(fd, id);

	value = dev_value(fd, id);
	check(!dev_detach(fd, id, worker.pid, 0), "DETACH while it spins");
	last = dev_value(fd, id);
	await_steps(1000);
	check(last >= value && dev_value(fd, id) == last, "the value stays and does not change after DETACH");
	worker_end(&worker);
	dev_release(fd, id);
}

/* A stale read returns the sum of the last switch, and never decreases. */
static void stale(int fd)
{
	struct worker worker = spinner();
	uint32_t id = counter(fd, -1, 0);
	struct hwpmc_rw rw = {
		.flags = HWPMC_RW_OLD | HWPMC_RW_STALE, .count = 1, .ids = (uintptr_t)&id,
	};
	uint64_t value, last = 0, now;
	bool ok = true;
	int i;

	rw.values = (uintptr_t)&value;
	dev_attach(fd, id, worker.pid, 0);
	dev_start(fd, id);
	for (i = 0; i < 50; i++) {
		ok = ok && !dev_call(fd, HWPMC_IOC_RW, &rw, sizeof(rw));
		now = dev_value(fd, id);
		ok = ok && value >= last && value <= now;
		last = now;
	}
	check(ok, "a stale read is between the fresh reads before and after it");
	worker_end(&worker);
	dev_release(fd, id);
}

/* Forks processes and threads. */
static void storm_there(void *arg)
{
	(void)arg;
	pin(0, 1);
	for (;;) {
		storm(STORM_PROCESSES, 1, 2000);
		storm(STORM_THREADS, 1, 2000);
	}
}

/*
 * Six PMCs of one owner count the same. If one call starts them they are equal in every reading:
 * one cross-call starts all of them, and another one folds all of them. If they are started one
 * after another they differ by what was counted in between, which is constant.
 */
static void together(int fd, bool at_once, void (*what)(void *arg), const char *name)
{
	uint64_t values[ROWS], first[ROWS] = {}, last = 0, apart = 0;
	const unsigned int readings = scaled(by_clock ? 2000 : 500);
	unsigned int i, row, grew = 0, back = 0;
	struct worker worker;
	uint32_t ids[ROWS];

	worker = worker_start(what, NULL);
	for (row = 0; row < ROWS; row++) {
		ids[row] = counter(fd, -1, HWPMC_F_DESCENDANTS);
		if (dev_attach(fd, ids[row], worker.pid, 0))
			die("attach: %s", dev_sentence(fd));
	}
	if (!at_once)
		worker_begin(&worker);
	for (row = 0; row < ROWS; row += at_once ? ROWS : 1)
		if (dev_ids(fd, HWPMC_IOC_START, &ids[row], at_once ? ROWS : 1))
			die("start: %s", dev_sentence(fd));
	if (at_once)
		worker_begin(&worker);
	for (i = 0; i < readings; i++) {
		if (dev_read(fd, ids, ROWS, values))
			die("read: %s", dev_sentence(fd));
		for (row = 0; row < ROWS; row++) {
			if (!i && !at_once)
				first[row] = values[0] - values[row];
			apart += values[0] - values[row] != first[row];
		}
		back += values[0] < last;
		grew += values[0] > last;
		last = values[0];
		if (i % 20 == 0)
			nap(1);
	}
	check(!back && grew > (by_clock ? readings / 4 : 0),
	      "%s: of %u readings %u increased, %u decreased", name, readings, grew, back);
	check(!apart, "%s: six PMCs %s (%llu values do not)", name,
	      at_once ? "stay equal" : "keep their differences", (unsigned long long)apart);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, ROWS);
	worker_end(&worker);
}

int main(int argc, char **argv)
{
	int fd;

	time_limit(60);
	scale_down(argc, argv);
	fd = dev_open();
	by_clock = is_icount();
	progress = shared(sizeof(*progress));
	pin(0, 0);
	fresh(fd);
	stale(fd);
	together(fd, true, spin_there, "one START, spinning");
	together(fd, false, spin_there, "six STARTs, spinning");
	together(fd, true, storm_there, "one START, forking");
	together(fd, false, storm_there, "six STARTs, forking");
	return result();
}
