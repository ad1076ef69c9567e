// SPDX-License-Identifier: GPL-2.0-only
/*
 * "netlink_nomem [STEP]": fails the 1st, 2nd, ... allocation or copy from or to user space of a
 * netlink request, until it has no more of them. The request succeeds or fails, leaks nothing, and
 * a new socket works. With STEP each request has only every STEPth of them fail. Requests begin at
 * different ones, because most of them are the same in all requests.
 */
#include <sys/socket.h>
#include <sys/time.h>

#include "child.h"
#include "fail.h"
#include "genl.h"
#include "test.h"

#define PMCS	50

static uint16_t family;
static unsigned int step = 1;

static void count(const struct nlmsghdr *msg, void *arg)
{
	*(unsigned int *)arg += genl_command(msg) != HWPMC_NL_CMD_WAKE;
}

static int request(int sk, uint16_t flags, uint8_t cmd, unsigned int *seen)
{
	int err = genl_send(sk, family, flags, cmd, NULL, 0);

	*seen = 0;
	return err ? err : genl_receive(sk, count, seen);
}

/* The failed allocation may be that of the response, so receiving has a time limit. */
static int impatient(void)
{
	const struct timeval limit = { .tv_sec = 1 };
	int sk = genl_socket();

	setsockopt(sk, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return sk;
}

static bool listens(int sk, unsigned int *seen)
{
	return !request(sk, NLM_F_DUMP, HWPMC_NL_CMD_NOTICES, seen);
}

/*
 * Makes one request on a new socket, and fails its @nth allocation. Returns whether the request had
 * that many.
 */
static bool attempt(const char *name, uint8_t cmd, unsigned int nth)
{
	bool listen = cmd == HWPMC_NL_CMD_LISTEN, fired, good;
	int sk = impatient(), err, fd;
	unsigned int seen;

	if (cmd == HWPMC_NL_CMD_NOTICES) {
		request(sk, NLM_F_ACK, HWPMC_NL_CMD_LISTEN, &seen);
		fd = dev_open();
		close(fd);
	}
	fail_set_nth(nth);
	err = request(sk, listen ? NLM_F_ACK : NLM_F_DUMP, cmd, &seen);
	fired = fail_nth_fired();
	if (cmd == HWPMC_NL_CMD_PMCS || cmd == HWPMC_NL_CMD_TARGETS)
		good = err || seen == PMCS;
	else if (cmd == HWPMC_NL_CMD_NOTICES)
		good = err || seen == 2;
	else if (cmd == HWPMC_NL_CMD_OWNERS)
		good = err || seen == 1;
	else if (cmd == HWPMC_NL_CMD_CPUS || cmd == HWPMC_NL_CMD_CLASSES ||
		 cmd == HWPMC_NL_CMD_ROWS || cmd == HWPMC_NL_CMD_STATISTICS)
		good = err || seen > 1;
	else
		good = err || listens(sk, &seen);
	if (!good || (!fired && err))
		check(false, "%s with failure %u: %s, %u messages", name, nth, strerror(-err), seen);
	close(sk);
	sk = impatient();
	err = request(sk, NLM_F_DUMP, HWPMC_NL_CMD_PMCS, &seen);
	if (err || seen != PMCS)
		check(false, "%s with failure %u: a dump afterwards: %s, %u", name, nth,
		      strerror(-err), seen);
	close(sk);
	return fired;
}

static void each_failure(const char *name, uint8_t cmd)
{
	static unsigned int requests;
	unsigned int nth = 1 + requests++ % step, failures = 0;

	for (; nth < FAIL_MAX && attempt(name, cmd, nth); nth += step)
		failures++;
	check(failures > 1 && nth < FAIL_MAX, "%s completes after %u injected failures", name,
	      failures);
}

int main(int argc, char **argv)
{
	int sk = genl_socket(), fd = dev_open();

	if (argc > 1)
		step = strtoul(argv[1], NULL, 0);
	time_limit(600);
	family = genl_family(sk);
	close(sk);
	if (!fail_open())
		return result();
	for (unsigned int i = 0; i < PMCS; i++) {
		int64_t id = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0);

		if (id < 0 || dev_attach(fd, (uint32_t)id, 0, 0))
			die("PMC %u: %s", i, dev_sentence(fd));
	}
	each_failure("PMCS", HWPMC_NL_CMD_PMCS);
	each_failure("OWNERS", HWPMC_NL_CMD_OWNERS);
	each_failure("TARGETS", HWPMC_NL_CMD_TARGETS);
	each_failure("CPUS", HWPMC_NL_CMD_CPUS);
	each_failure("CLASSES", HWPMC_NL_CMD_CLASSES);
	each_failure("ROWS", HWPMC_NL_CMD_ROWS);
	each_failure("STATISTICS", HWPMC_NL_CMD_STATISTICS);
	each_failure("LISTEN", HWPMC_NL_CMD_LISTEN);
	each_failure("NOTICES", HWPMC_NL_CMD_NOTICES);
	close(fd);
	return result();
}
