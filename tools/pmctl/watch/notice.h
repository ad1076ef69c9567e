/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_NOTICE_H
#define PMCTL_NOTICE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "watch/pmc.h"

struct nlattr;

/**
 * struct notice - an event of the module, see enum hwpmc_nl_what
 * @what: HWPMC_NL_WHAT_*
 * @time: when, in ns since 1970
 * @count: how often, or how many
 * @owned: it is about an action of a process, not about the machine
 * @pmc: that process, and the PMC if the notice is about a PMC
 */
struct notice {
	unsigned int what;
	uint64_t time;
	uint64_t count;
	bool owned;
	struct pmc pmc;
};

/* Converts the attributes of a message. Call notice_free() after use. */
void notice_read(struct notice *notice, struct nlattr **attrs, const struct hardware *hardware);
void notice_free(struct notice *notice);

/* The kind of a notice by its name, such as "start"; -1 if there is none. */
int notice_find(const char *name);

/* Writes a line of text, or one JSON object. */
void notice_print(const struct notice *notice, FILE *out);
void notice_print_json(const struct notice *notice, FILE *out);

#endif
