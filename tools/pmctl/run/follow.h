/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_FOLLOW_H
#define PMCTL_FOLLOW_H

#include <linux/hwpmc.h>

#include "run/match.h"
#include "run/session.h"

/**
 * struct follow - the targets of -T, -u and -G: those at the start, and those found later
 * @match: which processes
 * @last: those that the last scan found
 * @refused: number of processes that could not be attached to after the start
 * @why: why not, of the first one
 */
struct follow {
	const struct match *match;
	struct pid_set last;
	unsigned int refused;
	char why[HWPMC_SENTENCE_MAX];
};

/*
 * Attaches to all matching processes. 0, or -1 after a message: no process matches, or none may be
 * counted.
 */
int follow_begin(struct follow *follow, struct session *session, const struct match *match);

/*
 * Attaches to matching processes that are not counted yet. With @running the PMCs run: they are
 * stopped during the attach. 0, or -1 after a message.
 */
int follow_more(struct follow *follow, struct session *session, bool running);

/* Prints which processes could not be counted, and frees @follow's memory. */
void follow_end(struct follow *follow);

#endif
