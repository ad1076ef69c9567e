/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread that is blocked in a call, and the state of a task. */
#ifndef HWPMC_TEST_BLOCKED_CALL_H
#define HWPMC_TEST_BLOCKED_CALL_H

#include <pthread.h>
#include <sys/types.h>

/**
 * struct blocked_call - a call and the thread that makes it
 * @call: dev_flush() or close(), for example
 * @fd: the call's argument
 * @err: the call's result, valid once @thread is joined
 * @tid: of @thread
 * @thread: the thread
 */
struct blocked_call {
	int (*call)(int fd);
	int fd;
	int err;
	pid_t tid;
	pthread_t thread;
};

/* Starts a thread that makes the call, and waits until it is in an uninterruptible sleep. */
void blocked_call_begin(struct blocked_call *w);

/* Returns the state of a task in /proc: 'R', 'S', 'D', ...; 0: there is no such task. */
char task_state(pid_t tid);

#endif /* HWPMC_TEST_BLOCKED_CALL_H */
