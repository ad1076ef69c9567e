/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMUv3's registers as memory. Every access is one step of time: counters that
 * run go on, wraps raise flags, and what must never be seen is looked for.
 *
 * A write takes effect at once here, but it is remembered as not synchronised
 * until the next ISB: what the architecture lets take effect later, in any
 * order, is refused where the order matters (Arm ARM, "Synchronization of
 * changes to System registers").
 */
#ifndef HWPMC_FAKE_PMUV3_H
#define HWPMC_FAKE_PMUV3_H

#include <kunit/test.h>
#include <linux/bits.h>

#include "../arch/arm64/pmuv3_event.h"

#define FAKE_COUNTERS	32
#define FAKE_CYCLES	31	/* the cycle counter's place in the masks */
#define FAKE_ROWS	(~0U)	/* every row there can be: 31 event counters and cycles */

/* PMCR_EL0 */
#define FAKE_PMCR_E	BIT(0)
#define FAKE_PMCR_P	BIT(1)
#define FAKE_PMCR_C	BIT(2)
#define FAKE_PMCR_LC	BIT(6)
#define FAKE_PMCR_LP	BIT(7)

enum fake_unsynced {
	FAKE_TYPER, FAKE_COUNTER, FAKE_ENABLE, FAKE_INTERRUPT, FAKE_FLAG, FAKE_UNSYNCED_COUNT
};

/* The state of fake_pmuv3.watched after one access. */
struct fake_moment {
	bool enabled;
	bool interrupt;
	bool flag;
	u64 typer;
	u64 counter;
};

/**
 * struct fake_pmuv3 - one CPU's
 * @test: to complain to
 * @wide: it has FEAT_PMUv3p5: event counters are 64 bits wide
 * @counter: by place in the masks, as all below
 * @typer: PMEVTYPER<n>_EL0, or PMCCFILTR_EL0
 * @enabled: PMCNTENSET_EL0
 * @interrupts: PMINTENSET_EL1
 * @flags: PMOVSSET_EL0
 * @pmcr: PMCR_EL0
 * @userenr: PMUSERENR_EL0
 * @unsynced: counters written since the last ISB, by kind of register
 * @pmcr_unsynced: likewise
 * @programmed: counters whose typer and value were written since they stopped
 * @counters_read: a counter was read since the last ISB
 * @accesses: so far
 * @writes: of these
 * @isbs: barriers so far
 * @step: events of every counter that runs, at each access
 * @jump_at: at this access...
 * @jump: ...so many more
 * @lost: a counter wrapped twice without anybody looking: no sum can be right
 * @total: events that were counted since the registers were made
 * @at_read: @total when the counter was last read
 * @watched: whose every state is kept
 * @moments: these
 * @moment_count: how many
 */
struct fake_pmuv3 {
	struct kunit *test;
	bool wide;
	u64 counter[FAKE_COUNTERS];
	u64 typer[FAKE_COUNTERS];
	u32 enabled;
	u32 interrupts;
	u32 flags;
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
	bool lost;
	u64 total[FAKE_COUNTERS];
	u64 at_read[FAKE_COUNTERS];
	unsigned int watched;
	struct fake_moment moments[64];
	unsigned int moment_count;
};

extern struct fake_pmuv3 fake_pmuv3;

/* New registers: all 0, nothing runs; counters of @wide or of 32 bits. */
void fake_reset(struct kunit *test, bool wide);

/* Where a row is in the masks: said here once more, not taken from the code under test. */
static inline unsigned int fake_place(unsigned int row)
{
	return row == PMUV3_ROW_CYCLES ? FAKE_CYCLES : row - 1;
}

/* What fake/pmuv3_regs.h makes of the register accesses */
u64 fake_read_counter(unsigned int place);
u64 fake_read_flags(void);
void fake_write_counter(unsigned int place, u64 value);
void fake_write_typer(unsigned int place, u64 value);
void fake_write_enable(u32 mask, bool on);
void fake_write_interrupt(u32 mask, bool on);
void fake_clear_flags(u32 mask);
void fake_write_pmcr(u64 value);
void fake_write_userenr(u64 value);
void fake_isb(void);

/* arch/arm64/pmuv3_rows.c, on these registers (kunit/fake_pmuv3_rows.c) */
void fake_rows_set_width(unsigned int width);
unsigned int fake_rows_width(unsigned int row);
void fake_rows_up(void);
void fake_rows_down(void);
void fake_rows_program(unsigned int row, u32 sel, u64 value);
u64 fake_rows_aim(struct hwpmc_slot *slots, unsigned int row, u64 due);
void fake_rows_park(u64 rows);
void fake_rows_clear(unsigned int row);
void fake_rows_in(struct hwpmc_slot *slots, u64 rows);
void fake_rows_fold(struct hwpmc_slot *slots, u64 rows);
void fake_rows_wrapped(struct hwpmc_slot *slots, u64 rows);
void fake_rows_ack(u64 rows);
u64 fake_rows_overflowed(void);

#endif /* HWPMC_FAKE_PMUV3_H */
