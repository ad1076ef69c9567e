/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two tasks of one CPU that wake each other through pipes: what a context
 * switch costs. Where the two lie in memory moves the figure in steps of some
 * instructions, up more often than down: compare the cheapest of several pairs.
 */
#ifndef HWPMC_PINGPONG_H
#define HWPMC_PINGPONG_H

#include <sys/types.h>

/**
 * struct ping_pong - a pair of tasks
 * @pid: the other one
 */
struct ping_pong {
	pid_t pid;
	int out;
	int in;
};

void ping_pong_open(struct ping_pong *pp);
/* So often there and back. */
void ping_pong_rounds(struct ping_pong *pp, unsigned int count);
/*
 * Guest time a switch, in ns; under icount these are instructions. The median of
 * bursts so short that most are free of the timer's ticks, and of who runs after one.
 */
double ping_pong_measure(struct ping_pong *pp);
/* How often it switches, with those before it begins to measure. */
unsigned int ping_pong_switches(void);
void ping_pong_close(struct ping_pong *pp);

/* Let pass what was only needed to get going. */
void warm_up(void);

/* Keep the caller and its children on one CPU. */
void pin_to_cpu(int cpu);

#endif /* HWPMC_PINGPONG_H */
