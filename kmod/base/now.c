// SPDX-License-Identifier: GPL-2.0-only
/*
 * The time of samples, see now.h: copies the values from which the kernel computes its clock, each
 * time that the kernel updates them. Called at module load and unload, by the kernel's timekeeping
 * with interrupts off, and before and after the machine sleeps.
 */
#include <linux/clocksource.h>
#include <linux/init.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/suspend.h>
#include <linux/timekeeper_internal.h>

#include "now.h"

struct hwpmc_now hwpmc_now = {
	.copies = { { .last = HWPMC_NOW_NEVER }, { .last = HWPMC_NOW_NEVER } },
};

static void hwpmc_now_copy(struct hwpmc_now_base *copy, const struct hwpmc_now_base *from)
{
	WRITE_ONCE(copy->last, from->last);
	WRITE_ONCE(copy->base, from->base);
	WRITE_ONCE(copy->fraction, from->fraction);
	WRITE_ONCE(copy->mult, from->mult);
	WRITE_ONCE(copy->shift, from->shift);
}

/**
 * hwpmc_now_write - write both copies, each while readers use the other one
 * @from: what to write
 *
 * An NMI may read in between. A reader of a copy that is written meanwhile finds that hwpmc_now.seq
 * has changed. Context: any; one caller at a time: the notifier, and KUnit while it is stopped.
 */
void hwpmc_now_write(const struct hwpmc_now_base *from)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		unsigned int seq = hwpmc_now.seq + 1;

		/* The copy that readers use next is complete before they use it, ... */
		smp_wmb();
		WRITE_ONCE(hwpmc_now.seq, seq);
		/* ... and they use it before the other one is written. */
		smp_wmb();
		hwpmc_now_copy(&hwpmc_now.copies[~seq & 1], from);
	}
}

/* Called when the kernel updates its clock, with the lock of the clock held and interrupts off. */
static int hwpmc_now_update(struct notifier_block *nb, unsigned long was_set, void *timekeeper)
{
	const struct tk_read_base *mono = &((const struct timekeeper *)timekeeper)->tkr_mono;
	const struct hwpmc_now_base from = {
		.last = mono->clock->vdso_clock_mode == HWPMC_ARCH_KERNEL_CLOCK ?
			mono->cycle_last : HWPMC_NOW_NEVER,
		.base = ktime_to_ns(mono->base),
		.fraction = mono->xtime_nsec,
		.mult = mono->mult,
		.shift = mono->shift,
	};

	hwpmc_now_write(&from);
	return NOTIFY_OK;
}

static struct notifier_block hwpmc_now_notifier = { .notifier_call = hwpmc_now_update };
/* Whether the notifier is registered. No lock: load, unload and sleep are serialised. */
static bool hwpmc_now_registered;

static int hwpmc_now_start(void)
{
	int err;

	if (hwpmc_now_registered)
		return 0;
	err = pvclock_gtod_register_notifier(&hwpmc_now_notifier);
	hwpmc_now_registered = !err;
	return err;
}

/* From now on hwpmc_now_nmi() calls the kernel's function. */
static void hwpmc_now_stop(void)
{
	static const struct hwpmc_now_base never = {
		.last = HWPMC_NOW_NEVER,
	};

	if (!hwpmc_now_registered)
		return;
	pvclock_gtod_unregister_notifier(&hwpmc_now_notifier);
	hwpmc_now_registered = false;
	hwpmc_now_write(&never);
}

/**
 * hwpmc_now_sleep - the machine is about to sleep, or slept
 * @nb: not used
 * @event: PM_*
 * @unused: not used
 *
 * CLOCK_MONOTONIC stops while the machine sleeps, but its counter may continue: a time computed
 * from an earlier copy would be too late. Context: may sleep; calls are serialised. Return:
 * NOTIFY_OK.
 */
int hwpmc_now_sleep(struct notifier_block *nb, unsigned long event, void *unused)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		hwpmc_now_stop();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		hwpmc_now_start();
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block hwpmc_now_sleep_block = { .notifier_call = hwpmc_now_sleep };

/** hwpmc_now_init - follow the kernel's clock; called at module load. Return: 0 or an error */
int __init hwpmc_now_init(void)
{
	int err = hwpmc_now_start();

	if (err)
		return err;
	err = register_pm_notifier(&hwpmc_now_sleep_block);
	if (err)
		hwpmc_now_stop();
	return err;
}

/** hwpmc_now_exit - undo hwpmc_now_init(); called at module unload: no PMC samples */
void hwpmc_now_exit(void)
{
	unregister_pm_notifier(&hwpmc_now_sleep_block);
	hwpmc_now_stop();
}
