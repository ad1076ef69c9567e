// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sleeping tasks are hooked by ATTACH and unhooked by RELEASE, without a probe of sched_switch.
 * Thread records are freed with the PMCs and the tasks.
 */
#include <signal.h>

#include "exact.h"

#define SLEEPERS	20

static void run_some(void *arg)
{
	run(*(uint64_t *)arg);
}

static uint64_t rounds = 1000000;

/*
 * Whether the field of the statistics at offset @field becomes 0 soon; sets *@took to the seconds.
 */
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

/* Each target's part of the @want events is exact. */
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

	/* The probe stays on for a second after an earlier test's attach. */
	ok = ENDS(fd, switch_probe, &took);
	check(ok, "the probe is off %.2f s later", took);
	for (i = 0; i < SLEEPERS; i++)
		worker[i] = worker_start(run_some, &rounds);
	nap(200);
	for (i = 0, ok = true; i < SLEEPERS; i++)
		ok = ok && !dev_attach(fd, all, worker[i].pid, 0);
	stats = dev_stats(fd);
	check(ok && stats.threads == SLEEPERS, "ATTACH to 20 sleeping tasks makes as many records: %llu",
	      (unsigned long long)stats.threads);
	check(!stats.hooking && !stats.switch_probe,
	      "sleeping tasks are hooked at once: %llu wait for it, the probe is %s",
	      (unsigned long long)stats.hooking, stats.switch_probe ? "on" : "off");

	dev_start(fd, all);
	for (i = 0; i < SLEEPERS; i++)
		worker_do(&worker[i]);
	/* The last target may still execute some instructions. */
	for (i = 0; i < SLEEPERS; i++)
		wait_asleep(worker[i].pid);
	value = dev_value(fd, all);
	check_exact(value, SLEEPERS * 2 * rounds, "20 tasks that ran after they were hooked");
	sleepers_parts(fd, all, value);
	dev_release(fd, all);

	stats = dev_stats(fd);
	check(!stats.threads, "RELEASE frees the records of tasks that sleep: %llu are left",
	      (unsigned long long)stats.threads);
	ids[0] = counter(fd, -1, 0);
	check(!dev_attach(fd, ids[0], worker[1].pid, 0) && !dev_start(fd, ids[0]),
	      "ATTACH to a task that was followed before");
	worker_do(&worker[1]);
	check_exact(dev_value(fd, ids[0]), 2 * rounds, "a task that was followed before");
	dev_release(fd, ids[0]);
	for (i = 0; i < SLEEPERS; i++)
		worker_end(&worker[i]);
	ok = ENDS(fd, threads, &took);
	check(ok, "no record is left %.2f s after the tasks ended", took);
}

/*
 * One task runs, and two wait for the same CPU. Either ATTACH or the probe hooks a task, depending
 * on whether the task runs during ATTACH. Then one of them is killed, and the PMC is released.
 */
static void waiting(int fd)
{
	volatile uint64_t *progress[3];
	uint32_t id = counter(fd, -1, 0);
	uint64_t begun[3];
	pid_t pids[3];
	double took;
	bool ok = true;
	int i;

	for (i = 0; i < 3; i++) {
		progress[i] = shared(4096);
		pids[i] = fork_tied();
		if (!pids[i]) {
			pin(0, 0);
			spin_on(progress[i]);
		}
	}
	for (i = 0; i < 3; i++)
		ok = ok && SOON(*progress[i]);
	for (i = 0; i < 3; i++)
		ok = ok && !dev_attach(fd, id, pids[i], 0);
	check(ok, "ATTACH to three tasks that share a CPU");
	dev_start(fd, id);
	for (i = 0; i < 3; i++)
		begun[i] = *progress[i];
	for (i = 0; i < 3; i++)
		ok = ok && SOON(*progress[i] > begun[i] + 10);
	check(ok && !dev_stats(fd).hooking, "each of them is hooked once it runs");
	took = 0;
	for (i = 0; i < 3; i++)
		took += *progress[i] - begun[i];
	check(dev_value(fd, id) + 6 * SPIN_STEP >= took * SPIN_STEP, "each of them is counted");
	kill(pids[0], SIGKILL);
	reap(pids[0]);
	dev_release(fd, id);
	/* Under icount each instruction of a task that spins takes time on the host. */
	for (i = 1; i < 3; i++)
		kill(pids[i], SIGSTOP);
	ok = ENDS(fd, switch_probe, &took);
	check(ok, "the sched_switch probe is off after %.2f s", took);
	for (i = 1; i < 3; i++) {
		kill(pids[i], SIGKILL);
		reap(pids[i]);
	}
	ok = ENDS(fd, threads, &took);
	check(ok && !dev_stats(fd).hooking, "no record is left after %.2f s", took);
}

/* Follows one task many times, each time with a new file and a new PMC. */
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
	waiting(fd);
	many_times(fd);
	stats = dev_stats(fd);
	check(!stats.threads && !stats.pmcs && stats.owners == 1,
	      "at the end: %llu records, %llu PMCs, %llu owner", (unsigned long long)stats.threads,
	      (unsigned long long)stats.pmcs, (unsigned long long)stats.owners);
	return result();
}
