// SPDX-License-Identifier: GPL-2.0-only
/*
 * "isolation_watch [DIVISOR]": what a plain user's sockets of the netlink family cost another user.
 * While it dumps PMCs, owners and rows without end on another CPU, or listens as often as it may,
 * the other's ALLOCATE and RELEASE, START and STOP, and open and close take at most 1 % more
 * instructions, those of the kernel included, and seldom wait for a lock. Needs -icount, two CPUs.
 */
#define _GNU_SOURCE
#include <sys/socket.h>
#include <sys/timerfd.h>

#include "exact.h"
#include "genl.h"
#include "param.h"
#include "probe.h"

#define TURNS	400
#define MEETINGS	100
#define RUNS	3	/* of each; the cheapest counts */
#define PMCS	1000	/* of the watcher, so that a dump of them takes long */
#define SLICE	30000	/* ns, see meet() */

static int fd;
static uint32_t meter, own, waits;

/* --- What the victim does */

static void allocate(void)
{
	int64_t id = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_CLOCK, 0, 0);

	if (id < 0 || dev_release(fd, (uint32_t)id))
		die("ALLOCATE or RELEASE: %s", dev_sentence(fd));
}

static void start(void)
{
	if (dev_start(fd, own) || dev_stop(fd, own))
		die("START or STOP: %s", dev_sentence(fd));
}

static void open_close(void)
{
	close(dev_open());
}

static const struct work {
	const char *name;
	void (*once)(void);
} works[] = {
	{ "ALLOCATE and RELEASE", allocate },
	{ "START and STOP", start },
	{ "open and close", open_close },
};

/* --- What the watcher does */

/*
 * Meanwhile it dumps something in any case: what the kernel's own timers and callbacks do on the
 * victim's CPU depends on whether the other one is idle. 0: the families of generic netlink.
 */
static const struct watching {
	const char *name;
	uint8_t dump;
	bool listens;
} watchings[] = {
	{ "alone", 0, false },
	{ "listening", 0, true },
	{ "dumping PMCs", HWPMC_NL_CMD_PMCS, false },
	{ "dumping owners", HWPMC_NL_CMD_OWNERS, false },
	{ "dumping rows", HWPMC_NL_CMD_ROWS, false },
};

/* Shared: which of @watchings it is to do, which it does, and how many dumps it has made. */
static struct {
	volatile unsigned int wanted, done, dumps;
} *orders;

static uint16_t family;

static void listen_often(int *sockets, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		sockets[i] = genl_socket();
		if (genl_send(sockets[i], family, NLM_F_ACK, HWPMC_NL_CMD_LISTEN, NULL, 0) ||
		    genl_receive(sockets[i], NULL, NULL))
			die("LISTEN %u: %s", i, genl_sentence());
	}
}

static void obey(unsigned int what, int sk, unsigned int most)
{
	unsigned int listeners = watchings[what].listens ? most : 0;
	int sockets[most];

	listen_often(sockets, listeners);
	orders->done = what;
	while (orders->wanted == what) {
		int err = watchings[what].dump ?
			  genl_dump(sk, family, watchings[what].dump, NULL, NULL) :
			  genl_dump(sk, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NULL, NULL);

		orders->dumps += !err;
	}
	while (listeners)
		close(sockets[--listeners]);
}

static void watch(unsigned int most)
{
	int sk, device;

	pin(0, 1);
	become(1000, 0);
	sk = genl_socket();
	device = dev_open();
	for (int i = 0; i < PMCS; i++)
		if (dev_allocate(device, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_CLOCK, 0,
				 0) < 0)
			die("PMC %d of the watcher: %s", i, dev_sentence(device));
	for (;;)
		obey(orders->wanted, sk, most);
}

/* --- Measuring */

/*
 * How often the victim waits for a lock. QEMU runs one CPU at a time, up to the next timer: so each
 * time the watcher is stopped somewhere after SLICE, with the locks that it has there.
 */
static uint64_t meet(void (*once)(void))
{
	const struct itimerspec slice = { .it_value.tv_nsec = SLICE };
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	uint64_t before = dev_value(fd, waits);

	for (uint64_t i = 0; i < scaled(MEETINGS); i++) {
		if (timerfd_settime(timer, 0, &slice, NULL))
			die("a timer: %s", strerror(errno));
		yield_cpu();
		once();
	}
	close(timer);
	return dev_value(fd, waits) - before;
}

/* Instructions of a turn, a mean: what is waited for now and then counts, too. */
static double turn(void (*once)(void))
{
	uint64_t turns = scaled(TURNS), before = dev_value(fd, meter);

	for (uint64_t i = 0; i < turns; i++)
		once();
	return (double)(dev_value(fd, meter) - before) / (double)turns;
}

static double costs[ARRAY_SIZE(works)][ARRAY_SIZE(watchings)];
static uint64_t waited[ARRAY_SIZE(works)][ARRAY_SIZE(watchings)];

static void measure(unsigned int what)
{
	unsigned int before;

	orders->wanted = what;
	if (!SOON(orders->done == what))
		die("the watcher does not begin %s", watchings[what].name);
	before = orders->dumps;
	for (unsigned int i = 0; i < ARRAY_SIZE(works); i++) {
		double cost = turn(works[i].once);

		waited[i][what] += meet(works[i].once);
		if (!costs[i][what] || cost < costs[i][what])
			costs[i][what] = cost;
	}
	if (!SOON(orders->dumps != before))
		die("no dump ends");
}

static void judge_one(unsigned int i, unsigned int what)
{
	uint64_t turns = RUNS * scaled(MEETINGS);

	check(costs[i][what] < costs[i][0] * 1.01,
	      "%s beside a user who is %s: %.0f instructions, alone %.0f", works[i].name,
	      watchings[what].name, costs[i][what], costs[i][0]);
	check(waited[i][what] <= waited[i][0] + turns / 4,
	      "it waits for a lock %llu times in %llu turns, alone %llu times",
	      (unsigned long long)waited[i][what], (unsigned long long)turns,
	      (unsigned long long)waited[i][0]);
}

static void judge(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(works); i++)
		for (unsigned int what = 1; what < ARRAY_SIZE(watchings); what++)
			judge_one(i, what);
}

static void victim_open(void)
{
	int64_t id;

	fd = dev_open();
	id = dev_allocate(fd, dev_class(), HWPMC_MODE_TC, -1, EV_INSTRUCTIONS,
			  HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, 0);
	if (id < 0 || dev_start(fd, (uint32_t)id))
		die("the victim's instructions: %s", dev_sentence(fd));
	meter = (uint32_t)id;
	id = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_CLOCK, 0, 0);
	if (id < 0 || dev_attach(fd, (uint32_t)id, 0, 0))
		die("the victim's clock: %s", dev_sentence(fd));
	own = (uint32_t)id;
	waits = probe_count(fd, "tracepoint:lock:contention_begin", 0);
	if (dev_start(fd, waits))
		die("the victim's waits: %s", dev_sentence(fd));
}

int main(int argc, char **argv)
{
	unsigned int most = (unsigned int)param_get("max_listeners");

	scale_down(argc, argv);
	time_limit(300);
	orders = shared(sizeof(*orders));
	family = genl_family(genl_socket());
	pin(0, 0);
	orders->done = ARRAY_SIZE(watchings);
	fflush(stdout);
	if (!fork_tied())
		watch(most);
	victim_open();
	/* The first turns allocate what later ones use again. */
	for (unsigned int i = 0; i < ARRAY_SIZE(works); i++)
		turn(works[i].once);
	for (unsigned int run = 0; run < RUNS; run++)
		for (unsigned int what = 0; what < ARRAY_SIZE(watchings); what++)
			measure(what);
	judge();
	return result();
}
