// SPDX-License-Identifier: GPL-2.0-only
/* The dumps of PMCs and targets of the netlink family: complete, and nothing of other users. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include "child.h"
#include "genl.h"
#include "test_class.h"

#define MANY	1000
#define THREADS	200
#define FOLLOW	5	/* PMCs that follow each thread: more targets than a message has room for */

struct seen {
	unsigned int all, mine, hidden, running, exited, targets, target;
	uint64_t owners[2];
	char comm[16];
	int error;
};

static uint16_t family;
static int roots_socket;

static void look(const struct nlmsghdr *msg, void *arg)
{
	struct seen *seen = arg;

	seen->hidden += genl_u32(msg, HWPMC_NL_PMC_HIDDEN);
	if (!genl_u64(msg, HWPMC_NL_PMC_SERIAL))
		return;
	seen->owners[seen->all++ % 2] = genl_u64(msg, HWPMC_NL_PMC_OWNER);
	seen->mine += genl_u32(msg, HWPMC_NL_PMC_PID) == (uint32_t)getpid();
	seen->running += genl_u32(msg, HWPMC_NL_PMC_STATE) == HWPMC_NL_STATE_RUNNING;
	seen->exited += genl_u32(msg, HWPMC_NL_PMC_EXITED);
	seen->targets = genl_u32(msg, HWPMC_NL_PMC_TARGETS);
	seen->target = genl_u32(msg, HWPMC_NL_PMC_TARGET);
	snprintf(seen->comm, sizeof(seen->comm), "%s", genl_text(msg, HWPMC_NL_PMC_TARGET_COMM));
}

static struct seen dump(int sk)
{
	struct seen seen = { 0 };

	seen.error = genl_dump(sk, family, HWPMC_NL_CMD_PMCS, look, &seen);
	return seen;
}

/* --- Targets */

/* What a dump of targets contains: numbers of targets, and the fields of the last one. */
struct followed {
	unsigned int all, interrupted, repeated, hidden, single;
	uint64_t serial, handle;
	uint32_t id, target;
	char comm[16];
	int error;
	/* What to detach when the first message is received. */
	int fd;
	uint32_t detach;
	int tid;
};

static void look_at_target(const struct nlmsghdr *msg, void *arg)
{
	struct followed *followed = arg;
	uint64_t serial = genl_u64(msg, HWPMC_NL_PMC_SERIAL);
	uint64_t handle = genl_u64(msg, HWPMC_NL_PMC_HANDLE);

	followed->interrupted += !!(msg->nlmsg_flags & NLM_F_DUMP_INTR);
	followed->hidden += genl_u32(msg, HWPMC_NL_PMC_HIDDEN);
	if (!serial)
		return;
	/* Targets are sorted by the serial number of their PMC, and then by handle. */
	followed->repeated += serial < followed->serial ||
			      (serial == followed->serial && handle <= followed->handle);
	followed->all++;
	followed->serial = serial;
	followed->handle = handle;
	followed->id = genl_u32(msg, HWPMC_NL_PMC_ID);
	followed->single = genl_u32(msg, HWPMC_NL_PMC_SINGLE);
	followed->target = genl_u32(msg, HWPMC_NL_PMC_TARGET);
	snprintf(followed->comm, sizeof(followed->comm), "%s",
		 genl_text(msg, HWPMC_NL_PMC_TARGET_COMM));
	if (followed->tid && dev_detach(followed->fd, followed->detach, followed->tid,
					HWPMC_ATTACH_TID))
		die("DETACH: %s", dev_sentence(followed->fd));
	followed->tid = 0;
}

static struct followed dump_targets(int sk)
{
	struct followed followed = { 0 };

	followed.error = genl_dump(sk, family, HWPMC_NL_CMD_TARGETS, look_at_target, &followed);
	return followed;
}

static void *follow_me(void *arg)
{
	*(volatile int *)arg = gettid();
	for (;;)
		pause();
}

/* Starts threads, and attaches each PMC to each of them. */
static void follow_threads(int fd, const uint32_t *ids, volatile int *tids)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (unsigned int i = 0; i < THREADS; i++) {
		if (pthread_create(&thread, &small, follow_me, (void *)&tids[i]))
			die("a thread: %s", strerror(errno));
		while (!tids[i])
			usleep(100);
		for (unsigned int j = 0; j < FOLLOW; j++)
			if (dev_attach(fd, ids[j], tids[i], HWPMC_ATTACH_TID))
				die("ATTACH: %s", dev_sentence(fd));
	}
}

static void many_targets(int sk)
{
	static volatile int tids[THREADS];
	struct followed followed = { 0 };
	uint32_t ids[FOLLOW];
	int fd = dev_open();

	for (unsigned int i = 0; i < FOLLOW; i++)
		ids[i] = (uint32_t)dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0);
	follow_threads(fd, ids, tids);
	followed = dump_targets(sk);
	check(!followed.error && followed.all == FOLLOW * THREADS && !followed.repeated &&
	      !followed.interrupted && followed.single,
	      "each of %u targets is in the dump once: %u, %u again, %u interrupted",
	      FOLLOW * THREADS, followed.all, followed.repeated, followed.interrupted);
	followed = (struct followed){ .fd = fd, .detach = ids[FOLLOW - 1], .tid = tids[THREADS - 1] };
	followed.error = genl_dump(sk, family, HWPMC_NL_CMD_TARGETS, look_at_target, &followed);
	check(!followed.error && followed.all == FOLLOW * THREADS - 1 && followed.interrupted,
	      "a target that is detached meanwhile interrupts it: %u, %u messages are marked",
	      followed.all, followed.interrupted);
	/* The dump continues after the PMC at which it stopped was released. */
	followed = (struct followed){ 0 };
	genl_send(sk, family, NLM_F_DUMP, HWPMC_NL_CMD_TARGETS, NULL, 0);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, FOLLOW - 1);
	followed.error = genl_receive(sk, look_at_target, &followed);
	check(!followed.error && followed.all >= THREADS - 1 && !followed.repeated &&
	      followed.interrupted && followed.id == ids[FOLLOW - 1],
	      "so do PMCs that are released, and it has the next one: %u, %u marked", followed.all,
	      followed.interrupted);
	close(fd);
	followed = dump_targets(sk);
	check(!followed.error && !followed.all, "after close(2) there is none: %u", followed.all);
}

static void targets(int sk)
{
	struct followed followed;
	pid_t pid = fork_tied();
	int fd = dev_open();
	uint64_t handle;
	uint32_t id;

	if (!pid)
		for (;;)
			pause();
	id = (uint32_t)dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0);
	dev_attach(fd, id, 0, 0);
	handle = dev_attach_target(fd, id, pid);
	followed = dump_targets(sk);
	check(followed.all == 2 && followed.handle == handle && followed.id == id &&
	      !followed.single && followed.target == (uint32_t)pid &&
	      !strcmp(followed.comm, "t-netlink_dump"),
	      "a target has its handle, its pid and its name: %u targets, %u, '%s'", followed.all,
	      followed.target, followed.comm);
	kill(pid, SIGKILL);
	reap(pid);
	followed = dump_targets(sk);
	check(followed.all == 2 && followed.target == (uint32_t)pid && !*followed.comm,
	      "one that is reaped has no name: %u, '%s'", followed.all, followed.comm);
	dev_detach_target(fd, id, handle);
	followed = dump_targets(sk);
	check(followed.all == 1 && followed.target == (uint32_t)getpid() && followed.handle != handle,
	      "after DETACH it is not there: %u", followed.all);
	close(fd);
}

/* --- Others */

static void stranger(void *arg)
{
	struct followed followed;
	struct seen seen;

	(void)arg;
	become(1000, 0);
	seen = dump(genl_socket());
	check(!seen.error && !seen.all && seen.hidden == MANY,
	      "another user sees none of them, and how many there are: %u, %u", seen.all,
	      seen.hidden);
	seen = dump(roots_socket);
	check(!seen.error && !seen.all, "nor by a socket that root has opened: %u", seen.all);
	followed = dump_targets(genl_socket());
	check(!followed.error && !followed.all && followed.hidden == MANY,
	      "nor their targets: %u, %u PMCs", followed.all, followed.hidden);
	followed = dump_targets(roots_socket);
	check(!followed.error && !followed.all, "nor by root's socket: %u", followed.all);
}

/* Runs in a PID namespace of its own, as root of a container without a user namespace. */
static void contained(void *arg)
{
	struct seen seen = dump(genl_socket());
	struct followed followed;
	uint32_t id;
	int fd;

	(void)arg;
	check(!seen.error && !seen.all && seen.hidden == MANY,
	      "root of a PID namespace sees nothing from outside: %u, %u", seen.all, seen.hidden);
	fd = dev_open();
	id = (uint32_t)dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0);
	dev_attach(fd, id, 0, 0);
	followed = dump_targets(genl_socket());
	check(followed.all == 1 && followed.hidden == MANY && followed.target == (uint32_t)getpid(),
	      "but its own target, by its number there: %u, %u", followed.all, followed.target);
	close(fd);
}

static void malformed(int sk)
{
	const struct genl_u32_attr attr = { { sizeof(attr), 1 }, 7 };
	struct seen seen = { 0 };
	int err;

	genl_send(sk, family, NLM_F_DUMP, HWPMC_NL_CMD_PMCS, &attr, sizeof(attr));
	err = genl_receive(sk, look, &seen);
	check(err == -EINVAL && !seen.all && *genl_sentence(),
	      "a request with an attribute fails with EINVAL and a sentence: %s, '%s'",
	      strerror(-err), genl_sentence());
	err = genl_dump(sk, family, 99, look, &seen);
	check(err == -EOPNOTSUPP, "a command that does not exist fails with EOPNOTSUPP: %s",
	      strerror(-err));
}

/* A file whose opener has exited and was reaped. */
static void passed_on(int sk)
{
	int ready[2], fd, pidfd;
	struct seen seen;
	pid_t pid;

	if (pipe(ready))
		die("pipe: %s", strerror(errno));
	pid = fork_tied();
	if (!pid) {
		fd = dev_open();
		dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0);
		if (write(ready[1], &fd, sizeof(fd)) < 0)
			exit(1);
		for (;;)
			pause();
	}
	if (read(ready[0], &fd, sizeof(fd)) < 0)
		die("read: %s", strerror(errno));
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	if (fd < 0)
		die("pidfd_getfd: %s", strerror(errno));
	seen = dump(sk);
	check(seen.all == 1 && !seen.exited, "an owner that lives is not marked: %u", seen.all);
	kill(pid, SIGKILL);
	reap(pid);
	seen = dump(sk);
	check(seen.all == 1 && seen.exited == 1, "one that is reaped is: %u, %u", seen.all,
	      seen.exited);
	close(fd);
	close(pidfd);
}

static void states(int sk)
{
	int first = dev_open(), second = dev_open();
	pid_t pid = fork_tied();
	struct seen seen;
	uint32_t id;

	if (!pid)
		for (;;)
			pause();
	id = (uint32_t)dev_allocate(first, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0);
	seen = dump(sk);
	check(seen.all == 1 && !seen.running && !seen.targets && !seen.target,
	      "a PMC that was not started does not run, and has no target");
	dev_attach(first, id, pid, 0);
	dev_start(first, id);
	seen = dump(sk);
	check(seen.running == 1 && seen.targets == 1 && seen.target == (uint32_t)pid &&
	      !strcmp(seen.comm, "t-netlink_dump"),
	      "one that was runs, and its target is named: %u, '%s'", seen.target, seen.comm);
	kill(pid, SIGKILL);
	reap(pid);
	seen = dump(sk);
	check(seen.targets == 1 && seen.target == (uint32_t)pid && !*seen.comm,
	      "a target that is reaped has no name: '%s'", seen.comm);
	dev_allocate(second, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0);
	seen = dump(sk);
	check(seen.owners[0] && seen.owners[1] && seen.owners[0] != seen.owners[1],
	      "two files have two numbers");
	close(first);
	close(second);
}

int main(void)
{
	int sk = genl_socket(), fd = dev_open();
	struct seen seen;

	time_limit(60);
	family = genl_family(sk);
	seen = dump(sk);
	check(!seen.error && !seen.all && !seen.hidden, "without PMCs the dump is empty");
	states(sk);
	passed_on(sk);
	targets(sk);
	many_targets(sk);
	for (unsigned int i = 0; i < MANY; i++) {
		int64_t id = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0);

		if (id < 0 || (!i && dev_attach(fd, (uint32_t)id, 0, 0)))
			die("PMC %u: %s", i, dev_sentence(fd));
	}
	seen = dump(sk);
	check(!seen.error && seen.all == MANY && seen.mine == MANY && !seen.hidden,
	      "the dump has each of %u PMCs, and their process: %u, %u", MANY, seen.all, seen.mine);
	roots_socket = sk;
	in_child("a stranger", stranger, NULL);
	in_pid_namespace("root of a PID namespace", contained, NULL);
	malformed(sk);
	close(fd);
	seen = dump(sk);
	check(!seen.error && !seen.all, "after close(2) it has none: %u", seen.all);
	return result();
}
