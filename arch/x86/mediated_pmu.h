/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: KVM's mediated PMU, by which a guest has the whole PMU while it runs. */
#ifndef HWPMC_X86_MEDIATED_PMU_H
#define HWPMC_X86_MEDIATED_PMU_H

#include <linux/types.h>

#ifdef CONFIG_PERF_GUEST_MEDIATED_PMU
/**
 * mediated_pmu_enabled - whether KVM is loaded and may give the PMU to guests
 *
 * KVM asks perf alone before it writes the counters' registers. Context: may sleep.
 */
bool mediated_pmu_enabled(void);
#else
static inline bool mediated_pmu_enabled(void)
{
	return false;
}
#endif

#endif /* HWPMC_X86_MEDIATED_PMU_H */
