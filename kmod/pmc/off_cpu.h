/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Off-CPU time of threads: HWPMC_SOFT_OFF_CPU. Used by the switch (task/sched.c), by context.c when
 * a context resyncs, and by sample.c, on the context's CPU with interrupts off.
 */
#ifndef HWPMC_OFF_CPU_H
#define HWPMC_OFF_CPU_H

#include <linux/limits.h>
#include <linux/types.h>
#include <uapi/linux/hwpmc.h>

#include "../../arch/hwpmc_arch.h"
#include "link.h"
#include "pmc.h"

struct hwpmc_context;

/* Whether @pmc counts or samples off-CPU time. Any context. */
static inline bool hwpmc_off_cpu_is(const struct hwpmc_pmc *pmc)
{
	return pmc->class_row == HWPMC_SOFT_OFF_CPU && pmc->class == &hwpmc_soft_class;
}

/* For a link that a resync makes inactive. If its thread was new, it has been scheduled in now. */
static inline void hwpmc_off_cpu_deactivate(struct hwpmc_link *link)
{
	if (link->begun == U64_MAX)
		link->begun = 0;
}

/* kmod/pmc/off_cpu.c */
void hwpmc_off_cpu_begin(struct hwpmc_context *ctx);
void hwpmc_off_cpu_collect(struct hwpmc_context *ctx, struct hwpmc_link *link);
void hwpmc_off_cpu_end(struct hwpmc_context *ctx);
void hwpmc_off_cpu_sched_in(struct hwpmc_context *ctx);
unsigned int hwpmc_off_cpu_skip(const u64 *chain, unsigned int frames);

#endif /* HWPMC_OFF_CPU_H */
