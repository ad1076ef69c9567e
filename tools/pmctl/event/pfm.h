/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_PFM_H
#define PMCTL_PFM_H

#include <stddef.h>
#include <stdint.h>

#include "event/hardware.h"

/* An event of libpfm4, for a pfm_visit_fn. */
struct pfm_event {
	const char *name;	/* "L1D_CACHE", "L2_RQSTS:MISS" */
	const char *brief;
	const char *pmu;	/* libpfm4's name of the PMU */
};

typedef void (*pfm_visit_fn)(const struct pfm_event *event, void *context);

/* Returns libpfm4's name of this machine's core PMU, or NULL if libpfm4 does not support it. */
const char *pfm_core(const struct hardware *hardware);

/*
 * Encodes an event of the core PMU for class hardware->core, or for class IAF if only a
 * fixed counter counts it. 0, or -1 with the reason in @why; @why is empty if there is no
 * event of that name.
 */
int pfm_encode(const struct hardware *hardware, const char *name, struct event_code *code,
	       char *why, size_t size);

/* Calls @visit for every event of the core PMU, and for each of its unit masks. */
void pfm_visit(const struct hardware *hardware, pfm_visit_fn visit, void *context);

#endif
