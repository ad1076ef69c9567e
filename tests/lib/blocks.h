/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions in which the calling thread blocks for a time, and how long it did. Each makes its
 * system call itself, so that its own code is the place at which user mode was left.
 */
#ifndef HWPMC_TEST_BLOCKS_H
#define HWPMC_TEST_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

enum block { BLOCK_SLEEP, BLOCK_WAIT, BLOCK_READ, BLOCK_COUNT };

extern const char *const block_names[BLOCK_COUNT];

/*
 * nanosleep(2); a futex(2) that nobody wakes; and a read(2) of a pipe, to which a child writes
 * after that time.
 */
void block_sleep(uint64_t us);
void block_wait(uint64_t us);
void block_read(uint64_t us);

/* Time in ns less that of the calling thread on a CPU: how much it grows is its off-CPU time. */
uint64_t block_clock(void);
/* Blocks @times. Returns for how many ns the thread was not on a CPU, by the kernel's clocks. */
uint64_t block(enum block how, uint64_t us, unsigned int times);

/*
 * Whether off-CPU time of @got ns is @want of block_clock() within 1 %. The kernel's clock of a
 * thread leaves out interrupts, and has parts of each switch. On a host that stops the machine in
 * these, the two differ, so a case tries up to BLOCK_TRIES times.
 */
bool block_agrees(uint64_t got, uint64_t want);
#define BLOCK_TRIES	20

/* The function that @pc is in; BLOCK_COUNT if none of these. */
enum block block_at(uint64_t pc);

#endif /* HWPMC_TEST_BLOCKS_H */
