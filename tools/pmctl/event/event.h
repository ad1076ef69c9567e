/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_EVENT_H
#define PMCTL_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "event/generic.h"
#include "event/hardware.h"
#include "event/spec.h"

/**
 * struct event - one event to count
 * @name: as typed, without modifiers
 * @modifiers: MODIFIER_*; none means both
 * @group: number of its group, 0 none
 * @kind: what it counts
 * @codes: ways to count it. The first that the machine implements is used; one of another
 *	class also if all rows of the first are taken
 * @code_count: number of codes; 0: this machine cannot count it
 * @probe: a probe in a file: its name for the module; else NULL
 * @file: the file with the probe, or -1
 * @filters: a probe: conditions that its events must meet
 * @filter_count: number of them
 * @args: a sampled probe: number of arguments in each record
 * @string: likewise: the argument whose string is copied, as in struct hwpmc_allocate
 */
struct event {
	char *name;
	unsigned int modifiers;
	unsigned int group;
	enum kind kind;
	struct event_code codes[2 * GENERIC_CODES];
	unsigned int code_count;
	char *probe;
	int file;
	struct hwpmc_filter *filters;
	unsigned int filter_count;
	unsigned int args;
	unsigned int string;
};

/*
 * Finds the codes with which this machine counts @spec. 0, also for a known event that this
 * machine does not have: it has no codes. -1 for an unknown event, with a message in @why that
 * suggests similar names.
 */
int event_resolve(const struct hardware *hardware, const struct spec *spec, struct event *event,
		  char *why, size_t size);
void event_free(struct event *event);

/* @modifiers as letters, as after the colon of a name: "u", "k", "uk" or "". */
const char *modifier_letters(unsigned int modifiers);

#endif
