// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulated PMU of x86: its registers, and those of the emulation.
 *
 * Each function that returns a bool and has a register's value as an argument returns
 * whether to raise #GP.
 */
#include "qemu/osdep.h"
#include "x86_pmu.h"

/* The bits of IA32_DEBUGCTL that are not reserved. */
#define DEBUGCTL_VALID	UINT64_C(0xffc3)

#define OWN_MAGIC	UINT64_C(0x68777000)	/* "hwp", and the flavour's number */

/* Version 6 has each counter's registers side by side, as well as at the old addresses. */
#define V6_GP		0x1900
#define V6_FIXED	0x1980
#define V6_END		0x1a00
#define V6_COUNTER	0
#define V6_SEL		1

static bool is_v6(uint32_t msr)
{
	return msr >= V6_GP && msr < V6_END;
}

static int v6_index(const struct X86PMU *pmu, uint32_t msr, unsigned int reg)
{
	unsigned int i;

	if (pmu->f->version < 6 || !is_v6(msr) || msr % 4 != reg)
		return -1;
	if (msr < V6_FIXED) {
		i = (msr - V6_GP) / 4;
		return i < pmu->f->gp ? i : -1;
	}
	i = (msr - V6_FIXED) / 4;
	return reg == V6_COUNTER && i < pmu->f->fixed ? GP_MAX + i : -1;
}

/* The counter that an event selection register belongs to, or -1. */
static int sel_index(const struct X86PMU *pmu, uint32_t msr)
{
	int i = v6_index(pmu, msr, V6_SEL);

	if (i >= 0)
		return i;
	if (!pmu->f->amd)
		i = msr - 0x186;
	else if (msr >= 0xc0010200 && !(msr & 1) && pmu->f->version >= 1)
		i = (msr - 0xc0010200) / 2;
	else if (msr <= 0xc0010003)
		i = msr - 0xc0010000;
	return i >= 0 && i < pmu->f->gp ? i : -1;
}

/* The counter that a counter register belongs to, or -1. */
static int counter_index(const struct X86PMU *pmu, uint32_t msr)
{
	int i = v6_index(pmu, msr, V6_COUNTER);

	if (i >= 0)
		return i;
	if (pmu->f->amd) {
		if (msr >= 0xc0010201 && (msr & 1) && pmu->f->version >= 1)
			i = (msr - 0xc0010201) / 2;
		else if (msr >= 0xc0010004 && msr <= 0xc0010007)
			i = msr - 0xc0010004;
	} else if (msr >= 0x309 && msr < 0x309 + pmu->f->fixed) {
		return GP_MAX + msr - 0x309;
	} else if (msr >= 0x4c1 && pmu->f->version >= 5) {
		i = msr - 0x4c1;
	} else if (msr >= 0xc1 && msr < 0xc1 + GP_MAX) {
		i = msr - 0xc1;
	}
	return i >= 0 && i < pmu->f->gp ? i : -1;
}

static bool is_own(uint32_t msr)
{
	return msr >= OWN_FIRST && msr < OWN_FIRST + OWN_COUNT;
}

/* Is it a register of any flavour? Those of another flavour raise #GP. */
static bool is_pmu(uint32_t msr)
{
	switch (msr) {
	case 0xc1 ... 0xc8:
	case 0x186 ... 0x18d:
	case 0x1d9:
	case 0x309 ... 0x30c:
	case 0x329:
	case 0x345:
	case 0x38d ... 0x392:
	case 0x3f1:
	case 0x4c1 ... 0x4c8:
	case V6_GP ... V6_END - 1:
	case 0xc0000300 ... 0xc0000303:
	case 0xc0010000 ... 0xc0010007:
	case 0xc0010200 ... 0xc001020b:
		return true;
	}
	return false;
}

/* Does Linux write it without a PMU in use, for example in task switches? */
static bool is_usual(uint32_t msr)
{
	switch (msr) {
	case 0x10:			/* TSC */
	case 0x1b:			/* APIC base */
	case 0x48: case 0x49:		/* speculation */
	case 0x79: case 0x8b:		/* microcode */
	case 0x122: case 0x123:		/* TSX, SRBDS */
	case 0x140:			/* misc features */
	case 0x174 ... 0x176:		/* SYSENTER */
	case 0x179 ... 0x17b:		/* machine check */
	case 0x1a0:			/* misc enable */
	case 0x1c4: case 0x1c5:		/* XFD */
	case 0x200 ... 0x21f:		/* MTRR */
	case 0x250: case 0x258: case 0x259:
	case 0x268 ... 0x26f:
	case 0x277:			/* PAT */
	case 0x280 ... 0x29f:		/* machine check */
	case 0x2ff:			/* MTRR */
	case 0x400 ... 0x47f:		/* machine check */
	case 0x6a0 ... 0x6a8:		/* CET */
	case 0x6e0:			/* TSC deadline */
	case 0x800 ... 0x8ff:		/* x2APIC */
	case 0xd90: case 0xda0:		/* MPX, XSS */
	case 0x4b564d00 ... 0x4b564d08:	/* KVM's clock and other paravirtual registers */
	case 0xc0000080 ... 0xc0000084:	/* EFER, system calls */
	case 0xc0000100 ... 0xc0000104:	/* FS, GS, TSC_AUX */
	case 0xc0010010: case 0xc0010015:
	case 0xc0010055: case 0xc0010117:
	case 0xc0011020 ... 0xc0011029:
		return true;
	}
	return false;
}

static bool write_counter(struct X86PMU *pmu, int i, uint32_t msr, uint64_t val)
{
	if (pmu->f->amd)
		val &= counter_mask(pmu);
	else if (msr < 0x200)
		val = (int64_t)(int32_t)val & counter_mask(pmu);
	else if (val & ~counter_mask(pmu))
		return true;
	pmu->c[i].value = val;
	return false;
}

static bool write_sel(struct X86PMU *pmu, int i, uint64_t val)
{
	uint64_t valid = UINT64_C(0xffffffff);

	if (pmu->f->amd) {
		/* Reserved bits ignore writes. */
		pmu->evtsel[i] = val & SEL_AMD;
		return false;
	}
	if (pmu->f->version < 3 || pmu->f->version >= 5)
		valid &= ~SEL_ANY;
	if (pmu->f->version >= 6)
		valid |= SEL_UMASK2;
	if (val & ~valid)
		return true;
	pmu->evtsel[i] = val;
	return false;
}

static bool write_intel(struct X86PMU *pmu, uint32_t msr, uint64_t val)
{
	uint64_t valid = all_counters(pmu);
	int i;

	switch (msr) {
	case 0x1d9:
		if (val & ~DEBUGCTL_VALID)
			return true;
		pmu->debugctl = val;
		return false;
	case 0x38d:
		valid = BIT64(4 * pmu->f->fixed) - 1;
		for (i = 0; i < pmu->f->fixed; i++)
			valid &= ~((uint64_t)FIXED_ANY << 4 * i);
		if (val & ~valid)
			return true;
		pmu->fixed_ctrl = val;
		return false;
	case 0x38f:
		if (val & ~valid)
			return true;
		pmu->global_ctrl = val;
		return false;
	case 0x390:
		/* OvfBuf and CondChgd: never set here, but valid in every version. */
		valid |= BIT64(62) | BIT64(63);
		if (pmu->f->version >= 4)
			valid |= CTR_FRZ | BIT64(58) | BIT64(61);
		if (val & ~valid)
			return true;
		pmu->status &= ~val;
		return false;
	case 0x391:
		if (pmu->f->version < 4 || val & ~(valid | CTR_FRZ))
			return true;
		pmu->status |= val;
		return false;
	}
	return true;
}

static bool write_amd(struct X86PMU *pmu, uint32_t msr, uint64_t val)
{
	if (!has_global(pmu))
		return true;
	/* Reserved bits and read-only registers ignore writes. */
	switch (msr) {
	case 0xc0000300:
		return false;
	case 0xc0000301:
		pmu->global_ctrl = val & all_counters(pmu);
		return false;
	case 0xc0000302:
		pmu->status &= ~val;
		return false;
	}
	return true;
}

static bool write_pmu(struct X86PMU *pmu, uint32_t msr, uint64_t val)
{
	int i = counter_index(pmu, msr);

	if (i >= 0)
		return write_counter(pmu, i, msr, val);
	i = sel_index(pmu, msr);
	if (i >= 0)
		return write_sel(pmu, i, val);
	return pmu->f->amd ? write_amd(pmu, msr, val) : write_intel(pmu, msr, val);
}

static bool write_own(struct X86PMU *pmu, enum own reg, uint64_t val)
{
	switch (reg) {
	case OWN_ID:
	case OWN_INSNS:
	case OWN_BRANCHES:
		return true;
	case OWN_SYNTH_KERNEL:
	case OWN_SYNTH_USER:
		x86_pmu_synthesize(pmu, reg == OWN_SYNTH_USER, val);
		return false;
	default:
		pmu->own[reg] = val;
		return false;
	}
}

bool x86_pmu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val, bool *mine)
{
	struct X86PMU *pmu = env_archcpu(env)->pmu;
	bool fault;

	/* On AMD, DEBUGCTL (0x1d9) has no bits of the PMU. */
	*mine = pmu && (is_own(msr) || (is_pmu(msr) && !(pmu->f->amd && msr == 0x1d9)));
	if (!pmu)
		return false;
	if (!is_own(msr))
		pmu->own[OWN_WRMSR]++;
	if (!*mine) {
		if (!is_usual(msr) && msr != 0x1d9) {
			pmu->own[OWN_WRMSR_OTHER]++;
			pmu->own[OWN_LAST_OTHER] = msr;
		}
		return false;
	}

	x86_pmu_fold(env);
	if (is_own(msr)) {
		fault = write_own(pmu, msr - OWN_FIRST, val);
	} else {
		fault = write_pmu(pmu, msr, val);
		pmu->own[OWN_WRMSR_PMU]++;
		pmu->own[OWN_WRMSR_V6] += is_v6(msr);
		pmu->own[OWN_FAULTS] += fault;
	}
	x86_pmu_configure(env);
	return fault;
}

/* IA32_PERF_GLOBAL_INUSE. */
static uint64_t in_use(const struct X86PMU *pmu)
{
	uint64_t bits = 0;
	int i;

	for (i = 0; i < pmu->f->gp; i++) {
		if (pmu->evtsel[i] & 0xff)
			bits |= global_bit(i);
		if (pmu->evtsel[i] & SEL_INT)
			bits |= BIT64(63);
	}
	for (i = 0; i < pmu->f->fixed; i++) {
		if (pmu->fixed_ctrl >> 4 * i & (FIXED_USR | FIXED_OS))
			bits |= global_bit(GP_MAX + i);
		if (pmu->fixed_ctrl >> 4 * i & FIXED_PMI)
			bits |= BIT64(63);
	}
	return bits;
}

static bool read_intel(const struct X86PMU *pmu, uint32_t msr, uint64_t *val)
{
	switch (msr) {
	case 0x1d9: *val = pmu->debugctl; return false;
	case 0x345: *val = BIT64(13); return pmu->f->version < 5;
	case 0x38d: *val = pmu->fixed_ctrl; return false;
	case 0x38e: *val = pmu->status; return false;
	case 0x38f: *val = pmu->global_ctrl; return false;
	case 0x390: *val = 0; return false;
	case 0x391: *val = 0; return pmu->f->version < 4;
	case 0x392: *val = in_use(pmu); return pmu->f->version < 4;
	}
	return true;
}

static bool read_amd(const struct X86PMU *pmu, uint32_t msr, uint64_t *val)
{
	switch (msr) {
	case 0xc0000300: *val = pmu->status; return !has_global(pmu);
	case 0xc0000301: *val = pmu->global_ctrl; return !has_global(pmu);
	case 0xc0000302: *val = 0; return !has_global(pmu);
	}
	return true;
}

static bool read_pmu(const struct X86PMU *pmu, uint32_t msr, uint64_t *val)
{
	int i = counter_index(pmu, msr);

	if (i >= 0) {
		*val = pmu->c[i].value;
		return false;
	}
	i = sel_index(pmu, msr);
	if (i >= 0) {
		*val = pmu->evtsel[i];
		return false;
	}
	return pmu->f->amd ? read_amd(pmu, msr, val) : read_intel(pmu, msr, val);
}

static uint64_t read_own(const struct X86PMU *pmu, enum own reg)
{
	switch (reg) {
	case OWN_ID: return OWN_MAGIC | pmu->f->id;
	case OWN_INSNS: return pmu->insns;
	case OWN_BRANCHES: return pmu->branches;
	default: return pmu->own[reg];
	}
}

bool x86_pmu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val, bool *mine)
{
	struct X86PMU *pmu = env_archcpu(env)->pmu;
	bool fault;

	*mine = pmu && (is_own(msr) || (is_pmu(msr) && !(pmu->f->amd && msr == 0x1d9)) ||
			(!pmu->f->amd && msr == MSR_IA32_MISC_ENABLE));
	if (!*mine)
		return false;
	x86_pmu_fold(env);
	x86_pmu_set_deadline(env);
	if (msr == MSR_IA32_MISC_ENABLE) {
		/* There is a PMU; branch trace store and PEBS are unavailable. */
		*val = env->msr_ia32_misc_enable | BIT64(7) | BIT64(11) | BIT64(12);
		return false;
	}
	if (is_own(msr)) {
		*val = read_own(pmu, msr - OWN_FIRST);
		return false;
	}
	fault = read_pmu(pmu, msr, val);
	pmu->own[OWN_FAULTS] += fault;
	return fault;
}

/* The caller has checked CR4.PCE. */
bool x86_pmu_rdpmc(CPUX86State *env, uint32_t index, uint64_t *val)
{
	struct X86PMU *pmu = env_archcpu(env)->pmu;
	int i = -1;

	if (index < pmu->f->gp)
		i = index;
	else if (index >= BIT(30) && index - BIT(30) < pmu->f->fixed)
		i = GP_MAX + index - BIT(30);
	if (i < 0) {
		pmu->own[OWN_FAULTS]++;
		return true;
	}
	x86_pmu_fold(env);
	x86_pmu_set_deadline(env);
	*val = pmu->c[i].value;
	return false;
}
