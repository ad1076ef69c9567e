/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Periods of sampling rows: when the next sample is due. Called by context.c, overflow.c,
 * throttle.c and the switch (task/sched.c), on the context's CPU with interrupts off.
 */
#ifndef HWPMC_PERIOD_H
#define HWPMC_PERIOD_H

#include <linux/types.h>

struct hwpmc_context;
struct hwpmc_link;

/* kmod/pmc/period.c */
u64 hwpmc_period_min(void);
u64 hwpmc_period_adapt(u64 period, u64 ns, u64 events, u32 frequency);
void hwpmc_period_begin(struct hwpmc_link *link);
void hwpmc_period_aim(struct hwpmc_link *link, u64 put_off);
void hwpmc_period_sched_in(struct hwpmc_context *ctx);
void hwpmc_period_sched_out(struct hwpmc_context *ctx);
void hwpmc_period_log_switch(struct hwpmc_link *link);
void hwpmc_period_log_exit(struct hwpmc_link *link);
void hwpmc_period_flush(struct hwpmc_context *ctx);

#endif /* HWPMC_PERIOD_H */
