// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sleeping tasks are hooked and unhooked: the sched_switch probe is on for a moment only,
 * and thread records are freed with the PMCs and the tasks.
 */
#include <signal.h>

#include "exact.h"

#define SLEEPERS	20

static void run_some(void *arg)
{
	run(*(uint64_t *)arg);
}

static uint64_t rounds = 1000000;

/* Whether the field of the statistics at this offset becomes 0 soon; @took: seconds. */
static bool ends(int fd, size_t field, double *took)
{
	double start = seconds();
	struct hwpmc_stats stats;
	uint64_t now;

	for (;;) {
		stats = dev_stats(fd);
		*took = seconds() - start;
		memcpy(&now, (char *)&stats + field, sizeof(now));
		if (!now || *took > 2 * PATIENCE)
			return !now;
		nap(10);
	}
}

#define ENDS(fd, field, took)	ends(fd, offsetof(struct hwpmc_stats, field), took)

/* Each target's part, of @want in all, is exact. */
static void sleepers_parts(int fd, uint32_t id, uint64_t want)
{
	struct hwpmc_target_value list[SLEEPERS];
	uint64_t value, sum = 0, worst = 0, low = UINT64_MAX;
	uint32_t count = SLEEPERS;
	bool ok = !dev_targets(fd, id, &value, list, &count) && count == SLEEPERS;

	for (int i = 0; ok && i < SLEEPERS; i++) {
		sum += list[i].value;
		low = list[i].value < low ? list[i].value : low;
		worst = list[i].value > worst ? list[i].value : worst;
	}
	check(ok && sum == want && value == want && low >= 2 * rounds && worst < 2 * rounds + 500,
	      "each task's part is exact: %llu to %llu", (unsigned long long)low,
	      (unsigned long long)worst);
}

static void sleepers(int fd)
{
	struct worker worker[SLEEPERS];
	uint32_t ids[SLEEPERS];
	uint64_t value;
	uint32_t all = counter(fd, -1, 0);
	struct hwpmc_stats stats;
	double took;
	bool ok;
	int i;

	for (i = 0; i < SLEEPERS; i++)
		worker[i] = worker_start(run_some, &rounds);
	nap(200);
	for (i = 0, ok = true; i < SLEEPERS; i++)
		ok = ok && !dev_attach(fd, all, worker[i].pid, 0);
	stats = dev_stats(fd);
	check(ok && stats.threads == SLEEPERS, "ATTACH to 20 sleeping tasks makes as many records: %llu",
	      (unsigned long long)stats.threads);
	check(stats.arming == SLEEPERS && stats.switch_probe,
	      "sleeping tasks wait to be hooked (%llu), and the probe is on", (unsigned long long)stats.arming);
	ok = ENDS(fd, switch_probe, &took);
	check(ok, "the sched_switch probe is off after %.2f s", took);
	check(dev_stats(fd).arming == 0, "no task waits to be hooked when the probe is off");

	dev_start(fd, all);
	for (i = 0; i < SLEEPERS; i++)
		worker_do(&worker[i]);
	check(!dev_stats(fd).switch_probe, "the probe stays off when the tasks wake");
	value = dev_value(fd, all);
	check_exact(value, SLEEPERS * 2 * rounds, "20 tasks that ran after they were hooked");
	sleepers_parts(fd, all, value);
	/* The last one may still be on its way to sleep. */
	for (i = 0; i < SLEEPERS; i++)
		wait_asleep(worker[i].pid);
	dev_release(fd, all);

	/* Released while they sleep: the records stay until the tasks run or exit. */
	for (i = 0; i < SLEEPERS; i += 2)
		worker_do(&worker[i]);
	stats = dev_stats(fd);
	check(stats.threads == SLEEPERS / 2, "records of tasks that ran since are freed: %llu are left",
	      (unsigned long long)stats.threads);
	ids[0] = counter(fd, -1, 0);
	check(!dev_attach(fd, ids[0], worker[1].pid, 0) && !dev_start(fd, ids[0]),
	      "ATTACH to a task whose old record is left");
	worker_do(&worker[1]);
	check_exact(dev_value(fd, ids[0]), 2 * rounds, "a task whose old record was left");
	dev_release(fd, ids[0]);
	for (i = 0; i < SLEEPERS; i++)
		worker_end(&worker[i]);
	ok = ENDS(fd, threads, &took);
	check(ok, "no record is left %.2f s after the tasks ended", took);
}

/* Released before it was ever hooked, and one that is killed before. */
static void never_hooked(int fd)
{
	struct worker worker[2] = { worker_start(run_some, &rounds), worker_start(run_some, &rounds) };
	uint32_t id = counter(fd, -1, 0);
	double took;
	bool ok;
	int i;

	for (i = 0; i < 2; i++)
		check(!dev_attach(fd, id, worker[i].pid, 0), "attach");
	worker_end(&worker[0]);
	dev_release(fd, id);
	ok = ENDS(fd, threads, &took);
	check(ok && !dev_stats(fd).arming,
	      "released and killed before they were hooked: no record after %.2f s", took);
	ok = ENDS(fd, switch_probe, &took);
	check(ok, "the probe is off after %.2f s", took);
	worker_end(&worker[1]);
}

/* One by one, each of its own PMC and file, over and over. */
static void many_times(int fd)
{
	struct worker worker = worker_start(run_some, &rounds);
	unsigned int i, good = 0;
	double took;
	bool ok;

	rounds = 1000000;
	for (i = 0; i < 100; i++) {
		int other = dev_open();
		uint32_t id = counter(other, -1, 0);
		uint64_t value;

		dev_attach(other, id, worker.pid, 0);
		dev_start(other, id);
		worker_do(&worker);
		value = dev_value(other, id);
		good += value >= 2 * rounds && value < 2 * rounds + 500;
		if (i & 1)
			dev_detach(other, id, worker.pid, 0);
		close(other);
	}
	check(good == 100, "%u of 100 attaches one after the other count the same", good);
	worker_end(&worker);
	ok = ENDS(fd, threads, &took);
	check(ok, "no record is left after %.2f s", took);
}

int main(void)
{
	struct hwpmc_stats stats;
	int fd;

	time_limit(60);
	fd = dev_open();
	sleepers(fd);
	never_hooked(fd);
	many_times(fd);
	stats = dev_stats(fd);
	check(!stats.threads && !stats.pmcs && stats.owners == 1,
	      "at the end: %llu records, %llu PMCs, %llu owner", (unsigned long long)stats.threads,
	      (unsigned long long)stats.pmcs, (unsigned long long)stats.owners);
	return result();
}
