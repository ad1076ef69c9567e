/* SPDX-License-Identifier: GPL-2.0-only */
/* PMUv3: what is done to the rows of the CPU one is on, interrupts off. */
#ifndef HWPMC_PMUV3_ROWS_H
#define HWPMC_PMUV3_ROWS_H

#include "../hwpmc_arch.h"

/**
 * pmuv3_rows_set_width - how wide the event counters of this machine are
 * @width: 32, or 64 when every CPU has FEAT_PMUv3p5
 */
void pmuv3_rows_set_width(unsigned int width);

/* struct hwpmc_machine's cpu_up and cpu_down */
void pmuv3_rows_up(void);
void pmuv3_rows_down(void);

/* struct hwpmc_class's operations of the same names */
unsigned int pmuv3_rows_width(unsigned int row);
void pmuv3_rows_program(unsigned int row, u32 sel, u64 value);
u64 pmuv3_rows_set_period(struct hwpmc_slot *slots, unsigned int row, u64 due);
void pmuv3_rows_stop(u64 rows);
void pmuv3_rows_clear(unsigned int row);
void pmuv3_rows_in(struct hwpmc_slot *slots, u64 rows);
void pmuv3_rows_fold(struct hwpmc_slot *slots, u64 rows);
void pmuv3_rows_fold_overflowed(struct hwpmc_slot *slots, u64 rows);
void pmuv3_rows_ack(u64 rows);

/** pmuv3_rows_overflowed - the rows whose overflow flag is up */
u64 pmuv3_rows_overflowed(void);

#endif /* HWPMC_PMUV3_ROWS_H */
