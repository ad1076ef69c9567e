/* SPDX-License-Identifier: GPL-2.0-only */
/* Filters of ps and monitor, and the machine's counters. */
#ifndef PMCTL_WATCHING_H
#define PMCTL_WATCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/patterns.h"
#include "event/hardware.h"

/**
 * struct watching - the filters; an empty one selects everything
 * @pids: processes, as owner or as target
 * @pid_count: number of @pids
 * @uids: users
 * @uid_count: number of @uids
 * @comms: commands of owners
 */
struct watching {
	uint32_t *pids;
	size_t pid_count;
	uint32_t *uids;
	size_t uid_count;
	struct patterns comms;
};

/* The value of option -p, -u or -c. 0, or -1 after a message on standard error. */
int watching_take(struct watching *who, int letter, const char *text);
/* Whether there is any filter. */
bool watching_any(const struct watching *who);
bool watching_wants(const struct watching *who, uint32_t pid, uint32_t target, uint32_t uid,
		    const char *comm);
void watching_free(struct watching *who);

/* The machine's counters if the device can be opened; else all 0. */
void watching_hardware(struct hardware *hardware);

#endif
