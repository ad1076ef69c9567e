/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in a log, or in what read(2) gave. */
#ifndef HWPMC_TEST_LOG_SUMMARY_H
#define HWPMC_TEST_LOG_SUMMARY_H

#include <linux/hwpmc_log.h>

#include "test.h"

/**
 * struct log_summary - what was seen
 * @types: records of each type
 * @records: of all
 * @samples_lost: that DROP records of PMCs tell of
 * @cookies: of HWPMC_IOC_LOG_WRITE, a bit each, below 32
 * @whole: the last record ends where the data does
 * @first: the first record begins a log
 * @last: the last one ends it
 * @text: one of them says "a text"
 * @allocate: the last ALLOCATE record
 * @attach: the last ATTACH record
 * @detach: the last DETACH record
 * @lost: that DROP records of no PMC tell of
 * @times: of the last record of each cookie, in ns
 * @child: of whom the next are
 * @child_thread: it has made a thread
 * @child_thread_exit: which has ended
 * @child_name: it calls itself "renamed"
 */
struct log_summary {
	unsigned long types[32];
	unsigned long records;
	uint64_t samples_lost;
	uint32_t cookies;
	bool whole, first, last;
	bool text;
	struct hwpmc_log_allocate allocate;
	struct hwpmc_log_attach attach, detach;
	uint64_t lost;
	uint64_t times[32];
	pid_t child;
	bool child_fork, child_exec, child_map, child_exit;
	bool child_thread, child_thread_exit, child_name;
};

/* Add all records of @size bytes from @at. */
void log_summary_add(struct log_summary *s, const char *at, size_t size);

#endif /* HWPMC_TEST_LOG_SUMMARY_H */
