/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_RUN_H
#define PMCTL_RUN_H

#include <stdbool.h>

#include "run/child.h"
#include "run/run_options.h"
#include "run/session.h"

/* The steps that stat and record have in common, from the command line to PMCs that count. */

#define END_GRACE_MS	1000	/* for the program to exit after SIGTERM */

/* The HWPMC_F_* that choose the targets. */
unsigned int run_flags(const struct run_options *options);

/* All functions below return 0, or -1 after a message on standard error. */

/* Opens the device, reads the hardware, and copies and checks the CPUs. */
int run_open_session(struct session *session, const struct run_options *options);

/* Resolves the events as this machine counts them. */
int run_resolve_events(struct session *session, const struct spec_list *specs);

/* Attaches to the targets of -p or -t, else to the program. */
int run_attach(struct session *session, const struct run_options *options,
	       const struct child *child);

/* Starts the program, if there is one. @result: the exit status if that fails. */
int run_exec(struct child *child, const struct run_options *options, int *result);

/* The exit status of the run. With @timed_out the SIGTERM of pmctl is not an error. */
int run_exit_status(const struct child *child, bool timed_out);

#endif
