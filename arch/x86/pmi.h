/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: the overflow NMI: find the overflowed counters, and determine whether the NMI belongs to
 * hwpmc.
 */
#ifndef HWPMC_X86_PMI_H
#define HWPMC_X86_PMI_H

#include "../hwpmc_arch.h"
#include "msr_map.h"

/**
 * x86_pmi_init - set what handles overflows
 * @ops: the core's functions
 * @classes: by enum x86_kind; NULL for a kind without rows
 *
 * Context: before x86_nmi_register().
 */
void x86_pmi_init(const struct hwpmc_overflow_ops *ops, const struct hwpmc_class *const *classes);

/**
 * x86_pmi_enable - accept overflow NMIs on this CPU, and route them by the local APIC
 *
 * Context: interrupts off, after x86_rows_up().
 */
void x86_pmi_enable(void);

/**
 * x86_pmi_disable - accept no more overflow NMIs on this CPU, and restore the local APIC's entry
 *
 * Context: interrupts off, after x86_rows_down().
 */
void x86_pmi_disable(void);

/**
 * x86_pmi_handle - handle an NMI
 * @type: not used
 * @regs: registers of the interrupted code
 *
 * Context: NMI. Return: number of events handled, as the kernel's NMI handlers return it; 0 if
 * the NMI is not ours.
 */
int x86_pmi_handle(unsigned int type, struct pt_regs *regs);

#endif /* HWPMC_X86_PMI_H */
