/* SPDX-License-Identifier: GPL-2.0-only */
/* Nehalem and Westmere: what a programmable counter needs before it counts right. */
#ifndef HWPMC_X86_NEHALEM_WORKAROUND_H
#define HWPMC_X86_NEHALEM_WORKAROUND_H

#include <linux/types.h>

#define NEHALEM_COUNTERS	4

/**
 * x86_nehalem_workaround_apply - run the errata's sequence on this CPU
 * @select: of each programmable counter, or 0 if it is not in use; they are 0
 *	meanwhile, so that an interrupt takes none for one that wrapped
 *
 * Counters in use have their selection and value afterwards, others no
 * selection and any value. Context: interrupts off, and the global control
 * register 0, as it is afterwards and after any interrupt.
 */
void x86_nehalem_workaround_apply(u64 select[NEHALEM_COUNTERS]);

#endif /* HWPMC_X86_NEHALEM_WORKAROUND_H */
