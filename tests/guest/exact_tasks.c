// SPDX-License-Identifier: GPL-2.0-only
/* "exact_tasks [DIVISOR]": one CPU, many tasks: threads, process trees, the ways to name a target. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "exact.h"

#define THREADS		8

/* The number of processes in a tree, its first process included. */
static unsigned int children = 8;

/* Threads that each run a number of instructions on request. */
struct team {
	int go[THREADS][2], done[2];
	pid_t tids[THREADS];
};

static struct team *team;

static void *member(void *arg)
{
	unsigned long n = (uintptr_t)arg;
	char byte;

	team->tids[n] = gettid();
	if (write(team->done[1], "", 1) != 1)
		return NULL;
	while (read(team->go[n][0], &byte, 1) == 1) {
		spin(byte);
		if (write(team->done[1], "", 1) != 1)
			break;
	}
	return NULL;
}

static void await(unsigned int count)
{
	char byte;

	while (count--)
		if (read(team->done[0], &byte, 1) != 1)
			die("a thread is gone");
}

/* In the child: create the threads. */
static void team_make(void *arg)
{
	unsigned long i;
	pthread_t thread;

	(void)arg;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, member, (void *)i))
			_exit(1);
}

/* A process that creates the threads on request; see team_there(). */
static struct worker team_new(void)
{
	int i, err;

	team = shared(sizeof(*team));
	err = pipe(team->done);
	for (i = 0; i < THREADS; i++)
		err |= pipe(team->go[i]);
	if (err)
		die("pipe: %s", strerror(errno));
	return worker_start(team_make, NULL);
}

static void team_there(const struct worker *worker)
{
	worker_do(worker);
	await(THREADS);
}

/* All threads run at the same time, each 10,000,000 * @tens instructions. */
static void team_do(char tens)
{
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		if (write(team->go[i][1], &tens, 1) != 1)
			die("the threads are gone");
	await(THREADS);
}

/* The sum of the targets' parts of @id, and how many of them are living threads (of @pid). */
static uint64_t sum_of_targets(int fd, uint32_t id, pid_t pid, unsigned int *threads,
			       uint64_t *value)
{
	struct hwpmc_target_value list[64];
	uint32_t i, count = ARRAY_SIZE(list);
	uint64_t sum = 0;

	*threads = 0;
	if (dev_targets(fd, id, value, list, &count))
		die("read targets: %s", dev_sentence(fd));
	for (i = 0; i < count; i++) {
		sum += list[i].value;
		*threads += !list[i].flags && list[i].tid && (!pid || list[i].pid == pid);
	}
	return sum;
}

static void threads_now(int fd)
{
	uint32_t id = counter(fd, -1, 0);
	struct worker worker = team_new();
	uint64_t value, sum;
	unsigned int n;

	team_there(&worker);
	check(!dev_attach(fd, id, worker.pid, 0) && !dev_start(fd, id),
	      "ATTACH to a process with 8 threads");
	team_do(1);
	check_near(dev_value(fd, id), THREADS * SPIN_UNIT, "8 threads that exist at ATTACH");
	sum = sum_of_targets(fd, id, worker.pid, &n, &value);
	check(n == THREADS + 1 && sum == value, "%u threads have a part each, and the parts sum up", n);
	check(!dev_stop(fd, id) && !dev_detach(fd, id, worker.pid, 0), "STOP and DETACH of 8 threads");
	team_do(1);
	sum = sum_of_targets(fd, id, worker.pid, &n, &value);
	check_near(value, THREADS * SPIN_UNIT, "the value stays after DETACH");
	check(n == 0 && sum == value, "no thread's part is left after DETACH, and the base is the value");
	worker_end(&worker);
	dev_release(fd, id);
}

static void threads_later(int fd)
{
	uint32_t id = counter(fd, -1, 0);
	struct worker worker = team_new();

	check(!dev_attach(fd, id, worker.pid, 0) && !dev_start(fd, id),
	      "ATTACH to a process that will have 8 threads");
	team_there(&worker);
	team_do(2);
	check_near(dev_value(fd, id), 2 * THREADS * SPIN_UNIT, "8 threads created after ATTACH");
	worker_end(&worker);
	check_near(dev_value(fd, id), 2 * THREADS * SPIN_UNIT, "8 threads after they are killed");
	/* The kernel frees the tasks after a grace period; then their links are removed. */
	check(SOON(!dev_stats(fd).threads), "8 threads: their records are freed");
	check_near(dev_value(fd, id), 2 * THREADS * SPIN_UNIT, "8 threads after they are freed");
	dev_release(fd, id);
}

/* Attaches to one of 8 threads that all do the same. */
static void one_thread(int fd, bool by_flag)
{
	uint32_t id = counter(fd, -1, by_flag ? HWPMC_F_THREAD : 0);
	const char *how = by_flag ? "F_THREAD" : "ATTACH_TID";
	struct hwpmc_target_value list[4];
	uint32_t count = ARRAY_SIZE(list);
	struct worker worker = team_new();
	uint64_t value;
	pid_t tid;

	team_there(&worker);
	tid = team->tids[5];
	wait_asleep(tid);
	check(!dev_attach(fd, id, tid, by_flag ? 0 : HWPMC_ATTACH_TID) && !dev_start(fd, id),
	      "ATTACH to one thread of 8 by %s", how);
	team_do(2);
	check(!dev_targets(fd, id, &value, list, &count) && count == 1 && list[0].tid == tid &&
	      list[0].pid == worker.pid && list[0].value == value,
	      "%s: the value is the one target's part", how);
	check_exact(value, 2 * SPIN_UNIT, "one thread of 8 that run the same");
	worker_end(&worker);
	dev_release(fd, id);
}

/* A process with @children - 1 children; each of them spins once. */
static void branch(void)
{
	unsigned int i;

	for (i = 1; i < children; i++) {
		if (!syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) {
			spin(1);
			_exit(0);
		}
	}
	spin(1);
	while (wait(NULL) > 0)
		;
	_exit(0);
}

/* Half of the tree exists at ATTACH, asleep; half is forked later. */
struct tree {
	int go[2], done[2];
};

static void tree_grow(struct tree *tree, unsigned int count, bool now)
{
	char byte;

	while (count--) {
		if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
			continue;
		if (now || read(tree->go[0], &byte, 1) == 1)
			branch();
		_exit(1);
	}
}

static void tree_half(void *arg)
{
	static bool second;
	struct tree *tree = arg;

	tree_grow(tree, children / 2, second);
	if (second)
		while (wait(NULL) > 0)
			;
	second = true;
}

static void descendants(int fd)
{
	const uint64_t want = (uint64_t)children * children * SPIN_UNIT;
	uint32_t id = counter(fd, -1, HWPMC_F_DESCENDANTS);
	struct tree tree;
	struct worker worker;
	uint64_t value, sum;
	unsigned int i, n;

	if (pipe(tree.go))
		die("pipe: %s", strerror(errno));
	worker = worker_start(tree_half, &tree);
	worker_do(&worker);
	check(!dev_attach(fd, id, worker.pid, 0) && !dev_start(fd, id),
	      "ATTACH to a process with %u sleeping children", children / 2);
	sum_of_targets(fd, id, 0, &n, &value);
	check(n == 1 + children / 2, "ATTACH follows the process and its children: %u", n);
	for (i = 0; i < children / 2; i++)
		if (write(tree.go[1], "", 1) != 1)
			die("the tree is gone");
	worker_do(&worker);
	sum = sum_of_targets(fd, id, 0, &n, &value);
	check_near(value, want, "a tree of processes");
	check(sum == value && n == 1, "the tree's parts sum up, %u process is left", n);
	check(!dev_stats(fd).owner_fork_failures, "no child fails to inherit");
	worker_end(&worker);
	check_near(dev_value(fd, id), want, "a tree of processes after its root exited");
	dev_release(fd, id);
}

static void spin_twice(void *arg)
{
	(void)arg;
	spin(2);
}

static void children_only_if_asked(int fd)
{
	uint32_t id = counter(fd, -1, 0);
	uint64_t before, after;

	dev_start(fd, id);
	before = dev_value(fd, id);
	storm(STORM_PROCESSES, 10, 1000000);
	after = dev_value(fd, id);
	check(after - before < 2000, "without DESCENDANTS children are not counted: %llu",
	      (unsigned long long)(after - before));
	dev_release(fd, id);
}

static void by_pidfd(int fd)
{
	uint32_t id = counter(fd, -1, 0);
	struct worker worker = worker_start(spin_twice, NULL);
	int pidfd = syscall(SYS_pidfd_open, worker.pid, 0);

	check(pidfd >= 0 && !dev_attach(fd, id, pidfd, HWPMC_ATTACH_PIDFD) && !dev_start(fd, id),
	      "ATTACH by pidfd");
	worker_do(&worker);
	check_exact(dev_value(fd, id), 2 * SPIN_UNIT, "a target attached by pidfd");
	check(!dev_detach(fd, id, pidfd, HWPMC_ATTACH_PIDFD), "DETACH by pidfd");
	worker_do(&worker);
	check_exact(dev_value(fd, id), 2 * SPIN_UNIT, "a target detached by pidfd");
	close(pidfd);
	worker_end(&worker);
	dev_release(fd, id);
}

int main(int argc, char **argv)
{
	int fd;

	time_limit(60);
	scale_down(argc, argv);
	/* Half of the threads exist at ATTACH. */
	children = scaled(children) < 2 ? 2 : scaled(children);
	fd = dev_open();
	threads_now(fd);
	threads_later(fd);
	one_thread(fd, false);
	one_thread(fd, true);
	descendants(fd);
	children_only_if_asked(fd);
	by_pidfd(fd);
	return result();
}
