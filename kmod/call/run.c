// SPDX-License-Identifier: GPL-2.0-only
/*
 * START and STOP of many PMCs at once. Called by kmod/ioctl.c, in process context with
 * owner->lock held; may sleep.
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/pid.h>
#include <linux/sched.h>

#include "../base/owner.h"
#include "../pmc/pmc.h"
#include "../task/process.h"
#include "../task/target.h"
#include "../task/task.h"
#include "call.h"

static int hwpmc_run_may_start(struct hwpmc_pmc *pmc)
{
	if (hwpmc_pmc_records(pmc) && !pmc->owner->rings)
		return hwpmc_fail(pmc->owner, -EBADFD,
				  "a PMC that samples or logs needs rings, and there are none: create them with HWPMC_IOC_RING");
	if (pmc->cpu >= 0 && !cpu_online(pmc->cpu) && pmc->state != HWPMC_RUNNING)
		return hwpmc_fail(pmc->owner, -ENXIO, "cpu %d is offline", pmc->cpu);
	if (pmc->attached && !READ_ONCE(pmc->living) && pmc->state != HWPMC_RUNNING)
		return hwpmc_fail(pmc->owner, -ESRCH, "all targets of the PMC are gone; attach it to another");
	return 0;
}

/* Calls @fn with the caller's thread or process. */
static int hwpmc_run_self(struct hwpmc_pmc *pmc,
			  int (*fn)(struct hwpmc_pmc *pmc, struct pid *pid, bool single))
{
	bool single = pmc->flags & HWPMC_F_THREAD;

	return fn(pmc, single ? task_pid(current) : task_tgid(current), single);
}

static int hwpmc_run_attach_self(struct hwpmc_pmc *pmc)
{
	if (!hwpmc_mode_virtual(pmc->mode) || pmc->attached)
		return 0;
	return hwpmc_run_self(pmc, hwpmc_attach_target);
}

static void hwpmc_run_detach_self(struct hwpmc_pmc *const *pmcs, unsigned int count,
				  const unsigned long *self_attached)
{
	unsigned int i;

	for_each_set_bit(i, self_attached, count) {
		hwpmc_hangup_set_attached(pmcs[i], false);
		/* Detaches with a DETACH record, since the attach wrote an ATTACH record. */
		hwpmc_run_self(pmcs[i], hwpmc_target_detach);
	}
}

/*
 * Records the existing processes before the first record about them, and other data that a reader
 * of samples needs: once for all PMCs that start to count or sample in this call.
 */
static int hwpmc_run_snapshot(struct hwpmc_pmc *const *pmcs, unsigned int count)
{
	bool targets = false, sample = false, all = false, kernel = false;
	struct hwpmc_owner *owner = pmcs[0]->owner;
	unsigned int i;

	for (i = 0; i < count; i++) {
		bool virtual = hwpmc_mode_virtual(pmcs[i]->mode);

		if (pmcs[i]->state == HWPMC_RUNNING)
			continue;
		targets |= virtual && owner->rings;
		if (!pmcs[i]->sampled)
			continue;
		sample = true;
		all |= !virtual;
		kernel |= pmcs[i]->caps & HWPMC_CAP_SYSTEM;
	}
	if (kernel)
		hwpmc_modules_snapshot(owner);
	return sample || targets ? hwpmc_process_snapshot(owner, all, sample) : 0;
}

/**
 * hwpmc_run_start - start PMCs, all at once
 * @pmcs: of one owner
 * @count: how many; not 0
 * @failed: index of the PMC that was refused, else 0
 *
 * A virtual PMC that was never attached is attached to the caller first. After an error
 * none is started and what was attached here is detached.
 * Context: may sleep; owner->lock held. Return: 0, or an error of HWPMC_IOC_START.
 */
int hwpmc_run_start(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed)
{
	unsigned long *self_attached;
	int err = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		err = hwpmc_run_may_start(pmcs[i]);
		if (err)
			goto out;
	}
	self_attached = bitmap_zalloc(count, GFP_KERNEL);
	if (!self_attached)
		return hwpmc_fail(pmcs[0]->owner, -ENOMEM, "out of memory; try again");
	for (i = 0; i < count; i++) {
		bool before = pmcs[i]->attached;

		err = hwpmc_run_attach_self(pmcs[i]);
		if (err)
			break;
		if (!before && pmcs[i]->attached)
			__set_bit(i, self_attached);
	}
	if (!err)
		err = hwpmc_run_snapshot(pmcs, count);
	if (err)
		hwpmc_run_detach_self(pmcs, count, self_attached);
	else
		hwpmc_state_set(pmcs, count, true);
	bitmap_free(self_attached);
out:
	*failed = err ? min(i, count - 1) : 0;
	return err;
}

/**
 * hwpmc_run_stop - stop PMCs, all at once
 * @pmcs: of one owner
 * @count: how many; not 0
 * @failed: index of the PMC that was refused, else 0
 *
 * On return no CPU counts for them. Context: may sleep; owner->lock held. Return: 0, or
 * -EINVAL if one was never started; then none is stopped.
 */
int hwpmc_run_stop(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed)
{
	u32 i;

	for (i = 0; i < count; i++) {
		*failed = i;
		if (pmcs[i]->state == HWPMC_ALLOCATED)
			return hwpmc_fail(pmcs[i]->owner, -EINVAL, "a PMC that was never started cannot be stopped");
	}
	*failed = 0;
	hwpmc_state_set(pmcs, count, false);
	return 0;
}

int hwpmc_run_start_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_id_list_apply(owner, &args->ids, false, hwpmc_run_start);
}

int hwpmc_run_stop_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_id_list_apply(owner, &args->ids, false, hwpmc_run_stop);
}
