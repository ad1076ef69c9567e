/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_GENERIC_H
#define PMCTL_GENERIC_H

#include <stdint.h>

#include "event/hardware.h"

/* What an event is about, for the lines derived from two of them. */
enum kind {
	KIND_OTHER,
	KIND_CYCLES,
	KIND_INSTRUCTIONS,
	KIND_BRANCHES,
	KIND_BRANCH_MISSES,
	KIND_CACHE_REFERENCES,
	KIND_CACHE_MISSES,
	KIND_REF_CYCLES,
	KIND_STALLED_FRONTEND,
	KIND_STALLED_BACKEND,
	KIND_L1D_LOADS,
	KIND_L1D_LOAD_MISSES,
	KIND_L1I_LOADS,
	KIND_L1I_LOAD_MISSES,
	KIND_DTLB_LOADS,
	KIND_DTLB_LOAD_MISSES,
	KIND_ITLB_LOADS,
	KIND_ITLB_LOAD_MISSES,
	KIND_TSC,
	KIND_TASK_CLOCK,
};

#define GENERIC_CODES	2
/* IAF and IAP are there together; TSC, or another maker's or family's, is not one of two. */
#define GENERIC_CLASSES	4

/**
 * struct generic_code - how one class counts a generic event
 * @class_id: which class
 * @count: how many numbers follow; the first that the CPU implements is taken
 * @event: the numbers
 * @first_family: of the CPUs where it does, as x86 counts families
 * @last_family: likewise; 0: all that follow
 */
struct generic_code {
	unsigned int class_id;
	unsigned int count;
	uint64_t event[GENERIC_CODES];
	unsigned int first_family;
	unsigned int last_family;
};

/**
 * struct generic - an event by the name that it has on every CPU
 * @kind: what it is about
 * @name: perf's name
 * @other_name: perf's other name, or NULL
 * @brief: one line
 * @codes: for the classes that have it, the best first; ends with class 0
 */
struct generic {
	enum kind kind;
	const char *name;
	const char *other_name;
	const char *brief;
	struct generic_code codes[GENERIC_CLASSES + 1];
};

extern const struct generic generic_events[];
extern const unsigned int generic_count;

const struct generic *generic_find(const char *name);
/* Whether @code is for the CPU's family; of the class nothing is said. */
int generic_counts(const struct generic_code *code, const struct hardware *hardware);
/* What this number is in this class; KIND_OTHER if nothing generic. */
enum kind generic_kind(const struct hardware *hardware, unsigned int class_id, uint64_t event);

#endif
