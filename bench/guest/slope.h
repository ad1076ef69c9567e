/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the benchmark of slopes (slope.c) and its interfaces share. */
#ifndef HWPMC_BENCH_SLOPE_H
#define HWPMC_BENCH_SLOPE_H

#include "bench.h"

/* The most hardware counters that follow() uses; further events are software events. */
#define SLOPE_HARDWARE	6

/**
 * struct slope - an interface whose costs grow with processes, threads or other users
 * @name: its name on the command line
 * @follow: count that many events of @pid and of its later descendants: SLOPE_HARDWARE times
 *	instructions, then context switches
 * @unfollow: end what @follow began
 * @prepare: called once, before the first attach()
 * @attach: one event of all threads of @pid, whose ids are @tids; it does not count yet
 * @start: begin to count
 * @read: read the sum of the counts, which is 0: the threads sleep
 * @stop: stop
 * @detach: end what @attach began
 * @other: let another owner count an event of @pid. Returns its descriptor
 */
struct slope {
	const char *name;
	void (*follow)(unsigned int count, pid_t pid);
	void (*unfollow)(void);
	void (*prepare)(void);
	void (*attach)(pid_t pid, const pid_t *tids, unsigned int count);
	void (*start)(void);
	void (*read)(void);
	void (*stop)(void);
	void (*detach)(void);
	int (*other)(pid_t pid);
};

extern const struct slope slope_hwpmc, slope_perf;

/* Forks a process of @count threads, which sleep until it is killed. */
pid_t fork_threads(unsigned int count);
/* The same with one thread; does not wait until it sleeps. */
pid_t fork_sleeper(void);
void end_threads(pid_t pid);

#endif /* HWPMC_BENCH_SLOPE_H */
