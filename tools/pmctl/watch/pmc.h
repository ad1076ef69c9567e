/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_PMC_H
#define PMCTL_PMC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/hardware.h"

struct family;
struct nlattr;

/**
 * struct pmc_target - a process or thread that a PMC was attached to
 * @pid: its number, 0 if it cannot be seen
 * @comm: its name, scrubbed; empty if it is reaped
 * @handle: its handle in the owner's file
 * @single: it is a thread
 */
struct pmc_target {
	uint32_t pid;
	char *comm;
	uint64_t handle;
	bool single;
};

/**
 * struct pmc - a PMC of any owner, see enum hwpmc_nl_pmc
 * @serial: its number among all PMCs
 * @owner: number of the open file
 * @id: its id in that file
 * @pid: process that opened the file
 * @exited: that process is reaped, so @pid may now be the number of another process
 * @uid: user of that process
 * @comm: its name, scrubbed
 * @user: name of @uid, or the number
 * @class_id: HWPMC_CLASS_*
 * @event: its number in the class
 * @caps: HWPMC_CAP_*
 * @event_name: as stat -e takes it
 * @row: its row
 * @mode: HWPMC_MODE_*
 * @cpu: its CPU, or -1
 * @flags: HWPMC_F_*
 * @state: HWPMC_NL_STATE_*
 * @targets: number of attached processes and threads
 * @target: the first of them, 0 if it cannot be seen or there is none
 * @target_comm: its name, scrubbed; empty if it is reaped
 * @all: the targets, if the list was read with them
 * @all_count: number of @all
 * @threads: living threads that it follows
 * @age: ns since it was allocated
 * @recorded: samples that were taken and not lost
 * @lost: samples that were lost
 *
 * Fields that a message does not have are 0 or "".
 */
struct pmc {
	uint64_t serial;
	uint64_t owner;
	uint32_t id;
	uint32_t pid;
	bool exited;
	uint32_t uid;
	char *comm;
	char *user;
	uint32_t class_id;
	uint64_t event;
	uint64_t caps;
	char *event_name;
	uint32_t row;
	uint32_t mode;
	int32_t cpu;
	uint32_t flags;
	uint32_t state;
	uint32_t targets;
	uint32_t target;
	char *target_comm;
	struct pmc_target *all;
	size_t all_count;
	uint32_t threads;
	uint64_t age;
	uint64_t recorded;
	uint64_t lost;
};

/**
 * struct pmc_list - the PMCs that this user may see
 * @pmcs: in the order in which they were allocated
 * @count: number of @pmcs
 * @hidden: number of PMCs that this user may not see
 */
struct pmc_list {
	struct pmc *pmcs;
	size_t count;
	unsigned int hidden;
};

/*
 * Converts the attributes of a message. @before: the PMC that was read before, whose event name is
 * used if the event is the same, or NULL.
 */
void pmc_read(struct pmc *pmc, struct nlattr **attrs, const struct hardware *hardware,
	      const struct pmc *before);

/*
 * @targets: read the targets of each, too. 0; 1 if PMCs were allocated and released during each
 * attempt, so that the list may have gaps; -1 after a message.
 */
int pmc_list_read(struct pmc_list *list, struct family *family, const struct hardware *hardware,
		  bool targets);
void pmc_list_free(struct pmc_list *list);
/* Frees the texts of one PMC. */
void pmc_free(struct pmc *pmc);

bool pmc_is_sampling(const struct pmc *pmc);
bool pmc_is_system(const struct pmc *pmc);
/* "running", "stopped", ... */
const char *pmc_state(const struct pmc *pmc);
/* "TC", "SS", ... */
const char *pmc_mode(const struct pmc *pmc);

#endif
