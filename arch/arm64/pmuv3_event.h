/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMUv3: from an event to the value of its type register. Pure.
 *
 * Arm ARM (DDI 0487), chapter D13 "The Performance Monitors Extension", and
 * the register descriptions in D19.5 (PMEVTYPER<n>_EL0, PMCCFILTR_EL0).
 */
#ifndef HWPMC_PMUV3_EVENT_H
#define HWPMC_PMUV3_EVENT_H

#include <linux/bits.h>

#include "../hwpmc_arch.h"

/* Class row 0 is the cycle counter; row N + 1 is event counter N. */
#define PMUV3_ROW_CYCLES	0
#define PMUV3_MAX_ROWS		32

#define PMUV3_EVENT_SW_INCR	0x00
#define PMUV3_EVENT_CPU_CYCLES	0x11
#define PMUV3_EVENT_CHAIN	0x1e

#define PMUV3_TYPER_NSH		BIT(27)	/* counts at EL2 */
#define PMUV3_TYPER_U		BIT(30)	/* does not count at EL0 */
#define PMUV3_TYPER_P		BIT(31)	/* does not count at EL1 */

#define PMUV3_MIDR_MODEL	0xff0ffff0	/* MIDR_EL1 without variant and revision */

/* ID_AA64DFR0_EL1.PMUVer */
#define PMUV3_VER_NONE		0x0
#define PMUV3_VER_V8_1		0x4	/* 16-bit event numbers */
#define PMUV3_VER_V8_5		0x6	/* 64-bit event counters */
#define PMUV3_VER_IMPDEF	0xf

/**
 * struct pmuv3_id - one CPU's PMU, or what several have in common
 * @midr: MIDR_EL1; 0 when the CPU was not seen yet
 * @version: ID_AA64DFR0_EL1.PMUVer
 * @events: PMCR_EL0.N, the number of event counters
 * @ceid: PMCEID0_EL0 and PMCEID1_EL0
 * @el2: whether the kernel itself runs at EL2
 * @smt: whether its core has other threads
 * @mixed: these are CPUs of several kinds
 */
struct pmuv3_id {
	u64 midr;
	unsigned int version;
	unsigned int events;
	u64 ceid[2];
	bool el2;
	bool smt;
	bool mixed;
};

/** pmuv3_id_usable - whether @id is that of a PMUv3 */
bool pmuv3_id_usable(const struct pmuv3_id *id);

/** pmuv3_id_width - of the event counters of @id, in bits: 32 or 64 */
unsigned int pmuv3_id_width(const struct pmuv3_id *id);

/** pmuv3_id_intersect - narrow @all down to what @one can do as well */
void pmuv3_id_intersect(struct pmuv3_id *all, const struct pmuv3_id *one);

/** pmuv3_id_fits - whether @one has everything that @all promises */
bool pmuv3_id_fits(const struct pmuv3_id *all, const struct pmuv3_id *one);

/**
 * pmuv3_event_encode - the type register's value for a request
 * @id: where it is to count
 * @req: the request
 * @enc: out
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP with @enc->why set.
 */
int pmuv3_event_encode(const struct pmuv3_id *id, const struct hwpmc_request *req,
		 struct hwpmc_encoding *enc);

#endif /* HWPMC_PMUV3_EVENT_H */
