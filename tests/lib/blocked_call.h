/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread in a call that waits, and what one sees of it from outside. */
#ifndef HWPMC_TEST_BLOCKED_CALL_H
#define HWPMC_TEST_BLOCKED_CALL_H

#include <pthread.h>
#include <sys/types.h>

/**
 * struct blocked_call - a call, and the thread that makes it
 * @call: dev_flush() say, or close()
 * @fd: what it is made on
 * @err: what it gave, once @thread is joined
 * @tid: of @thread
 */
struct blocked_call {
	int (*call)(int fd);
	int fd;
	int err;
	pid_t tid;
	pthread_t thread;
};

/* Make the call, @call of @fd; dies if it does not come to wait for what no signal ends. */
void blocked_call_begin(struct blocked_call *w);

/* What a task does: 'R' runs, 'S' sleeps, 'D' waits for what no signal ends; 0: it is not there. */
char task_state(pid_t tid);

#endif /* HWPMC_TEST_BLOCKED_CALL_H */
