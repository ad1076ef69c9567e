/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: the registers themselves. KUnit puts a register file of its own in the
 * place of this header (kunit/fake/x86_regs.h), so everything that rows.c and
 * pmi.c do to the hardware goes through these names.
 *
 * The forms with two halves are those that have the same names in every kernel. The
 * APIC's driver is called through its table: apic_write() is a static call in newer
 * kernels, which modules cannot reach.
 */
#ifndef HWPMC_X86_REGS_H
#define HWPMC_X86_REGS_H

#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <asm/apic.h>
#include <asm/msr.h>

/* A variable of the CPU one is on. */
#define X86_REGS_THIS_CPU(variable)	this_cpu_ptr(&(variable))

static __always_inline u64 x86_regs_rdpmc(unsigned long rdpmc)
{
	unsigned long low, high;

	/* native_read_pmc() has a tracepoint besides, which costs every switch. */
	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (rdpmc));
	return low | high << 32;
}

static inline u64 x86_regs_read(u32 msr)
{
	u32 low, high;

	rdmsr(msr, low, high);
	return low | (u64)high << 32;
}

/* Of a register that takes @value on every CPU of its kind. */
static inline void x86_regs_write(u32 msr, u64 value)
{
	wrmsr(msr, (u32)value, (u32)(value >> 32));
}

/* Of one that might not: an error then, not a fault. */
static inline int x86_regs_try_write(u32 msr, u64 value)
{
	return wrmsr_safe(msr, (u32)value, (u32)(value >> 32));
}

/* The interrupt masks itself when it comes (SDM 3A, 11.5.1 "Local Vector Table"). */
static inline void x86_regs_unmask_pmi(void)
{
	apic->write(APIC_LVTPC, APIC_DM_NMI);
}

/* The entry as it was; from now on what comes is an NMI. */
static inline u32 x86_regs_claim_pmi(void)
{
	u32 before = apic->read(APIC_LVTPC);

	apic->write(APIC_LVTPC, APIC_DM_NMI);
	return before;
}

static inline void x86_regs_restore_pmi(u32 before)
{
	apic->write(APIC_LVTPC, before);
}

static inline unsigned long x86_regs_jiffies(void)
{
	return jiffies;
}

#endif /* HWPMC_X86_REGS_H */
