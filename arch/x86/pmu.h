/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: the CPUs' PMUs, and the classes that they make. */
#ifndef HWPMC_X86_PMU_H
#define HWPMC_X86_PMU_H

#include "../hwpmc_arch.h"
#include "id.h"
#include "msr_map.h"

#define X86_PMU_CLASSES	2

/**
 * x86_pmu_probe - look at every CPU that is online
 * @classes: out: room for X86_PMU_CLASSES
 *
 * Context: may sleep. Return: how many classes there are, 0 without a PMU.
 */
unsigned int x86_pmu_probe(const struct hwpmc_class **classes);

/** x86_pmu_id - what any CPU has; all of them are driven the same way */
const struct x86_id *x86_pmu_id(void);

/** x86_pmu_classes - by enum x86_kind; an entry is NULL where there are no such rows */
const struct hwpmc_class *const *x86_pmu_classes(void);

/* struct hwpmc_machine's operations of these names */
bool x86_pmu_cpu_fits(void);
void x86_pmu_cpu_up(void);
void x86_pmu_cpu_down(void);

#endif /* HWPMC_X86_PMU_H */
