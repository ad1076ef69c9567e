/* SPDX-License-Identifier: GPL-2.0-only */
/* Fault injection: this thread's 1st, 2nd, ... allocation or copy from or to user space fails. */
#ifndef HWPMC_TEST_FAIL_H
#define HWPMC_TEST_FAIL_H

#include <stdbool.h>

/* No call has as many allocations and copies; a loop that reaches this does not end. */
#define FAIL_MAX	1000

/* Enable every kind of failure, without log messages. Returns false, with a skip, if it cannot. */
bool fail_open(void);
/* Write @value to @path below /sys/kernel/debug. */
void fail_set(const char *path, const char *value);
/* The @nth allocation or copy from now on fails; 0: none. */
void fail_set_nth(unsigned int nth);
/* Stop failing. Returns whether the @nth was reached. */
bool fail_nth_fired(void);
/* Wait until the module has no thread record, pending hook or switch probe. 4 s * PATIENCE */
void fail_wait_idle(int fd);

#endif /* HWPMC_TEST_FAIL_H */
