// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "symbol/demangle.h"
#include "symbol/symbols.h"

void symbols_init(struct symbols *symbols, struct intern *names, const char *root)
{
	memset(symbols, 0, sizeof(*symbols));
	symbols->names = names;
	dso_paths_init(&symbols->paths, root);
	symbols->inlines = true;
	intern_init(&symbols->keys, sizeof(struct symbol_key));
}

void symbols_free(struct symbols *symbols)
{
	for (uint32_t i = 0; i < symbols->keys.count; i++) {
		dso_close(&symbols->objects[i].dso);
		jit_free(&symbols->objects[i].jit);
	}
	free(symbols->objects);
	intern_free(&symbols->keys);
	dso_paths_free(&symbols->paths);
}

static const struct symbol_key *key_of(const struct symbols *symbols, uint32_t id)
{
	return intern_at(&symbols->keys, id);
}

uint32_t symbols_object(struct symbols *symbols, enum symbol_kind kind, const char *path,
			uint32_t number)
{
	struct symbol_key key = {
		.kind = kind,
		.path = kind == SYMBOL_FILE ? intern_id(symbols->names, path) : 0,
		.number = number,
	};
	uint32_t before = symbols->keys.count, id = intern_id(&symbols->keys, &key);

	if (id < before)
		return id;
	if (symbols->keys.count > symbols->room) {
		symbols->room = symbols->room ? symbols->room * 2 : 64;
		symbols->objects = xrealloc(symbols->objects, symbols->room,
					    sizeof(*symbols->objects));
	}
	memset(&symbols->objects[id], 0, sizeof(*symbols->objects));
	return id;
}

static void set_build_id(struct build_id *id, const void *bytes, uint32_t size)
{
	id->size = size < BUILD_ID_MAX ? size : BUILD_ID_MAX;
	memcpy(id->bytes, bytes, id->size);
}

void symbols_build_id(struct symbols *symbols, uint32_t id, const void *bytes, uint32_t size)
{
	set_build_id(&symbols->objects[id].wanted, bytes, size);
}

void symbols_kernel_build_id(struct symbols *symbols, const void *bytes, uint32_t size)
{
	set_build_id(&symbols->kernel, bytes, size);
}

/* The kernel also reports paths for shared memory and huge pages, which are not files. */
static bool is_file(const char *path)
{
	return path[0] == '/' && strncmp(path, "//", 2) && strncmp(path, "/memfd:", 7) &&
	       strncmp(path, "/dev/zero", 9) && strncmp(path, "/SYSV", 5) &&
	       strcmp(path, "/anon_hugepage (deleted)") != 0;
}

bool symbols_is_file(const struct mapped_file *file)
{
	/* symbols_file() is called for files only. */
	return file->data || is_file(file->path) || !strcmp(file->path, "[vdso]");
}

uint32_t symbols_file(struct symbols *symbols, struct mapped_file *file)
{
	uint32_t id;

	if (file->data)
		return (uint32_t)(uintptr_t)file->data - 1;
	id = symbols_object(symbols, SYMBOL_FILE, file->path, ++symbols->files);
	symbols->objects[id].file = file;
	file->data = (void *)(uintptr_t)(id + 1);
	return id;
}

/* Uses the build-id of the mapped file; if it is not known yet, the one of its path (number 0). */
static void find_build_id(struct symbols *symbols, uint32_t id)
{
	const struct mapped_file *file = symbols->objects[id].file;
	uint32_t path = key_of(symbols, id)->path, any;

	if (!file)
		return;
	if (file->build_id) {
		set_build_id(&symbols->objects[id].wanted, file->build_id, file->build_id_size);
		return;
	}
	any = symbols_object(symbols, SYMBOL_FILE, intern_text(symbols->names, path), 0);
	symbols->objects[id].wanted = symbols->objects[any].wanted;
}

static void open_object(struct symbols *symbols, uint32_t id)
{
	const char *path = intern_text(symbols->names, key_of(symbols, id)->path);
	struct symbol_object *object;
	int fd;

	find_build_id(symbols, id);
	object = &symbols->objects[id];
	object->opened = true;
	object->state = dso_find(&symbols->paths, path, &object->wanted, &fd);
	symbols->too_many_open |= object->state == DSO_TOO_MANY_OPEN;
	if (object->state == DSO_FOUND && dso_open(&object->dso, &symbols->paths, path, fd))
		object->state = DSO_MISSING;
}

struct dso *symbols_dso(struct symbols *symbols, uint32_t id)
{
	const struct symbol_key *key = key_of(symbols, id);

	if (key->kind != SYMBOL_FILE)
		return NULL;
	if (!symbols->objects[id].opened)
		open_object(symbols, id);
	return symbols->objects[id].state == DSO_FOUND ? &symbols->objects[id].dso : NULL;
}

int symbols_open_file(struct symbols *symbols, uint32_t id)
{
	const struct symbol_key *key = key_of(symbols, id);
	enum dso_state state;
	int fd;

	state = dso_find(&symbols->paths, intern_text(symbols->names, key->path),
			 &symbols->objects[id].wanted, &fd);
	symbols->too_many_open |= state == DSO_TOO_MANY_OPEN;
	return fd;
}

static uint32_t plain_name(struct symbols *symbols, const char *name)
{
	char *plain = demangle(name);
	uint32_t id = intern_id(symbols->names, plain);

	free(plain);
	return id;
}

static uint32_t source_name(struct symbols *symbols, const struct dso_call *call)
{
	char text[256];

	if (!symbols->sources || !call->file)
		return 0;
	snprintf(text, sizeof(text), "%.200s:%d", path_last(call->file), call->line);
	return intern_id(symbols->names, text);
}

/* "[libc.so.6]"; "[kernel]" has its brackets already. */
static char *object_name(const char *object)
{
	const char *name = strncmp(object, "//", 2) ? path_last(object) : object + 2;

	return *name == '[' ? xstrdup(name) : xasprintf("[%s]", name);
}

/* "libc.so.6+0x1234", or "[libc.so.6]" for all places of the object. */
static void name_by_offset(struct symbols *symbols, const char *object, uint64_t offset,
			   struct frame *frame)
{
	char *text = symbols->by_object ? object_name(object) :
		     xasprintf("%s+0x%" PRIx64, path_last(object), offset);

	frame->symbol = intern_id(symbols->names, text);
	frame->flags |= FRAME_NAMELESS;
	free(text);
}

static void name_function(struct symbols *symbols, struct dso *dso, uint64_t address,
			  const char *path, uint64_t offset, struct frame *frame)
{
	struct dso_symbol *symbol = dso_symbol(dso, address);

	if (!symbol) {
		name_by_offset(symbols, path, offset, frame);
		return;
	}
	if (!symbol->plain)
		symbol->plain = plain_name(symbols, symbol->name);
	frame->symbol = symbol->plain;
}

const char *symbols_function(struct symbols *symbols, uint32_t id, uint64_t offset, uint64_t *into)
{
	struct dso *dso = symbols_dso(symbols, id);
	struct dso_symbol *symbol;
	uint64_t address;

	if (!dso || dso_address(dso, offset, &address))
		return NULL;
	symbol = dso_symbol(dso, address);
	if (!symbol)
		return NULL;
	if (!symbol->plain)
		symbol->plain = plain_name(symbols, symbol->name);
	*into = address - symbol->start;
	return intern_text(symbols->names, symbol->plain);
}

static int file_frames(struct symbols *symbols, uint32_t id, uint64_t offset, struct frame *frames)
{
	uint32_t path = key_of(symbols, id)->path;
	struct dso_call calls[DSO_CALLS_MAX] = { { 0 } };
	struct dso *dso = symbols_dso(symbols, id);
	uint64_t address;
	int count = 1, first = 0;

	frames[0] = (struct frame){ .object = path };
	if (!dso || dso_address(dso, offset, &address)) {
		name_by_offset(symbols, intern_text(symbols->names, path), offset, &frames[0]);
		return 1;
	}
	if (symbols->inlines || symbols->sources)
		count = dso_calls(dso, address, calls);
	/* Without inlined frames the source line is still the innermost one. */
	if (!symbols->inlines)
		first = count - 1;
	for (int i = first; i < count; i++) {
		struct frame *frame = &frames[i - first];

		*frame = (struct frame){ .object = path };
		frame->source = source_name(symbols, &calls[symbols->inlines ? i : 0]);
		if (i + 1 < count) {
			frame->symbol = plain_name(symbols, calls[i].name);
			frame->flags = FRAME_INLINED;
		} else {
			name_function(symbols, dso, address, intern_text(symbols->names, path),
				      offset, frame);
		}
	}
	return count - first;
}

static int jit_frames(struct symbols *symbols, uint32_t id, uint64_t address, struct frame *frame)
{
	const struct symbol_key *key = key_of(symbols, id);
	struct symbol_object *object = &symbols->objects[id];
	char text[48];
	const struct jit_symbol *symbol;

	if (!object->opened)
		object->state = jit_read(&object->jit, symbols->paths.root, (int)key->number) ?
					DSO_MISSING : DSO_FOUND;
	object->opened = true;
	snprintf(text, sizeof(text), "perf-%u.map", key->number);
	*frame = (struct frame){ .object = intern_id(symbols->names, text) };
	symbol = jit_symbol(&object->jit, address);
	if (symbol)
		frame->symbol = plain_name(symbols, symbol->name);
	else
		name_by_offset(symbols, "//anon", address, frame);
	return 1;
}

/* Splits "name [module]" into symbol and object. */
static int kernel_frames(struct symbols *symbols, uint64_t address, struct frame *frame)
{
	const struct kernel_symbol *found = NULL;
	const char *text, *module;
	char *name;

	*frame = (struct frame){ .object = intern_id(symbols->names, SYMBOLS_KERNEL),
				 .flags = FRAME_KERNEL };
	if (symbols->processes)
		found = processes_kernel_symbol(symbols->processes, address);
	if (!found) {
		name_by_offset(symbols, SYMBOLS_KERNEL, address, frame);
		return 1;
	}
	text = found->name;
	module = strstr(text, " [");
	if (!module) {
		frame->symbol = plain_name(symbols, text);
		return 1;
	}
	name = xstrndup(text, (size_t)(module - text));
	frame->object = intern_id(symbols->names, module + 1);
	frame->symbol = plain_name(symbols, name);
	free(name);
	return 1;
}

/* A frame with the same name as symbol, object and source. */
static int placeless_frame(struct symbols *symbols, const char *name, uint32_t flags,
			   struct frame *frame)
{
	uint32_t id = intern_id(symbols->names, name);

	*frame = (struct frame){
		.symbol = id,
		.object = id,
		.source = symbols->sources ? id : 0,
		.flags = FRAME_NAMELESS | flags,
	};
	return 1;
}

int symbols_frames(struct symbols *symbols, uint32_t id, uint64_t offset,
		   struct frame frames[DSO_CALLS_MAX])
{
	const struct symbol_key *key = key_of(symbols, id);

	symbols->objects[id].used = true;
	switch (key->kind) {
	case SYMBOL_FILE:
		return file_frames(symbols, id, offset, frames);
	case SYMBOL_JIT:
		return jit_frames(symbols, id, offset, frames);
	case SYMBOL_KERNEL:
		return kernel_frames(symbols, offset, frames);
	case SYMBOL_THROTTLED:
		return placeless_frame(symbols, "[throttled]", 0, frames);
	default:
		return placeless_frame(symbols, "[unknown]", FRAME_UNKNOWN, frames);
	}
}

#define REPORT_MAX	3

/* A list of the used files in a state; free() it. */
static char *files_in_state(const struct symbols *symbols, enum dso_state state,
			    unsigned int *count)
{
	char *list = xstrdup("");

	*count = 0;
	for (uint32_t i = 0; i < symbols->keys.count; i++) {
		const struct symbol_key *key = key_of(symbols, i);
		const char *path = intern_text(symbols->names, key->path);
		char *longer;

		/* A [vdso] is not a file that could be missing. */
		if (key->kind != SYMBOL_FILE || path[0] != '/' || !symbols->objects[i].used ||
		    symbols->objects[i].state != state || ++*count > REPORT_MAX)
			continue;
		longer = xasprintf("%s%s%s", list, *count > 1 ? ", " : "", path);
		free(list);
		list = longer;
	}
	return list;
}

static void report_files(const struct symbols *symbols, enum dso_state state, const char *how)
{
	unsigned int count;
	char *list = files_in_state(symbols, state, &count);

	if (count)
		note("%u file%s %s (%s%s): %s functions are shown as %s; "
		     "--symfs DIR looks for files below DIR",
		     count, count > 1 ? "s are" : " is", how, list, count > REPORT_MAX ? ", ..." : "",
		     count > 1 ? "their" : "its",
		     symbols->by_object ? "[file], with --by-address as file+offset" : "file+offset");
	free(list);
}

static void report_foreign_jit(const struct symbols *symbols)
{
	const struct symbol_key *key, *first = NULL;
	unsigned int count = 0;

	for (uint32_t i = 0; i < symbols->keys.count; i++) {
		key = key_of(symbols, i);
		if (key->kind != SYMBOL_JIT || !symbols->objects[i].jit.foreign)
			continue;
		if (!count++)
			first = key;
	}
	if (count)
		note("%s/tmp/perf-%u.map%s ignored because another user owns it: JIT-compiled code has no "
		     "names; report as that user, or 'chown' a file that you trust to yourself",
		     symbols->paths.root, first->number, count > 1 ? " and others are" : " is");
}

void symbols_report_problems(const struct symbols *symbols)
{
	report_files(symbols, DSO_MISMATCH, "not of the recorded build");
	report_files(symbols, DSO_MISSING, "missing");
	report_foreign_jit(symbols);
	if (symbols->too_many_open)
		note("too many files are open, so some names are missing; raise the limit "
		     "of open files (ulimit -n)");
}
