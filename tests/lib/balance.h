/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What follows the tasks must be what system-wide PMCs count on
 * the CPUs, to a few instructions, for nobody else is in user mode meanwhile.
 * Four PMCs that run together: of a target, of the test itself, and of the CPUs
 * 0 and 1.
 */
#ifndef HWPMC_TEST_BALANCE_H
#define HWPMC_TEST_BALANCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { TARGET, TEST, CPU0, CPU1, BALANCE_PMCS };

struct balance {
	int fd;
	uint32_t ids[BALANCE_PMCS];
	uint64_t values[BALANCE_PMCS];
};

void balance_allocate(struct balance *balance);
void balance_start(struct balance *balance, pid_t target);	/* attaches, too */
void balance_read(struct balance *balance);
void balance_close(struct balance *balance);			/* stops and reads before */
bool check_balance(const struct balance *balance, const char *name);

/* A child that keeps CPU 0 busy. Books that begin meanwhile have it in TEST. */
void busy_cpu0_begin(void);
void busy_cpu0_end(void);

#endif /* HWPMC_TEST_BALANCE_H */
