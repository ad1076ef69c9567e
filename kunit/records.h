/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What suites hwpmc_records and hwpmc_records_tasks share: they read records from a ring and
 * compare every byte. Offsets are the numbers that uapi/linux/hwpmc_log.h documents, so that a
 * changed structure fails. Called in KUnit's thread.
 */
#ifndef HWPMC_KUNIT_RECORDS_H
#define HWPMC_KUNIT_RECORDS_H

#include <kunit/test.h>
#include <linux/types.h>

#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"

#define RECORDS_MAX_LENGTH	1024	/* bytes; longer than any record here */
#define RECORDS_ID	0x12300004U

/**
 * struct records - rings, and a PMC that samples a thread
 * @owner: owner of the rings
 * @pmc: neither allocated nor on a row
 * @link: link of @pmc, in no context
 * @before: ns; the time of every record is later
 */
struct records {
	struct hwpmc_owner *owner;
	struct hwpmc_pmc pmc;
	struct hwpmc_link link;
	u64 before;
};

/**
 * struct records_field - the expected value of a field that is not 0
 * @at: offset in the record, in bytes
 * @size: of the number, in bytes; 0: the field is @text
 * @value: the number
 * @text: the string, which ends with a NUL
 */
struct records_field {
	u16 at;
	u16 size;
	u64 value;
	const char *text;
};

/* init and exit of the suites, and the test's struct records */
int records_init(struct kunit *test);
void records_exit(struct kunit *test);
struct records *records_of(struct kunit *test);

/* Copies the next record of any CPU to @to. Return: its length in bytes, 0 if there is none. */
u32 records_next(struct kunit *test, u8 *to);

/* Expects that @got is a record of @length bytes with these fields, and 0 in every other byte. */
void records_check(struct kunit *test, const u8 *got, u32 length, u16 type, u16 flags, u32 id,
		   const struct records_field *fields, unsigned int count);

/* Expects exactly one record in the rings, with these fields. */
#define RECORDS_EXPECT(test, length, type, flags, id, ...) do {				\
	const struct records_field fields_[] = { __VA_ARGS__ };				\
	u8 *got_ = kunit_kzalloc(test, RECORDS_MAX_LENGTH, GFP_KERNEL);			\
											\
	KUNIT_ASSERT_NOT_NULL(test, got_);						\
	KUNIT_ASSERT_EQ(test, (u32)(length), records_next(test, got_));			\
	records_check(test, got_, length, type, flags, id, fields_, ARRAY_SIZE(fields_));	\
	KUNIT_EXPECT_EQ(test, 0U, records_next(test, got_));				\
} while (0)

#endif /* HWPMC_KUNIT_RECORDS_H */
