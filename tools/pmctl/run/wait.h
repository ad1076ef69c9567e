/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_WAIT_H
#define PMCTL_WAIT_H

#include <stdbool.h>

#include "run/child.h"
#include "run/run_options.h"

/**
 * struct wait - the events that a run waits for
 * @signals: the descriptor of signals_open()
 * @device: the device with -p, -t, -T, -u or -G, else -1
 * @rings: the device while its rings are read, else -1
 * @control: the FIFO of --control, or -1
 * @ready: out: the rings have records
 * @commanded: out: the FIFO has commands
 * @takes_snapshots: SIGUSR2 requests a snapshot
 * @snapshot: out: a snapshot was requested
 * @child: the program; its @pid is 0 if there is none
 * @pidfds: of -p; -1 once the process has exited
 * @pidfd_count: number of pidfds
 * @threads: of -t; polled
 * @signal: out: the signal that ended the run; 0 without
 * @interrupted: ^C was sent to us and to the program: the next one ends the run
 */
struct wait {
	int signals;
	int device;
	int rings;
	int control;
	bool ready;
	bool commanded;
	bool takes_snapshots;
	bool snapshot;
	struct child *child;
	int *pidfds;
	unsigned int pidfd_count;
	const struct pid_set *threads;
	int signal;
	bool interrupted;
};

/**
 * struct wait_times - deadlines of a run, by clock_now(); negative: none
 * @start: the PMCs start
 * @next: the next intermediate result, or the next log
 * @end: the run ends
 */
struct wait_times {
	int64_t start;
	int64_t next;
	int64_t end;
};

/* The first of @times, or the next reading of rings that do not reach their watermark. */
int64_t wait_soonest(const struct wait_times *times);

/*
 * Prepares @wait to wait for the end of the targets of @options, and with @rings for records.
 * @wait->control is -1 until the caller sets it.
 */
void wait_open(struct wait *wait, const struct run_options *options, int device, bool rings);
void wait_close(struct wait *wait);

/*
 * Sleeps until @deadline (clock_now(), negative: none), or until the rings have records or the FIFO
 * has commands, or at a request for a snapshot.
 * Returns true if the run has ended.
 */
bool wait_until(struct wait *wait, int64_t deadline);

#endif
