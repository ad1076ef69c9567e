// SPDX-License-Identifier: GPL-2.0-only
/*
 * Links between PMCs and contexts: allocate, add, remove, free. Called by task/ for threads and
 * by pmc.c for CPUs. Adding and removing needs the context's lock and the owner's link_lock, in
 * this order, and does not sleep.
 */
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../base/owner.h"
#include "context.h"
#include "fire.h"
#include "link.h"
#include "off_cpu.h"
#include "page.h"
#include "pmc.h"

static struct kmem_cache *hwpmc_link_cache;

static void hwpmc_link_assert_locked(const struct hwpmc_link *link)
{
	lockdep_assert_held(&link->ctx->lock);
	lockdep_assert_held(&link->owner->link_lock);
}

static enum hwpmc_inherit hwpmc_link_inherit(const struct hwpmc_link *link)
{
	if (!link->target || link->target->single)
		return HWPMC_INHERIT_NONE;
	return link->pmc->flags & HWPMC_F_DESCENDANTS ? HWPMC_INHERIT_ALL : HWPMC_INHERIT_THREADS;
}

/* After a link was added to @pmc (@by: 1) or removed (-1). */
static void hwpmc_link_count(struct hwpmc_pmc *pmc, int by)
{
	pmc->link_count += by;
	pmc->only = pmc->link_count == 1 ?
		    list_first_entry(&pmc->links, struct hwpmc_link, in_pmc)->thread : NULL;
}

/**
 * hwpmc_link_add - add a link to a PMC, a context and the link's target
 * @link: new; its thread and target are set if it has them. A link with a thread is one of its
 *	user's, counted by hwpmc_user_take()
 * @pmc: the PMC
 * @ctx: the context
 *
 * The context starts to count for the link at its next resync. If the PMC runs the caller makes the
 * context stale. Context: any but NMI; @ctx->lock and the owner's link_lock held.
 */
void hwpmc_link_add(struct hwpmc_link *link, struct hwpmc_pmc *pmc, struct hwpmc_context *ctx)
{
	link->owner = pmc->owner;
	link->pmc = pmc;
	link->ctx = ctx;
	link->slot = pmc->probe ? &link->own : &ctx->slots[pmc->row];
	link->probe = pmc->probe;
	link->filters = pmc->filters;
	link->inherit = hwpmc_link_inherit(link);
	link->awaits_exec = pmc->flags & HWPMC_F_ENABLE_ON_EXEC;
	if (hwpmc_off_cpu_is(pmc))
		link->begun = ktime_get_mono_fast_ns();
	hwpmc_link_assert_locked(link);
	/* A reading that is in progress does not include a link that is added after its start. */
	link->visit = pmc->reading ? pmc->reading->visit : 0;
	list_add_tail(&link->in_pmc, &pmc->links);
	list_add_tail_rcu(&link->in_ctx, &ctx->links);
	if (link->probe)
		hwpmc_fire_add(link);
	ctx->added++;
	if (link->target)
		list_add_tail(&link->in_target, &link->target->links);
	hwpmc_link_count(pmc, 1);
	link->living = link->thread && !link->thread->exiting;
	if (link->living)
		hwpmc_hangup_count_threads(pmc, 1);
}

/**
 * hwpmc_link_kill - mark a link as dead
 * @link: the link
 *
 * It counts until its context resyncs, which this makes stale if the PMC runs or is about to, or
 * has a page. It no longer counts for its user's limit. The caller removes it soon.
 * Context: any but NMI; the owner's link_lock held.
 */
void hwpmc_link_kill(struct hwpmc_link *link)
{
	lockdep_assert_held(&link->owner->link_lock);
	if (link->thread && !link->dead)
		hwpmc_user_add(link->owner, HWPMC_USER_LINKS, -1);
	WRITE_ONCE(link->dead, true);
	/* Orders dead before stale, see hwpmc_context_decide(). */
	smp_mb();
	if (link->pmc->running || link->pmc->changing || link->pmc->page)
		hwpmc_context_set_stale(link->ctx);
}

/**
 * hwpmc_link_remove - remove a link from its PMC, its context and its target
 * @link: inactive: its context has resynced since the link was marked dead or the PMC stopped,
 *	or will never be scheduled in again
 *
 * The caller frees it with hwpmc_link_free_later(). Context: any but NMI; the context's lock and
 * the owner's link_lock held.
 */
void hwpmc_link_remove(struct hwpmc_link *link)
{
	hwpmc_link_assert_locked(link);
	link->removed = true;
	list_del(&link->in_pmc);
	list_del_rcu(&link->in_ctx);
	if (link->probe)
		hwpmc_fire_remove(link);
	if (link->target)
		list_del(&link->in_target);
	/* The next schedule-in resyncs the context and finds the record unused. */
	if (list_empty(&link->ctx->links))
		WRITE_ONCE(link->ctx->stale, HWPMC_EMPTY);
	hwpmc_link_count(link->pmc, -1);
	hwpmc_page_show_state(link->pmc);
	if (link->thread && !link->dead)
		hwpmc_user_add(link->owner, HWPMC_USER_LINKS, -1);
	if (link->living)
		hwpmc_hangup_count_threads(link->pmc, -1);
	link->living = false;
}

/* Allocate a zeroed link, or return NULL. Context: as @gfp permits. */
struct hwpmc_link *hwpmc_link_alloc(gfp_t gfp)
{
	return kmem_cache_zalloc(hwpmc_link_cache, gfp);
}

/* Free a link that was never added, or do nothing for NULL. Context: any but NMI. */
void hwpmc_link_free(struct hwpmc_link *link)
{
	if (link)
		kmem_cache_free(hwpmc_link_cache, link);
}

static void hwpmc_link_free_rcu(struct rcu_head *rcu)
{
	hwpmc_link_free(container_of(rcu, struct hwpmc_link, rcu));
}

/* Free a removed link after a grace period. Context: any but NMI. */
void hwpmc_link_free_later(struct hwpmc_link *link)
{
	call_rcu(&link->rcu, hwpmc_link_free_rcu);
}

/* Called at module load. */
int hwpmc_link_init(void)
{
	hwpmc_link_cache = KMEM_CACHE(hwpmc_link, 0);
	return hwpmc_link_cache ? 0 : -ENOMEM;
}

/* Called at module unload: no link is in use; waits for those that are freed later. */
void hwpmc_link_exit(void)
{
	rcu_barrier();
	kmem_cache_destroy(hwpmc_link_cache);
}
