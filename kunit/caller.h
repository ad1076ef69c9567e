/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User memory and ioctls for the suites of calls. The memory belongs to the process that
 * loads the module: suite_init runs in its context. The tests run in a kernel thread, which
 * uses that process's mm during a call (kthread_use_mm). All of these may sleep.
 */
#ifndef HWPMC_KUNIT_CALLER_H
#define HWPMC_KUNIT_CALLER_H

#include <kunit/test.h>
#include <linux/mm.h>
#include <uapi/linux/hwpmc.h>

/* Offsets of three pages: writable, read-only, unmapped. */
#define CALLER_WRITABLE	0
#define CALLER_READONLY	PAGE_SIZE
#define CALLER_UNMAPPED	(2 * PAGE_SIZE)

/* The request in the read-only page: the ioctl can read it, but cannot write its answer. */
extern const struct hwpmc_allocate caller_request;

/* suite_init and suite_exit of the suites. Return: 0, or a negative errno. */
int caller_suite_init(struct kunit_suite *suite);
void caller_suite_exit(struct kunit_suite *suite);

/* The user address @offset bytes from the first page; copies to and from it. */
unsigned long caller_addr(unsigned long offset);
void caller_write(struct kunit *test, unsigned long offset, const void *data, size_t size);
void caller_read(struct kunit *test, unsigned long offset, void *data, size_t size);

/*
 * The ioctl of the fixture's first owner, with its structure at @address. Expects that a
 * failure records its errno and a message in the owner. Return: what the ioctl returns.
 */
long caller_ioctl_at(struct kunit *test, unsigned int cmd, unsigned long address);
/* The ioctl with @data copied to the start of the writable page, and copied back after it. */
long caller_ioctl(struct kunit *test, unsigned int cmd, void *data, size_t size);
/* Whether the message that the owner's last error recorded contains @text. */
bool caller_error_contains(struct kunit *test, const char *text);

#endif /* HWPMC_KUNIT_CALLER_H */
