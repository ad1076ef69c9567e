/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_PROFILE_PMC_H
#define PMCTL_PROFILE_PMC_H

#include "report/profile.h"

/**
 * struct profile_pmc - a PMC of the log
 * @id: its handle
 * @class_id: of ALLOCATE, for want of a name
 * @code: likewise
 * @event: what came of it; its name in names, 0 without
 */
struct profile_pmc {
	uint32_t id;
	uint32_t class_id;
	uint64_t code;
	struct profile_event event;
};

/* The number of PMC @id in profile->pmcs. */
uint32_t profile_pmc(struct profile *profile, uint32_t id);
/* ALLOCATE, EVENT, DROP, THROTTLE. */
void profile_pmc_take(struct profile *profile, const struct hwpmc_log_header *record);
/* Makes profile->events. Return: the event of each PMC, to be freed. */
uint32_t *profile_pmc_events(struct profile *profile);

#endif
