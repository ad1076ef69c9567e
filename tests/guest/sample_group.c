// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values that are read together are of one instant, also if an overflow updated them last: it
 * updates a counting PMC together with the sampling one.
 */
#define _GNU_SOURCE
#include <signal.h>

#include "test_class.h"
#include "exact.h"
#include "ring.h"

#define PERIOD	1000000
#define MOVES	40

static pid_t fork_spinner(void)
{
	pid_t pid = fork_tied();

	if (pid)
		return pid;
	pin(0, 1);
	for (;;)
		spin(1);
}

int main(void)
{
	int fd = dev_open();
	pid_t pid = fork_spinner();
	uint32_t ids[2] = { counter(fd, -1, 0) };
	uint64_t last[2] = { 0 }, values[2];
	unsigned int looks, moved = 0, alone = 0;
	struct ring_map map;

	time_limit(60);
	ring_open(&map, fd, 0);
	ids[1] = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER, 0);
	if (dev_attach(fd, ids[0], pid, 0) || dev_attach(fd, ids[1], pid, 0) ||
	    dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("start: %s", dev_sentence(fd));
	for (looks = 0; moved < MOVES; looks++) {
		usleep(1000);	/* a stale read does not interrupt, so wait for a switch or an overflow */
		/* The stored values, without a cross-call. */
		if (dev_rw(fd, HWPMC_RW_OLD | HWPMC_RW_STALE, ids, 2, values))
			die("read: %s", dev_sentence(fd));
		moved += values[1] != last[1];
		alone += values[1] != last[1] && values[0] == last[0];
		memcpy(last, values, sizeof(last));
	}
	check(!alone, "in %u of %u reads the sampling PMC has a new value; in %u of these the counting one has an old one",
	      moved, looks, alone);
	kill(pid, SIGKILL);
	reap(pid);
	ring_close(&map);
	close(fd);
	return result();
}
