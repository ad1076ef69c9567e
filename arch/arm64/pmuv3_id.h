/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMUv3: the identification of a CPU's PMU. Pure functions.
 *
 * Arm ARM (DDI 0487), D19.2 (ID_AA64DFR0_EL1, MIDR_EL1) and D19.5 (PMCR_EL0, PMCEID<n>_EL0).
 */
#ifndef HWPMC_PMUV3_ID_H
#define HWPMC_PMUV3_ID_H

#include <linux/types.h>

#define PMUV3_MIDR_MODEL	0xff0ffff0	/* MIDR_EL1 without variant and revision */

/* ID_AA64DFR0_EL1.PMUVer */
#define PMUV3_VER_NONE		0x0
#define PMUV3_VER_V8_1		0x4	/* 16-bit event numbers */
#define PMUV3_VER_V8_5		0x6	/* 64-bit event counters */
#define PMUV3_VER_IMPDEF	0xf

/**
 * struct pmuv3_id - the PMU of one CPU, or what several have in common
 * @midr: MIDR_EL1; 0 if the CPU was not identified yet
 * @version: ID_AA64DFR0_EL1.PMUVer
 * @events: PMCR_EL0.N, the number of event counters
 * @ceid: PMCEID0_EL0 and PMCEID1_EL0
 * @el2: the kernel runs at EL2
 * @smt: the core has several threads
 * @mixed: the CPUs are of several kinds
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

/** pmuv3_id_usable - whether the CPU has a PMUv3 */
bool pmuv3_id_usable(const struct pmuv3_id *id);

/** pmuv3_id_width - width of the event counters in bits: 32 or 64 */
unsigned int pmuv3_id_width(const struct pmuv3_id *id);

/**
 * pmuv3_id_intersect - reduce what several CPUs have in common by one more CPU
 * @all: of the CPUs before; zeroed if @one is the first
 * @one: of the CPU to add
 */
void pmuv3_id_intersect(struct pmuv3_id *all, const struct pmuv3_id *one);

/**
 * pmuv3_id_fits - whether a CPU has everything that PMCs of tasks may use
 * @all: what the CPUs have in common
 * @one: of the CPU
 */
bool pmuv3_id_fits(const struct pmuv3_id *all, const struct pmuv3_id *one);

#endif /* HWPMC_PMUV3_ID_H */
