// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: struct hwpmc_machine: what the machine has (the TSC, and a PMU if it is usable), and claim
 * and release of the PMU. Called by the core's init and by its claim of the PMU.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include <uapi/linux/hwpmc.h>

#include "compat.h"
#include "mediated_pmu.h"
#include "nmi.h"
#include "pmi.h"
#include "pmu.h"
#include "reserve.h"
#include "tsc.h"
#include "entry.h"

static const struct hwpmc_class *x86_machine_classes[1 + X86_PMU_CLASSES] __ro_after_init;
static char x86_machine_pmu[HWPMC_NAME_MAX] __ro_after_init = "none";
/* Why the PMU cannot be used; NULL if it can */
static const char *x86_unusable __ro_after_init;

static const char x86_busy[] =
	"perf holds the counters: end what counts or profiles with perf, guests of KVM that have a PMU, and the NMI watchdog (sysctl kernel.nmi_watchdog=0)";

static const char x86_lent[] =
	"KVM gives the counters to guests that run (its mediated PMU): end the guests, and load kvm_intel or kvm_amd with enable_mediated_pmu=0, or unload kvm";

static const char *x86_problem(void)
{
	if (x86_unusable)
		return x86_unusable;
	if (mediated_pmu_enabled())
		return x86_lent;
	return x86_reserve_available(x86_pmu_id()) ? NULL : x86_busy;
}

static int x86_claim(const struct hwpmc_overflow_ops *ops, const char **why)
{
	if (x86_unusable) {
		*why = x86_unusable;
		return -ENODEV;
	}
	if (mediated_pmu_enabled()) {
		*why = x86_lent;
		return -EBUSY;
	}
	if (!x86_reserve_claim(x86_pmu_id())) {
		*why = x86_busy;
		return -EBUSY;
	}
	x86_pmi_init(ops, x86_pmu_classes());
	return 0;
}

static void x86_unclaim(void)
{
	x86_reserve_release(x86_pmu_id());
}

static u64 x86_cpu_id(int cpu)
{
	const struct cpuinfo_x86 *c = &cpu_data(cpu);

	return (u64)c->x86 << 16 | (u64)c->x86_model << 8 | c->x86_stepping;
}

static struct hwpmc_machine x86_machine __ro_after_init = {
	.pmu		= x86_machine_pmu,
	.classes	= x86_machine_classes,
	.cpu_id		= x86_cpu_id,
	.problem	= x86_problem,
	.claim		= x86_claim,
	.unclaim	= x86_unclaim,
	.taken		= mediated_pmu_taken,
	.cpu_fits	= x86_pmu_cpu_fits,
	.cpu_up		= x86_pmu_cpu_up,
	.cpu_down	= x86_pmu_cpu_down,
};

/* Counters that perf uses evidently work; others are tested. */
static bool __init x86_pmu_works(void)
{
	const struct x86_id *id = x86_pmu_id();
	bool works;

	if (!id->programmable || !x86_reserve_claim(id))
		return true;
	works = x86_reserve_test(id);
	x86_reserve_release(id);
	return works;
}

static const char * __init x86_find_unusable(unsigned int classes)
{
	if (!classes)
		return boot_cpu_has(X86_FEATURE_HYPERVISOR) ?
			"this virtual machine has no PMU (CPUID leaf 0AH): enable its virtual PMU in the hypervisor" :
			"the CPUs have no supported counters: neither Intel's architectural ones nor AMD's";
	if (x86_id_shares_with_perf(x86_pmu_id(), X86_COMPAT_PERF_V6))
		return "on Linux 6.11 and later perf cannot be kept off the counters of this CPU (Intel version 6), and both would change them: boot an earlier kernel";
	if (!boot_cpu_has(X86_FEATURE_APIC))
		return "the local APIC is absent or disabled, and the counters interrupt through it: boot without nolapic";
	if (boot_cpu_has(X86_FEATURE_XENPV))
		return "a paravirtual Xen guest has no PMU: use an HVM guest with a virtual PMU";
	if (!x86_pmu_works())
		return "this virtual machine has no PMU (its counters lose what is written): enable its virtual PMU in the hypervisor";
	return NULL;
}

const struct hwpmc_machine * __init hwpmc_arch_init(void)
{
	const struct hwpmc_class *pmu[X86_PMU_CLASSES];
	unsigned int found = x86_pmu_probe(pmu), count = 0;

	x86_entry_init();
	x86_machine.vendor = boot_cpu_data.x86_vendor_id;
	x86_machine.cpuid = x86_cpu_id(raw_smp_processor_id());
	x86_unusable = x86_find_unusable(found);
	/*
	 * The handler stays registered until unload, since its end waits for a grace period. While
	 * the PMU is not claimed, it finds @enabled of its CPU unset.
	 */
	if (!x86_unusable && x86_nmi_register())
		x86_unusable = "the kernel refused to register an NMI handler";
	if (boot_cpu_has(X86_FEATURE_TSC)) {
		x86_machine_classes[count++] = &x86_tsc_class;
		strscpy(x86_machine_pmu, "TSC only", sizeof(x86_machine_pmu));
	}
	if (!x86_unusable) {
		x86_id_describe(x86_pmu_id(), x86_machine_pmu, sizeof(x86_machine_pmu));
		memcpy(&x86_machine_classes[count], pmu, found * sizeof(*pmu));
		count += found;
	}
	x86_machine.class_count = count;
	return &x86_machine;
}

void hwpmc_arch_exit(void)
{
	if (!x86_unusable)
		x86_nmi_unregister();
}
