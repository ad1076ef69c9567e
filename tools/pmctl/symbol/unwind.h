/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_UNWIND_H
#define PMCTL_UNWIND_H

#include <linux/hwpmc_log.h>

#include "symbol/processes.h"
#include "symbol/symbols.h"

#define UNWIND_MAX	512	/* frames of one stack */

struct unwind;

/* Unwinds user stacks of the processes of @processes through the files of @symbols. */
struct unwind *unwind_open(struct symbols *symbols, struct processes *processes);
void unwind_close(struct unwind *unwind);

/**
 * unwind_sample() - the user's stack, from its registers and its copy
 * @unwind: whose files
 * @sample: has both; processes_take() has had all records before it
 * @pcs: out: room for UNWIND_MAX addresses, innermost first. Of a caller it is the
 *	last byte of its call, so that all of them may be looked up as they are
 *
 * Return: how many; 0 when the registers cannot be used.
 */
int unwind_sample(struct unwind *unwind, const struct hwpmc_log_sample *sample, uint64_t *pcs);

/* The maps of a process have changed. */
void unwind_forget(struct unwind *unwind, int pid);

#endif
