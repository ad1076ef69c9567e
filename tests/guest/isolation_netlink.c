// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unprivileged user leaves dumps of the netlink family unread: each takes no more memory than
 * its socket's receive buffer and one message. Dumps of other users are complete, and the module
 * can be unloaded when the sockets are closed.
 */
#include <linux/sock_diag.h>
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
 * Allocates PMCs of its own, since an unprivileged user sees no others. Reports when the dumps
 * wait, and then closes them.
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
	 * than the rest.
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
	return result();
}
