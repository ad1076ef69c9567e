/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A caller, for suites of calls: memory of user space, and ioctls on it.
 *
 * The memory is that of the process that loads the module: a suite's own init
 * runs as it, and the tests, which are kernel threads, borrow it for the length
 * of a call.
 */
#ifndef HWPMC_KUNIT_CALLER_H
#define HWPMC_KUNIT_CALLER_H

#include <kunit/test.h>
#include <linux/mm.h>
#include <uapi/linux/hwpmc.h>

/* Three pages: writable, read-only, and none. The third stays unmapped. */
#define CALLER_WRITABLE	0
#define CALLER_READONLY	PAGE_SIZE
#define CALLER_NOTHING	(2 * PAGE_SIZE)

/* The request that the read-only page holds: an answer cannot be written there. */
extern const struct hwpmc_allocate caller_request;

/* The suites' suite_init and suite_exit */
int caller_suite_init(struct kunit_suite *suite);
void caller_suite_exit(struct kunit_suite *suite);

/* The address of what is @offset bytes into the pages. */
unsigned long caller_at(unsigned long offset);
void caller_put(struct kunit *test, unsigned long offset, const void *data, size_t size);
void caller_get(struct kunit *test, unsigned long offset, void *data, size_t size);

/*
 * The ioctl of the fixture's first owner, with its structure at @address. A
 * failure has to leave its errno and a sentence.
 */
long caller_raw(struct kunit *test, unsigned int cmd, unsigned long address);
/* The ioctl with @data at the start of the writable page; the answer is in @data. */
long caller_do(struct kunit *test, unsigned int cmd, void *data, size_t size);
/* Whether @words are in the sentence. */
bool caller_said(struct kunit *test, const char *words);

#endif /* HWPMC_KUNIT_CALLER_H */
