/* SPDX-License-Identifier: GPL-2.0-only */
/* Cases for a call whose 1st, 2nd, ... allocation, or copy from or to user space, fails. */
#ifndef HWPMC_TEST_FAIL_CALL_H
#define HWPMC_TEST_FAIL_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct fail_call - a call
 * @name: its name in the cases
 * @cmd: the ioctl that it makes, HWPMC_IOC_*, which tests/check-nomem looks for; 0: it makes none
 * @hooked: another owner keeps the scheduler's probes registered, which saves time
 * @before: sets up what @call needs; nothing fails in it. NULL: nothing
 * @call: returns 0 or -errno; ioctls by fail_ioctl()
 * @done: whether the state matches a @call that returned @err; undoes it and @before
 */
struct fail_call {
	const char *name;
	unsigned long cmd;
	bool hooked;
	void (*before)(void);
	int (*call)(void);
	bool (*done)(int err);
};

/* The number of PMCs that the call does not affect, for @done. */
extern uint64_t fail_others;

/* For @call: makes an ioctl, which must return a sentence if it fails. Returns 0 or -errno. */
int fail_ioctl(int owner, unsigned long cmd, void *args);
/*
 * Makes fail_calls() try only the 1st, 1 + @step'th, ... failure of each call, and after the first
 * FAIL_FIRST only each @later'th: a call with more repeats one allocation many times.
 */
#define FAIL_FIRST	40
void fail_every(unsigned int step, unsigned int later);
/*
 * Cases for each of @calls: with each failure the call is done completely or not at all, has a
 * reason, and leaks nothing.
 */
void fail_calls(int fd, const struct fail_call *calls, size_t count);

#endif /* HWPMC_TEST_FAIL_CALL_H */
