// SPDX-License-Identifier: GPL-2.0-only
/* Event names and encodings from libpfm4; the encodings need no system call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <perfmon/pfmlib.h>

#include "base/memory.h"
#include "event/pfm.h"

/* MIDR_EL1 */
#define MIDR_IMPLEMENTER(midr)	(((midr) >> 24) & 0xff)
#define MIDR_PART(midr)		(((midr) >> 4) & 0xfff)

static const struct {
	unsigned int implementer;
	unsigned int part;
	const char *pmu;
} arm_cores[] = {
	{ 0x41, 0xd03, "arm_ac53" },
	{ 0x41, 0xd07, "arm_ac57" },
	{ 0x41, 0xd0c, "arm_n1" },
	{ 0x41, 0xd40, "arm_v1" },
	{ 0x41, 0xd49, "arm_n2" },
	{ 0x41, 0xd4f, "arm_v2" },
	{ 0x42, 0x516, "arm_thunderx2" },
	{ 0x43, 0x0af, "arm_thunderx2" },
	{ 0x46, 0x001, "arm_a64fx" },
	{ 0x48, 0xd01, "arm_kunpeng" },
	{ 0x50, 0x000, "arm_xgene" },
};

static int ready(void)
{
	static int state;	/* 0 not tried, 1 ready, -1 no libpfm4 */

	if (!state) {
		/* The core is identified by the MIDR that the module read, not by /proc/cpuinfo. */
		setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
		state = pfm_initialize() == PFM_SUCCESS ? 1 : -1;
	}
	return state > 0;
}

static const char *arm_core(const struct hardware *hardware)
{
	unsigned int implementer = MIDR_IMPLEMENTER(hardware->cpu.cpuid);
	unsigned int part = MIDR_PART(hardware->cpu.cpuid);

	for (size_t i = 0; i < sizeof(arm_cores) / sizeof(arm_cores[0]); i++)
		if (arm_cores[i].implementer == implementer && arm_cores[i].part == part)
			return arm_cores[i].pmu;
	return NULL;
}

/*
 * On x86 both libpfm4 and the module use CPUID. For an Arm core that is not in the table libpfm4's
 * own detection is used. A detected PMU of another architecture is ignored.
 */
static int is_core(const struct hardware *hardware, const pfm_pmu_info_t *pmu)
{
	int arm = hardware->core == HWPMC_CLASS_ARMV8;
	const char *core = arm ? arm_core(hardware) : NULL;

	if (core)
		return !strcmp(pmu->name, core);
	return pmu->is_present && pmu->type == PFM_PMU_TYPE_CORE && pmu->nevents > 0 &&
	       arm == !strncmp(pmu->name, "arm", 3);
}

static int find_core(const struct hardware *hardware, pfm_pmu_info_t *found)
{
	pfm_pmu_info_t pmu;
	int any = 0, id;

	if (!hardware->core || !ready())
		return 0;
	pfm_for_all_pmus(id) {
		memset(&pmu, 0, sizeof(pmu));
		pmu.size = sizeof(pmu);
		if (pfm_get_pmu_info((pfm_pmu_t)id, &pmu) != PFM_SUCCESS ||
		    !is_core(hardware, &pmu))
			continue;
		/* Prefer the PMU of the CPU model to the generic "ix86arch". */
		if (!any || pmu.is_dfl)
			*found = pmu;
		any = 1;
	}
	return any;
}

const char *pfm_core(const struct hardware *hardware)
{
	pfm_pmu_info_t pmu;

	return find_core(hardware, &pmu) ? pmu.name : NULL;
}

/* "PMU::EVENT": libpfm4 would encode events of any PMU; only this machine's are accepted. */
static int is_own(const struct hardware *hardware, const char *prefix, size_t length)
{
	pfm_pmu_info_t pmu;
	int id;

	pfm_for_all_pmus(id) {
		memset(&pmu, 0, sizeof(pmu));
		pmu.size = sizeof(pmu);
		if (!pfm_get_pmu_info((pfm_pmu_t)id, &pmu) && is_core(hardware, &pmu) &&
		    strlen(pmu.name) == length && !strncasecmp(pmu.name, prefix, length))
			return 1;
	}
	return 0;
}

/* Pseudo-encodings of perf and libpfm4 for events that only a fixed counter counts. */
static const struct {
	uint64_t selection;
	uint64_t counter;
} fixed_only[] = { { 0x0100, 0 }, { 0x0200, 1 }, { 0x0300, 2 }, { 0x0400, 3 } };

/* Bits of the event selection register. */
#define X86_MODES	(1ULL << 16 | 1ULL << 17)	/* user and kernel */
#define X86_NOT_EVENT	(X86_MODES | 1ULL << 20 | 1ULL << 22)
#define AMD_GUEST_HOST	(1ULL << 40 | 1ULL << 41)
#define ARM_NOT_MODES	(1ULL << 30 | 1ULL << 31)

/* Why modifiers in libpfm4's syntax are refused ("INST_RETIRED:u=1"); NULL if there are none. */
static const char *modifier_problem(const struct hardware *hardware, uint64_t selection)
{
	if (hardware->core == HWPMC_CLASS_AMD && selection & AMD_GUEST_HOST)
		return "hosts and guests are always counted together: remove the modifiers h and g";
	if (hardware->core == HWPMC_CLASS_ARMV8 ? !(selection & ARM_NOT_MODES) :
						 (selection & X86_MODES) == X86_MODES)
		return NULL;
	return "to count user mode or kernel mode only, add :u or :k at the end";
}

/*
 * libpfm4 returns the contents of the event selection register. The module sets the mode
 * bits, the interrupt and the enable bit, and on AMD the host and guest bits.
 */
static void from_selection(const struct hardware *hardware, uint64_t selection,
			   struct event_code *code)
{
	code->class_id = hardware->core;
	if (hardware->core == HWPMC_CLASS_ARMV8) {
		code->event = selection & 0xffff;
		return;
	}
	code->event = selection & ~X86_NOT_EVENT;
	if (hardware->core == HWPMC_CLASS_AMD)
		code->event &= ~AMD_GUEST_HOST;
	for (size_t i = 0; i < sizeof(fixed_only) / sizeof(fixed_only[0]); i++) {
		if (hardware->core != HWPMC_CLASS_IAP || code->event != fixed_only[i].selection ||
		    !hardware_class(hardware, HWPMC_CLASS_IAF))
			continue;
		code->class_id = HWPMC_CLASS_IAF;
		code->event = fixed_only[i].counter;
	}
}

static void from_encoding(const struct hardware *hardware, const pfm_pmu_encode_arg_t *encoding,
			  struct event_code *code)
{
	from_selection(hardware, encoding->codes[0], code);
	/* A second word goes into an extra register: Intel's offcore responses. */
	if (hardware->core == HWPMC_CLASS_IAP && encoding->count > 1)
		code->config[0] = encoding->codes[1];
}

int pfm_encode(const struct hardware *hardware, const char *name, struct event_code *code,
	       char *why, size_t size)
{
	pfm_pmu_encode_arg_t encoding = { .size = sizeof(encoding) };
	const char *pmu = pfm_core(hardware), *colons = strstr(name, "::");
	const char *problem;
	char *full;
	int result;

	memset(code, 0, sizeof(*code));
	why[0] = '\0';
	if (!pmu)
		return -1;
	if (colons && !is_own(hardware, name, (size_t)(colons - name))) {
		snprintf(why, size, "this machine counts events of %s, not of '%.*s'", pmu,
			 (int)(colons - name), name);
		return -1;
	}
	full = colons ? xstrdup(name) : xasprintf("%s::%s", pmu, name);
	result = pfm_get_os_event_encoding(full, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &encoding);
	free(full);
	if (result != PFM_SUCCESS || encoding.count < 1)
		return -1;
	problem = modifier_problem(hardware, encoding.codes[0]);
	if (problem)
		snprintf(why, size, "%s", problem);
	else
		from_encoding(hardware, &encoding, code);
	free(encoding.codes);
	return problem ? -1 : 0;
}

static void visit_masks(const pfm_event_info_t *event, const char *pmu, pfm_visit_fn visit,
			void *context)
{
	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t mask = { .size = sizeof(mask) };
		struct pfm_event found = { .pmu = pmu };
		char *name;

		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &mask) != PFM_SUCCESS ||
		    mask.type != PFM_ATTR_UMASK)
			continue;
		name = xasprintf("%s:%s", event->name, mask.name);
		found.name = name;
		found.brief = mask.desc;
		visit(&found, context);
		free(name);
	}
}

void pfm_visit(const struct hardware *hardware, pfm_visit_fn visit, void *context)
{
	pfm_pmu_info_t pmu;

	if (!find_core(hardware, &pmu))
		return;
	for (int i = pmu.first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t event = { .size = sizeof(event) };
		struct pfm_event found = { .pmu = pmu.name };

		if (pfm_get_event_info(i, PFM_OS_NONE, &event) != PFM_SUCCESS)
			continue;
		found.name = event.name;
		found.brief = event.desc;
		visit(&found, context);
		visit_masks(&event, pmu.name, visit, context);
	}
}
