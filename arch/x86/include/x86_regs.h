/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: access to the PMU's registers. Files that KUnit tests (counter.c, rows.c, pmi.c,
 * nehalem_workaround.c) access hardware through this header only; KUnit replaces it by
 * kunit/fake/x86_regs.h, through the search path.
 *
 * The MSR accessors that take two halves have the same names in every kernel. Those that cannot
 * fail are without paravirtualization, since guests of Xen that need it have no PMU, and without
 * tracepoints: an overflow interrupt executes about six. The local APIC is
 * accessed through its driver's table: in newer kernels apic_write() is a static call, which
 * modules cannot use.
 */
#ifndef HWPMC_X86_REGS_H
#define HWPMC_X86_REGS_H

#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/timex.h>
#include <asm/apic.h>
#include <asm/msr.h>

/* Pointer to this CPU's instance of a per-CPU variable */
#define X86_REGS_THIS_CPU(variable)	this_cpu_ptr(&(variable))

/** x86_regs_rdpmc - read a counter by RDPMC */
static __always_inline u64 x86_regs_rdpmc(unsigned long rdpmc)
{
	unsigned long low, high;

	/* rdpmcl() also has a tracepoint, whose cost every switch would pay. */
	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (rdpmc));
	return low | high << 32;
}

/** x86_regs_read - read an MSR */
static inline u64 x86_regs_read(u32 msr)
{
	u32 low, high;

	native_rdmsr(msr, low, high);
	return low | (u64)high << 32;
}

/** x86_regs_write - write an MSR that accepts @value on every CPU that has it */
static inline void x86_regs_write(u32 msr, u64 value)
{
	native_wrmsr(msr, (u32)value, (u32)(value >> 32));
}

/** x86_regs_try_write - write an MSR; a nonzero result, not a fault, if the CPU refuses @value */
static inline int x86_regs_try_write(u32 msr, u64 value)
{
	return wrmsr_safe(msr, (u32)value, (u32)(value >> 32));
}

/**
 * x86_regs_unmask_pmi - unmask the overflow interrupt
 *
 * Its delivery masks it (SDM 3A, 11.5.1 "Local Vector Table").
 */
static inline void x86_regs_unmask_pmi(void)
{
	apic->write(APIC_LVTPC, APIC_DM_NMI);
}

/** x86_regs_claim_pmi - route the overflow interrupt to an NMI; returns the LVT entry before */
static inline u32 x86_regs_claim_pmi(void)
{
	u32 before = apic->read(APIC_LVTPC);

	apic->write(APIC_LVTPC, APIC_DM_NMI);
	return before;
}

/** x86_regs_restore_pmi - restore the LVT entry */
static inline void x86_regs_restore_pmi(u32 before)
{
	apic->write(APIC_LVTPC, before);
}

/** x86_regs_clock - as hwpmc_arch_clock() */
static __always_inline u64 x86_regs_clock(void)
{
	return get_cycles();
}

/** x86_regs_jiffies - current time in jiffies */
static inline unsigned long x86_regs_jiffies(void)
{
	return jiffies;
}

#endif /* HWPMC_X86_REGS_H */
