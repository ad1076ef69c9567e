// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/log_period.h"

void log_periods_init(struct log_periods *periods)
{
	memset(periods, 0, sizeof(*periods));
	intern_init(&periods->ids, sizeof(uint32_t));
}

void log_periods_free(struct log_periods *periods)
{
	intern_free(&periods->ids);
	free(periods->counts);
	memset(periods, 0, sizeof(*periods));
}

void log_periods_take(struct log_periods *periods, const struct hwpmc_log_allocate *record)
{
	uint32_t before = periods->ids.count, number = intern_id(&periods->ids, &record->h.id);

	if (number == before)
		periods->counts = xgrow(periods->counts, number, sizeof(*periods->counts));
	periods->counts[number] = record->count;
}

/* Most samples are of the same PMC as the one before. */
uint64_t log_periods_of(struct log_periods *periods, uint32_t id)
{
	uint32_t number = periods->last;

	if (number >= periods->ids.count ||
	    *(const uint32_t *)intern_at(&periods->ids, number) != id) {
		number = intern_find(&periods->ids, &id);
		if (number == INTERN_NONE)
			return 0;
		periods->last = number;
	}
	return periods->counts[number];
}
