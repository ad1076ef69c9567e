/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_UNWIND_H
#define PMCTL_UNWIND_H

#include <linux/hwpmc_log.h>

#include "symbol/processes.h"
#include "symbol/symbols.h"

#define UNWIND_MAX	512	/* limit of the frames of one stack */

struct unwind;

/* Unwinds user stacks of @processes with the files of @symbols. */
struct unwind *unwind_open(struct symbols *symbols, struct processes *processes);
void unwind_close(struct unwind *unwind);

/**
 * unwind_sample() - unwind the user stack of a sample
 * @unwind: from unwind_open()
 * @sample: a sample with registers, which has a copy of the stack as far as it was in memory;
 *	processes_take() has taken all records before it
 * @pcs: out: up to UNWIND_MAX addresses, innermost first; for callers the last byte of the call, so
 *	that all can be looked up unchanged
 *
 * Return: the number of addresses; 0 if the registers cannot be used.
 */
int unwind_sample(struct unwind *unwind, const struct hwpmc_log_sample *sample, uint64_t *pcs);

/*
 * Whether the @count addresses of unwind_sample() are better than the sample's own call chain: the
 * first of them is no caller, and a chain or the sample's pc has it, too.
 */
static inline bool unwind_is_better(const struct hwpmc_log_sample *sample, int count)
{
	bool known = sample->h.flags & HWPMC_SAMPLE_USER || sample->chain_user;

	return count > (known ? 1 : 0);
}

/*
 * Drops the cached files of the process whose maps a record changes. Call it before
 * processes_take(), which is called for each record, too.
 */
void unwind_take(struct unwind *unwind, const struct hwpmc_log_header *record);

#endif
