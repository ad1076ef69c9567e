/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_GENERIC_H
#define PMCTL_GENERIC_H

#include <stdint.h>

#include "event/hardware.h"

/* What an event counts, for metrics that are computed from two events. */
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
	KIND_LLC_LOADS,
	KIND_LLC_LOAD_MISSES,
	KIND_TSC,
	KIND_TASK_CLOCK,
	KIND_OFF_CPU,
};

#define GENERIC_CODES	2
/* A machine has IAF and IAP together, so up to two classes may count an event. */
#define GENERIC_CLASSES	4
#define GENERIC_NAMES	3

/**
 * struct generic_code - how one class counts a generic event
 * @class_id: which class
 * @count: how many numbers follow; the first that the CPU implements is used
 * @event: the numbers
 * @first_family: the first family of x86 CPUs for which this is valid
 * @last_family: the last such family; 0: no limit
 */
struct generic_code {
	unsigned int class_id;
	unsigned int count;
	uint64_t event[GENERIC_CODES];
	unsigned int first_family;
	unsigned int last_family;
};

/**
 * struct generic - an event with the same name on every CPU
 * @kind: what it counts
 * @name: perf's name
 * @other_name: perf's other name, or NULL
 * @brief: one line of description
 * @codes: for the classes that have it, the best first; ends with class 0
 */
struct generic {
	enum kind kind;
	const char *name;
	const char *other_name;
	const char *brief;
	struct generic_code codes[GENERIC_CLASSES + 1];
};

/**
 * struct generic_intel - how Intel's CPUs count an event whose number depends on the model
 * @kind: which event
 * @beside: an event that the CPU must have, too, by libpfm4's name; NULL: none
 * @names: libpfm4's names; the first that it has for the CPU is used; NULL ends them
 */
struct generic_intel {
	enum kind kind;
	const char *beside;
	const char *names[GENERIC_NAMES + 1];
};

extern const struct generic generic_events[];
extern const unsigned int generic_count;

const struct generic *generic_find(const char *name);
/* NULL: Intel's CPUs count such events by the codes of struct generic, or not at all. */
const struct generic_intel *generic_find_intel(enum kind kind);
/* Whether @code is valid for the family of the CPU. Does not check the class. */
int generic_counts(const struct generic_code *code, const struct hardware *hardware);
/* What event number @event of a class counts; KIND_OTHER if it is not generic. */
enum kind generic_kind(const struct hardware *hardware, unsigned int class_id, uint64_t event);

#endif
