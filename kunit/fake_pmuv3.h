/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of one CPU's PMUv3 registers in memory, for suites hwpmc_pmuv3_*; pmuv3_rows.c is
 * compiled against it (kunit/fake/pmuv3_regs.h). Any context; there is one for the module.
 *
 * Each access is one step of time: running counters count, wraps set overflow flags, and
 * forbidden states fail the test. A write takes effect at once, but is marked as not
 * synchronised until the next ISB. The architecture lets such writes take effect later and in
 * any order, so an access that depends on one fails the test (Arm ARM, "Synchronization of
 * changes to System registers").
 */
#ifndef HWPMC_FAKE_PMUV3_H
#define HWPMC_FAKE_PMUV3_H

#include <kunit/test.h>
#include <linux/bits.h>

#include "../arch/arm64/pmuv3_event.h"

#define FAKE_COUNTERS	32
#define FAKE_CYCLES	31	/* bit of the cycle counter in the masks */
#define FAKE_ROWS	(~0U)	/* all possible rows: 31 event counters and the cycle counter */

/* PMCR_EL0 */
#define FAKE_PMCR_E	BIT(0)
#define FAKE_PMCR_P	BIT(1)
#define FAKE_PMCR_C	BIT(2)
#define FAKE_PMCR_LC	BIT(6)
#define FAKE_PMCR_LP	BIT(7)

enum fake_unsynced {
	FAKE_TYPER, FAKE_COUNTER, FAKE_ENABLE, FAKE_INTERRUPT, FAKE_FLAG, FAKE_UNSYNCED_COUNT
};

/* The state of counter fake_pmuv3.traced after one access. */
struct fake_state {
	bool enabled;
	bool interrupt;
	bool flag;
	u64 typer;
	u64 counter;
};

/**
 * struct fake_pmuv3 - the registers of one CPU
 * @test: the test that a forbidden access fails
 * @wide: FEAT_PMUv3p5: event counters are 64 bits wide
 * @nmi: the overflow interrupt is an NMI
 * @instructions: FEAT_PMUv3_ICNTR: the masks have bit 32
 * @counter: PMEVCNTR<n>_EL0, PMCCNTR_EL0; this and the arrays below by bit in the masks
 * @typer: PMEVTYPER<n>_EL0, or PMCCFILTR_EL0
 * @enabled: PMCNTENSET_EL0
 * @interrupts: PMINTENSET_EL1
 * @flags: PMOVSSET_EL0
 * @high: bit 32 of the registers of FAKE_ENABLE, FAKE_INTERRUPT and FAKE_FLAG
 * @pmcr: PMCR_EL0
 * @userenr: PMUSERENR_EL0
 * @unsynced: counters written since the last ISB, by kind of register
 * @pmcr_unsynced: PMCR_EL0 was written since the last ISB
 * @programmed: counters whose value was written since they stopped
 * @counters_read: a counter was read since the last ISB
 * @accesses: number of accesses
 * @writes: number of accesses that write
 * @isbs: number of ISBs
 * @step: events that each running counter counts at each access
 * @jump_at: number of the access at which they count @jump more events
 * @jump: events
 * @double_wrap: a counter wrapped again with its flag set, so no code can compute its sum
 * @total: events counted since fake_reset()
 * @at_read: @total when the counter was last read
 * @traced: counter whose state is recorded after each access
 * @states: the recorded states
 * @state_count: number of @states
 */
struct fake_pmuv3 {
	struct kunit *test;
	bool wide;
	bool nmi;
	bool instructions;
	u64 counter[FAKE_COUNTERS];
	u64 typer[FAKE_COUNTERS];
	u32 enabled;
	u32 interrupts;
	u32 flags;
	bool high[FAKE_UNSYNCED_COUNT];
	u64 pmcr;
	u64 userenr;
	u32 unsynced[FAKE_UNSYNCED_COUNT];
	bool pmcr_unsynced;
	u32 programmed;
	bool counters_read;
	unsigned int accesses;
	unsigned int writes;
	unsigned int isbs;
	u64 step;
	unsigned int jump_at;
	u64 jump;
	bool double_wrap;
	u64 total[FAKE_COUNTERS];
	u64 at_read[FAKE_COUNTERS];
	unsigned int traced;
	struct fake_state states[64];
	unsigned int state_count;
};

extern struct fake_pmuv3 fake_pmuv3;

/* Sets all registers to 0; event counters have 64 bits if @wide, else 32. */
void fake_reset(struct kunit *test, bool wide);

/* The bit of a row in the masks; not shared with the code under test, so that both must agree. */
static inline unsigned int fake_place(unsigned int row)
{
	return row == PMUV3_ROW_CYCLES ? FAKE_CYCLES : row - 1;
}

/* The register accesses, called by fake/pmuv3_regs.h */
u64 fake_read_counter(unsigned int place);
u64 fake_read_flags(void);
void fake_write_counter(unsigned int place, u64 value);
/* The same of a counter that may run meanwhile. */
void fake_set_counter(unsigned int place, u64 value);
void fake_write_typer(unsigned int place, u64 value);
void fake_write_enable(u64 mask, bool on);
void fake_write_interrupt(u64 mask, bool on);
void fake_clear_flags(u64 mask);
void fake_write_pmcr(u64 value);
void fake_write_userenr(u64 value);
void fake_isb(void);

/* The functions of arch/arm64/pmuv3_rows.c on these registers (kunit/fake_pmuv3_rows.c) */
void fake_rows_set_width(unsigned int width);
unsigned int fake_rows_width(unsigned int row);
void fake_rows_up(void);
void fake_rows_down(void);
void fake_rows_program(unsigned int row, u32 sel, u64 value);
u64 fake_rows_set_period(struct hwpmc_slot *slots, unsigned int row, u64 due, u64 put_off);
void fake_rows_stop(u64 rows);
void fake_rows_clear(unsigned int row);
void fake_rows_in(struct hwpmc_slot *slots, u64 rows);
void fake_rows_fold(struct hwpmc_slot *slots, u64 rows);
void fake_rows_fold_overflowed(struct hwpmc_slot *slots, u64 rows);
void fake_rows_ack(u64 rows);
void fake_rows_mask(u64 rows);
u64 fake_rows_overflowed(void);
void fake_rows_user_in(struct hwpmc_slot *slots, u64 rows);
u32 fake_rows_user_index(unsigned int row);

#endif /* HWPMC_FAKE_PMUV3_H */
