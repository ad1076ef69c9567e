// SPDX-License-Identifier: GPL-2.0-only
/* The dump of PMCs of the generic netlink family: complete, and nothing of other users. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "child.h"
#include "genl.h"
#include "test_class.h"

#define MANY	1000

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

static void stranger(void *arg)
{
	struct seen seen;

	(void)arg;
	become(1000, 0);
	seen = dump(genl_socket());
	check(!seen.error && !seen.all && seen.hidden == MANY,
	      "another user sees none of them, and how many there are: %u, %u", seen.all,
	      seen.hidden);
	seen = dump(roots_socket);
	check(!seen.error && !seen.all, "nor by a socket that root has opened: %u", seen.all);
}

/* In a PID namespace of its own, as the root of a container without a user namespace is. */
static void contained(void *arg)
{
	struct seen seen = dump(genl_socket());

	(void)arg;
	check(!seen.error && !seen.all && seen.hidden == MANY,
	      "root of a PID namespace sees nothing from outside: %u, %u", seen.all, seen.hidden);
}

static void in_pid_namespace(void)
{
	pid_t pid = fork_tied();

	if (!pid) {
		if (unshare(CLONE_NEWPID))
			die("unshare: %s", strerror(errno));
		in_child("root of a PID namespace", contained, NULL);
		exit(result());
	}
	check(!reap(pid), "PID namespace");
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

/* A file whose opener is reaped. */
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
	for (unsigned int i = 0; i < MANY; i++)
		if (dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0) < 0)
			die("allocating PMC %u: %s", i, dev_sentence(fd));
	seen = dump(sk);
	check(!seen.error && seen.all == MANY && seen.mine == MANY && !seen.hidden,
	      "the dump has each of %u PMCs, and their process: %u, %u", MANY, seen.all, seen.mine);
	roots_socket = sk;
	in_child("a stranger", stranger, NULL);
	in_pid_namespace();
	malformed(sk);
	close(fd);
	seen = dump(sk);
	check(!seen.error && !seen.all, "after close(2) it has none: %u", seen.all);
	return result();
}
