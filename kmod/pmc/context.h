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
 *	an overflow that is an NMI	hwpmc_defer.depth: it sets overflow_pending and
 *					returns; hwpmc_defer_end() handles it
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
#include <linux/preempt.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/defer.h"
#include "../hwpmc.h"
#include "throttle.h"

struct cpumask;
struct hwpmc_link;
struct mm_struct;
struct pid;
struct pt_regs;
struct task_struct;

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
 * struct hwpmc_row_config - how a context has a row programmed
 * @sel: what to count
 * @tag: tells start values apart, see hwpmc_pmc_preset(); 0: nothing is programmed
 * @preset: what to set the counter to when this is put in
 */
struct hwpmc_row_config {
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
 * @config_serial: a number that no other content of @row_config ever had
 * @seq: odd while sums change; one writer, the CPU the context is on
 * @links: of struct hwpmc_link; guarded by hwpmc_link_lock
 * @batch: what counts now
 * @recorders: links that write records: samples, or a SWITCH or VALUE record
 * @sampling_only: the rows that count if they are of one class and all sample, else 0
 * @slots: one for each row
 * @row_config: one for each row of @batch
 *
 * All but @links is written by the CPU the context is on, interrupts off; @gen is set to 0
 * by who takes the last link.
 */
struct hwpmc_context {
	u64 gen;
	u64 config_serial;
	seqcount_t seq;
	struct list_head links;
	struct hwpmc_batch batch[HWPMC_MAX_CLASSES + 1];
	struct hwpmc_link *recorders;
	u64 sampling_only;
	struct hwpmc_slot *slots;
	struct hwpmc_row_config *row_config;
};

/* A record begins as NEW: it can be found, but nobody hooks it before it is queued. */
enum hwpmc_hook { HWPMC_HOOK_NEW, HWPMC_HOOK_PENDING, HWPMC_HOOK_DONE, HWPMC_HOOK_CANCELLED };

/**
 * struct hwpmc_thread - a task that some PMC follows, or followed lately
 * @notifier: on the task's list once @hook is DONE
 * @ctx: what it counts
 * @task: not referenced; the record goes before the task does (sched_process_free)
 * @hook: enum hwpmc_hook; from PENDING on changed by cmpxchg only
 * @mm: the memory that its owners may look into: the task's when it was found, or after its
 *	last exec. Never followed. Written under hwpmc_link_lock, read in NMIs
 * @exiting: it passed sched_process_exit, or is about to; guarded by hwpmc_link_lock
 * @last_pid: of an exiting task: what it was called; referenced
 * @last_tgid: likewise
 * @node: in the table of threads; changed under hwpmc_link_lock, read under RCU
 * @pending: in the list of threads to be hooked; guarded by hwpmc_link_lock
 * @rcu: freed after a grace period: sched_in and sched_out run without a lock
 *
 * A record without links is dead: it takes itself off the task's list in the
 * task's next sched_in. A context switch reads @notifier and @ctx only.
 */
struct hwpmc_thread {
	struct preempt_notifier notifier;
	struct hwpmc_context ctx;
	struct task_struct *task;
	int hook;
	const struct mm_struct *mm;
	bool exiting;
	struct pid *last_pid;
	struct pid *last_tgid;
	struct hlist_node node;
	struct list_head pending;
	struct rcu_head rcu;
};

/**
 * struct hwpmc_cpu - a CPU
 * @thread: the monitored thread that is on it, or NULL
 * @loaded: ctx.config_serial of the thread whose rows are programmed; 0 none
 * @shadow: what each row was last programmed with
 * @sys: what system-wide PMCs count here; its @gen follows that of @thread's context
 * @offline_since: ktime it went offline, 0 while online; hwpmc_link_lock
 * @offline_ns: how long it was offline before; hwpmc_link_lock
 * @throttle: starts @window_timer
 * @window_timer: at the end of @window; ends a throttling
 * @window: what went into samples lately
 *
 * @thread to @sys, and from @throttle on: written on this CPU, interrupts off.
 */
struct hwpmc_cpu {
	struct hwpmc_thread *thread;
	u64 loaded;
	struct hwpmc_row_config *shadow;
	struct hwpmc_context sys;
	u64 offline_since;
	u64 offline_ns;
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
void hwpmc_overflow_resync(void);

/**
 * hwpmc_context_fold - bring the sums of a context up to date
 * @ctx: a context on this CPU
 *
 * Context: interrupts off, overflows deferred. Inline, since every switch does
 * it. Samples that are due are taken by hwpmc_context_flush().
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
 * hwpmc_cpu_in_sync - whether what counts this CPU is as recent as a thread's context
 * @pc: this CPU
 * @ctx: the thread's context; it was resynced here or elsewhere, and nothing changed since
 *
 * Context: interrupts off.
 */
static __always_inline bool hwpmc_cpu_in_sync(const struct hwpmc_cpu *pc,
					      const struct hwpmc_context *ctx)
{
	return READ_ONCE(pc->sys.gen) == READ_ONCE(ctx->gen) || list_empty(&pc->sys.links);
}

/* kmod/pmc/context.c */
int hwpmc_context_setup(struct hwpmc_context *ctx, int node);
void hwpmc_context_place(struct hwpmc_context *ctx, void *room);
size_t hwpmc_context_room(void);
void hwpmc_context_flush(struct hwpmc_context *ctx);
void hwpmc_context_teardown(struct hwpmc_context *ctx);
void hwpmc_context_enter(struct hwpmc_cpu *pc, struct hwpmc_context *ctx);
void hwpmc_context_resume(struct hwpmc_cpu *pc, struct hwpmc_context *ctx);
void hwpmc_context_update(struct hwpmc_cpu *pc, struct hwpmc_context *ctx);
void hwpmc_context_program(struct hwpmc_cpu *pc, struct hwpmc_context *ctx);
u64 hwpmc_context_rows(const struct hwpmc_context *ctx, const struct hwpmc_class *class);

/* kmod/pmc/sync.c */
void hwpmc_sync_cpus(const struct cpumask *also);

/* kmod/pmc/cpu.c */
u64 hwpmc_cpu_offline_ns(int cpu, u64 now);

#endif /* HWPMC_CONTEXT_H */
