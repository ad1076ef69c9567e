/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sorts the records of all rings by time. Each ring belongs to one CPU, and they are read one after
 * the other: the next record of a thread that migrated may be in a ring that was read before.
 */
#ifndef PMCTL_ORDER_H
#define PMCTL_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <linux/hwpmc_log.h>

struct order_entry {
	uint64_t time;
	uint64_t sequence;
	struct hwpmc_log_header *record;
};

/**
 * struct order - records that were read and not yet taken
 * @entries: copies of them
 * @count: number of records
 * @room: allocated length of @entries
 * @sequence: number of the next record
 */
struct order {
	struct order_entry *entries;
	size_t count;
	size_t room;
	uint64_t sequence;
};

void order_add(struct order *order, const struct hwpmc_log_header *record);
/* Returns, in the order of time, the records that are older than @time. */
void order_take(struct order *order, uint64_t time,
		void (*take)(const struct hwpmc_log_header *record, void *context), void *context);
void order_free(struct order *order);

#endif
