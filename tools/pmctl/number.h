/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_NUMBER_H
#define PMCTL_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define NUMBER_MAX	32	/* room for any grouped 64-bit number */

/* 1234567 as "1,234,567", in any locale. Returns @buf. */
const char *number_grouped(uint64_t value, char buf[NUMBER_MAX]);

/*
 * The whole text is one number between @low and @high, or -1. Base 0: decimal,
 * or hexadecimal behind 0x. No sign in front of the unsigned one.
 */
int number_parse(const char *text, long low, long high, long *value);
int number_parse_u64(const char *text, int base, uint64_t *value);

#endif
