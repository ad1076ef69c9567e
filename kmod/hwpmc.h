/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's own structures. What works on them is declared in a header for
 * each part: call/call.h, pmc/pmc.h, task/task.h, log/log.h.
 *
 * Lock order: owner->lock, then hwpmc_rows_lock, then hwpmc_hook_lock, then
 * cpus_read_lock(), then hwpmc_link_lock; the last is raw, taken with
 * interrupts off, also in interrupts, and never under a runqueue's lock:
 * sched_out and the sched_switch probe take no lock at all. No cross-call is
 * made under it.
 *
 * A count's way: a PMC has links, one for each context it counts in; a context
 * (a thread, or a CPU for system-wide PMCs) has one slot a row, into which the
 * class folds; a link remembers where the slot stood when it came.
 */
#ifndef HWPMC_H
#define HWPMC_H

#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <uapi/linux/hwpmc.h>

#include "../arch/hwpmc_arch.h"
#include "log/log.h"
#include "pmc/pmc.h"
#include "task/task.h"

#define HWPMC_RELEASE		"0.1.0"

/* Kinds of counters one machine has at once; known when it is compiled. */
#define HWPMC_MAX_CLASSES	8

struct hwpmc_owner;
struct hwpmc_pmc;

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
	void (*in)(struct hwpmc_slot *slots, u64 rows);
	void (*fold)(struct hwpmc_slot *slots, u64 rows);
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

/**
 * struct hwpmc_context - what counts together: a thread, or a CPU
 * @gen: hwpmc_generation when @batch was made; 0 never matches
 * @config: a number that no other content of @want ever had
 * @seq: odd while sums change; one writer, the CPU the context is on
 * @batch: what counts now
 * @watch: links that want more than a count: samples, or a record at a switch
 * @slots: one for each row
 * @want: one for each row of @batch
 * @links: of struct hwpmc_link; guarded by hwpmc_link_lock
 * @visit: the last reading that came by; guarded by hwpmc_link_lock
 *
 * @gen to @watch, and @want, are written by the CPU the context is on, interrupts off.
 */
struct hwpmc_context {
	u64 gen;
	u64 config;
	seqcount_t seq;
	struct hwpmc_batch batch[HWPMC_MAX_CLASSES + 1];
	struct hwpmc_link *watch;
	struct hwpmc_slot *slots;
	struct hwpmc_want *want;
	struct list_head links;
	u64 visit;
};

enum hwpmc_arm { HWPMC_ARM_PENDING, HWPMC_ARM_DONE, HWPMC_ARM_CANCELLED };

/**
 * struct hwpmc_thread - a task that some PMC follows, or followed lately
 * @notifier: on the task's list once @arm is DONE
 * @ctx: what it counts
 * @task: not referenced; the record goes before the task does (sched_process_free)
 * @arm: enum hwpmc_arm; changed by cmpxchg only
 * @exiting: it passed sched_process_exit; guarded by hwpmc_link_lock
 * @last_pid: of an exiting task: what it was called; referenced
 * @last_tgid: likewise
 * @node: in the table of threads; changed under hwpmc_link_lock, read under RCU
 * @pending: in the list of threads to be armed; guarded by hwpmc_link_lock
 * @rcu: freed after a grace period: sched_in and sched_out run without a lock
 *
 * A record without links is dead: it takes itself off the task's list in the
 * task's next sched_in. A context switch reads @notifier and @ctx only.
 */
struct hwpmc_thread {
	struct preempt_notifier notifier;
	struct hwpmc_context ctx;
	struct task_struct *task;
	int arm;
	bool exiting;
	struct pid *last_pid;
	struct pid *last_tgid;
	struct hlist_node node;
	struct list_head pending;
	struct rcu_head rcu;
};

/**
 * struct hwpmc_target - what was attached to a PMC by name
 * @node: in pmc->targets; guarded by hwpmc_link_lock
 * @pid: the process, or the thread if @single; referenced
 * @single: this one thread only
 * @gone: events of its threads and descendants that have exited; same lock
 * @seen: the same in the reading under way, with those not reaped yet
 */
struct hwpmc_target {
	struct list_head node;
	struct pid *pid;
	bool single;
	u64 gone;
	u64 seen;
};

/**
 * struct hwpmc_link - one PMC in one context
 * @in_pmc: in pmc->links
 * @in_ctx: in ctx->links
 * @pmc: whose
 * @ctx: where
 * @thread: the thread of @ctx, NULL if that is a CPU
 * @target: the attached target it came by, NULL if @ctx is a CPU
 * @sum: events up to the last change of @active
 * @base: ctx's slot when @active became true
 * @active: whether the slot counts for this link
 * @dead: to be left out by the next look at the context
 * @seen: its value in the reading under way
 * @watch_next: next in ctx->watch
 * @period: of a sampling PMC here; 0 before it first ran
 * @due: the slot's sum at which the next sample is due
 * @since: ns of the last sample, moved by the times it did not count
 * @away: ns when the context went off, or the PMC stopped; 0 while it counts
 * @told: the slot's sum that SWITCH records have told of
 * @throttled: the window (hwpmc_cpu.window) in which it sampled too fast, or 0
 *
 * Guarded by hwpmc_link_lock. @active and from @watch_next on: changed on the
 * CPU the context is on, interrupts off.
 */
struct hwpmc_link {
	struct list_head in_pmc;
	struct list_head in_ctx;
	struct hwpmc_pmc *pmc;
	struct hwpmc_context *ctx;
	struct hwpmc_thread *thread;
	struct hwpmc_target *target;
	u64 sum;
	u64 base;
	bool active;
	bool dead;
	u64 seen;
	struct hwpmc_link *watch_next;
	u64 period;
	u64 due;
	u64 since;
	u64 away;
	u64 told;
	u64 throttled;
};

enum hwpmc_state { HWPMC_ALLOCATED, HWPMC_RUNNING, HWPMC_STOPPED };

/**
 * struct hwpmc_pmc - one allocated counter
 * @owner: whose
 * @id: the handle
 * @class: kind of counter
 * @class_index: its place among the machine's classes
 * @row: global number of its row
 * @mode: enum hwpmc_mode
 * @cpu: of a system-wide PMC, or -1
 * @caps: HWPMC_CAP_*
 * @flags: HWPMC_F_*
 * @event: as asked for
 * @count: its start value if it counts; its period, or frequency, if it samples
 * @sampled: what became of its samples; NULL if it counts
 * @user_stack: bytes of the user's stack in a sample
 * @want: how its row is to be programmed
 * @extra: the register besides that it uses, see hwpmc_encoding.extra
 * @in_row: in row->holders; guarded by hwpmc_rows_lock
 * @state: guarded by owner->lock
 * @running: what contexts go by; written under hwpmc_link_lock
 * @attached: had a target once; owner->lock
 * @base: value written, plus what detached targets left; hwpmc_link_lock
 * @targets: of struct hwpmc_target; hwpmc_link_lock
 * @links: of struct hwpmc_link; hwpmc_link_lock
 * @link_count: how many; hwpmc_link_lock
 * @living: of these, threads that have not begun to exit; hwpmc_link_lock
 * @started: ktime of the last START; owner->lock
 * @enabled: ns of the running times before; owner->lock
 * @offline_at_start: its CPU's hwpmc_hotplug_offline_ns() at the last START
 * @offline: how much of @enabled its CPU was offline
 * @call: owner->call of the call that names it, and
 * @index: where in that call's list; both owner->lock
 */
struct hwpmc_pmc {
	struct hwpmc_owner *owner;
	u32 id;
	const struct hwpmc_class *class;
	unsigned int class_index;
	unsigned int row;
	u32 mode;
	int cpu;
	u32 caps;
	u32 flags;
	u64 event;
	u64 count;
	struct hwpmc_sampler_cpu __percpu *sampled;
	u32 user_stack;
	struct hwpmc_want want;
	unsigned int extra;
	struct list_head in_row;
	enum hwpmc_state state;
	bool running;
	bool attached;
	u64 base;
	struct list_head targets;
	struct list_head links;
	unsigned int link_count;
	unsigned int living;
	u64 started;
	u64 enabled;
	u64 offline_at_start;
	u64 offline;
	u64 call;
	unsigned int index;
};

/**
 * struct hwpmc_owner - an open file of /dev/hwpmc
 * @lock: serialises its calls
 * @file: for the credentials it was opened with
 * @ptrace_ns: where, and below which, its opener had CAP_SYS_PTRACE; or NULL
 * @pid: who opened it; referenced
 * @uid: likewise
 * @comm: likewise
 * @pmcs: by index, see hwpmc_owner_find()
 * @room: entries in @pmcs
 * @used: of these, taken
 * @serials: by index: how many ids the entry has had
 * @call: number of the call under way
 * @args: its structure, the caller's
 * @gone: waits for its targets' end, and for records
 * @async: who wants SIGIO then
 * @hangup: sends it
 * @pid_ns: in which records name processes
 * @rings: set once, by HWPMC_IOC_RING; or NULL
 * @in_loggers: among the owners that have rings
 * @system_samplers: PMCs that sample a whole CPU; owner->lock
 * @kernel_samplers: PMCs that sample kernel mode; owner->lock
 * @writer: the log that is open, or NULL; owner->lock
 * @error: errno of the last call that failed
 * @sentence: and what to do about it
 * @fork_failures: children that could not inherit
 */
struct hwpmc_owner {
	struct mutex lock;
	struct file *file;
	const struct user_namespace *ptrace_ns;
	struct pid *pid;
	kuid_t uid;
	char comm[TASK_COMM_LEN];
	struct hwpmc_pmc **pmcs;
	unsigned int room;
	unsigned int used;
	u16 *serials;
	u64 call;
	void __user *args;
	wait_queue_head_t gone;
	struct fasync_struct *async;
	struct work_struct hangup;
	struct pid_namespace *pid_ns;
	struct hwpmc_rings *rings;
	struct list_head in_loggers;
	unsigned int system_samplers;
	unsigned int kernel_samplers;
	struct hwpmc_writer *writer;
	int error;
	char sentence[HWPMC_SENTENCE_MAX];
	atomic64_t fork_failures;
};

/**
 * struct hwpmc_cpu - a CPU
 * @thread: the monitored thread that is on it, or NULL
 * @loaded: ctx.config of the thread whose rows are programmed; 0 none
 * @shadow: what each row was last programmed with
 * @sys: what system-wide PMCs count here
 * @offline_since: ktime it went offline, 0 while online; hwpmc_link_lock
 * @offline_ns: how long it was offline before; hwpmc_link_lock
 *
 * @changing: above 0 while contexts are changed here, see hwpmc_changing_begin()
 * @missed: an overflow came meanwhile
 * @throttle: starts @window_timer
 * @window_timer: ends a throttling
 * @window: ns when the window began in which
 * @window_samples: samples were taken
 * @window_spent: and about so many ns went into them
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
	unsigned int changing;
	bool missed;
	struct irq_work throttle;
	struct hrtimer window_timer;
	u64 window;
	unsigned int window_samples;
	u64 window_spent;
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

extern raw_spinlock_t hwpmc_link_lock;
extern struct mutex hwpmc_rows_lock;
extern u64 hwpmc_generation;

/* Rows and classes, fixed at load (kmod/pmc/row.c). */
extern const struct hwpmc_machine *hwpmc_machine;
extern const struct hwpmc_class *hwpmc_classes[HWPMC_MAX_CLASSES];
extern unsigned int hwpmc_class_first[HWPMC_MAX_CLASSES];
extern unsigned int hwpmc_class_count;
extern unsigned int hwpmc_row_count;

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
		b->fold(b->slots, b->rows);
	raw_write_seqcount_end(&ctx->seq);
}

static inline bool hwpmc_mode_virtual(u32 mode)
{
	return mode == HWPMC_MODE_TC || mode == HWPMC_MODE_TS;
}

static inline bool hwpmc_mode_sampling(u32 mode)
{
	return mode == HWPMC_MODE_SS || mode == HWPMC_MODE_TS;
}

/*
 * An id is an index into owner->pmcs, plus one, below the entry's serial number.
 * An entry that has used up its serial numbers is not used again: no id ever
 * comes back while the file is open. Rows times CPUs bound the PMCs of an owner,
 * far below a million.
 */
#define HWPMC_ID_INDEX		GENMASK(19, 0)
#define HWPMC_ID_SHIFT		20
#define HWPMC_ID_SERIALS	BIT(32 - HWPMC_ID_SHIFT)

/**
 * hwpmc_owner_find - the PMC of an id, or NULL
 * @owner: whose; its lock is held
 * @id: any number
 *
 * Inline, since a reading does it for each id.
 */
static inline struct hwpmc_pmc *hwpmc_owner_find(const struct hwpmc_owner *owner, u32 id)
{
	unsigned int i = (id & HWPMC_ID_INDEX) - 1;
	struct hwpmc_pmc *pmc;

	lockdep_assert_held(&owner->lock);
	if (i >= owner->room)
		return NULL;
	pmc = owner->pmcs[i];
	return pmc && pmc->id == id ? pmc : NULL;
}

#define HWPMC_FLAGS_LOG	(HWPMC_F_LOG_PROCCSW | HWPMC_F_LOG_PROCEXIT)

/* Whether there is more to it than a count: it writes records, so it needs rings. */
static inline bool hwpmc_pmc_records(const struct hwpmc_pmc *pmc)
{
	return pmc->sampled || (pmc->flags & HWPMC_FLAGS_LOG);
}

/**
 * hwpmc_link_value - what a link has counted
 * @link: the link; hwpmc_link_lock held
 *
 * An active link whose PMC has stopped belongs to a context that was not on
 * since, so its slot stands still and the difference is right.
 */
static inline u64 hwpmc_link_value(const struct hwpmc_link *link)
{
	u64 value = link->sum;

	lockdep_assert_held(&hwpmc_link_lock);
	if (link->active)
		value += READ_ONCE(link->ctx->slots[link->pmc->row].sum) - link->base;
	return value;
}

/**
 * hwpmc_fail - refuse a call and say why
 * @owner: whose call
 * @error: negative errno
 * @fmt: one sentence that says what to do
 *
 * Context: process, owner->lock held. Return: @error.
 */
__printf(3, 4)
int hwpmc_fail(struct hwpmc_owner *owner, int error, const char *fmt, ...);
int hwpmc_fail_copy(struct hwpmc_owner *owner);
int hwpmc_fail_reserved(struct hwpmc_owner *owner);

/* kmod/rights.c */
bool hwpmc_privileged(void);
bool hwpmc_may_count_system(void);
bool hwpmc_may_sample_kernel(void);
bool hwpmc_may_attach(struct task_struct *task);
bool hwpmc_may_keep(const struct hwpmc_owner *owner, const struct cred *theirs,
		    bool dumpable, const struct user_namespace *ns);

/* kmod/hotplug.c */
int hwpmc_hotplug_init(void);
void hwpmc_hotplug_exit(void);
u64 hwpmc_hotplug_offline_ns(int cpu, u64 now);

/* kmod/ioctl.c */
long hwpmc_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

/* kmod/cdev.c */
int hwpmc_cdev_init(void);
void hwpmc_cdev_exit(void);

/* kmod/stats.c */
enum hwpmc_stat {
	HWPMC_STAT_INTR_PROCESSED,
	HWPMC_STAT_INTR_IGNORED,
	HWPMC_STAT_INTR_RING_FULL,
	HWPMC_STAT_BUFFER_REQUESTS,
	HWPMC_STAT_BUFFER_FAILURES,
	HWPMC_STAT_LOG_SWEEPS,
	HWPMC_STAT_THROTTLES,
	HWPMC_STAT_CALLS,
	HWPMC_STAT_CALLS_FAILED,
	HWPMC_STAT_FORK_FAILURES,
	HWPMC_STAT_OWNERS,
	HWPMC_STAT_PMCS,
	HWPMC_STAT_COUNT
};

DECLARE_PER_CPU(u64 [HWPMC_STAT_COUNT], hwpmc_stats);
#define hwpmc_stat_add(which, n)	this_cpu_add(hwpmc_stats[which], (n))
#define hwpmc_stat_inc(which)		hwpmc_stat_add(which, 1)
u64 hwpmc_stat_sum(enum hwpmc_stat which);
void hwpmc_stats_fill(struct hwpmc_owner *owner, struct hwpmc_stats *out);

#endif /* HWPMC_H */
