/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The emulated PMU of x86, as its three parts see it. README.md has what it emulates.
 *
 *	x86_pmu_cpu.c	the flavours, CPUID, set-up and reset
 *	x86_pmu_msr.c	the registers: WRMSR, RDMSR and RDPMC
 *	x86_pmu_count.c	counting, overflows and the interrupt
 *
 * cpu.h declares the functions that the rest of QEMU calls.
 */
#ifndef X86_PMU_H
#define X86_PMU_H

#include "cpu.h"

#define GP_MAX		8
#define FIXED_MAX	4
#define COUNTERS	(GP_MAX + FIXED_MAX)	/* fixed ones from GP_MAX on */
#define BIT64(n)	(UINT64_C(1) << (n))

/* Event selection registers of both vendors. */
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

/* Registers of the emulation, where no processor has any. */
#define OWN_FIRST	0x4000f000
enum own {
	OWN_ID,			/* read-only: the flavour */
	OWN_WRMSR_PMU,		/* WRMSRs of the PMU's registers */
	OWN_WRMSR,		/* WRMSRs of all registers except these */
	OWN_WRMSR_OTHER,	/* of registers that neither the PMU has nor Linux usually writes */
	OWN_LAST_OTHER,		/* the last register of those */
	OWN_FAULTS,		/* #GP raised by the PMU's registers and by RDPMC */
	OWN_PMIS,		/* interrupts delivered */
	OWN_PMIS_MASKED,	/* interrupts lost because LVTPC was masked */
	OWN_SYNTH_KERNEL,	/* writing N: N synthetic events in kernel mode */
	OWN_SYNTH_USER,		/* writing N: N synthetic events as if in user mode */
	OWN_INSNS,		/* read-only: instructions executed by this CPU */
	OWN_BRANCHES,		/* read-only: near branches executed by this CPU */
	OWN_WRMSR_V6,		/* WRMSRs at the addresses of Intel's version 6 */
	OWN_COUNT
};

struct flavour {
	const char *name;
	const char *vendor;
	uint8_t family, model, stepping;
	bool amd;
	uint8_t version;	/* Intel: architectural; AMD: 0 legacy, 1 core, 2 with global registers */
	uint8_t gp, fixed, width;
	uint8_t id;		/* what OWN_ID returns for it */
};

struct counter {
	uint64_t value;
	/* What an instruction and a branch add by the present settings; 0 while it is off. */
	int per_insn, per_branch;
	bool synth;		/* counts synthetic events */
	bool user, kernel, pmi;
};

struct X86PMU {
	const struct flavour *f;
	struct counter c[COUNTERS];
	uint64_t evtsel[GP_MAX];
	uint64_t fixed_ctrl, global_ctrl, status, debugctl;
	int64_t insns;		/* CPUState.insns at the last fold */
	uint64_t branches;	/* CPUX86State.branches at the last fold */
	bool user;		/* CPL > 0 since the last fold */
	bool guest;		/* between VMRUN and #VMEXIT */
	bool pmi;		/* an interrupt is due before the next instruction */
	uint64_t own[OWN_COUNT];
};

static inline uint64_t counter_mask(const struct X86PMU *pmu)
{
	return BIT64(pmu->f->width) - 1;
}

/* The counter's bit in the global control and status registers. */
static inline uint64_t global_bit(int i)
{
	return i < GP_MAX ? BIT64(i) : BIT64(32 + i - GP_MAX);
}

static inline uint64_t all_counters(const struct X86PMU *pmu)
{
	return (BIT64(pmu->f->gp) - 1) | (BIT64(pmu->f->fixed) - 1) << 32;
}

static inline bool has_global(const struct X86PMU *pmu)
{
	return pmu->f->version >= 2;
}

static inline bool exists(const struct X86PMU *pmu, int i)
{
	return i < GP_MAX ? i < pmu->f->gp : i - GP_MAX < pmu->f->fixed;
}

/* Adds to the counters what was executed since the last fold. Call it before a setting changes. */
void x86_pmu_fold(CPUX86State *env);

/* Derives from the registers what each counter counts. Call it after a register changed. */
void x86_pmu_configure(CPUX86State *env);

/* Sets the instruction at which the next counter may overflow. Call it after a fold. */
void x86_pmu_set_deadline(CPUX86State *env);

/* Counts @n synthetic events in user or kernel mode. */
void x86_pmu_synthesize(struct X86PMU *pmu, bool user, uint64_t n);

/* CPUState.insns_reached: the deadline was reached, between two instructions. */
void x86_pmu_reached(CPUState *cs);

#endif
