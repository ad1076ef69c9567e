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
 * @kind: what it is about
 * @codes: ways to count it; the first that the machine implements is taken, one of
 *	another class also when all rows of the first are
 * @code_count: how many; 0: this machine cannot count it
 */
struct event {
	char *name;
	unsigned int modifiers;
	unsigned int group;
	enum kind kind;
	struct event_code codes[2 * GENERIC_CODES];
	unsigned int code_count;
};

/*
 * Finds out how this machine counts what was typed. 0; an event that is known
 * but not there is a success with no codes. -1: no such event, and in @why a
 * sentence that names the nearest ones.
 */
int event_resolve(const struct hardware *hardware, const struct spec *spec, struct event *event,
		  char *why, size_t size);
void event_free(struct event *event);

/* ":u", ":k" or "": @modifiers as they stand behind a name, without the colon. */
const char *modifier_letters(unsigned int modifiers);

#endif
