/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_RUN_H
#define PMCTL_RUN_H

#include <stdbool.h>

#include "run/child.h"
#include "run/run_options.h"
#include "run/session.h"

/* From a command line to PMCs that count: what stat and record have in common. */

#define END_GRACE_MS	1000	/* for a program that we end because we are to end */

/* HWPMC_F_* that say who is followed. */
unsigned int run_flags(const struct run_options *options);

/* All below: 0, or -1 after a sentence on standard error. */

/* Opens the device, finds out what it has, settles on which CPUs to count. */
int run_open_session(struct session *session, const struct run_options *options);

/* Finds out how this machine counts what was typed. */
int run_resolve_events(struct session *session, const struct spec_list *specs);

/* Attaches to named targets if there are any, else to the program. */
int run_attach(struct session *session, const struct run_options *options,
	       const struct child *child);

/* Lets the program begin, if there is one. @result: the exit status if it cannot. */
int run_exec(struct child *child, const struct run_options *options, int *result);

/* The exit status after a program has ended: after @timed_out our own SIGTERM is no failure. */
int run_exit_status(const struct child *child, bool timed_out);

#endif
