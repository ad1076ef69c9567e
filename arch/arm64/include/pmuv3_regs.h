/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMUv3: access to its registers. pmuv3_rows.c accesses hardware through this header only; KUnit
 * replaces it by kunit/fake/pmuv3_regs.h, through the search path.
 */
#ifndef HWPMC_PMUV3_REGS_H
#define HWPMC_PMUV3_REGS_H

#include <linux/bits.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>

/* PMUV3_REGS_EACH_EVENT - X(n) for every event counter the architecture allows */
#define PMUV3_REGS_EACH_EVENT(X) \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) \
	X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) \
	X(24) X(25) X(26) X(27) X(28) X(29) X(30)

#define PMUV3_REGS_READ_CYCLES()	read_sysreg(pmccntr_el0)
#define PMUV3_REGS_READ_EVENT(n)	read_sysreg(pmevcntr##n##_el0)
#define PMUV3_REGS_WRITE_CYCLES(v)	write_sysreg((v), pmccntr_el0)
#define PMUV3_REGS_WRITE_EVENT(n, v)	write_sysreg((v), pmevcntr##n##_el0)

/** pmuv3_regs_write_counter - write PMCCNTR_EL0 or PMEVCNTR<n>_EL0 */
static inline void pmuv3_regs_write_counter(unsigned int row, u64 value)
{
	switch (row) {
#define PMUV3_CASE(n) case (n) + 1: write_sysreg(value, pmevcntr##n##_el0); break;
	PMUV3_REGS_EACH_EVENT(PMUV3_CASE)
#undef PMUV3_CASE
	default:
		write_sysreg(value, pmccntr_el0);
	}
}

/** pmuv3_regs_write_typer - write PMCCFILTR_EL0 or PMEVTYPER<n>_EL0 */
static inline void pmuv3_regs_write_typer(unsigned int row, u64 value)
{
	switch (row) {
#define PMUV3_CASE(n) case (n) + 1: write_sysreg(value, pmevtyper##n##_el0); break;
	PMUV3_REGS_EACH_EVENT(PMUV3_CASE)
#undef PMUV3_CASE
	default:
		/* PMCCFILTR_EL0 has no event field. */
		write_sysreg(value & ~0xffffULL, pmccfiltr_el0);
	}
}

#define PMUV3_WRITE(name, reg) \
	static inline void pmuv3_regs_write_##name(u64 v) { write_sysreg(v, reg); }
#define PMUV3_READ(name, reg) \
	static inline u64 pmuv3_regs_read_##name(void) { return read_sysreg(reg); }

PMUV3_WRITE(pmcntenset, pmcntenset_el0)
PMUV3_WRITE(pmcntenclr, pmcntenclr_el0)
PMUV3_WRITE(pmintenset, pmintenset_el1)
PMUV3_WRITE(pmintenclr, pmintenclr_el1)
PMUV3_WRITE(pmovsclr, pmovsclr_el0)
PMUV3_READ(pmovsclr, pmovsclr_el0)
PMUV3_WRITE(pmcr, pmcr_el0)
PMUV3_WRITE(pmuserenr, pmuserenr_el0)

/* ID_AA64DFR1_EL1.PMICNTR (Arm ARM, D19.2): not 0 with FEAT_PMUv3_ICNTR. */
#define PMUV3_DFR1_PMICNTR	GENMASK_ULL(39, 36)

/** pmuv3_regs_all - the bits of the masks that may exist on this CPU; others are reserved */
static inline u64 pmuv3_regs_all(void)
{
	return read_sysreg_s(SYS_ID_AA64DFR1_EL1) & PMUV3_DFR1_PMICNTR ? GENMASK_ULL(32, 0) :
									 GENMASK_ULL(31, 0);
}

/** pmuv3_regs_irq_is_nmi - as HWPMC_OVERFLOW_IS_NMI */
static __always_inline bool pmuv3_regs_irq_is_nmi(void)
{
	return system_uses_irq_prio_masking();
}

/** pmuv3_regs_isb - make earlier register accesses take effect before later ones */
static inline void pmuv3_regs_isb(void)
{
	isb();
}

#endif /* HWPMC_PMUV3_REGS_H */
