// SPDX-License-Identifier: GPL-2.0-only
/* The emulated PMU of x86: the flavours, CPUID, set-up and reset. */
#include "qemu/osdep.h"
#include "x86_pmu.h"
#include "qapi/error.h"
#include "qom/object.h"

static const struct flavour flavours[] = {
	{ "intel-v2", CPUID_VENDOR_INTEL, 6, 6, 3, false, 2, 4, 3, 40, 0 },
	{ "intel-v5", CPUID_VENDOR_INTEL, 6, 6, 3, false, 5, 8, 4, 48, 1 },
	{ "amd-legacy", CPUID_VENDOR_AMD, 0xf, 0x6b, 2, true, 0, 4, 0, 48, 2 },
	{ "amd-core", CPUID_VENDOR_AMD, 0x15, 0x10, 1, true, 1, 6, 0, 48, 3 },
	{ "amd-v2", CPUID_VENDOR_AMD, 0x19, 0x11, 1, true, 2, 6, 0, 48, 4 },
	{ "intel-v6", CPUID_VENDOR_INTEL, 6, 6, 3, false, 6, 8, 4, 48, 5 },
};

/*
 * Leaf 7, subleaf 1 announces leaf 23H. Subleaf 0 of that announces the extension of
 * unit masks, subleaf 1 has the bitmaps of counters.
 */
static void cpuid_v6(const struct flavour *f, uint32_t index, uint32_t count, uint32_t *eax,
		     uint32_t *ebx)
{
	if (index == 7 && count == 0) {
		*eax = MAX(*eax, 1);
	} else if (index == 7 && count == 1) {
		*eax |= BIT(8);
	} else if (index == 0x23 && count == 0) {
		*eax = BIT(0) | BIT(1);
		*ebx = BIT(0);
	} else if (index == 0x23 && count == 1) {
		*eax = BIT(f->gp) - 1;
		*ebx = BIT(f->fixed) - 1;
	}
}

static void cpuid_intel(const struct flavour *f, uint32_t index, uint32_t count, uint32_t *eax,
			uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
	bool v5 = f->version >= 5;

	if (f->version >= 6)
		cpuid_v6(f, index, count, eax, ebx);

	switch (index) {
	case 1:
		if (v5)
			*ecx |= BIT(15);	/* PDCM: IA32_PERF_CAPABILITIES exists */
		break;
	case 0xa:
		*eax = f->version | f->gp << 8 | f->width << 16 | (v5 ? 8 : 7) << 24;
		/* Unavailable: last level cache references and misses, mispredictions. */
		*ebx = BIT(3) | BIT(4) | BIT(6);
		*ecx = v5 ? BIT(f->fixed) - 1 : 0;
		*edx = f->fixed | f->width << 5 | (v5 ? BIT(15) : 0);
		break;
	}
}

static void cpuid_amd(const struct flavour *f, uint32_t index, uint32_t *eax,
		      uint32_t *ebx, uint32_t *ecx)
{
	switch (index) {
	case 0x80000001:
		if (f->version >= 1)
			*ecx |= BIT(23);
		break;
	case 0x80000022:
		if (f->version >= 2) {
			*eax = 1;
			*ebx = f->gp;
		}
		break;
	}
}

void x86_pmu_cpuid(X86CPU *cpu, uint32_t index, uint32_t count, uint32_t *eax,
		   uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
	if (!cpu->pmu)
		return;
	if (cpu->pmu->f->amd)
		cpuid_amd(cpu->pmu->f, index, eax, ebx, ecx);
	else
		cpuid_intel(cpu->pmu->f, index, count, eax, ebx, ecx, edx);
}

/* The emulation's own registers belong to the test and keep their values. */
void x86_pmu_reset(X86CPU *cpu)
{
	struct X86PMU *pmu = cpu->pmu;

	if (!pmu)
		return;
	memset(pmu->c, 0, sizeof(pmu->c));
	memset(pmu->evtsel, 0, sizeof(pmu->evtsel));
	pmu->fixed_ctrl = pmu->status = pmu->debugctl = 0;
	pmu->global_ctrl = has_global(pmu) ? BIT64(pmu->f->gp) - 1 : 0;
	pmu->insns = CPU(cpu)->insns;
	pmu->branches = cpu->env.branches;
	pmu->user = false;
	pmu->guest = false;
	pmu->pmi = false;
	x86_pmu_configure(&cpu->env);
}

bool x86_pmu_realize(X86CPU *cpu, Error **errp)
{
	const struct flavour *f;
	Object *obj = OBJECT(cpu);

	if (!cpu->hwpmc || !strcmp(cpu->hwpmc, "none"))
		return true;
	for (f = flavours; strcmp(f->name, cpu->hwpmc); ) {
		if (++f == flavours + ARRAY_SIZE(flavours)) {
			error_setg(errp, "hwpmc: no flavour '%s'", cpu->hwpmc);
			return false;
		}
	}
	if (!object_property_set_str(obj, "vendor", f->vendor, errp) ||
	    !object_property_set_int(obj, "family", f->family, errp) ||
	    !object_property_set_int(obj, "model", f->model, errp) ||
	    !object_property_set_int(obj, "stepping", f->stepping, errp))
		return false;
	if (f->amd && f->version >= 2)
		cpu->env.cpuid_min_xlevel = MAX(cpu->env.cpuid_min_xlevel, 0x80000022);
	if (!f->amd && f->version >= 6)
		cpu->env.cpuid_min_level = MAX(cpu->env.cpuid_min_level, 0x23);
	cpu->pmu = g_new0(struct X86PMU, 1);
	cpu->pmu->f = f;
	CPU(cpu)->insns_reached = x86_pmu_reached;
	return true;
}
