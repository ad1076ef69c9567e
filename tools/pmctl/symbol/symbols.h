/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SYMBOLS_H
#define PMCTL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "symbol/dso.h"
#include "symbol/jit.h"
#include "symbol/processes.h"

/* What a range of addresses belongs to. */
enum symbol_kind {
	SYMBOL_FILE,	/* a file, or [vdso]: offsets in it */
	SYMBOL_JIT,	/* memory of a process, without a file: addresses */
	SYMBOL_KERNEL,	/* the kernel and its modules: addresses */
	SYMBOL_UNKNOWN,	/* nothing that the log tells of */
};

/**
 * struct symbol_key - what tells one object from another
 * @kind: enum symbol_kind
 * @path: of a file, in names; else 0
 * @number: of SYMBOL_JIT the process; of files of the same path one for each
 */
struct symbol_key {
	uint32_t kind;
	uint32_t path;
	uint32_t number;
};

/**
 * struct symbol_object - what is known of one
 * @file: the log's, or NULL
 * @wanted: the build-id that the file must have; size 0: any
 * @state: whether it was found; of SYMBOL_JIT, whether there is a map
 * @opened: @state is valid
 * @used: a frame is in it
 * @dso: of SYMBOL_FILE
 * @jit: of SYMBOL_JIT
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
 * struct frame - a line of a stack, as people read it
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
#define FRAME_NAMELESS	(1U << 2)	/* @symbol is made of the object and an offset */
#define FRAME_UNKNOWN	(1U << 3)	/* nothing is known to be there */

/**
 * struct symbols - turns places into frames
 * @names: where names go
 * @paths: where files are looked for
 * @inlines: split a place into the functions that were inlined there
 * @sources: tell source lines
 * @keys: struct symbol_key of objects
 * @objects: by the same number
 * @room: of @objects
 * @files: files of logs so far
 * @processes: has the kernel's symbols; or NULL
 * @too_many_open: a file could not be opened, since too many are
 */
struct symbols {
	struct intern *names;
	struct dso_paths paths;
	bool inlines;
	bool sources;
	struct intern keys;
	struct symbol_object *objects;
	uint32_t room;
	uint32_t files;
	struct processes *processes;
	bool too_many_open;
};

void symbols_init(struct symbols *symbols, struct intern *names, const char *root);
void symbols_free(struct symbols *symbols);

/* The number of an object; see struct symbol_key. */
uint32_t symbols_object(struct symbols *symbols, enum symbol_kind kind, const char *path,
			uint32_t number);
/* Whether a mapping is of a file, rather than of memory that a process may have filled. */
bool symbols_is_file(const struct mapped_file *file);
/* The same for a file of the log; it is asked for its build-id when it is opened. */
uint32_t symbols_file(struct symbols *symbols, struct mapped_file *file);
/* What build-id a file must have. Before the first symbols_frames() of it. */
void symbols_build_id(struct symbols *symbols, uint32_t object, const void *bytes, uint32_t size);

/**
 * symbols_frames() - what there is at a place
 * @symbols: where to look
 * @object: symbols_object()
 * @offset: of a file, else the address
 * @frames: out: innermost first; all but the last are inlined
 *
 * Return: how many, at least 1.
 */
int symbols_frames(struct symbols *symbols, uint32_t object, uint64_t offset,
		   struct frame frames[DSO_CALLS_MAX]);

/* The file's dso, opened if need be; NULL when it is not here. */
struct dso *symbols_dso(struct symbols *symbols, uint32_t object);

/* The same file once more, for another reader; -1 when it is not here. */
int symbols_open_file(struct symbols *symbols, uint32_t object);

/* Says once which files were wanted, are here, and are other ones; or could not be opened. */
void symbols_report_problems(const struct symbols *symbols);

#endif
