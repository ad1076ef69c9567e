// SPDX-License-Identifier: GPL-2.0-only
/* PMCs: what one is made of, from ALLOCATE to RELEASE. */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../../arch/hwpmc_arch.h"
#include "../log/log.h"
#include "../stats.h"
#include "../task/target.h"
#include "../task/task.h"
#include "context.h"
#include "link.h"
#include "owner.h"
#include "pmc.h"
#include "row.h"
#include "walk.h"

static struct kmem_cache *hwpmc_pmc_cache;

int __init hwpmc_pmc_init(void)
{
	hwpmc_pmc_cache = KMEM_CACHE(hwpmc_pmc, 0);
	return hwpmc_pmc_cache ? 0 : -ENOMEM;
}

void hwpmc_pmc_exit(void)
{
	kmem_cache_destroy(hwpmc_pmc_cache);
}

/**
 * hwpmc_pmc_preset - what the hardware counter is set to when @pmc is put in
 * @pmc: does not run
 * @value: of which the counter takes what fits
 *
 * PMCs that start from 0 share a selection: between them nothing need be
 * written. One with a start value gets a selection of its own, by a tag; so does
 * one that samples, whose row nobody else finds running.
 */
void hwpmc_pmc_preset(struct hwpmc_pmc *pmc, u64 value)
{
	static atomic64_t serial = ATOMIC64_INIT(1);

	pmc->want.preset = value;
	pmc->want.tag = value || pmc->sampled ? (u64)atomic64_inc_return(&serial) : 1;
}

static struct hwpmc_pmc *hwpmc_pmc_new(struct hwpmc_owner *owner, int class_index,
				       const struct hwpmc_allocate *args, u32 caps,
				       const struct hwpmc_encoding *enc)
{
	struct hwpmc_pmc *pmc = kmem_cache_zalloc(hwpmc_pmc_cache, GFP_KERNEL_ACCOUNT);

	if (!pmc) {
		hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
		return NULL;
	}
	pmc->owner = owner;
	pmc->class = hwpmc_classes[class_index];
	pmc->class_index = class_index;
	pmc->mode = args->mode;
	pmc->cpu = args->cpu;
	pmc->caps = caps;
	pmc->flags = args->flags & ~HWPMC_F_TRY;
	pmc->event = args->event;
	pmc->count = args->count;
	pmc->user_stack = args->user_stack;
	if (hwpmc_mode_sampling(args->mode)) {
		pmc->sampled = alloc_percpu_gfp(struct hwpmc_sampler_cpu, GFP_KERNEL_ACCOUNT);
		if (!pmc->sampled) {
			kmem_cache_free(hwpmc_pmc_cache, pmc);
			hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
			return NULL;
		}
	}
	pmc->base = pmc->sampled ? 0 : args->count;
	pmc->want.sel = enc->sel;
	pmc->extra = enc->extra;
	hwpmc_pmc_preset(pmc, pmc->base);
	INIT_LIST_HEAD(&pmc->targets);
	INIT_LIST_HEAD(&pmc->links);
	return pmc;
}

/* A system-wide PMC counts in its CPU's context from the start. */
static int hwpmc_pmc_link_cpu(struct hwpmc_pmc *pmc)
{
	struct hwpmc_link *link = hwpmc_link_alloc(GFP_KERNEL_ACCOUNT);
	unsigned long flags;

	if (!link)
		return hwpmc_fail(pmc->owner, -ENOMEM, "out of memory; try again");
	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	hwpmc_link_add(link, pmc, &per_cpu(hwpmc_cpus, pmc->cpu).sys);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
	return 0;
}

/* Whether it needs to hear of processes: to follow them, or to tell of them. */
static bool hwpmc_pmc_hooks(const struct hwpmc_pmc *pmc)
{
	return hwpmc_mode_virtual(pmc->mode) || pmc->sampled;
}

static void hwpmc_pmc_free(struct hwpmc_pmc *pmc)
{
	free_percpu(pmc->sampled);
	kmem_cache_free(hwpmc_pmc_cache, pmc);
}

static int hwpmc_pmc_hook(struct hwpmc_pmc *pmc)
{
	int err = 0;

	if (pmc->sampled)
		err = hwpmc_maps_get();
	if (err)
		return hwpmc_fail(pmc->owner, err, "mappings cannot be heard of: is the kernel built without CONFIG_UPROBES?");
	if (hwpmc_pmc_hooks(pmc))
		err = hwpmc_hook_get();
	if (err) {
		hwpmc_fail(pmc->owner, err, "the scheduler's tracepoints could not be hooked");
		goto out_maps;
	}
	if (!hwpmc_mode_virtual(pmc->mode))
		err = hwpmc_pmc_link_cpu(pmc);
	if (err)
		goto out_hook;
	if (pmc->sampled && !hwpmc_mode_virtual(pmc->mode))
		WRITE_ONCE(pmc->owner->system_samplers, pmc->owner->system_samplers + 1);
	if (pmc->sampled && (pmc->caps & HWPMC_CAP_SYSTEM))
		WRITE_ONCE(pmc->owner->kernel_samplers, pmc->owner->kernel_samplers + 1);
	return 0;
out_hook:
	if (hwpmc_pmc_hooks(pmc))
		hwpmc_hook_put();
out_maps:
	if (pmc->sampled)
		hwpmc_maps_put();
	return err;
}

static void hwpmc_pmc_unhook(struct hwpmc_pmc *pmc)
{
	if (pmc->sampled && !hwpmc_mode_virtual(pmc->mode))
		WRITE_ONCE(pmc->owner->system_samplers, pmc->owner->system_samplers - 1);
	if (pmc->sampled && (pmc->caps & HWPMC_CAP_SYSTEM))
		WRITE_ONCE(pmc->owner->kernel_samplers, pmc->owner->kernel_samplers - 1);
	if (hwpmc_pmc_hooks(pmc))
		hwpmc_hook_put();
	if (pmc->sampled)
		hwpmc_maps_put();
}

/* Row, PMU and hooks, in this order; undone in the other one. */
static int hwpmc_pmc_equip(struct hwpmc_pmc *pmc, const struct hwpmc_encoding *enc, bool try)
{
	int err;

	mutex_lock(&hwpmc_rows_lock);
	err = hwpmc_row_take(pmc, enc, try);
	if (!err && try) {
		err = hwpmc_pmu_get(pmc->owner, pmc->class);
		if (!err)
			hwpmc_pmu_put(pmc->class);
	}
	if (err || try)
		goto out;
	err = hwpmc_pmu_get(pmc->owner, pmc->class);
	if (err)
		goto out_row;
	err = hwpmc_pmc_hook(pmc);
	if (!err)
		goto out;
	hwpmc_pmu_put(pmc->class);
out_row:
	hwpmc_row_give(pmc);
out:
	mutex_unlock(&hwpmc_rows_lock);
	return err;
}

/**
 * hwpmc_pmc_allocate - HWPMC_IOC_ALLOCATE
 * @owner: whose call; owner->lock held
 * @args: as copied in; id and row are set
 * @out: the PMC, NULL with HWPMC_F_TRY
 */
int hwpmc_pmc_allocate(struct hwpmc_owner *owner, struct hwpmc_allocate *args,
		       struct hwpmc_pmc **out)
{
	bool try = args->flags & HWPMC_F_TRY;
	struct hwpmc_encoding enc = {};
	struct hwpmc_pmc *pmc;
	int class, err;
	u32 caps;

	*out = NULL;
	class = hwpmc_request_check(owner, args, &caps, &enc);
	if (class < 0)
		return class;
	pmc = hwpmc_pmc_new(owner, class, args, caps, &enc);
	if (!pmc)
		return -ENOMEM;
	err = hwpmc_pmc_equip(pmc, &enc, try);
	if (err || try) {
		args->row = pmc->row;
		hwpmc_pmc_free(pmc);
		return err;
	}
	hwpmc_stat_inc(HWPMC_STAT_PMCS);
	err = hwpmc_owner_add(owner, pmc);
	if (err) {
		hwpmc_pmc_release(&pmc, 1);
		return err;
	}
	args->id = pmc->id;
	args->row = pmc->row;
	pr_debug("hwpmc: pid %d (%s): PMC %#x of mode %u on row %u counts event %#llx\n",
		 pid_nr(owner->pid), owner->comm, pmc->id, pmc->mode, pmc->row, pmc->event);
	*out = pmc;
	return 0;
}

static void hwpmc_pmc_unlink_cpu(struct hwpmc_pmc *pmc)
{
	struct hwpmc_link *link, *next;
	unsigned long flags;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	list_for_each_entry_safe(link, next, &pmc->links, in_pmc) {
		hwpmc_link_remove(link);
		hwpmc_link_free(link);
	}
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

static void hwpmc_pmc_unequip(struct hwpmc_pmc *pmc)
{
	if (hwpmc_mode_virtual(pmc->mode)) {
		hwpmc_owner_count_attached(pmc, false);
		hwpmc_target_detach_all(pmc);
	} else {
		hwpmc_pmc_unlink_cpu(pmc);
	}
	hwpmc_pmc_unhook(pmc);
	mutex_lock(&hwpmc_rows_lock);
	hwpmc_row_give(pmc);
	hwpmc_pmu_put(pmc->class);
	mutex_unlock(&hwpmc_rows_lock);
}

/**
 * hwpmc_pmc_set_count - HWPMC_IOC_SET_COUNT
 * @pmc: does not run
 * @count: period or frequency if it samples, start value if it counts
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
	err = hwpmc_request_count(pmc->owner, pmc->flags, count);
	if (err)
		return err;
	hwpmc_walk_begin(&walk, &pmc->links);
	pmc->count = count;
	while ((at = hwpmc_walk_next(&walk)))
		list_entry(at, struct hwpmc_link, in_pmc)->period = 0;
	hwpmc_walk_end(&walk);
	return 0;
}

/* From any state; when this returns they are off every CPU. May sleep. */
void hwpmc_pmc_release(struct hwpmc_pmc *const *pmcs, unsigned int count)
{
	bool running = false;
	unsigned int i;

	for (i = 0; i < count; i++)
		running |= pmcs[i]->running;
	if (running)
		hwpmc_state_turn(pmcs, count, false);
	for (i = 0; i < count; i++) {
		hwpmc_pmc_unequip(pmcs[i]);
		if (pmcs[i]->sampled)
			hwpmc_record_forget(pmcs[i]);
		hwpmc_owner_remove(pmcs[i]->owner, pmcs[i]);
		pr_debug("hwpmc: pid %d: PMC %#x is released, row %u given back\n",
			 pid_nr(pmcs[i]->owner->pid), pmcs[i]->id, pmcs[i]->row);
		hwpmc_stat_add(HWPMC_STAT_PMCS, -1);
		hwpmc_pmc_free(pmcs[i]);
	}
}
