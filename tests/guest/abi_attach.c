// SPDX-License-Identifier: GPL-2.0-only
/* ATTACH, DETACH, START and STOP: every refusal, and that it changes nothing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "test_class.h"

static int fd;

static int pidfd_open_(pid_t pid)
{
	return syscall(SYS_pidfd_open, pid, 0);
}

static pid_t gettid_(void)
{
	return syscall(SYS_gettid);
}

static void not_virtual(void)
{
	int64_t id = class_allocate(fd, HWPMC_MODE_SC, 0, 0);

	refused(fd, dev_attach(fd, id, 0, 0), EINVAL, "system-wide", "ATTACH of a system-wide PMC");
	refused(fd, dev_detach(fd, id, 0, 0), EINVAL, "system-wide", "DETACH of a system-wide PMC");
	dev_release(fd, id);
}

static void no_such(void)
{
	uint32_t id = class_pmc(fd, 0);
	int file = open("/dev/null", O_RDONLY);

	refused(fd, dev_attach(fd, id, 0x3fffffff, 0), ESRCH, "no process", "ATTACH to a pid without a process");
	refused(fd, dev_attach(fd, id, -1, 0), ESRCH, "no process", "ATTACH to pid -1");
	refused(fd, dev_attach(fd, id, INT32_MIN, 0), ESRCH, "no process", "ATTACH to pid -2^31");
	refused(fd, dev_attach(fd, id, 0x3fffffff, HWPMC_ATTACH_TID), ESRCH, NULL,
		"ATTACH to a tid without a thread");
	refused(fd, dev_attach(fd, id, -1, HWPMC_ATTACH_PIDFD), EBADF, "pidfd",
		"ATTACH to descriptor -1");
	refused(fd, dev_attach(fd, id, 1000, HWPMC_ATTACH_PIDFD), EBADF, "pidfd",
		"ATTACH to a closed descriptor");
	refused(fd, dev_attach(fd, id, file, HWPMC_ATTACH_PIDFD), EBADF, "pidfd",
		"ATTACH to a regular file's descriptor");
	refused(fd, dev_attach(fd, id, fd, HWPMC_ATTACH_PIDFD), EBADF, "pidfd",
		"ATTACH to the device's descriptor");
	close(file);
	refused(fd, dev_detach(fd, id, 0, 0), ESRCH, "target", "DETACH of a task that was never attached");
	refused(fd, dev_detach(fd, id, 1, 0), ESRCH, "target", "DETACH of another process");
	refused(fd, dev_detach(fd, id, 0x3fffffff, 0), ESRCH, NULL, "DETACH of a pid without a process");
	dev_release(fd, id);
}

static void twice(void)
{
	uint32_t id = class_pmc(fd, 0);
	int self = pidfd_open_(getpid());

	check(!dev_attach(fd, id, 0, 0), "ATTACH to the caller by pid 0");
	refused(fd, dev_attach(fd, id, 0, 0), EEXIST, "already", "ATTACH to the caller for a second time");
	refused(fd, dev_attach(fd, id, getpid(), 0), EEXIST, "already", "ATTACH to the attached caller by pid");
	refused(fd, dev_attach(fd, id, self, HWPMC_ATTACH_PIDFD), EEXIST, "already",
		"ATTACH to the attached caller by pidfd");
	refused(fd, dev_attach(fd, id, 0, HWPMC_ATTACH_TID), EEXIST, "already",
		"ATTACH to a thread of the attached caller");
	refused(fd, dev_attach(fd, id, gettid_(), HWPMC_ATTACH_TID), EEXIST, "already",
		"ATTACH to that thread by tid");
	refused(fd, dev_detach(fd, id, 0, HWPMC_ATTACH_TID), ESRCH, NULL,
		"DETACH of one thread of the attached caller");
	check(!dev_detach(fd, id, self, HWPMC_ATTACH_PIDFD), "DETACH by pidfd");
	refused(fd, dev_detach(fd, id, 0, 0), ESRCH, "target", "DETACH for a second time");
	check(!dev_attach(fd, id, self, HWPMC_ATTACH_PIDFD), "ATTACH by pidfd");
	check(!dev_detach(fd, id, getpid(), 0), "DETACH by number");
	check(!dev_attach(fd, id, 0, HWPMC_ATTACH_TID), "ATTACH to one thread");
	refused(fd, dev_attach(fd, id, 0, HWPMC_ATTACH_TID), EEXIST, "already", "ATTACH to that thread for a second time");
	refused(fd, dev_attach(fd, id, 0, 0), EEXIST, "already", "ATTACH to the process of an attached thread");
	check(!dev_detach(fd, id, 0, HWPMC_ATTACH_TID), "DETACH of that thread");
	close(self);
	dev_release(fd, id);
}

static void while_running(void)
{
	uint32_t id = class_pmc(fd, 0);
	struct agent p = agent_start(NULL, NULL);
	uint64_t value;

	check(!dev_attach(fd, id, p.pid, 0) && !dev_start(fd, id),
	      "START of a PMC attached to a child");
	refused(fd, dev_attach(fd, id, 0, 0), EBUSY, "stop it", "ATTACH while the PMC runs");
	check(!dev_start(fd, id), "START of a running PMC succeeds");
	agent_spin(&p);
	check(!dev_detach(fd, id, p.pid, 0), "DETACH while the PMC runs");
	value = dev_value(fd, id);
	check(value > 0, "the count of a detached target stays in the PMC: %llu", (unsigned long long)value);
	agent_spin(&p);
	check(dev_value(fd, id) == value, "the count of a detached target does not grow");
	check(!dev_stop(fd, id) && !dev_stop(fd, id), "STOP, and STOP of a stopped PMC, succeed");
	refused(fd, dev_start(fd, id), ESRCH, "gone", "START after the only target was detached");
	check(!dev_attach(fd, id, p.pid, 0) && !dev_start(fd, id), "START after a new ATTACH succeeds");
	agent_spin(&p);
	check(dev_value(fd, id) > value, "the count continues from its old value");
	check(!dev_release(fd, id), "RELEASE of a running PMC");
	check(agent_spin(&p), "the target runs on after RELEASE");
	agent_reap(&p);
}

static void states(void)
{
	uint32_t id = class_pmc(fd, 0), log[2];
	int64_t sys = class_allocate(fd, HWPMC_MODE_SC, 0, 0);

	refused(fd, dev_stop(fd, id), EINVAL, "never started", "STOP of a PMC that was never started");
	refused(fd, dev_stop(fd, sys), EINVAL, "never started",
		"STOP of a system-wide PMC that was never started");
	check(!dev_attach(fd, id, 0, 0), "ATTACH of a PMC that was never started");
	refused(fd, dev_stop(fd, id), EINVAL, "never started",
		"STOP of an attached PMC that was never started");
	check(!dev_start(fd, id) && !dev_stop(fd, id) && !dev_start(fd, id) && !dev_stop(fd, id),
	      "START, STOP, START and STOP succeed");
	check(!dev_start(fd, sys) && !dev_start(fd, sys) && !dev_stop(fd, sys) &&
	      !dev_stop(fd, sys),
	      "START, START, STOP and STOP of a system-wide PMC succeed");
	dev_release(fd, id);
	dev_release(fd, sys);

	log[0] = class_pmc(fd, HWPMC_F_LOG_PROCCSW);
	log[1] = class_pmc(fd, HWPMC_F_LOG_PROCEXIT);
	refused(fd, dev_start(fd, log[0]), EBADFD, "log", "START of LOG_PROCCSW without a log");
	refused(fd, dev_start(fd, log[1]), EBADFD, "log", "START of LOG_PROCEXIT without a log");
	check(!dev_attach(fd, log[0], 0, 0), "ATTACH of LOG_PROCCSW without a log");
	refused(fd, dev_start(fd, log[0]), EBADFD, "log", "START of an attached LOG_PROCCSW without a log");
	refused(fd, dev_stop(fd, log[0]), EINVAL, "never started", "STOP after that failed START");
	dev_ids(fd, HWPMC_IOC_RELEASE, log, 2);

	id = class_pmc(fd, 0);
	check(!dev_start(fd, id), "START without a target");
	refused(fd, dev_attach(fd, id, 0, 0), EBUSY, "stop it", "ATTACH after START without a target");
	dev_stop(fd, id);
	refused(fd, dev_attach(fd, id, 0, 0), EEXIST, "already", "ATTACH to the caller after START without a target");
	dev_release(fd, id);
}

static void exited(void)
{
	uint32_t id = class_pmc(fd, 0), early = class_pmc(fd, 0);
	struct agent p = agent_start(NULL, NULL);
	int pf = pidfd_open_(p.pid);
	uint64_t value;
	siginfo_t si;

	check(!dev_attach(fd, early, p.pid, 0), "ATTACH of a PMC that is not started before the target exits");
	check(!dev_attach(fd, id, p.pid, 0) && !dev_start(fd, id), "START of a PMC attached to the same child");
	agent_spin(&p);
	check(!dev_stop(fd, id), "STOP");
	agent_exit(&p);
	waitid(P_PID, p.pid, &si, WEXITED | WNOWAIT);
	value = dev_value(fd, id);
	check(value > 0, "the count of an exited target stays: %llu", (unsigned long long)value);
	refused(fd, dev_start(fd, id), ESRCH, "gone", "START after the only target exited");
	refused(fd, dev_start(fd, early), ESRCH, "gone", "the first START after the only target exited");
	dev_detach(fd, early, p.pid, 0);
	refused(fd, dev_attach(fd, early, p.pid, 0), ESRCH, "exited", "ATTACH to a zombie");
	refused(fd, dev_attach(fd, early, p.pid, HWPMC_ATTACH_TID), ESRCH, "exited",
		"ATTACH to a zombie's thread");
	refused(fd, dev_attach(fd, early, pf, HWPMC_ATTACH_PIDFD), ESRCH, "exited",
		"ATTACH to a zombie's pidfd");
	check(!dev_detach(fd, id, p.pid, 0) && dev_value(fd, id) == value,
	      "DETACH of a zombie keeps its count: %llu", (unsigned long long)dev_value(fd, id));

	dev_release(fd, id);
	id = class_pmc(fd, 0);
	reap(p.pid);
	refused(fd, dev_attach(fd, id, p.pid, 0), ESRCH, NULL, "ATTACH to a reaped process");
	refused(fd, dev_attach(fd, id, pf, HWPMC_ATTACH_PIDFD), ESRCH, "exited",
		"ATTACH to a reaped process's pidfd");
	refused(fd, dev_detach(fd, id, p.pid, 0), ESRCH, NULL, "DETACH of a reaped process");
	refused(fd, dev_detach(fd, id, pf, HWPMC_ATTACH_PIDFD), ESRCH, NULL, "DETACH of a reaped process's pidfd");
	close(pf);
	dev_release(fd, id);
	dev_release(fd, early);
}

/* A target that is reaped before DETACH can still be detached by pidfd. */
static void reaped(void)
{
	uint32_t id = class_pmc(fd, 0);
	struct agent p = agent_start(NULL, NULL);
	int pf = pidfd_open_(p.pid);
	uint64_t value;

	if (dev_attach(fd, id, p.pid, 0) || dev_start(fd, id))
		die("reaped: %s", dev_sentence(fd));
	agent_spin(&p);
	agent_reap(&p);
	value = dev_value(fd, id);
	check(value > 0 && !dev_stop(fd, id) && dev_value(fd, id) == value,
	      "the count of a reaped target stays: %llu", (unsigned long long)value);
	refused(fd, dev_start(fd, id), ESRCH, "gone", "START after the only target was reaped");
	check(!dev_detach(fd, id, pf, HWPMC_ATTACH_PIDFD) && dev_value(fd, id) == value,
	      "DETACH by pidfd of a reaped target keeps its count");
	check(!dev_attach(fd, id, 0, 0) && !dev_start(fd, id), "START with another target succeeds");
	close(pf);
	dev_release(fd, id);
}

static void threads(void)
{
	uint32_t id = class_pmc(fd, 0), one = class_pmc(fd, HWPMC_F_THREAD),
		 tree = class_pmc(fd, HWPMC_F_DESCENDANTS);
	struct agent p = agent_start(NULL, NULL);
	pid_t tid = agent_thread(&p);

	check(!dev_attach(fd, id, tid, HWPMC_ATTACH_TID), "ATTACH to a thread of another process");
	refused(fd, dev_attach(fd, id, p.pid, 0), EEXIST, "already", "ATTACH to the process of that thread");
	refused(fd, dev_detach(fd, id, p.pid, 0), ESRCH, "target", "DETACH of the process of that thread");
	check(!dev_attach(fd, id, p.pid, HWPMC_ATTACH_TID), "ATTACH to the first thread alone");
	check(!dev_detach(fd, id, tid, HWPMC_ATTACH_TID) &&
	      !dev_detach(fd, id, p.pid, HWPMC_ATTACH_TID),
	      "DETACH of both threads");
	check(!dev_attach(fd, id, tid, 0), "ATTACH by a tid takes its process");
	refused(fd, dev_attach(fd, id, p.pid, 0), EEXIST, "already", "ATTACH to a process attached by a tid");
	check(!dev_detach(fd, id, tid, 0), "DETACH by a tid detaches its process");

	check(!dev_attach(fd, one, tid, 0), "ATTACH of a THREAD PMC takes the thread alone");
	check(!dev_attach(fd, one, p.pid, 0), "ATTACH of a THREAD PMC to the first thread");
	refused(fd, dev_attach(fd, tree, tid, HWPMC_ATTACH_TID), EINVAL, "DESCENDANTS",
		"ATTACH of a DESCENDANTS PMC to one thread");
	dev_release(fd, id);
	dev_release(fd, one);
	dev_release(fd, tree);
	agent_reap(&p);
}

static void pairs_first(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "row-taker");
}

/* Two owners claim the same row in the same task. */
static void conflict(void)
{
	struct agent target = agent_start(NULL, NULL);
	uint32_t id = class_pmc(fd, 0), ids[64];
	struct hwpmc_caps mine, other;
	unsigned int n, i;
	int orders[2], pid;
	char who[64];

	/* Another process holds the row in the target. */
	dev_caps(fd, id, &mine);
	if (pipe(orders))
		die("pipe");
	pid = fork_tied();
	if (!pid) {
		int foreign;

		pairs_first(NULL);
		foreign = dev_open();
		n = class_allocate_all(foreign, HWPMC_MODE_TC, -1, ids, ARRAY_SIZE(ids));
		for (i = 0; i < n; i++)
			if (!dev_caps(foreign, ids[i], &other) && other.row == mine.row)
				break;
		if (i == n || dev_attach(foreign, ids[i], target.pid, 0))
			_exit(1);
		if (write(orders[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (read(orders[0], who, 1) != 1)
		die("the other owner");
	snprintf(who, sizeof(who), "row %u|pid %d (row-taker)", mine.row, pid);
	refused(fd, dev_attach(fd, id, target.pid, 0), EBUSY, who,
		"ATTACH to a task in which another owner holds the row");
	check(dev_detach(fd, id, target.pid, 0) == -ESRCH, "a refused ATTACH attaches nothing");
	check(!dev_attach(fd, id, 0, 0), "ATTACH to another task");
	dev_detach(fd, id, 0, 0);
	kill(pid, SIGKILL);
	reap(pid);
	check(!dev_attach(fd, id, target.pid, 0), "ATTACH after the other owner exited");
	close(orders[0]);
	close(orders[1]);
	dev_release(fd, id);
	agent_reap(&target);
}

/* With enough rows, owners that count the same event get different ones. */
static void side_by_side(void)
{
	struct agent p = agent_start(NULL, NULL);
	int second = dev_open(), third = dev_open();
	uint32_t a = class_pmc(fd, 0), b = class_pmc(second, 0), c = class_pmc(third, 0);

	check(!dev_attach(fd, a, p.pid, 0) && !dev_attach(second, b, p.pid, 0) &&
	      !dev_attach(third, c, p.pid, 0),
	      "ATTACH of three owners to one task for one event");
	check(!dev_start(fd, a) && !dev_start(second, b) && !dev_start(third, c) &&
	      agent_spin(&p), "START by the three owners");
	dev_stop(fd, a);
	dev_stop(second, b);
	dev_stop(third, c);
	check(dev_value(fd, a) && dev_value(second, b) && dev_value(third, c), "the three owners count");
	close(second);
	close(third);
	dev_release(fd, a);
	agent_reap(&p);
}

/* Another owner holds the row in one task of a tree: ATTACH attaches no task of the tree. */
static void half_way(void)
{
	uint32_t tree = class_pmc(fd, HWPMC_F_DESCENDANTS), other = class_pmc(fd, 0), ids[64];
	struct agent p = agent_start(NULL, NULL);
	struct hwpmc_caps mine, got;
	int foreign = dev_open();
	uint64_t before;
	unsigned int n, i;

	dev_caps(fd, tree, &mine);
	n = class_allocate_all(foreign, HWPMC_MODE_TC, -1, ids, ARRAY_SIZE(ids));
	for (i = 0; i < n; i++)
		if (!dev_caps(foreign, ids[i], &got) && got.row == mine.row)
			break;
	/* The row is held in the child, but not in this process. */
	if (i == n || dev_attach(foreign, ids[i], p.pid, 0))
		die("half-way: %s", dev_sentence(foreign));
	before = dev_stats(fd).threads;
	refused(fd, dev_attach(fd, tree, 0, 0), EBUSY, "row",
		"ATTACH to a tree in which another owner holds a child's row");
	check(dev_detach(fd, tree, 0, 0) == -ESRCH, "a refused ATTACH to a tree attaches nothing");
	check(SOON(dev_stats(fd).threads <= before), "a refused ATTACH to a tree leaves no thread record: %llu",
	      (unsigned long long)dev_stats(fd).threads);
	dev_ids(foreign, HWPMC_IOC_RELEASE, ids, n);
	check(!dev_attach(fd, tree, 0, 0), "ATTACH to the tree when the row is free");
	refused(fd, dev_attach(fd, tree, p.pid, 0), EEXIST, "already", "ATTACH to a child of the attached tree");
	close(foreign);
	dev_release(fd, tree);
	dev_release(fd, other);
	agent_reap(&p);
}

#define DAEMON	200	/* children that a daemon follows, one after the other */

/* Returns the number of targets that a read of @id returns. */
static uint32_t entries(uint32_t id)
{
	struct hwpmc_target_value list[2 * DAEMON];
	uint32_t count = ARRAY_SIZE(list);
	uint64_t value;

	if (dev_targets(fd, id, &value, list, &count))
		die("targets: %s", dev_sentence(fd));
	return count;
}

/* A daemon attaches to each of its children, and detaches each after it has reaped it. */
static void daemon_detaches_reaped(void)
{
	uint32_t id = class_pmc(fd, 0), i, by_number = 0, by_handle = 0, grown = 0;
	uint64_t handle, last = 0, value = 0;

	/* The previous case reaped its process, which may not be scheduled out yet. */
	if (!SOON(!dev_stats(fd).threads))
		die("records of threads stay");
	for (i = 0; i < DAEMON; i++) {
		struct agent p = agent_start(NULL, NULL);

		dev_stop(fd, id);
		handle = dev_attach_target(fd, id, p.pid);
		if (handle <= last || dev_start(fd, id))
			die("handle %llu after %llu: %s", (unsigned long long)handle,
			    (unsigned long long)last, dev_sentence(fd));
		last = handle;
		if (!i)
			agent_spin(&p);
		agent_reap(&p);
		/* A process that was reaped executes, and counts, until it is scheduled out. */
		if (!SOON(!dev_stats(fd).threads))
			die("the record of a reaped process stays");
		value = dev_value(fd, id);
		by_number += !dev_detach(fd, id, p.pid, 0);
		by_handle += !dev_detach_target(fd, id, handle);
		grown += entries(id) > 1 || dev_value(fd, id) != value;
	}
	check(!by_number && by_handle == DAEMON && !grown && value,
	      "%u of %u reaped targets are detached by handle (by number: %u), and their counts stay (%u do not)",
	      by_handle, DAEMON, by_number, grown);
	dev_release(fd, id);
}

static void handles(void)
{
	uint32_t id = class_pmc(fd, 0), other = class_pmc(fd, 0), count = 8;
	struct agent p = agent_start(NULL, NULL);
	struct hwpmc_target_value list[8];
	uint64_t mine, theirs, value;

	mine = dev_attach_target(fd, id, 0);
	theirs = dev_attach_target(fd, id, p.pid);
	check(mine && theirs && mine != theirs, "ATTACH returns a handle for each target: %llu, %llu",
	      (unsigned long long)mine, (unsigned long long)theirs);
	check(!dev_targets(fd, id, &value, list, &count) && count == 2 &&
	      list[0].target == (list[0].pid == p.pid ? theirs : mine) &&
	      list[1].target == (list[1].pid == p.pid ? theirs : mine),
	      "entries of a reading have their target's handle");
	refused(fd, dev_detach_target(fd, other, theirs), ESRCH, "target",
		"DETACH of the handle of another PMC's target");
	refused(fd, dev_detach_target(fd, id, 0), ESRCH, "target", "DETACH of handle 0");
	refused(fd, dev_detach_target(fd, id, theirs + 1), ESRCH, "target",
		"DETACH of a handle that was never returned");
	check(!dev_detach_target(fd, id, theirs), "DETACH of a living target by its handle");
	refused(fd, dev_detach_target(fd, id, theirs), ESRCH, "target", "DETACH of a handle, twice");
	check(dev_attach_target(fd, id, p.pid) > theirs, "a handle is not used twice");
	agent_reap(&p);
	dev_release(fd, id);
	dev_release(fd, other);
}

static void handle_refusals(void)
{
	uint32_t id = class_pmc(fd, 0);
	struct hwpmc_attach a = { .id = id, .flags = HWPMC_ATTACH_TARGET };

	refused(fd, dev_call(fd, HWPMC_IOC_ATTACH, &a, sizeof(a)), EOPNOTSUPP, "flags",
		"ATTACH by handle");
	a.target = dev_attach_target(fd, id, 0);
	a.flags = HWPMC_ATTACH_TARGET | HWPMC_ATTACH_TID;
	refused(fd, dev_call(fd, HWPMC_IOC_DETACH, &a, sizeof(a)), EOPNOTSUPP, "TARGET",
		"DETACH by handle and as a thread");
	a.flags = HWPMC_ATTACH_TARGET;
	a.pid = getpid();
	refused(fd, dev_call(fd, HWPMC_IOC_DETACH, &a, sizeof(a)), EINVAL, "both",
		"DETACH by handle and by pid");
	a.flags = 0;
	refused(fd, dev_call(fd, HWPMC_IOC_DETACH, &a, sizeof(a)), EINVAL, "HWPMC_ATTACH_TARGET",
		"DETACH by pid with a handle");
	dev_release(fd, id);
}

int main(int argc, char **argv)
{
	agent_main(argc, argv);
	fd = class_open(60);
	not_virtual();
	no_such();
	twice();
	while_running();
	states();
	exited();
	reaped();
	daemon_detaches_reaped();
	handles();
	handle_refusals();
	threads();
	conflict();
	side_by_side();
	half_way();
	check(!dev_stats(fd).pmcs, "no PMC is left");
	return result();
}
