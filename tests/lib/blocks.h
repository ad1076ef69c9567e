/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions in which the calling thread blocks for a given time, and measurements of that time.
 * Each executes its system call itself, so that a sample of user mode is in the function's code.
 */
#ifndef HWPMC_TEST_BLOCKS_H
#define HWPMC_TEST_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

enum block { BLOCK_SLEEP, BLOCK_WAIT, BLOCK_READ, BLOCK_COUNT };

extern const char *const block_names[BLOCK_COUNT];

/*
 * Block for @us microseconds: in nanosleep(2), in a futex(2) that nobody wakes, and in a read(2) of
 * a pipe, to which a child writes after that time.
 */
void block_sleep(uint64_t us);
void block_wait(uint64_t us);
void block_read(uint64_t us);

/*
 * Returns CLOCK_MONOTONIC minus the calling thread's CPU time, in ns. The difference of two such
 * values is the thread's off-CPU time.
 */
uint64_t block_clock(void);
/* Blocks @times. Returns the off-CPU time by block_clock(). */
uint64_t block(enum block how, uint64_t us, unsigned int times);

/*
 * Whether off-CPU time of @got ns is @want of block_clock() within 1 %. The kernel's
 * CPU time of a thread excludes interrupts and includes parts of each switch. If the host stops the
 * machine during one of them, the two differ, so a case tries up to BLOCK_TRIES times.
 */
bool block_agrees(uint64_t got, uint64_t want);
#define BLOCK_TRIES	20

/* Returns the function that @pc is in; BLOCK_COUNT: none of them. */
enum block block_at(uint64_t pc);

#endif /* HWPMC_TEST_BLOCKS_H */
