// SPDX-License-Identifier: GPL-2.0-only
/* Names of x86 events from libpfm4, independent of the CPU of the test. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "event/event.h"
#include "event/pfm.h"

static struct hwpmc_class_info classes[] = {
	{ .class_id = HWPMC_CLASS_IAF, .name = "IAF", .rows = 3 },
	{ .class_id = HWPMC_CLASS_IAP, .name = "IAP", .rows = 4 },
};

static struct hardware intel = { .classes = classes, .class_count = 2 };
static struct hardware old = { .classes = classes + 1, .class_count = 1 };

static struct hwpmc_class_info amd_classes[] = {
	{ .class_id = HWPMC_CLASS_AMD, .name = "AMD", .rows = 6 },
};

static struct hardware amd = { .classes = amd_classes, .class_count = 1 };

static struct event_code code;
static char why[256];

static int is(const struct hardware *hardware, const char *name, unsigned int class_id,
	      uint64_t number, uint64_t config)
{
	return !pfm_encode(hardware, name, &code, why, sizeof(why)) && code.class_id == class_id &&
	       code.event == number && code.config[0] == config && !code.config[1];
}

/* Refused with a message. */
static int refused(const struct hardware *hardware, const char *name)
{
	return pfm_encode(hardware, name, &code, why, sizeof(why)) == -1 && why[0];
}

/* Modes are set by the module: they are not part of an event. */
static void modes(void)
{
	check(refused(&intel, "INST_RETIRED:ANY_P:u=1") && strstr(why, "add :u or :k"), "u=1");
	check(refused(&intel, "INST_RETIRED:K:ANY_P"), "k in the middle");
	check(refused(&intel, "INST_RETIRED:ANY_P:u=0"), "u=0");
	check(is(&intel, "INST_RETIRED:ANY_P:c=2:i=1", HWPMC_CLASS_IAP, 0x28000c0, 0),
	      "a threshold, inverted, is a part of it");
}

/* An event as it is typed. @letters: its modifiers. */
static int typed(const struct hardware *hardware, const char *text, uint64_t number,
		 const char *letters)
{
	struct spec_list list = { 0 };
	struct event event = { 0 };
	int result;

	result = !spec_parse(text, &list, why, sizeof(why)) &&
		 !event_resolve(hardware, &list.specs[0], &event, why, sizeof(why)) &&
		 event.code_count == 1 && event.codes[0].event == number &&
		 !strcmp(modifier_letters(event.modifiers), letters);
	event_free(&event);
	spec_list_free(&list);
	return result;
}

/* perf has the modifiers S, I and e; libpfm4 has "i" (invert) in either case. */
static void perf_letters(void)
{
	check(typed(&intel, "L2_LINES_IN:S", 0x02f1, "") &&
	      typed(&intel, "hsw::l2_lines_in:I", 0x01f1, ""),
	      "a unit mask may be called as perf calls a modifier");
	check(typed(&intel, "L2_LINES_IN:S:u", 0x02f1, "u"), "and ours be behind it");
	check(!typed(&intel, "INST_RETIRED:ANY_P:I", 0, "") && strstr(why, "modifier 'I'"),
	      "where there is no such mask it is a modifier, and refused");
	check(!typed(&intel, "INST_RETIRED:ANY_P:uS", 0, "") && strstr(why, "modifier 'S'"), "likewise");
}

/* An event that the CPU does not have. */
static int absent(const struct hardware *hardware, const char *text)
{
	struct spec_list list = { 0 };
	struct event event = { 0 };
	int result = !spec_parse(text, &list, why, sizeof(why)) &&
		     !event_resolve(hardware, &list.specs[0], &event, why, sizeof(why)) &&
		     !event.code_count;

	event_free(&event);
	spec_list_free(&list);
	return result;
}

/* Generic events of caches, by the model's own events. */
static void haswell_caches(void)
{
	check(typed(&intel, "L1-dcache-loads", 0x81d0, "") &&
	      typed(&intel, "L1-dcache-load-misses:u", 0x0151, "u"), "level 1 of data");
	check(typed(&intel, "LLC-loads", 0x10d1, "") && typed(&intel, "LLC-load-misses", 0x20d1, ""),
	      "the last level");
	check(typed(&intel, "dTLB-loads", 0x81d0, "") && typed(&intel, "dTLB-load-misses", 0x0e08, "") &&
	      typed(&intel, "iTLB-load-misses", 0x0e85, ""), "the TLBs");
	check(typed(&intel, "L1-icache-load-misses", 0x0280, "") && absent(&intel, "L1-icache-loads"),
	      "level 1 of instructions has misses only");
}

static void skylake(void)
{
	check(typed(&intel, "L1-dcache-loads", 0x81d0, "") &&
	      typed(&intel, "L1-icache-load-misses", 0x0283, ""), "level 1");
	check(typed(&intel, "LLC-loads", 0x10d1, "") && typed(&intel, "LLC-load-misses", 0x20d1, ""),
	      "the last level");
}

static void nehalem(void)
{
	check(typed(&intel, "L1-dcache-loads", 0x010b, "") &&
	      typed(&intel, "L1-dcache-load-misses", 0x0151, ""), "level 1");
	check(absent(&intel, "LLC-loads") && typed(&intel, "LLC-load-misses", 0x10cb, ""),
	      "the last level has misses only");
}

/* Goldmont's last level cache is level 2, and it has no event for misses of loads in level 2. */
static void goldmont(void)
{
	check(typed(&intel, "L1-dcache-loads", 0x81d0, ""), "level 1");
	check(absent(&intel, "LLC-loads") && absent(&intel, "LLC-load-misses"), "no last level");
}

static void haswell(void)
{
	check(is(&intel, "INST_RETIRED:ANY_P", HWPMC_CLASS_IAP, 0x00c0, 0), "instructions");
	check(is(&intel, "BR_INST_RETIRED:ALL_BRANCHES", HWPMC_CLASS_IAP, 0x00c4, 0) ||
	      is(&intel, "BR_INST_RETIRED:ALL_BRANCHES", HWPMC_CLASS_IAP, 0x04c4, 0),
	      "without the bits that are the module's");
	check(!pfm_encode(&intel, "L2_RQSTS:DEMAND_DATA_RD_HIT", &code, why, sizeof(why)) &&
	      (code.event & 0xff) == 0x24 && code.event >> 8 && !(code.event >> 16),
	      "event and unit mask");
	check(is(&intel, "UNHALTED_REFERENCE_CYCLES", HWPMC_CLASS_IAF, 2, 0),
	      "what only a fixed counter counts is IAF's");
	check(is(&old, "UNHALTED_REFERENCE_CYCLES", HWPMC_CLASS_IAP, 0x0300, 0),
	      "without fixed counters the module may say no");
	check(!pfm_encode(&intel, "OFFCORE_RESPONSE_0:DMND_DATA_RD:ANY_RESPONSE", &code, why, sizeof(why)) &&
	      code.class_id == HWPMC_CLASS_IAP && code.event == 0x01b7 && code.config[0] == 0x10001,
	      "an offcore response has its config word");
	check(pfm_encode(&intel, "NO_SUCH_EVENT", &code, why, sizeof(why)) == -1 && !why[0],
	      "no such event");
	haswell_caches();
	modes();
	perf_letters();
}

/* "PMU::EVENT": libpfm4 also encodes events of other PMUs. */
static void other_pmus(void)
{
	check(is(&intel, "SPR::INST_RETIRED:ANY_P", HWPMC_CLASS_IAP, 0x00c0, 0), "its own PMU by name");
	check(refused(&intel, "perf::PAGE-FAULTS") && strstr(why, "events of spr") &&
	      strstr(why, "'perf'"), "the kernel's events are none of it");
	check(refused(&intel, "rapl::RAPL_ENERGY_PKG"), "nor those of the package");
	check(refused(&intel, "nhm::INST_RETIRED"), "nor those of another CPU");
	check(refused(&intel, "sp::INST_RETIRED:ANY_P"), "nor those of a part of its name");
}

static void sapphire_rapids(void)
{
	check(is(&intel, "INST_RETIRED:ANY_P", HWPMC_CLASS_IAP, 0x00c0, 0), "instructions");
	check(is(&intel, "INST_RETIRED:PREC_DIST", HWPMC_CLASS_IAF, 0, 0),
	      "those of the fixed counter");
	check(is(&intel, "CPU_CLK_UNHALTED:THREAD", HWPMC_CLASS_IAF, 1, 0), "its cycles");
	check(is(&intel, "CPU_CLK_UNHALTED:REF_TSC", HWPMC_CLASS_IAF, 2, 0), "reference cycles");
	check(is(&intel, "TOPDOWN:SLOTS", HWPMC_CLASS_IAF, 3, 0), "and slots");
	check(pfm_encode(&intel, "RETIRED_INSTRUCTIONS", &code, why, sizeof(why)) == -1, "not by AMD's name");
	other_pmus();
}

static void barcelona(void)
{
	check(typed(&amd, "SEGMENT_REGISTER_LOADS:ES:DS:k", 0x0920, "k"),
	      "two unit masks, the last as perf has modifiers, and ours");
}

static void zen4(void)
{
	check(is(&amd, "RETIRED_INSTRUCTIONS", HWPMC_CLASS_AMD, 0xc0, 0),
	      "instructions, without the bits for guest and host");
	check(is(&amd, "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", HWPMC_CLASS_AMD, 0xc3, 0),
	      "branches predicted wrong");
	check(is(&amd, "CYCLES_NOT_IN_HALT", HWPMC_CLASS_AMD, 0x76, 0), "cycles");
	check(is(&amd, "LS_DISPATCH:LD_DISPATCH", HWPMC_CLASS_AMD, 0x0129, 0), "a unit mask");
	check(pfm_encode(&amd, "INST_RETIRED:ANY_P", &code, why, sizeof(why)) == -1, "not by Intel's name");
	check(refused(&amd, "RETIRED_INSTRUCTIONS:u=1") && strstr(why, "add :u or :k"), "u=1");
	check(refused(&amd, "RETIRED_INSTRUCTIONS:g=1") && strstr(why, "guests"), "g=1");
	check(refused(&amd, "RETIRED_INSTRUCTIONS:h:u:k") && strstr(why, "guests"), "h");
}

/* libpfm4 detects the CPU once per process: each CPU has its own process. */
static void on(const char *pmu, const struct hardware *hardware, void (*checks)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		setenv("LIBPFM_FORCE_PMU", pmu, 1);
		check_failures = 0;
		if (!pfm_core(hardware))
			printf("ok - # SKIP libpfm4 does not know %s\n", pmu);
		else
			checks();
		fflush(stdout);
		_exit(check_result());
	}
	check(pid > 0 && waitpid(pid, &status, 0) == pid && !status, pmu);
}

int main(void)
{
	hardware_find_core(&intel);
	hardware_find_core(&old);
	hardware_find_core(&amd);
	check(intel.core == HWPMC_CLASS_IAP && old.core == HWPMC_CLASS_IAP &&
	      amd.core == HWPMC_CLASS_AMD, "the core's class is the programmable counters'");
	on("hsw", &intel, haswell);
	on("skl", &intel, skylake);
	on("nhm", &intel, nehalem);
	on("glm", &intel, goldmont);
	on("spr", &intel, sapphire_rapids);
	on("amd64_fam10h_barcelona", &amd, barcelona);
	on("amd64_fam19h_zen4", &amd, zen4);
	return check_result();
}
