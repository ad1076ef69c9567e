// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading, starting and stopping while the target runs on the other CPU: it
 * takes effect at once, and what is read together is of one instant.
 */
#include "exact.h"

#define ROWS	6

static volatile uint64_t *progress;
/* Without -icount the CPUs wait for the host's. */
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
 * Until the spinner has gone so many steps on. It may have to wait for its CPU's
 * turn, which comes when this one sleeps.
 */
static void await_steps(uint64_t steps)
{
	uint64_t from = *progress;

	while (*progress - from < steps)
		nap(1);
}

/*
 * However the CPUs take their turns: what the spinner had published before a
 * reading is in it, and nothing that it has not run.
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
	check(!behind && !ahead, "100 reads are where the spinner is: %u behind it, %u ahead",
	      behind, ahead);
}

/* It counts one event a nanosecond, less what the kernel took. */
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
	      "20 reads, 20 ms apart, grow by %.2f to %.2f a nanosecond", least, most);
}

/* START and STOP do not wait for a switch of the spinner, which has none. */
static void turns_at_once(int fd, uint32_t id)
{
	uint64_t last = dev_value(fd, id), value;

	check(!dev_stop(fd, id), "stop");
	value = dev_value(fd, id);
	await_steps(10000);
	check(dev_value(fd, id) == value, "nothing is counted of 10,000 steps after stop");
	if (by_clock)
		check(value - last < 100000,
		      "nor did stop wait for a switch: %llu since the last read",
		      (unsigned long long)(value - last));
	check(!dev_start(fd, id), "start again");
	await_steps(1000);
	last = value;
	value = dev_value(fd, id);
	check(value - last > 999 * SPIN_STEP, "and it counts at once: %llu",
	      (unsigned long long)(value - last));
}

static void fresh(int fd)
{
	struct worker worker = spinner();
	uint32_t id = counter(fd, -1, 0);
	uint64_t last, value;

	check(!dev_attach(fd, id, worker.pid, 0) && !dev_start(fd, id),
	      "attach to a task that spins on the other CPU, and start");
	keeps_pace(fd, id);
	if (by_clock)
		keeps_time(fd, id);
	turns_at_once(fd, id);

	value = dev_value(fd, id);
	check(!dev_detach(fd, id, worker.pid, 0), "detach while it spins");
	last = dev_value(fd, id);
	await_steps(1000);
	check(last >= value && dev_value(fd, id) == last, "what it counted stays, and stands still");
	worker_end(&worker);
	dev_release(fd, id);
}

/* A stale read takes what the last switch left, and never goes back. */
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
	check(ok, "a stale read is between the fresh ones before and after");
	worker_end(&worker);
	dev_release(fd, id);
}

/* Forks processes and threads, and never sleeps for long. */
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
 * Six PMCs of one owner count the same. Started by one call they are equal in
 * every reading: a call starts all of them in one interrupt of the other CPU,
 * and folds all of them in another. Started one after the other, they are apart
 * by what was counted in between, and that never changes.
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
	      "%s: %u readings, %u have grown, %u gone back", name, readings, grew, back);
	check(!apart, "%s: six PMCs are %s (%llu values are not)", name,
	      at_once ? "equal" : "as far apart as ever", (unsigned long long)apart);
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
	together(fd, true, spin_there, "started at once, spinning");
	together(fd, false, spin_there, "started one by one, spinning");
	together(fd, true, storm_there, "started at once, forking");
	together(fd, false, storm_there, "started one by one, forking");
	return result();
}
