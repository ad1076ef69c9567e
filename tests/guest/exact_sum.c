// SPDX-License-Identifier: GPL-2.0-only
/*
 * "exact_sum [READINGS]": the parts of the targets sum up to the PMC's value in every reading
 * while threads and processes are created, exec and exit on both CPUs; and in the end tasks
 * and CPUs count the same (see balance.h).
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "exact.h"

#define STORMS	4
/*
 * A reading drops the lock after about this number of links. The sleepers' links are first, so the
 * lock is dropped in the middle of the storms' links.
 */
#define SLEEPERS	60
#define ROOM	4096

static volatile bool *enough;
static char *self;

static void *sleeper(void *unused)
{
	(void)unused;
	while (!*enough)
		nap(200);	/* it must sleep; it exits only when *enough is set */
	return NULL;
}

/* These are first in the list of targets. */
static void all_sleepers(pthread_t *sleepers)
{
	for (unsigned int i = 0; i < SLEEPERS; i++)
		if (pthread_create(&sleepers[i], NULL, sleeper, NULL))
			die("pthread_create");
}

static void exec_self(void)
{
	char *const args[] = { self, "end", NULL };
	pid_t pid = fork();

	if (!pid) {
		execv(self, args);
		_exit(1);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* One of the storms; each process has its own random sequence. */
static void one_storm(unsigned int nth)
{
	unsigned int i;

	for (i = nth; !*enough; i++) {
		switch (i % 4) {
		case 0:
			storm(STORM_PROCESSES, 3, 1000 << nth);
			break;
		case 1:
			storm(STORM_THREADS, 3, 1000 << nth);
			break;
		case 2:
			exec_self();
			break;
		case 3:
			pin(0, (i / 4) & 1);
			break;
		}
	}
	_exit(0);
}

/* All have exited and are reaped when this returns. */
static void all_storms(void *arg)
{
	pthread_t sleepers[SLEEPERS];
	unsigned int i;

	(void)arg;
	all_sleepers(sleepers);
	for (i = 0; i < STORMS; i++)
		if (!fork())
			one_storm(i);
	while (wait(NULL) > 0)
		;
	for (i = 0; i < SLEEPERS; i++)
		pthread_join(sleepers[i], NULL);
}

struct tally {
	unsigned long readings, wrong, back, twice, odd;
	uint64_t last;
	uint32_t most, gone;
};

static bool tid_twice(const struct hwpmc_target_value *list, uint32_t count, uint32_t i)
{
	uint32_t k;

	for (k = i + 1; k < count; k++)
		if (!list[k].flags && list[k].tid == list[i].tid)
			return true;
	return false;
}

static void read_once(struct balance *b, struct tally *t)
{
	static struct hwpmc_target_value list[ROOM];
	uint32_t count = ROOM, i;
	uint64_t value, sum = 0;

	if (dev_targets(b->fd, b->ids[TARGET], &value, list, &count))
		die("read targets: %s", dev_sentence(b->fd));
	for (i = 0; i < count; i++) {
		sum += list[i].value;
		t->odd += list[i].id != b->ids[TARGET] || (list[i].flags && !list[i].value);
		t->gone += !!(list[i].flags & HWPMC_TARGET_GONE);
		t->twice += !list[i].flags && tid_twice(list, count, i);
	}
	t->readings++;
	t->wrong += sum != value;
	t->back += value < t->last;
	t->most = count > t->most ? count : t->most;
	t->last = value;
	/* READ without targets returns no smaller value. */
	value = dev_value(b->fd, b->ids[TARGET]);
	t->back += value < t->last;
	t->last = value;
}

int main(int argc, char **argv)
{
	unsigned int limit = argc > 1 && argv[1][0] != 'e' ? atoi(argv[1]) : 3000;
	struct tally t = {};
	struct balance balance;
	struct worker worker;
	double until;

	if (argc > 1 && !strcmp(argv[1], "end"))
		return 0;
	self = "/proc/self/exe";
	time_limit(100);
	enough = shared(sizeof(*enough));
	worker = worker_start(all_storms, NULL);
	balance_allocate(&balance);
	balance_start(&balance, worker.pid);
	worker_begin(&worker);
	until = seconds() + 8;
	/* On a slow host it may take longer until a target of the storm has exited. */
	while ((t.readings < limit && seconds() < until) || (!t.gone && seconds() < until + 60)) {
		read_once(&balance, &t);
		if (t.readings % 8 == 0)
			nap(1);
		yield_cpu();
	}
	*enough = true;
	worker_wait(&worker);
	check(t.readings >= 20, "%lu readings during a storm of forks, execs and exits",
	      t.readings);
	check(!t.wrong, "in each reading the parts sum up to the value (%lu do not)", t.wrong);
	check(!t.back, "the value never decreases (%lu times it did)", t.back);
	check(!t.twice && !t.odd, "no thread is listed twice (%lu), no part is invalid (%lu)", t.twice,
	      t.odd);
	check(t.most > SLEEPERS + STORMS && t.gone, "readings have up to %u parts, %u of them of exited targets",
	      t.most, t.gone);
	check(!dev_stats(balance.fd).owner_fork_failures, "no child fails to inherit");
	worker_end(&worker);
	read_once(&balance, &t);
	check(!t.wrong && !t.back, "the parts sum up when all targets have exited");
	balance_close(&balance);
	check_balance(&balance, "after the storm");
	check(balance.values[TARGET] == t.last, "the value after STOP is that of the last reading");
	return result();
}
