/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf and the module take the PMU in turns: one counts instructions of this task, and the other is
 * refused.
 */
#ifndef HWPMC_TEST_PERF_TURNS_H
#define HWPMC_TEST_PERF_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#define ROUNDS		100000ULL	/* of two instructions, in each turn */
#define PERIOD		(ROUNDS / 2 + 1)
#define PERF_HOLDS	"perf holds the counters"

/*
 * Opens perf's event of this process, or of all of @cpu; it samples if @period is not 0. Returns
 * the descriptor, or -errno.
 */
int perf_open(int cpu, uint64_t period);
/* Returns the count; sets @running to the time in ns for which the event was on a PMU. */
uint64_t perf_read(int perf, uint64_t *running);

/* Allocates a virtual PMC whose count begins at @start. Returns an id > 0, or -errno. */
int64_t hwpmc_open(int fd, uint64_t start);
/* Whether CPU_INFO reports that perf holds the counters. */
bool perf_holds(int fd);

/* Whether @value may be what a turn counts. */
bool turn_near(uint64_t value);
/*
 * perf alone: it counts and samples, and the module is refused with a reason. @enough: returns
 * whether @samples are enough for the count @value
 */
bool perf_turn(int fd, bool (*enough)(uint64_t value, unsigned int samples));
/* The module alone, with a count that begins at @start: perf is refused. */
bool hwpmc_turn(int fd, uint64_t start);
/*
 * Cases: @count turns of each, while both CPUs are busy. @start: a start value from which the
 * counter wraps in each turn of the module
 */
void perf_turns(int fd, unsigned int count, uint64_t start,
		bool (*enough)(uint64_t value, unsigned int samples));

/*
 * x86: starts a PMC that needs no PMU, and keeps the module's hooks registered. Without it each
 * turn would patch the kernel's code, which crashes two CPUs of QEMU after a while
 * (tests/qemu-pmu/README.md). Returns its id.
 */
uint32_t keep_hooked(int fd);

#endif /* HWPMC_TEST_PERF_TURNS_H */
