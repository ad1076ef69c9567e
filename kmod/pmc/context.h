/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What counts together, and the CPUs it counts on.
 *
 * What a CPU has of its own (its contexts, its rows' registers, scratch memory of
 * samples, losses and rings) is touched on that CPU only, interrupts off. Who
 * comes in between all the same, and who keeps whom out:
 *
 *	who may find it half done	what keeps it out, or lets it see
 *
 *	an interrupt			closed interrupts
 *	an NMI: overflow on x86		hwpmc_cpu.changing: it marks hwpmc_cpu.missed
 *					and goes; hwpmc_changing_end() makes up for it
 *	a record in a record: that NMI,	none: a ring counts how deep it is entered, and
 *	or an interrupt where a task	publishes when the first in is the last out
 *	writes one			(log/ring.h)
 *	another CPU that reads sums	hwpmc_context.seq: it copies them again
 *					(pmc/count.c)
 *	another CPU that changes links	hwpmc_link_lock; the switch takes none, and goes
 *					by hwpmc_generation (task/sched.c)
 */
#ifndef HWPMC_CONTEXT_H
#define HWPMC_CONTEXT_H

#include <linux/compiler.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"
#include "../hwpmc.h"
#include "throttle.h"

struct cpumask;
struct hwpmc_link;
struct hwpmc_thread;
struct pt_regs;

extern raw_spinlock_t hwpmc_link_lock;
extern u64 hwpmc_generation;

/**
 * struct hwpmc_batch - the rows of one class that a context counts on now
 * @rows: which; 0 ends a list of batches
 * @slots: the context's slots of this class
 * @in: of the class: a switch calls it
 * @fold: likewise
 * @class: the class
 */
struct hwpmc_batch {
	u64 rows;
	struct hwpmc_slot *slots;
	hwpmc_switch_fn *in;
	hwpmc_switch_fn *fold;
	const struct hwpmc_class *class;
};

/**
 * struct hwpmc_want - how a context wants a row programmed
 * @sel: what to count
 * @tag: tells start values apart, see hwpmc_pmc_preset(); 0 is no want at all
 * @preset: what to set the counter to when this is put in
 */
struct hwpmc_want {
	struct hwpmc_select sel;
	u64 tag;
	u64 preset;
};

/* Of a shadow: the row is programmed, but nobody may go on with what it has. */
#define HWPMC_TAG_STALE	U64_MAX

/**
 * struct hwpmc_context - what counts together: a thread, or a CPU
 * @gen: hwpmc_generation when @batch was made; 0, which that never is: it has no
 *	links, or has got new ones since, and is looked at when it comes on
 * @config: a number that no other content of @want ever had
 * @seq: odd while sums change; one writer, the CPU the context is on
 * @links: of struct hwpmc_link; guarded by hwpmc_link_lock
 * @batch: what counts now
 * @watch: links that want more than a count: samples, or a record at a switch
 * @alone: the rows that count if they are of one class and all sample, else 0
 * @slots: one for each row
 * @want: one for each row of @batch
 *
 * All but @links is written by the CPU the context is on, interrupts off; @gen is set to 0
 * by who takes the last link.
 */
struct hwpmc_context {
	u64 gen;
	u64 config;
	seqcount_t seq;
	struct list_head links;
	struct hwpmc_batch batch[HWPMC_MAX_CLASSES + 1];
	struct hwpmc_link *watch;
	u64 alone;
	struct hwpmc_slot *slots;
	struct hwpmc_want *want;
};

/**
 * struct hwpmc_cpu - a CPU
 * @thread: the monitored thread that is on it, or NULL
 * @loaded: ctx.config of the thread whose rows are programmed; 0 none
 * @shadow: what each row was last programmed with
 * @sys: what system-wide PMCs count here; knows what @thread's context knows
 * @offline_since: ktime it went offline, 0 while online; hwpmc_link_lock
 * @offline_ns: how long it was offline before; hwpmc_link_lock
 *
 * @changing: above 0 while contexts are changed here, see hwpmc_changing_begin()
 * @missed: an overflow came meanwhile
 * @throttle: starts @window_timer
 * @window_timer: at the end of @window; ends a throttling
 * @window: what went into samples lately
 *
 * @thread to @sys, and from @changing on: written on this CPU, interrupts off.
 */
struct hwpmc_cpu {
	struct hwpmc_thread *thread;
	u64 loaded;
	struct hwpmc_want *shadow;
	struct hwpmc_context sys;
	u64 offline_since;
	u64 offline_ns;
	int changing;
	bool missed;
	struct irq_work throttle;
	struct hrtimer window_timer;
	struct hwpmc_window window;
};

DECLARE_PER_CPU(struct hwpmc_cpu, hwpmc_cpus);

/**
 * hwpmc_cpu_busy - whether a monitored thread is on a CPU
 * @cpu: any
 *
 * If not, what the last one counted there is in its sums, for this CPU to see.
 */
static inline bool hwpmc_cpu_busy(int cpu)
{
	/* Pairs with the release in hwpmc_sched_out(). */
	return smp_load_acquire(&per_cpu(hwpmc_cpus, cpu).thread);
}

/* kmod/pmc/overflow.c */
void hwpmc_overflow(const struct hwpmc_class *class, u64 rows, struct pt_regs *regs);
void hwpmc_overflow_missed(void);

/**
 * hwpmc_changing_begin - this CPU's contexts are not as an NMI should find them
 *
 * Up to hwpmc_changing_end() an overflow is put off; may nest. Where the
 * overflow interrupt respects closed interrupts there is nothing to do.
 * Context: interrupts off, or NMI.
 */
static __always_inline void hwpmc_changing_begin(void)
{
	if (HWPMC_OVERFLOW_IS_NMI) {
		this_cpu_inc(hwpmc_cpus.changing);
		barrier();
	}
}

static __always_inline void hwpmc_changing_end(void)
{
	if (HWPMC_OVERFLOW_IS_NMI) {
		barrier();
		this_cpu_dec(hwpmc_cpus.changing);
		if (unlikely(this_cpu_read(hwpmc_cpus.missed)) &&
		    !this_cpu_read(hwpmc_cpus.changing))
			hwpmc_overflow_missed();
	}
}

/**
 * hwpmc_context_fold - bring the sums of a context up to date
 * @ctx: a context on this CPU
 *
 * Context: interrupts off, contexts changing. Inline, since every switch does
 * it. Who folds looks for samples that came due: see hwpmc_context_settle().
 */
static __always_inline void hwpmc_context_fold(struct hwpmc_context *ctx)
{
	const struct hwpmc_batch *b;

	raw_write_seqcount_begin(&ctx->seq);
	for (b = ctx->batch; b->rows; b++)
		hwpmc_arch_fold(b->fold, b->slots, b->rows);
	raw_write_seqcount_end(&ctx->seq);
}

/**
 * hwpmc_cpu_knows - whether what counts this CPU follows what a thread knows
 * @pc: this CPU
 * @ctx: the thread's context; it looked here or elsewhere, and nothing changed since
 *
 * Context: interrupts off.
 */
static __always_inline bool hwpmc_cpu_knows(const struct hwpmc_cpu *pc,
					    const struct hwpmc_context *ctx)
{
	return READ_ONCE(pc->sys.gen) == READ_ONCE(ctx->gen) || list_empty(&pc->sys.links);
}

/* kmod/pmc/context.c */
int hwpmc_context_setup(struct hwpmc_context *ctx, int node);
void hwpmc_context_place(struct hwpmc_context *ctx, void *room);
size_t hwpmc_context_room(void);
void hwpmc_context_settle(struct hwpmc_context *ctx);
void hwpmc_context_teardown(struct hwpmc_context *ctx);
void hwpmc_context_enter(struct hwpmc_cpu *pc, struct hwpmc_context *ctx);
void hwpmc_context_resume(struct hwpmc_cpu *pc, struct hwpmc_context *ctx);
void hwpmc_context_update(struct hwpmc_cpu *pc, struct hwpmc_context *ctx);
void hwpmc_context_program(struct hwpmc_cpu *pc, struct hwpmc_context *ctx);
u64 hwpmc_context_rows(const struct hwpmc_context *ctx, const struct hwpmc_class *class);
void hwpmc_sync_cpus(const struct cpumask *also);

#endif /* HWPMC_CONTEXT_H */
