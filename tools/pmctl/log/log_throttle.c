// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/log_throttle.h"

struct key {
	uint32_t pmc;
	uint32_t cpu;
};

void log_throttle_init(struct log_throttle *throttle)
{
	memset(throttle, 0, sizeof(*throttle));
	intern_init(&throttle->keys, sizeof(struct key));
}

void log_throttle_free(struct log_throttle *throttle)
{
	intern_free(&throttle->keys);
	free(throttle->periods);
	memset(throttle, 0, sizeof(*throttle));
}

static uint64_t *period_of(struct log_throttle *throttle, const struct hwpmc_log_header *record)
{
	struct key key = { .pmc = record->id, .cpu = record->cpu };
	uint32_t before = throttle->keys.count, id = intern_id(&throttle->keys, &key);

	if (id == before) {
		throttle->periods = xgrow(throttle->periods, id, sizeof(*throttle->periods));
		throttle->periods[id] = 0;
	}
	return &throttle->periods[id];
}

static void set(struct log_throttle *throttle, uint64_t *period, uint64_t value)
{
	throttle->waiting += (value ? 1U : 0U) - (*period ? 1U : 0U);
	*period = value;
}

void log_throttle_take(struct log_throttle *throttle, const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_throttle *change = (const void *)record;
	bool on = record->flags & HWPMC_THROTTLE_ON;

	set(throttle, period_of(throttle, record), on ? 0 : change->period);
}

/*
 * A throttled PMC takes samples only when it stops or its thread is scheduled out: these are late,
 * and have no chain. If it took none before the throttling ended, the first sample after the end is
 * due at once, and represents all events since the throttling began.
 */
bool log_throttle_spans(struct log_throttle *throttle, const struct hwpmc_log_sample *sample)
{
	const unsigned int marks = HWPMC_SAMPLE_LATE | HWPMC_SAMPLE_CUT;
	uint64_t *period, usual = 0;

	if (throttle->waiting) {
		period = period_of(throttle, &sample->h);
		usual = *period;
		set(throttle, period, 0);
	}
	return ((sample->h.flags & marks) == marks && !sample->chain_offset) ||
	       (usual && sample->period > usual);
}
