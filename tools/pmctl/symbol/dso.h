/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_DSO_H
#define PMCTL_DSO_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbol/build_id.h"
#include "symbol/dso_lines.h"

/**
 * struct dso_paths - where files and their debugging information are searched
 * @root: prefix of all paths (--symfs); usually ""
 * @release: the kernel release of the log, or NULL; the same release has the same [vdso]
 * @debug: libdwfl's search path
 * @callbacks: of libdwfl; they point to @debug
 */
struct dso_paths {
	const char *root;
	const char *release;
	char *debug;
	Dwfl_Callbacks callbacks;
};

/* @paths must not be moved, since callbacks point into it. */
void dso_paths_init(struct dso_paths *paths, const char *root);
void dso_paths_free(struct dso_paths *paths);

/**
 * struct dso_symbol - a function of a file
 * @start: its address in the file
 * @end: the first address after it
 * @name: its name in the file; owned by libdwfl
 * @plain: the number of its demangled name; 0: not demangled yet
 */
struct dso_symbol {
	uint64_t start;
	uint64_t end;
	const char *name;
	uint32_t plain;
};

/* A segment: addresses from @start to @start + @size are at @offset in the file. */
struct dso_part {
	uint64_t offset;
	uint64_t size;
	uint64_t start;
};

/**
 * struct dso - a file with symbols
 * @dwfl: the session of libdwfl, with this one module
 * @module: the file as a module
 * @elf: its ELF file; owned by @module
 * @parts: its loaded segments
 * @part_count: number of segments
 * @symbols: sorted by address, without overlaps
 * @symbol_count: number of symbols
 * @lines: its DWARF; NULL until the first dso_calls()
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

/* The result of searching a file. */
enum dso_state {
	DSO_FOUND,
	DSO_MISSING,
	DSO_MISMATCH,	/* there is a file with another build-id */
	DSO_TOO_MANY_OPEN,	/* not searched: too many files are open */
};

/**
 * dso_find() - open the file that was mapped
 * @paths: where to look
 * @path: from the log; may be "... (deleted)" or "[vdso]"
 * @wanted: its build-id, if the log has one
 * @fd: out: a descriptor of the file if it is found, else -1
 *
 * Return: the result.
 */
enum dso_state dso_find(const struct dso_paths *paths, const char *path,
			const struct build_id *wanted, int *fd);

/* Reads the symbols. Takes ownership of @fd. 0, or -1 if it is not an ELF file. */
int dso_open(struct dso *dso, const struct dso_paths *paths, const char *name, int fd);
void dso_close(struct dso *dso);

/* Converts an offset in the file to an address. 0, or -1 if it is not in a loaded segment. */
int dso_address(const struct dso *dso, uint64_t offset, uint64_t *address);
/* What dso_lines_calls() returns; DWARF is read by the first call. */
int dso_calls(struct dso *dso, uint64_t address, struct dso_call calls[DSO_CALLS_MAX]);
/* The function at @address, or NULL. */
struct dso_symbol *dso_symbol(const struct dso *dso, uint64_t address);

#endif
