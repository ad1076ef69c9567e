// SPDX-License-Identifier: GPL-2.0-only
/*
 * The links that a new task inherits: one for each PMC that follows its parent and new tasks of its
 * parent, and one for each attach whose new tasks the probe of fork links (adopt.c). Called by that
 * probe (life.c), in the context of the task that forks.
 */
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

#include "../base/owner.h"
#include "../base/rights.h"
#include "../base/stat.h"
#include "../hwpmc.h"
#include "../pmc/context.h"
#include "../pmc/link.h"
#include "../pmc/pmc.h"
#include "adopt.h"
#include "hook.h"
#include "target.h"
#include "task.h"

/* The probe of fork may not sleep. The memory is charged to the task that forks. */
#define HWPMC_GFP_FORK	(GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN)

/* Whether a child of the same process, or of another one, inherits @link. */
static bool hwpmc_inherit_wanted(const struct hwpmc_link *link, bool same_process)
{
	return link->inherit == HWPMC_INHERIT_ALL ||
	       (same_process && link->inherit == HWPMC_INHERIT_THREADS);
}

/* Links that a child could not inherit. */
struct hwpmc_inherit_loss {
	unsigned int links;
	const char *why;	/* of the first one, as is @owner */
	pid_t owner;
};

static void hwpmc_inherit_count_loss(struct hwpmc_inherit_loss *loss, const struct hwpmc_link *link,
				     const char *why)
{
	struct hwpmc_owner *owner = link->owner;

	atomic64_inc(&owner->fork_failures);
	hwpmc_stat_inc(HWPMC_STAT_FORK_FAILURES);
	if (loss->links++)
		return;
	loss->why = why;
	loss->owner = pid_nr(owner->pid);
}

/* Called without a lock, since consoles are slow. */
static void hwpmc_inherit_warn(const struct hwpmc_inherit_loss *loss, struct task_struct *child)
{
	if (loss->links)
		pr_warn_ratelimited("hwpmc: %s to follow new task %d: %u PMCs do not count its events, the first is of pid %d\n",
				    loss->why, task_pid_nr(child), loss->links, loss->owner);
}

/* A child that inherits. */
struct hwpmc_inherit_child {
	struct task_struct *task;
	bool same_process;		/* it is of its parent's process */
	struct hwpmc_thread *spare;	/* its record, until that is in the table */
	bool allocated;			/* the allocation of @spare was tried */
	struct hwpmc_thread *record;	/* its record at the last link; compared only */
	unsigned int added;		/* links that it has inherited, in @record */
	bool adopted;			/* attaches may have linked it already */
	struct hwpmc_inherit_loss loss;
};

/*
 * Adds @heir, which the child @th inherits by @link, and returns true. Otherwise returns false, and
 * counts a loss if the child should have inherited. The locks of @th's context and of @link's owner
 * are held. @th can have a link of the same PMC, or of another PMC on the same row, only if an
 * attach of its process found it, too, or adopted it.
 */
static bool hwpmc_inherit_add(struct hwpmc_inherit_child *child, struct hwpmc_thread *th,
			      const struct hwpmc_link *link, struct hwpmc_link *heir)
{
	bool found = child->adopted || th->ctx.added != child->added;
	struct hwpmc_link *other = found ? hwpmc_thread_link(th, link->pmc) : NULL;

	if (link->removed || link->dead || READ_ONCE(link->pmc->evicted))
		return false;
	if (other) {
		/*
		 * An attach has linked the child, too, and that link waits for an exec. If the
		 * parent's link does not wait any more, the child counts at once.
		 */
		if (other->target == link->target && READ_ONCE(other->awaits_exec) &&
		    !READ_ONCE(link->awaits_exec)) {
			WRITE_ONCE(other->awaits_exec, false);
			hwpmc_context_set_stale(&th->ctx);
		}
		return false;
	}
	if (found && (hwpmc_thread_conflict(th, link->pmc) || hwpmc_thread_limit(th, link->pmc))) {
		hwpmc_inherit_count_loss(&child->loss, link, "no row");
		return false;
	}
	if (!hwpmc_user_take(link->owner, HWPMC_USER_LINKS)) {
		hwpmc_inherit_count_loss(&child->loss, link, "parameter max_links allows no link");
		return false;
	}
	heir->thread = th;
	heir->target = link->target;
	hwpmc_link_add(heir, link->pmc, &th->ctx);
	/* The child has not been on a CPU: its wait for the first one is not off-CPU time. */
	heir->begun = U64_MAX;
	/* The child of a thread that has executed a program counts at once. */
	WRITE_ONCE(heir->awaits_exec, READ_ONCE(link->awaits_exec));
	hwpmc_context_set_stale(&th->ctx);
	child->added++;
	return true;
}

static void hwpmc_inherit_lack_memory(struct hwpmc_inherit_child *child, struct hwpmc_link *link)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&link->owner->link_lock, flags);
	if (!link->removed && !link->dead && !READ_ONCE(link->pmc->evicted))
		hwpmc_inherit_count_loss(&child->loss, link, "no memory");
	raw_spin_unlock_irqrestore(&link->owner->link_lock, flags);
}

/*
 * Adds @heir, which @child inherits by @link of its parent, or counts a loss and frees it. Returns
 * false, and keeps @heir, if @child has neither a record nor a spare one.
 */
static bool hwpmc_inherit_try(struct hwpmc_inherit_child *child, struct hwpmc_link *link,
			      struct hwpmc_link *heir)
{
	struct hwpmc_thread *new = child->spare, *th;
	unsigned long flags;

	th = hwpmc_thread_lock(child->task, &child->spare, &flags);
	if (!th)
		return false;
	if (th != child->record)
		child->added = 0;
	child->record = th;
	/*
	 * If an attach found the child first, it may hook the child only after that runs. So the
	 * child is hooked here in either case.
	 */
	if (th == new)
		hwpmc_hook_child(th);
	else if (unlikely(READ_ONCE(th->hook) == HWPMC_HOOK_PENDING))
		hwpmc_hook_thread(th);
	raw_spin_lock(&link->owner->link_lock);
	if (hwpmc_inherit_add(child, th, link, heir))
		heir = NULL;
	raw_spin_unlock(&link->owner->link_lock);
	raw_spin_unlock_irqrestore(&th->ctx.lock, flags);
	hwpmc_link_free(heir);
	return true;
}

/*
 * Between two links a DETACH may remove those that the child has inherited so far, and with the
 * last one the record, as of a sleeping task, since the child does not run yet. Then the child gets
 * a new record.
 */
static void hwpmc_inherit_link(struct hwpmc_inherit_child *child, struct hwpmc_link *link)
{
	struct hwpmc_link *heir;

	if (!child->allocated)
		child->spare = hwpmc_thread_alloc(HWPMC_GFP_FORK);
	child->allocated = true;
	heir = hwpmc_link_alloc(HWPMC_GFP_FORK);
	if (heir && hwpmc_inherit_try(child, link, heir))
		return;
	if (heir && child->record) {
		child->spare = hwpmc_thread_alloc(HWPMC_GFP_FORK);
		if (hwpmc_inherit_try(child, link, heir))
			return;
	}
	hwpmc_link_free(heir);
	hwpmc_inherit_lack_memory(child, link);
}

/*
 * Links a new task to the PMCs of attaches that adopt it, unless they may not follow it. RCU held.
 */
static void hwpmc_inherit_adopt(struct hwpmc_inherit_child *child)
{
	struct hwpmc_adoption *it;
	struct hwpmc_subject subject;

	hwpmc_rights_describe(child->task, &subject);
	child->adopted = true;
	list_for_each_entry_rcu(it, &hwpmc_adoptions, node)
		if (hwpmc_adopt_includes(it, child->task) &&
		    hwpmc_target_permits(&it->link, &subject))
			hwpmc_inherit_link(child, &it->link);
}

/**
 * hwpmc_inherit_all - link a new task to the PMCs that follow its parent
 * @parent: record of current, which created the task, or NULL
 * @task: in the lists of tasks; it cannot run yet
 *
 * Links it also to the PMCs of attaches that adopt it. Context: the probe of fork, which may not
 * sleep; RCU held, no lock.
 */
void hwpmc_inherit_all(struct hwpmc_thread *parent, struct task_struct *task)
{
	struct hwpmc_inherit_child child = {
		.task = task, .same_process = same_thread_group(current, task),
	};
	struct hwpmc_link *link;

	/* Adoptions first: an attach may link the parent after the search of the parent's links. */
	if (unlikely(!list_empty(&hwpmc_adoptions)))
		hwpmc_inherit_adopt(&child);
	if (!parent)
		goto out;
	list_for_each_entry_rcu(link, &parent->ctx.links, in_ctx) {
		if (hwpmc_inherit_wanted(link, child.same_process))
			hwpmc_inherit_link(&child, link);
	}
out:
	hwpmc_thread_free(child.spare);
	hwpmc_inherit_warn(&child.loss, task);
}
