// SPDX-License-Identifier: GPL-2.0-only
#include "check.h"
#include "event/event.h"
#include "event/pfm.h"

static struct hwpmc_class_info classes[] = {
	{ .class_id = HWPMC_CLASS_ARMV8, .name = "ARMV8", .rows = 7 },
	{ .class_id = HWPMC_CLASS_MOCK, .name = "MOCK", .rows = 4 },
};

/* A core that libpfm4 does not know, on any host. */
static struct hardware arm = {
	.cpu = { .cpuid = 0x41009999 }, .classes = classes, .class_count = 2,
};

static struct hwpmc_class_info no_pmu[] = {
	{ .class_id = HWPMC_CLASS_TSC, .name = "TSC", .rows = 1 },
	{ .class_id = HWPMC_CLASS_SOFT, .name = "SOFT", .rows = 5 },
};

static struct hardware x86_vm = { .cpu = { .rows = 6 }, .classes = no_pmu, .class_count = 2 };

static struct hwpmc_class_info intel_classes[] = { { .class_id = HWPMC_CLASS_IAP, .name = "IAP" } };
static struct hardware intel = { .classes = intel_classes, .class_count = 1 };

static struct hwpmc_class_info amd_classes[] = { { .class_id = HWPMC_CLASS_AMD, .name = "AMD" } };
static struct hardware amd = {
	.cpu = { .cpuid = 0x191101 }, .classes = amd_classes, .class_count = 1,
};

static struct hwpmc_class_info fixed_classes[] = {
	{ .class_id = HWPMC_CLASS_TSC, .name = "TSC" },
	{ .class_id = HWPMC_CLASS_IAF, .name = "IAF" },
	{ .class_id = HWPMC_CLASS_IAP, .name = "IAP" },
};

static struct hardware fixed = { .classes = fixed_classes, .class_count = 3 };

static struct event event;
static char why[512];

static int resolve(const struct hardware *hardware, const char *text)
{
	struct spec_list list = { 0 };
	int result;

	event_free(&event);
	if (spec_parse(text, &list, why, sizeof(why))) {
		spec_list_free(&list);
		return -2;
	}
	result = event_resolve(hardware, &list.specs[0], &event, why, sizeof(why));
	spec_list_free(&list);
	return result;
}

static int is(unsigned int class_id, uint64_t number)
{
	return event.code_count > 0 && event.codes[0].class_id == class_id &&
	       event.codes[0].event == number;
}

static void generic(void)
{
	check(!resolve(&arm, "cycles:u") && is(HWPMC_CLASS_ARMV8, 0x11), "cycles on arm64");
	check(event.kind == KIND_CYCLES && event.modifiers == MODIFIER_USER, "what they are");
	check(!resolve(&arm, "branch-instructions") && event.code_count == 2,
	      "two ways to branches");
	check(!resolve(&intel, "instructions") && is(HWPMC_CLASS_IAP, 0xc0), "on Intel");
	check(!resolve(&amd, "cycles") && is(HWPMC_CLASS_AMD, 0x76), "on AMD");
	check(!resolve(&x86_vm, "cycles") && !event.code_count, "known, but not there");
	check(!resolve(&x86_vm, "tsc") && is(HWPMC_CLASS_TSC, 0), "tsc is");
	check(!resolve(&arm, "tsc") && !event.code_count, "not on arm64");
	check(!resolve(&arm, "LLC-load-misses") && is(HWPMC_CLASS_ARMV8, 0x37) &&
	      event.kind == KIND_LLC_LOAD_MISSES, "the last level cache on arm64");
	check(!resolve(&x86_vm, "cpu-clock") && is(HWPMC_CLASS_SOFT, HWPMC_SOFT_CLOCK) &&
	      event.kind == KIND_TASK_CLOCK, "the clock of tasks is, by its other name");
	check(!resolve(&x86_vm, "cs") && is(HWPMC_CLASS_SOFT, HWPMC_SOFT_SWITCHES) &&
	      event.kind == KIND_OTHER, "context switches are");
	check(!resolve(&x86_vm, "page-faults") && is(HWPMC_CLASS_SOFT, HWPMC_SOFT_FAULTS), "faults");
	check(!resolve(&x86_vm, "minor-faults") && is(HWPMC_CLASS_SOFT, HWPMC_SOFT_FAULTS_MINOR),
	      "minor ones");
	check(!resolve(&x86_vm, "migrations") && is(HWPMC_CLASS_SOFT, HWPMC_SOFT_MIGRATIONS),
	      "migrations without a PMU");
	check(!resolve(&x86_vm, "offcpu-time") && is(HWPMC_CLASS_SOFT, HWPMC_SOFT_OFF_CPU) &&
	      event.kind == KIND_OFF_CPU, "off-CPU time, by perf's name");
	check(!resolve(&x86_vm, "major-faults") && is(HWPMC_CLASS_SOFT, HWPMC_SOFT_FAULTS_MAJOR),
	      "major ones");
	check(hardware_cpu_rows(&x86_vm) == 1 && !hardware_class_needs_pmu(HWPMC_CLASS_SOFT) &&
	      !hardware_class_needs_pmu(HWPMC_CLASS_TSC) &&
	      hardware_class_needs_pmu(HWPMC_CLASS_IAF), "none of which is a row of the CPU's");
}

/* Whether code number @index of the event has class @class_id. */
static int way(unsigned int index, unsigned int class_id, uint64_t number)
{
	return event.code_count > index && event.codes[index].class_id == class_id &&
	       event.codes[index].event == number;
}

/* Two codes, the fixed counter first. */
static int ways(const char *name, uint64_t counter, uint64_t number)
{
	return !resolve(&fixed, name) && event.code_count == 2 &&
	       way(0, HWPMC_CLASS_IAF, counter) && way(1, HWPMC_CLASS_IAP, number);
}

static void x86_generic(void)
{
	check(ways("instructions", 0, 0xc0), "instructions: fixed counter 0, or IAP");
	check(ways("cycles:u", 1, 0x3c), "cycles: fixed counter 1, or IAP");
	check(event.kind == KIND_CYCLES, "cycles all the same");
	check(ways("ref-cycles", 2, 0x013c), "ref-cycles: fixed counter 2, or IAP");
	check(!resolve(&fixed, "branches") && event.code_count == 1 && is(HWPMC_CLASS_IAP, 0xc4),
	      "branches: IAP only");
	check(!resolve(&fixed, "branch-misses") && is(HWPMC_CLASS_IAP, 0xc5), "branch-misses");
	check(!resolve(&fixed, "cache-references") && is(HWPMC_CLASS_IAP, 0x4f2e),
	      "cache-references");
	check(!resolve(&fixed, "cache-misses") && is(HWPMC_CLASS_IAP, 0x412e), "cache-misses");
	check(!resolve(&fixed, "tsc") && is(HWPMC_CLASS_TSC, 0), "the TSC is there as well");
	check(!resolve(&intel, "ref-cycles") && event.code_count == 1 &&
	      is(HWPMC_CLASS_IAP, 0x013c),
	      "ref-cycles without fixed counters");
	check(!resolve(&amd, "instructions") && is(HWPMC_CLASS_AMD, 0xc0), "instructions on AMD");
	check(!resolve(&amd, "ref-cycles") && !event.code_count, "no ref-cycles on AMD");
	check(!resolve(&amd, "branch-misses") && is(HWPMC_CLASS_AMD, 0xc3), "branch-misses on AMD");
}

/* The numbers that perf uses for the CPU's family; before K8 neither event exists. */
static void amd_caches(void)
{
	static const struct {
		unsigned int family;
		uint64_t references, misses;
		enum kind old;	/* what 0x077e is */
	} cases[] = {
		{ 0x06, 0, 0, KIND_OTHER },
		{ 0x0f, 0x077d, 0x077e, KIND_CACHE_MISSES },
		{ 0x10, 0x077d, 0x077e, KIND_CACHE_MISSES },
		{ 0x16, 0x077d, 0x077e, KIND_CACHE_MISSES },
		{ 0x17, 0xff60, 0x0964, KIND_OTHER },
		{ 0x18, 0xff60, 0x0964, KIND_OTHER },
		{ 0x1a, 0xff60, 0x0964, KIND_OTHER },
	};
	struct hardware of = amd;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const unsigned int count = !!cases[i].misses;

		of.cpu.cpuid = cases[i].family << 16 | 0x2103;
		check(!resolve(&of, "cache-references") && event.code_count == count &&
		      event.codes[0].event == cases[i].references, "cache-references by family");
		check(!resolve(&of, "cache-misses") && event.code_count == count &&
		      event.codes[0].event == cases[i].misses, "cache-misses by family");
		check(!resolve(&of, "cycles") && is(HWPMC_CLASS_AMD, 0x76), "cycles on every one");
		check(!resolve(&of, "L1-dcache-loads") && is(HWPMC_CLASS_AMD, 0x40),
		      "L1-dcache-loads on every one");
		check(!resolve(&of, "LLC-loads") &&
		      event.code_count == (cases[i].old != KIND_OTHER), "LLC-loads by family");
		check(!resolve(&of, "cpu/event=0x7e,umask=7/") && event.kind == cases[i].old,
		      "what a number is, by family");
	}
}

static void x86_numbers(void)
{
	check(!resolve(&fixed, "r1a8010e") && is(HWPMC_CLASS_IAP, 0x1a8010e), "raw is IAP's");
	check(!resolve(&fixed, "iaf/event=1/") && is(HWPMC_CLASS_IAF, 1), "a fixed counter's number");
	check(event.kind == KIND_CYCLES, "and what it is");
	check(resolve(&fixed, "iaf/event=1,umask=1/") == -1, "which has no umask");
	check(!resolve(&fixed, "cpu/event=0xb7,umask=1,offcore_rsp=0x10001/") &&
	      is(HWPMC_CLASS_IAP, 0x01b7) && event.codes[0].config[0] == 0x10001, "offcore_rsp");
	check(!resolve(&fixed, "cpu/event=0xcd,umask=1,ldlat=30/") &&
	      is(HWPMC_CLASS_IAP, 0x01cd) && event.codes[0].config[0] == 30, "ldlat");
	check(!resolve(&fixed, "cpu/event=0xc6,umask=1,frontend=0x11/") &&
	      is(HWPMC_CLASS_IAP, 0x01c6) && event.codes[0].config[0] == 0x11, "frontend");
	check(!resolve(&fixed, "cpu/event=0x3c,edge,any/") &&
	      is(HWPMC_CLASS_IAP, 0x3c | 1 << 18 | 1 << 21), "edge and any");
	check(!resolve(&fixed, "cpu/event=0x3c,cmask=255/") &&
	      is(HWPMC_CLASS_IAP, 0xff00003cULL), "the highest cmask");
	check(resolve(&fixed, "cpu/event=0x3c,cmask=256/") == -1, "one more");
	check(!resolve(&amd, "r1000000c7") && is(HWPMC_CLASS_AMD, 0x1000000c7ULL), "raw on AMD");
	check(!resolve(&amd, "cpu/event=0xfff/") && is(HWPMC_CLASS_AMD, 0xf000000ffULL),
	      "AMD's last event");
	check(resolve(&amd, "cpu/event=0x1000/") == -1, "and one more");
	check(resolve(&amd, "cpu/event=0xc0,any/") == -1, "no AnyThread on AMD");
	check(resolve(&amd, "cpu/event=0xc0,offcore_rsp=1/") == -1, "no offcore_rsp on AMD");
}

static void architected(void)
{
	check(!resolve(&arm, "L1D_TLB") && is(HWPMC_CLASS_ARMV8, 0x25), "an architected name");
	check(!resolve(&arm, "inst_retired") && is(HWPMC_CLASS_ARMV8, 8), "in small letters");
	check(event.kind == KIND_INSTRUCTIONS, "has the generic event's metrics");
	check(resolve(&x86_vm, "inst_retired") == -1, "is unknown elsewhere");
}

static void unknown(void)
{
	check(resolve(&arm, "cycels") == -1 && strstr(why, "'cycles'"), "the nearest generic name");
	check(resolve(&arm, "INST_RETIRD") == -1 && strstr(why, "'INST_RETIRED'"),
	      "the nearest architected name");
	check(resolve(&arm, "wombat-parity") == -1 && strstr(why, "pmctl list"), "no name is near");
}

/* Modifiers of perf that pmctl does not support. */
static void foreign(void)
{
	check(resolve(&arm, "cycles:pp") == -1 && strstr(why, "'p'"), ":pp is refused, and named");
	check(resolve(&arm, "cycles:upp") == -1 && strstr(why, "'p'") &&
	      resolve(&intel, "cycles:ukH") == -1 && strstr(why, "'H'"), "so is what stands beside :u");
	check(resolve(&arm, "r1b:P") == -1 && strstr(why, "'P'") &&
	      resolve(&x86_vm, "tsc:S") == -1 && strstr(why, "'S'"), "on any event");
}

static void numbers(void)
{
	check(!resolve(&arm, "r1b") && is(HWPMC_CLASS_ARMV8, 0x1b), "raw");
	check(!resolve(&x86_vm, "r1b") && !event.code_count, "raw without a PMU");
	check(!resolve(&arm, "cpu/event=0x11/") && is(HWPMC_CLASS_ARMV8, 0x11), "cpu/event=/");
	check(event.kind == KIND_CYCLES, "its kind is found by its number");
	check(!resolve(&arm, "cpu/event=010/") && is(HWPMC_CLASS_ARMV8, 10), "zeros in front say nothing");
	check(!resolve(&arm, "armv8_cortex_a57/event=8/") && is(HWPMC_CLASS_ARMV8, 8),
	      "perf's name");
	check(!resolve(&arm, "mock/event=1/") && is(HWPMC_CLASS_MOCK, 1), "a class's name");
	check(!resolve(&arm, "cpu/cycles/") && is(HWPMC_CLASS_ARMV8, 0x11), "a name in slashes");
	check(!resolve(&intel, "cpu/event=0x2e,umask=0x41,inv,cmask=2/") &&
	      is(HWPMC_CLASS_IAP, 0x2e | 0x41 << 8 | 1 << 23 | 2 << 24), "Intel's terms");
	check(!resolve(&amd, "cpu/event=0x1c0,umask=1/") &&
	      is(HWPMC_CLASS_AMD, 0xc0 | 1 << 8 | 1ULL << 32), "AMD's 12-bit event");
	check(!resolve(&arm, "cpu/config=5,config1=6,config2=7/") && event.codes[0].event == 5 &&
	      event.codes[0].config[0] == 6 && event.codes[0].config[1] == 7, "config words");
	check(resolve(&intel, "cpu/event=0x1ff/") == -1 && strstr(why, "too large"), "too large");
	check(resolve(&arm, "cpu/umask=1/") == -1, "no umask on arm64");
	check(resolve(&arm, "cpu/event=x/") == -1 && strstr(why, "not a number"), "not a number");
	check(resolve(&arm, "cpu/event=/") == -1, "no number");
	check(resolve(&arm, "gpu/event=1/") == -1 && strstr(why, "'gpu'"), "no such PMU");
	check(!resolve(&x86_vm, "cpu/event=0x2e,umask=1/") && !event.code_count,
	      "a VM without PMU");
}

int main(void)
{
	hardware_find_core(&arm);
	hardware_find_core(&x86_vm);
	hardware_find_core(&intel);
	hardware_find_core(&amd);
	check(arm.core == HWPMC_CLASS_ARMV8 && !x86_vm.core, "the class of the CPU's counters");
	hardware_find_core(&fixed);
	generic();
	x86_generic();
	amd_caches();
	x86_numbers();
	architected();
	unknown();
	foreign();
	numbers();
	event_free(&event);
	return check_result();
}
