// SPDX-License-Identifier: GPL-2.0-only
/*
 * "netlink_flood [EVICTIONS]": a user makes the module post notices in a loop: other users'
 * listeners still get the notices that concern them, and the number of lost notices is exact.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>

#include "child.h"
#include "cpu.h"
#include "genl.h"
#include "notices.h"
#include "test_class.h"

#define FLOODER	1001
#define USER	1000
/* ROOM: the most notices that wait for a socket. FLOOD: more than that. */
#define ROOM	1024
#define FLOOD	(ROOM + ROOM / 2)

/* Memory that the processes share. */
static struct flood {
	unsigned int events;	/* notices that the flooder's calls should post */
	bool stop;
	bool ready;		/* set when the other user listens */
} *flood;

static void add(unsigned int count)
{
	__atomic_add_fetch(&flood->events, count, __ATOMIC_SEQ_CST);
}

static unsigned int events(void)
{
	return __atomic_load_n(&flood->events, __ATOMIC_SEQ_CST);
}

/*
 * A user opens the device and calls @once in a loop. @once returns the number of notices that it
 * caused.
 */
static pid_t flood_begin(unsigned int (*once)(int fd))
{
	pid_t pid = fork_tied();
	int fd;

	if (pid)
		return pid;
	become(FLOODER, 0);
	fd = dev_open();
	add(1);
	while (!__atomic_load_n(&flood->stop, __ATOMIC_SEQ_CST))
		add(once(fd));
	close(fd);
	add(1);
	_exit(0);
}

/* Waits until more notices were posted than a socket's queue holds. */
static void flood_wait(void)
{
	unsigned int begun = events();

	if (!SOON(events() >= begun + FLOOD))
		die("%u notices", events());
}

static void flood_end(pid_t pid)
{
	__atomic_store_n(&flood->stop, true, __ATOMIC_SEQ_CST);
	if (reap(pid))
		die("the flooder failed");
}

/* --- Notices for everybody: the PMU is claimed and released */

static unsigned int try_pmc(int fd)
{
	if (class_allocate(fd, HWPMC_MODE_TC, -1, HWPMC_F_TRY))
		die("TRY: %s", dev_sentence(fd));
	return 1;
}

static unsigned int use_pmc(int fd)
{
	dev_release(fd, class_pmc(fd, 0));
	return try_pmc(fd) + 1;
}

static void tries(void)
{
	int sk = notices_listener();
	struct notices notices;
	pid_t pid;

	*flood = (struct flood){ 0 };
	pid = flood_begin(try_pmc);
	flood_wait();
	flood_end(pid);
	/* Notices that are posted later arrive within a tenth of a second. */
	nap(300);
	notices_read(sk, &notices);
	check(notices.all == 2 && notices.of[HWPMC_NL_WHAT_OPEN] == 1 &&
	      notices.of[HWPMC_NL_WHAT_CLOSE] == 1, "%u TRY are no notice: %u", events() - 2,
	      notices.all - 2);
	close(sk);
}

/* The other user starts a PMC, and its listener gets that notice. */
static void finds_its_own(void)
{
	int fd = dev_open(), sk = notices_listener();
	double begun = seconds(), took;
	struct notices notices;
	unsigned int pmu;
	int64_t id;

	__atomic_store_n(&flood->ready, true, __ATOMIC_SEQ_CST);
	flood_wait();
	id = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_CLOCK, 0, 0);
	if (id < 0 || dev_start(fd, (uint32_t)id))
		die("START: %s", dev_sentence(fd));
	flood_wait();
	notices_read_of(sk, &notices, (uint32_t)getpid());
	took = seconds() - begun;
	pmu = notices.of[HWPMC_NL_WHAT_CLAIM] + notices.of[HWPMC_NL_WHAT_UNCLAIM];
	check(notices.of[HWPMC_NL_WHAT_START] == 1 && notices.theirs == 3 &&
	      !notices.of[HWPMC_NL_WHAT_LOST],
	      "a listener meanwhile finds its own notices: %u, and %u are lost", notices.theirs,
	      notices.of[HWPMC_NL_WHAT_LOST]);
	check(pmu <= 10 * took + 2, "and those of the PMU ten times a second at most: %u in %.1f s",
	      pmu, took);
	check(abs((int)notices.of[HWPMC_NL_WHAT_CLAIM] -
		  (int)notices.of[HWPMC_NL_WHAT_UNCLAIM]) <= 1,
	      "which are by turns that it is claimed and released: %u, %u",
	      notices.of[HWPMC_NL_WHAT_CLAIM], notices.of[HWPMC_NL_WHAT_UNCLAIM]);
}

static void claim_in_loop(void)
{
	pid_t flooder, listener;

	*flood = (struct flood){ 0 };
	listener = fork_tied();
	if (!listener) {
		become(USER, 0);
		finds_its_own();
		exit(result());
	}
	if (!SOON(__atomic_load_n(&flood->ready, __ATOMIC_SEQ_CST)))
		die("nobody listens");
	flooder = flood_begin(use_pmc);
	check(!reap(listener), "while another user claims the PMU in a loop");
	flood_end(flooder);
}

/* --- Notices for those who may see all users */

static unsigned int open_close(int fd)
{
	(void)fd;
	close(dev_open());
	return 2;
}

static unsigned int start_stop(int fd)
{
	static int64_t id;
	/* The first START also attaches the PMC to its owner. */
	unsigned int first = id ? 0 : 2;

	if (!id)
		id = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_CLOCK, 0, 0);
	if (id < 0 || dev_start(fd, (uint32_t)id) || dev_stop(fd, (uint32_t)id))
		die("START: %s", dev_sentence(fd));
	return first + 2;
}

#define ACTS	20
/* Notices of one act, including ATTACH by START. */
#define EACH	7

static void act(void)
{
	for (unsigned int i = 0; i < ACTS; i++) {
		int fd = dev_open();
		int64_t id = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1,
					  HWPMC_SOFT_CLOCK, 0, 0);

		if (id < 0 || dev_start(fd, (uint32_t)id) || dev_stop(fd, (uint32_t)id) ||
		    dev_release(fd, (uint32_t)id))
			die("START: %s", dev_sentence(fd));
		close(fd);
	}
}

static void others_remain(const char *name, unsigned int (*once)(int fd))
{
	struct notices during, after;
	unsigned long all, lost;
	pid_t flooder, other;
	int sk = notices_listener();

	*flood = (struct flood){ 0 };
	flooder = flood_begin(once);
	flood_wait();
	other = fork_tied();
	if (!other) {
		become(USER, 0);
		act();
		_exit(0);
	}
	if (reap(other))
		die("the other user failed");
	notices_read_of(sk, &during, (uint32_t)other);
	flood_end(flooder);
	notices_read(sk, &after);
	all = during.all + after.all - during.of[HWPMC_NL_WHAT_LOST] - after.of[HWPMC_NL_WHAT_LOST];
	/* The PMU's release in the case before this one may be reported late. */
	all -= during.of[HWPMC_NL_WHAT_UNCLAIM] + after.of[HWPMC_NL_WHAT_UNCLAIM];
	lost = during.count[HWPMC_NL_WHAT_LOST] + after.count[HWPMC_NL_WHAT_LOST];
	check(during.theirs == EACH * ACTS, "%s in a loop loses another user no notice: %u of %u",
	      name, during.theirs, EACH * ACTS);
	check(during.all - during.theirs > ROOM / 4 && lost,
	      "and the user itself has a part of the room: %u", during.all - during.theirs);
	check(all + lost == events() + EACH * ACTS,
	      "what is there and what is lost is all that happened: %lu + %lu, %u", all, lost,
	      events() + EACH * ACTS);
	close(sk);
}

/* --- Order */

#define READINGS	200

/* Two processes cause notices at the same time. */
static void in_order(void)
{
	int sk = notices_listener();
	unsigned long all = 0;
	struct notices notices;
	bool disorder = false;
	pid_t pids[2];

	*flood = (struct flood){ 0 };
	for (unsigned int i = 0; i < 2; i++)
		pids[i] = flood_begin(open_close);
	for (unsigned int i = 0; i < READINGS; i++) {
		notices_read(sk, &notices);
		disorder |= notices.disorder;
		all += notices.all;
		usleep(5000);
	}
	for (unsigned int i = 0; i < 2; i++)
		flood_end(pids[i]);
	check(all && !disorder, "notices of two CPUs are in the order of their times: %lu", all);
	close(sk);
}

/* --- Evictions */

/* Notices of the PMCs of one file; @good: evictions of the last PMC, @bad: of another one. */
struct evicted {
	uint64_t last;		/* serial number of the last PMC that was allocated */
	unsigned int good, bad;
};

static void count_evicted(const struct nlmsghdr *msg, void *arg)
{
	struct evicted *evicted = arg;
	uint64_t serial = genl_u64(msg, HWPMC_NL_PMC_SERIAL);

	switch (genl_u32(msg, HWPMC_NL_PMC_WHAT)) {
	case HWPMC_NL_WHAT_ALLOCATE:
		evicted->last = serial;
		break;
	case HWPMC_NL_WHAT_EVICT:
		if (serial == evicted->last)
			evicted->good++;
		else
			evicted->bad++;
		break;
	}
}

/* An administrator evicts the holder of a row again and again. */
static void evict(unsigned int row)
{
	int fd = dev_open();

	for (;;) {
		struct hwpmc_admin admin = {
			.flags = HWPMC_ADMIN_FORCE, .row = row, .state = HWPMC_ADMIN_DISABLED,
		};

		dev_call(fd, HWPMC_IOC_ADMIN, &admin, sizeof(admin));
		dev_admin(fd, 0, row, HWPMC_ADMIN_FREE);
	}
}

static void evicted_after_allocated(int fd, unsigned long evictions)
{
	struct evicted evicted = { 0 };
	int sk = notices_listener();
	uint32_t id = class_pmc(fd, 0);
	struct hwpmc_caps caps;
	pid_t pid;

	if (dev_caps(fd, id, &caps) || dev_release(fd, id))
		die("a PMC: %s", dev_sentence(fd));
	pid = fork_tied();
	if (!pid)
		evict(caps.row);
	while (evicted.good + evicted.bad < evictions) {
		id = class_pmc(fd, 0);
		sched_yield();
		dev_release(fd, id);
		genl_dump(sk, notices_family, HWPMC_NL_CMD_NOTICES, count_evicted, &evicted);
	}
	kill(pid, SIGKILL);
	reap(pid);
	dev_admin(fd, 0, caps.row, HWPMC_ADMIN_FREE);
	check(!evicted.bad, "an eviction is never reported before the allocation: %u of %u",
	      evicted.good, evicted.good + evicted.bad);
	close(sk);
}

int main(int argc, char **argv)
{
	unsigned long evictions = argc > 1 ? strtoul(argv[1], NULL, 0) : 2000;
	int fd = class_open(120);

	flood = shared(sizeof(*flood));
	notices_init();
	if (test_class.class_id == HWPMC_CLASS_MOCK) {
		skip("no class of this machine needs the PMU");
	} else {
		tries();
		claim_in_loop();
	}
	others_remain("open and close", open_close);
	others_remain("START and STOP", start_stop);
	in_order();
	evicted_after_allocated(fd, evictions);
	close(fd);
	return result();
}
