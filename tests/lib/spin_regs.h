/* SPDX-License-Identifier: GPL-2.0-only */
/* A loop that runs with any frame pointer and stack pointer; it does not use them. */
#ifndef HWPMC_TEST_SPIN_REGS_H
#define HWPMC_TEST_SPIN_REGS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/hwpmc_log.h>

/* Number of user registers of a sample, in DWARF's order; the last is the program counter. */
#ifdef __aarch64__
#define SAMPLE_REGS	33
#define SAMPLE_FP		29
#define SAMPLE_SP		31
#else
#define SAMPLE_REGS	17
#define SAMPLE_FP		6
#define SAMPLE_SP		7
#endif

/* Runs @rounds of two instructions with these registers; @sp 0: the caller's. */
void spin_regs(uint64_t rounds, uint64_t fp, uint64_t sp);
extern const char spin_regs_loop[], spin_regs_end[];

/* Whether @pc is in the loop. */
static inline bool in_spin_regs(uint64_t pc)
{
	return pc >= (uintptr_t)spin_regs_loop && pc < (uintptr_t)spin_regs_end;
}

/* Returns the user registers of a sample, or NULL if their number is wrong. */
static inline const uint64_t *sample_regs(const struct hwpmc_log_sample *sample)
{
	if (!sample->regs_offset || sample->regs != SAMPLE_REGS)
		return NULL;
	return (const void *)((const char *)sample + sample->regs_offset);
}

#endif /* HWPMC_TEST_SPIN_REGS_H */
