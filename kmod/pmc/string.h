/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings that arguments of a probe's event point to. Used by sample.c, if a sample has one. */
#ifndef HWPMC_STRING_H
#define HWPMC_STRING_H

#include <linux/types.h>

struct hwpmc_fired;
struct hwpmc_link;

/**
 * struct hwpmc_string - a copy of a string
 * @text: this CPU's scratch memory; valid until the next copy there
 * @size: bytes of @text in a record: with a NUL, rounded up to 8; 0: nothing could be read
 * @cut: the string is longer than the copy, or the rest could not be read
 */
struct hwpmc_string {
	const char *text;
	u16 size;
	bool cut;
};

/* kmod/pmc/string.c */
struct hwpmc_string hwpmc_string_copy(const struct hwpmc_link *link,
				      const struct hwpmc_fired *fired);

#endif /* HWPMC_STRING_H */
