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

void syms_init(struct syms *syms, struct intern *names, const char *root)
{
	memset(syms, 0, sizeof(*syms));
	syms->names = names;
	dso_paths_init(&syms->paths, root);
	syms->inlines = true;
	intern_init(&syms->keys, sizeof(struct sym_key));
}

void syms_free(struct syms *syms)
{
	for (uint32_t i = 0; i < syms->keys.count; i++) {
		dso_close(&syms->objects[i].dso);
		jit_free(&syms->objects[i].jit);
	}
	free(syms->objects);
	intern_free(&syms->keys);
	dso_paths_free(&syms->paths);
}

uint32_t syms_object(struct syms *syms, enum sym_kind kind, const char *path, uint32_t number)
{
	struct sym_key key = {
		.kind = kind,
		.path = kind == SYM_FILE ? intern_id(syms->names, path) : 0,
		.number = number,
	};
	uint32_t before = syms->keys.count, id = intern_id(&syms->keys, &key);

	if (id < before)
		return id;
	if (syms->keys.count > syms->room) {
		syms->room = syms->room ? syms->room * 2 : 64;
		syms->objects = xrealloc(syms->objects, syms->room, sizeof(*syms->objects));
	}
	memset(&syms->objects[id], 0, sizeof(*syms->objects));
	return id;
}

static void set_wanted(struct sym_object *object, const void *bytes, uint32_t size)
{
	if (size > BUILD_ID_MAX)
		size = BUILD_ID_MAX;
	object->wanted.size = size;
	memcpy(object->wanted.bytes, bytes, size);
}

void syms_build_id(struct syms *syms, uint32_t id, const void *bytes, uint32_t size)
{
	set_wanted(&syms->objects[id], bytes, size);
}

/* The kernel has files for memory of no file, too: shared, or in large pages. */
static bool is_file(const char *path)
{
	return path[0] == '/' && strncmp(path, "//", 2) && strncmp(path, "/memfd:", 7) &&
	       strncmp(path, "/dev/zero", 9) && strncmp(path, "/SYSV", 5) &&
	       strcmp(path, "/anon_hugepage (deleted)") != 0;
}

bool syms_is_file(const struct space_file *file)
{
	return is_file(file->path) || !strcmp(file->path, "[vdso]");
}

uint32_t syms_file(struct syms *syms, struct space_file *file)
{
	uint32_t id;

	if (file->data)
		return (uint32_t)(uintptr_t)file->data - 1;
	id = syms_object(syms, SYM_FILE, file->path, ++syms->files);
	syms->objects[id].file = file;
	file->data = (void *)(uintptr_t)(id + 1);
	return id;
}

/* What the log's file says; before it does, what is said of its path (number 0). */
static void learn_build_id(struct syms *syms, uint32_t id)
{
	const struct space_file *file = syms->objects[id].file;
	uint32_t path = ((const struct sym_key *)intern_at(&syms->keys, id))->path, any;

	if (!file)
		return;
	if (file->build_id) {
		set_wanted(&syms->objects[id], file->build_id, file->build_id_size);
		return;
	}
	any = syms_object(syms, SYM_FILE, intern_text(syms->names, path), 0);
	syms->objects[id].wanted = syms->objects[any].wanted;
}

static void open_object(struct syms *syms, uint32_t id)
{
	const char *path = intern_text(syms->names,
				       ((const struct sym_key *)intern_at(&syms->keys, id))->path);
	struct sym_object *object;
	int fd;

	learn_build_id(syms, id);
	object = &syms->objects[id];
	object->opened = true;
	object->state = dso_find(&syms->paths, path, &object->wanted, &fd);
	syms->crowded |= object->state == DSO_CROWDED;
	if (object->state == DSO_GOOD && dso_open(&object->dso, &syms->paths, path, fd))
		object->state = DSO_MISSING;
}

struct dso *syms_dso(struct syms *syms, uint32_t id)
{
	const struct sym_key *key = intern_at(&syms->keys, id);

	if (key->kind != SYM_FILE)
		return NULL;
	if (!syms->objects[id].opened)
		open_object(syms, id);
	return syms->objects[id].state == DSO_GOOD ? &syms->objects[id].dso : NULL;
}

int syms_open_file(struct syms *syms, uint32_t id)
{
	const struct sym_key *key = intern_at(&syms->keys, id);
	enum dso_state state;
	int fd;

	state = dso_find(&syms->paths, intern_text(syms->names, key->path),
			 &syms->objects[id].wanted, &fd);
	syms->crowded |= state == DSO_CROWDED;
	return fd;
}

static uint32_t plain_name(struct syms *syms, const char *name)
{
	char *plain = demangle(name);
	uint32_t id = intern_id(syms->names, plain);

	free(plain);
	return id;
}

static uint32_t source_name(struct syms *syms, const struct dso_call *call)
{
	char text[256];

	if (!syms->sources || !call->file)
		return 0;
	snprintf(text, sizeof(text), "%.200s:%d", path_last(call->file), call->line);
	return intern_id(syms->names, text);
}

/* "libc.so.6+0x1234" */
static void name_by_offset(struct syms *syms, const char *object, uint64_t offset,
			   struct frame *frame)
{
	char *text = xasprintf("%s+0x%" PRIx64, path_last(object), offset);

	frame->symbol = intern_id(syms->names, text);
	frame->flags |= FRAME_NAMELESS;
	free(text);
}

static void name_function(struct syms *syms, struct dso *dso, uint64_t address, const char *path,
			  uint64_t offset, struct frame *frame)
{
	struct dso_symbol *symbol = dso_symbol(dso, address);

	if (!symbol) {
		name_by_offset(syms, path, offset, frame);
		return;
	}
	if (!symbol->plain)
		symbol->plain = plain_name(syms, symbol->name);
	frame->symbol = symbol->plain;
}

static int file_frames(struct syms *syms, uint32_t id, uint64_t offset, struct frame *frames)
{
	uint32_t path = ((const struct sym_key *)intern_at(&syms->keys, id))->path;
	struct dso_call calls[DSO_CALLS_MAX] = { { 0 } };
	struct dso *dso = syms_dso(syms, id);
	uint64_t address;
	int count = 1, first = 0;

	frames[0] = (struct frame){ .object = path };
	if (!dso || dso_address(dso, offset, &address)) {
		name_by_offset(syms, intern_text(syms->names, path), offset, &frames[0]);
		return 1;
	}
	if (syms->inlines || syms->sources)
		count = dso_calls(dso, address, calls);
	/* Without inlined frames the line is still the innermost one. */
	if (!syms->inlines)
		first = count - 1;
	for (int i = first; i < count; i++) {
		struct frame *frame = &frames[i - first];

		*frame = (struct frame){ .object = path };
		frame->source = source_name(syms, &calls[syms->inlines ? i : 0]);
		if (i + 1 < count) {
			frame->symbol = plain_name(syms, calls[i].name);
			frame->flags = FRAME_INLINED;
		} else {
			name_function(syms, dso, address, intern_text(syms->names, path), offset,
				      frame);
		}
	}
	return count - first;
}

static int jit_frames(struct syms *syms, uint32_t id, uint64_t address, struct frame *frame)
{
	const struct sym_key *key = intern_at(&syms->keys, id);
	struct sym_object *object = &syms->objects[id];
	char text[48];
	const char *name;

	if (!object->opened)
		object->state = jit_read(&object->jit, syms->paths.root, (int)key->number) ?
					DSO_MISSING : DSO_GOOD;
	object->opened = true;
	snprintf(text, sizeof(text), "perf-%u.map", key->number);
	*frame = (struct frame){ .object = intern_id(syms->names, text) };
	name = jit_name(&object->jit, address);
	if (name)
		frame->symbol = plain_name(syms, name);
	else
		name_by_offset(syms, "//anon", address, frame);
	return 1;
}

/* "name [module]" is two things. */
static int kernel_frames(struct syms *syms, uint64_t address, struct frame *frame)
{
	const struct space_symbol *found = syms->space ? space_symbol(syms->space, address) : NULL;
	const char *text, *module;
	char *name;

	*frame = (struct frame){ .object = intern_id(syms->names, "[kernel]"),
				 .flags = FRAME_KERNEL };
	if (!found) {
		name_by_offset(syms, "[kernel]", address, frame);
		return 1;
	}
	text = found->name;
	module = strstr(text, " [");
	if (!module) {
		frame->symbol = plain_name(syms, text);
		return 1;
	}
	name = xstrndup(text, (size_t)(module - text));
	frame->object = intern_id(syms->names, module + 1);
	frame->symbol = plain_name(syms, name);
	free(name);
	return 1;
}

int syms_frames(struct syms *syms, uint32_t id, uint64_t offset, struct frame frames[DSO_CALLS_MAX])
{
	const struct sym_key *key = intern_at(&syms->keys, id);

	syms->objects[id].used = true;
	switch (key->kind) {
	case SYM_FILE:
		return file_frames(syms, id, offset, frames);
	case SYM_JIT:
		return jit_frames(syms, id, offset, frames);
	case SYM_KERNEL:
		return kernel_frames(syms, offset, frames);
	default:
		frames[0] = (struct frame){
			.symbol = intern_id(syms->names, "[unknown]"),
			.object = intern_id(syms->names, "[unknown]"),
			.flags = FRAME_NAMELESS | FRAME_UNKNOWN,
		};
		return 1;
	}
}

#define COMPLAIN_MAX	3

/* Files that were asked for and are so; free() it. */
static char *files_so(const struct syms *syms, enum dso_state state, unsigned int *count)
{
	char *list = xstrdup("");

	*count = 0;
	for (uint32_t i = 0; i < syms->keys.count; i++) {
		const struct sym_key *key = intern_at(&syms->keys, i);
		const char *path = intern_text(syms->names, key->path);
		char *longer;

		/* Nobody looks for a [vdso]. */
		if (key->kind != SYM_FILE || path[0] != '/' || !syms->objects[i].used ||
		    syms->objects[i].state != state || ++*count > COMPLAIN_MAX)
			continue;
		longer = xasprintf("%s%s%s", list, *count > 1 ? ", " : "", path);
		free(list);
		list = longer;
	}
	return list;
}

static void complain_of(const struct syms *syms, enum dso_state state, const char *how)
{
	unsigned int count;
	char *list = files_so(syms, state, &count);

	if (count)
		note("%u file%s %s (%s%s): shown as file+offset; "
		     "--symfs DIR looks for the right ones below DIR",
		     count, count > 1 ? "s are" : " is", how, list,
		     count > COMPLAIN_MAX ? ", ..." : "");
	free(list);
}

static void complain_of_maps(const struct syms *syms)
{
	const struct sym_key *key, *first = NULL;
	unsigned int count = 0;

	for (uint32_t i = 0; i < syms->keys.count; i++) {
		key = intern_at(&syms->keys, i);
		if (key->kind != SYM_JIT || !syms->objects[i].jit.foreign)
			continue;
		if (!count++)
			first = key;
	}
	if (count)
		note("%s/tmp/perf-%u.map%s not believed, being another user's: code that was compiled as "
		     "it ran has no names; report as that user, or 'chown' what you trust to yourself",
		     syms->paths.root, first->number, count > 1 ? " and others are" : " is");
}

void syms_complain(const struct syms *syms)
{
	complain_of(syms, DSO_OTHER, "here other than when it was recorded");
	complain_of(syms, DSO_MISSING, "not here");
	complain_of_maps(syms);
	if (syms->crowded)
		note("too many files are open to open them all: names are missing; raise the limit "
		     "of open files (ulimit -n)");
}
