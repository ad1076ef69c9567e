/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_PFM_H
#define PMCTL_PFM_H

#include <stddef.h>
#include <stdint.h>

#include "event/hardware.h"

/* What is known of an event by name: handed to a pfm_visit_fn. */
struct pfm_event {
	const char *name;	/* "L1D_CACHE", "L2_RQSTS:MISS" */
	const char *brief;
	const char *pmu;	/* libpfm4's name of the PMU */
};

typedef void (*pfm_visit_fn)(const struct pfm_event *event, void *context);

/* libpfm4's name of this machine's core PMU, or NULL when it knows none. */
const char *pfm_core(const struct hardware *hardware);

/*
 * An event of the core PMU, in the class hardware->core; or in class IAF if
 * libpfm4 says that only a fixed counter counts it. 0, or -1: there is none of
 * that name, or what is wrong with it is in @why.
 */
int pfm_encode(const struct hardware *hardware, const char *name, struct event_code *code,
	       char *why, size_t size);

/* Every event of the core PMU, with each of its unit masks. */
void pfm_visit(const struct hardware *hardware, pfm_visit_fn visit, void *context);

#endif
