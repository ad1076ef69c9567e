// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMU for QEMU's x86, of the flavour that the CPU property "hwpmc" names.
 *
 * Counts are functions of two numbers that the translated code keeps exactly for
 * each CPU: instructions (CPUState.insns) and near branches (CPUX86State.branches).
 * Whatever changes who counts (a write of an MSR, a change of CPL) first folds
 * what went by into the counters. The next overflow is a number of instructions
 * as well, after which the CPU is stopped exactly (CPUState.insns_deadline).
 *
 * A write of an MSR counts by the old settings, and an instruction that changes
 * CPL by the CPL at its start. See README.md for what is emulated.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/main-loop.h"
#include "qom/object.h"
#include "cpu.h"
#include "hw/i386/apic.h"

#define GP_MAX		8
#define FIXED_MAX	4
#define COUNTERS	(GP_MAX + FIXED_MAX)	/* fixed ones from GP_MAX on */
#define BIT64(n)	(UINT64_C(1) << (n))

/* Event selection, of both vendors. */
#define SEL_USR		BIT64(16)
#define SEL_OS		BIT64(17)
#define SEL_EDGE	BIT64(18)
#define SEL_INT		BIT64(20)
#define SEL_ANY		BIT64(21)
#define SEL_EN		BIT64(22)
#define SEL_INV		BIT64(23)
#define SEL_UMASK2	(UINT64_C(0xff) << 40)	/* Intel's version 6 */
#define SEL_GUEST	BIT64(40)
#define SEL_HOST	BIT64(41)
#define SEL_AMD		UINT64_C(0x30fffd7ffff)

#define FIXED_USR	2
#define FIXED_OS	1
#define FIXED_ANY	4
#define FIXED_PMI	8

#define CTR_FRZ		BIT64(59)
#define DEBUGCTL_FRZ	BIT64(12)
#define DEBUGCTL_OK	UINT64_C(0xffc3)

enum event { EV_NONE, EV_INSNS, EV_CYCLES, EV_REF, EV_SLOTS, EV_BRANCHES, EV_SYNTH };

/* Core cycles are two for each instruction, so that none is taken for the other. */
#define CYCLES_PER_INSN	2
#define SLOTS_PER_INSN	8

#define EVENT_SYNTH	0x15a

/* Registers of our own, in the range that no processor will ever have. */
#define OWN_FIRST	0x4000f000
enum own {
	OWN_ID,			/* read-only */
	OWN_WRMSR_PMU,		/* WRMSRs of the PMU's registers */
	OWN_WRMSR,		/* all of them, but for these here */
	OWN_WRMSR_OTHER,	/* of registers that are neither the PMU's nor Linux's habit */
	OWN_LAST_OTHER,		/* the last of those */
	OWN_FAULTS,		/* #GP raised by the PMU's registers and RDPMC */
	OWN_PMIS,		/* interrupts delivered */
	OWN_PMIS_MASKED,	/* ... and those that LVTPC's mask bit swallowed */
	OWN_SYNTH_KERNEL,	/* writing n: n synthetic events, in kernel mode */
	OWN_SYNTH_USER,		/* ... as if in user mode */
	OWN_INSNS,		/* read-only: executed by this CPU */
	OWN_BRANCHES,		/* read-only */
	OWN_WRMSR_V6,		/* WRMSRs at the addresses that came with Intel's version 6 */
	OWN_COUNT
};
#define OWN_MAGIC	UINT64_C(0x68777000)	/* "hwp", and the flavour's number */

struct flavour {
	const char *name;
	const char *vendor;
	uint8_t family, model, stepping;
	bool amd;
	uint8_t version;	/* Intel: architectural; AMD: 0 legacy, 1 core, 2 with global control */
	uint8_t gp, fixed, width;
};

static const struct flavour flavours[] = {
	{ "intel-v2", CPUID_VENDOR_INTEL, 6, 6, 3, false, 2, 4, 3, 40 },
	{ "intel-v5", CPUID_VENDOR_INTEL, 6, 6, 3, false, 5, 8, 4, 48 },
	{ "amd-legacy", CPUID_VENDOR_AMD, 0xf, 0x6b, 2, true, 0, 4, 0, 48 },
	{ "amd-core", CPUID_VENDOR_AMD, 0x15, 0x10, 1, true, 1, 6, 0, 48 },
	{ "amd-v2", CPUID_VENDOR_AMD, 0x19, 0x11, 1, true, 2, 6, 0, 48 },
	{ "intel-v6", CPUID_VENDOR_INTEL, 6, 6, 3, false, 6, 8, 4, 48 },
};

struct counter {
	uint64_t value;
	/* What an instruction and a branch add, by the present settings; 0 if it is off. */
	int per_insn, per_branch;
	bool synth;
	bool user, kernel, pmi;
};

struct X86PMU {
	const struct flavour *f;
	struct counter c[COUNTERS];
	uint64_t evtsel[GP_MAX];
	uint64_t fixed_ctrl, global_ctrl, status, debugctl;
	int64_t insns;		/* as of the last fold */
	uint64_t branches;
	bool user;		/* CPL > 0 since then */
	bool guest;		/* between VMRUN and #VMEXIT */
	bool pmi;		/* to be delivered before the next instruction */
	uint64_t own[OWN_COUNT];
};

static uint64_t counter_mask(const struct X86PMU *pmu)
{
	return BIT64(pmu->f->width) - 1;
}

/* The counter's bit in the global registers. */
static uint64_t global_bit(int i)
{
	return i < GP_MAX ? BIT64(i) : BIT64(32 + i - GP_MAX);
}

static uint64_t all_counters(const struct X86PMU *pmu)
{
	return (BIT64(pmu->f->gp) - 1) | (BIT64(pmu->f->fixed) - 1) << 32;
}

static bool has_global(const struct X86PMU *pmu)
{
	return pmu->f->version >= 2;
}

static bool exists(const struct X86PMU *pmu, int i)
{
	return i < GP_MAX ? i < pmu->f->gp : i - GP_MAX < pmu->f->fixed;
}

/* --- counting */

static void add(struct X86PMU *pmu, int i, int64_t n)
{
	struct counter *c = &pmu->c[i];

	c->value += n;
	if (!(c->value >> pmu->f->width))
		return;
	c->value &= counter_mask(pmu);
	if (has_global(pmu))
		pmu->status |= global_bit(i);
	pmu->pmi |= c->pmi;
}

static bool counts(const struct counter *c, bool user)
{
	return user ? c->user : c->kernel;
}

static void fold(CPUX86State *env)
{
	struct X86PMU *pmu = env_archcpu(env)->pmu;
	int64_t insns = env_cpu(env)->insns - pmu->insns;
	int64_t branches = env->branches - pmu->branches;
	int i;

	for (i = 0; i < COUNTERS; i++) {
		const struct counter *c = &pmu->c[i];

		if (counts(c, pmu->user))
			add(pmu, i, c->per_insn * insns + c->per_branch * branches);
	}
	pmu->insns += insns;
	pmu->branches += branches;
}

/*
 * When to look again. A branch is an instruction, too: as many instructions as
 * are left cannot overshoot, and may have to be followed by some more.
 */
static void set_deadline(CPUX86State *env)
{
	struct X86PMU *pmu = env_archcpu(env)->pmu;
	int64_t left = INT64_MAX - pmu->insns;
	int i;

	for (i = 0; i < COUNTERS; i++) {
		const struct counter *c = &pmu->c[i];
		int most = c->per_insn + MAX(c->per_branch, 0);

		if (counts(c, pmu->user) && most)
			left = MIN(left, DIV_ROUND_UP(BIT64(pmu->f->width) - c->value, most));
	}
	env_cpu(env)->insns_deadline = pmu->pmi ? pmu->insns : pmu->insns + left;
}

static void deliver(X86CPU *cpu)
{
	struct X86PMU *pmu = cpu->pmu;

	pmu->pmi = false;
	qemu_mutex_lock_iothread();
	if (cpu->apic_state && apic_deliver_pmi(cpu->apic_state, !pmu->f->amd))
		pmu->own[OWN_PMIS]++;
	else
		pmu->own[OWN_PMIS_MASKED]++;
	qemu_mutex_unlock_iothread();
}

static enum event intel_event(uint64_t sel)
{
	switch ((sel & 0xffff) | (sel & SEL_UMASK2) >> 24) {
	case 0x00c0: return EV_INSNS;
	case 0x003c: return EV_CYCLES;
	case 0x013c: return EV_REF;
	case 0x01a4: return EV_SLOTS;
	case 0x00c4: return EV_BRANCHES;
	case 0x100c4: return EV_INSNS;
	case EVENT_SYNTH: return EV_SYNTH;
	}
	return EV_NONE;
}

static enum event amd_event(uint64_t sel)
{
	switch ((sel & 0xffff) | (sel >> 32 & 0xf) << 16) {
	case 0x00c0: return EV_INSNS;
	case 0x0076: return EV_CYCLES;
	case 0x00c2: return EV_BRANCHES;
	case EVENT_SYNTH: return EV_SYNTH;
	}
	return EV_NONE;
}

/*
 * Without a threshold, what happens. With one, cycles in which as many happen:
 * a cycle has at most one of them (four slots), and every second an instruction.
 */
static void set_rate(struct counter *c, enum event event, uint64_t sel)
{
	static const int most[] = {
		[EV_INSNS] = 1, [EV_CYCLES] = 1, [EV_REF] = 1, [EV_BRANCHES] = 1,
		[EV_SLOTS] = SLOTS_PER_INSN / CYCLES_PER_INSN,
	};
	unsigned int threshold = sel >> 24 & 0xff;
	bool always, never;

	c->per_insn = c->per_branch = 0;
	c->synth = event == EV_SYNTH;
	if (event == EV_NONE || event == EV_SYNTH)
		return;
	if (!threshold && (sel & SEL_EDGE))
		threshold = 1;
	never = threshold > most[event];
	always = !never && (event == EV_CYCLES || event == EV_SLOTS);

	if (!threshold) {
		c->per_insn = event == EV_SLOTS ? SLOTS_PER_INSN :
			      event == EV_CYCLES ? CYCLES_PER_INSN : event != EV_BRANCHES;
		c->per_branch = event == EV_BRANCHES;
		return;
	}
	if (never || always) {
		if (!(sel & SEL_EDGE) && always == !(sel & SEL_INV))
			c->per_insn = CYCLES_PER_INSN;
		return;
	}
	c->per_insn = event != EV_BRANCHES;
	c->per_branch = event == EV_BRANCHES;
	if ((sel & SEL_INV) && !(sel & SEL_EDGE)) {
		c->per_insn = CYCLES_PER_INSN - c->per_insn;
		c->per_branch = -c->per_branch;
	}
}

/* A write of the synthetic event's register is one cycle; no other is looked at. */
static void synthesize(struct X86PMU *pmu, bool user, uint64_t n)
{
	int i;

	n = MIN(n, counter_mask(pmu) >> 1);
	for (i = 0; i < pmu->f->gp; i++) {
		uint64_t sel = pmu->evtsel[i], threshold = sel >> 24 & 0xff;

		if (!pmu->c[i].synth || !counts(&pmu->c[i], user))
			continue;
		if (!threshold && !(sel & SEL_EDGE))
			add(pmu, i, n);
		else
			add(pmu, i, (n >= MAX(threshold, 1)) == !(sel & SEL_INV));
	}
}

/* Guests only or the host only, as long as there may be guests. */
static bool is_of_others(const CPUX86State *env, uint64_t sel)
{
	uint64_t whose = sel & (SEL_GUEST | SEL_HOST);

	if (!(env->efer & MSR_EFER_SVME) || (whose != SEL_GUEST && whose != SEL_HOST))
		return false;
	return (whose == SEL_GUEST) != !!(env->hflags & HF_GUEST_MASK);
}

/* From the registers to what counts. */
static void configure(CPUX86State *env)
{
	struct X86PMU *pmu = env_archcpu(env)->pmu;
	int i;

	for (i = 0; i < COUNTERS; i++) {
		static const enum event fixed[] = { EV_INSNS, EV_CYCLES, EV_REF, EV_SLOTS };
		struct counter *c = &pmu->c[i];
		uint64_t sel = 0;
		bool on = exists(pmu, i);

		if (i < GP_MAX) {
			sel = pmu->evtsel[i];
			on = on && (sel & SEL_EN);
			c->user = sel & SEL_USR;
			c->kernel = sel & SEL_OS;
			c->pmi = sel & SEL_INT;
			set_rate(c, pmu->f->amd ? amd_event(sel) : intel_event(sel), sel);
		} else {
			unsigned int ctrl = pmu->fixed_ctrl >> 4 * (i - GP_MAX);

			c->user = ctrl & FIXED_USR;
			c->kernel = ctrl & FIXED_OS;
			c->pmi = ctrl & FIXED_PMI;
			set_rate(c, fixed[i - GP_MAX], 0);
		}
		if (has_global(pmu) && !(pmu->global_ctrl & global_bit(i)))
			on = false;
		if (pmu->status & CTR_FRZ)
			on = false;
		if (pmu->f->amd && is_of_others(env, sel))
			on = false;
		c->user &= on;
		c->kernel &= on;
	}
	set_deadline(env);
}

static void freeze(struct X86PMU *pmu)
{
	if (pmu->f->amd || !(pmu->debugctl & DEBUGCTL_FRZ))
		return;
	if (pmu->f->version >= 4)
		pmu->status |= CTR_FRZ;
	else
		pmu->global_ctrl = 0;
}

/* The deadline: between two instructions. */
static void reached(CPUState *cs)
{
	X86CPU *cpu = X86_CPU(cs);

	fold(&cpu->env);
	if (cpu->pmu->pmi) {
		deliver(cpu);
		freeze(cpu->pmu);
		configure(&cpu->env);
	}
	set_deadline(&cpu->env);
}

/* VMRUN and #VMEXIT come by, too: they load SS. */
void x86_pmu_set_cpl(CPUX86State *env, int cpl)
{
	struct X86PMU *pmu = env_archcpu(env)->pmu;
	bool guest = env->hflags & HF_GUEST_MASK;

	if (!pmu || (pmu->user == !!cpl && pmu->guest == guest))
		return;
	fold(env);
	pmu->user = cpl;
	if (pmu->guest != guest) {
		pmu->guest = guest;
		configure(env);
	}
	set_deadline(env);
}

/* --- registers; each function returns whether to raise #GP */

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

/* The counter behind an event selection or counter register, or -1. */
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

/* Registers of any PMU: those of another flavour fault. */
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

/* What Linux writes in the course of things, switches of tasks among them. */
static bool is_habit(uint32_t msr)
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
	case 0x4b564d00 ... 0x4b564d08:	/* KVM's clock and friends */
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
		/* Its reserved bits ignore writes. */
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
		if (val & ~DEBUGCTL_OK)
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
		/* Two conditions more that never happen here, but are there on every machine. */
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
	/* What is reserved or read-only ignores writes. */
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
		synthesize(pmu, reg == OWN_SYNTH_USER, val);
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

	/* AMD's other register of that name is not part of its PMU. */
	*mine = pmu && (is_own(msr) || (is_pmu(msr) && !(pmu->f->amd && msr == 0x1d9)));
	if (!pmu)
		return false;
	if (!is_own(msr))
		pmu->own[OWN_WRMSR]++;
	if (!*mine) {
		if (!is_habit(msr) && msr != 0x1d9) {
			pmu->own[OWN_WRMSR_OTHER]++;
			pmu->own[OWN_LAST_OTHER] = msr;
		}
		return false;
	}

	fold(env);
	if (is_own(msr)) {
		fault = write_own(pmu, msr - OWN_FIRST, val);
	} else {
		fault = write_pmu(pmu, msr, val);
		pmu->own[OWN_WRMSR_PMU]++;
		pmu->own[OWN_WRMSR_V6] += is_v6(msr);
		pmu->own[OWN_FAULTS] += fault;
	}
	configure(env);
	return fault;
}

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
	case OWN_ID: return OWN_MAGIC | (pmu->f - flavours);
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
	fold(env);
	set_deadline(env);
	if (msr == MSR_IA32_MISC_ENABLE) {
		/* A PMU there is, branch trace store and PEBS not. */
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

/* CR4.PCE is the caller's affair. */
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
	fold(env);
	set_deadline(env);
	*val = pmu->c[i].value;
	return false;
}

/* --- the CPU */

/* That there is leaf 23H; there, that unit masks have an extension, and the bitmaps of counters. */
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
			*ecx |= BIT(15);	/* PDCM: there is IA32_PERF_CAPABILITIES */
		break;
	case 0xa:
		*eax = f->version | f->gp << 8 | f->width << 16 | (v5 ? 8 : 7) << 24;
		/* Not there: the last level cache's references and misses, mispredictions. */
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

/* What counts WRMSRs and the like goes on: it is the test's, not the machine's. */
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
	configure(&cpu->env);
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
	CPU(cpu)->insns_reached = reached;
	return true;
}
