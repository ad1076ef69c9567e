// SPDX-License-Identifier: GPL-2.0-only
/*
 * The 1st, 2nd, ... allocation (or copy from or to the caller) of a call fails,
 * until none is left to fail. The call succeeds all the same or says why not;
 * nothing is left behind; and the same call works right after it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "any.h"

#define MAX_NTH 1000
#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

static int fd, nth_fd;
static int keeper_fd;		/* an owner of its own, */
static uint32_t keeper;		/* whose PMC keeps the scheduler hooked */
static uint64_t others;		/* PMCs that are not the test's */

static void put(const char *path, const char *text)
{
	int file = open(path, O_WRONLY);

	if (file < 0 || write(file, text, strlen(text)) < 0)
		die("%s: %s", path, strerror(errno));
	close(file);
}

static void arm(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	/* What is still armed may fail this, and is not armed any more then. */
	if (pwrite(nth_fd, text, len, 0) != len && pwrite(nth_fd, text, len, 0) != len)
		die("fail-nth: %s", strerror(errno));
}

/* -> whether it fired. */
static bool disarm(void)
{
	char text[16] = "";
	/* If the copy of this very answer fails, nothing did before. */
	bool fired = pread(nth_fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;

	arm(0);
	return fired;
}

/* What is to be as before. */
static void settle(void)
{
	struct hwpmc_stats s;
	int i;

	for (i = 0; i < 200; i++) {
		s = dev_stats(fd);
		if (!s.threads && !s.arming && !s.switch_probe)
			return;
		usleep(20000);
	}
}

/**
 * struct op - what is tried
 * @before: makes what @call needs; not tried. NULL: nothing
 * @call: 0 or -errno
 * @done: whether it is as if @call had ended with @err; undoes it and @before
 * @hooked: the scheduler is hooked by somebody else: takes less time
 */
struct op {
	const char *name;
	bool hooked;
	void (*before)(void);
	int (*call)(void);
	bool (*done)(int err);
};

static uint32_t ids[64];
static unsigned int count;
static int other = -1;
static struct puppet puppet;

static bool allowed(int err)
{
	return !err || err == -ENOMEM || err == -EFAULT;
}

static void try(const struct op *op)
{
	struct hwpmc_stats before, after;
	unsigned int nth, refusals = 0, wrong = 0, leaks = 0, again = 0;
	int err = 0, strange = 0;
	bool fired = true;

	settle();
	if (op->hooked)
		keeper = any_pmc(keeper_fd, 0);
	before = dev_stats(fd);
	others = before.pmcs;
	for (nth = 1; fired && nth < MAX_NTH; nth++) {
		if (op->before)
			op->before();
		arm(nth);
		err = op->call();
		fired = disarm();
		refusals += err != 0;
		if (!allowed(err) || (err && !fired))
			strange = err;
		wrong += !op->done(err);
		after = dev_stats(fd);
		leaks += after.pmcs != before.pmcs || after.owners != before.owners;
		/* The same, and nothing fails. */
		if (op->before)
			op->before();
		err = op->call();
		again += err != 0;
		wrong += !op->done(err);
	}
	check(!fired, "%s: %u failures injected, %u times it was refused", op->name, nth - 2,
	      refusals);
	check(!strange, "%s: refused with ENOMEM or EFAULT: %s", op->name, strerror(-strange));
	check(!wrong, "%s: done when it succeeds, not when it does not; wrong %u times", op->name,
	      wrong);
	check(!again, "%s: the next try works; not %u times", op->name, again);
	settle();
	after = dev_stats(fd);
	check(!leaks && after.pmcs == before.pmcs && after.owners == before.owners &&
	      after.threads == before.threads && !after.arming && !after.switch_probe,
	      "%s: nothing is left behind (%u leaks; %llu PMCs, %llu owners, %llu threads)",
	      op->name, leaks, (unsigned long long)(after.pmcs - before.pmcs),
	      (unsigned long long)(after.owners - before.owners),
	      (unsigned long long)(after.threads - before.threads));
	check(any_free_rows(fd, HWPMC_MODE_TC, -1) == any.rows, "%s: every row is free", op->name);
	if (op->hooked)
		dev_release(keeper_fd, keeper);
}

static int open_call(void)
{
	other = open("/dev/hwpmc", O_RDWR | O_CLOEXEC);
	return other < 0 ? -errno : 0;
}

static bool open_done(int err)
{
	if (!err)
		close(other);
	return true;
}

static int allocate_of(int owner, uint32_t mode, int cpu)
{
	struct hwpmc_allocate a = {
		.size = sizeof(a), .class_id = any.class_id, .mode = mode, .cpu = cpu,
		.caps = any.caps, .event = any.event,
	};

	if (ioctl(owner, HWPMC_IOC_ALLOCATE, &a))
		return -errno;
	ids[count++] = a.id;
	return 0;
}

static int allocate(uint32_t mode, int cpu)
{
	return allocate_of(fd, mode, cpu);
}

/* The hooks of the scheduler go when nobody needs them: have them made each time. */
static void nothing_hooked(void)
{
	usleep(10000);
}

static int virtual_call(void)
{
	return allocate(HWPMC_MODE_TC, -1);
}

static int system_call(void)
{
	return allocate(HWPMC_MODE_SC, 1);
}

static bool allocate_done(int err)
{
	bool ok = count == !err;

	if (!err)
		ok &= !dev_release(fd, ids[--count]);
	return ok && !count;
}

/* The table of handles is made by the first, and grows by the ninth. */
static void new_owner(void)
{
	other = dev_open();
}

static int first_call(void)
{
	return allocate_of(other, HWPMC_MODE_SC, 0);
}

static void eight(void)
{
	new_owner();
	while (count < 8)
		if (allocate_of(other, HWPMC_MODE_SC, count & 1))
			die("eight: %s", dev_sentence(other));
}

static bool table_done(int err)
{
	bool ok = dev_stats(fd).pmcs == others + count;

	if (!err)
		ok &= any_rw(other, HWPMC_RW_OLD, &ids[count - 1], 1, &(uint64_t){ 0 }) == 0;
	close(other);
	count = 0;
	return ok && dev_stats(fd).pmcs == others;
}

static bool all_gone(void)
{
	bool ok = !dev_ids(fd, HWPMC_IOC_RELEASE, ids, count);

	count = 0;
	return ok;
}

static void one(void)
{
	if (virtual_call())
		die("one: %s", dev_sentence(fd));
}

/* Of a process with many threads, all asleep. */
static int attach_call(void)
{
	struct hwpmc_attach a = { .size = sizeof(a), .id = ids[0], .pid = puppet.pid };

	return ioctl(fd, HWPMC_IOC_ATTACH, &a) ? -errno : 0;
}

static bool attach_done(int err)
{
	bool ok = (dev_detach(fd, ids[0], puppet.pid, 0) == 0) == !err;

	return all_gone() && ok;
}

static void attached(void)
{
	one();
	if (attach_call())
		die("attach: %s", dev_sentence(fd));
}

static int detach_call(void)
{
	struct hwpmc_attach a = { .size = sizeof(a), .id = ids[0], .pid = puppet.pid };

	return ioctl(fd, HWPMC_IOC_DETACH, &a) ? -errno : 0;
}

static bool detach_done(int err)
{
	bool ok = (dev_detach(fd, ids[0], puppet.pid, 0) == 0) == !!err;

	return all_gone() && ok;
}

static int ids_call(unsigned long cmd)
{
	struct hwpmc_ids a = { .size = sizeof(a), .count = count, .ids = (uintptr_t)ids };

	return ioctl(fd, cmd, &a) ? -errno : 0;
}

static int start_call(void)
{
	return ids_call(HWPMC_IOC_START);
}

static bool running(uint32_t id)
{
	return dev_write(fd, id, 0) == -EBUSY;
}

static bool self_start_done(int err)
{
	bool ok = running(ids[0]) == !err && (dev_detach(fd, ids[0], 0, 0) == 0) == !err;

	return all_gone() && ok;
}

static void two(void)
{
	one();
	one();
}

static bool two_done(int err)
{
	bool ok = true;
	unsigned int i;

	for (i = 0; i < count; i++)
		ok &= running(ids[i]) == !err && (dev_detach(fd, ids[i], 0, 0) == 0) == !err;
	return all_gone() && ok;
}

static bool started_all(bool want)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (running(ids[i]) != want)
			return false;
	return true;
}

static void ten(void)
{
	while (count < 10)
		if (allocate(HWPMC_MODE_SC, count & 1))
			die("ten: %s", dev_sentence(fd));
}

static bool start_done(int err)
{
	bool ok = started_all(!err);

	return all_gone() && ok;
}

static void ten_run(void)
{
	ten();
	if (start_call())
		die("start: %s", dev_sentence(fd));
}

static int stop_call(void)
{
	return ids_call(HWPMC_IOC_STOP);
}

static bool stop_done(int err)
{
	bool ok = started_all(!!err);

	return all_gone() && ok;
}

static int release_call(void)
{
	return ids_call(HWPMC_IOC_RELEASE);
}

static bool release_done(int err)
{
	bool ok = dev_stats(fd).pmcs == others + (err ? count : 0);

	if (err)
		return all_gone() && ok;
	count = 0;
	return ok;
}

static int read_call(void)
{
	static uint64_t values[10];
	static struct hwpmc_target_value targets[64];
	static struct hwpmc_times times[10];
	struct hwpmc_rw rw = {
		.size = sizeof(rw), .flags = HWPMC_RW_OLD, .count = count,
		.ids = (uintptr_t)ids, .values = (uintptr_t)values, .times = (uintptr_t)times,
		.targets = (uintptr_t)targets, .target_count = ARRAY_SIZE(targets),
	};

	return ioctl(fd, HWPMC_IOC_RW, &rw) ? -errno : 0;
}

static bool read_done(int err)
{
	bool ok = started_all(true);

	(void)err;
	return all_gone() && ok;
}

/* An exchange is done or not at all. */
static uint64_t swap[10];

static void ten_written(void)
{
	unsigned int i;

	ten();
	for (i = 0; i < count; i++) {
		if (dev_write(fd, ids[i], 100 + i))
			die("write: %s", dev_sentence(fd));
		swap[i] = 200 + i;
	}
}

static int swap_call(void)
{
	struct hwpmc_rw rw = {
		.size = sizeof(rw), .flags = HWPMC_RW_OLD | HWPMC_RW_NEW, .count = count,
		.ids = (uintptr_t)ids, .values = (uintptr_t)swap,
	};

	return ioctl(fd, HWPMC_IOC_RW, &rw) ? -errno : 0;
}

static bool swap_done(int err)
{
	unsigned int i;
	bool ok = true;

	for (i = 0; i < count; i++)
		ok &= dev_value(fd, ids[i]) == (err ? 100 : 200) + i && (err || swap[i] == 100 + i);
	return all_gone() && ok;
}

static const struct op ops[] = {
	{ "open", false, NULL, open_call, open_done },
	{ "ALLOCATE, virtual", false, nothing_hooked, virtual_call, allocate_done },
	{ "ALLOCATE, system-wide", false, NULL, system_call, allocate_done },
	{ "ALLOCATE of the first", true, new_owner, first_call, table_done },
	{ "ALLOCATE of the ninth", true, eight, first_call, table_done },
	{ "ATTACH of many threads", true, one, attach_call, attach_done },
	{ "DETACH of many threads", true, attached, detach_call, detach_done },
	{ "START that attaches the caller", true, one, start_call, self_start_done },
	{ "START of two that attaches the caller", true, two, start_call, two_done },
	{ "START of ten", true, ten, start_call, start_done },
	{ "STOP of ten", true, ten_run, stop_call, stop_done },
	{ "READ of ten, with times and parts", true, ten_run, read_call, read_done },
	{ "exchange of ten", true, ten_written, swap_call, swap_done },
	{ "RELEASE of ten that run", true, ten_run, release_call, release_done },
};

static volatile int quit;

/* On a stack of its own, in this process or next to it. */
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
 * Only records of threads and links fail; or all again. -> whether it can be had:
 * it takes the kernel's parameter slub_debug=A,hwpmc_*
 */
static bool only_ours(bool on)
{
	if (!may_fail_alone("hwpmc_link") || !may_fail_alone("hwpmc_thread"))
		return false;
	put("/sys/kernel/debug/failslab/cache-filter", on ? "Y" : "N");
	put("/sys/kernel/debug/fail_page_alloc/min-order", on ? "30" : "1");
	return true;
}

/* Each child is followed, or counted as one that could not be. @ours: every failure is ours. */
static void forks(const char *name, unsigned long flags, bool ours)
{
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct hwpmc_stats before = dev_stats(fd), after;
	unsigned int nth, born = 0, lost = 0, wrong = 0, not_born = 0;
	bool fired = true, both = true;
	uint32_t id = any_pmc(fd, HWPMC_F_DESCENDANTS);

	if (dev_attach(fd, id, 0, 0) || dev_start(fd, id))
		die("forks: %s", dev_sentence(fd));
	for (nth = 1; fired && nth < MAX_NTH; nth++) {
		struct hwpmc_stats s = dev_stats(fd), t;
		pid_t tid;

		quit = 0;
		arm(nth);
		tid = clone(idle, stack + 65536, flags, NULL);
		fired = disarm();
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
	check(!fired, "%s: %u failures injected, %u not made, %u made", name, nth - 2, not_born,
	      born);
	check((lost >= 2 && !not_born) || !ours,
	      "%s: for lack of a record and of a link %u could not inherit", name, lost);
	check(after.fork_failures - before.fork_failures == lost, "%s: they are counted: %llu",
	      name, (unsigned long long)(after.fork_failures - before.fork_failures));
	check(both, "%s: in the owner's count as well", name);
	check(!wrong, "%s: each is followed or counted; wrong: %u", name, wrong);
	dev_release(fd, id);
	settle();
	after = dev_stats(fd);
	check(after.pmcs == before.pmcs && after.threads == before.threads,
	      "%s: nothing is left behind", name);
	munmap(stack, 65536);
}

int main(int argc, char **argv)
{
	size_t i;

	puppet_main(argc, argv);
	fd = any_open(120);
	keeper_fd = dev_open();
	nth_fd = open("/proc/self/fail-nth", O_RDWR);
	if (nth_fd < 0) {
		skip("failing allocations: this kernel has no fault injection");
		return result();
	}
	put("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	put("/sys/kernel/debug/failslab/verbose", "0");
	put("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	put("/sys/kernel/debug/fail_page_alloc/verbose", "0");
	put("/sys/kernel/debug/fail_usercopy/verbose", "0");

	puppet = puppet_make(NULL, NULL);
	for (i = 0; i < 6; i++)
		if (puppet_thread(&puppet) < 0)
			die("threads");
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		try(&ops[i]);
	puppet_reap(&puppet);
	forks("thread", THREAD, false);
	forks("process with its parent's memory", CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD,
	      false);
	forks("process", SIGCHLD, false);
	if (only_ours(true)) {
		forks("thread, our own failures", THREAD, true);
		forks("process, our own failures", SIGCHLD, true);
		only_ours(false);
	} else {
		skip("fork: our own allocations alone: boot with slub_debug=A,hwpmc_*");
	}
	return result();
}
