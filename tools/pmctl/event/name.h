/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_NAME_H
#define PMCTL_NAME_H

#include <stdint.h>

#include "event/hardware.h"

/* "ARMV8", "SOFT"; "?" for a number that is no class. */
const char *name_class(unsigned int class_id);

/*
 * What stat -e would count as event number @event of a class with HWPMC_CAP_* @caps, with its
 * modifiers: "cycles:u", "r1b", or "MOCK 0x1" if stat has no name for it. To be freed.
 *
 * @hardware: this machine's counters, or all 0 if unknown: then events whose numbers depend on the
 *	CPU are shown by number.
 */
char *name_event(const struct hardware *hardware, unsigned int class_id, uint64_t event,
		 uint64_t caps);

#endif
