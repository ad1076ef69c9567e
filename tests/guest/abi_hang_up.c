// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file hangs up when the last target exits: poll returns POLLHUP, and SIGIO is sent once.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include "test_class.h"

static int fd;

static short polled(int timeout_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, timeout_ms) < 0 ? -1 : pfd.revents;
}

static void hang_up(void)
{
	uint32_t id = class_pmc(fd, 0);
	struct agent a = agent_start(NULL, NULL), b = agent_start(NULL, NULL);
	pid_t killer;

	check(!polled(0), "poll returns nothing without a target");
	dev_attach(fd, id, a.pid, 0);
	dev_attach(fd, id, b.pid, 0);
	check(!polled(0), "poll returns nothing while two targets run");
	agent_reap(&a);
	check(!polled(50), "poll returns nothing while one of two targets runs");
	killer = fork_tied();
	if (!killer) {
		usleep(200000);
		kill(b.pid, SIGKILL);
		_exit(0);
	}
	check(polled(5000 * PATIENCE) == POLLHUP, "poll wakes with POLLHUP when the last target exits");
	check(polled(0) == POLLHUP, "poll returns POLLHUP again");
	reap(killer);
	agent_reap(&b);
	a = agent_start(NULL, NULL);
	check(!dev_attach(fd, id, a.pid, 0) && !polled(0), "poll returns nothing with a new target");
	agent_reap(&a);
	check(polled(5000 * PATIENCE) == POLLHUP, "poll returns POLLHUP when the new target exits");
	dev_release(fd, id);
	check(!polled(0), "poll returns nothing after RELEASE");
}

static volatile sig_atomic_t hung_up;

static void on_sigio(int sig)
{
	(void)sig;
	hung_up++;
}

/* Records of a PMC that samples a whole CPU do not end with the targets of another. */
static void no_hang_up_beside_a_sampler(void)
{
	struct hwpmc_allocate a = {
		.class_id = test_class.class_id, .mode = HWPMC_MODE_SS, .caps = HWPMC_CAP_USER,
		.event = test_class.event, .count = 1ULL << 40,
	};
	uint32_t id = class_pmc(fd, 0);
	struct agent p = agent_start(NULL, NULL);

	if (test_class.class_id == HWPMC_CLASS_MOCK) {
		skip("POLLHUP beside a sampler: no class here samples");
		agent_reap(&p);
		dev_release(fd, id);
		return;
	}
	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)) || dev_attach(fd, id, p.pid, 0))
		die("a sampler and a target: %s", dev_sentence(fd));
	agent_reap(&p);
	check(!(polled(50) & POLLHUP), "no POLLHUP while a PMC samples a whole CPU");
	dev_release(fd, a.id);
	check(polled(5000 * PATIENCE) == POLLHUP, "POLLHUP after that PMC is released");
	dev_release(fd, id);
}

static void sigio(void)
{
	uint32_t id = class_pmc(fd, 0);
	struct agent p = agent_start(NULL, NULL);

	signal(SIGIO, on_sigio);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
	dev_attach(fd, id, p.pid, 0);
	check(!hung_up, "no SIGIO is sent while the target runs");
	agent_reap(&p);
	check(SOON(hung_up) && hung_up == 1, "one SIGIO is sent when the last target exits: %d", (int)hung_up);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_ASYNC);
	p = agent_start(NULL, NULL);
	dev_attach(fd, id, p.pid, 0);
	agent_reap(&p);
	usleep(50000);
	check(hung_up == 1, "no SIGIO is sent without O_ASYNC");
	signal(SIGIO, SIG_DFL);
	dev_release(fd, id);
}

int main(int argc, char **argv)
{
	agent_main(argc, argv);
	fd = class_open(60);
	hang_up();
	no_hang_up_beside_a_sampler();
	sigio();
	check(!dev_stats(fd).pmcs, "no PMC is left");
	return result();
}
