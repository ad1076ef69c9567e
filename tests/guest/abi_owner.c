// SPDX-License-Identifier: GPL-2.0-only
/* The owner is the open file, whichever process uses it. Each call returns its own sentence. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "test_class.h"

static int fd;

/* A thread whose calls all fail. The sentence of each call has a different number. */
static void *fails(void *first)
{
	uint32_t i, id = (uintptr_t)first;
	unsigned long foreign = 0;
	char own[32];

	for (i = 0; i < 5000; i++) {
		snprintf(own, sizeof(own), "id 0x%x ", id + i);
		foreign += dev_stop(fd, id + i) != -ENOENT || !strstr(dev_sentence(fd), own);
	}
	return (void *)foreign;
}

/* The call returns the sentence, so threads that share the file do not read each other's. */
static void sentences_of_threads(void)
{
	void *wrong[2];
	pthread_t other;

	if (pthread_create(&other, NULL, fails, (void *)0x10000000UL))
		die("pthread_create");
	wrong[0] = fails((void *)0x20000000UL);
	pthread_join(other, &wrong[1]);
	check(!wrong[0] && !wrong[1],
	      "two threads that share a file each get their own sentences: %lu and %lu of 5000 are not",
	      (unsigned long)wrong[0], (unsigned long)wrong[1]);
}

/* Calls STOP of an id that does not exist, with @size bytes for the sentence. */
static uint32_t stop_with_room(char *room, uint32_t size)
{
	struct hwpmc_ids ids = {
		.size = sizeof(ids), .count = 1, .ids = (uintptr_t)&(uint32_t){ 0x1234 },
		.error_text = (uintptr_t)room, .error_size = size, .error_length = 4711,
	};

	if (ioctl(fd, HWPMC_IOC_STOP, &ids) != -1 || errno != ENOENT)
		die("STOP of an id that does not exist: %s", strerror(errno));
	return ids.error_length;
}

static void rooms(void)
{
	static const char whole[] = "id 0x1234 is not a PMC of this open file";
	char room[64];

	memset(room, '#', sizeof(room));
	check(stop_with_room(room, sizeof(room)) == sizeof(whole) && !strcmp(room, whole) &&
	      room[sizeof(whole)] == '#',
	      "a failed call writes its sentence, and nothing behind it: %s", room);
	memset(room, '#', sizeof(room));
	check(stop_with_room(room, 9) == sizeof(whole) && !memcmp(room, "id 0x123", 9) &&
	      room[9] == '#', "a sentence is cut to its room, and its length is reported: %s", room);
	memset(room, '#', sizeof(room));
	check(stop_with_room(room, 1) == sizeof(whole) && !room[0] && room[1] == '#',
	      "room for one byte gets a NUL");
	check(stop_with_room(room, 0) == sizeof(whole) && room[1] == '#',
	      "without room, the length is reported");
	check(stop_with_room(NULL, sizeof(room)) == 4711, "no sentence is written where none is wanted");
	check(stop_with_room((char *)8, sizeof(room)) == 4711,
	      "room that is not mapped does not change the call's error");
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
	/* Only the child has this id. */
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

	/* The file is in flight over a socket pair when both ends are closed. */
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

/* A log to a socket in which the file itself is in flight would never be closed. */
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
	sentences_of_threads();
	rooms();
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
