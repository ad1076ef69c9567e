/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two tasks on one CPU that wake each other through pipes, to measure the cost of a context switch.
 * The addresses of the two tasks change the cost by some instructions, and mostly raise it, so
 * compare the cheapest of several pairs.
 */
#ifndef HWPMC_PINGPONG_H
#define HWPMC_PINGPONG_H

#include <sys/types.h>

/**
 * struct ping_pong - a pair of tasks
 * @pid: the other task
 * @out: pipe to it
 * @in: pipe from it
 */
struct ping_pong {
	pid_t pid;
	int out;
	int in;
};

void ping_pong_open(struct ping_pong *pp);
/* Sends @count messages to the other task, and waits for each reply. */
void ping_pong_rounds(struct ping_pong *pp, unsigned int count);
/*
 * Returns the guest time of a switch in ns; with -icount a ns is an instruction. It is the median
 * of bursts so short that most of them contain no timer tick.
 */
double ping_pong_measure(struct ping_pong *pp);
/* The number of switches of a measurement, including its warm-up. */
unsigned int ping_pong_switches(void);
void ping_pong_close(struct ping_pong *pp);

/* Sleeps until work that was deferred at start-up is done. */
void warm_up(void);

#endif /* HWPMC_PINGPONG_H */
