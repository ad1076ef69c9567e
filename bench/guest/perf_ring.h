/* SPDX-License-Identifier: GPL-2.0-only */
/* perf's ring of RING_SIZE bytes, behind its header page. Inline, since reading it is measured. */
#ifndef BENCH_PERF_RING_H
#define BENCH_PERF_RING_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

/* Bytes of the mapping: the header page and the ring. */
static inline size_t perf_ring_map_size(void)
{
	return RING_SIZE + sysconf(_SC_PAGESIZE);
}

/*
 * The record at position @at of the ring at @data. One that wraps at the ring's end is copied to
 * contiguous memory, which is valid until the next one wraps.
 */
static inline const struct perf_event_header *perf_ring_record(const unsigned char *data,
							       uint64_t at)
{
	static uint64_t copy[8192];
	size_t place = at & (RING_SIZE - 1);
	const struct perf_event_header *record = (const void *)(data + place);

	if (place + record->size <= RING_SIZE)
		return record;
	memcpy(copy, record, RING_SIZE - place);
	memcpy((char *)copy + RING_SIZE - place, data, record->size - (RING_SIZE - place));
	return (const void *)copy;
}

#endif
