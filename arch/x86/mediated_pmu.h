/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: KVM's mediated PMU, which gives a guest the whole PMU while it runs. */
#ifndef HWPMC_X86_MEDIATED_PMU_H
#define HWPMC_X86_MEDIATED_PMU_H

#include <linux/types.h>

#ifdef CONFIG_PERF_GUEST_MEDIATED_PMU
/**
 * mediated_pmu_enabled - whether KVM is loaded and may give the PMU to guests
 *
 * Before KVM writes the counters' registers, it checks only whether perf uses them. Context: may
 * sleep.
 */
bool mediated_pmu_enabled(void);

/**
 * mediated_pmu_taken - whether KVM takes the PMU now
 * @module: name of a module that was loaded just now
 *
 * The variable is a parameter of kvm_intel and kvm_amd. It is set before their init and, if that
 * fails, stays set until kvm is unloaded, although no guest can run. So only a module whose init
 * succeeded takes the PMU. Context: may sleep.
 */
bool mediated_pmu_taken(const char *module);
#else
static inline bool mediated_pmu_enabled(void)
{
	return false;
}

static inline bool mediated_pmu_taken(const char *module)
{
	return false;
}
#endif

#endif /* HWPMC_X86_MEDIATED_PMU_H */
