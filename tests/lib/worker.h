/* SPDX-License-Identifier: GPL-2.0-only */
/* A child that runs a function each time it is asked to. */
#ifndef HWPMC_TEST_WORKER_H
#define HWPMC_TEST_WORKER_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* A child that does @fn(@arg) whenever it is told to. */
struct worker {
	pid_t pid;
	int tell;
	int told;
};

struct worker worker_start(void (*fn)(void *arg), void *arg);
void worker_begin(const struct worker *worker);	/* begin */
void worker_wait(const struct worker *worker);	/* until it is done */
void worker_do(const struct worker *worker);		/* both */
void worker_end(struct worker *worker);		/* kill it and reap it */
/* Sleeps until @pid does (state S in /proc), at most 5 s; dies otherwise. */
void wait_asleep(pid_t pid);

/* A child that serves, and what it is told by. worker_begin() begins, worker_wait() ends. */
struct server {
	int in[2], out[2];
	uint64_t times, rounds;
	const struct timespec *doze;
	struct worker worker;
};

/* Set @times, @rounds and @doze before. */
void server_open(struct server *server);
void server_do(const struct server *server);	/* once */
void server_close(struct server *server);

#endif /* HWPMC_TEST_WORKER_H */
