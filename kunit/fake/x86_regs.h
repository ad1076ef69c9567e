/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In place of arch/x86/include/x86_regs.h, by search path: the same names, on memory; others
 * for what uses them.
 */
#ifndef HWPMC_FAKE_X86_REGS_H
#define HWPMC_FAKE_X86_REGS_H

/* First, so that the headers of arch/x86/ declare the other names. */
#define x86_counter_map			fake_x86_counter_map
#define x86_counter_states		fake_x86_counter_states
#define x86_counter_init		fake_x86_rows_init
#define x86_counter_try_write		fake_x86_counter_try_write
#define x86_counter_refused		fake_x86_rows_refused
#define x86_counter_add_latent		fake_x86_counter_add_latent
#define x86_counter_program		fake_x86_rows_program
#define x86_counter_set_period		fake_x86_rows_aim
#define x86_counter_stop		fake_x86_counter_stop
#define x86_counter_clear		fake_x86_rows_clear
#define x86_counter_restart_unused	fake_x86_counter_restart_unused
#define x86_counter_restart_in		fake_x86_counter_restart_in
#define x86_counter_restart_fold	fake_x86_counter_restart_fold
#define x86_rows_up			fake_x86_rows_up
#define x86_rows_down			fake_x86_rows_down
#define x86_rows_in_programmable	fake_x86_programmable_in
#define x86_rows_fold_programmable	fake_x86_programmable_fold
#define x86_rows_in_fixed		fake_x86_fixed_in
#define x86_rows_fold_fixed		fake_x86_fixed_fold
#define x86_rows_fold_overflowed	fake_x86_rows_sum
#define x86_rows_stop			fake_x86_rows_park
#define x86_rows_ack			fake_x86_rows_ack
#define x86_rows_freeze			fake_x86_rows_freeze
#define x86_rows_unfreeze		fake_x86_rows_unfreeze
#define x86_rows_overflowed		fake_x86_rows_overflowed
#define x86_rows_wrapped		fake_x86_rows_wrapped
#define x86_rows_latent_nmis		fake_x86_rows_late
#define x86_nehalem_workaround_apply	fake_x86_nehalem_settle
#define x86_pmi_init			fake_x86_pmi_init
#define x86_pmi_enable			fake_x86_pmi_on
#define x86_pmi_disable			fake_x86_pmi_off
#define x86_pmi_handle			fake_x86_pmi_serve

#include <linux/percpu.h>
#include <linux/string.h>

#include "../fake_x86.h"

/* There is one CPU only. */
#define X86_REGS_THIS_CPU(variable)	per_cpu_ptr(&(variable), 0)

static inline u64 x86_regs_rdpmc(u32 rdpmc)
{
	return fake_x86_rdpmc(rdpmc);
}

static inline u64 x86_regs_read(u32 msr)
{
	return fake_x86_read(msr);
}

static inline void x86_regs_write(u32 msr, u64 value)
{
	fake_x86_write(msr, value);
}

static inline int x86_regs_try_write(u32 msr, u64 value)
{
	return fake_x86_write(msr, value);
}

static inline void x86_regs_unmask_pmi(void)
{
	fake_x86_unmask();
}

static inline u32 x86_regs_claim_pmi(void)
{
	return fake_x86_take_pmi();
}

static inline void x86_regs_restore_pmi(u32 before)
{
	fake_x86_give_pmi(before);
}

static inline unsigned long x86_regs_jiffies(void)
{
	return fake_x86.now;
}

#endif /* HWPMC_FAKE_X86_REGS_H */
