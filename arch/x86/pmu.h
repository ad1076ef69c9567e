/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: the PMUs of all CPUs, and the classes IAP, IAF and AMD. */
#ifndef HWPMC_X86_PMU_H
#define HWPMC_X86_PMU_H

#include "../hwpmc_arch.h"
#include "id.h"
#include "msr_map.h"

#define X86_PMU_CLASSES	2

/**
 * x86_pmu_probe - identify the PMU of every online CPU
 * @classes: out: the classes, at most X86_PMU_CLASSES
 *
 * Context: once, before any other function of this file; may sleep. Return: number of classes, 0
 * without a PMU.
 */
unsigned int x86_pmu_probe(const struct hwpmc_class **classes);

/** x86_pmu_id - union of what the CPUs have, of those that are driven like the first one */
const struct x86_id *x86_pmu_id(void);

/** x86_pmu_classes - classes by enum x86_kind; NULL for a kind without rows */
const struct hwpmc_class *const *x86_pmu_classes(void);

/* Operations of struct hwpmc_machine */
bool x86_pmu_cpu_fits(void);
void x86_pmu_cpu_up(void);
void x86_pmu_cpu_down(void);

#endif /* HWPMC_X86_PMU_H */
