// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: struct hwpmc_machine and class ARMV8: identify the PMUs of all CPUs, claim them from
 * perf's driver or, where that does not have them, by their interrupt. Called by the core.
 */
#include <linux/arch_topology.h>
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/cputype.h>
#include <asm/irq_regs.h>
#include <asm/sysreg.h>
#include <asm/virt.h>
#include <uapi/linux/hwpmc.h>

#include <hwpmc_arch_inline.h>
#include <pmuv3_regs.h>

#include "arm_pmu_claim.h"
#include "pmuv3_event.h"
#include "pmuv3_id.h"
#include "pmuv3_irq.h"
#include "pmuv3_rows.h"

static DEFINE_PER_CPU(struct pmuv3_id, pmuv3_ids);
/* What all CPUs have in common. PMCs of tasks use it, since a task may run on any CPU. */
static struct pmuv3_id pmuv3_common;
static const struct hwpmc_overflow_ops *pmuv3_overflow_ops;
/* Why the PMU cannot be used; NULL if it can */
static const char *pmuv3_unusable;
/* Why its interrupt cannot be requested where perf's driver does not have it; NULL if it can */
static const char *pmuv3_irq_unusable;
/* The PMU was claimed by a request of its interrupt, not from perf's driver. Written in claim() */
static bool pmuv3_irq_claimed;

static struct hwpmc_class pmuv3_class;

/* MPIDR_EL1.MT is also set on many cores with a single thread, so the topology is checked too. */
static bool pmuv3_smt(void)
{
	return (read_cpuid_mpidr() & MPIDR_MT_BITMASK) &&
	       cpu_topology[smp_processor_id()].thread_id >= 0;
}

static void pmuv3_identify(void *unused)
{
	struct pmuv3_id *known = this_cpu_ptr(&pmuv3_ids), id;
	u64 dfr0 = read_sysreg(id_aa64dfr0_el1);

	/* memcmp() below includes the padding. */
	memset(&id, 0, sizeof(id));
	id.version = (dfr0 >> 8) & 0xf;
	id.midr = read_cpuid_id();
	id.el2 = is_kernel_in_hyp_mode();
	id.smt = pmuv3_smt();
	if (pmuv3_id_usable(&id)) {
		id.events = (read_sysreg(pmcr_el0) >> 11) & 0x1f;
		id.ceid[0] = read_sysreg(pmceid0_el0);
		id.ceid[1] = read_sysreg(pmceid1_el0);
	}
	/* Other CPUs may read it: do not write it again when the CPU returns unchanged. */
	if (memcmp(known, &id, sizeof(id)))
		memcpy(known, &id, sizeof(id));
}

static int pmuv3_class_encode(const struct hwpmc_request *req, int cpu,
			      struct hwpmc_encoding *enc)
{
	return pmuv3_event_encode(cpu < 0 ? &pmuv3_common : per_cpu_ptr(&pmuv3_ids, cpu),
			    req, enc);
}

static bool pmuv3_row_exists(int cpu, unsigned int row)
{
	const struct pmuv3_id *id = per_cpu_ptr(&pmuv3_ids, cpu);

	return id->midr && pmuv3_id_usable(id) && row <= id->events;
}

static void pmuv3_row_name(unsigned int row, char *buf, size_t size)
{
	if (row == PMUV3_ROW_CYCLES)
		strscpy(buf, "cycle counter", size);
	else
		snprintf(buf, size, "event counter %u", row - 1);
}

static void pmuv3_program(unsigned int row, const struct hwpmc_select *sel, u64 value)
{
	pmuv3_rows_program(row, sel->event, value);
}

static __always_inline void pmuv3_report_overflow(void)
{
	u64 begun = hwpmc_arch_clock();
	u64 rows = pmuv3_rows_from_mask(pmuv3_regs_read_pmovsclr());

	pmuv3_overflow_ops->overflow(&pmuv3_class, rows, get_irq_regs());
	pmuv3_overflow_ops->end(begun);
}

/* Called in the interrupt that perf's driver requested; see arm_pmu_claim(). */
static void pmuv3_perf_interrupt(void)
{
	pmuv3_report_overflow();
}

static irqreturn_t pmuv3_interrupt(int irq, void *cookie)
{
	pmuv3_report_overflow();
	return IRQ_HANDLED;
}

/* perf's driver does not have the PMU: it was kept away from it at boot. */
static int pmuv3_claim_irq(const char **why)
{
	int err;

	if (pmuv3_irq_unusable) {
		*why = pmuv3_irq_unusable;
		return -ENODEV;
	}
	err = pmuv3_irq_request(pmuv3_interrupt);
	if (err)
		*why = err == -EBUSY ?
			"another driver has the PMU's interrupt, and cannot release it before a reboot: boot with initcall_blacklist=armv8_pmu_driver_init,arm_pmu_acpi_init" :
			"cannot request the PMU's interrupt: out of memory";
	pmuv3_irq_claimed = !err;
	return err;
}

static int pmuv3_claim(const struct hwpmc_overflow_ops *ops, const char **why)
{
	int err;

	if (pmuv3_unusable) {
		*why = pmuv3_unusable;
		return -ENODEV;
	}
	pmuv3_overflow_ops = ops;
	err = arm_pmu_claim(pmuv3_perf_interrupt, why);
	return err == -ENODEV ? pmuv3_claim_irq(why) : err;
}

static void pmuv3_unclaim(void)
{
	if (!pmuv3_irq_claimed) {
		arm_pmu_release();
		return;
	}
	pmuv3_irq_release();
	pmuv3_irq_claimed = false;
}

static u64 pmuv3_cpu_id(int cpu)
{
	return per_cpu_ptr(&pmuv3_ids, cpu)->midr;
}

/* Where perf's driver does not have the PMU, only a request shows whether its interrupt is free. */
static const char *pmuv3_problem(void)
{
	const char *why = pmuv3_unusable;

	if (why || arm_pmu_problem(&why) != -ENODEV)
		return why;
	if (!pmuv3_claim_irq(&why))
		pmuv3_unclaim();
	return why;
}

DEFINE_STATIC_KEY_FALSE(arm64_clock_by_call);

/* ID_AA64PFR0_EL1.EL2 (Arm ARM, D19.2): 0 if the CPU has no EL2. A guest of KVM reads 0. */
#define ARM64_PFR0_EL2	GENMASK_ULL(11, 8)

/*
 * Whether CNTVCT_EL0 may differ from the counter that the kernel's clock reads. It may if a CPU
 * needs a workaround to read it, or if KVM runs its guests from EL1 (nVHE): CNTVOFF_EL2 is then the
 * guest's while a thread of a guest is on the CPU. A kernel at EL2 reads it without that offset.
 */
static bool arm64_needs_clock_call(void)
{
#if IS_ENABLED(CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND)
	if (this_cpu_read(timer_unstable_counter_workaround))
		return true;
#endif
	return !is_kernel_in_hyp_mode() && (read_sysreg(id_aa64pfr0_el1) & ARM64_PFR0_EL2);
}

/* For each CPU, in a hotplug callback, which holds the lock of CPUs and may sleep. */
static void arm64_check_clock(void)
{
	if (arm64_needs_clock_call())
		static_branch_enable_cpuslocked(&arm64_clock_by_call);
}

static bool pmuv3_cpu_fits(void)
{
	arm64_check_clock();
	pmuv3_identify(NULL);
	return pmuv3_id_fits(&pmuv3_common, this_cpu_ptr(&pmuv3_ids)) && arm_pmu_cover_cpu();
}

static void pmuv3_cpu_up(void)
{
	arm_pmu_cpu_up();
	pmuv3_rows_up();
	if (pmuv3_irq_claimed)
		pmuv3_irq_enable();
}

static void pmuv3_cpu_down(void)
{
	if (pmuv3_irq_claimed)
		pmuv3_irq_disable();
	pmuv3_rows_down();
	arm_pmu_cpu_down();
}

static struct hwpmc_class pmuv3_class __ro_after_init = {
	.id		= HWPMC_CLASS_ARMV8,
	.name		= "ARMV8",
	.width		= 64,
	.caps		= HWPMC_CAP_USER | HWPMC_CAP_SYSTEM | HWPMC_CAP_READ |
			  HWPMC_CAP_WRITE | HWPMC_CAP_INTERRUPT,
	.needs_pmu	= true,
	.encode		= pmuv3_class_encode,
	.row_name	= pmuv3_row_name,
	.row_width	= pmuv3_rows_width,
	.row_exists	= pmuv3_row_exists,
	.program	= pmuv3_program,
	.aim		= pmuv3_rows_set_period,
	.park		= pmuv3_rows_stop,
	.clear		= pmuv3_rows_clear,
	.in		= pmuv3_rows_in,
	.fold		= pmuv3_rows_fold,
	.wrapped	= pmuv3_rows_fold_overflowed,
	.ack		= pmuv3_rows_ack,
	.mask		= pmuv3_rows_mask,
	.user_in	= pmuv3_rows_user_in,
	.user_index	= pmuv3_rows_user_index,
};

static const struct hwpmc_class *const arm64_classes[] = { &pmuv3_class };

static struct hwpmc_machine arm64_machine __ro_after_init = {
	.vendor		= "ARM",
	.pmu		= "none",
	.classes	= arm64_classes,
	.cpu_id		= pmuv3_cpu_id,
	.problem	= pmuv3_problem,
	.claim		= pmuv3_claim,
	.unclaim	= pmuv3_unclaim,
	.cpu_fits	= pmuv3_cpu_fits,
	.cpu_up		= pmuv3_cpu_up,
	.cpu_down	= pmuv3_cpu_down,
	.cpu_resume	= pmuv3_rows_up,
};

/*
 * Identify all online CPUs; return the largest number of event counters. Offline CPUs are checked
 * when they come online: pmuv3_cpu_fits().
 */
static unsigned int __init pmuv3_probe(void)
{
	unsigned int events = 0;
	int cpu;

	on_each_cpu(pmuv3_identify, NULL, 1);
	for_each_online_cpu(cpu) {
		const struct pmuv3_id *id = per_cpu_ptr(&pmuv3_ids, cpu);

		pmuv3_id_intersect(&pmuv3_common, id);
		events = max(events, id->events);
	}
	return events;
}

const struct hwpmc_machine * __init hwpmc_arch_init(void)
{
	unsigned int events = pmuv3_probe();

	arm64_machine.cpuid = pmuv3_common.midr;
	pmuv3_unusable = "the CPUs have no PMUv3; in a virtual machine, enable its PMU in the hypervisor";
	if (!pmuv3_id_usable(&pmuv3_common))
		return &arm64_machine;

	pmuv3_class.rows = events + 1;
	pmuv3_rows_set_width(pmuv3_id_width(&pmuv3_common));
	pmuv3_unusable = NULL;
	pmuv3_irq_unusable = pmuv3_irq_find();
	arm64_machine.pmu = pmuv3_id_width(&pmuv3_common) == 64 ?
			    "PMUv3, 64-bit counters" : "PMUv3, 32-bit counters";
	arm64_machine.class_count = ARRAY_SIZE(arm64_classes);
	return &arm64_machine;
}

void hwpmc_arch_exit(void)
{
	arm_pmu_exit();
	pmuv3_irq_drop();
}
