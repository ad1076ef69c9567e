/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: what is done to the rows of the CPU one is on at every switch. See rows.c. */
#ifndef HWPMC_X86_SWITCH_H
#define HWPMC_X86_SWITCH_H

#include <linux/bitops.h>
#include <linux/compiler.h>

#ifdef HWPMC_FAKE_REGS
#include "../../kunit/fake_x86_regs.h"
#else
#include "regs.h"
#endif
#include "rows.h"

/* Of rows.c: how the counters are driven, and what is done where a top bit is missing. */
extern struct x86_layout x86_rows_layout;
void x86_rows_in_wrapped(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows);
void x86_rows_fold_wrapped(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows);

static __always_inline u64 x86_get_counter(enum x86_kind kind, unsigned long row)
{
	return x86_read_counter(kind == X86_FIXED ? X86_RDPMC_FIXED + row : row);
}

/* One RDPMC a row, and one look at the top bits of all. @rows are never none. */
static __always_inline void x86_switch_in(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows)
{
	u64 left = rows, tops = x86_rows_layout.span[kind].top;

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
	u64 left = rows, tops = x86_rows_layout.span[kind].top;

	do {
		unsigned long row = __ffs64(left);
		u64 now = x86_get_counter(kind, row);

		slots[row].sum += (now - slots[row].start) & x86_rows_layout.span[kind].mask;
		slots[row].start = now;
		tops &= now;
		left &= left - 1;
	} while (left);
	if (unlikely(!tops))
		x86_rows_fold_wrapped(slots, kind, rows);
}

static __always_inline void hwpmc_arch_in(hwpmc_switch_fn *in, struct hwpmc_slot *slots, u64 rows)
{
	if (likely(in == x86_programmable_in))
		x86_switch_in(slots, X86_PROGRAMMABLE, rows);
	else if (likely(in == x86_fixed_in))
		x86_switch_in(slots, X86_FIXED, rows);
	else
		in(slots, rows);
}

static __always_inline void hwpmc_arch_fold(hwpmc_switch_fn *fold, struct hwpmc_slot *slots,
					    u64 rows)
{
	if (likely(fold == x86_programmable_fold))
		x86_switch_fold(slots, X86_PROGRAMMABLE, rows);
	else if (likely(fold == x86_fixed_fold))
		x86_switch_fold(slots, X86_FIXED, rows);
	else
		fold(slots, rows);
}

#endif /* HWPMC_X86_SWITCH_H */
