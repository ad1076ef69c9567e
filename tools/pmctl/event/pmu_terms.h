/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_PMU_TERMS_H
#define PMCTL_PMU_TERMS_H

#include <stddef.h>

#include "event/hardware.h"
#include "event/spec.h"

/*
 * Encodes "cpu/event=0x2e,umask=0x41/": the text before the slash selects the class, and the terms
 * are combined to the event. Returns 0, or -1 with a message in @why.
 */
int pmu_terms_encode(const struct hardware *hardware, const struct spec *spec,
		     struct event_code *code, char *why, size_t size);

#endif
