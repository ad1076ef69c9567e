/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds samples that represent a span in which their PMC was throttled: their events occurred at
 * places without a sample, not at the sample's address.
 */
#ifndef PMCTL_LOG_THROTTLE_H
#define PMCTL_LOG_THROTTLE_H

#include <stdbool.h>

#include "base/intern.h"
#include "log/log_record.h"

/**
 * struct log_throttle - the throttling of all PMCs, while a log is read
 * @keys: PMCs and CPUs on which a throttling has ended
 * @periods: by the same number: the PMC's period if its next sample is still to be read, else 0
 * @waiting: number of @periods that are not 0
 */
struct log_throttle {
	struct intern keys;
	uint64_t *periods;
	uint32_t waiting;
};

void log_throttle_init(struct log_throttle *throttle);
void log_throttle_free(struct log_throttle *throttle);

/* Takes a THROTTLE record. Those of a CPU, and its samples, are taken in the order of time. */
void log_throttle_take(struct log_throttle *throttle, const struct hwpmc_log_header *record);

/* Whether a sample represents a throttled span. */
bool log_throttle_spans(struct log_throttle *throttle, const struct hwpmc_log_sample *sample);

#endif
