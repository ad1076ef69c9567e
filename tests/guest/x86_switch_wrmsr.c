// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: "x86_switch_wrmsr [DIVISOR]": a switch between counted tasks executes no more WRMSRs than
 * one between other tasks, and none of the PMU. The emulated PMU (tests/qemu-pmu) counts WRMSRs.
 */
#include <fcntl.h>

#include "exact.h"

#define WRMSR_PMU	0x4000f001	/* count of WRMSRs to the PMU's registers */
#define WRMSR_ALL	0x4000f002	/* count of all WRMSRs */
#define ROUNDS		100

static int msrs;
static uint64_t times;	/* number of turns of the server, with two switches each */

static uint64_t msr(uint32_t number)
{
	uint64_t value = 0;

	if (pread(msrs, &value, sizeof(value), number) != sizeof(value))
		die("reading register 0x%x: %s", number, strerror(errno));
	return value;
}

/* The WRMSRs of the PMU's registers, and of all registers, during @times requests to the server. */
static void turns(const struct server *server, uint64_t *pmu, uint64_t *all)
{
	uint64_t i;

	/* The first requests hook the tasks. Deferred work finishes during the sleep. */
	for (i = 0; i < times / 10; i++)
		server_do(server);
	nap(100);
	*pmu = msr(WRMSR_PMU);
	*all = msr(WRMSR_ALL);
	for (i = 0; i < times; i++)
		server_do(server);
	*all = msr(WRMSR_ALL) - *all;
	*pmu = msr(WRMSR_PMU) - *pmu;
}

static uint32_t attached(int fd, pid_t pid, uint32_t class_id, uint64_t event)
{
	int64_t id = dev_allocate(fd, class_id, HWPMC_MODE_TC, -1, event,
				  HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, 0);

	if (id < 0 || dev_attach(fd, id, pid, 0) || dev_start(fd, id))
		die("a counter for the task: %s", dev_sentence(fd));
	return id;
}

int main(int argc, char **argv)
{
	struct server server = { .rounds = ROUNDS };
	uint64_t pmu, all, without, none, before[2], after[2];
	int fd = dev_open();
	uint32_t ids[4];

	time_limit(60);
	scale_down(argc, argv);
	times = scaled(5000);
	server.times = 3 * (times + times / 10);
	msrs = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	if (msrs < 0) {
		skip("this kernel has no /dev/cpu/0/msr: WRMSRs are not counted");
		return result();
	}
	pin(0, 0);
	server_open(&server);
	worker_begin(&server.worker);
	turns(&server, &none, &without);
	check(!none, "%llu switches of tasks that are not counted write no PMU register (%llu)",
	      2 * (unsigned long long)times, (unsigned long long)none);

	/* Only one of the two tasks is counted. */
	ids[0] = attached(fd, server.worker.pid, dev_class(), EV_INSTRUCTIONS);
	ids[1] = attached(fd, server.worker.pid, dev_class(), EV_CYCLES);
	turns(&server, &pmu, &all);
	check(!pmu, "switches of one task with two counters write no PMU register (%llu)", (unsigned long long)pmu);
	check(all <= without + 10, "one counted task: %llu WRMSRs in all, %llu without counting",
	      (unsigned long long)all, (unsigned long long)without);

	/* Both tasks are counted, each on a row that the other does not use. */
	if (dev_attach(fd, ids[0], getpid(), 0) == 0)
		die("ATTACH of a running PMC succeeds");
	ids[2] = attached(fd, getpid(), dev_class(), EV_INSTRUCTIONS);
	ids[3] = attached(fd, getpid(), dev_class() == HWPMC_CLASS_IAP ? HWPMC_CLASS_IAF : dev_class(),
			  dev_class() == HWPMC_CLASS_IAP ? 0 : EV_CYCLES);
	if (dev_read(fd, ids + 1, 2, before))
		die("read: %s", dev_sentence(fd));
	turns(&server, &pmu, &all);
	if (dev_read(fd, ids + 1, 2, after))
		die("read: %s", dev_sentence(fd));
	check(!pmu, "switches between two tasks with two counters each write no PMU register (%llu)",
	      (unsigned long long)pmu);
	check(all <= without + 10, "two counted tasks: %llu WRMSRs in all, %llu without counting",
	      (unsigned long long)all, (unsigned long long)without);
	check(after[0] - before[0] > times * ROUNDS && after[1] - before[1] > times * 10,
	      "the counters of both tasks count");
	worker_wait(&server.worker);
	server_close(&server);
	return result();
}
