// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU as a whole: taken from the machine with the first PMC that needs it,
 * given back with the last. In between every online CPU is up.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/machine.h"
#include "../base/owner.h"
#include "context.h"
#include "row.h"

static unsigned long hwpmc_pmu_users;	/* guarded by hwpmc_rows_lock */
static bool hwpmc_pmu_shut;		/* likewise */
/* Written with CPUs held still (cpus_read_lock); read by hotplug and CPU_PM. */
static bool hwpmc_pmu_up;

/* The PMU's rows on this CPU have lost, or are to lose, what they were set to. */
static void hwpmc_pmu_forget_rows(struct hwpmc_cpu *pc)
{
	unsigned int i;

	for (i = 0; i < hwpmc_class_count; i++)
		if (hwpmc_classes[i]->needs_pmu)
			memset(&pc->shadow[hwpmc_class_first[i]], 0,
			       hwpmc_classes[i]->rows * sizeof(*pc->shadow));
	pc->loaded = 0;
}

static void hwpmc_pmu_cpu_up(void *unused)
{
	hwpmc_defer_begin();
	hwpmc_pmu_forget_rows(this_cpu_ptr(&hwpmc_cpus));
	hwpmc_machine->cpu_up();
	hwpmc_defer_end();
}

static void hwpmc_pmu_cpu_down(void *unused)
{
	hwpmc_defer_begin();
	hwpmc_machine->cpu_down();
	hwpmc_pmu_forget_rows(this_cpu_ptr(&hwpmc_cpus));
	hwpmc_defer_end();
}

/* A CPU comes: on it, interrupts off, before anything counts there. */
void hwpmc_pmu_cpu_online(void)
{
	if (READ_ONCE(hwpmc_pmu_up))
		hwpmc_pmu_cpu_up(NULL);
	else
		hwpmc_pmu_forget_rows(this_cpu_ptr(&hwpmc_cpus));
}

/* A CPU goes: on it, interrupts off. */
void hwpmc_pmu_cpu_offline(void)
{
	if (READ_ONCE(hwpmc_pmu_up))
		hwpmc_pmu_cpu_down(NULL);
}

bool hwpmc_pmu_is_up(void)
{
	return READ_ONCE(hwpmc_pmu_up);
}

/**
 * hwpmc_pmu_get - a PMC of @class is about to exist
 * @owner: whose
 * @class: of what kind
 *
 * Context: may sleep; hwpmc_rows_lock.
 */
int hwpmc_pmu_get(struct hwpmc_owner *owner, const struct hwpmc_class *class)
{
	const char *why = "";
	int err;

	lockdep_assert_held(&hwpmc_rows_lock);
	if (!class->needs_pmu)
		return 0;
	if (hwpmc_pmu_shut)
		return hwpmc_fail(owner, -EBUSY, "the machine is about to restart");
	if (!hwpmc_pmu_users) {
		err = hwpmc_machine->claim(hwpmc_overflow, &why);
		if (err)
			return hwpmc_fail(owner, err, "%s", why);
		cpus_read_lock();
		WRITE_ONCE(hwpmc_pmu_up, true);
		on_each_cpu(hwpmc_pmu_cpu_up, NULL, 1);
		cpus_read_unlock();
		pr_debug("hwpmc: the PMU is taken\n");
	}
	hwpmc_pmu_users++;
	return 0;
}

static void hwpmc_pmu_down(void)
{
	cpus_read_lock();
	if (hwpmc_pmu_up) {
		/* First: a CPU that wakes from deep idle must not come up again. */
		WRITE_ONCE(hwpmc_pmu_up, false);
		on_each_cpu(hwpmc_pmu_cpu_down, NULL, 1);
	}
	cpus_read_unlock();
}

void hwpmc_pmu_put(const struct hwpmc_class *class)
{
	lockdep_assert_held(&hwpmc_rows_lock);
	if (!class->needs_pmu || --hwpmc_pmu_users)
		return;
	hwpmc_pmu_down();
	hwpmc_machine->unclaim();
	pr_debug("hwpmc: the PMU is given back\n");
}

/**
 * hwpmc_pmu_shutdown - the machine restarts, maybe by kexec
 *
 * The next kernel looks for registers that are in use, and takes those it finds
 * running for the firmware's. PMCs that there are count no more, and nobody gets
 * others. Context: may sleep.
 */
void hwpmc_pmu_shutdown(void)
{
	mutex_lock(&hwpmc_rows_lock);
	hwpmc_pmu_shut = true;
	hwpmc_pmu_down();
	mutex_unlock(&hwpmc_rows_lock);
}

/* Why hardware counters cannot be had now, or NULL. May sleep; hwpmc_rows_lock. */
const char *hwpmc_pmu_problem(void)
{
	lockdep_assert_held(&hwpmc_rows_lock);
	return hwpmc_pmu_users || !hwpmc_machine->problem ? NULL : hwpmc_machine->problem();
}
