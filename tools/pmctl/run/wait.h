/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_WAIT_H
#define PMCTL_WAIT_H

#include <stdbool.h>

#include "run/child.h"
#include "run/run_options.h"

/**
 * struct wait - what may end a run
 * @signals: the descriptor of signals_open()
 * @device: the device while we follow -p or -t, else -1
 * @rings: the device while its rings are read, else -1
 * @ready: out: there is something in the rings
 * @child: the program; its @pid is 0 if there is none
 * @pidfds: of -p, each -1 once that process has ended
 * @pidfd_count: how many
 * @threads: of -t: looked after now and then
 * @signal: out: the signal that ended the run, 0 none
 * @interrupted: a ^C came that the program got too: the next one ends the run
 */
struct wait {
	int signals;
	int device;
	int rings;
	bool ready;
	struct child *child;
	int *pidfds;
	unsigned int pidfd_count;
	const struct pid_set *threads;
	int signal;
	bool interrupted;
};

/* Looks after the targets of @options; @rings: and after the rings. */
void wait_open(struct wait *wait, const struct run_options *options, int device, bool rings);
void wait_close(struct wait *wait);

/*
 * Sleeps until @deadline (clock_now(), negative: none), or until the rings are to
 * be read. True: the run has ended.
 */
bool wait_until(struct wait *wait, int64_t deadline);

#endif
