// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nehalem and Westmere: errata AAK100, AAP53 and BD53. A programmable counter may count wrong
 * after its selection changes, unless all four counters first run from 0 with certain events.
 */
#include <linux/compiler.h>

#include <x86_regs.h>

#include "nehalem_workaround.h"

#define NEHALEM_PMC0		0x0c1
#define NEHALEM_PERFEVTSEL0	0x186
#define NEHALEM_GLOBAL_CTRL	0x38f

/* Enabled in user and kernel mode, without interrupt. */
static const u32 nehalem_events[NEHALEM_COUNTERS] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };

/*
 * The counters take 32 bits, sign-extended. Every value of a counter that counter.c starts and
 * restarts is the sign extension of its low 32 bits, so writing it back is exact.
 */
void x86_nehalem_workaround_apply(u64 select[NEHALEM_COUNTERS])
{
	u64 counter[NEHALEM_COUNTERS], kept[NEHALEM_COUNTERS];
	unsigned int i;

	for (i = 0; i < NEHALEM_COUNTERS; i++) {
		kept[i] = select[i];
		WRITE_ONCE(select[i], 0);
		counter[i] = x86_regs_rdpmc(i);
		x86_regs_write(NEHALEM_PERFEVTSEL0 + i, nehalem_events[i]);
		x86_regs_write(NEHALEM_PMC0 + i, 0);
	}
	x86_regs_write(NEHALEM_GLOBAL_CTRL, 0xf);
	x86_regs_write(NEHALEM_GLOBAL_CTRL, 0);
	for (i = 0; i < NEHALEM_COUNTERS; i++) {
		if (kept[i])
			x86_regs_write(NEHALEM_PMC0 + i, counter[i]);
		x86_regs_write(NEHALEM_PERFEVTSEL0 + i, kept[i]);
		WRITE_ONCE(select[i], kept[i]);
	}
}
