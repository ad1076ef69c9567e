// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user with as many sockets that listen for notices as it may have: the calls of another user
 * take at most 1 % more instructions, whether the sockets are read or not. Needs -icount and one
 * CPU.
 */
#include "child.h"
#include "cpu.h"
#include "genl.h"
#include "median.h"
#include "notices.h"
#include "param.h"
#include "pingpong.h"
#include "test.h"

#define WATCHER	1000
#define USER	1001
#define TIMES	41	/* the result is their median; most have no timer tick */
#define MANY	64	/* files or PMCs at once: with one, each call may take and free a page */
#define RUNS	3	/* a slowdown is in each run; effects of the kernel's memory are not */

static uint32_t pmcs[MANY];

/* --- The user who listens */

enum watch {
	ALONE,		/* the same sockets, which do not listen */
	UNREAD,		/* listeners whose queues nobody reads */
	READ,		/* listeners that were read, and wait to be woken */
	WATCHES
};

static const char *const names[WATCHES] = { "alone", "unread", "read" };

static int request[2], reply[2];

static void listen_as(enum watch watch, int *sockets, unsigned int count)
{
	struct notices notices;

	for (unsigned int i = 0; i < count; i++) {
		switch (watch) {
		case ALONE:
			if (sockets[i])
				close(sockets[i]);
			sockets[i] = genl_socket();
			break;
		case UNREAD:
			if (notices_listen(sockets[i]))
				die("LISTEN: %s", genl_sentence());
			break;
		default:
			if (notices_read(sockets[i], &notices))
				die("the notices of listener %u", i);
		}
	}
}

/* Waits in read(2) while the other user's calls are measured. */
static void watcher(unsigned int count)
{
	int *sockets = calloc(count, sizeof(*sockets));
	char watch;

	become(WATCHER, 0);
	close(request[1]);
	while (read(request[0], &watch, 1) == 1) {
		listen_as(watch, sockets, count);
		if (write(reply[1], &watch, 1) != 1)
			break;
	}
	exit(result());
}

static void be_watched(enum watch watch)
{
	char byte = (char)watch;

	if (write(request[1], &byte, 1) != 1 || read(reply[0], &byte, 1) != 1)
		die("the user who listens has failed");
	warm_up();
}

/* --- The other user's calls */

static void open_close(void)
{
	int fds[MANY];

	for (int i = 0; i < MANY; i++)
		fds[i] = dev_open();
	for (int i = 0; i < MANY; i++)
		close(fds[i]);
}

static uint32_t allocate(void)
{
	int64_t id = dev_allocate(user_fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_FAULTS,
				  0, 0);

	if (id < 0)
		die("ALLOCATE: %s", dev_sentence(user_fd));
	return (uint32_t)id;
}

static void allocate_release(void)
{
	uint32_t ids[MANY];

	for (int i = 0; i < MANY; i++)
		ids[i] = allocate();
	for (int i = 0; i < MANY; i++)
		dev_release(user_fd, ids[i]);
}

static void attach_detach(void)
{
	int err = 0;

	for (int i = 0; i < MANY; i++)
		err |= dev_attach(user_fd, pmcs[i], 0, 0);
	for (int i = 0; i < MANY; i++)
		err |= dev_detach(user_fd, pmcs[i], 0, 0);
	if (err)
		die("ATTACH and DETACH: %s", dev_sentence(user_fd));
}

static void start_stop(void)
{
	static uint32_t started;

	if (!started) {
		started = dev_instructions(user_fd, 0);
		dev_attach(user_fd, started, 0, 0);
	}
	if (dev_start(user_fd, started) || dev_stop(user_fd, started))
		die("START and STOP: %s", dev_sentence(user_fd));
}

/* @turns: how often @once is called in each measurement */
static const struct work {
	const char *name;
	void (*once)(void);
	unsigned int turns;
} works[] = {
	{ "open and close of 64 files", open_close, 1 },
	{ "ALLOCATE and RELEASE of 64 PMCs", allocate_release, 1 },
	{ "ATTACH and DETACH of 64 PMCs", attach_detach, 1 },
	{ "START and STOP", start_stop, 20 },
};

/* The cost of this run; and the pair of the run in which @watch and ALONE differ least. */
static double costs[ARRAY_SIZE(works)][WATCHES];
static struct pair { double cost, alone; } least[ARRAY_SIZE(works)][WATCHES];

static double time_of(const struct work *work)
{
	double times[TIMES];

	for (int i = 0; i < TIMES; i++) {
		double begun = seconds();

		for (unsigned int turn = 0; turn < work->turns; turn++)
			work->once();
		times[i] = (seconds() - begun) * 1e9 / work->turns;
	}
	return median(times, TIMES);
}

static void measure(enum watch watch)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(works); i++) {
		struct pair *pair = &least[i][watch];

		costs[i][watch] = time_of(&works[i]);
		if (!pair->cost ||
		    costs[i][watch] / costs[i][ALONE] < pair->cost / pair->alone)
			*pair = (struct pair){ costs[i][watch], costs[i][ALONE] };
	}
}

static void other_user(void *arg)
{
	(void)arg;
	for (int i = 0; i < MANY; i++)
		pmcs[i] = allocate();
	for (int i = 0; i < RUNS; i++)
		for (enum watch watch = ALONE; watch < WATCHES; watch++) {
			be_watched(watch);
			measure(watch);
		}
	for (unsigned int i = 0; i < ARRAY_SIZE(works); i++)
		for (enum watch watch = UNREAD; watch < WATCHES; watch++)
			check(least[i][watch].cost < least[i][watch].alone * 1.01,
			      "%s beside %s listeners of another user: %.0f, alone %.0f",
			      works[i].name, names[watch], least[i][watch].cost,
			      least[i][watch].alone);
}

int main(void)
{
	unsigned int count = (unsigned int)param_get("max_listeners");
	pid_t pid;

	time_limit(60);
	pin(0, 0);
	notices_init();
	if (pipe(request) || pipe(reply))
		die("pipe: %s", strerror(errno));
	pid = fork_tied();
	if (!pid)
		watcher(count);
	as_user("the other user", USER, 0, other_user, NULL);
	close(request[1]);
	check(!reap(pid), "the user who listens to %u sockets ends", count);
	return result();
}
