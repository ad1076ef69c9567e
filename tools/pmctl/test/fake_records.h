/* SPDX-License-Identifier: GPL-2.0-only */
/* What the fake device writes into its rings. */
#ifndef PMCTL_TEST_FAKE_RECORDS_H
#define PMCTL_TEST_FAKE_RECORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/hwpmc.h>
#include <linux/hwpmc_log.h>

/**
 * struct fake_pmc - a PMC of the fake device
 * @event: the event's number; 0 for a probe
 * @mode: as ALLOCATE has it
 * @flags: likewise
 * @args: likewise
 * @string: likewise
 * @period: of ALLOCATE
 * @returns: of a probe: 1 at the return, 0 at the entry
 */
struct fake_pmc {
	uint64_t event;
	unsigned int mode, flags, args, string;
	uint64_t period;
	int returns;
};

void fake_records_allocate(unsigned int id, const struct fake_pmc *pmc);
/* The process @target begins, with one mapping. */
void fake_records_process(int target);
/* Whether it is in a sampling mode. */
bool fake_records_samples(const struct fake_pmc *pmc);
/* The records of a PMC that counts or samples @target; adds to @sampled. */
void fake_records_start(unsigned int id, const struct fake_pmc *pmc, int target,
			struct hwpmc_sampled *sampled);
/* The record of the samples that were lost since the last one. */
void fake_records_drop(struct hwpmc_sampled *sampled);

#endif /* PMCTL_TEST_FAKE_RECORDS_H */
