// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notices of the generic netlink family: each event is reported once to those who may see it, and
 * to nobody else. "netlink_notices [CLOSINGS]": sockets that are closed while notices are posted.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>

#include "child.h"
#include "cpu.h"
#include "genl.h"
#include "notices.h"
#include "param.h"
#include "ring.h"
#include "test_class.h"

#define FEW	4096
/* The most notices that wait for a socket. */
#define ROOM	1024

/* Receives a message if one arrives within @ms, and those after it. Returns their number. */
static unsigned int messages(int sk, int ms)
{
	struct pollfd pfd = { .fd = sk, .events = POLLIN };
	char buffer[4096];
	unsigned int count = 0;

	while (poll(&pfd, 1, ms) == 1 && recv(sk, buffer, sizeof(buffer), 0) > 0) {
		count++;
		ms = 100;
	}
	return count;
}

static pid_t sleeper(void)
{
	pid_t pid = fork_tied();

	if (!pid)
		for (;;)
			pause();
	return pid;
}

static void expect(int sk, unsigned int what, uint64_t count, const char *name)
{
	struct notices notices;
	int err = notices_read(sk, &notices);

	check(!err && notices.all == 1 && notices.of[what] == 1 && notices.count[what] == count &&
	      notices.pid == (uint32_t)getpid(),
	      "%s is one notice: %u, %u of that kind, count %llu, pid %u", name, notices.all,
	      notices.of[what], (unsigned long long)notices.count[what], notices.pid);
}

static void a_life(int sk)
{
	pid_t pid = sleeper();
	struct notices notices;
	uint32_t ids[3];
	int fd, err;

	err = notices_read(sk, &notices);
	check(!err && !notices.all, "at first there is none: %u", notices.all);
	fd = dev_open();
	expect(sk, HWPMC_NL_WHAT_OPEN, 0, "open(2)");
	for (unsigned int i = 0; i < 3; i++)
		ids[i] = (uint32_t)dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1,
						HWPMC_SOFT_CLOCK, 0, 0);
	notices_read(sk, &notices);
	check(notices.all == 3 && notices.of[HWPMC_NL_WHAT_ALLOCATE] == 3 && notices.id == ids[2],
	      "each ALLOCATE is one: %u", notices.of[HWPMC_NL_WHAT_ALLOCATE]);
	dev_attach(fd, ids[0], pid, 0);
	notices_read(sk, &notices);
	check(notices.all == 1 && notices.of[HWPMC_NL_WHAT_ATTACH] == 1 &&
	      notices.target == (uint32_t)pid, "ATTACH names its target: %u", notices.target);
	dev_ids(fd, HWPMC_IOC_START, ids, 1);
	expect(sk, HWPMC_NL_WHAT_START, 1, "START");
	dev_ids(fd, HWPMC_IOC_START, ids, 1);
	err = notices_read(sk, &notices);
	check(!err && !notices.all, "START of what runs is none: %u", notices.all);
	kill(pid, SIGKILL);
	reap(pid);
	expect(sk, HWPMC_NL_WHAT_ENDED, 0, "the end of the last target");
	dev_ids(fd, HWPMC_IOC_STOP, ids, 1);
	expect(sk, HWPMC_NL_WHAT_STOP, 1, "STOP");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids + 1, 2);
	expect(sk, HWPMC_NL_WHAT_RELEASE, 2, "RELEASE of two");
	close(fd);
	expect(sk, HWPMC_NL_WHAT_CLOSE, 1, "close(2) with one left");
}

/*
 * Returns whether a notice about the PMU arrives soon: a work item posts it. The class MOCK needs
 * no PMU: with it, returns whether no such notice arrives.
 */
static bool soon(int sk, unsigned int what)
{
	struct notices notices;

	if (test_class.class_id != HWPMC_CLASS_MOCK)
		return SOON((notices_read(sk, &notices), notices.of[what] == 1));
	/* A notice would arrive after a tenth of a second. */
	usleep(300000);
	notices_read(sk, &notices);
	return !notices.of[what];
}

static void the_machine(int sk)
{
	struct notices notices;
	int fd = class_open(120);
	uint32_t id;

	notices_read(sk, &notices);
	id = class_pmc(fd, 0);
	check(soon(sk, HWPMC_NL_WHAT_CLAIM), "the first PMC claims the PMU, if it needs that");
	dev_release(fd, id);
	check(soon(sk, HWPMC_NL_WHAT_UNCLAIM), "the last one gives it back, if it had it");
	if (!cpu_online(1, false)) {
		skip("CPU 1 cannot go offline");
	} else {
		notices_read(sk, &notices);
		check(notices.of[HWPMC_NL_WHAT_OFFLINE] == 1 && notices.cpu == 1,
		      "a CPU that goes offline is named: %d", notices.cpu);
		cpu_online(1, true);
		notices_read(sk, &notices);
		check(notices.of[HWPMC_NL_WHAT_ONLINE] == 1 && notices.cpu == 1,
		      "and when it is online again: %d", notices.cpu);
	}
	close(fd);
}

static void an_eviction(int sk)
{
	struct hwpmc_admin admin = { .flags = HWPMC_ADMIN_FORCE, .state = HWPMC_ADMIN_DISABLED };
	int fd = class_open(120);
	struct hwpmc_caps caps;
	struct notices notices;
	uint32_t id = class_pmc(fd, 0);

	dev_caps(fd, id, &caps);
	admin.row = caps.row;
	soon(sk, HWPMC_NL_WHAT_CLAIM);
	if (dev_call(fd, HWPMC_IOC_ADMIN, &admin, sizeof(admin)))
		die("ADMIN: %s", dev_sentence(fd));
	notices_read(sk, &notices);
	check(notices.of[HWPMC_NL_WHAT_EVICT] == 1 && notices.id == id, "an eviction is one: %u",
	      notices.of[HWPMC_NL_WHAT_EVICT]);
	soon(sk, HWPMC_NL_WHAT_UNCLAIM);
	admin.state = HWPMC_ADMIN_FREE;
	admin.flags = 0;
	dev_call(fd, HWPMC_IOC_ADMIN, &admin, sizeof(admin));
	close(fd);
}

/* Nobody reads the ring, so it becomes full. On x86 overflows of hardware counters are NMIs. */
static void lost_samples(int sk, struct hwpmc_allocate sampler, const char *name)
{
	bool claims = sampler.class_id != HWPMC_CLASS_SOFT;
	struct notices notices, sum = { 0 };
	struct hwpmc_sampled sampled;
	double begun, took;
	struct ring_map map;
	int fd = dev_open();

	ring_open(&map, fd, 4096);
	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &sampler, sizeof(sampler)))
		die("allocate: %s", dev_sentence(fd));
	if (claims)
		soon(sk, HWPMC_NL_WHAT_CLAIM);
	notices_read(sk, &notices);
	begun = seconds();
	dev_start(fd, sampler.id);
	/* On a busy host a second has few samples. */
	do {
		spin(1);
		sampled = dev_sampled(fd, sampler.id, -1);
	} while (sampled.lost < 100 || !sampled.throttles);
	dev_stop(fd, sampler.id);
	sampled = dev_sampled(fd, sampler.id, -1);
	dev_release(fd, sampler.id);
	took = seconds() - begun;
	notices_read(sk, &sum);
	check(sum.count[HWPMC_NL_WHAT_DROP] == sampled.lost,
	      "%s: %llu lost samples are in the notices: %llu", name,
	      (unsigned long long)sampled.lost,
	      (unsigned long long)sum.count[HWPMC_NL_WHAT_DROP]);
	check(sum.of[HWPMC_NL_WHAT_DROP] && sum.of[HWPMC_NL_WHAT_DROP] <= 10 * took + 2,
	      "%s: these are ten a second at most: %u in %.1f s", name, sum.of[HWPMC_NL_WHAT_DROP],
	      took);
	check(sum.count[HWPMC_NL_WHAT_THROTTLE] == sampled.throttles,
	      "%s: it was throttled %llu times, which is in %u notices: %llu", name,
	      (unsigned long long)sampled.throttles, sum.of[HWPMC_NL_WHAT_THROTTLE],
	      (unsigned long long)sum.count[HWPMC_NL_WHAT_THROTTLE]);
	if (claims)
		soon(sk, HWPMC_NL_WHAT_UNCLAIM);
	ring_close(&map);
	close(fd);
}

static void losses(int sk)
{
	struct hwpmc_allocate sampler = {
		.class_id = HWPMC_CLASS_SOFT, .mode = HWPMC_MODE_TS, .cpu = -1,
		.event = HWPMC_SOFT_CLOCK, .count = 20000,
	};

	/* The limit is five samples in a window: a slow host throttles, too. */
	param_set("max_samples", 500);
	lost_samples(sk, sampler, "clock");
	if (test_class.class_id != HWPMC_CLASS_MOCK) {
		sampler.class_id = test_class.class_id;
		sampler.event = EV_CYCLES;
		lost_samples(sk, sampler, "cycles");
	}
	param_set("max_samples", 100000);
}

/* --- Who is woken, and who loses notices */

static void waking(int sk)
{
	struct notices notices;
	int fd;

	notices_read(sk, &notices);
	/* The work item of an earlier notice may be late. */
	messages(sk, 200);
	check(!messages(sk, 200), "a listener that has read all is sent nothing");
	fd = dev_open();
	check(messages(sk, 10000) == 1, "a notice wakes it");
	dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0);
	close(fd);
	check(!messages(sk, 300), "more notices do not, until it reads");
	notices_read(sk, &notices);
	check(notices.all == 3 && !notices.disorder, "then it has them all, in order: %u",
	      notices.all);
}

static void never_reads(int sk)
{
	struct notices notices;
	unsigned int events = 0;
	int fd = dev_open();

	notices_read(sk, &notices);
	for (; events < FEW; events += 2) {
		int64_t id = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0);

		if (id < 0 || dev_release(fd, (uint32_t)id))
			die("PMC %u: %s", events, dev_sentence(fd));
	}
	notices_read(sk, &notices);
	check(notices.of[HWPMC_NL_WHAT_LOST] == 1 && notices.all < FEW / 2 &&
	      notices.all - 1 + notices.count[HWPMC_NL_WHAT_LOST] == events,
	      "of %u notices a slow reader has %u, and the number of the others: %llu", events,
	      notices.all - 1, (unsigned long long)notices.count[HWPMC_NL_WHAT_LOST]);
	close(fd);
	notices_read(sk, &notices);
	check(notices.all == 1 && notices.of[HWPMC_NL_WHAT_CLOSE] == 1,
	      "after that it loses none: %u", notices.all);
}

/* --- Who may see what */

static int roots_socket;
/* The flag CLONE_NEW* of the outsider's namespace, or 0. */
static int spaces;

static void act(void)
{
	int fd = dev_open();

	dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0);
	close(fd);
}

/* @arg: two pipes: the first reports that the outsider listens, the second that root has acted. */
static void outsider(void *arg)
{
	int *pipes = arg, sk, err;
	struct notices notices;
	char byte = 0;

	if (spaces != CLONE_NEWPID)
		become(1000, 0);
	if (spaces == CLONE_NEWUSER && unshare(CLONE_NEWUSER))
		die("unshare: %s", strerror(errno));
	sk = notices_listener();
	if (write(pipes[1], &byte, 1) != 1 || read(pipes[2], &byte, 1) != 1)
		die("pipe: %s", strerror(errno));
	err = notices_read(sk, &notices);
	check(!err && !notices.all, "it gets no notice of what others do: %u", notices.all);
	check(!messages(sk, 200), "and is not woken");
	err = notices_read(roots_socket, &notices);
	check(!err && !notices.all, "nor from a socket that root listens on: %u", notices.all);
	act();
	err = notices_read(sk, &notices);
	check(!err && notices.all == 3, "it gets those of its own: %u", notices.all);
}

static void hidden_from(const char *who, int of_its_own)
{
	int pipes[4];
	char byte = 0;
	pid_t pid;

	roots_socket = notices_listener();
	spaces = of_its_own;
	if (pipe(pipes) || pipe(pipes + 2))
		die("pipe: %s", strerror(errno));
	pid = fork_tied();
	if (!pid) {
		if (spaces == CLONE_NEWPID && unshare(CLONE_NEWPID))
			die("unshare: %s", strerror(errno));
		in_child(who, outsider, pipes);
		exit(result());
	}
	if (read(pipes[0], &byte, 1) != 1)
		die("%s is not ready", who);
	act();
	if (write(pipes[3], &byte, 1) != 1)
		die("pipe: %s", strerror(errno));
	check(!reap(pid), "%s", who);
	for (unsigned int i = 0; i < 4; i++)
		close(pipes[i]);
	close(roots_socket);
}

/*
 * The network namespace ends with its only process, possibly while a message for it is being sent.
 */
static void in_a_network(void *arg)
{
	struct notices notices;
	int sk, err;

	(void)arg;
	if (unshare(CLONE_NEWNET))
		die("unshare: %s", strerror(errno));
	sk = notices_listener();
	act();
	err = notices_read(sk, &notices);
	check(!err && notices.all == 3, "a network namespace has the same notices: %u",
	      notices.all);
	act();
}

/* --- Refused requests */

static void refusals(void)
{
	struct genl_u32_attr attr = { { sizeof(attr), 1 }, 0 };
	int sk = genl_socket(), others[3], err;
	struct notices notices;

	err = notices_read(sk, &notices);
	check(err == -ENOTCONN && strstr(genl_sentence(), "LISTEN"),
	      "NOTICES without LISTEN fails with ENOTCONN and a sentence: %s, '%s'",
	      strerror(-err), genl_sentence());
	err = genl_send(sk, notices_family, NLM_F_ACK, HWPMC_NL_CMD_LISTEN, &attr, sizeof(attr));
	err = err ? err : genl_receive(sk, NULL, NULL);
	check(err == -EINVAL && *genl_sentence(), "LISTEN with an attribute fails: %s, '%s'",
	      strerror(-err), genl_sentence());
	/* The listener of main() is one of the four. */
	param_set("max_listeners", 4);
	for (unsigned int i = 0; i < 3; i++)
		others[i] = notices_listener();
	err = notices_listen(sk);
	check(err == -EMFILE && strstr(genl_sentence(), "max_listeners"),
	      "the fifth listener of four fails with EMFILE: %s, '%s'", strerror(-err),
	      genl_sentence());
	err = notices_listen(others[0]);
	check(err == -EALREADY && *genl_sentence(), "LISTEN again fails with EALREADY: %s, '%s'",
	      strerror(-err), genl_sentence());
	for (unsigned int i = 0; i < 3; i++)
		close(others[i]);
	check(!notices_listen(sk), "a closed socket listens no longer");
	param_set("max_listeners", 64);
	close(sk);
}

/* A new socket on the port of a closed socket does not take over its listener. */
static void port_reused(void)
{
	struct sockaddr_nl name = { .nl_family = AF_NETLINK };
	socklen_t size = sizeof(name);
	int sk = notices_listener(), again = genl_socket();
	struct notices notices;

	getsockname(sk, (void *)&name, &size);
	close(sk);
	if (bind(again, (void *)&name, sizeof(name)))
		die("bind: %s", strerror(errno));
	act();
	check(!messages(again, 200) && notices_read(again, &notices) == -ENOTCONN,
	      "a socket that takes the port of a closed listener is sent nothing");
	close(again);
}

/*
 * Listeners are opened and closed, some of them during a dump, while another process acts and a CPU
 * goes offline at times. A dump that included notices posted after its start would never end.
 */
static void closings(unsigned long rounds)
{
	unsigned int most = 0;
	struct notices notices;
	pid_t pid;

	/* Each close(2) waits for a grace period of RCU. */
	time_limit(60 + (unsigned int)rounds);
	pid = fork_tied();
	if (!pid)
		for (;;)
			act();
	for (unsigned long i = 0; i < rounds; i++) {
		int sk = notices_listener();

		if (i % 2)
			usleep(1000 * (i % 5));
		if (i % 3 == 1)
			genl_send(sk, notices_family, NLM_F_DUMP, HWPMC_NL_CMD_NOTICES, NULL, 0);
		else if (i % 3 == 2)
			notices_read(sk, &notices);
		if (i % 3 == 2 && notices.all > most)
			most = notices.all;
		if (i % 32 == 31 && cpu_online(1, false))
			cpu_online(1, true);
		close(sk);
	}
	check(most && most <= ROOM, "%lu listeners are closed; a dump has what waited when it began: %u",
	      rounds, most);
	kill(pid, SIGKILL);
	reap(pid);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 100;
	int sk;

	time_limit(120);
	notices_init();
	sk = notices_listener();
	a_life(sk);
	waking(sk);
	the_machine(sk);
	an_eviction(sk);
	losses(sk);
	never_reads(sk);
	hidden_from("another user", 0);
	hidden_from("root of a PID namespace", CLONE_NEWPID);
	hidden_from("root of a user namespace", CLONE_NEWUSER);
	for (unsigned int i = 0; i < 3; i++)
		in_child("a network namespace", in_a_network, NULL);
	refusals();
	port_reused();
	closings(rounds);
	close(sk);
	return result();
}
