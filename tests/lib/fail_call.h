/* SPDX-License-Identifier: GPL-2.0-only */
/* A call whose 1st, 2nd, ... allocation (or copy from or to the caller) fails. */
#ifndef HWPMC_TEST_FAIL_CALL_H
#define HWPMC_TEST_FAIL_CALL_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct fail_call - what is tried
 * @hooked: the scheduler is hooked by somebody else: takes less time
 * @before: makes what @call needs; nothing fails. NULL: nothing
 * @call: 0 or -errno; of the device by fail_ioctl()
 * @done: whether it is as if @call had ended with @err; undoes it and @before
 */
struct fail_call {
	const char *name;
	bool hooked;
	void (*before)(void);
	int (*call)(void);
	bool (*done)(int err);
};

/* PMCs that are not the call's, for its done(). */
extern uint64_t fail_others;

/* For call(): the device's call, whose owner has to have a sentence if it fails. 0 or -errno */
int fail_ioctl(int owner, unsigned long cmd, void *args);
/* Cases: with each failure @call is done or not done, says why, and leaves nothing behind. */
void fail_call(int fd, const struct fail_call *call);

#endif /* HWPMC_TEST_FAIL_CALL_H */
