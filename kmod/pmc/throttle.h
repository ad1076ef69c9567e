/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Throttling: limits how much of a CPU's time the overflow interrupts and the samples take. Called
 * by period.c, fire.c, overflow.c, arch/ and hotplug.c, on the CPU with interrupts off.
 */
#ifndef HWPMC_THROTTLE_H
#define HWPMC_THROTTLE_H

#include <linux/types.h>

struct hwpmc_cpu;
struct hwpmc_link;

/**
 * struct hwpmc_window - the time spent on interrupts and samples in one window of a CPU
 * @begin: hwpmc_arch_clock() when it began; 0: no window has begun on this CPU
 * @spent: time that was spent in it, in ticks of that clock; and the debt of the window before
 * @limit: what may be spent in it, in ticks
 * @over: @spent exceeds @limit
 * @samples: samples taken in it
 * @fired: those of @samples that are of probes
 * @full: @samples when the window became full, at least 1; 0 before
 * @pmcs: number of PMCs that sampled in it
 * @before: @pmcs of the previous window
 *
 * Written on its CPU, with interrupts off and overflows deferred.
 */
struct hwpmc_window {
	u64 begin;
	u64 spent;
	u64 limit;
	bool over;
	unsigned int samples;
	unsigned int fired;
	unsigned int full;
	unsigned int pmcs;
	unsigned int before;
};

/**
 * struct hwpmc_budget - the cost of interrupts on a CPU, in ticks of hwpmc_arch_clock()
 * @outside: HWPMC_OUTSIDE times an empty interrupt; set when the CPU goes online
 * @last: when the last overflow interrupt ended
 * @mean: mean of what the last interrupts took, times HWPMC_MEAN
 * @plain: mean of the plain part of the last handlers, likewise; see hwpmc_budget_plain()
 * @copying: what this interrupt spent on call chains and stacks
 * @served: samples that this interrupt took
 * @deferred: the time of deferred interrupts that was not charged to a window
 * @event: mean of what the samples of the last events of probes took, times HWPMC_MEAN
 *
 * Written on its CPU, in the overflow interrupt and where samples are taken; @deferred by exchange.
 */
struct hwpmc_budget {
	u64 outside;
	u64 last;
	u64 mean;
	u64 plain;
	u64 copying;
	unsigned int served;
	u64 deferred;
	u64 event;
};

/* kmod/pmc/throttle.c */
unsigned int hwpmc_throttle_max_rate(void);
void hwpmc_throttle_charge(u64 begun);
void hwpmc_throttle_timer(u64 begun);
void hwpmc_throttle_interrupt(u64 begun);
void hwpmc_throttle_sample(struct hwpmc_cpu *pc, struct hwpmc_link *link);
bool hwpmc_throttle_over(struct hwpmc_cpu *pc, struct hwpmc_link *link);
void hwpmc_throttle_unthrottle(struct hwpmc_link *link);
void hwpmc_throttle_cpu_online(void);
void hwpmc_throttle_cpu_init(struct hwpmc_cpu *pc);
void hwpmc_throttle_cpu_exit(struct hwpmc_cpu *pc);

/* kmod/pmc/throttle_event.c */
u64 hwpmc_throttle_event_begin(struct hwpmc_cpu *pc);
bool hwpmc_throttle_event_throttled(struct hwpmc_cpu *pc, struct hwpmc_link *link, u64 now);
void hwpmc_throttle_event_sample(struct hwpmc_cpu *pc, struct hwpmc_link *link, u64 now);
void hwpmc_throttle_event_end(struct hwpmc_cpu *pc, u64 begun);

#endif /* HWPMC_THROTTLE_H */
