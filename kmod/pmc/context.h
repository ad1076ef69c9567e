/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts: the counters of one thread, or of one CPU, which are folded together; and the
 * state of a CPU. Used by the switch (task/), by the overflow interrupt and by cross-calls.
 *
 * The state of a CPU (its contexts, its rows' registers, the scratch memory of samples, loss
 * counters and rings) is accessed on that CPU only, with interrupts off. Code that can still
 * interrupt or race with such an access, and what excludes or detects it:
 *
 *	concurrent access		protection
 *
 *	an interrupt			interrupts are off
 *	an overflow that is an NMI	hwpmc_defer.depth: it sets overflow_pending and
 *					returns; hwpmc_defer_end() handles it
 *	another CPU that reads sums	hwpmc_context.seq: the reader copies them again
 *					(pmc/count.c)
 *	another CPU that changes links	hwpmc_context.lock; the switch takes no lock
 *	or PMCs				and tests hwpmc_context.stale (task/sched.c)
 */
#ifndef HWPMC_CONTEXT_H
#define HWPMC_CONTEXT_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
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
struct hwpmc_page;
struct mm_struct;
struct pid;
struct pt_regs;
struct task_struct;

/*
 * Whether a context has to resync. STALE: links or PMCs changed; it resyncs when it is scheduled
 * in, or by cross-call if it is on a CPU. EMPTY: it has no links, or never resynced; it resyncs
 * when it is scheduled in, and no cross-call is made for it, since it counts nothing.
 */
enum hwpmc_stale { HWPMC_FRESH = 0, HWPMC_STALE, HWPMC_EMPTY };

/**
 * struct hwpmc_batch - the rows of one class that a context counts on now
 * @rows: set of the class's rows; 0 ends a list of batches
 * @slots: the context's slots of this class
 * @in: @class->in, or user_in if the thread reads its counters; copied here because every switch
 *	calls it
 * @fold: @class->fold, likewise
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
 * struct hwpmc_row_config - the configuration of a row
 * @sel: selection of the event
 * @tag: distinguishes start values, see hwpmc_pmc_preset(); 0: nothing is programmed
 * @preset: value written to the counter when this configuration is programmed
 */
struct hwpmc_row_config {
	struct hwpmc_select sel;
	u64 tag;
	u64 preset;
};

/* Tag of a shadow: the row is programmed, but must be programmed again before its next use. */
#define HWPMC_TAG_STALE	U64_MAX

/**
 * struct hwpmc_context - the counters of one thread, or of one CPU
 * @stale: enum hwpmc_stale; written on any CPU, cleared by hwpmc_context_decide()
 * @config_serial: identifies the content of @row_config; never used twice
 * @seq: odd while sums change; its only writer is the CPU the context is on
 * @lock: guards @links, and links while a resync changes them
 * @added: number of links that were ever added; @lock
 * @slow_probes: of a thread's links of probes, how many have conditions or write records; @lock
 * @links: list of struct hwpmc_link; read under @lock or RCU
 * @batch: the rows that count now, by class; the last entry has no rows
 * @recorders: list of links that write records: samples, SWITCH or VALUE records
 * @pages: list of pages that programs read, with values of links that count now; see page.h
 * @user_reads: of a thread that may read its counters in user mode; see pmc/direct.c
 * @in_extra: a schedule-in does more than to call the batch: @recorders or @in_flags is not 0
 * @in_flags: what a schedule-in does in addition to @recorders: HWPMC_IN_*
 * @out_flags: what a schedule-out does beside the fold: HWPMC_OUT_*; 0 also means that there are
 *	neither @recorders nor @pages
 * @sampling_only: the rows that count, if all are of one class and all sample; else 0
 * @slots: one for each row of the machine
 * @row_config: one for each row of the machine; valid for the rows of @batch
 * @off_cpu: list of links that sample off-CPU time; see off_cpu.c
 * @off_since: while a thread that was off the CPU resyncs: the time when it was scheduled out, if
 *	off-CPU time was counted at that time, else 0. CLOCK_MONOTONIC in ns, as is @off_until
 * @off_until: likewise: the time when it was scheduled in; 0: it was not off the CPU
 *
 * All but @stale and what @lock guards is written by the CPU the context is on, with interrupts
 * off.
 */
struct hwpmc_context {
	int stale;
	u64 config_serial;
	seqcount_t seq;
	raw_spinlock_t lock;
	unsigned int added;
	unsigned int slow_probes;
	struct list_head links;
	struct hwpmc_batch batch[HWPMC_MAX_CLASSES + 1];
	struct hwpmc_link *recorders;
	struct hwpmc_page *pages;
	bool user_reads;
	bool in_extra;
	u8 in_flags;
	u8 out_flags;
	u64 sampling_only;
	struct hwpmc_slot *slots;
	struct hwpmc_row_config *row_config;
	struct hwpmc_link *off_cpu;
	u64 off_since;
	u64 off_until;
};

/*
 * hwpmc_context.in_flags. USER_READS: permit user mode to read counters; set only if the batch
 * calls no user_in, which permits it as well. OFF_CPU: sample the time for which the thread was off
 * the CPU. SUMS: add what rows counted while it was off the CPU.
 */
#define HWPMC_IN_USER_READS	BIT(0)
#define HWPMC_IN_OFF_CPU	BIT(1)
#define HWPMC_IN_SUMS		BIT(2)

/*
 * hwpmc_context.out_flags. USER_READS: forbid user mode to read counters. RECORDS: keep the rest
 * of periods. WITHDRAWN: forbid the reads once more after the permission was withdrawn, since KVM
 * may have restored it. PAGES: the context has pages. If any of these is set, the pages are
 * written.
 */
#define HWPMC_OUT_USER_READS	BIT(0)
#define HWPMC_OUT_RECORDS	BIT(1)
#define HWPMC_OUT_WITHDRAWN	BIT(2)
#define HWPMC_OUT_PAGES		BIT(3)

/*
 * States of a thread's notifier. A record starts as NEW: it is in the table of threads. ATTACH
 * queues it (PENDING) and hooks it later; fork hooks the record of a child at once (DONE).
 */
enum hwpmc_hook { HWPMC_HOOK_NEW, HWPMC_HOOK_PENDING, HWPMC_HOOK_DONE, HWPMC_HOOK_CANCELLED };

/**
 * struct hwpmc_thread - the record of a task that a PMC follows, or followed recently
 * @notifier: on the task's list of notifiers once @hook is DONE
 * @ctx: the task's context
 * @task: the task; not referenced, the record is removed before (sched_process_free)
 * @hook: enum hwpmc_hook; from PENDING on changed by cmpxchg only
 * @mm: the memory that its owners may read: the task's at attach, or after its last exec.
 *	Compared, never dereferenced. Written under ctx.lock, read in NMIs
 * @exiting: the task has passed, or is in, sched_process_exit; ctx.lock
 * @removed: no longer in the table of threads; ctx.lock
 * @last_pid: pid of an exiting task, else NULL; referenced
 * @last_tgid: its process's pid, likewise
 * @node: in the table of threads; see thread.c
 * @pending: in the list of records that the polls of hook_poll.c visit; guarded by its own lock
 * @rcu: for freeing after a grace period: sched_in and sched_out run without a lock
 *
 * A record without links is unused: it is unhooked at once if its task sleeps, or by the task's
 * next sched_in. A context switch reads @notifier and @ctx only.
 */
struct hwpmc_thread {
	struct preempt_notifier notifier;
	struct hwpmc_context ctx;
	struct task_struct *task;
	int hook;
	const struct mm_struct *mm;
	bool exiting;
	bool removed;
	struct pid *last_pid;
	struct pid *last_tgid;
	struct hlist_node node;
	struct list_head pending;
	struct rcu_head rcu;
};

/**
 * struct hwpmc_cpu - the state of a CPU
 * @thread: the monitored thread that runs on it, or NULL
 * @loaded: ctx.config_serial of the thread whose rows are programmed; 0: none
 * @pmu_lost: the PMU's registers may be lost, and then @shadow is invalid for its rows
 * @shadow: for each row, the configuration that was programmed last
 * @sys: context of system-wide PMCs; resynced together with @thread's context
 * @resyncs: number of contexts that were rebuilt on it, for hwpmc_context.config_serial
 * @sums: one for each row; a reading that runs on this CPU copies a context's sums to it
 * @offline_since: ktime in ns when it went offline, 0 while online; sys.lock
 * @offline_ns: ns that it was offline before; sys.lock
 * @throttle: starts @window_timer for code that runs where a timer cannot be started
 * @window_timer: expires at the end of @window and ends throttling
 * @window: the time spent on samples in the current window
 * @budget: the time that interrupts take
 * @process_event: number of the last event of a process that was logged on it; written in process
 *	context, with preemption off
 *
 * @thread to @resyncs, @sums, and from @throttle to @budget: written on this CPU, with interrupts
 * off.
 */
struct hwpmc_cpu {
	struct hwpmc_thread *thread;
	u64 loaded;
	bool pmu_lost;
	struct hwpmc_row_config *shadow;
	struct hwpmc_context sys;
	u64 resyncs;
	u64 *sums;
	u64 offline_since;
	u64 offline_ns;
	struct irq_work throttle;
	struct hrtimer window_timer;
	struct hwpmc_window window;
	struct hwpmc_budget budget;
	u64 process_event;
};

DECLARE_PER_CPU(struct hwpmc_cpu, hwpmc_cpus);

/* kmod/pmc/overflow.c */
extern const struct hwpmc_overflow_ops hwpmc_overflow_ops;
void hwpmc_overflow(const struct hwpmc_class *class, u64 rows, struct pt_regs *regs);
void hwpmc_overflow_resync(void);

/**
 * hwpmc_context_fold - add the events since the last fold to a context's sums
 * @ctx: a context on this CPU
 *
 * Inline, since every switch calls it. It takes no samples, unlike hwpmc_context_flush().
 * Context: interrupts off, overflows deferred.
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
 * hwpmc_context_add_off - add what rows counted while the thread was off the CPU
 * @ctx: a context that was scheduled in just now
 *
 * All sums change in one write section of @ctx->seq. A reading that overlaps with it copies them
 * again, so that they are of one instant (count.c).
 * Context: interrupts off, overflows deferred.
 */
static inline void hwpmc_context_add_off(struct hwpmc_context *ctx)
{
	const struct hwpmc_batch *b;

	raw_write_seqcount_begin(&ctx->seq);
	for (b = ctx->batch; b->rows; b++)
		if (b->rows & b->class->off_rows)
			b->class->add_off(b->slots, b->rows & b->class->off_rows);
	raw_write_seqcount_end(&ctx->seq);
}

/**
 * hwpmc_context_is_stale - whether links or PMCs of a context changed since it resynced
 * @ctx: a context that has links; false if it has none
 *
 * Context: any.
 */
static __always_inline bool hwpmc_context_is_stale(const struct hwpmc_context *ctx)
{
	return READ_ONCE(ctx->stale) == HWPMC_STALE;
}

/**
 * hwpmc_context_set_stale - make a context resync
 * @ctx: the context
 *
 * Call it after the change, with smp_mb() in between: see hwpmc_context_decide(). Context: any.
 */
static inline void hwpmc_context_set_stale(struct hwpmc_context *ctx)
{
	WRITE_ONCE(ctx->stale, HWPMC_STALE);
}

/**
 * hwpmc_context_hides_user - whether user memory and registers must not be read now
 * @th: the thread that is sampled; NULL if all threads of the CPU are
 *
 * During exec they become those of a program that the owner of the PMC may have no right to see.
 * The same holds after an exec that failed past its point of no return: current->mm is the new
 * program's, not @th->mm, and the task is about to be killed. Context: any, on the thread's CPU.
 */
static __always_inline bool hwpmc_context_hides_user(const struct hwpmc_thread *th)
{
	return current->in_execve || (th && READ_ONCE(th->mm) != current->mm);
}

/* kmod/pmc/context.c */
int hwpmc_context_setup(struct hwpmc_context *ctx, int node);
void hwpmc_context_place(struct hwpmc_context *ctx, void *room);
size_t hwpmc_context_room(void);
void hwpmc_context_flush(struct hwpmc_context *ctx);
void hwpmc_context_teardown(struct hwpmc_context *ctx);
void hwpmc_context_enter(struct hwpmc_cpu *pc, struct hwpmc_context *ctx);
void hwpmc_context_idle(struct hwpmc_context *ctx);
void hwpmc_context_update(struct hwpmc_cpu *pc, struct hwpmc_context *ctx);
void hwpmc_context_program(struct hwpmc_cpu *pc, struct hwpmc_context *ctx);
u64 hwpmc_context_rows(const struct hwpmc_context *ctx, const struct hwpmc_class *class);

/* kmod/pmc/idle.c */
void hwpmc_idle_enter(struct hwpmc_cpu *pc);
void hwpmc_idle_exit(struct hwpmc_cpu *pc, bool lost);

/* kmod/pmc/sync.c */
void hwpmc_sync_cpus(void);
void hwpmc_sync_cpus_locked(void);

/* kmod/pmc/cpu.c */
u64 hwpmc_cpu_offline_ns(int cpu, u64 now);

#endif /* HWPMC_CONTEXT_H */
