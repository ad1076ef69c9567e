/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_DSO_LINES_H
#define PMCTL_DSO_LINES_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

#define DSO_CALLS_MAX	32

/**
 * struct dso_call - a function at an address: inlined, or the one that contains it
 * @name: its linkage name if it has one, else its name; NULL if it is not inlined: see
 *	dso_symbol()
 * @file: source file; NULL if unknown
 * @directory: where the compiler ran, if @file is relative to it; else NULL
 * @line: source line; 0 if unknown
 */
struct dso_call {
	const char *name;
	const char *file;
	const char *directory;
	int line;
};

struct dso_lines;

/* Reads the compilation units of a file. Never NULL: a file may have none. */
struct dso_lines *dso_lines_open(Dwfl_Module *module);
void dso_lines_free(struct dso_lines *lines);

/**
 * dso_lines_calls() - the functions and source lines of an address
 * @lines: the DWARF of a file
 * @address: in the file
 * @calls: out: innermost first; the last one is not inlined
 *
 * Return: how many, from 1 to DSO_CALLS_MAX.
 */
int dso_lines_calls(struct dso_lines *lines, uint64_t address,
		    struct dso_call calls[DSO_CALLS_MAX]);

#endif
