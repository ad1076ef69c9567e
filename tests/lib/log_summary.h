/* SPDX-License-Identifier: GPL-2.0-only */
/* A summary of a log, or of records from read(2). */
#ifndef HWPMC_TEST_LOG_SUMMARY_H
#define HWPMC_TEST_LOG_SUMMARY_H

#include <linux/hwpmc_log.h>

#include "test.h"

/**
 * struct log_summary - what the records contain
 * @types: number of records of each type
 * @records: number of records
 * @samples_lost: sum of the DROP records of PMCs
 * @cookies: of HWPMC_IOC_LOG_WRITE, below 32, one bit each
 * @whole: the last record ends at the end of the data
 * @first: the first record is INITIALIZE
 * @last: the last record is CLOSE
 * @text: the text of a record is "a text"
 * @allocate: the last ALLOCATE record
 * @attach: the last ATTACH record
 * @detach: the last DETACH record
 * @lost: sum of the DROP records of no PMC
 * @unwritten: records that the CLOSE record counts as lost
 * @times: of the last record of each cookie, in ns
 * @child: the process that the next fields describe
 * @child_fork: FORK, before EXEC
 * @child_exec: EXEC of /proc/self/exe
 * @child_map: MAP_IN of this program, after EXEC
 * @child_exit: EXIT, after EXEC
 * @child_thread: FORK of a thread
 * @child_thread_exit: EXIT of that thread
 * @child_name: COMM "renamed"
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
	uint64_t unwritten;
	uint64_t times[32];
	pid_t child;
	bool child_fork, child_exec, child_map, child_exit;
	bool child_thread, child_thread_exit, child_name;
};

/* Adds the records in @size bytes from @at, in the order of their times. */
void log_summary_add(struct log_summary *s, const char *at, size_t size);

/* Adds the records of a file. @child: see struct log_summary */
struct log_summary log_summary_file(const char *path, pid_t child);

#endif /* HWPMC_TEST_LOG_SUMMARY_H */
