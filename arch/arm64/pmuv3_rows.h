/* SPDX-License-Identifier: GPL-2.0-only */
/* PMUv3: operations on the counters of this CPU. Interrupts are off. */
#ifndef HWPMC_PMUV3_ROWS_H
#define HWPMC_PMUV3_ROWS_H

#include <linux/bitops.h>

#include "../hwpmc_arch.h"

/**
 * pmuv3_rows_from_mask - the rows of a mask of the PMU
 * @mask: event counter N is bit N, the cycle counter bit 31
 *
 * The cycle counter is row 0. So a set of rows is a mask rotated by one bit. Context: any. Return:
 * a set of rows.
 */
static inline u64 pmuv3_rows_from_mask(u64 mask)
{
	return rol32((u32)mask, 1);
}

/**
 * pmuv3_rows_set_width - set the width of the event counters of this machine
 * @width: 64 if every CPU has FEAT_PMUv3p5, else 32
 *
 * Context: once, before any other function of this file.
 */
void pmuv3_rows_set_width(unsigned int width);

/** pmuv3_rows_up - stop all counters and enable the PMU, whatever its registers hold */
void pmuv3_rows_up(void);

/** pmuv3_rows_down - stop all counters and disable the PMU */
void pmuv3_rows_down(void);

/*
 * Operations of struct hwpmc_class: row_width, program, aim (set_period), park (stop), clear,
 * in, fold, wrapped (fold_overflowed), ack, mask, user_in. @sel is the value of the event type
 * register.
 */
unsigned int pmuv3_rows_width(unsigned int row);
void pmuv3_rows_program(unsigned int row, u32 sel, u64 value);
u64 pmuv3_rows_set_period(struct hwpmc_slot *slots, unsigned int row, u64 due, u64 put_off);
void pmuv3_rows_stop(u64 rows);
void pmuv3_rows_clear(unsigned int row);
void pmuv3_rows_in(struct hwpmc_slot *slots, u64 rows);
void pmuv3_rows_fold(struct hwpmc_slot *slots, u64 rows);
void pmuv3_rows_fold_overflowed(struct hwpmc_slot *slots, u64 rows);
void pmuv3_rows_ack(u64 rows);
void pmuv3_rows_mask(u64 rows);
void pmuv3_rows_user_in(struct hwpmc_slot *slots, u64 rows);

/* Operation user_index: 1 to 31 is PMEVCNTR<n - 1>_EL0, as perf's mapped page has it. */
#define PMUV3_USER_CYCLES	32
u32 pmuv3_rows_user_index(unsigned int row);

/** pmuv3_rows_overflowed - the set of rows whose overflow flag is set */
u64 pmuv3_rows_overflowed(void);

#endif /* HWPMC_PMUV3_ROWS_H */
