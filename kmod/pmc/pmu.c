// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU as a whole: claimed with the first PMC that needs it, released with the last. While it
 * is claimed, it is set up (cpu_up) on every online CPU. Called by call/, mostly with
 * hwpmc_rows_lock held, by hotplug.c at hotplug and reboot, by idle.c and by announce.c.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/machine.h"
#include "../base/notice.h"
#include "../base/owner.h"
#include "../base/stat.h"
#include "announce.h"
#include "context.h"
#include "row.h"

static unsigned long hwpmc_pmu_users;	/* PMCs that need it; guarded by hwpmc_rows_lock */
static bool hwpmc_pmu_rebooting;	/* guarded by hwpmc_rows_lock */
/*
 * The state that was reported to listeners last: whether the PMU is claimed; guarded by
 * hwpmc_rows_lock.
 */
static bool hwpmc_pmu_reported;
/* Owners with refusals that are not reported yet; guarded by hwpmc_rows_lock. */
static LIST_HEAD(hwpmc_pmu_refused);
/* Written under cpus_read_lock(), so no hotplug runs; read by hotplug and CPU_PM notifiers. */
static bool hwpmc_pmu_up;

/*
 * This CPU's PMU is reset: clear the record of what its rows are programmed with, so that the next
 * context programs them. Overflows are deferred, or no row runs.
 */
static void hwpmc_pmu_clear_shadow(struct hwpmc_cpu *pc)
{
	unsigned int i;

	for (i = 0; i < hwpmc_class_count; i++)
		if (hwpmc_classes[i]->needs_pmu)
			memset(&pc->shadow[hwpmc_class_first[i]], 0,
			       hwpmc_classes[i]->rows * sizeof(*pc->shadow));
	pc->loaded = 0;
	pc->pmu_lost = false;
}

/* Called on the CPU, interrupts off. */
static void hwpmc_pmu_cpu_up(void *unused)
{
	hwpmc_defer_begin();
	hwpmc_pmu_clear_shadow(this_cpu_ptr(&hwpmc_cpus));
	hwpmc_machine->cpu_up();
	hwpmc_defer_end();
}

/* Called on the CPU, interrupts off. */
static void hwpmc_pmu_cpu_down(void *unused)
{
	hwpmc_defer_begin();
	hwpmc_machine->cpu_down();
	hwpmc_pmu_clear_shadow(this_cpu_ptr(&hwpmc_cpus));
	hwpmc_defer_end();
}

/**
 * hwpmc_pmu_cpu_online - set up the PMU of a CPU that is online again
 *
 * Context: on the CPU, interrupts off; before a context is scheduled in there.
 */
void hwpmc_pmu_cpu_online(void)
{
	if (READ_ONCE(hwpmc_pmu_up))
		hwpmc_pmu_cpu_up(NULL);
	else
		hwpmc_pmu_clear_shadow(this_cpu_ptr(&hwpmc_cpus));
}

/**
 * hwpmc_pmu_cpu_offline - stop the PMU of a CPU that goes offline
 *
 * Context: on the CPU, interrupts off; its contexts are folded.
 */
void hwpmc_pmu_cpu_offline(void)
{
	if (READ_ONCE(hwpmc_pmu_up))
		hwpmc_pmu_cpu_down(NULL);
}

/**
 * hwpmc_pmu_lose - mark the registers of a CPU's PMU as lost
 * @pc: this CPU; none of its contexts counts on a row of the PMU, and the PMU is claimed
 *
 * hwpmc_context_program() sets the PMU up before the next row is programmed. Until then no counter
 * runs if power was lost (arm64: PMCR_EL0.E is 0). If it was not, counters that were programmed for
 * other contexts may run; their overflows are acknowledged. Context: interrupts off.
 */
void hwpmc_pmu_lose(struct hwpmc_cpu *pc)
{
	if (pc->pmu_lost)
		return;
	pc->pmu_lost = true;
	/* So that each context's next schedule-in calls hwpmc_context_program(). */
	pc->loaded = 0;
}

/**
 * hwpmc_pmu_resume - set up the PMU of a CPU after its registers may have been lost
 * @pc: this CPU; no row of the PMU counts, and the PMU is claimed
 *
 * Context: interrupts off, overflows deferred.
 */
void hwpmc_pmu_resume(struct hwpmc_cpu *pc)
{
	hwpmc_pmu_clear_shadow(pc);
	hwpmc_machine->cpu_resume();
}

/** hwpmc_pmu_is_up - whether the PMU is claimed and set up on online CPUs; any context */
bool hwpmc_pmu_is_up(void)
{
	return READ_ONCE(hwpmc_pmu_up);
}

/*
 * Any user can cause claims, releases and refusals of the PMU in a loop. So they are stored here,
 * and hwpmc_pmu_report() posts them.
 */
static void hwpmc_pmu_refuse(struct hwpmc_owner *owner, bool try)
{
	lockdep_assert_held(&hwpmc_rows_lock);
	hwpmc_stat_inc(HWPMC_STAT_PMU_REFUSALS);
	if (try || !hwpmc_notice_wanted_of(owner))
		return;
	if (!owner->refusals++)
		list_add_tail(&owner->in_refused, &hwpmc_pmu_refused);
	hwpmc_announce_soon();
}

/* Called when the PMU was claimed or released. Without listeners no notice is posted for it. */
static void hwpmc_pmu_changed(void)
{
	if (hwpmc_notice_wanted())
		hwpmc_announce_soon();
	else
		hwpmc_pmu_reported = hwpmc_pmu_users;
}

static void hwpmc_pmu_report_refusals(struct hwpmc_owner *owner)
{
	lockdep_assert_held(&hwpmc_rows_lock);
	if (!owner->refusals)
		return;
	list_del(&owner->in_refused);
	hwpmc_notice_owner(owner, HWPMC_NL_WHAT_REFUSE, owner->refusals);
	owner->refusals = 0;
}

#define HWPMC_PMU_REPORTS	64	/* owners between two releases of the lock */

/**
 * hwpmc_pmu_report - post notices of claims, releases and refusals since the last call
 *
 * If the PMU is in the state that was reported last, nothing is reported. Context: the work item of
 * announce.c, may sleep; takes hwpmc_rows_lock.
 */
void hwpmc_pmu_report(void)
{
	unsigned int steps = 0;
	LIST_HEAD(refused);

	mutex_lock(&hwpmc_rows_lock);
	if (hwpmc_pmu_reported != !!hwpmc_pmu_users) {
		hwpmc_pmu_reported = hwpmc_pmu_users;
		hwpmc_notice_machine(hwpmc_pmu_reported ? HWPMC_NL_WHAT_CLAIM :
							  HWPMC_NL_WHAT_UNCLAIM, -1);
	}
	/* Owners that are refused again meanwhile are left to the next report, so the loop ends. */
	list_splice_init(&hwpmc_pmu_refused, &refused);
	while (!list_empty(&refused)) {
		hwpmc_pmu_report_refusals(list_first_entry(&refused, struct hwpmc_owner,
							   in_refused));
		if (++steps % HWPMC_PMU_REPORTS)
			continue;
		/*
		 * ALLOCATE waits for the lock. An owner that is closed meanwhile is removed from
		 * the list by hwpmc_pmu_report_last().
		 */
		mutex_unlock(&hwpmc_rows_lock);
		cond_resched();
		mutex_lock(&hwpmc_rows_lock);
	}
	mutex_unlock(&hwpmc_rows_lock);
}

/**
 * hwpmc_pmu_report_last - post the refusals of an owner that is being closed
 * @owner: the owner; makes no further call
 *
 * Context: may sleep; owner->lock held; takes hwpmc_rows_lock.
 */
void hwpmc_pmu_report_last(struct hwpmc_owner *owner)
{
	/* Also waits for the work item, if that uses @owner now. */
	mutex_lock(&hwpmc_rows_lock);
	hwpmc_pmu_report_refusals(owner);
	mutex_unlock(&hwpmc_rows_lock);
}

/**
 * hwpmc_pmu_get - take a reference to the PMU for a new PMC; the first one claims it
 * @owner: owner of the PMC; its lock is held
 * @class: class of the PMC; does nothing if it needs no PMU
 * @try: the caller puts it at once: a refusal is not reported
 *
 * Context: may sleep; hwpmc_rows_lock held. Return: 0, or what hwpmc_fail() returned: -EBUSY if the
 * machine reboots, or the error of the machine's claim.
 */
int hwpmc_pmu_get(struct hwpmc_owner *owner, const struct hwpmc_class *class, bool try)
{
	const char *why = "";
	int err;

	lockdep_assert_held(&hwpmc_rows_lock);
	if (!class->needs_pmu)
		return 0;
	if (hwpmc_pmu_rebooting)
		return hwpmc_fail(owner, -EBUSY,
				  "the machine is shutting down; retry after the reboot");
	if (!hwpmc_pmu_users) {
		err = hwpmc_machine->claim(&hwpmc_overflow_ops, &why);
		if (err == -EBUSY)
			hwpmc_pmu_refuse(owner, try);
		if (err)
			return hwpmc_fail(owner, err, "%s", why);
		hwpmc_stat_inc(HWPMC_STAT_PMU_CLAIMS);
		cpus_read_lock();
		WRITE_ONCE(hwpmc_pmu_up, true);
		on_each_cpu(hwpmc_pmu_cpu_up, NULL, 1);
		cpus_read_unlock();
		pr_debug("hwpmc: the PMU is claimed\n");
	}
	if (!hwpmc_pmu_users++)
		hwpmc_pmu_changed();
	return 0;
}

static void hwpmc_pmu_down(void)
{
	cpus_read_lock();
	if (hwpmc_pmu_up) {
		/* Before the cross-call: a CPU that leaves deep idle must not set it up again. */
		WRITE_ONCE(hwpmc_pmu_up, false);
		on_each_cpu(hwpmc_pmu_cpu_down, NULL, 1);
	}
	cpus_read_unlock();
}

/**
 * hwpmc_pmu_put - drop a reference to the PMU; the last one releases it
 * @class: class of the PMC, as for hwpmc_pmu_get()
 *
 * Context: may sleep; hwpmc_rows_lock held.
 */
void hwpmc_pmu_put(const struct hwpmc_class *class)
{
	lockdep_assert_held(&hwpmc_rows_lock);
	if (!class->needs_pmu || --hwpmc_pmu_users)
		return;
	hwpmc_pmu_down();
	hwpmc_machine->unclaim();
	pr_debug("hwpmc: the PMU is released\n");
	hwpmc_pmu_changed();
}

/**
 * hwpmc_pmu_shutdown - stop the PMU until the machine reboots, possibly by kexec
 *
 * The next kernel checks at boot whether counters run, and attributes those that do to the
 * firmware. PMCs that exist stop counting, and no other PMC that needs the PMU can be allocated.
 *
 * Context: may sleep; takes hwpmc_rows_lock.
 */
void hwpmc_pmu_shutdown(void)
{
	mutex_lock(&hwpmc_rows_lock);
	hwpmc_pmu_rebooting = true;
	hwpmc_pmu_down();
	mutex_unlock(&hwpmc_rows_lock);
}

/**
 * hwpmc_pmu_problem - why the PMU cannot be claimed now
 *
 * Context: may sleep; hwpmc_rows_lock held. Return: a sentence, or NULL if it can be claimed or is
 * claimed already.
 */
const char *hwpmc_pmu_problem(void)
{
	lockdep_assert_held(&hwpmc_rows_lock);
	return hwpmc_pmu_users || !hwpmc_machine->problem ? NULL : hwpmc_machine->problem();
}

/**
 * hwpmc_pmu_missing - why the machine has no class that needs the PMU
 *
 * Context: may sleep; hwpmc_rows_lock held. Return: a sentence, or NULL if it has one or the reason
 * is unknown.
 */
const char *hwpmc_pmu_missing(void)
{
	unsigned int i;

	for (i = 0; i < hwpmc_class_count; i++)
		if (hwpmc_classes[i]->needs_pmu)
			return NULL;
	return hwpmc_pmu_problem();
}
