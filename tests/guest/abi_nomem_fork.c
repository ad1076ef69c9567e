// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fails the 1st, 2nd, ... allocation of a fork while DESCENDANTS follows the parent, until the fork
 * has no more of them. A child that is created inherits the PMC or is counted as a failure. Nothing
 * leaks.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "test_class.h"
#include "fail.h"

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

static int fd;
static volatile int quit;

/* Creates a thread or a process, on a stack of its own. */
static int idle(void *arg)
{
	(void)arg;
	while (!quit)
		syscall(SYS_sched_yield);
	return 0;
}

static bool followed(uint32_t id, pid_t tid)
{
	struct hwpmc_target_value list[64];
	uint32_t n = ARRAY_SIZE(list), i;
	uint64_t value;

	if (dev_targets(fd, id, &value, list, &n))
		die("targets: %s", dev_sentence(fd));
	for (i = 0; i < n; i++)
		if (list[i].tid == tid && !list[i].flags)
			return true;
	return false;
}

static bool may_fail_alone(const char *cache)
{
	char path[128], flag = '0';
	int file;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/failslab", cache);
	file = open(path, O_RDONLY);
	if (file < 0 || read(file, &flag, 1) != 1)
		flag = '0';
	close(file);
	return flag == '1';
}

/*
 * @on: only allocations of thread records and links fail; otherwise all kinds of allocations do.
 * Returns whether this is possible: it needs the kernel's parameter slub_debug=A,hwpmc_*
 */
static bool only_ours(bool on)
{
	if (!may_fail_alone("hwpmc_link") || !may_fail_alone("hwpmc_thread"))
		return false;
	fail_set("failslab/cache-filter", on ? "Y" : "N");
	fail_set("fail_page_alloc/min-order", on ? "30" : "1");
	return true;
}

/*
 * Each child inherits the PMC, or is counted as a failure. @ours: only the module's allocations
 * fail.
 */
static void forks(const char *name, unsigned long flags, bool ours)
{
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct hwpmc_stats before = dev_stats(fd), after;
	unsigned int nth, born = 0, lost = 0, wrong = 0, not_born = 0;
	bool fired = true, both = true;
	uint32_t id = class_pmc(fd, HWPMC_F_DESCENDANTS);

	if (dev_attach(fd, id, 0, 0) || dev_start(fd, id))
		die("forks: %s", dev_sentence(fd));
	for (nth = 1; fired && nth < FAIL_MAX; nth++) {
		struct hwpmc_stats s = dev_stats(fd), t;
		pid_t tid;

		quit = 0;
		fail_set_nth(nth);
		tid = clone(idle, stack + 65536, flags, NULL);
		fired = fail_nth_fired();
		t = dev_stats(fd);
		both &= t.fork_failures - s.fork_failures ==
			t.owner_fork_failures - s.owner_fork_failures;
		if (tid < 0) {
			not_born++;
			wrong += !fired || t.fork_failures != s.fork_failures;
			continue;
		}
		born++;
		lost += t.owner_fork_failures - s.owner_fork_failures;
		wrong += followed(id, tid) + t.owner_fork_failures - s.owner_fork_failures != 1;
		quit = 1;
		if (flags & CLONE_THREAD) {
			while (!syscall(SYS_tgkill, getpid(), tid, 0))
				sched_yield();
		} else {
			if (!(flags & CLONE_VM))
				kill(tid, SIGKILL);
			waitpid(tid, NULL, 0);
		}
	}
	after = dev_stats(fd);
	check(!fired, "%s: all allocations failed once: %u, %u forks fail, %u succeed", name, nth - 2, not_born,
	      born);
	check((lost >= 2 && !not_born) || !ours,
	      "%s: without a record and without a link a child does not inherit: %u", name, lost);
	check(after.fork_failures - before.fork_failures == lost, "%s: STATS counts these children: %llu",
	      name, (unsigned long long)(after.fork_failures - before.fork_failures));
	check(both, "%s: STATS counts them for the owner too", name);
	check(!wrong, "%s: each child inherits or is counted; wrong: %u", name, wrong);
	dev_release(fd, id);
	fail_wait_idle(fd);
	after = dev_stats(fd);
	check(after.pmcs == before.pmcs && after.threads == before.threads,
	      "%s: nothing leaks", name);
	munmap(stack, 65536);
}

/* Counts the kernel's messages about @tid since the last call, and those of them with @words. */
static unsigned int named(int kmsg, pid_t tid, const char *words, unsigned int *with)
{
	unsigned int times = 0;
	char task[32], record[1024];
	ssize_t n;

	snprintf(task, sizeof(task), "new task %d:", tid);
	for (*with = 0; (n = read(kmsg, record, sizeof(record) - 1)) > 0;) {
		record[n] = '\0';
		if (!strstr(record, task))
			continue;
		times++;
		*with += !!strstr(record, words);
	}
	return times;
}

/* A child without a record is lost for both PMCs of its parent, but logged once. */
static void told_once(void)
{
	int kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	uint32_t ids[2] = { class_pmc(fd, HWPMC_F_DESCENDANTS), class_pmc(fd, HWPMC_F_DESCENDANTS) };
	unsigned int times = 0, with = 0, tries;

	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0)
		die("/dev/kmsg: %s", strerror(errno));
	if (dev_attach(fd, ids[0], 0, 0) || dev_attach(fd, ids[1], 0, 0))
		die("one message: %s", dev_sentence(fd));
	/*
	 * Real time: after many messages printk's rate limit suppresses messages for some seconds.
	 */
	for (tries = 0; !times && tries < 100; tries++) {
		pid_t pid;

		if (tries)
			usleep(100000);
		fail_set_nth(1);
		pid = fork();
		if (!pid)
			_exit(0);
		fail_nth_fired();
		waitpid(pid, NULL, 0);
		times = named(kmsg, pid, "2 PMCs do not count its events", &with);
	}
	check(times == 1 && with == 1, "a child that two PMCs lose is logged once (%u)", times);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2);
	fail_wait_idle(fd);
	close(kmsg);
}

int main(void)
{
	fd = class_open(120);
	if (!fail_open())
		return result();
	forks("thread", THREAD, false);
	forks("process with its parent's memory", CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD,
	      false);
	forks("process", SIGCHLD, false);
	if (only_ours(true)) {
		told_once();
		forks("thread, our own failures", THREAD, true);
		forks("process, our own failures", SIGCHLD, true);
		only_ours(false);
	} else {
		skip("fork with failures of the module only: boot with slub_debug=A,hwpmc_*");
	}
	return result();
}
