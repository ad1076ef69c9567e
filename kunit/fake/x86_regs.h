/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces arch/x86/include/x86_regs.h through the search path, for kunit/fake_x86_*.c: the
 * register accesses go to the model of fake_x86.h, and the functions of the second copies of
 * arch/x86/ get other names. Any context.
 */
#ifndef HWPMC_FAKE_X86_REGS_H
#define HWPMC_FAKE_X86_REGS_H

/* Before the headers of arch/x86/, so that they declare the other names. */
#define x86_counter_map			fake_x86_counter_map
#define x86_counter_states		fake_x86_counter_states
#define x86_counter_init		fake_x86_counter_init
#define x86_counter_try_write		fake_x86_counter_try_write
#define x86_counter_refused		fake_x86_counter_refused
#define x86_counter_add_latent		fake_x86_counter_add_latent
#define x86_counter_program		fake_x86_counter_program
#define x86_counter_set_period		fake_x86_set_period
#define x86_counter_stop		fake_x86_counter_stop
#define x86_counter_clear		fake_x86_counter_clear
#define x86_counter_restart_unused	fake_x86_counter_restart_unused
#define x86_counter_restart_in		fake_x86_counter_restart_in
#define x86_counter_restart_fold	fake_x86_counter_restart_fold
#define x86_rows_up			fake_x86_rows_up
#define x86_rows_down			fake_x86_rows_down
#define x86_rows_in_programmable	fake_x86_rows_in_programmable
#define x86_rows_fold_programmable	fake_x86_rows_fold_programmable
#define x86_rows_in_fixed		fake_x86_rows_in_fixed
#define x86_rows_fold_fixed		fake_x86_rows_fold_fixed
#define x86_rows_overflowed_programmable	fake_x86_rows_overflowed_programmable
#define x86_rows_overflowed_fixed	fake_x86_rows_overflowed_fixed
#define x86_rows_stop			fake_x86_rows_stop
#define x86_rows_ack			fake_x86_rows_ack
#define x86_rows_wrapped		fake_x86_rows_wrapped
#define x86_rows_latent_nmis		fake_x86_rows_latent_nmis
#define x86_nehalem_workaround_apply	fake_x86_nehalem_workaround_apply
#define x86_pmi_init			fake_x86_pmi_init
#define x86_pmi_enable			fake_x86_pmi_enable
#define x86_pmi_disable			fake_x86_pmi_disable
#define x86_pmi_handle			fake_x86_pmi_handle

#include <linux/percpu.h>
#include <linux/string.h>

#include "../fake_x86.h"

/* The model is one CPU. */
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
	fake_x86_unmask_pmi();
}

static inline u32 x86_regs_claim_pmi(void)
{
	return fake_x86_claim_pmi();
}

static inline void x86_regs_restore_pmi(u32 before)
{
	fake_x86_restore_pmi(before);
}

static inline u64 x86_regs_clock(void)
{
	return fake_x86.now;
}

static inline unsigned long x86_regs_jiffies(void)
{
	return fake_x86.now;
}

#endif /* HWPMC_FAKE_X86_REGS_H */
