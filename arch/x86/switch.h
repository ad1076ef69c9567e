/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: what is done to the rows of the CPU one is on at every switch. See rows.c. */
#ifndef HWPMC_X86_SWITCH_H
#define HWPMC_X86_SWITCH_H

#include <linux/bitops.h>
#include <linux/compiler.h>

#include <x86_regs.h>

#include "rows.h"

/* Of rows.c: how the counters are driven, and what is done where a top bit is missing. */
extern struct x86_msr_map x86_rows_map;
void x86_rows_in_wrapped(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows);
void x86_rows_fold_wrapped(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows);

static __always_inline u64 x86_get_counter(enum x86_kind kind, unsigned long row)
{
	return x86_regs_rdpmc(kind == X86_FIXED ? X86_RDPMC_FIXED + row : row);
}

/* One RDPMC a row, and one look at the top bits of all. @rows are never none. */
static __always_inline void x86_switch_in(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows)
{
	u64 left = rows, tops = x86_rows_map.span[kind].top;

	do {
		unsigned long row = __ffs64(left);

		slots[row].start = x86_get_counter(kind, row);
		tops &= slots[row].start;
		left &= left - 1;
	} while (left);
	if (unlikely(!tops))
		x86_rows_in_wrapped(slots, kind, rows);
}

static __always_inline void x86_switch_fold(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows)
{
	u64 left = rows, tops = x86_rows_map.span[kind].top;

	do {
		unsigned long row = __ffs64(left);
		u64 now = x86_get_counter(kind, row);

		slots[row].sum += (now - slots[row].start) & x86_rows_map.span[kind].mask;
		slots[row].start = now;
		tops &= now;
		left &= left - 1;
	} while (left);
	if (unlikely(!tops))
		x86_rows_fold_wrapped(slots, kind, rows);
}

#endif /* HWPMC_X86_SWITCH_H */
