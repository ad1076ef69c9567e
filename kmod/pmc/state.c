// SPDX-License-Identifier: GPL-2.0-only
/* The states of PMCs: ALLOCATED -> RUNNING <-> STOPPED, many of them at once. */
#include <linux/bitmap.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../hwpmc.h"
#include "../log/log.h"
#include "../task/target.h"
#include "../task/task.h"
#include "context.h"
#include "link.h"
#include "owner.h"
#include "period.h"
#include "pmc.h"
#include "walk.h"

static void hwpmc_state_set_running(struct hwpmc_pmc *const *pmcs, unsigned int count, bool running)
{
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	for (i = 0; i < count; i++)
		pmcs[i]->running = running;
	WRITE_ONCE(hwpmc_generation, hwpmc_generation + 1);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

/* Make it so on every CPU; without memory for a mask, by asking all of them. */
static void hwpmc_state_sync(struct hwpmc_pmc *const *pmcs, unsigned int count)
{
	const struct cpumask *also = NULL;
	bool system = false;
	cpumask_var_t cpus;
	unsigned int i;

	for (i = 0; i < count; i++)
		system |= pmcs[i]->cpu >= 0;
	if (!system || !zalloc_cpumask_var(&cpus, GFP_KERNEL)) {
		hwpmc_sync_cpus(system ? cpu_possible_mask : NULL);
		return;
	}
	for (i = 0; i < count; i++)
		if (pmcs[i]->cpu >= 0)
			cpumask_set_cpu(pmcs[i]->cpu, cpus);
	also = cpus;
	hwpmc_sync_cpus(also);
	free_cpumask_var(cpus);
}

/*
 * Threads that exit tell of their counts when they are off the CPU for the last time. By
 * then their parents may have waited for them, and stopped the PMC: it is told here.
 */
static void hwpmc_state_tell_ends(struct hwpmc_pmc *pmc)
{
	struct hwpmc_walk walk;
	struct list_head *at;

	if (!(pmc->flags & HWPMC_F_LOG_PROCEXIT))
		return;
	hwpmc_walk_begin(&walk, &pmc->links);
	while ((at = hwpmc_walk_next(&walk)))
		hwpmc_period_tell_end(list_entry(at, struct hwpmc_link, in_pmc));
	hwpmc_walk_end(&walk);
}

/**
 * hwpmc_state_turn - PMCs run, or stop, on every CPU when this returns
 * @pmcs: of one owner, whose lock is held
 * @count: how many
 * @on: which of the two
 *
 * Context: may sleep.
 */
void hwpmc_state_turn(struct hwpmc_pmc *const *pmcs, unsigned int count, bool on)
{
	u64 now;
	unsigned int i;

	hwpmc_state_set_running(pmcs, count, on);
	hwpmc_state_sync(pmcs, count);
	now = ktime_get_mono_fast_ns();
	for (i = 0; i < count; i++) {
		struct hwpmc_pmc *pmc = pmcs[i];

		if (on && pmc->state != HWPMC_RUNNING) {
			pmc->started = now;
			pmc->offline_at_start = hwpmc_hotplug_offline_ns(pmc->cpu, now);
		} else if (!on && pmc->state == HWPMC_RUNNING) {
			hwpmc_state_tell_ends(pmc);
			pmc->enabled += now - pmc->started;
			pmc->offline += hwpmc_hotplug_offline_ns(pmc->cpu, now) -
					pmc->offline_at_start;
		}
		pmc->state = on ? HWPMC_RUNNING : HWPMC_STOPPED;
	}
}

static int hwpmc_state_may_start(struct hwpmc_pmc *pmc)
{
	if (hwpmc_pmc_records(pmc) && !pmc->owner->rings)
		return hwpmc_fail(pmc->owner, -EBADFD,
				  "a PMC that samples or logs needs rings, and there are none: make them with HWPMC_IOC_RING");
	if (pmc->cpu >= 0 && !cpu_online(pmc->cpu) && pmc->state != HWPMC_RUNNING)
		return hwpmc_fail(pmc->owner, -ENXIO, "cpu %d is offline", pmc->cpu);
	if (pmc->attached && !READ_ONCE(pmc->living) && pmc->state != HWPMC_RUNNING)
		return hwpmc_fail(pmc->owner, -ESRCH, "all its targets are gone; attach it to another");
	return 0;
}

/* @fn to the caller: its thread, or its whole process. */
static int hwpmc_state_self(struct hwpmc_pmc *pmc,
			    int (*fn)(struct hwpmc_pmc *pmc, struct pid *pid, bool single))
{
	bool single = pmc->flags & HWPMC_F_THREAD;

	return fn(pmc, single ? task_pid(current) : task_tgid(current), single);
}

static int hwpmc_state_attach_self(struct hwpmc_pmc *pmc)
{
	if (!hwpmc_mode_virtual(pmc->mode) || pmc->attached)
		return 0;
	return hwpmc_state_self(pmc, hwpmc_target_attach);
}

static void hwpmc_state_detach_self(struct hwpmc_pmc *const *pmcs, unsigned int count,
				    const unsigned long *mine)
{
	unsigned int i;

	for_each_set_bit(i, mine, count) {
		hwpmc_owner_count_attached(pmcs[i], false);
		/* With a record, as the attaching had one. */
		hwpmc_state_self(pmcs[i], hwpmc_target_detach);
	}
}

/* What is there before the first sample: once for all that begin to sample here. */
static int hwpmc_state_snapshot(struct hwpmc_pmc *const *pmcs, unsigned int count)
{
	bool any = false, all = false;
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!pmcs[i]->sampled || pmcs[i]->state == HWPMC_RUNNING)
			continue;
		any = true;
		all |= !hwpmc_mode_virtual(pmcs[i]->mode);
	}
	return any ? hwpmc_process_snapshot(pmcs[0]->owner, all) : 0;
}

/**
 * hwpmc_state_start - all of them, at once
 * @pmcs: of one owner, whose lock is held
 * @count: how many
 * @failed: index of the one that was refused
 *
 * Context: may sleep.
 */
int hwpmc_state_start(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed)
{
	unsigned long *mine;
	int err = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		err = hwpmc_state_may_start(pmcs[i]);
		if (err)
			goto out;
	}
	mine = bitmap_zalloc(count, GFP_KERNEL);
	if (!mine)
		return hwpmc_fail(pmcs[0]->owner, -ENOMEM, "out of memory; try again");
	for (i = 0; i < count; i++) {
		bool before = pmcs[i]->attached;

		err = hwpmc_state_attach_self(pmcs[i]);
		if (err)
			break;
		if (!before && pmcs[i]->attached)
			__set_bit(i, mine);
	}
	if (!err)
		err = hwpmc_arm_now(pmcs[0]->owner);
	if (!err)
		err = hwpmc_state_snapshot(pmcs, count);
	if (err)
		hwpmc_state_detach_self(pmcs, count, mine);
	else
		hwpmc_state_turn(pmcs, count, true);
	bitmap_free(mine);
out:
	*failed = err ? min(i, count - 1) : 0;
	return err;
}

/* All of them, at once. Context: may sleep; owner->lock. */
int hwpmc_state_stop(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed)
{
	u32 i;

	for (i = 0; i < count; i++) {
		*failed = i;
		if (pmcs[i]->state == HWPMC_ALLOCATED)
			return hwpmc_fail(pmcs[i]->owner, -EINVAL, "a PMC that was never started cannot be stopped");
	}
	*failed = 0;
	hwpmc_state_turn(pmcs, count, false);
	return 0;
}
