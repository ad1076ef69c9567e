// SPDX-License-Identifier: GPL-2.0-only
/* Process life: fork inherits, exec may end a right, exit and free end a target. */
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>

#include "../base/owner.h"
#include "../base/rights.h"
#include "../base/stat.h"
#include "../compat/compat.h"
#include "../hwpmc.h"
#include "../log/log.h"
#include "../pmc/context.h"
#include "../pmc/link.h"
#include "../pmc/period.h"
#include "../pmc/pmc.h"
#include "process.h"
#include "target.h"
#include "task.h"

/* Nobody may sleep in the probe of fork; what the child costs is its creator's all the same. */
#define HWPMC_GFP_FORK	(GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN)

static bool hwpmc_life_inherits(const struct hwpmc_link *link, bool same_process)
{
	if (link->dead || link->target->single)
		return false;
	return same_process || (link->pmc->flags & HWPMC_F_DESCENDANTS);
}

/* Links that a child could not inherit: counted under hwpmc_link_lock, and logged after. */
struct hwpmc_life_loss {
	unsigned int links;
	const char *why;	/* of the first, as @owner */
	pid_t owner;
};

static void hwpmc_life_count_loss(struct hwpmc_life_loss *loss, const struct hwpmc_link *link,
				  const char *why)
{
	struct hwpmc_owner *owner = link->pmc->owner;

	atomic64_inc(&owner->fork_failures);
	hwpmc_stat_inc(HWPMC_STAT_FORK_FAILURES);
	if (loss->links++)
		return;
	loss->why = why;
	loss->owner = pid_nr(owner->pid);
}

/* A console is slow: not under a lock that every CPU may wait for. */
static void hwpmc_life_warn(const struct hwpmc_life_loss *loss, struct task_struct *child)
{
	if (loss->links)
		pr_warn_ratelimited("hwpmc: %s to follow new task %d; its events are lost to %u PMCs, the first of pid %d\n",
				    loss->why, task_pid_nr(child), loss->links, loss->owner);
}

/*
 * Give @child the links of its parent. Returns whether @spare is in use. @child
 * has a record already when an attach found it in its process first; only then
 * can there be a link of the same PMC, or one in the way.
 */
static bool hwpmc_life_inherit(struct hwpmc_thread *parent, struct task_struct *child,
			       struct hwpmc_thread *spare, struct hwpmc_life_loss *loss)
{
	bool same_process = same_thread_group(parent->task, child);
	struct hwpmc_thread *found = hwpmc_thread_find(child), *th = found;
	struct hwpmc_link *link, *mine;

	lockdep_assert_held(&hwpmc_link_lock);
	list_for_each_entry(link, &parent->ctx.links, in_ctx) {
		if (!hwpmc_life_inherits(link, same_process) ||
		    (found && hwpmc_thread_link(found, link->pmc)))
			continue;
		if (found && (hwpmc_thread_conflict(found, link->pmc) ||
			      hwpmc_thread_limit(found, link->pmc))) {
			hwpmc_life_count_loss(loss, link, "no row");
			continue;
		}
		mine = spare || found ? hwpmc_link_alloc(HWPMC_GFP_FORK) : NULL;
		if (!mine) {
			hwpmc_life_count_loss(loss, link, "no memory");
			continue;
		}
		if (!th) {
			th = spare;
			hwpmc_thread_insert(th, child);
			hwpmc_hook_child(th);
		}
		mine->thread = th;
		mine->target = link->target;
		hwpmc_link_add(mine, link->pmc, &th->ctx);
		if (link->pmc->running)
			th->ctx.gen = 0;
	}
	/* An attach that found it first would hook it too late. */
	if (found)
		hwpmc_hook_thread(found);
	return th != found;
}

/*
 * The probes hold RCU themselves: newer kernels call them under an SRCU that
 * call_rcu() does not wait for.
 */

/*
 * task_newtask, not sched_process_fork: the workers of io_uring have only that.
 * The child is in the lists of tasks and cannot run yet. The first task of a CPU
 * that comes has pid 0, and is never freed.
 */
static HWPMC_PROBE_NEWTASK(hwpmc_life_fork, child)
{
	struct hwpmc_life_loss loss = {};
	struct hwpmc_thread *th, *spare;
	unsigned long flags;

	if (!child->pid)
		return;
	/* The child is in its lists before its parent is looked for: see target.c. */
	smp_mb();
	rcu_read_lock();
	th = hwpmc_thread_find(current);
	if (th && !list_empty_careful(&th->ctx.links)) {
		spare = hwpmc_thread_alloc(HWPMC_GFP_FORK);
		raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
		if (hwpmc_life_inherit(th, child, spare, &loss))
			spare = NULL;
		raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
		hwpmc_life_warn(&loss, child);
		hwpmc_thread_free(spare);
	}
	rcu_read_unlock();
	hwpmc_process_fork(child);
}

/* Mark the links whose owner may not follow @th's task as it is now. */
static bool hwpmc_life_mark(struct hwpmc_thread *th, bool dumpable,
			    const struct user_namespace *ns)
{
	struct hwpmc_link *link;
	bool any = false;

	list_for_each_entry(link, &th->ctx.links, in_ctx) {
		if (link->dead ||
		    hwpmc_rights_keep(link->pmc->owner, current_cred(), dumpable, ns))
			continue;
		link->dead = true;
		any = true;
	}
	if (any)
		WRITE_ONCE(hwpmc_generation, hwpmc_generation + 1);
	return any;
}

/* What @link counted stays with its target. */
static void hwpmc_life_end(struct hwpmc_link *link)
{
	u64 value = hwpmc_link_value(link);

	/* A stop is under way that has not come to it yet. */
	hwpmc_period_log_exit(link);
	hwpmc_count_exited(link, value);
	hwpmc_link_remove(link);
	hwpmc_link_free(link);
}

/* The dead ones that @th's context has left out; others have just been marked by a detach. */
static void hwpmc_life_drop(struct hwpmc_thread *th)
{
	struct hwpmc_link *link, *next;

	list_for_each_entry_safe(link, next, &th->ctx.links, in_ctx) {
		if (link->dead && !link->active)
			hwpmc_life_end(link);
	}
}

/*
 * Mark, have the context leave them out, drop: the resync takes the lock itself.
 * Between the locks others may mark more, drop some or add links, and each way is
 * safe: interrupts are off, so @th's context stays where it is and nobody but this
 * CPU resyncs it; what was marked here is not active after that (nor is any link
 * of a thread that is not hooked yet), and what others mark later is, so that
 * hwpmc_life_drop() leaves it to them; RCU keeps @th.
 */
static void hwpmc_life_recheck(struct hwpmc_thread *th)
{
	struct hwpmc_cpu *pc;
	struct user_namespace *ns;
	unsigned long flags;
	bool dumpable, any;

	/* Before the lock: it takes one of the task's. */
	dumpable = hwpmc_dumpable_get(current, &ns);
	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	any = hwpmc_life_mark(th, dumpable, ns);
	raw_spin_unlock(&hwpmc_link_lock);
	pc = this_cpu_ptr(&hwpmc_cpus);
	if (any && pc->thread == th) {
		hwpmc_context_update(pc, &th->ctx);
		pc->loaded = th->ctx.config_serial;
	}
	raw_spin_lock(&hwpmc_link_lock);
	if (any)
		hwpmc_life_drop(th);
	/* Who follows it still may. */
	WRITE_ONCE(th->mm, current->mm);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

/* The task is alone in its process and has its new credentials. */
static HWPMC_PROBE_EXEC(hwpmc_life_exec, task, bprm)
{
	struct hwpmc_thread *th;

	/* The credentials are out before the record is looked for: see hwpmc_attach_task(). */
	smp_mb();
	rcu_read_lock();
	th = hwpmc_thread_find(current);
	if (th)
		hwpmc_life_recheck(th);
	rcu_read_unlock();
	hwpmc_process_exec(task, bprm->filename);
	hwpmc_maps_exec();
}

static HWPMC_PROBE_RENAME(hwpmc_life_rename, task, comm)
{
	hwpmc_process_comm(task, comm);
}

/* Once a task. Whoever found it exiting has not counted it as living. */
void hwpmc_life_exiting(struct hwpmc_thread *th)
{
	struct hwpmc_link *link;
	unsigned long flags;
	bool counted;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	counted = !th->exiting;
	th->exiting = true;
	hwpmc_thread_keep_pids(th);
	list_for_each_entry(link, &th->ctx.links, in_ctx) {
		if (counted)
			hwpmc_hangup_count_threads(link->pmc, -1);
		link->exit_pending = (link->pmc->flags & HWPMC_F_LOG_PROCEXIT) &&
			       link->pmc->running && !link->dead;
	}
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

/* It still runs for a while in the kernel, and that counts. */
static HWPMC_PROBE_EXIT(hwpmc_life_exit, task)
{
	struct hwpmc_thread *th;

	/* PF_EXITING is set before the record is looked for: see hwpmc_thread_insert(). */
	smp_mb();
	rcu_read_lock();
	th = hwpmc_thread_find(task);
	if (th)
		hwpmc_life_exiting(th);
	rcu_read_unlock();
	hwpmc_process_exit(task);
}

static void hwpmc_life_remove(struct hwpmc_thread *th)
{
	struct hwpmc_link *link, *next;

	list_for_each_entry_safe(link, next, &th->ctx.links, in_ctx)
		hwpmc_life_end(link);
	hwpmc_thread_remove(th);
}

/* The task has left its last CPU, was reaped, and a grace period has passed. */
static HWPMC_PROBE_FREE(hwpmc_life_free, task)
{
	struct hwpmc_thread *th;
	unsigned long flags;

	rcu_read_lock();
	th = hwpmc_thread_find(task);
	rcu_read_unlock();
	if (!th)
		return;
	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	th = hwpmc_thread_find(task);
	if (th)
		hwpmc_life_remove(th);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
	if (th)
		hwpmc_thread_free_later(th);
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

/* May sleep. */
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

void hwpmc_life_unregister(void)
{
	hwpmc_life_unregister_first(ARRAY_SIZE(hwpmc_life_probes));
}
