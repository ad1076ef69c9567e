/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SPEC_H
#define PMCTL_SPEC_H

#include <stddef.h>
#include <stdint.h>

#define MODIFIER_USER	(1U << 0)	/* :u */
#define MODIFIER_KERNEL	(1U << 1)	/* :k */

enum spec_kind {
	SPEC_NAME,	/* cycles, L1D_CACHE, pmu::EVENT:UMASK */
	SPEC_RAW,	/* r1b, as perf */
	SPEC_TERMS,	/* cpu/event=0x11,umask=1/ */
};

/**
 * struct spec_term - what stands between the commas of cpu/.../
 * @key: before the =
 * @value: behind it, NULL without a =
 */
struct spec_term {
	char *key;
	char *value;
};

/**
 * struct spec - one event as it was typed; nothing looked up yet
 * @kind: which way it was written
 * @text: without its modifiers
 * @modifiers: MODIFIER_*; none means both
 * @group: number of its {group}, 0 if it stands alone
 * @raw: SPEC_RAW: the number
 * @pmu: SPEC_TERMS: before the first slash
 * @terms: SPEC_TERMS: between the slashes
 * @term_count: how many
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
 * @count: how many
 * @groups: how many groups there are
 */
struct spec_list {
	struct spec *specs;
	unsigned int count;
	unsigned int groups;
};

/* Adds the events of one -e. 0, or -1 and a sentence in @why. */
int spec_parse(const char *text, struct spec_list *list, char *why, size_t size);
void spec_list_free(struct spec_list *list);

/*
 * Behind the last colon of a name may be letters that are modifiers for perf,
 * and not for us. Whether they are a unit mask's name instead is not known here.
 * Those letters, or NULL; and the sentence that refuses them, with -1.
 */
const char *spec_foreign(const char *name);
int spec_refuse_foreign(const char *letters, char *why, size_t size);

#endif
