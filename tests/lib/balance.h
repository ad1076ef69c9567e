/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counts of tasks must sum up to the system-wide counts of the CPUs within a few
 * instructions, because no other task runs in user mode. Four PMCs run together: of a
 * target, of the test itself, of CPU 0 and of CPU 1.
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
void balance_start(struct balance *balance, pid_t target);	/* attaches to @target first */
void balance_read(struct balance *balance);
void balance_close(struct balance *balance);			/* stops and reads the PMCs first */
bool check_balance(const struct balance *balance, const char *name);

/* A child that keeps CPU 0 busy. A balance that starts while the child runs counts it in TEST. */
void busy_cpu0_begin(void);
void busy_cpu0_end(void);

#endif /* HWPMC_TEST_BALANCE_H */
