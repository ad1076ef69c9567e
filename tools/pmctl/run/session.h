/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SESSION_H
#define PMCTL_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cpulist.h"
#include "event/event.h"

enum grant {
	GRANT_YES,
	GRANT_NOT_SUPPORTED,	/* this machine cannot count it */
	GRANT_NOT_COUNTED,	/* the machine could, but no row is free now */
};

/**
 * struct counter - one PMC
 * @event: index of what it counts
 * @cpu: the CPU, -1 if it counts tasks
 * @value: its value at the last reading
 * @times: its times at the last reading
 */
struct counter {
	unsigned int event;
	int cpu;
	uint64_t value;
	struct hwpmc_times times;
};

/**
 * struct sampling - how PMCs sample
 * @on: PMCs sample; else they count
 * @count: period in events, or with HWPMC_F_FREQUENCY samples per second
 * @user_stack: bytes of the user stack to copy into each sample
 */
struct sampling {
	bool on;
	uint64_t count;
	uint32_t user_stack;
};

/**
 * struct session - an open device and everything allocated through it
 * @fd: the device
 * @hardware: what this machine can count
 * @events: what to count
 * @grants: for each event, whether it is counted
 * @event_count: number of events
 * @cpus: the CPUs to count on; none: count tasks
 * @may_skip: pmctl chose the CPUs: one that went offline is skipped
 * @lenient: pmctl chose the events: one that is refused is skipped
 * @flags: HWPMC_F_* of each PMC
 * @sampling: of each PMC
 * @set_conditions: sets the conditions of the events, after they were resolved; or NULL
 * @filter: argument of @set_conditions, besides the session
 * @was_busy: no row was free for an event, and the message was printed
 * @user_only: kernel mode was refused, and the message was printed
 * @counters: the PMCs, in the order of @ids
 * @ids: their handles
 * @counter_count: number of PMCs
 */
struct session {
	int fd;
	struct hardware hardware;
	struct event *events;
	enum grant *grants;
	unsigned int event_count;
	struct cpulist cpus;
	bool may_skip;
	bool lenient;
	unsigned int flags;
	struct sampling sampling;
	int (*set_conditions)(struct session *session, const void *filter);
	const void *filter;
	bool was_busy;
	bool user_only;
	struct counter *counters;
	uint32_t *ids;
	unsigned int counter_count;
};

/*
 * All return 0, or -1 after a message on standard error. One call of the module starts,
 * stops or reads all PMCs.
 */
int session_allocate(struct session *session);
void session_release(struct session *session);
int session_attach(struct session *session, pid_t pid, bool thread);
int session_start(struct session *session);
int session_stop(struct session *session);
int session_read(struct session *session);

/*
 * Attaches all PMCs to a target, or none, without a message. 0, or an errno with the module's
 * sentence in @why.
 */
int session_try_attach(struct session *session, pid_t pid, bool thread, char *why, size_t size);

/* Reads the sums together with the part of each target. free() @targets. */
int session_read_targets(struct session *session, struct hwpmc_target_value **targets,
			 unsigned int *count);

/* Returns the event of PMC @id, or NULL. */
const struct event *session_event(const struct session *session, uint32_t id);

/* Reads the numbers of samples taken, lost and so on, summed over all PMCs. */
int session_sampled(struct session *session, struct hwpmc_sampled *sum);

/* Makes the module write DROP records for what was lost so far. */
void session_flush(struct session *session);

/* The number of children that could not be counted since the device was opened. */
uint64_t session_lost(struct session *session);

void session_free(struct session *session);

#endif
