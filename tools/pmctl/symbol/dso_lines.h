/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_DSO_LINES_H
#define PMCTL_DSO_LINES_H

#include <stdint.h>

#include "symbol/dso.h"

#define DSO_CALLS_MAX	32

/**
 * struct dso_call - a function that the compiler put into another, or that one
 * @name: its name, as the linker has it if it has one; NULL: a function of its own,
 *	which dso_symbol() names
 * @file: where in the source it was; NULL not known
 * @line: likewise; 0 not known
 */
struct dso_call {
	const char *name;
	const char *file;
	int line;
};

/**
 * dso_calls() - what source an address comes from
 * @dso: an open one
 * @address: in it
 * @calls: out: innermost first; the last one is a function of its own
 *
 * Return: how many, from 1 to DSO_CALLS_MAX.
 */
int dso_calls(struct dso *dso, uint64_t address, struct dso_call calls[DSO_CALLS_MAX]);

void dso_lines_free(struct dso_lines *lines);

#endif
