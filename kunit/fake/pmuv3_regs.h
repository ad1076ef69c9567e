/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces arch/arm64/include/pmuv3_regs.h through the search path, for kunit/fake_pmuv3_rows.c:
 * the register accesses go to the model of fake_pmuv3.h. Any context.
 */
#ifndef HWPMC_FAKE_PMUV3_REGS_H
#define HWPMC_FAKE_PMUV3_REGS_H

#include "../fake_pmuv3.h"

#define PMUV3_REGS_READ_CYCLES()	fake_read_counter(FAKE_CYCLES)
#define PMUV3_REGS_READ_EVENT(n)	fake_read_counter(n)
#define PMUV3_REGS_WRITE_CYCLES(v)	fake_set_counter(FAKE_CYCLES, (v))
#define PMUV3_REGS_WRITE_EVENT(n, v)	fake_set_counter(n, (v))

static inline void pmuv3_regs_write_counter(unsigned int row, u64 value)
{
	fake_write_counter(fake_place(row), value);
}

static inline void pmuv3_regs_write_typer(unsigned int row, u64 value)
{
	fake_write_typer(fake_place(row), value);
}

static inline void pmuv3_regs_write_pmcntenset(u64 mask)
{
	fake_write_enable(mask, true);
}

static inline void pmuv3_regs_write_pmcntenclr(u64 mask)
{
	fake_write_enable(mask, false);
}

static inline void pmuv3_regs_write_pmintenset(u64 mask)
{
	fake_write_interrupt(mask, true);
}

static inline void pmuv3_regs_write_pmintenclr(u64 mask)
{
	fake_write_interrupt(mask, false);
}

static inline void pmuv3_regs_write_pmovsclr(u64 mask)
{
	fake_clear_flags(mask);
}

static inline u64 pmuv3_regs_read_pmovsclr(void)
{
	return fake_read_flags();
}

static inline u64 pmuv3_regs_all(void)
{
	return GENMASK_ULL(fake_pmuv3.instructions ? 32 : 31, 0);
}

static inline bool pmuv3_regs_irq_is_nmi(void)
{
	return fake_pmuv3.nmi;
}

static inline void pmuv3_regs_write_pmcr(u64 value)
{
	fake_write_pmcr(value);
}

static inline void pmuv3_regs_write_pmuserenr(u64 value)
{
	fake_write_userenr(value);
}

static inline void pmuv3_regs_isb(void)
{
	fake_isb();
}

#endif /* HWPMC_FAKE_PMUV3_REGS_H */
