// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of process life: fork inherits links, exec checks rights again, exit and free end
 * them.
 *
 * Called by the kernel's tracepoints, in the context of the task that forks, executes or
 * exits; none of the probes may sleep. probes.c registers them.
 */
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

/* The probe of fork may not sleep. The memory is charged to the task that forks. */
#define HWPMC_GFP_FORK	(GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN)

/* Whether a child of the same process, or of another one, inherits @link. */
static bool hwpmc_life_inherits(const struct hwpmc_link *link, bool same_process)
{
	if (link->dead || READ_ONCE(link->pmc->evicted) || link->target->single)
		return false;
	return same_process || (link->pmc->flags & HWPMC_F_DESCENDANTS);
}

/*
 * Links that a child could not inherit. Counted under hwpmc_link_lock, logged after it is
 * released.
 */
struct hwpmc_life_loss {
	unsigned int links;
	const char *why;	/* of the first one, as is @owner */
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

/* Not under hwpmc_link_lock: a console is slow, and every CPU may spin on that lock. */
static void hwpmc_life_warn(const struct hwpmc_life_loss *loss, struct task_struct *child)
{
	if (loss->links)
		pr_warn_ratelimited("hwpmc: %s to follow new task %d: %u PMCs do not count its events, the first is of pid %d\n",
				    loss->why, task_pid_nr(child), loss->links, loss->owner);
}

/*
 * Adds the links that @child inherits from its parent. Returns true if @spare is in use.
 * @child already has a record if an attach of its process found it first; only then can it
 * have a link of the same PMC, or of another PMC on the same row.
 */
static bool hwpmc_life_inherit(struct hwpmc_thread *parent, struct task_struct *child,
			       struct hwpmc_thread *spare, struct hwpmc_life_loss *loss)
{
	bool same_process = same_thread_group(parent->task, child);
	struct hwpmc_thread *found = hwpmc_thread_find(child), *th = found;
	struct hwpmc_link *link, *child_link;

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
		if (hwpmc_user_full(link->pmc->owner, HWPMC_USER_LINKS)) {
			hwpmc_life_count_loss(loss, link, "parameter max_links allows no link");
			continue;
		}
		child_link = spare || found ? hwpmc_link_alloc(HWPMC_GFP_FORK) : NULL;
		if (!child_link) {
			hwpmc_life_count_loss(loss, link, "no memory");
			continue;
		}
		if (!th) {
			th = spare;
			hwpmc_thread_insert(th, child);
			hwpmc_hook_child(th);
		}
		child_link->thread = th;
		child_link->target = link->target;
		hwpmc_link_add(child_link, link->pmc, &th->ctx);
		hwpmc_context_set_stale(&th->ctx);
	}
	/*
	 * The attach that found the child first hooks it later than it can run, so hook it
	 * here.
	 */
	if (found)
		hwpmc_hook_thread(found);
	return th != found;
}

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
	struct hwpmc_life_loss loss = {};
	struct hwpmc_thread *th, *spare;
	unsigned long flags;

	if (!child->pid)
		return;
	/*
	 * Orders the child's insertion into its lists before the search for its parent's
	 * record: see target.c.
	 */
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

/* Whether the opener of the device and the caller of ATTACH may both follow @subject. */
static bool hwpmc_life_permitted(const struct hwpmc_link *link, const struct hwpmc_subject *subject)
{
	const struct hwpmc_rights *opener = &link->pmc->owner->rights;
	const struct hwpmc_rights *caller = &link->target->rights;

	return hwpmc_rights_follow(caller, subject) && hwpmc_rights_follow(opener, subject) &&
	       (!link->pmc->user_stack || (hwpmc_rights_copy(caller, subject) &&
					   hwpmc_rights_copy(opener, subject)));
}

/*
 * Marks the links dead whose PMC may not follow @th's task any more. Returns true if
 * there are any.
 */
static bool hwpmc_life_mark(struct hwpmc_thread *th, const struct hwpmc_subject *subject)
{
	struct hwpmc_link *link;
	bool revoked = false;

	list_for_each_entry(link, &th->ctx.links, in_ctx) {
		if (link->dead || hwpmc_life_permitted(link, subject))
			continue;
		atomic64_inc(&link->pmc->owner->exec_losses);
		hwpmc_link_kill(link);
		revoked = true;
	}
	return revoked;
}

/* Ends @link; its target keeps what it counted. */
static void hwpmc_life_end(struct hwpmc_link *link)
{
	u64 value = hwpmc_link_value(link);

	/* A STOP may be under way that has not visited this link yet. */
	hwpmc_period_log_exit(link);
	hwpmc_count_exited(link, value);
	hwpmc_link_remove(link);
	hwpmc_link_free(link);
}

/*
 * Ends the dead links that a resync has removed from @th's context. A dead link that is
 * still active was marked by a detach just now, which ends it.
 */
static void hwpmc_life_drop(struct hwpmc_thread *th)
{
	struct hwpmc_link *link, *next;

	list_for_each_entry_safe(link, next, &th->ctx.links, in_ctx) {
		if (!link->dead || link->active)
			continue;
		hwpmc_emit_lost(link);
		hwpmc_life_end(link);
	}
}

/*
 * Marks links, resyncs the context without them, then ends them. The resync takes
 * hwpmc_link_lock itself, so the lock is dropped in between. Others may mark, end or add
 * links meanwhile, and each is safe:
 * - interrupts are off, so @th's context is not moved off this CPU and only this CPU resyncs it;
 * - a link that was marked here is not active after the resync (nor is any link of a
 *   thread that is not hooked yet);
 * - a link that others mark later is still active, so hwpmc_life_drop() leaves it to
 *   them;
 * - RCU keeps @th.
 */
static void hwpmc_life_recheck(struct hwpmc_thread *th)
{
	struct hwpmc_cpu *pc;
	struct hwpmc_subject subject;
	unsigned long flags;
	bool revoked;

	/* Not under hwpmc_link_lock: this takes a lock of the task. */
	hwpmc_rights_describe(current, &subject);
	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	revoked = hwpmc_life_mark(th, &subject);
	raw_spin_unlock(&hwpmc_link_lock);
	pc = this_cpu_ptr(&hwpmc_cpus);
	if (revoked && pc->thread == th) {
		hwpmc_context_update(pc, &th->ctx);
		pc->loaded = th->ctx.config_serial;
	}
	raw_spin_lock(&hwpmc_link_lock);
	if (revoked)
		hwpmc_life_drop(th);
	/* The owners of the links that are left may read the new memory. */
	WRITE_ONCE(th->mm, current->mm);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

/* sched_process_exec: the task is the only one of its process and has its new credentials. */
static HWPMC_PROBE_EXEC(hwpmc_life_exec, task, bprm)
{
	struct hwpmc_thread *th;

	/*
	 * Orders the new credentials before the search for the record: see
	 * hwpmc_attach_task().
	 */
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

/**
 * hwpmc_life_exiting - mark a thread as exiting
 * @th: its record
 *
 * Subtracts the thread from the living threads of each PMC that follows it, unless its
 * record was made when it exited already: then it was never added. Context: any but NMI;
 * RCU held.
 */
void hwpmc_life_exiting(struct hwpmc_thread *th)
{
	struct hwpmc_link *link;
	unsigned long flags;
	bool was_living;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	was_living = !th->exiting;
	th->exiting = true;
	hwpmc_thread_keep_pids(th);
	list_for_each_entry(link, &th->ctx.links, in_ctx) {
		if (was_living)
			hwpmc_hangup_count_threads(link->pmc, -1);
		link->exit_pending = (link->pmc->flags & HWPMC_F_LOG_PROCEXIT) &&
			       link->pmc->running && !link->dead &&
			       !READ_ONCE(link->pmc->evicted);
	}
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

/* sched_process_exit: the task runs on in the kernel for a while, and its events still count. */
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

static void hwpmc_life_remove(struct hwpmc_thread *th)
{
	struct hwpmc_link *link, *next;

	list_for_each_entry_safe(link, next, &th->ctx.links, in_ctx)
		hwpmc_life_end(link);
	hwpmc_thread_remove(th);
}

/*
 * sched_process_free: the task was scheduled out for the last time and reaped, and a grace
 * period has passed.
 */
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
