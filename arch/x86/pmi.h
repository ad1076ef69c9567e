/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: what an overflow interrupt finds, and whose it is. */
#ifndef HWPMC_X86_PMI_H
#define HWPMC_X86_PMI_H

#include "../hwpmc_arch.h"
#include "msr_map.h"

/** x86_pmi_init - whom to tell: @classes by enum x86_kind, NULL where there is none */
void x86_pmi_init(hwpmc_overflow_fn overflow, const struct hwpmc_class *const *classes);

/*
 * On this CPU, interrupts off: NMIs may be ours, and the local APIC's entry is; or it is as
 * it was before. Rows are up; or down already.
 */
void x86_pmi_enable(void);
void x86_pmi_disable(void);

/**
 * x86_pmi_handle - an NMI came
 * @regs: what it interrupted
 *
 * Context: NMI. Return: how many overflows of ours it was, 0 if it was not ours.
 */
int x86_pmi_handle(struct pt_regs *regs);

#endif /* HWPMC_X86_PMI_H */
