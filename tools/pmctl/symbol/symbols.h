/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SYMBOLS_H
#define PMCTL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "symbol/dso.h"
#include "symbol/jit.h"
#include "symbol/processes.h"

/* The kind of an object that addresses belong to. */
enum symbol_kind {
	SYMBOL_FILE,	/* a file, or [vdso]: offsets in it */
	SYMBOL_JIT,	/* memory of a process, without a file: addresses */
	SYMBOL_KERNEL,	/* the kernel and its modules: addresses */
	SYMBOL_UNKNOWN,	/* not mapped, as far as the log shows */
	SYMBOL_THROTTLED,	/* no place: events while a PMC was throttled */
};

/**
 * struct symbol_key - what distinguishes one object from another
 * @kind: enum symbol_kind
 * @path: of a file, in names; else 0
 * @number: SYMBOL_JIT: the process; SYMBOL_FILE: distinguishes files of the same path
 */
struct symbol_key {
	uint32_t kind;
	uint32_t path;
	uint32_t number;
};

/**
 * struct symbol_object - an object
 * @file: the mapped file of the log, or NULL
 * @wanted: the build-id that the file must have; size 0: any
 * @state: whether the file, or the map of SYMBOL_JIT, was found
 * @opened: @state is valid
 * @used: it has frames
 * @dso: SYMBOL_FILE: the open file
 * @jit: SYMBOL_JIT: the map
 */
struct symbol_object {
	const struct mapped_file *file;
	struct build_id wanted;
	enum dso_state state;
	bool opened;
	bool used;
	struct dso dso;
	struct jit jit;
};

/**
 * struct frame - a function of a stack
 * @symbol: in names
 * @object: path of a file, "[kernel]", "[module]", ..., in names
 * @source: "file.c:12" in names, or 0
 * @flags: FRAME_*
 */
struct frame {
	uint32_t symbol;
	uint32_t object;
	uint32_t source;
	uint32_t flags;
};

#define FRAME_KERNEL	(1U << 0)
#define FRAME_INLINED	(1U << 1)	/* part of the next outer frame's function */
#define FRAME_NAMELESS	(1U << 2)	/* @symbol is "object+offset", or "[object]" */
#define FRAME_UNKNOWN	(1U << 3)	/* the address is not mapped */

/**
 * struct symbols - converts addresses to frames
 * @names: interns all names
 * @paths: where files are searched
 * @inlines: add a frame for each inlined function
 * @sources: add source lines
 * @by_object: places without a symbol are named by their object only
 * @keys: struct symbol_key by object
 * @objects: by the same number
 * @room: allocated length of @objects
 * @files: number of mapped files so far
 * @processes: for the symbols of the kernel; or NULL
 * @kernel: the build-id of the kernel, if the log has one
 * @too_many_open: a file could not be opened because too many are open
 */
struct symbols {
	struct intern *names;
	struct dso_paths paths;
	bool inlines;
	bool sources;
	bool by_object;
	struct intern keys;
	struct symbol_object *objects;
	uint32_t room;
	uint32_t files;
	struct processes *processes;
	struct build_id kernel;
	bool too_many_open;
};

/* The kernel's object, and the path of its build-id in a log. */
#define SYMBOLS_KERNEL	"[kernel]"

void symbols_init(struct symbols *symbols, struct intern *names, const char *root);
void symbols_free(struct symbols *symbols);

/* The number of an object; see struct symbol_key. */
uint32_t symbols_object(struct symbols *symbols, enum symbol_kind kind, const char *path,
			uint32_t number);
/* Whether a map is backed by a file. A process may have filled other memory itself. */
bool symbols_is_file(const struct mapped_file *file);
/* The number of the object of a mapped file. Its build-id is used when it is opened. */
uint32_t symbols_file(struct symbols *symbols, struct mapped_file *file);
/* Sets the build-id that a file must have, before its first symbols_frames(). */
void symbols_build_id(struct symbols *symbols, uint32_t object, const void *bytes, uint32_t size);
void symbols_kernel_build_id(struct symbols *symbols, const void *bytes, uint32_t size);

/**
 * symbols_frames() - the frames at an address
 * @symbols: the objects
 * @object: symbols_object()
 * @offset: the offset in a file, else the address
 * @frames: out: innermost first; all but the last are inlined
 *
 * Return: how many, at least 1.
 */
int symbols_frames(struct symbols *symbols, uint32_t object, uint64_t offset,
		   struct frame frames[DSO_CALLS_MAX]);

/* The function of a file at an offset, and the offset in it; NULL if it has no name there. */
const char *symbols_function(struct symbols *symbols, uint32_t object, uint64_t offset,
			     uint64_t *into);

/* The dso of a file, which is opened by the first call; NULL if it is missing. */
struct dso *symbols_dso(struct symbols *symbols, uint32_t object);

/* Another descriptor of the file; -1 if it is missing. */
int symbols_open_file(struct symbols *symbols, uint32_t object);

/* Prints which files are missing, have another build-id or could not be opened. */
void symbols_report_problems(const struct symbols *symbols);

#endif
