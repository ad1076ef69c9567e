// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: the PMUs of all CPUs, and the classes IAP, IAF and AMD. x86_machine.c probes them; the
 * core calls the classes' operations, which end in counter.c and rows.c.
 *
 * CPUID is read on each CPU, since cores may differ: a row exists on the CPUs that have it, and
 * PMCs of tasks use the rows that every CPU has.
 */
#include <linux/init.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <asm/msr.h>
#include <uapi/linux/hwpmc.h>

#include "amd_event.h"
#include "compat.h"
#include "counter.h"
#include "intel_event.h"
#include "intel_model.h"
#include "pmi.h"
#include "pmu.h"
#include "rows.h"
#include "event_select.h"

#define X86_MSR_CAPABILITIES	0x345	/* IA32_PERF_CAPABILITIES */
#define X86_LEAF1_PDCM		BIT(15)

static DEFINE_PER_CPU(struct x86_id, x86_ids);
/* What any CPU has, and what all CPUs have: PMCs of tasks use the latter. */
static struct x86_id x86_all __ro_after_init;
static struct x86_id x86_common __ro_after_init;
static const struct hwpmc_class *x86_classes[X86_KINDS] __ro_after_init;

static enum x86_id_vendor x86_pmu_vendor(void)
{
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_INTEL:
		return X86_ID_VENDOR_INTEL;
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		return X86_ID_VENDOR_AMD;
	default:
		return X86_ID_VENDOR_OTHER;
	}
}

static void x86_pmu_read_leaves(struct x86_leaves *leaves)
{
	u32 basic = cpuid_eax(0), extended = cpuid_eax(0x80000000), low, high;

	leaves->vendor = x86_pmu_vendor();
	leaves->leaf1_eax = cpuid_eax(1);
	leaves->leaf1_ecx = cpuid_ecx(1);
	if (basic >= 7)
		leaves->leaf7_edx = cpuid_edx(7);
	if (basic >= 0xa)
		cpuid(0xa, &leaves->leaf_a[0], &leaves->leaf_a[1], &leaves->leaf_a[2],
		      &leaves->leaf_a[3]);
	if (basic >= 0x1a)
		leaves->leaf1a_eax = cpuid_eax(0x1a);
	if (extended >= 0x80000001)
		leaves->ext1_ecx = cpuid_ecx(0x80000001);
	if (extended >= 0x80000022) {
		leaves->ext22_eax = cpuid_eax(0x80000022);
		leaves->ext22_ebx = cpuid_ebx(0x80000022);
	}
	if ((leaves->leaf1_ecx & X86_LEAF1_PDCM) && !rdmsr_safe(X86_MSR_CAPABILITIES, &low, &high))
		leaves->capabilities = low | (u64)high << 32;
}

static void x86_pmu_identify(void *unused)
{
	struct x86_id *known = this_cpu_ptr(&x86_ids), id;
	struct x86_leaves leaves = {};

	/* memcmp() below includes the padding. */
	memset(&id, 0, sizeof(id));
	x86_pmu_read_leaves(&leaves);
	x86_id_decode(&leaves, &id);
	/* Other CPUs may read it: do not write it again when the CPU returns unchanged. */
	if (memcmp(known, &id, sizeof(id)))
		memcpy(known, &id, sizeof(id));
}

static const struct x86_id *x86_pmu_cpu_id(int cpu)
{
	return cpu < 0 ? &x86_common : per_cpu_ptr(&x86_ids, cpu);
}

static u64 x86_pmu_cpu_rows(const struct x86_id *id, enum x86_kind kind)
{
	if (!x86_id_compatible(&x86_all, id))
		return 0;
	return kind == X86_FIXED ? id->fixed & x86_all.fixed :
				   id->programmable & x86_all.programmable;
}

static unsigned int x86_programmable_width(unsigned int row)
{
	return x86_all.width;
}

static unsigned int x86_fixed_width(unsigned int row)
{
	return x86_all.fixed_width;
}

static void x86_programmable_name(unsigned int row, char *buf, size_t size)
{
	snprintf(buf, size, "programmable counter %u", row);
}

static void x86_fixed_name(unsigned int row, char *buf, size_t size)
{
	static const char * const names[] = {
		"instructions", "core cycles", "reference cycles", "top-down slots",
	};

	if (row < ARRAY_SIZE(names))
		snprintf(buf, size, "fixed counter, %s", names[row]);
	else
		snprintf(buf, size, "fixed counter %u", row);
}

/* Online threads only. More may come online later; perf has the same gap. */
static bool x86_core_has_threads(int cpu)
{
	return cpumask_weight(topology_sibling_cpumask(cpu)) > 1;
}

static bool x86_any_core_has_threads(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (x86_core_has_threads(cpu))
			return true;
	return false;
}

static int x86_iap_encode(const struct hwpmc_request *req, int cpu, struct hwpmc_encoding *enc)
{
	unsigned int how = cpu < 0 ? 0 : INTEL_FOR_CPU;

	if (cpu < 0 ? x86_any_core_has_threads() : x86_core_has_threads(cpu))
		how |= INTEL_FOR_THREADS;
	return intel_event_encode(x86_pmu_cpu_id(cpu), req, how, enc);
}

static int x86_iaf_encode(const struct hwpmc_request *req, int cpu, struct hwpmc_encoding *enc)
{
	return intel_event_encode_fixed(x86_pmu_cpu_id(cpu), req, enc);
}

static int x86_amd_encode(const struct hwpmc_request *req, int cpu, struct hwpmc_encoding *enc)
{
	return amd_event_encode(x86_pmu_cpu_id(cpu), req, enc);
}

static void x86_programmable_program(unsigned int row, const struct hwpmc_select *sel, u64 value)
{
	const struct intel_extra_reg *reg = NULL;
	struct x86_counter_setting set = { .select = sel->event, .extra = sel->extra };

	if (sel->extra)
		reg = intel_model_extra(this_cpu_ptr(&x86_ids)->cores, (u16)sel->event);
	if (reg)
		set.extra_msr = reg->msr;
	x86_counter_program(X86_PROGRAMMABLE, row, &set, value);
}

static void x86_fixed_program(unsigned int row, const struct hwpmc_select *sel, u64 value)
{
	const struct x86_counter_setting set = { .select = sel->event };

	x86_counter_program(X86_FIXED, row, &set, value);
}

/* The operations of struct hwpmc_class have no argument for the kind, so each kind has its own. */
#define X86_KIND_OPS(name, kind)						\
static bool x86_##name##_exists(int cpu, unsigned int row)			\
{										\
	return x86_pmu_cpu_rows(per_cpu_ptr(&x86_ids, cpu), kind) & BIT_ULL(row);	\
}										\
static u64 x86_##name##_aim(struct hwpmc_slot *slots, unsigned int row, u64 due, u64 put_off) \
{										\
	return x86_counter_set_period(kind, slots, row, due, put_off);		\
}										\
static void x86_##name##_park(u64 rows)						\
{										\
	x86_rows_stop(kind, rows);						\
}										\
static void x86_##name##_clear(unsigned int row)				\
{										\
	x86_counter_clear(kind, row);						\
}										\
static void x86_##name##_ack(u64 rows)						\
{										\
	x86_rows_ack(kind, rows);						\
}

X86_KIND_OPS(programmable, X86_PROGRAMMABLE)
X86_KIND_OPS(fixed, X86_FIXED)

/* Class IAP or AMD; x86_pmu_init_classes() sets the members in which they differ. */
static struct hwpmc_class x86_programmable_class __ro_after_init = {
	.caps		= X86_CAPS,
	.needs_pmu	= true,
	.row_name	= x86_programmable_name,
	.row_width	= x86_programmable_width,
	.row_exists	= x86_programmable_exists,
	.program	= x86_programmable_program,
	.aim		= x86_programmable_aim,
	.park		= x86_programmable_park,
	.clear		= x86_programmable_clear,
	.in		= x86_rows_in_programmable,
	.fold		= x86_rows_fold_programmable,
	.wrapped	= x86_rows_overflowed_programmable,
	.ack		= x86_programmable_ack,
};

static struct hwpmc_class x86_fixed_class __ro_after_init = {
	.id		= HWPMC_CLASS_IAF,
	.name		= "IAF",
	.caps		= HWPMC_CAP_USER | HWPMC_CAP_SYSTEM | HWPMC_CAP_READ |
			  HWPMC_CAP_WRITE | HWPMC_CAP_INTERRUPT,
	.needs_pmu	= true,
	.encode		= x86_iaf_encode,
	.row_name	= x86_fixed_name,
	.row_width	= x86_fixed_width,
	.row_exists	= x86_fixed_exists,
	.program	= x86_fixed_program,
	.aim		= x86_fixed_aim,
	.park		= x86_fixed_park,
	.clear		= x86_fixed_clear,
	.in		= x86_rows_in_fixed,
	.fold		= x86_rows_fold_fixed,
	.wrapped	= x86_rows_overflowed_fixed,
	.ack		= x86_fixed_ack,
};

static void __init x86_pmu_init_classes(void)
{
	bool intel = x86_all.flavour == X86_INTEL;

	x86_programmable_class.id = intel ? HWPMC_CLASS_IAP : HWPMC_CLASS_AMD;
	x86_programmable_class.name = intel ? "IAP" : "AMD";
	x86_programmable_class.encode = intel ? x86_iap_encode : x86_amd_encode;
	x86_programmable_class.rows = fls64(x86_all.programmable);
	x86_programmable_class.width = x86_all.width;
	x86_fixed_class.rows = fls64(x86_all.fixed);
	x86_fixed_class.width = x86_all.fixed_width;
	if (x86_all.programmable)
		x86_classes[X86_PROGRAMMABLE] = &x86_programmable_class;
	if (x86_all.fixed)
		x86_classes[X86_FIXED] = &x86_fixed_class;
}

/* A CPU whose counters are driven differently from the first one's has no rows. */
static void __init x86_pmu_add_cpu(const struct x86_id *id)
{
	x86_id_intersect(&x86_common, id);
	if (!x86_all.family)
		x86_all = *id;
	if (!x86_id_compatible(&x86_all, id))
		return;
	x86_all.programmable |= id->programmable;
	x86_all.fixed |= id->fixed;
	x86_all.fixed_width = max(x86_all.fixed_width, id->fixed_width);
}

/* Log the restrictions that the counters of such CPUs do not usually have. */
static void __init x86_pmu_log_limits(void)
{
	if (x86_common.cores & INTEL_OTHERS)
		pr_info("hwpmc: unknown core (family %u, model %#x): counters beyond the first four count architectural events only, and no event takes a config word\n",
			x86_common.family, x86_common.model);
	if (x86_common.tsx)
		pr_info("hwpmc: programmable counter 3 is not available: the microcode uses it for TSX transactions\n");
}

unsigned int __init x86_pmu_probe(const struct hwpmc_class **classes)
{
	struct x86_msr_map map;
	unsigned int count = 0;
	int cpu;

	/* Offline CPUs are checked when they come online: x86_pmu_cpu_fits(). */
	on_each_cpu(x86_pmu_identify, NULL, 1);
	for_each_online_cpu(cpu)
		x86_pmu_add_cpu(per_cpu_ptr(&x86_ids, cpu));
	if (x86_all.flavour == X86_NONE)
		return 0;
	x86_msr_map_init(&map, &x86_all);
	x86_counter_init(&map);
	x86_pmu_init_classes();
	x86_pmu_log_limits();
	if (x86_classes[X86_FIXED])
		classes[count++] = x86_classes[X86_FIXED];
	if (x86_classes[X86_PROGRAMMABLE])
		classes[count++] = x86_classes[X86_PROGRAMMABLE];
	return count;
}

const struct x86_id *x86_pmu_id(void)
{
	return &x86_all;
}

const struct hwpmc_class *const *x86_pmu_classes(void)
{
	return x86_classes;
}

bool x86_pmu_cpu_fits(void)
{
	x86_pmu_identify(NULL);
	return x86_id_fits(&x86_common, this_cpu_ptr(&x86_ids));
}

void x86_pmu_cpu_up(void)
{
	const struct x86_id *id = this_cpu_ptr(&x86_ids);

	x86_rows_up(x86_pmu_cpu_rows(id, X86_PROGRAMMABLE) |
		    x86_pmu_cpu_rows(id, X86_FIXED) << X86_FIXED_BIT);
	x86_pmi_enable();
}

void x86_pmu_cpu_down(void)
{
	x86_rows_down();
	x86_pmi_disable();
}
