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
 * @samples_lost: sum of the losses in DROP records of PMCs
 * @cookies: cookies of HWPMC_IOC_LOG_WRITE, which must be below 32, one bit each
 * @whole: the last record ends at the end of the data
 * @first: the first record is INITIALIZE
 * @last: the last record is CLOSE
 * @text: the text of a record is "a text"
 * @allocate: the last ALLOCATE record
 * @attach: the last ATTACH record
 * @detach: the last DETACH record
 * @lost: sum of the losses in DROP records without a PMC
 * @unwritten: records that the CLOSE record counts as lost
 * @times: time of the last record of each cookie, in ns
 * @child: the process whose records the next fields are about
 * @child_fork: there is FORK, before EXEC
 * @child_exec: there is EXEC of /proc/self/exe
 * @child_map: there is MAP_IN of this program, after EXEC
 * @child_exit: there is EXIT, after EXEC
 * @child_thread: there is FORK of a second thread, after EXEC
 * @child_thread_exit: there is EXIT of that thread
 * @child_name: the last COMM is "renamed"
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
