/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct hwpmc_class's in and fold as the switch calls them. Where a call through a
 * pointer costs more than what is called (x86: retpolines, return thunks) those of
 * the classes that most count on are inline.
 */
#ifndef HWPMC_ARCH_SWITCH_H
#define HWPMC_ARCH_SWITCH_H

#include "hwpmc_arch.h"

#ifdef CONFIG_X86
#include "x86/switch.h"
#else
static __always_inline void hwpmc_arch_in(hwpmc_switch_fn *in, struct hwpmc_slot *slots, u64 rows)
{
	in(slots, rows);
}

static __always_inline void hwpmc_arch_fold(hwpmc_switch_fn *fold, struct hwpmc_slot *slots,
					    u64 rows)
{
	fold(slots, rows);
}
#endif

#endif /* HWPMC_ARCH_SWITCH_H */
