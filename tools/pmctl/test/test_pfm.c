// SPDX-License-Identifier: GPL-2.0-only
/* Names of x86 events, from libpfm4, for a CPU that this one need not be. */
#include <stdlib.h>

#include "check.h"
#include "event.h"
#include "pfm.h"

static struct hwpmc_class_info classes[] = {
	{ .class_id = HWPMC_CLASS_IAF, .name = "IAF", .rows = 3 },
	{ .class_id = HWPMC_CLASS_IAP, .name = "IAP", .rows = 4 },
};

static struct machine intel = { .classes = classes, .class_count = 2 };
static struct machine old = { .classes = classes + 1, .class_count = 1 };

static struct event_code code;
static const char *why;

static int is(const struct machine *machine, const char *name, unsigned int class_id,
	      uint64_t number, uint64_t config)
{
	return !pfm_encode(machine, name, &code, &why) && code.class_id == class_id &&
	       code.event == number && code.config[0] == config && !code.config[1];
}

int main(void)
{
	setenv("LIBPFM_FORCE_PMU", "hsw", 1);
	machine_find_core(&intel);
	machine_find_core(&old);
	check(intel.core == HWPMC_CLASS_IAP && old.core == HWPMC_CLASS_IAP,
	      "the core's class is the programmable counters'");
	if (!pfm_core(&intel)) {
		printf("ok - # SKIP libpfm4 was built without x86\n");
		return check_result();
	}
	check(is(&intel, "BR_INST_RETIRED:ALL_BRANCHES", HWPMC_CLASS_IAP, 0x00c4, 0) ||
	      is(&intel, "BR_INST_RETIRED:ALL_BRANCHES", HWPMC_CLASS_IAP, 0x04c4, 0),
	      "without the bits that are the module's");
	check(!pfm_encode(&intel, "L2_RQSTS:DEMAND_DATA_RD_HIT", &code, &why) &&
	      (code.event & 0xff) == 0x24 && code.event >> 8 && !(code.event >> 16),
	      "event and unit mask");
	check(is(&intel, "UNHALTED_REFERENCE_CYCLES", HWPMC_CLASS_IAF, 2, 0),
	      "what only a fixed counter counts is IAF's");
	check(is(&old, "UNHALTED_REFERENCE_CYCLES", HWPMC_CLASS_IAP, 0x0300, 0),
	      "without fixed counters the module may say no");
	check(!pfm_encode(&intel, "OFFCORE_RESPONSE_0:DMND_DATA_RD:ANY_RESPONSE", &code, &why) &&
	      code.class_id == HWPMC_CLASS_IAP && code.event == 0x01b7 && code.config[0] == 0x10001,
	      "an offcore response has its config word");
	check(pfm_encode(&intel, "NO_SUCH_EVENT", &code, &why) == -1 && why[0], "no such event");
	return check_result();
}
