/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests of rules that hold for every class run on one class, in which each row has room for one
 * PMC: ARMV8, or MOCK if the module has it. Also checks of refused calls.
 */
#ifndef HWPMC_TEST_CLASS_H
#define HWPMC_TEST_CLASS_H

#include "agent.h"
#include "child.h"
#include "test.h"

/**
 * struct test_class - the class
 * @class_id: enum hwpmc_class_id
 * @first: number of its first row
 * @rows: number of its rows
 * @all: number of rows of all classes
 * @event: an event that occurs while a task runs; every row can count it
 * @other: another event; some of the rows can count it
 * @bad: an event that the class cannot count
 * @caps: HWPMC_CAP_* to allocate with
 * @cpus: number of possible CPUs
 */
struct test_class {
	uint32_t class_id;
	uint32_t first;
	uint32_t rows;
	uint32_t all;
	uint64_t event;
	uint64_t other;
	uint64_t bad;
	uint64_t caps;
	uint32_t cpus;
};

extern struct test_class test_class;

/* Opens the device, fills in @test_class, and sets the program's time limit. */
int class_open(unsigned int seconds);

/* Returns an id > 0, or -errno. */
int64_t class_allocate(int fd, uint32_t mode, int cpu, uint32_t flags);
/* Allocates a virtual PMC that counts; exits with a failed case if that is refused. */
uint32_t class_pmc(int fd, uint32_t flags);
/* The same; then starts it, which attaches it to the caller, and stops it. */
uint32_t class_stopped_pmc(int fd);
/* Allocates PMCs until ALLOCATE is refused, or @room is used. Returns the number of PMCs. */
unsigned int class_allocate_all(int fd, uint32_t mode, int cpu, uint32_t *ids, unsigned int room);
/* Returns the number of rows that are free for new PMCs: allocates them all and releases them. */
unsigned int class_free_rows(int fd, uint32_t mode, int cpu);
/* Returns the entry of PMC_INFO for a row. */
struct hwpmc_row_info dev_row_info(int fd, unsigned int cpu, unsigned int row);
int dev_admin(int fd, uint32_t cpu, uint32_t row, uint32_t state);
int dev_caps(int fd, uint32_t id, struct hwpmc_caps *caps);
/* Evicts a PMC, and enables its row again; exits with a failed case on error. */
void dev_evict(int fd, uint32_t id);
/* Whether poll(2) of the file returns POLLHUP: the last target was lost or has exited. */
bool dev_hung_up(int fd);
int dev_rw(int fd, uint32_t flags, const uint32_t *ids, unsigned int count, uint64_t *values);
int dev_set_count(int fd, uint32_t id, uint64_t count);

/*
 * A case: the call failed with @got == -@want, and returned one sentence that contains all of
 * @words (separated by '|'; NULL: any sentence). The name is the call's, such as "RELEASE of a
 * foreign id"; "fails with ENOENT" is added.
 */
bool refused(int fd, int got, int want, const char *words, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* The same for a call that cannot return a sentence, since its structure is not readable. */
bool refused_silent(int got, int want, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Saves the sentence for the next refused(), before calls that may fail and set another one. */
void keep_last_error(int fd);

#endif /* HWPMC_TEST_CLASS_H */
