/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMUv3: encode an event as the value of its event type register. Pure function.
 *
 * Arm ARM (DDI 0487), chapter D13 "The Performance Monitors Extension", and
 * the register descriptions in D19.5 (PMEVTYPER<n>_EL0, PMCCFILTR_EL0).
 */
#ifndef HWPMC_PMUV3_EVENT_H
#define HWPMC_PMUV3_EVENT_H

#include <linux/bits.h>

#include "../hwpmc_arch.h"
#include "pmuv3_id.h"

/* Row 0 of the class is the cycle counter; row N + 1 is event counter N. */
#define PMUV3_ROW_CYCLES	0
#define PMUV3_MAX_ROWS		32

#define PMUV3_EVENT_SW_INCR	0x00
#define PMUV3_EVENT_CPU_CYCLES	0x11
#define PMUV3_EVENT_CHAIN	0x1e

#define PMUV3_TYPER_NSH		BIT(27)	/* counts at EL2 */
#define PMUV3_TYPER_U		BIT(30)	/* does not count at EL0 */
#define PMUV3_TYPER_P		BIT(31)	/* does not count at EL1 */

/**
 * pmuv3_event_encode - class ARMV8: encode a request
 * @id: the CPU, or what several have in common
 * @req: the request
 * @enc: out
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP with @enc->why set.
 */
int pmuv3_event_encode(const struct pmuv3_id *id, const struct hwpmc_request *req,
		       struct hwpmc_encoding *enc);

#endif /* HWPMC_PMUV3_EVENT_H */
