// SPDX-License-Identifier: GPL-2.0-only
/* The owner is the open file, whichever process uses it; each owner has its own last error. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "test_class.h"

static int fd;

static struct hwpmc_last_error last(int of)
{
	struct hwpmc_last_error e = {};

	if (dev_call(of, HWPMC_IOC_LAST_ERROR, &e, sizeof(e)))
		die("LAST_ERROR: %s", strerror(errno));
	return e;
}

static void last_errors(void)
{
	int a = dev_open(), b = dev_open();
	struct hwpmc_last_error e;
	uint32_t id;

	e = last(a);
	check(!e.error && !e.text[0], "a new owner has no last error");
	dev_stop(a, 0x1234);
	e = last(a);
	check(e.error == ENOENT && strstr(e.text, "0x1234"), "LAST_ERROR returns the owner's failure: %u, %s", e.error,
	      e.text);
	e = last(b);
	check(!e.error && !e.text[0], "a failure does not set another owner's last error");
	dev_stop(b, 0x77);
	class_allocate(b, 99, -1, 0);
	e = last(a);
	check(e.error == ENOENT && strstr(e.text, "0x1234"), "another owner's failure does not change the last error");
	e = last(b);
	check(e.error == EINVAL && strstr(e.text, "mode 99"), "LAST_ERROR returns the last of two failures: %u, %s",
	      e.error, e.text);
	id = class_pmc(b, 0);
	dev_release(b, id);
	e = last(b);
	check(e.error == EINVAL && strstr(e.text, "mode 99"), "a call that succeeds keeps the last error");
	close(a);
	close(b);
}

/* Without rings only ioctl and poll work. */
static void other_calls(void)
{
	char byte = 0;
	int again;

	check(read(fd, &byte, 1) < 0 && errno == EBADFD, "read without rings fails with EBADFD");
	check(write(fd, &byte, 1) < 0 && errno == EINVAL, "write fails with EINVAL");
	check(lseek(fd, 0, SEEK_SET) < 0 && errno == ESPIPE, "lseek fails with ESPIPE");
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == ENXIO,
	      "mmap without rings fails with ENXIO");
	again = open("/dev/hwpmc", O_RDONLY);
	check(again >= 0 && class_free_rows(again, HWPMC_MODE_TC, -1) == test_class.rows,
	      "a file opened read-only is an owner");
	close(again);
}

static void in_fork(void *arg)
{
	uint32_t id = *(uint32_t *)arg;
	struct hwpmc_row_info row;
	struct hwpmc_caps caps;
	int64_t mine;

	check(dev_value(fd, id) == 42, "fork: the child has the parent's PMC");
	check(!dev_write(fd, id, 43), "fork: the child may write the parent's PMC");
	mine = class_allocate(fd, HWPMC_MODE_TC, -1, 0);
	check(mine > 0 && !dev_caps(fd, mine, &caps),
	      "fork: a PMC that the child allocates is the same owner's");
	row = dev_row_info(fd, 0, caps.row);
	check(row.pid == getppid(), "fork: PMC_INFO returns the pid that opened the file: %d", row.pid);
	close(fd);
}

static void forks(void)
{
	uint32_t id = class_pmc(fd, 0);

	dev_write(fd, id, 42);
	in_child("fork", in_fork, &id);
	check(dev_value(fd, id) == 43, "fork: the parent reads what the child wrote");
	check(dev_stats(fd).pmcs == 2, "fork: the child's PMC exists after the child exited: %llu",
	      (unsigned long long)dev_stats(fd).pmcs);
	dev_release(fd, id);
	/* Its id was known to the child only. */
}

static void start_in_fork(void *arg)
{
	uint32_t id = *(uint32_t *)arg;

	check(!dev_start(fd, id), "START in a child of the parent's PMC");
	spin(1);
	check(dev_value(fd, id) > 0, "that PMC counts the child: %llu",
	      (unsigned long long)dev_value(fd, id));
	check(!dev_detach(fd, id, 0, 0), "the child is that PMC's target");
}

static void self_is_who_calls(void)
{
	uint32_t id = class_pmc(fd, 0);

	in_child("START in a child", start_in_fork, &id);
	check(dev_detach(fd, id, 0, 0) == -ESRCH, "the parent is not that PMC's target");
	dev_release(fd, id);
}

static void dups(void)
{
	int one = dev_open(), two = dup(one);
	uint64_t owners = dev_stats(fd).owners;
	uint32_t id = class_pmc(one, 0);

	check(dev_value(two, id) == 0, "dup: both descriptors are one owner");
	close(one);
	check(!dev_start(two, id) && !dev_stop(two, id) && dev_stats(fd).owners == owners,
	      "dup: close of one keeps the owner");
	close(two);
	check(dev_stats(fd).owners == owners - 1 && dev_stats(fd).pmcs == 1,
	      "dup: close of the last ends the owner");
}

static void pass(int sock, int what)
{
	char byte = 1, space[CMSG_SPACE(sizeof(int))] = {};
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = space,
			      .msg_controllen = sizeof(space) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &what, sizeof(int));
	if (sendmsg(sock, &msg, 0) != 1)
		die("sendmsg: %s", strerror(errno));
}

static int take(int sock)
{
	char byte, space[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = space,
			      .msg_controllen = sizeof(space) };
	int got = -1;

	if (recvmsg(sock, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg))
		memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	return got;
}

/* A child opens, allocates, passes the file on and exits. */
static void passed(void)
{
	uint64_t owners = dev_stats(fd).owners;
	int socks[2], got;
	uint32_t id = 0;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, socks))
		die("socketpair: %s", strerror(errno));
	pid = fork_tied();
	if (!pid) {
		int mine = dev_open();

		id = class_pmc(mine, 0);
		dev_write(mine, id, 4711);
		pass(socks[0], mine);
		if (write(socks[0], &id, sizeof(id)) != sizeof(id))
			_exit(1);
		_exit(0);
	}
	got = take(socks[1]);
	if (read(socks[1], &id, sizeof(id)) != sizeof(id))
		die("the child's id");
	reap(pid);
	check(got >= 0 && dev_value(got, id) == 4711, "a file passed over a socket can be used: %llu",
	      (unsigned long long)dev_value(got, id));
	check(!dev_start(got, id) && !dev_stop(got, id) && dev_value(got, id) >= 4711,
	      "START by the process that received the file");
	check(dev_row_info(fd, 0, test_class.first).pid >= 0 || dev_row_info(fd, 0, test_class.first + 1).pid >= 0,
	      "PMC_INFO returns the pid that opened the passed file");
	close(got);
	check(dev_stats(fd).owners == owners, "close by the last process ends the owner");

	/* In flight when both ends are closed. */
	got = dev_open();
	class_pmc(got, 0);
	pass(socks[0], got);
	close(got);
	check(dev_stats(fd).owners == owners + 1, "a file in flight is an owner");
	close(socks[0]);
	close(socks[1]);
	check(SOON(dev_stats(fd).owners == owners && dev_stats(fd).pmcs == 1),
	      "a file in flight ends with its socket");
}

/* A log that is a socket in which the file itself is in flight would never be closed. */
static void in_its_own_log(void)
{
	uint64_t owners = dev_stats(fd).owners;
	struct hwpmc_log log = { 0 };
	int socks[2], mine = dev_open();

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, socks))
		die("socketpair: %s", strerror(errno));
	log.fd = socks[1];
	refused(mine, dev_call(mine, HWPMC_IOC_LOG_OPEN, &log, sizeof(log)), EINVAL,
		"Unix socket|pipe|TCP", "LOG_OPEN of a socket over which the file could be sent");
	pass(socks[0], mine);
	close(mine);
	close(socks[0]);
	close(socks[1]);
	check(SOON(dev_stats(fd).owners == owners), "a file sent over that socket ends with it");
}

static void die_running(void *arg)
{
	int mine = dev_open();
	uint32_t id = class_pmc(mine, HWPMC_F_DESCENDANTS);
	int64_t sys = class_allocate(mine, HWPMC_MODE_SC, 0, 0);

	(void)arg;
	if (dev_start(mine, id) || sys < 0 || dev_start(mine, sys))
		_exit(1);
}

static void killed(void)
{
	struct agent p = agent_start(die_running, NULL);
	uint64_t pmcs = dev_stats(fd).pmcs;

	agent_reap(&p);
	check(dev_stats(fd).pmcs == pmcs - 2 && class_free_rows(fd, HWPMC_MODE_SC, 0) == test_class.rows - 1,
	      "a killed owner's running PMCs are released");
}

static void close_running(void)
{
	int mine = dev_open();
	uint32_t id = class_pmc(mine, 0);
	int64_t sys = class_allocate(mine, HWPMC_MODE_SC, 1, 0);

	if (dev_start(mine, id) || dev_start(mine, sys))
		die("start: %s", dev_sentence(mine));
	close(mine);
	check(dev_stats(fd).pmcs == 1, "close releases running PMCs");
}

int main(int argc, char **argv)
{
	agent_main(argc, argv);
	fd = class_open(60);
	last_errors();
	other_calls();
	self_is_who_calls();
	forks();
	dups();
	passed();
	in_its_own_log();
	killed();
	close_running();
	return result();
}
