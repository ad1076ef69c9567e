// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <linux/hwpmc.h>

#include "base/memory.h"
#include "event/event.h"
#include "event/generic.h"
#include "event/name.h"
#include "event/pfm.h"
#include "event/pmuv3.h"

const char *name_class(unsigned int class_id)
{
	static const char *const names[] = {
		[HWPMC_CLASS_TSC] = "TSC", [HWPMC_CLASS_IAF] = "IAF", [HWPMC_CLASS_IAP] = "IAP",
		[HWPMC_CLASS_AMD] = "AMD", [HWPMC_CLASS_ARMV8] = "ARMV8",
		[HWPMC_CLASS_SOFT] = "SOFT", [HWPMC_CLASS_MOCK] = "MOCK",
		[HWPMC_CLASS_PROBE] = "PROBE",
	};

	return class_id < sizeof(names) / sizeof(names[0]) && names[class_id] ? names[class_id] :
										"?";
}

static const char *generic_name(const struct hardware *hardware, unsigned int class_id,
				uint64_t event)
{
	for (unsigned int i = 0; i < generic_count; i++) {
		const struct generic_code *code = generic_events[i].codes;

		for (; code->class_id; code++) {
			if (code->class_id != class_id || !generic_counts(code, hardware))
				continue;
			for (unsigned int j = 0; j < code->count; j++)
				if (code->event[j] == event)
					return generic_events[i].name;
		}
	}
	return NULL;
}

static const char *pmuv3_name(uint64_t event)
{
	for (unsigned int i = 0; i < pmuv3_count; i++)
		if (pmuv3_events[i].number == event)
			return pmuv3_events[i].name;
	return NULL;
}

struct wanted {
	const struct hardware *hardware;
	unsigned int class_id;
	uint64_t event;
	char *name;
};

static void compare(const struct pfm_event *event, void *context)
{
	struct wanted *wanted = context;
	struct event_code code;
	char why[256];

	if (wanted->name || pfm_encode(wanted->hardware, event->name, &code, why, sizeof(why)))
		return;
	if (code.class_id == wanted->class_id && code.event == wanted->event)
		wanted->name = xstrdup(event->name);
}

/* A name of libpfm4, if it supports the machine's CPU. */
static char *pfm_name(const struct hardware *hardware, unsigned int class_id, uint64_t event)
{
	struct wanted wanted = { .hardware = hardware, .class_id = class_id, .event = event };

	if (hardware->core)
		pfm_visit(hardware, compare, &wanted);
	return wanted.name;
}

static char *bare_name(const struct hardware *hardware, unsigned int class_id, uint64_t event)
{
	const char *name = generic_name(hardware, class_id, event);
	char *other;

	if (!name && class_id == HWPMC_CLASS_ARMV8)
		name = pmuv3_name(event);
	if (name)
		return xstrdup(name);
	other = pfm_name(hardware, class_id, event);
	if (other)
		return other;
	if (class_id == HWPMC_CLASS_IAP || class_id == HWPMC_CLASS_AMD ||
	    class_id == HWPMC_CLASS_ARMV8)
		return xasprintf("r%" PRIx64, event);
	return xasprintf("%s 0x%" PRIx64, name_class(class_id), event);
}

char *name_event(const struct hardware *hardware, unsigned int class_id, uint64_t event,
		 uint64_t caps)
{
	char *bare = bare_name(hardware, class_id, event), *name;
	bool user = caps & HWPMC_CAP_USER, kernel = caps & HWPMC_CAP_SYSTEM;

	/* These events count both modes together. */
	if (class_id == HWPMC_CLASS_SOFT || class_id == HWPMC_CLASS_TSC || user == kernel)
		return bare;
	name = xasprintf("%s:%s", bare, modifier_letters(user ? MODIFIER_USER : MODIFIER_KERNEL));
	free(bare);
	return name;
}
