/* SPDX-License-Identifier: GPL-2.0-only */
/* Nehalem and Westmere: workaround for counters that count wrong after a new selection. */
#ifndef HWPMC_X86_NEHALEM_WORKAROUND_H
#define HWPMC_X86_NEHALEM_WORKAROUND_H

#include <linux/types.h>

#define NEHALEM_COUNTERS	4

/**
 * x86_nehalem_workaround_apply - run the sequence that the errata require on this CPU
 * @select: event select value of each programmable counter, or 0 if it is not programmed. All are
 *	0 during the sequence, so that an interrupt takes no counter for one that wrapped
 *
 * Programmed counters keep their selection and value; others have no selection and an
 * undefined value afterwards. Context: interrupts off. The global control register is 0, and
 * overflow interrupts leave it at 0.
 */
void x86_nehalem_workaround_apply(u64 select[NEHALEM_COUNTERS]);

#endif /* HWPMC_X86_NEHALEM_WORKAROUND_H */
