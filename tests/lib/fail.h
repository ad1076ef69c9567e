/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocations, and copies from and to the caller, that fail: this thread's 1st, 2nd, ... */
#ifndef HWPMC_TEST_FAIL_H
#define HWPMC_TEST_FAIL_H

#include <stdbool.h>

/* No call has so many: whoever gets as far as this goes on for ever. */
#define FAIL_MAX	1000

/* Every kind of failure, and none tells of itself. -> whether this kernel can; else a skip. */
bool fail_open(void);
/* A setting of the kernel's: of @path below /sys/kernel/debug. Dies if it cannot. */
void fail_set(const char *path, const char *value);
/* The @nth from now on fails; 0: none. */
void fail_set_nth(unsigned int nth);
/* -> whether it has failed. */
bool fail_nth_fired(void);
/* Wait until nothing of the module's is under way any more, for a while. @fd: the device */
void fail_wait_idle(int fd);

#endif /* HWPMC_TEST_FAIL_H */
