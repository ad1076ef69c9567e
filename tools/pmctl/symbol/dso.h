/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_DSO_H
#define PMCTL_DSO_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbol/build_id.h"
#include "symbol/dso_lines.h"

/**
 * struct dso_paths - where files and their debugging information are looked for
 * @root: stands before all paths; "" usually
 * @release: the kernel that the log is of, or NULL: its [vdso] is ours if we run it
 * @debug: libdwfl's search path
 * @callbacks: of libdwfl; they know @debug by its place
 */
struct dso_paths {
	const char *root;
	const char *release;
	char *debug;
	Dwfl_Callbacks callbacks;
};

/* @paths must stay where it is. */
void dso_paths_init(struct dso_paths *paths, const char *root);
void dso_paths_free(struct dso_paths *paths);

/**
 * struct dso_symbol - a function of a file
 * @start: its address, as the file has it
 * @end: behind it
 * @name: as the file has it; libdwfl's
 * @plain: its number in names, demangled; 0: not yet
 */
struct dso_symbol {
	uint64_t start;
	uint64_t end;
	const char *name;
	uint32_t plain;
};

/* Addresses [@start, @start + @size) of the file's image are at @offset in it. */
struct dso_part {
	uint64_t offset;
	uint64_t size;
	uint64_t start;
};

/**
 * struct dso - a file with symbols
 * @dwfl: libdwfl's, with this one module
 * @module: it, at its own addresses
 * @elf: its ELF file; of @module
 * @parts: what of it is loaded
 * @part_count: how many
 * @symbols: by address, none overlap
 * @symbol_count: how many
 * @lines: what DWARF says of it; NULL until that is asked for
 */
struct dso {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	struct dso_part *parts;
	uint32_t part_count;
	struct dso_symbol *symbols;
	uint32_t symbol_count;
	struct dso_lines *lines;
};

/* What became of a file that was to be opened. */
enum dso_state {
	DSO_FOUND,
	DSO_MISSING,
	DSO_MISMATCH,	/* there is a file, but not that one */
	DSO_TOO_MANY_OPEN,	/* nobody knows: too many files are open */
};

/**
 * dso_find() - open the file that was mapped
 * @paths: where to look
 * @path: as the log has it: maybe "... (deleted)" or "[vdso]"
 * @wanted: its build-id, if the log has one
 * @fd: out: of the file, if it is found
 *
 * Return: what became of it.
 */
enum dso_state dso_find(const struct dso_paths *paths, const char *path,
			const struct build_id *wanted, int *fd);

/* Reads symbols. @fd becomes ours. 0, or -1: no ELF file. */
int dso_open(struct dso *dso, const struct dso_paths *paths, const char *name, int fd);
void dso_close(struct dso *dso);

/* The address that @offset in the file has in it; 0, or -1: it is not loaded. */
int dso_address(const struct dso *dso, uint64_t offset, uint64_t *address);
/* What dso_lines_calls() returns; DWARF is read by the first call. */
int dso_calls(struct dso *dso, uint64_t address, struct dso_call calls[DSO_CALLS_MAX]);
/* The function there, or NULL. */
struct dso_symbol *dso_symbol(const struct dso *dso, uint64_t address);

#endif
