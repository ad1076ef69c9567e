// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMUv3: operations on the counters of this CPU. Called through class ARMV8 by the core, with
 * interrupts off.
 *
 * Counters run free. At schedule in, the context's slot stores the counter's value; at schedule
 * out, the difference is added to its sum. A 32-bit counter that wraps in between sets its flag
 * in PMOVSCLR_EL0. Whatever reads the flag first, the interrupt or the next fold, clears it and
 * adds 2^width once. So every sum is exact, and a switch writes no register unless a counter
 * wrapped.
 */
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/minmax.h>

#include <pmuv3_regs.h>

#include "pmuv3_event.h"
#include "pmuv3_rows.h"

/* PMCR_EL0 (Arm ARM, D19.5) */
#define PMCR_E	BIT(0)		/* enable */
#define PMCR_P	BIT(1)		/* reset event counters */
#define PMCR_C	BIT(2)		/* reset the cycle counter */
#define PMCR_LC	BIT(6)		/* 64-bit cycle counter */
#define PMCR_LP	BIT(7)		/* 64-bit event counters */

/* PMUSERENR_EL0 (Arm ARM, D19.5) */
#define PMUSERENR_CR	BIT(2)		/* user mode may read the cycle counter */
#define PMUSERENR_ER	BIT(3)		/* and the event counters */

static unsigned int pmuv3_event_width __read_mostly = 32;
/* Events that a wrap of an event counter stands for, modulo 2^64 */
static u64 pmuv3_event_wrap __read_mostly = BIT_ULL(32);
/* Value that pmuv3_rows_user_in() sets event counters to */
static u64 pmuv3_user_start __read_mostly = BIT_ULL(31);

void pmuv3_rows_set_width(unsigned int width)
{
	pmuv3_event_width = width;
	pmuv3_event_wrap = width < 64 ? BIT_ULL(width) : 0;
	pmuv3_user_start = BIT_ULL(width - 1);
}

unsigned int pmuv3_rows_width(unsigned int row)
{
	return row == PMUV3_ROW_CYCLES ? 64 : pmuv3_event_width;
}

/* The opposite of pmuv3_rows_from_mask(). */
static u32 pmuv3_rows_to_mask(u64 rows)
{
	return ror32((u32)rows, 1);
}

/*
 * One test and one read for each row, without a loop or a jump table, since every switch does
 * it. The core allocates the lowest free row, so high rows are rarely in use.
 */
#define PMUV3_EACH_ROW(rows, DO) do {					\
	if ((rows) & BIT_ULL(PMUV3_ROW_CYCLES))				\
		DO(PMUV3_ROW_CYCLES, PMUV3_REGS_READ_CYCLES());		\
	DO##_EVENT(0) DO##_EVENT(1) DO##_EVENT(2)			\
	if (!((rows) >> 4))						\
		break;							\
	DO##_EVENT(3) DO##_EVENT(4) DO##_EVENT(5)			\
	if (!((rows) >> 7))						\
		break;							\
	DO##_EVENT(6) DO##_EVENT(7) DO##_EVENT(8) DO##_EVENT(9)		\
	DO##_EVENT(10) DO##_EVENT(11) DO##_EVENT(12) DO##_EVENT(13)	\
	DO##_EVENT(14) DO##_EVENT(15) DO##_EVENT(16) DO##_EVENT(17)	\
	DO##_EVENT(18) DO##_EVENT(19) DO##_EVENT(20) DO##_EVENT(21)	\
	DO##_EVENT(22) DO##_EVENT(23) DO##_EVENT(24) DO##_EVENT(25)	\
	DO##_EVENT(26) DO##_EVENT(27) DO##_EVENT(28) DO##_EVENT(29)	\
	DO##_EVENT(30)							\
} while (0)

#define PMUV3_START(row, now)	(slots[row].start = (now))
#define PMUV3_START_EVENT(n)						\
	if (rows & BIT_ULL((n) + 1))					\
		PMUV3_START((n) + 1, PMUV3_REGS_READ_EVENT(n));

#define PMUV3_FOLD(row, now)	pmuv3_slot_fold(&slots[row], (now))
#define PMUV3_FOLD_EVENT(n)						\
	if (rows & BIT_ULL((n) + 1))					\
		PMUV3_FOLD((n) + 1, PMUV3_REGS_READ_EVENT(n));

/* Fold of rows that wrapped: @wrap events are added, but none for the cycle counter's 2^64. */
#define PMUV3_WRAPPED(row, now)	pmuv3_slot_fold(&slots[row], (now))
#define PMUV3_WRAPPED_EVENT(n)						\
	if (rows & BIT_ULL((n) + 1)) {					\
		slots[(n) + 1].sum += wrap;				\
		PMUV3_FOLD((n) + 1, PMUV3_REGS_READ_EVENT(n));		\
	}

#define PMUV3_RESET(row, unused) do {					\
	PMUV3_REGS_WRITE_CYCLES(BIT_ULL(63));				\
	slots[row].start = BIT_ULL(63);					\
} while (0)
#define PMUV3_RESET_EVENT(n)						\
	if (rows & BIT_ULL((n) + 1)) {					\
		PMUV3_REGS_WRITE_EVENT(n, start);			\
		slots[(n) + 1].start = start;				\
	}

static __always_inline void pmuv3_slot_fold(struct hwpmc_slot *slot, u64 now)
{
	slot->sum += now - slot->start;
	slot->start = now;
}

static void pmuv3_read_starts(struct hwpmc_slot *slots, u64 rows)
{
	PMUV3_EACH_ROW(rows, PMUV3_START);
}

u64 pmuv3_rows_overflowed(void)
{
	return pmuv3_rows_from_mask(pmuv3_regs_read_pmovsclr());
}

void pmuv3_rows_ack(u64 rows)
{
	pmuv3_regs_write_pmovsclr(pmuv3_rows_to_mask(rows));
	/* The flags must be clear before a counter is read again. */
	pmuv3_regs_isb();
	/* pmuv3_rows_mask() may have disabled them. */
	if (pmuv3_regs_irq_is_nmi())
		pmuv3_regs_write_pmintenset(pmuv3_rows_to_mask(rows));
}

/* While a flag is set and its interrupt enabled, the NMI occurs again when its handler ends. */
void pmuv3_rows_mask(u64 rows)
{
	pmuv3_regs_write_pmintenclr(pmuv3_rows_to_mask(rows));
	pmuv3_regs_isb();
}

/*
 * The rows of @rows whose overflow flag is set. The caller has read the counters; the barrier
 * orders these reads before the read of the flags.
 */
static __always_inline u64 pmuv3_rows_flagged(u64 rows)
{
	pmuv3_regs_isb();
	return rows & pmuv3_rows_overflowed();
}

static noinline void pmuv3_restart(struct hwpmc_slot *slots, u64 rows)
{
	do {
		pmuv3_rows_ack(rows);
		pmuv3_read_starts(slots, rows);
		rows = pmuv3_rows_flagged(rows);
	} while (rows);
}

void pmuv3_rows_in(struct hwpmc_slot *slots, u64 rows)
{
	PMUV3_EACH_ROW(rows, PMUV3_START);
	rows = pmuv3_rows_flagged(rows);
	/* Clear wraps from before this context was scheduled in: they are not its own. */
	if (unlikely(rows))
		pmuv3_restart(slots, rows);
}

/* noinline: a switch that does not need this makes no call, and so no stack frame. */
static noinline void pmuv3_user_ack(u64 rows)
{
	pmuv3_rows_ack(rows);
}

/*
 * The counters need not be stopped: no code of user mode runs here, and no counter wraps within
 * half of its range.
 */
void pmuv3_rows_user_in(struct hwpmc_slot *slots, u64 rows)
{
	u64 start = pmuv3_user_start;

	PMUV3_EACH_ROW(rows, PMUV3_RESET);
	/* Not before: until here the counters had the counts of other threads. */
	pmuv3_regs_write_pmuserenr(PMUSERENR_ER | PMUSERENR_CR);
	rows = pmuv3_rows_flagged(rows);
	if (unlikely(rows))
		pmuv3_user_ack(rows);
}

u32 pmuv3_rows_user_index(unsigned int row)
{
	return row == PMUV3_ROW_CYCLES ? PMUV3_USER_CYCLES : row;
}

/*
 * Each flag is one wrap since the slot's start, before or after the last read of the counter:
 * 2^width is added to the sum now, and the next read corrects the difference. All arithmetic is
 * modulo 2^64.
 */
noinline void pmuv3_rows_fold_overflowed(struct hwpmc_slot *slots, u64 rows)
{
	u64 wrap = pmuv3_event_wrap;

	do {
		pmuv3_rows_ack(rows);
		PMUV3_EACH_ROW(rows, PMUV3_WRAPPED);
		rows = pmuv3_rows_flagged(rows);
	} while (rows);
}

void pmuv3_rows_fold(struct hwpmc_slot *slots, u64 rows)
{
	PMUV3_EACH_ROW(rows, PMUV3_FOLD);
	rows = pmuv3_rows_flagged(rows);
	if (unlikely(rows))
		pmuv3_rows_fold_overflowed(slots, rows);
}

static void pmuv3_disable(u32 mask)
{
	pmuv3_regs_write_pmcntenclr(mask);
	pmuv3_regs_write_pmintenclr(mask);
	pmuv3_regs_isb();
	pmuv3_regs_write_pmovsclr(mask);
	pmuv3_regs_isb();
}

void pmuv3_rows_clear(unsigned int row)
{
	pmuv3_disable(pmuv3_rows_to_mask(BIT_ULL(row)));
	pmuv3_regs_write_counter(row, 0);
	pmuv3_regs_isb();
}

void pmuv3_rows_program(unsigned int row, u32 sel, u64 value)
{
	u32 mask = pmuv3_rows_to_mask(BIT_ULL(row));
	unsigned int width = pmuv3_rows_width(row);

	if (width < 64)
		value &= BIT_ULL(width) - 1;

	pmuv3_disable(mask);
	pmuv3_regs_write_typer(row, sel);
	pmuv3_regs_write_counter(row, value);
	pmuv3_regs_write_pmintenset(mask);
	/* Take effect before the counter runs: Arm ARM, "Synchronization of changes". */
	pmuv3_regs_isb();
	pmuv3_regs_write_pmcntenset(mask);
	pmuv3_regs_isb();
}

void pmuv3_rows_stop(u64 rows)
{
	pmuv3_regs_write_pmcntenclr(pmuv3_rows_to_mask(rows));
	pmuv3_regs_isb();
}

/* The counter is stopped from the fold to the write, so no event is lost. */
u64 pmuv3_rows_set_period(struct hwpmc_slot *slots, unsigned int row, u64 due, u64 put_off)
{
	u32 mask = pmuv3_rows_to_mask(BIT_ULL(row));
	unsigned int width = pmuv3_rows_width(row);
	u64 left, most = BIT_ULL(width - 1);

	pmuv3_regs_write_pmcntenclr(mask);
	pmuv3_regs_isb();
	pmuv3_rows_fold(slots, BIT_ULL(row));
	left = min(hwpmc_aim_left(slots[row].sum, due, put_off), most);
	slots[row].start = width < 64 ? BIT_ULL(width) - left : -left;
	pmuv3_regs_write_counter(row, slots[row].start);
	pmuv3_regs_write_pmintenset(mask);
	pmuv3_regs_isb();
	pmuv3_regs_write_pmcntenset(mask);
	pmuv3_regs_isb();
	return left;
}

/*
 * Also the counter that is no row: its state is unknown after a reset, and it raises the same
 * interrupt.
 */
static void pmuv3_rows_reset(void)
{
	u64 all = pmuv3_regs_all();

	pmuv3_regs_write_pmcntenclr(all);
	pmuv3_regs_write_pmintenclr(all);
	pmuv3_regs_isb();
	pmuv3_regs_write_pmovsclr(all);
}

void pmuv3_rows_up(void)
{
	u64 pmcr = PMCR_E | PMCR_LC | PMCR_P | PMCR_C;

	if (pmuv3_event_width == 64)
		pmcr |= PMCR_LP;
	pmuv3_rows_reset();
	pmuv3_regs_write_pmuserenr(0);
	pmuv3_regs_write_pmcr(pmcr);
	pmuv3_regs_isb();
}

void pmuv3_rows_down(void)
{
	pmuv3_rows_reset();
	pmuv3_regs_write_pmcr(PMCR_LC);
	pmuv3_regs_isb();
}
