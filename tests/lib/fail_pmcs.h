/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PMCs of a fail_call, and the calls that programs of several classes make with them: values
 * for its @before, @call and @done.
 */
#ifndef HWPMC_TEST_FAIL_PMCS_H
#define HWPMC_TEST_FAIL_PMCS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent.h"
#include "test.h"

/**
 * struct pmcs - PMCs of the file given to pmcs_init()
 * @ids: the PMCs, in the order in which they were allocated
 * @count: the number of PMCs
 * @target: after pmcs_start_target(), a process of many threads, which all sleep
 */
struct pmcs {
	uint32_t ids[64];
	unsigned int count;
	struct agent target;
};

extern struct pmcs pmcs;

void pmcs_init(int fd);
void pmcs_start_target(void);

/* ALLOCATE by @owner: sets the size, and adds the PMC to the others. Returns 0 or -errno. */
int pmcs_allocate(int owner, struct hwpmc_allocate *a);
/* @done of an ALLOCATE if there are no other PMCs. */
bool pmcs_allocate_done(int err);
/* RELEASE of all PMCs that are left, for a @done. Returns whether it succeeded. */
bool pmcs_release_all(void);

/* START, STOP or RELEASE of all PMCs. Returns 0 or -errno. */
int pmcs_call(unsigned long cmd);
int pmcs_start(void);
/* @done of a START that attaches the caller. */
bool pmcs_start_done(int err);
int pmcs_release(void);
bool pmcs_release_done(int err);

/* ATTACH of the first PMC to @target. */
int pmcs_attach(void);
bool pmcs_attach_done(int err);

/* Whether a PMC runs. */
bool pmcs_runs(uint32_t id);

#endif /* HWPMC_TEST_FAIL_PMCS_H */
