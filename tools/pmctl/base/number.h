/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_NUMBER_H
#define PMCTL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER_MAX	32	/* room for any grouped 64-bit number */

/* 1234567 as "1,234,567", in any locale. Returns @buf. */
const char *number_grouped(uint64_t value, char buf[NUMBER_MAX]);

/* Nanoseconds as milliseconds, rounded to nearest; @decimals is 6 or less. Returns @buf. */
const char *number_msec(uint64_t ns, bool grouped, int decimals, char buf[NUMBER_MAX]);

/* A sum that saturates: the numbers come from logs, which may contain anything. */
static inline uint64_t number_sum(uint64_t one, uint64_t other)
{
	uint64_t sum;

	return __builtin_add_overflow(one, other, &sum) ? UINT64_MAX : sum;
}

/*
 * 0 if the whole text is one number between @low and @high, else -1. Base 0: decimal,
 * or hexadecimal after 0x. number_parse_u64() accepts no sign.
 */
int number_parse(const char *text, long low, long high, long *value);
int number_parse_u64(const char *text, int base, uint64_t *value);

#endif
