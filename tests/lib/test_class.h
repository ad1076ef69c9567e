/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests of rules that hold for every class: a class that this machine has
 * with rows that exclude each other (ARMV8, or MOCK where it is loaded), and
 * what a refusal has to look like.
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
 * @rows: how many it has
 * @all: rows of the machine
 * @event: an event that grows while a task runs, and that each row can count
 * @other: another one, on some of the rows
 * @bad: an event that the class cannot count
 * @caps: HWPMC_CAP_* to ask for
 * @cpus: CPU numbers are below this
 */
struct test_class {
	uint32_t class_id;
	uint32_t first;
	uint32_t rows;
	uint32_t all;
	uint64_t event;
	uint64_t other;
	uint64_t bad;
	uint32_t caps;
	uint32_t cpus;
};

extern struct test_class test_class;

/* The device, @any filled in, and a time limit on the program. Dies if it cannot. */
int class_open(unsigned int seconds);

/* -> id > 0, or -errno */
int64_t class_allocate(int fd, uint32_t mode, int cpu, uint32_t flags);
/* A virtual counting PMC; dies if refused. */
uint32_t class_pmc(int fd, uint32_t flags);
/* The same; it ran, attached to the caller, and was stopped. */
uint32_t class_stopped_pmc(int fd);
/* As many PMCs as there are, into @ids; -> how many. The last refusal is the owner's last error. */
unsigned int class_allocate_all(int fd, uint32_t mode, int cpu, uint32_t *ids, unsigned int room);
/* Rows that a new PMC could get now: all are taken and given back. */
unsigned int class_free_rows(int fd, uint32_t mode, int cpu);
/* What PMC_INFO tells of a row. */
struct hwpmc_row_info dev_row_info(int fd, unsigned int cpu, unsigned int row);
int dev_admin(int fd, uint32_t cpu, uint32_t row, uint32_t state);
int dev_caps(int fd, uint32_t id, struct hwpmc_caps *caps);
int dev_rw(int fd, uint32_t flags, const uint32_t *ids, unsigned int count, uint64_t *values);
int dev_set_count(int fd, uint32_t id, uint64_t count);

/*
 * A case: @got is -@want, and the owner has a sentence for it that has all of
 * @words in it (separated by '|'; NULL: any sentence).
 */
bool refused(int fd, int got, int want, const char *words, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* The next refused() is about the last error as it is now. */
void keep_last_error(int fd);

#endif /* HWPMC_TEST_CLASS_H */
