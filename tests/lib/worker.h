/* SPDX-License-Identifier: GPL-2.0-only */
/* A child that runs a function on request. */
#ifndef HWPMC_TEST_WORKER_H
#define HWPMC_TEST_WORKER_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* A child that runs @fn(@arg) once for each request. */
struct worker {
	pid_t pid;
	int request;	/* pipes */
	int done;
};

struct worker worker_start(void (*fn)(void *arg), void *arg);
void worker_begin(const struct worker *worker);	/* requests one run */
void worker_wait(const struct worker *worker);	/* waits until the run is done */
void worker_do(const struct worker *worker);		/* both */
void worker_end(struct worker *worker);		/* kills the child and reaps it */
/* Waits until @pid sleeps (state S in /proc), at most 5 s * PATIENCE. */
void wait_asleep(pid_t pid);

/* A child that runs serve() between worker_begin() and worker_wait(), and the pipes of serve(). */
struct server {
	int in[2], out[2];
	uint64_t times, rounds;
	const struct timespec *doze;
	struct worker worker;
};

/* The caller sets @times, @rounds and @doze first. */
void server_open(struct server *server);
void server_do(const struct server *server);	/* makes one request */
void server_close(struct server *server);

#endif /* HWPMC_TEST_WORKER_H */
