/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures the time from an entry to the return of the same thread. */
#ifndef PMCTL_LATENCY_H
#define PMCTL_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct latency - entries without a return so far
 * @open: tsearch() tree of struct latency_entry, by thread
 * @count: number of entries in it
 * @limit: the most entries
 * @no_return: number of entries without a return before the next entry of the thread
 * @no_entry: number of returns without an entry
 */
struct latency {
	void *open;
	uint32_t count;
	uint32_t limit;
	uint64_t no_return;
	uint64_t no_entry;
};

/*
 * A recursive function is measured from its last entry to its first return; the others are counted
 * in @no_return and @no_entry.
 */
void latency_enter(struct latency *latency, int tid, uint64_t time);
/* Whether there was an entry: then @ns is the time since the entry. */
bool latency_leave(struct latency *latency, int tid, uint64_t time, int64_t *ns);
void latency_free(struct latency *latency);

#define LATENCY_TEXT_MAX	32
/* "812 ns", "1.02 us", "16.4 ms": three digits. In @buf of LATENCY_TEXT_MAX bytes. */
const char *latency_text(double ns, char *buf);

#endif
