// SPDX-License-Identifier: GPL-2.0-only
/*
 * "probe_storm [ROUNDS [LOADS]]": probes are allocated, attached, started, stopped and released,
 * and files are closed, while two processes cause events all the time, and the module is unloaded,
 * with its probes in the kernel, and loaded. Counts never decrease, and nothing is leaked. PMCs
 * that only count handle at least RATE events a second.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "cpu.h"
#include "param.h"
#include "probe.h"
#include "ring.h"
#include "test.h"

#define BUSY	2

/*
 * Events in a second of real time. The host's load reduces it, so the highest rate of several short
 * measurements counts. The debug kernel takes ten times as long.
 */
#define RATE		100000
#define RATE_TRIES	20

static char entry[64], returns[64];	/* names of probes of called() */

static const char *const names[] = {
	"syscall:getpriority:entry", "syscall:*:return", "kprobe:" PROBE_FUNCTION,
	"kprobe:" PROBE_FUNCTION ":return", "tracepoint:sched_switch", "tracepoint:sys_enter",
	"kprobe:try_to_wake_up", "tracepoint:hrtimer_start", "kprobe:schedule:return",
	entry, returns,
};

#define NAMES	ARRAY_SIZE(names)

static pid_t busy[BUSY];
static int file;	/* of this program */

/* The function of this program that is probed. */
static PROBED int called(int value)
{
	return value + 1;
}

static void name_called(void)
{
	uint64_t offset;

	file = probe_file(called, &offset);
	snprintf(entry, sizeof(entry), "uprobe:%#" PRIx64 ":entry", offset);
	snprintf(returns, sizeof(returns), "uprobe:%#" PRIx64 ":return", offset);
}

/* Makes calls, switches, and forks of processes that exit at once. */
static void be_busy(void)
{
	for (;;) {
		for (int i = 0; i < 2000; i++)
			syscall(SYS_getpriority, PRIO_PROCESS, called(i) - i - 1);
		sched_yield();
		usleep(10);
		if (!fork())
			_exit(0);
		wait(NULL);
	}
}

/* Allocates a PMC; its probe, mode and flags depend on @round. Returns its id. */
static uint32_t allocate(int fd, unsigned int round)
{
	static const uint32_t modes[] = {
		HWPMC_MODE_TC, HWPMC_MODE_SC, HWPMC_MODE_TS, HWPMC_MODE_SS,
	};
	const char *name = names[round % NAMES];
	uint32_t mode = modes[round / NAMES % ARRAY_SIZE(modes)];
	bool cpu = mode == HWPMC_MODE_SC || mode == HWPMC_MODE_SS;
	bool samples = mode == HWPMC_MODE_TS || mode == HWPMC_MODE_SS;
	struct hwpmc_allocate a = {
		.flags = (cpu ? 0 : HWPMC_F_DESCENDANTS) |
			 (samples ? HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN | HWPMC_F_COMM : 0),
		.class_id = HWPMC_CLASS_PROBE, .mode = mode, .cpu = cpu ? (int)(round % 2) : -1,
		.name = (uintptr_t)name, .name_length = strlen(name),
		.file = strncmp(name, "uprobe:", 7) ? 0 : file,
		.count = samples ? 1 + round % 5 : 0, .args = samples ? round % 7 : 0,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	if (err)
		die("%s: %s: %s", name, strerror(-err), dev_sentence(fd));
	if (!cpu && dev_attach(fd, a.id, busy[round % BUSY], 0))
		die("attach: %s", dev_sentence(fd));
	return a.id;
}

/* Starts the PMCs, and reads them twice. Returns the number of PMCs whose values decreased. */
static unsigned int use(int fd, const uint32_t *ids, unsigned int count)
{
	uint64_t before[count], after[count];
	unsigned int wrong = 0;

	if (dev_ids(fd, HWPMC_IOC_START, ids, count) || dev_read(fd, ids, count, before))
		die("start: %s", dev_sentence(fd));
	usleep(1000);
	if (dev_read(fd, ids, count, after))
		die("read: %s", dev_sentence(fd));
	for (unsigned int i = 0; i < count; i++)
		wrong += after[i] < before[i];
	return wrong;
}

/* The number of names without those of the program's probes, which need its file. */
#define IN_KERNEL	(NAMES - 2)

/* Returns the events of all probes on both CPUs, and sets @most to those of the busiest probe. */
static uint64_t events_of(int fd, const uint32_t *ids, uint64_t *most)
{
	uint64_t values[2 * IN_KERNEL], sum = 0;

	if (dev_read(fd, ids, 2 * IN_KERNEL, values))
		die("read: %s", dev_sentence(fd));
	*most = 0;
	for (unsigned int i = 0; i < IN_KERNEL; i++) {
		uint64_t both = values[2 * i] + values[2 * i + 1];

		sum += both;
		if (both > *most)
			*most = both;
	}
	return sum;
}

/* Raises @all to the events in a second of all probes, @one to those of the busiest probe. */
static void measure(int fd, const uint32_t *ids, double *all, double *one)
{
	uint64_t before, after, one_before, one_after;
	double begun = seconds(), took;

	before = events_of(fd, ids, &one_before);
	usleep(50000);
	after = events_of(fd, ids, &one_after);
	took = seconds() - begun;
	if ((double)(after - before) / took > *all)
		*all = (double)(after - before) / took;
	if ((double)(one_after - one_before) / took > *one)
		*one = (double)(one_after - one_before) / took;
}

static void rate(void)
{
	unsigned int least = access("/proc/lockdep", F_OK) ? RATE : RATE / 10, count = 0;
	uint32_t ids[2 * IN_KERNEL];
	double all = 0, one = 0;
	int fd = dev_open();

	for (unsigned int i = 0; i < IN_KERNEL; i++)
		for (int cpu = 0; cpu < 2; cpu++) {
			int64_t id = probe_allocate(fd, names[i], HWPMC_MODE_SC, cpu, 0);

			if (id < 0)
				die("%s: %s", names[i], dev_sentence(fd));
			ids[count++] = id;
		}
	if (dev_ids(fd, HWPMC_IOC_START, ids, count))
		die("start: %s", dev_sentence(fd));
	for (int i = 0; i < RATE_TRIES && all < least; i++)
		measure(fd, ids, &all, &one);
	check(all >= least, "the probes fire %.0f times a second, one of them %.0f times", all, one);
	close(fd);
}

static void storm(unsigned int rounds, unsigned int loads)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < rounds; i++) {
		int fd = dev_open();
		uint32_t ids[NAMES];

		if (dev_rings(fd, 16384))
			die("ring: %s", dev_sentence(fd));
		for (unsigned int j = 0; j < NAMES; j++)
			ids[j] = allocate(fd, i * 4 + j);
		wrong += use(fd, ids, NAMES);
		if (i % 3 == 0 && dev_ids(fd, HWPMC_IOC_STOP, ids, NAMES))
			die("stop: %s", dev_sentence(fd));
		if (i % 3 == 1)
			dev_ids(fd, HWPMC_IOC_RELEASE, ids, NAMES);
		close(fd);
		if (loads && i % (rounds / loads + 1) == 0) {
			if (!SOON(module_unload()))
				die("unload: the module is in use");
			module_load();
		}
	}
	check(!wrong, "%u rounds and %u loads while probes fire; counts that decreased: %u", rounds,
	      loads, wrong);
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 100;
	unsigned int loads = argc > 2 ? strtoul(argv[2], NULL, 0) : 10;
	int fd;

	alarm(600 * PATIENCE);
	name_called();
	for (int i = 0; i < BUSY; i++) {
		busy[i] = fork();
		if (!busy[i])
			be_busy();
	}
	rate();
	storm(rounds, loads);
	for (int i = 0; i < BUSY; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
	fd = dev_open();
	check(SOON(!dev_stats(fd).probes && !dev_stats(fd).pmcs), "no probe and no PMC is left");
	return result();
}
