// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMCs: create and free one, link it to its CPU, set its start value or period. Called by
 * call/ (allocate.c, claim.c, release.c, value.c), in process context with owner->lock held.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "context.h"
#include "link.h"
#include "pmc.h"
#include "row.h"
#include "sampler.h"
#include "walk.h"

static struct kmem_cache *hwpmc_pmc_cache;

/* Called at module load. Returns 0 or -ENOMEM. */
int __init hwpmc_pmc_init(void)
{
	hwpmc_pmc_cache = KMEM_CACHE(hwpmc_pmc, 0);
	return hwpmc_pmc_cache ? 0 : -ENOMEM;
}

/* Called at module unload: no PMC exists. */
void hwpmc_pmc_exit(void)
{
	kmem_cache_destroy(hwpmc_pmc_cache);
}

/**
 * hwpmc_pmc_preset - set the value that is written to the counter when @pmc is programmed
 * @pmc: not running
 * @value: start value in events; the counter gets its low bits
 *
 * Counting PMCs that start from 0 share a tag: a switch between two of them with the same
 * selection writes no register. A PMC with a start value gets a tag of its own, so that the
 * value is written. So does a sampling PMC: its row is parked while it is scheduled out, and must
 * not be mistaken for the running row of another PMC.
 *
 * Context: any but NMI; no context reads @pmc->row_config, since it does not run.
 */
void hwpmc_pmc_preset(struct hwpmc_pmc *pmc, u64 value)
{
	static atomic64_t serial = ATOMIC64_INIT(1);

	pmc->row_config.preset = value;
	pmc->row_config.tag = value || pmc->sampled ? (u64)atomic64_inc_return(&serial) : 1;
}

/**
 * hwpmc_pmc_new - create a PMC without a row and without an id
 * @owner: its owner; owner->lock held
 * @class_index: index of its class in hwpmc_classes
 * @args: the request, checked by hwpmc_request_check()
 * @caps: HWPMC_CAP_* of the PMC
 * @enc: the encoding of its event
 * @probe: the probe of a PMC of class PROBE, otherwise NULL
 *
 * Context: may sleep. Return: the PMC, or an error pointer after hwpmc_fail(): -ENOMEM, or -EBUSY
 * if the user has max_pmcs PMCs already.
 */
struct hwpmc_pmc *hwpmc_pmc_new(struct hwpmc_owner *owner, int class_index,
				const struct hwpmc_allocate *args, u64 caps,
				const struct hwpmc_encoding *enc, struct hwpmc_probe *probe)
{
	struct hwpmc_pmc *pmc;

	if (!hwpmc_user_take(owner, HWPMC_USER_PMCS))
		return ERR_PTR(hwpmc_user_fail(owner, -EBUSY, HWPMC_USER_PMCS));
	pmc = kmem_cache_zalloc(hwpmc_pmc_cache, GFP_KERNEL_ACCOUNT);
	if (!pmc)
		goto out_user;
	pmc->owner = owner;
	pmc->class = hwpmc_classes[class_index];
	pmc->class_index = class_index;
	pmc->mode = args->mode;
	pmc->cpu = args->cpu;
	pmc->caps = caps;
	pmc->flags = args->flags & ~HWPMC_F_TRY;
	pmc->event = args->event;
	pmc->count = args->count;
	pmc->first_count = args->count;
	pmc->user_stack = args->user_stack;
	pmc->probe = probe;
	pmc->args = args->args;
	pmc->string = args->string;
	pmc->row = HWPMC_ROW_NONE;
	if (hwpmc_mode_sampling(args->mode) && hwpmc_sampler_alloc(pmc))
		goto out_pmc;
	pmc->base = pmc->sampled ? 0 : args->count;
	pmc->row_config.sel = enc->sel;
	pmc->extra = enc->extra;
	hwpmc_pmc_preset(pmc, pmc->base);
	INIT_LIST_HEAD(&pmc->targets);
	INIT_LIST_HEAD(&pmc->links);
	return pmc;
out_pmc:
	kmem_cache_free(hwpmc_pmc_cache, pmc);
out_user:
	hwpmc_user_add(owner, HWPMC_USER_PMCS, -1);
	return ERR_PTR(hwpmc_fail(owner, -ENOMEM, "out of memory; try again"));
}

/**
 * hwpmc_pmc_link_cpu - link a system-wide PMC to the context of its CPU
 * @pmc: a new PMC that has a row
 *
 * Context: may sleep; owner->lock held. Return: 0, or -ENOMEM after hwpmc_fail().
 */
int hwpmc_pmc_link_cpu(struct hwpmc_pmc *pmc)
{
	struct hwpmc_link *link = hwpmc_link_alloc(GFP_KERNEL_ACCOUNT);
	struct hwpmc_context *ctx;
	unsigned long flags;

	if (!link)
		return hwpmc_fail(pmc->owner, -ENOMEM, "out of memory; try again");
	ctx = &per_cpu(hwpmc_cpus, pmc->cpu).sys;
	raw_spin_lock_irqsave(&ctx->lock, flags);
	raw_spin_lock(&pmc->owner->link_lock);
	hwpmc_link_add(link, pmc, ctx);
	raw_spin_unlock(&pmc->owner->link_lock);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return 0;
}

/* Free @pmc, which has no link and holds no row. Context: process, owner->lock held. */
void hwpmc_pmc_free(struct hwpmc_pmc *pmc)
{
	hwpmc_user_add(pmc->owner, HWPMC_USER_PMCS, -1);
	hwpmc_sampler_free(pmc);
	kfree(pmc->filters);
	kmem_cache_free(hwpmc_pmc_cache, pmc);
}

/**
 * hwpmc_pmc_unlink_cpu - remove the links of a system-wide PMC
 * @pmc: not running: its CPU has resynced since it stopped
 *
 * Does nothing without a link. Context: process, owner->lock held.
 */
void hwpmc_pmc_unlink_cpu(struct hwpmc_pmc *pmc)
{
	struct hwpmc_walk walk;
	struct list_head *at;

	hwpmc_walk_begin(&walk, pmc->owner, &pmc->links);
	while ((at = hwpmc_walk_next(&walk))) {
		struct hwpmc_link *link = list_entry(at, struct hwpmc_link, in_pmc);

		/* No other code removes a link of a CPU. */
		hwpmc_walk_lock_context(&walk, link);
		hwpmc_link_remove(link);
		raw_spin_unlock(&link->ctx->lock);
		hwpmc_link_free_later(link);
	}
	hwpmc_walk_end(&walk);
}

/**
 * hwpmc_pmc_set_count - set a PMC's start value, period or frequency (HWPMC_IOC_SET_COUNT)
 * @pmc: not running
 * @count: as hwpmc_pmc.count
 *
 * A counting PMC also gets this value. A sampling PMC begins a new period in every thread.
 *
 * Context: may sleep; owner->lock held. Return: 0, or -EINVAL after hwpmc_fail() if a sampling
 * PMC cannot have this period or frequency.
 */
int hwpmc_pmc_set_count(struct hwpmc_pmc *pmc, u64 count)
{
	struct hwpmc_walk walk;
	struct list_head *at;
	int err;

	if (!pmc->sampled) {
		pmc->count = count;
		hwpmc_count_write(pmc, count);
		return 0;
	}
	err = hwpmc_request_count(pmc->owner, pmc->class, pmc->flags, count);
	if (err)
		return err;
	hwpmc_walk_begin(&walk, pmc->owner, &pmc->links);
	pmc->count = count;
	while ((at = hwpmc_walk_next(&walk)))
		list_entry(at, struct hwpmc_link, in_pmc)->period = 0;
	hwpmc_walk_end(&walk);
	return 0;
}
