// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: whether KVM's mediated PMU is enabled. Called by x86_machine.c before the PMU is claimed and
 * after a module was loaded, in process context.
 */
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "mediated_pmu.h"

/*
 * KVM's variable of the parameter that kvm_intel and kvm_amd have; these modules clear it if the
 * CPU does not support a mediated PMU. It is looked up by name because KVM exports it to these
 * modules only, and because a module that linked to it would not load without KVM.
 */
#define MEDIATED_PMU_VARIABLE	"enable_mediated_pmu"

bool mediated_pmu_enabled(void)
{
	const bool *enabled;
	bool result = false;

	/* The lookup takes a reference, with which KVM cannot be unloaded: drop it at once. */
	preempt_disable();
	enabled = __symbol_get(MEDIATED_PMU_VARIABLE);
	if (enabled) {
		result = READ_ONCE(*enabled);
		__symbol_put(MEDIATED_PMU_VARIABLE);
	}
	preempt_enable();
	return result;
}

bool mediated_pmu_taken(const char *module)
{
	return (!strcmp(module, "kvm_intel") || !strcmp(module, "kvm_amd")) &&
	       mediated_pmu_enabled();
}
