// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "probe/order.h"

void order_add(struct order *order, const struct hwpmc_log_header *record)
{
	struct order_entry *entry;

	if (order->count == order->room) {
		order->room = order->room ? 2 * order->room : 256;
		order->entries = xrealloc(order->entries, order->room, sizeof(*order->entries));
	}
	entry = &order->entries[order->count++];
	entry->time = record->time;
	entry->sequence = order->sequence++;
	entry->record = xcalloc(1, record->length);
	memcpy(entry->record, record, record->length);
}

static int compare(const void *left, const void *right)
{
	const struct order_entry *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->sequence < b->sequence ? -1 : 1;
}

void order_take(struct order *order, uint64_t time,
		void (*take)(const struct hwpmc_log_header *record, void *context), void *context)
{
	size_t taken = 0;

	if (order->count)
		qsort(order->entries, order->count, sizeof(*order->entries), compare);
	for (; taken < order->count && order->entries[taken].time < time; taken++) {
		take(order->entries[taken].record, context);
		free(order->entries[taken].record);
	}
	order->count -= taken;
	if (taken)
		memmove(order->entries, order->entries + taken,
			order->count * sizeof(*order->entries));
}

void order_free(struct order *order)
{
	for (size_t i = 0; i < order->count; i++)
		free(order->entries[i].record);
	free(order->entries);
	memset(order, 0, sizeof(*order));
}
