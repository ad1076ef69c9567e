/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Intel: differences between cores: the counters on which an event counts correctly, and
 * the extra registers that events need. Pure functions.
 *
 * SDM volume 4 (the registers of each model) and the event lists that Intel
 * publishes for each core.
 */
#ifndef HWPMC_INTEL_MODEL_H
#define HWPMC_INTEL_MODEL_H

#include <linux/bits.h>
#include <linux/types.h>

#define INTEL_CORE1	BIT(0)
#define INTEL_CORE2	BIT(1)
#define INTEL_NHM	BIT(2)
#define INTEL_WSM	BIT(3)
#define INTEL_SNB	BIT(4)
#define INTEL_SNB_EP	BIT(5)
#define INTEL_IVB	BIT(6)
#define INTEL_IVB_EP	BIT(7)
#define INTEL_HSW	BIT(8)
#define INTEL_BDW	BIT(9)
#define INTEL_SKL	BIT(10)
#define INTEL_ICL	BIT(11)
#define INTEL_GLC	BIT(12)	/* Golden Cove: Sapphire Rapids, Alder Lake P */
#define INTEL_SLM	BIT(13)
#define INTEL_GLM	BIT(14)
#define INTEL_TNT	BIT(15)
#define INTEL_GRT	BIT(16)	/* Gracemont: Alder Lake E */
#define INTEL_RWC	BIT(17)	/* Redwood Cove: Granite Rapids, Meteor Lake P */
#define INTEL_CMT	BIT(18)	/* Crestmont: Sierra Forest, Meteor Lake E */
/* Unknown cores; the small ones of a hybrid part differ from the big ones. */
#define INTEL_OTHER_ATOM BIT(30)
#define INTEL_OTHER	BIT(31)
#define INTEL_OTHERS	(INTEL_OTHER | INTEL_OTHER_ATOM)

/* Values of hwpmc_encoding.extra */
enum intel_extra {
	INTEL_EXTRA_NONE,
	INTEL_EXTRA_OFFCORE_0,
	INTEL_EXTRA_OFFCORE_1,
	INTEL_EXTRA_FRONTEND,
};

/**
 * struct intel_extra_reg - a register that an event needs besides its event select
 * @cores: set of cores that have it
 * @event: event and unit mask
 * @extra: enum intel_extra
 * @msr: its address
 * @valid: bits that may be set in it
 */
struct intel_extra_reg {
	u32 cores;
	u16 event;
	u16 extra;
	u32 msr;
	u64 valid;
};

/**
 * intel_model_cores - the core type of a CPU
 * @family: by CPUID leaf 1
 * @model: likewise
 * @type: bits 31-24 of CPUID leaf 1AH; 0 where that does not exist
 *
 * Return: one of INTEL_*; INTEL_OTHER or INTEL_OTHER_ATOM for an unknown one.
 */
u32 intel_model_cores(unsigned int family, unsigned int model, unsigned int type);

/**
 * intel_model_rows - programmable counters on which an event counts correctly
 * @cores: set of cores; the result holds for all of them
 * @event: event and unit mask of an event that is not architectural
 *
 * Return: set of counters.
 */
u64 intel_model_rows(u32 cores, u16 event);

/**
 * intel_model_needs_pebs - whether an event counts nothing without precise sampling
 * @cores: set of cores; whether it holds for one of them
 * @event: event and unit mask
 */
bool intel_model_needs_pebs(u32 cores, u16 event);

/**
 * intel_model_corrupts_sibling - whether an event makes the core's other thread count wrong
 * @cores: set of cores; whether it holds for one of them
 * @event: event and unit mask
 */
bool intel_model_corrupts_sibling(u32 cores, u16 event);

/**
 * intel_model_extra - the extra register that an event needs
 * @cores: set of cores; with more than one, no event has an extra register
 * @event: event and unit mask
 *
 * Return: the register, or NULL.
 */
const struct intel_extra_reg *intel_model_extra(u32 cores, u16 event);

#endif /* HWPMC_INTEL_MODEL_H */
