// SPDX-License-Identifier: GPL-2.0-only
/* Counts of tasks against counts of CPUs; see balance.h. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "balance.h"
#include "exact.h"

/* The child that keeps CPU 0 busy. TEST counts it. */
static pid_t busy_cpu0;

static __attribute__((noreturn)) void keep_busy(void)
{
	for (;;) {
		run(500);
		yield_cpu();
	}
}

void busy_cpu0_begin(void)
{
	busy_cpu0 = fork();
	if (busy_cpu0 < 0)
		die("fork: %s", strerror(errno));
	if (!busy_cpu0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(0, 0);
		keep_busy();
	}
}

void busy_cpu0_end(void)
{
	kill(busy_cpu0, SIGKILL);
	waitpid(busy_cpu0, NULL, 0);
	busy_cpu0 = 0;
}

/* What a task executes on another CPU would be missing in the counts of the CPUs. */
static void demand_two_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		die("sched_getaffinity: %s", strerror(errno));
	CPU_CLR(0, &set);
	CPU_CLR(1, &set);
	if (CPU_COUNT(&set))
		die("tasks may run on other CPUs than 0 and 1: boot with isolcpus=domain,2 a kernel that has CONFIG_CPU_ISOLATION");
}

void balance_allocate(struct balance *balance)
{
	demand_two_cpus();
	balance->fd = dev_open();
	balance->ids[TARGET] = counter(balance->fd, -1, HWPMC_F_DESCENDANTS);
	balance->ids[TEST] = counter(balance->fd, -1, 0);
	balance->ids[CPU0] = counter(balance->fd, 0, 0);
	balance->ids[CPU1] = counter(balance->fd, 1, 0);
}

static int balance_call(const struct balance *balance, unsigned long cmd)
{
	return dev_ids(balance->fd, cmd, balance->ids, BALANCE_PMCS);
}

void balance_start(struct balance *balance, pid_t target)
{
	if (dev_attach(balance->fd, balance->ids[TARGET], target, 0) ||
	    dev_attach(balance->fd, balance->ids[TEST], 0, 0) ||
	    (busy_cpu0 && dev_attach(balance->fd, balance->ids[TEST], busy_cpu0, 0)) ||
	    balance_call(balance, HWPMC_IOC_START))
		die("attach and start: %s", dev_sentence(balance->fd));
}

void balance_read(struct balance *balance)
{
	if (dev_read(balance->fd, balance->ids, BALANCE_PMCS, balance->values))
		die("read: %s", dev_sentence(balance->fd));
}

void balance_close(struct balance *balance)
{
	if (balance_call(balance, HWPMC_IOC_STOP))
		die("stop: %s", dev_sentence(balance->fd));
	balance_read(balance);
	close(balance->fd);
}

bool check_balance(const struct balance *balance, const char *name)
{
	uint64_t tasks = balance->values[TARGET] + balance->values[TEST];
	uint64_t cpus = balance->values[CPU0] + balance->values[CPU1];

	/*
	 * With the fewest rounds, those of a debug kernel, the target executes 40,000 instructions.
	 * The other tasks may execute none.
	 */
	return check(tasks >= 40000 && cpus - tasks <= 1000,
		     "%s: tasks count %llu, CPUs %llu (%+lld)", name,
		     (unsigned long long)tasks, (unsigned long long)cpus,
		     (long long)(cpus - tasks));
}
