// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of process life. Fork: the child inherits links (inherit.c). Exec: rights are checked
 * again, and links with awaits_exec begin to count. Exit and free: links end.
 *
 * Called by the kernel's tracepoints, in the context of the task that forks, executes or
 * exits; none of the probes may sleep. probes.c registers them.
 *
 * The probes walk the links of a thread under RCU and take the locks of one link at a time. So
 * interrupts are off for one link at a time, however many there are, and one owner's link_lock
 * does not delay another owner's link. RCU keeps a link that is removed meanwhile, and its owner.
 */
#include <linux/cred.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>

#include "../base/owner.h"
#include "../base/rights.h"
#include "../compat/compat.h"
#include "../hwpmc.h"
#include "../log/log.h"
#include "../pmc/context.h"
#include "../pmc/direct.h"
#include "../pmc/link.h"
#include "../pmc/period.h"
#include "../pmc/pmc.h"
#include "adopt.h"
#include "hook.h"
#include "process.h"
#include "target.h"
#include "task.h"

/*
 * The probes take the RCU read lock themselves: newer kernels call them under an SRCU,
 * which call_rcu() does not wait for.
 */

/*
 * task_newtask, not sched_process_fork: the workers of io_uring pass only the former. The
 * child is in the lists of tasks and cannot run yet. A task with pid 0 is the idle task of
 * a CPU that is brought up; it is never freed.
 */
static HWPMC_PROBE_NEWTASK(hwpmc_life_fork, child)
{
	struct hwpmc_thread *th;

	if (!child->pid)
		return;
	/*
	 * Orders the child's insertion into its lists before the search for its parent's
	 * record, and for adoptions: see attach.c and adopt.c.
	 */
	smp_mb();
	rcu_read_lock();
	th = hwpmc_thread_find(current);
	if (th || !list_empty(&hwpmc_adoptions))
		hwpmc_inherit_all(th, child);
	rcu_read_unlock();
	hwpmc_process_fork(child);
}

/*
 * Marks the links dead whose PMC may not follow @th's task any more. Returns true if
 * there are any.
 */
static bool hwpmc_life_mark(struct hwpmc_thread *th, const struct hwpmc_subject *subject)
{
	struct hwpmc_link *link;
	bool revoked = false;
	unsigned long flags;

	list_for_each_entry_rcu(link, &th->ctx.links, in_ctx) {
		raw_spin_lock_irqsave(&link->owner->link_lock, flags);
		if (!link->removed && !link->dead && !hwpmc_target_permits(link, subject)) {
			atomic64_inc(&link->owner->exec_losses);
			link->lost = true;
			hwpmc_link_kill(link);
			revoked = true;
		}
		raw_spin_unlock_irqrestore(&link->owner->link_lock, flags);
	}
	return revoked;
}

/* Ends @link; its target keeps what it counted. Both locks of the link are held. */
static void hwpmc_life_end(struct hwpmc_link *link)
{
	u64 value = hwpmc_link_value(link);

	/* A STOP in progress may not have visited this link yet. */
	hwpmc_period_log_exit(link);
	hwpmc_count_exited(link, value);
	hwpmc_link_remove(link);
	hwpmc_link_free_later(link);
}

/*
 * Ends the links of @th: all of them, or with @lost only those that exec ended, which a resync has
 * made inactive. A DETACH removes the links that it has marked dead, which are not lost. RCU held.
 */
static void hwpmc_life_drop(struct hwpmc_thread *th, bool lost)
{
	struct hwpmc_link *link;
	unsigned long flags;

	list_for_each_entry_rcu(link, &th->ctx.links, in_ctx) {
		raw_spin_lock_irqsave(&th->ctx.lock, flags);
		raw_spin_lock(&link->owner->link_lock);
		if (!link->removed && (!lost || link->lost)) {
			if (lost)
				hwpmc_emit_lost(link);
			hwpmc_life_end(link);
		}
		raw_spin_unlock(&link->owner->link_lock);
		raw_spin_unlock_irqrestore(&th->ctx.lock, flags);
	}
}

/**
 * hwpmc_life_recheck - end the links of current by which it may not be followed any more
 * @th: its record
 *
 * Marks the links, resyncs the context without them, and then ends them. Also withdraws the
 * permission to read counters in user mode, which the new program has not requested. Other code may
 * mark, end or add links in between, and the thread may be scheduled out and in. That is safe:
 * - a link that was marked here is inactive after the next resync, wherever that occurs (and a
 *   thread that is not hooked yet has no active link);
 * - a link that other code marks is ended by that code;
 * - RCU keeps @th.
 *
 * Context: the probe of exec; RCU held, no lock.
 */
void hwpmc_life_recheck(struct hwpmc_thread *th)
{
	struct hwpmc_cpu *pc;
	struct hwpmc_subject subject;
	unsigned int direct;
	unsigned long flags;
	bool revoked;

	/* Called before any lock is taken, since it takes a lock of the task. */
	hwpmc_rights_describe(current, &subject);
	revoked = hwpmc_life_mark(th, &subject);
	direct = hwpmc_direct_forbid_thread(th);
	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	if ((revoked || direct) && pc->thread == th) {
		hwpmc_context_update(pc, &th->ctx);
		pc->loaded = th->ctx.config_serial;
	}
	local_irq_restore(flags);
	hwpmc_direct_put(direct);
	if (revoked)
		hwpmc_life_drop(th, true);
	/* The owners of the remaining links may read the new memory. */
	raw_spin_lock_irqsave(&th->ctx.lock, flags);
	WRITE_ONCE(th->mm, current->mm);
	raw_spin_unlock_irqrestore(&th->ctx.lock, flags);
}

static bool hwpmc_life_awaits_exec(const struct hwpmc_thread *th)
{
	const struct hwpmc_link *link;

	list_for_each_entry_rcu(link, &th->ctx.links, in_ctx)
		if (READ_ONCE(link->awaits_exec))
			return true;
	return false;
}

/**
 * hwpmc_life_begin - start the links that wait for current's exec
 * @th: its record
 *
 * All of them begin to count at one instant, also if the context resyncs for another reason
 * meanwhile, since a resync holds the lock that guards @awaits_exec. A thread that is not hooked
 * yet, or that is scheduled out before the update, resyncs when it is scheduled in.
 *
 * Context: the probes of exec; RCU held; by task_rename also the task's alloc_lock.
 */
void hwpmc_life_begin(struct hwpmc_thread *th)
{
	struct hwpmc_link *link;
	struct hwpmc_cpu *pc;
	unsigned long flags;
	u64 now;

	if (!hwpmc_life_awaits_exec(th))
		return;
	raw_spin_lock_irqsave(&th->ctx.lock, flags);
	now = ktime_get_mono_fast_ns();
	list_for_each_entry(link, &th->ctx.links, in_ctx) {
		if (link->awaits_exec)
			link->begun = now;
		WRITE_ONCE(link->awaits_exec, false);
	}
	hwpmc_context_set_stale(&th->ctx);
	raw_spin_unlock_irqrestore(&th->ctx.lock, flags);
	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	if (pc->thread == th) {
		hwpmc_context_update(pc, &th->ctx);
		pc->loaded = th->ctx.config_serial;
	}
	local_irq_restore(flags);
}

/* sched_process_exec: the task is the only one of its process and has its new credentials. */
static HWPMC_PROBE_EXEC(hwpmc_life_exec, task, bprm)
{
	struct hwpmc_thread *th;

	/*
	 * Orders the new credentials before the search for the record: see
	 * hwpmc_attach_task_link().
	 */
	smp_mb();
	rcu_read_lock();
	th = hwpmc_thread_find(current);
	if (th) {
		hwpmc_life_recheck(th);
		hwpmc_life_begin(th);
	}
	rcu_read_unlock();
	hwpmc_process_exec(task, bprm->filename);
	hwpmc_maps_exec();
}

/*
 * task_rename: exec renames the task when it has the new program's memory, where perf begins to
 * count, and before it maps that program. Then th->mm is the memory of the previous program. At any
 * other renaming of current th->mm is current->mm.
 */
static HWPMC_PROBE_RENAME(hwpmc_life_rename, task, comm)
{
	struct hwpmc_thread *th;

	/* Before the count begins, so that the first sample has the new name. */
	hwpmc_process_comm(task, comm);
	if (task != current)
		return;
	rcu_read_lock();
	th = hwpmc_thread_find(current);
	if (th && READ_ONCE(th->mm) != current->mm)
		hwpmc_life_begin(th);
	rcu_read_unlock();
}

/* Marks a link of an exiting thread. The owner's link_lock is held. */
static void hwpmc_life_exit_link(struct hwpmc_link *link)
{
	if (link->living)
		hwpmc_hangup_count_threads(link->pmc, -1);
	link->living = false;
	link->exit_pending = (link->pmc->flags & HWPMC_F_LOG_PROCEXIT) && link->pmc->running &&
			     !link->dead && !READ_ONCE(link->pmc->evicted);
}

/**
 * hwpmc_life_exiting - mark a thread as exiting
 * @th: its record
 *
 * Subtracts the thread from the living threads of each PMC that follows it, unless the thread was
 * exiting when its record was created: then it was never added. Context: any but NMI; RCU held.
 */
void hwpmc_life_exiting(struct hwpmc_thread *th)
{
	struct hwpmc_link *link;
	unsigned long flags;

	/* A link that is added after this does not count as living. */
	raw_spin_lock_irqsave(&th->ctx.lock, flags);
	th->exiting = true;
	hwpmc_thread_keep_pids(th);
	raw_spin_unlock_irqrestore(&th->ctx.lock, flags);
	list_for_each_entry_rcu(link, &th->ctx.links, in_ctx) {
		raw_spin_lock_irqsave(&link->owner->link_lock, flags);
		if (!link->removed)
			hwpmc_life_exit_link(link);
		raw_spin_unlock_irqrestore(&link->owner->link_lock, flags);
	}
}

/*
 * sched_process_exit: the task runs in the kernel until its last switch, and is counted until then.
 */
static HWPMC_PROBE_EXIT(hwpmc_life_exit, task)
{
	struct hwpmc_thread *th;

	/* Orders PF_EXITING before the search for the record: see hwpmc_thread_insert(). */
	smp_mb();
	rcu_read_lock();
	th = hwpmc_thread_find(task);
	if (th)
		hwpmc_life_exiting(th);
	rcu_read_unlock();
	hwpmc_process_exit(task);
}

/* Returns false if a detach has removed the record meanwhile. RCU held. */
static bool hwpmc_life_remove(struct hwpmc_thread *th)
{
	unsigned long flags;
	bool removed;

	hwpmc_life_drop(th, false);
	raw_spin_lock_irqsave(&th->ctx.lock, flags);
	removed = !th->removed;
	if (removed)
		hwpmc_thread_remove(th);
	raw_spin_unlock_irqrestore(&th->ctx.lock, flags);
	return removed;
}

/*
 * sched_process_free: the task was scheduled out for the last time and reaped, and a grace
 * period has passed.
 */
static HWPMC_PROBE_FREE(hwpmc_life_free, task)
{
	struct hwpmc_thread *th;

	rcu_read_lock();
	th = hwpmc_thread_find(task);
	if (th && hwpmc_life_remove(th))
		hwpmc_thread_free_later(th);
	rcu_read_unlock();
}

struct hwpmc_life_probe {
	const char *name;
	void *fn;
	struct tracepoint *tp;
};

static struct hwpmc_life_probe hwpmc_life_probes[] = {
	{ "task_newtask", hwpmc_life_fork },
	{ "sched_process_exec", hwpmc_life_exec },
	{ "sched_process_exit", hwpmc_life_exit },
	{ "sched_process_free", hwpmc_life_free },
	{ "task_rename", hwpmc_life_rename },
};

static void hwpmc_life_unregister_first(size_t count)
{
	while (count--)
		tracepoint_probe_unregister(hwpmc_life_probes[count].tp,
					    hwpmc_life_probes[count].fn, NULL);
	tracepoint_synchronize_unregister();
}

/**
 * hwpmc_life_register - register the probes of process life
 *
 * Context: may sleep. Return: 0, -ENOENT without a tracepoint, or the error of its
 * registration; then no probe is registered.
 */
int hwpmc_life_register(void)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(hwpmc_life_probes); i++) {
		struct hwpmc_life_probe *probe = &hwpmc_life_probes[i];

		if (!probe->tp)
			probe->tp = hwpmc_tracepoint_find(probe->name);
		err = probe->tp ? tracepoint_probe_register(probe->tp, probe->fn, NULL) : -ENOENT;
		if (err) {
			hwpmc_life_unregister_first(i);
			return err;
		}
	}
	return 0;
}

/** hwpmc_life_unregister - unregister the probes and wait until none runs; may sleep */
void hwpmc_life_unregister(void)
{
	hwpmc_life_unregister_first(ARRAY_SIZE(hwpmc_life_probes));
}
