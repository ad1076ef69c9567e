// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "event/event.h"
#include "event/pfm.h"
#include "event/pmu_terms.h"
#include "event/pmuv3.h"

const char *modifier_letters(unsigned int modifiers)
{
	switch (modifiers) {
	case MODIFIER_USER:
		return "u";
	case MODIFIER_KERNEL:
		return "k";
	case MODIFIER_USER | MODIFIER_KERNEL:
		return "uk";
	default:
		return "";
	}
}

static void add_code(struct event *event, unsigned int class_id, uint64_t number)
{
	struct event_code *code = &event->codes[event->code_count++];

	memset(code, 0, sizeof(*code));
	code->class_id = class_id;
	code->event = number;
}

/* Adds the code of a generic event whose number depends on Intel's model. */
static void use_intel_names(const struct hardware *hardware, struct event *event)
{
	const struct generic_intel *intel = generic_find_intel(event->kind);
	struct event_code code;
	char why[256];

	if (!intel)
		return;
	if (intel->beside && pfm_encode(hardware, intel->beside, &code, why, sizeof(why)))
		return;
	for (unsigned int i = 0; intel->names[i]; i++) {
		if (pfm_encode(hardware, intel->names[i], &code, why, sizeof(why)))
			continue;
		event->codes[event->code_count++] = code;
		return;
	}
}

/*
 * Adds a code for each class of this machine that counts the generic event, in order of preference.
 */
static void use_generic(const struct hardware *hardware, const struct generic *generic,
			struct event *event)
{
	const unsigned int room = sizeof(event->codes) / sizeof(event->codes[0]);

	event->kind = generic->kind;
	for (unsigned int i = 0; generic->codes[i].class_id; i++) {
		const struct generic_code *code = &generic->codes[i];

		if (!hardware_class(hardware, code->class_id) || !generic_counts(code, hardware))
			continue;
		for (unsigned int j = 0; j < code->count && event->code_count < room; j++)
			add_code(event, code->class_id, code->event[j]);
	}
	if (!event->code_count && hardware->core == HWPMC_CLASS_IAP)
		use_intel_names(hardware, event);
}

static void offer_event(const struct pfm_event *event, void *context)
{
	suggest_offer(context, event->name);
}

static int unknown(const struct hardware *hardware, const char *name, char *why, size_t size)
{
	struct suggest suggest;
	char names[256];

	suggest_init(&suggest, name);
	for (unsigned int i = 0; i < generic_count; i++) {
		suggest_offer(&suggest, generic_events[i].name);
		if (generic_events[i].other_name)
			suggest_offer(&suggest, generic_events[i].other_name);
	}
	pfm_visit(hardware, offer_event, &suggest);
	for (unsigned int i = 0; hardware->core == HWPMC_CLASS_ARMV8 && i < pmuv3_count; i++)
		suggest_offer(&suggest, pmuv3_events[i].name);
	suggest_format(&suggest, names, sizeof(names));
	suggest_free(&suggest);
	if (names[0])
		snprintf(why, size, "unknown event '%s'; did you mean %s?", name, names);
	else
		snprintf(why, size, "unknown event '%s'; 'pmctl list' shows all events", name);
	return -1;
}

static int refuse(const char *name, const char *reason, char *why, size_t size)
{
	snprintf(why, size, "event '%s': %s", name, reason);
	return -1;
}

struct wanted {
	char *name;
	bool found;
};

static void look_for(const struct pfm_event *event, void *context)
{
	struct wanted *wanted = context;

	wanted->found |= !strcasecmp(event->name, wanted->name);
}

/* Whether @mask is a unit mask of the event: "S" in "L2_LINES_IN:S". */
static bool is_mask(const struct hardware *hardware, const char *name, const char *mask)
{
	const char *colons = strstr(name, "::"), *event = colons ? colons + 2 : name;
	struct wanted wanted = {
		.name = xasprintf("%.*s:%s", (int)strcspn(event, ":"), event, mask),
	};

	pfm_visit(hardware, look_for, &wanted);
	free(wanted.name);
	return wanted.found;
}

static int resolve_name(const struct hardware *hardware, const char *name, struct event *event,
			char *why, size_t size)
{
	const struct generic *generic = generic_find(name);
	const struct pmuv3_event *architected;
	const char *foreign = spec_foreign(name);
	struct event_code code;
	char reason[256];

	if (foreign && !is_mask(hardware, name, foreign))
		return spec_refuse_foreign(foreign, why, size);
	if (generic) {
		use_generic(hardware, generic, event);
		return 0;
	}
	architected = hardware->core == HWPMC_CLASS_ARMV8 ? pmuv3_find(name) : NULL;
	if (!pfm_encode(hardware, name, &code, reason, sizeof(reason)))
		event->codes[event->code_count++] = code;
	else if (architected)
		add_code(event, hardware->core, architected->number);
	else if (!reason[0])
		return unknown(hardware, name, why, size);
	else
		return refuse(name, reason, why, size);
	return 0;
}

/* "cpu/cycles/" means the same as "cycles". */
static int resolve_terms(const struct hardware *hardware, const struct spec *spec,
			 struct event *event, char *why, size_t size)
{
	if (spec->term_count == 1 && !spec->terms[0].value)
		return resolve_name(hardware, spec->terms[0].key, event, why, size);
	if (pmu_terms_encode(hardware, spec, &event->codes[0], why, size))
		return -1;
	event->code_count = hardware_class(hardware, event->codes[0].class_id) ? 1 : 0;
	return 0;
}

int event_resolve(const struct hardware *hardware, const struct spec *spec, struct event *event,
		  char *why, size_t size)
{
	int result = 0;

	memset(event, 0, sizeof(*event));
	event->file = -1;
	if (spec->kind == SPEC_TERMS)
		result = resolve_terms(hardware, spec, event, why, size);
	else if (spec->kind == SPEC_NAME)
		result = resolve_name(hardware, spec->text, event, why, size);
	else if (spec->kind == SPEC_PROBE)
		add_code(event, HWPMC_CLASS_PROBE, 0);
	else if (hardware->core)
		add_code(event, hardware->core, spec->raw);
	if (result)
		return -1;
	event->name = xstrdup(spec->text);
	if (spec->kind == SPEC_PROBE)
		event->codes[0].name = event->name;
	event->modifiers = spec->modifiers;
	event->group = spec->group;
	if (event->kind == KIND_OTHER && event->code_count)
		event->kind = generic_kind(hardware, event->codes[0].class_id,
					   event->codes[0].event);
	return 0;
}

void event_free(struct event *event)
{
	if (event->file >= 0)
		close(event->file);
	free(event->filters);
	free(event->probe);
	free(event->name);
	memset(event, 0, sizeof(*event));
	event->file = -1;
}
