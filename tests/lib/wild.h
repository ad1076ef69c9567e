/* SPDX-License-Identifier: GPL-2.0-only */
/* A loop whose frame pointer and stack pointer are anything; it does not use them. */
#ifndef HWPMC_TEST_WILD_H
#define HWPMC_TEST_WILD_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/hwpmc_log.h>

/* The user's registers of a sample, by their DWARF numbers; the last is the place. */
#ifdef __aarch64__
#define WILD_REGS	33
#define WILD_FP		29
#define WILD_SP		31
#else
#define WILD_REGS	17
#define WILD_FP		6
#define WILD_SP		7
#endif

/* @rounds of two instructions with these registers; @sp 0: that of the caller. */
void spin_wild(uint64_t rounds, uint64_t fp, uint64_t sp);
extern const char spin_wild_loop[], spin_wild_end[];

/* Whether @pc is where they are so. */
static inline bool is_wild(uint64_t pc)
{
	return pc >= (uintptr_t)spin_wild_loop && pc < (uintptr_t)spin_wild_end;
}

/* The user's registers of a sample, or NULL if there are not as many as there should be. */
static inline const uint64_t *sample_regs(const struct hwpmc_log_sample *sample)
{
	if (!sample->regs_offset || sample->regs != WILD_REGS)
		return NULL;
	return (const void *)((const char *)sample + sample->regs_offset);
}

#endif /* HWPMC_TEST_WILD_H */
