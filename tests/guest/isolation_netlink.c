// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unprivileged user leaves dumps of the netlink family unread: each takes no more memory than
 * its socket's receive buffer and one message. Dumps of other users are complete, and the module
 * can be unloaded when the sockets are closed. Dumps end, however fast others add what they list.
 */
#define _GNU_SOURCE
#include <linux/sock_diag.h>
#include <pthread.h>
#include <sys/socket.h>

#include "child.h"
#include "genl.h"
#include "param.h"
#include "test.h"

#define SOCKETS	64
#define PMCS	1000	/* more than a receive buffer of this size can hold */
#define BUFFER	8192

static uint16_t family;

static int unread_dump(void)
{
	int sk = genl_socket(), size = BUFFER;

	if (setsockopt(sk, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)) ||
	    genl_send(sk, family, NLM_F_DUMP, HWPMC_NL_CMD_PMCS, NULL, 0))
		die("a dump: %s", strerror(errno));
	return sk;
}

/* By how many bytes the messages in a socket exceed its receive buffer. */
static int excess(int sk)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t size = sizeof(info);

	if (getsockopt(sk, SOL_SOCKET, SO_MEMINFO, info, &size))
		die("SO_MEMINFO: %s", strerror(errno));
	return (int)info[SK_MEMINFO_RMEM_ALLOC] - (int)info[SK_MEMINFO_RCVBUF];
}

static void count(const struct nlmsghdr *msg, void *arg)
{
	*(unsigned int *)arg += !!genl_u64(msg, HWPMC_NL_PMC_SERIAL);
}

/*
 * A user who allocates PMCs to list, since an unprivileged user sees only its own. Reports when the
 * dumps wait, and closes them on request.
 */
static void leave_unread(int ready, int go)
{
	int sockets[SOCKETS], fd, most = INT32_MIN;
	char byte = 0;

	become(1000, 0);
	fd = dev_open();
	for (int i = 0; i < PMCS; i++)
		dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_CLOCK, 0, 0);
	for (int i = 0; i < SOCKETS; i++)
		sockets[i] = unread_dump();
	for (int i = 0; i < SOCKETS; i++)
		most = excess(sockets[i]) > most ? excess(sockets[i]) : most;
	/*
	 * The kernel adds a message while the buffer is not full, and the message may be larger
	 * than the free space.
	 */
	check(most < 2 * BUFFER,
	      "%d dumps that nobody reads take their buffers, and up to %d bytes more", SOCKETS, most);
	close(fd);
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		die("a pipe: %s", strerror(errno));
	for (int i = 0; i < SOCKETS; i++)
		close(sockets[i]);
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		die("a pipe: %s", strerror(errno));
	exit(result());
}

/* --- Dumps of what grows meanwhile */

#define ITEMS	400		/* more than are listed before the first message is received */
#define LIMIT	(4 * ITEMS)	/* a dump that gets here would not end */

/*
 * A list that is dumped. Each item that is received is removed, and another one is added, as a user
 * can do in other tasks.
 */
static struct growing {
	int fd;
	uint32_t id;
	int fds[ITEMS];
	unsigned int seen;
} growing;

static int64_t soft_pmc(void)
{
	int64_t id = dev_allocate(growing.fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0);

	if (id < 0)
		die("ALLOCATE: %s", dev_sentence(growing.fd));
	return id;
}

static void renew_pmc(const struct nlmsghdr *msg, void *arg)
{
	(void)arg;
	if (++growing.seen > LIMIT)
		return;
	dev_release(growing.fd, genl_u32(msg, HWPMC_NL_PMC_ID));
	soft_pmc();
}

static void renew_owner(const struct nlmsghdr *msg, void *arg)
{
	int *fd = &growing.fds[growing.seen % ITEMS];

	(void)arg;
	(void)msg;
	if (++growing.seen > LIMIT)
		return;
	close(*fd);
	*fd = dev_open();
}

static void renew_target(const struct nlmsghdr *msg, void *arg)
{
	int tid = (int)genl_u32(msg, HWPMC_NL_PMC_TARGET);

	(void)arg;
	if (++growing.seen > LIMIT)
		return;
	if (dev_detach_target(growing.fd, growing.id, genl_u64(msg, HWPMC_NL_PMC_HANDLE)) ||
	    dev_attach(growing.fd, growing.id, tid, HWPMC_ATTACH_TID))
		die("DETACH and ATTACH: %s", dev_sentence(growing.fd));
}

static void dump_growing(uint8_t cmd, const char *what,
			 void (*renew)(const struct nlmsghdr *msg, void *arg))
{
	int sk = genl_socket(), err;

	growing.seen = 0;
	err = genl_dump(sk, family, cmd, renew, NULL);
	check(!err && growing.seen == ITEMS,
	      "a dump of %s ends with those of its beginning, while others are added: %u of %u",
	      what, growing.seen, ITEMS);
	close(sk);
}

static void *sleep_for_ever(void *arg)
{
	*(volatile int *)arg = gettid();
	for (;;)
		pause();
	return NULL;
}

/* Attaches a PMC to threads. */
static void grow_targets(void)
{
	static volatile int tids[ITEMS];
	pthread_attr_t small;
	pthread_t thread;

	growing.fd = dev_open();
	growing.id = (uint32_t)soft_pmc();
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < ITEMS; i++) {
		if (pthread_create(&thread, &small, sleep_for_ever, (void *)&tids[i]))
			die("a thread: %s", strerror(errno));
		while (!tids[i])
			usleep(100);
		if (dev_attach(growing.fd, growing.id, tids[i], HWPMC_ATTACH_TID))
			die("ATTACH: %s", dev_sentence(growing.fd));
	}
}

static void growing_lists(void)
{
	for (int i = 0; i < ITEMS; i++)
		growing.fds[i] = dev_open();
	dump_growing(HWPMC_NL_CMD_OWNERS, "owners", renew_owner);
	for (int i = 0; i < ITEMS; i++)
		close(growing.fds[i]);
	grow_targets();
	dump_growing(HWPMC_NL_CMD_TARGETS, "targets of a PMC", renew_target);
	for (int i = 1; i < ITEMS; i++)
		soft_pmc();
	dump_growing(HWPMC_NL_CMD_PMCS, "PMCs", renew_pmc);
	close(growing.fd);
}

int main(void)
{
	int sk = genl_socket(), ready[2], go[2], fd, before;
	unsigned int seen = 0;
	char byte = 0;
	pid_t pid;

	time_limit(120);
	family = genl_family(sk);
	before = module_references();
	if (pipe(ready) || pipe(go))
		die("a pipe: %s", strerror(errno));
	fflush(stdout);
	pid = fork_tied();
	if (!pid)
		leave_unread(ready[1], go[0]);
	if (read(ready[0], &byte, 1) != 1)
		die("the other user: %d", reap(pid));
	check(module_references() > before, "unread dumps hold the module: %d references, %d before",
	      module_references(), before);
	fd = dev_open();
	for (int i = 0; i < 10; i++)
		dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_CLOCK, 0, 0);
	check(!genl_dump(sk, family, HWPMC_NL_CMD_PMCS, count, &seen) && seen == 10,
	      "another user's dump beside them is complete: %u PMCs", seen);
	close(fd);
	if (write(go[1], &byte, 1) != 1 || read(ready[0], &byte, 1) != 1)
		die("the other user: %d", reap(pid));
	check(SOON(module_references() == before),
	      "they hold it until their sockets are closed: %d references", module_references());
	if (write(go[1], &byte, 1) != 1)
		die("the other user: %d", reap(pid));
	check(!reap(pid), "the other user ends");
	growing_lists();
	return result();
}
