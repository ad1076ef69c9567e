/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The periods with which the PMCs of a log were allocated. A SAMPLE record that represents exactly
 * one such period omits it.
 */
#ifndef PMCTL_LOG_PERIOD_H
#define PMCTL_LOG_PERIOD_H

#include "base/intern.h"
#include "log/log_record.h"

/**
 * struct log_periods - the periods that ALLOCATE records have
 * @ids: the PMCs
 * @counts: by the number of a PMC in @ids: its period, in events
 * @last: the number in @ids of the PMC that was looked up last
 */
struct log_periods {
	struct intern ids;
	uint64_t *counts;
	uint32_t last;
};

void log_periods_init(struct log_periods *periods);
void log_periods_free(struct log_periods *periods);

/* Takes the period of an ALLOCATE record. */
void log_periods_take(struct log_periods *periods, const struct hwpmc_log_allocate *record);

/* The period with which PMC @id was allocated, in events; 0: no ALLOCATE record was taken. */
uint64_t log_periods_of(struct log_periods *periods, uint32_t id);

#endif
