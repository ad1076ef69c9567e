/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_RUN_H
#define PMCTL_RUN_H

#include <stdbool.h>

#include "run/child.h"
#include "run/run_options.h"
#include "run/session.h"
#include "run/wait.h"

/* The steps that stat, record and probe share, from the command line to PMCs that count. */

#define END_GRACE_MS	1000	/* for the program to exit after SIGTERM */

/* The HWPMC_F_* that choose the targets. */
unsigned int run_flags(const struct run_options *options);

/* All functions below return 0, or -1 after a message on standard error. */

/* Opens the device, reads the hardware, and copies and checks the CPUs. */
int run_open_session(struct session *session, const struct run_options *options);

/* Resolves the events as this machine counts them. */
int run_resolve_events(struct session *session, const struct spec_list *specs);

/* Forks the program's process, if there is one. @out: where its standard output goes, or -1. */
int run_fork(struct child *child, const struct run_options *options, int out);

/* Attaches to the targets of -p or -t, else to the program. */
int run_attach(struct session *session, const struct run_options *options,
	       const struct child *child);

/* Starts the program, if there is one. @result: the exit status if that fails. */
int run_exec(struct child *child, const struct run_options *options, int *result);

/* Opens the signals that end a run. */
int run_open_signals(struct wait *wait, struct child *child);

/**
 * struct run_steps - a run from its preparation to its end
 * @prepare: returns 0, or -1 before anything has to be undone
 * @go: opens @wait and follows the targets; returns 0, or -1
 */
struct run_steps {
	int (*prepare)(void *run);
	int (*go)(void *run);
};

/* Makes the steps, and ends the program if they fail. */
int run_execute(const struct run_steps *steps, void *run, struct wait *wait, struct child *child);

/*
 * Returns the exit status of the run. With @timed_out a program that ended by pmctl's SIGTERM is
 * not an error.
 */
int run_exit_status(const struct child *child, bool timed_out);

#endif
