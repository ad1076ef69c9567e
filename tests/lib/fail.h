/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fault injection: the 1st, 2nd, ... allocation, or copy from or to user space, of this thread
 * fails.
 */
#ifndef HWPMC_TEST_FAIL_H
#define HWPMC_TEST_FAIL_H

#include <stdbool.h>

/* More allocations and copies than any call has. A loop up to this number is endless. */
#define FAIL_MAX	1000

/* Enables all kinds of failure, without log messages. Returns false, with a skip, if it cannot. */
bool fail_open(void);
/* Writes @value to @path below /sys/kernel/debug. */
void fail_set(const char *path, const char *value);
/* Makes the @nth allocation or copy from now on fail; 0: none. */
void fail_set_nth(unsigned int nth);
/* Ends the injection. Returns how many allocations and copies were left before the @nth. */
unsigned int fail_left(void);
/* Ends the injection. Returns whether the @nth allocation or copy was reached. */
bool fail_nth_fired(void);
/*
 * Waits until the module has no thread record, pending hook or switch probe: 4 s * PATIENCE at
 * most.
 */
void fail_wait_idle(int fd);

#endif /* HWPMC_TEST_FAIL_H */
