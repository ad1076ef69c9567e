/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the suites of records share: the records of a ring, byte by byte. Offsets are those
 * that uapi/linux/hwpmc_log.h documents, as numbers: what a structure's layout is by now
 * does not matter.
 */
#ifndef HWPMC_KUNIT_RECORDS_H
#define HWPMC_KUNIT_RECORDS_H

#include <kunit/test.h>
#include <linux/types.h>

#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"

#define RECORDS_LONG	1024	/* more than any record here has */
#define RECORDS_ID	0x12300004U

/**
 * struct records - rings, and a PMC that samples in a thread
 * @owner: whose rings
 * @pmc: neither allocated nor on a row
 * @link: of the PMC in nobody's context
 * @before: no record is older
 */
struct records {
	struct hwpmc_owner *owner;
	struct hwpmc_pmc pmc;
	struct hwpmc_link link;
	u64 before;
};

/**
 * struct records_field - a field that is not 0
 * @at: offset in the record, in bytes
 * @size: in bytes; 0: @text
 * @value: of a number
 * @text: ends with a NUL
 */
struct records_field {
	u16 at;
	u16 size;
	u64 value;
	const char *text;
};

/* Of every case. */
int records_init(struct kunit *test);
void records_exit(struct kunit *test);
struct records *records_of(struct kunit *test);

/* The next record of any CPU, copied to @to; its length, or 0. */
u32 records_next(struct kunit *test, u8 *to);

/* @got is a record of @length bytes with these fields, and every other byte is 0. */
void records_check(struct kunit *test, const u8 *got, u32 length, u16 type, u16 flags, u32 id,
		   const struct records_field *fields, unsigned int count);

/* The only record that there is. */
#define RECORDS_EXPECT(test, length, type, flags, id, ...) do {				\
	const struct records_field fields_[] = { __VA_ARGS__ };				\
	u8 *got_ = kunit_kzalloc(test, RECORDS_LONG, GFP_KERNEL);			\
											\
	KUNIT_ASSERT_NOT_NULL(test, got_);						\
	KUNIT_ASSERT_EQ(test, (u32)(length), records_next(test, got_));			\
	records_check(test, got_, length, type, flags, id, fields_, ARRAY_SIZE(fields_));	\
	KUNIT_EXPECT_EQ(test, 0U, records_next(test, got_));				\
} while (0)

#endif /* HWPMC_KUNIT_RECORDS_H */
