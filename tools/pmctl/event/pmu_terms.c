// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "event/pmu_terms.h"

/* The bits of a term in the event selection register of x86. */
static const struct {
	const char *key;
	unsigned int shift;
	unsigned int width;
} x86_terms[] = {
	{ "umask", 8, 8 },
	{ "edge", 18, 1 },
	{ "any", 21, 1 },
	{ "inv", 23, 1 },
	{ "cmask", 24, 8 },
};

/* "cpu", "cpu_core", "armv8_pmuv3_0" are perf's names; "IAP" and others are class names. */
static unsigned int class_of(const struct hardware *hardware, const char *pmu)
{
	if (!strcasecmp(pmu, "cpu") || !strncasecmp(pmu, "cpu_", 4))
		return hardware->core;
	if (!strncasecmp(pmu, "armv8", 5) || !strncasecmp(pmu, "armv9", 5))
		return HWPMC_CLASS_ARMV8;
	for (unsigned int i = 0; i < hardware->class_count; i++)
		if (!strcasecmp(pmu, hardware->classes[i].name))
			return hardware->classes[i].class_id;
	return 0;
}

/* Class 0 is "cpu" on a machine without programmable counters, an x86 VM. */
static int is_x86(unsigned int class_id)
{
	return !class_id || class_id == HWPMC_CLASS_IAP || class_id == HWPMC_CLASS_AMD;
}

/* perf's names for the extra register of some Intel events. */
static int is_extra(const char *key)
{
	return !strcasecmp(key, "offcore_rsp") || !strcasecmp(key, "ldlat") ||
	       !strcasecmp(key, "frontend");
}

static int fits(uint64_t value, unsigned int width)
{
	return width >= 64 || value >> width == 0;
}

/* Event bits 0-7 are register bits 0-7; on AMD event bits 8-11 are register bits 32-35. */
static int add_event(struct event_code *code, uint64_t value)
{
	if (code->class_id != HWPMC_CLASS_AMD) {
		code->event |= value;
		return fits(value, code->class_id == HWPMC_CLASS_IAP ? 8 : 64) ? 0 : -1;
	}
	code->event |= (value & 0xff) | (value >> 8 & 0xf) << 32;
	return fits(value, 12) ? 0 : -1;
}

/* Returns 0; 1 for an unknown term; -1 for a value that is too large. */
static int add_term(struct event_code *code, const char *key, uint64_t value)
{
	if (!strcasecmp(key, "event"))
		return add_event(code, value);
	if (!strcasecmp(key, "config")) {
		code->event |= value;
		return 0;
	}
	if (!strcasecmp(key, "config1") || !strcasecmp(key, "config2")) {
		code->config[key[6] - '1'] = value;
		return 0;
	}
	if (code->class_id == HWPMC_CLASS_IAP && is_extra(key)) {
		code->config[0] = value;
		return 0;
	}
	if (!is_x86(code->class_id))
		return 1;
	for (size_t i = 0; i < sizeof(x86_terms) / sizeof(x86_terms[0]); i++) {
		if (strcasecmp(key, x86_terms[i].key))
			continue;
		/* AMD has no AnyThread. */
		if (code->class_id == HWPMC_CLASS_AMD && x86_terms[i].shift == 21)
			return 1;
		code->event |= value << x86_terms[i].shift;
		return fits(value, x86_terms[i].width) ? 0 : -1;
	}
	return 1;
}

static int one_term(const struct spec *spec, const struct spec_term *term, struct event_code *code,
		    char *why, size_t size)
{
	uint64_t value = 1;	/* "inv" is "inv=1" */

	if (!term->value && !strcasecmp(term->key, "event")) {
		snprintf(why, size, "event '%s': write event=NUMBER", spec->text);
		return -1;
	}
	if (term->value && number_parse_u64(term->value, 0, &value)) {
		snprintf(why, size, "event '%s': '%s' is not a number", spec->text, term->value);
		return -1;
	}
	switch (add_term(code, term->key, value)) {
	case 0:
		return 0;
	case 1:
		snprintf(why, size, "event '%s': '%s' has no term '%s'; use event=, config=%s",
			 spec->text, spec->pmu, term->key,
			 is_x86(code->class_id) ? ", umask=, cmask=, edge or inv" : "");
		return -1;
	default:
		snprintf(why, size, "event '%s': %s=%#llx is too large", spec->text, term->key,
			 (unsigned long long)value);
		return -1;
	}
}

int pmu_terms_encode(const struct hardware *hardware, const struct spec *spec,
		     struct event_code *code, char *why, size_t size)
{
	memset(code, 0, sizeof(*code));
	code->class_id = class_of(hardware, spec->pmu);
	/* "cpu" on a machine without programmable counters is a valid name without codes. */
	if (!code->class_id && strcasecmp(spec->pmu, "cpu")) {
		snprintf(why, size,
			 "event '%s': there is no PMU or class '%s'; 'pmctl info' lists the classes",
			 spec->text, spec->pmu);
		return -1;
	}
	for (unsigned int i = 0; i < spec->term_count; i++)
		if (one_term(spec, &spec->terms[i], code, why, size))
			return -1;
	return 0;
}
