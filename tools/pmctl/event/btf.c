// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "event/btf.h"

#define FOLDER	"/sys/kernel/btf"
#define MAGIC	0xeb9f
#define DEPTH	32	/* limit for a chain of types that refer to each other */

struct header {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t length;
	uint32_t types;		/* offset after this header, in bytes */
	uint32_t types_length;
	uint32_t texts;
	uint32_t texts_length;
};

enum {
	KIND_NONE, KIND_INT, KIND_PTR, KIND_ARRAY, KIND_STRUCT, KIND_UNION, KIND_ENUM, KIND_FWD,
	KIND_TYPEDEF, KIND_VOLATILE, KIND_CONST, KIND_RESTRICT, KIND_FUNC, KIND_FUNC_PROTO,
	KIND_VAR, KIND_DATASEC, KIND_FLOAT, KIND_DECL_TAG, KIND_TYPE_TAG, KIND_ENUM64, KINDS
};

/* A type: its kind is in bits 24 to 28 of @info, the number of its members in 0 to 15. */
struct type {
	uint32_t name;
	uint32_t info;
	uint32_t type;		/* or size */
	uint32_t members[];
};

/**
 * struct file - one file of FOLDER
 * @data: its contents
 * @texts: its names
 * @texts_length: in bytes
 * @types: its types, in order of their numbers
 * @count: number of types
 * @base: the file of the kernel, whose numbers of types and names those of a module continue
 */
struct file {
	unsigned char *data;
	const char *texts;
	uint32_t texts_length;
	const struct type **types;
	uint32_t count;
	const struct file *base;
};

struct btf {
	struct file kernel;
	struct file *modules;
	unsigned int count;
	bool has_modules;	/* they were read */
};

static unsigned int kind_of(const struct type *type)
{
	return type->info >> 24 & 0x1f;
}

static uint32_t members_of(const struct type *type)
{
	return type->info & 0xffff;
}

/* Returns the number of bytes that follow a type. */
static size_t size_behind(const struct type *type)
{
	switch (kind_of(type)) {
	case KIND_INT:
	case KIND_VAR:
	case KIND_DECL_TAG:
		return 4;
	case KIND_ARRAY:
		return 12;
	case KIND_STRUCT:
	case KIND_UNION:
	case KIND_DATASEC:
	case KIND_ENUM64:
		return 12 * (size_t)members_of(type);
	case KIND_ENUM:
	case KIND_FUNC_PROTO:
		return 8 * (size_t)members_of(type);
	default:
		return 0;
	}
}

static int read_whole(const char *path, unsigned char **data, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	ssize_t got = 0;

	*size = 0;
	if (fd < 0 || fstat(fd, &status) || status.st_size <= 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	*data = xcalloc(1, (size_t)status.st_size);
	while (*size < (size_t)status.st_size) {
		got = read(fd, *data + *size, (size_t)status.st_size - *size);
		if (got <= 0)
			break;
		*size += (size_t)got;
	}
	close(fd);
	return 0;
}

/* Finds where each type begins. Returns 0; -1 if a type has an unknown kind. */
static int index_types(struct file *file, const unsigned char *at, size_t length)
{
	size_t room = 0;

	while (length >= sizeof(struct type)) {
		const struct type *type = (const void *)at;
		size_t size = sizeof(*type) + size_behind(type);

		if (size > length || kind_of(type) >= KINDS)
			return -1;
		if (file->count == room) {
			room = room ? 2 * room : 1024;
			file->types = xrealloc(file->types, room, sizeof(struct type *));
		}
		file->types[file->count++] = type;
		at += size;
		length -= size;
	}
	return 0;
}

static int check_header(const struct header *header, size_t size)
{
	size_t behind;

	if (size < sizeof(*header) || header->magic != MAGIC || header->length < sizeof(*header) ||
	    header->length > size)
		return -1;
	behind = size - header->length;
	if (header->types % 4 || header->length % 4 || header->types > behind ||
	    header->types_length > behind - header->types || header->texts > behind ||
	    header->texts_length > behind - header->texts || !header->texts_length)
		return -1;
	return 0;
}

static void file_close(struct file *file)
{
	free(file->data);
	free(file->types);
	memset(file, 0, sizeof(*file));
}

static int file_open(struct file *file, const char *path, const struct file *base)
{
	const struct header *header;
	size_t size;

	memset(file, 0, sizeof(*file));
	file->base = base;
	if (read_whole(path, &file->data, &size))
		return -1;
	header = (const void *)file->data;
	if (!check_header(header, size)) {
		file->texts = (const char *)file->data + header->length + header->texts;
		file->texts_length = header->texts_length;
		if (!file->texts[file->texts_length - 1] &&
		    !index_types(file, file->data + header->length + header->types,
				 header->types_length))
			return 0;
	}
	file_close(file);
	return -1;
}

static const char *text_of(const struct file *file, uint32_t offset)
{
	if (file->base) {
		if (offset < file->base->texts_length)
			return file->base->texts + offset;
		offset -= file->base->texts_length;
	}
	return offset < file->texts_length ? file->texts + offset : "";
}

/* Returns the type with this number; NULL for void, or if there is none. */
static const struct type *type_of(const struct file *file, uint32_t number)
{
	if (!number)
		return NULL;
	if (file->base) {
		if (number <= file->base->count)
			return file->base->types[number - 1];
		number -= file->base->count;
	}
	return number <= file->count ? file->types[number - 1] : NULL;
}

static void put_type(FILE *out, const struct file *file, uint32_t number, int depth)
{
	static const char *const words[KINDS] = {
		[KIND_STRUCT] = "struct ", [KIND_UNION] = "union ", [KIND_ENUM] = "enum ",
		[KIND_ENUM64] = "enum ", [KIND_FWD] = "struct ", [KIND_CONST] = "const ",
		[KIND_VOLATILE] = "volatile ",
	};
	const struct type *type = type_of(file, number);
	unsigned int kind = type ? kind_of(type) : KIND_NONE;

	if (depth > DEPTH || !type) {
		fputs("void", out);
		return;
	}
	fputs(words[kind] ? words[kind] : "", out);
	switch (kind) {
	case KIND_PTR:
		put_type(out, file, type->type, depth + 1);
		fputs(" *", out);
		break;
	case KIND_CONST:
	case KIND_VOLATILE:
	case KIND_RESTRICT:
	case KIND_TYPE_TAG:
		put_type(out, file, type->type, depth + 1);
		break;
	case KIND_FUNC_PROTO:
		fputs("function", out);
		break;
	default:
		fputs(type->name ? text_of(file, type->name) : "{}", out);
		break;
	}
}

/* Follows typedefs and qualifiers. */
static const struct type *plain_type(const struct file *file, uint32_t number)
{
	for (int depth = 0; depth < DEPTH; depth++) {
		const struct type *type = type_of(file, number);
		unsigned int kind = type ? kind_of(type) : KIND_NONE;

		if (kind != KIND_TYPEDEF && kind != KIND_CONST && kind != KIND_VOLATILE &&
		    kind != KIND_RESTRICT && kind != KIND_TYPE_TAG)
			return type;
		number = type->type;
	}
	return NULL;
}

static void set_kind(const struct file *file, uint32_t number, struct argument *argument)
{
	const struct type *type = plain_type(file, number);
	unsigned int kind = type ? kind_of(type) : KIND_NONE;
	bool is_signed = kind == KIND_INT && type->members[0] >> 24 & 1;

	argument->kind = ARGUMENT_RAW;
	argument->bytes = 8;
	if (kind == KIND_PTR) {
		argument->kind = ARGUMENT_POINTER;
		argument->bytes = sizeof(void *);
	} else if ((kind == KIND_INT || kind == KIND_ENUM || kind == KIND_ENUM64) &&
		   type->type && type->type <= 8) {
		argument->bytes = type->type;
		argument->kind = is_signed || (kind != KIND_INT && type->info >> 31) ?
					 ARGUMENT_SIGNED : ARGUMENT_UNSIGNED;
	}
}

static char *type_text(const struct file *file, uint32_t number)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	put_type(out, file, number, 0);
	fclose(out);
	return text;
}

static void take_prototype(const struct file *file, const struct type *function, uint32_t first,
			   struct prototype *prototype)
{
	struct argument *argument;
	char *type;

	prototype->known = true;
	for (uint32_t i = first; i < members_of(function); i++) {
		uint32_t number = function->members[2 * i + 1];

		type = type_text(file, number);
		argument = prototype_add(prototype, text_of(file, function->members[2 * i]), type);
		if (argument)
			set_kind(file, number, argument);
		free(type);
	}
	free(prototype->result.type);
	prototype->result.type = type_text(file, function->type);
	set_kind(file, function->type, &prototype->result);
	if (!plain_type(file, function->type))
		prototype->result.kind = ARGUMENT_NONE;
}

/* Looks for a type of this kind and name that leads to a function's prototype. */
static int look_in(const struct file *file, unsigned int kind, const char *name, uint32_t first,
		   struct prototype *prototype)
{
	for (uint32_t i = 0; i < file->count; i++) {
		const struct type *type = file->types[i];

		if (kind_of(type) != kind || strcmp(text_of(file, type->name), name) != 0)
			continue;
		type = type_of(file, type->type);
		/* The typedef of a tracepoint is of a pointer to a function. */
		if (kind == KIND_TYPEDEF && type && kind_of(type) == KIND_PTR)
			type = type_of(file, type->type);
		if (!type || kind_of(type) != KIND_FUNC_PROTO)
			continue;
		take_prototype(file, type, first, prototype);
		return 0;
	}
	return -1;
}

static void read_modules(struct btf *btf)
{
	DIR *folder = opendir(FOLDER);
	struct dirent *entry;

	btf->has_modules = true;
	while (folder && (entry = readdir(folder))) {
		char *path;

		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "vmlinux"))
			continue;
		path = xasprintf(FOLDER "/%s", entry->d_name);
		btf->modules = xrealloc(btf->modules, btf->count + 1, sizeof(*btf->modules));
		if (!file_open(&btf->modules[btf->count], path, &btf->kernel))
			btf->count++;
		free(path);
	}
	if (folder)
		closedir(folder);
}

/* @first: index of the first argument that belongs to the prototype. */
static int look_up(struct btf *btf, unsigned int kind, const char *name, uint32_t first,
		   struct prototype *prototype)
{
	if (!look_in(&btf->kernel, kind, name, first, prototype))
		return 0;
	if (!btf->has_modules)
		read_modules(btf);
	for (unsigned int i = 0; i < btf->count; i++)
		if (!look_in(&btf->modules[i], kind, name, first, prototype))
			return 0;
	return -1;
}

struct btf *btf_open(void)
{
	struct btf *btf = xcalloc(1, sizeof(*btf));

	if (!file_open(&btf->kernel, FOLDER "/vmlinux", NULL))
		return btf;
	free(btf);
	return NULL;
}

void btf_close(struct btf *btf)
{
	if (!btf)
		return;
	for (unsigned int i = 0; i < btf->count; i++)
		file_close(&btf->modules[i]);
	free(btf->modules);
	file_close(&btf->kernel);
	free(btf);
}

int btf_function(struct btf *btf, const char *name, struct prototype *prototype)
{
	return look_up(btf, KIND_FUNC, name, 0, prototype);
}

/*
 * The type of a tracepoint has no names of its arguments, but the function that calls its probes
 * has. The first argument of both is the probe's own.
 */
int btf_tracepoint(struct btf *btf, const char *name, struct prototype *prototype)
{
	char *caller = xasprintf("__traceiter_%s", name), *type = xasprintf("btf_trace_%s", name);
	int result = look_up(btf, KIND_FUNC, caller, 1, prototype);

	if (result)
		result = look_up(btf, KIND_TYPEDEF, type, 1, prototype);
	free(caller);
	free(type);
	return result;
}
