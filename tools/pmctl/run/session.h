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
	GRANT_NOT_COUNTED,	/* it could, but not now */
};

/**
 * struct counter - one PMC of ours
 * @event: index of what it counts
 * @cpu: where, -1 if it follows tasks
 * @value: when it was last read
 * @times: likewise
 */
struct counter {
	unsigned int event;
	int cpu;
	uint64_t value;
	struct hwpmc_times times;
};

/**
 * struct sampling - how PMCs sample
 * @on: they do; else they count
 * @count: period in events, or with HWPMC_F_FREQUENCY samples per second
 * @user_stack: bytes of the user's stack in each sample
 */
struct sampling {
	bool on;
	uint64_t count;
	uint32_t user_stack;
};

/**
 * struct session - an open device and everything allocated through it
 * @fd: the device
 * @hardware: what it has
 * @events: what to count
 * @grants: for each event, whether it is counted
 * @event_count: how many events
 * @cpus: the CPUs to count on; none: follow tasks
 * @may_skip: the CPUs are our choice: one that went offline is passed over
 * @lenient: the events are our choice: one that cannot be had is passed over
 * @flags: HWPMC_F_* of each PMC
 * @sampling: of each PMC
 * @was_busy: @lenient, and no row was left for some event; that was said
 * @user_only: the kernel refused us kernel mode; that was said
 * @counters: the PMCs, in the order of @ids
 * @ids: their handles
 * @counter_count: how many
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
	bool was_busy;
	bool user_only;
	struct counter *counters;
	uint32_t *ids;
	unsigned int counter_count;
};

/*
 * All return 0, or -1 after a sentence on standard error. All PMCs are
 * allocated, started, stopped and read by one call each.
 */
int session_allocate(struct session *session);
void session_release(struct session *session);
int session_attach(struct session *session, pid_t pid, bool thread);
int session_start(struct session *session);
int session_stop(struct session *session);
int session_read(struct session *session);

/*
 * Reads what each target added, together with the sums. @targets is the
 * caller's to free.
 */
int session_read_targets(struct session *session, struct hwpmc_target_value **targets,
			 unsigned int *count);

/* The event that PMC @id counts, or NULL. */
const struct event *session_event(const struct session *session, uint32_t id);

/* What became of the samples of all PMCs so far. */
int session_sampled(struct session *session, struct hwpmc_sampled *sum);

/* Has what was lost so far told by DROP records in the rings. */
void session_flush(struct session *session);

/* How many children could not be followed since the device was opened. */
uint64_t session_lost(struct session *session);

void session_free(struct session *session);

#endif
