/* SPDX-License-Identifier: GPL-2.0-only */
/* arm64: take the PMU over from perf's running driver, and return it. */
#ifndef HWPMC_ARM_PMU_CLAIM_H
#define HWPMC_ARM_PMU_CLAIM_H

#include <linux/errno.h>
#include <linux/types.h>

#ifdef CONFIG_ARM_PMU

/**
 * arm_pmu_claim - take every CPU's PMU over from perf's driver
 * @overflow: called by the PMU's interrupt, on its CPU, interrupts off; an NMI where perf's is
 * @why: set on every error but -ENODEV: a sentence in static storage
 *
 * perf cannot open hardware events until arm_pmu_release(), and those that are open count
 * nothing. Context: may sleep; takes cpus_read_lock().
 *
 * Return: 0, -ENODEV when perf's driver has no PMU at all, -EBUSY when perf counts,
 * -ENXIO when perf's driver has no PMU for some CPU, -ENOMEM.
 */
int arm_pmu_claim(void (*overflow)(void), const char **why);

/** arm_pmu_release - undo arm_pmu_claim(); every CPU was taken down before. May sleep */
void arm_pmu_release(void);

/**
 * arm_pmu_problem - why arm_pmu_claim() would fail now
 * @why: out: a sentence if the PMU cannot be claimed, or NULL
 *
 * Interrupts no CPU and claims nothing. Context: may sleep; takes cpus_read_lock().
 *
 * Return: as arm_pmu_claim().
 */
int arm_pmu_problem(const char **why);

/**
 * arm_pmu_cover_cpu - a CPU comes online: take its PMU too, if those of others are taken
 *
 * Context: on that CPU, from a hotplug callback; may sleep.
 *
 * Return: whether the module has the CPU's PMU if it has that of others.
 */
bool arm_pmu_cover_cpu(void);

/* On this CPU, interrupts off: the module begins or stops using the registers. */
void arm_pmu_cpu_up(void);
void arm_pmu_cpu_down(void);

/**
 * arm_pmu_exit - wait until no task is in a function of this file
 *
 * Context: the PMU is not claimed; may sleep.
 */
void arm_pmu_exit(void);

#else /* perf has no driver for PMUs of CPUs */

static inline int arm_pmu_claim(void (*overflow)(void), const char **why)
{
	return -ENODEV;
}

static inline int arm_pmu_problem(const char **why)
{
	return -ENODEV;
}

static inline bool arm_pmu_cover_cpu(void)
{
	return true;
}

static inline void arm_pmu_release(void) { }
static inline void arm_pmu_cpu_up(void) { }
static inline void arm_pmu_cpu_down(void) { }
static inline void arm_pmu_exit(void) { }

#endif /* CONFIG_ARM_PMU */

#endif /* HWPMC_ARM_PMU_CLAIM_H */
