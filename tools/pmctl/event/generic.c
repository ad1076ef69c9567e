// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event numbers: the architected events of PMUv3 (Arm ARM, D13.11), Intel's
 * architectural events (SDM vol. 3, 20.2.1), AMD's core events (PPR, 2.1.14; of
 * families before 17h: BKDG, "Performance Counter Events"; caches: as Linux counts them).
 * Software events are enum hwpmc_soft_event.
 * A fixed counter (IAF) is preferred to a programmable one that counts the same.
 */
#include <string.h>
#include <strings.h>
#include <linux/hwpmc.h>

#include "event/generic.h"

#define K8	0x0f
#define ZEN	0x17

#define ARMV8(number)		{ HWPMC_CLASS_ARMV8, 1, { number }, 0, 0 }
#define ARMV8_OR(first, second)	{ HWPMC_CLASS_ARMV8, 2, { first, second }, 0, 0 }
#define IAF(counter)		{ HWPMC_CLASS_IAF, 1, { counter }, 0, 0 }
#define IAP(number)		{ HWPMC_CLASS_IAP, 1, { number }, 0, 0 }
#define AMD(number)		{ HWPMC_CLASS_AMD, 1, { number }, 0, 0 }
#define AMD_OLD(number)		{ HWPMC_CLASS_AMD, 1, { number }, K8, ZEN - 1 }
#define AMD_ZEN(number)		{ HWPMC_CLASS_AMD, 1, { number }, ZEN, 0 }
#define TSC			{ HWPMC_CLASS_TSC, 1, { 0 }, 0, 0 }
#define SOFT(number)		{ HWPMC_CLASS_SOFT, 1, { number }, 0, 0 }

const struct generic generic_events[] = {
	{ KIND_CYCLES, "cycles", "cpu-cycles", "cycles the CPU was running",
	  { ARMV8(0x11), IAF(1), IAP(0x3c), AMD(0x76) } },
	{ KIND_INSTRUCTIONS, "instructions", NULL, "instructions retired",
	  { ARMV8(0x08), IAF(0), IAP(0xc0), AMD(0xc0) } },
	{ KIND_BRANCHES, "branches", "branch-instructions", "branch instructions retired",
	  { ARMV8_OR(0x21, 0x0c), IAP(0xc4), AMD(0xc2) } },
	{ KIND_BRANCH_MISSES, "branch-misses", NULL, "branches that were predicted wrong",
	  { ARMV8(0x10), IAP(0xc5), AMD(0xc3) } },
	{ KIND_CACHE_REFERENCES, "cache-references", NULL,
	  "cache accesses (arm64: level 1 data; Intel: last level; AMD: level 2)",
	  { ARMV8(0x04), IAP(0x4f2e), AMD_OLD(0x077d), AMD_ZEN(0xff60) } },
	{ KIND_CACHE_MISSES, "cache-misses", NULL,
	  "cache misses (arm64: level 1 data; Intel: last level; AMD: level 2)",
	  { ARMV8(0x03), IAP(0x412e), AMD_OLD(0x077e), AMD_ZEN(0x0964) } },
	{ KIND_REF_CYCLES, "ref-cycles", NULL,
	  "cycles at a rate that does not scale with the clock",
	  { ARMV8(0x4004), IAF(2), IAP(0x013c) } },
	{ KIND_OTHER, "bus-cycles", NULL, "bus cycles", { ARMV8(0x1d), IAP(0x013c) } },
	{ KIND_STALLED_FRONTEND, "stalled-cycles-frontend", "idle-cycles-frontend",
	  "cycles without work from the front end", { ARMV8(0x23) } },
	{ KIND_STALLED_BACKEND, "stalled-cycles-backend", "idle-cycles-backend",
	  "cycles in which the back end took no work", { ARMV8(0x24) } },
	{ KIND_L1D_LOADS, "L1-dcache-loads", NULL, "level 1 data cache accesses (Intel: loads)",
	  { ARMV8(0x04), AMD(0x40) } },
	{ KIND_L1D_LOAD_MISSES, "L1-dcache-load-misses", NULL, "level 1 data cache refills",
	  { ARMV8(0x03), AMD_OLD(0x0141), AMD_ZEN(0xc860) } },
	{ KIND_L1I_LOADS, "L1-icache-loads", NULL, "level 1 instruction cache accesses",
	  { ARMV8(0x14), AMD(0x80) } },
	{ KIND_L1I_LOAD_MISSES, "L1-icache-load-misses", NULL, "level 1 instruction cache refills",
	  { ARMV8(0x01), AMD(0x81) } },
	{ KIND_LLC_LOADS, "LLC-loads", NULL,
	  "reads of the last level cache (Intel: by loads that retired)",
	  { ARMV8(0x36), AMD_OLD(0x037d) } },
	{ KIND_LLC_LOAD_MISSES, "LLC-load-misses", NULL,
	  "reads that missed the last level cache (Intel: of loads that retired)",
	  { ARMV8(0x37), AMD_OLD(0x037e) } },
	{ KIND_DTLB_LOADS, "dTLB-loads", NULL,
	  "data TLB accesses (Intel: loads; AMD Zen: of level 2)",
	  { ARMV8(0x25), AMD_OLD(0x40), AMD_ZEN(0xff45) } },
	{ KIND_DTLB_LOAD_MISSES, "dTLB-load-misses", NULL, "data TLB refills",
	  { ARMV8(0x05), AMD_OLD(0x0746), AMD_ZEN(0xf045) } },
	{ KIND_ITLB_LOADS, "iTLB-loads", NULL, "instruction TLB accesses",
	  { ARMV8(0x26), AMD_OLD(0x80), AMD_ZEN(0x84) } },
	{ KIND_ITLB_LOAD_MISSES, "iTLB-load-misses", NULL, "instruction TLB refills",
	  { ARMV8(0x02), AMD_OLD(0x0385), AMD_ZEN(0xff85) } },
	{ KIND_TSC, "tsc", NULL, "the time-stamp counter", { TSC } },
	{ KIND_TASK_CLOCK, "task-clock", "cpu-clock",
	  "CPU time of tasks in nanoseconds (of CPUs: elapsed time)", { SOFT(HWPMC_SOFT_CLOCK) } },
	{ KIND_OFF_CPU, "off-cpu", "offcpu-time",
	  "time in nanoseconds that tasks were off the CPU, blocked or waiting for it",
	  { SOFT(HWPMC_SOFT_OFF_CPU) } },
	{ KIND_OTHER, "context-switches", "cs", "times that tasks were scheduled out",
	  { SOFT(HWPMC_SOFT_SWITCHES) } },
	{ KIND_OTHER, "cpu-migrations", "migrations", "times that tasks migrated to another CPU",
	  { SOFT(HWPMC_SOFT_MIGRATIONS) } },
	{ KIND_OTHER, "page-faults", "faults", "page faults of tasks", { SOFT(HWPMC_SOFT_FAULTS) } },
	{ KIND_OTHER, "minor-faults", NULL, "page faults without I/O",
	  { SOFT(HWPMC_SOFT_FAULTS_MINOR) } },
	{ KIND_OTHER, "major-faults", NULL, "page faults with I/O",
	  { SOFT(HWPMC_SOFT_FAULTS_MAJOR) } },
};

const unsigned int generic_count = sizeof(generic_events) / sizeof(generic_events[0]);

const struct generic *generic_find(const char *name)
{
	for (unsigned int i = 0; i < generic_count; i++) {
		const struct generic *generic = &generic_events[i];

		if (!strcasecmp(name, generic->name) ||
		    (generic->other_name && !strcasecmp(name, generic->other_name)))
			return generic;
	}
	return NULL;
}

/* The names on Skylake and later, on Sandy Bridge to Broadwell, and on Nehalem and Westmere. */
#define LOADS		"MEM_INST_RETIRED:ALL_LOADS", "MEM_UOPS_RETIRED:ALL_LOADS", "MEM_INST_RETIRED:LOADS"
/* Atom does not have it: its last level cache is level 2. */
#define LLC_MISSES	"MEM_LOAD_UOPS_RETIRED:L3_MISS"

static const struct generic_intel intel_events[] = {
	{ KIND_L1D_LOADS, NULL, { LOADS } },
	{ KIND_L1D_LOAD_MISSES, NULL, { "L1D:REPLACEMENT", "L1D:REPL" } },
	{ KIND_L1I_LOAD_MISSES, NULL, { "ICACHE:MISSES", "ICACHE_64B:IFTAG_MISS" } },
	{ KIND_LLC_LOADS, LLC_MISSES, { "MEM_LOAD_RETIRED:L2_MISS", "MEM_LOAD_UOPS_RETIRED:L2_MISS" } },
	{ KIND_LLC_LOAD_MISSES, NULL, { "MEM_LOAD_RETIRED:L3_MISS", LLC_MISSES } },
	{ KIND_DTLB_LOADS, NULL, { LOADS } },
	{ KIND_DTLB_LOAD_MISSES, NULL, { "DTLB_LOAD_MISSES:WALK_COMPLETED" } },
	{ KIND_ITLB_LOAD_MISSES, NULL, { "ITLB_MISSES:WALK_COMPLETED" } },
};

const struct generic_intel *generic_find_intel(enum kind kind)
{
	for (size_t i = 0; i < sizeof(intel_events) / sizeof(intel_events[0]); i++)
		if (intel_events[i].kind == kind)
			return &intel_events[i];
	return NULL;
}

int generic_counts(const struct generic_code *code, const struct hardware *hardware)
{
	/*
	 * Returns the family of an x86 CPU; codes for other machines have no limits on the family.
	 */
	unsigned int family = hardware->cpu.cpuid >> 16 & 0xffff;

	return family >= code->first_family && (!code->last_family || family <= code->last_family);
}

static int has_number(const struct generic_code *code, uint64_t number)
{
	for (unsigned int i = 0; i < code->count; i++)
		if (code->event[i] == number)
			return 1;
	return 0;
}

enum kind generic_kind(const struct hardware *hardware, unsigned int class_id, uint64_t event)
{
	for (unsigned int i = 0; i < generic_count; i++) {
		const struct generic_code *code = generic_events[i].codes;

		for (; code->class_id; code++)
			if (code->class_id == class_id && generic_counts(code, hardware) &&
			    has_number(code, event))
				return generic_events[i].kind;
	}
	return KIND_OTHER;
}
