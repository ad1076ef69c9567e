// SPDX-License-Identifier: GPL-2.0-only
/* Links of PMCs into contexts: they come, and go. */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "../base/owner.h"
#include "context.h"
#include "link.h"
#include "pmc.h"

static struct kmem_cache *hwpmc_link_cache;

void hwpmc_link_add(struct hwpmc_link *link, struct hwpmc_pmc *pmc, struct hwpmc_context *ctx)
{
	lockdep_assert_held(&hwpmc_link_lock);
	link->pmc = pmc;
	link->ctx = ctx;
	link->slot = &ctx->slots[pmc->row];
	/* What comes after a reading began is in no sum of it, and in no part. */
	link->visit = pmc->reading ? pmc->reading->visit : 0;
	list_add_tail(&link->in_pmc, &pmc->links);
	list_add_tail(&link->in_ctx, &ctx->links);
	if (link->target)
		list_add_tail(&link->in_target, &link->target->links);
	pmc->link_count++;
	if (link->thread && !link->thread->exiting)
		hwpmc_hangup_count_threads(pmc, 1);
}

/*
 * Take a link out of its PMC and its context. Its context must have seen it
 * dead, or its PMC stopped, or be off for good.
 */
void hwpmc_link_remove(struct hwpmc_link *link)
{
	lockdep_assert_held(&hwpmc_link_lock);
	list_del(&link->in_pmc);
	list_del(&link->in_ctx);
	if (link->target)
		list_del(&link->in_target);
	/* A dead record is looked at, whatever it saw while its links were only marked. */
	if (list_empty(&link->ctx->links))
		WRITE_ONCE(link->ctx->gen, 0);
	link->pmc->link_count--;
	if (link->thread && !link->thread->exiting)
		hwpmc_hangup_count_threads(link->pmc, -1);
}

struct hwpmc_link *hwpmc_link_alloc(gfp_t gfp)
{
	return kmem_cache_zalloc(hwpmc_link_cache, gfp);
}

void hwpmc_link_free(struct hwpmc_link *link)
{
	if (link)
		kmem_cache_free(hwpmc_link_cache, link);
}

int hwpmc_link_init(void)
{
	hwpmc_link_cache = KMEM_CACHE(hwpmc_link, 0);
	return hwpmc_link_cache ? 0 : -ENOMEM;
}

void hwpmc_link_exit(void)
{
	kmem_cache_destroy(hwpmc_link_cache);
}
