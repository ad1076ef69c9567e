/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SPEC_H
#define PMCTL_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODIFIER_USER	(1U << 0)	/* :u */
#define MODIFIER_KERNEL	(1U << 1)	/* :k */

enum spec_kind {
	SPEC_NAME,	/* cycles, L1D_CACHE, pmu::EVENT:UMASK */
	SPEC_RAW,	/* r1b, as in perf */
	SPEC_TERMS,	/* cpu/event=0x11,umask=1/ */
	SPEC_PROBE,	/* syscall:openat:entry: the module looks up the name */
};

/**
 * struct spec_term - a term of cpu/term,term/
 * @key: before the =
 * @value: after the =; NULL without
 */
struct spec_term {
	char *key;
	char *value;
};

/**
 * struct spec - one event as it was typed, before it is looked up
 * @kind: the syntax that was used
 * @text: without its modifiers
 * @modifiers: MODIFIER_*; none means both
 * @group: number of its {group}, 0 without a group
 * @raw: SPEC_RAW: the number
 * @pmu: SPEC_TERMS: what precedes the first slash
 * @terms: SPEC_TERMS: the terms between the slashes
 * @term_count: number of terms
 */
struct spec {
	enum spec_kind kind;
	char *text;
	unsigned int modifiers;
	unsigned int group;
	uint64_t raw;
	char *pmu;
	struct spec_term *terms;
	unsigned int term_count;
};

/**
 * struct spec_list - all the events of all -e options
 * @specs: in the order they were typed
 * @count: number of events
 * @groups: number of groups
 */
struct spec_list {
	struct spec *specs;
	unsigned int count;
	unsigned int groups;
};

/* Adds the events of one -e. 0, or -1 with a message in @why. */
int spec_parse(const char *text, struct spec_list *list, char *why, size_t size);
void spec_list_free(struct spec_list *list);

/*
 * Whether @text is the name of a probe or a pattern of such names: it begins with "syscall:" or
 * another provider.
 */
bool spec_is_probe(const char *text);

/*
 * spec_foreign() returns the letters after the last colon of a name if perf has them as
 * modifiers and pmctl does not support them; else NULL. They may be a unit mask instead: the
 * caller checks that. spec_refuse_foreign() writes a message about them and returns -1.
 */
const char *spec_foreign(const char *name);
int spec_refuse_foreign(const char *letters, char *why, size_t size);

#endif
