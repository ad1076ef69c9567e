// SPDX-License-Identifier: GPL-2.0-only
/* Finds the offset of a function in its file, where a probe is set. */
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"
#include "symbol/dso.h"
#include "symbol/entry.h"

/* The result so far. */
struct search {
	const char *function;
	uint64_t address;
	bool global;		/* @address is that of a symbol visible to other files */
	unsigned int places;	/* different addresses of symbols of that kind */
	bool indirect;		/* a symbol that is resolved when the program starts */
};

static bool is_named(const char *name, const char *function)
{
	size_t length = strcspn(name, "@");	/* "memcpy@@GLIBC_2.14" */
	bool same = strlen(function) == length && !strncmp(name, function, length);
	char *plain;

	if (same || (strncmp(name, "_Z", 2) && strncmp(name, "_R", 2)))
		return same;
	plain = demangle(name);
	same = !strcmp(plain, function);
	free(plain);
	return same;
}

/* Of functions with one name, global ones are preferred. */
static void consider(struct search *search, const GElf_Sym *symbol, uint64_t address)
{
	bool global = GELF_ST_BIND(symbol->st_info) != STB_LOCAL;

	if (search->places && global < search->global)
		return;
	if (!search->places || global > search->global) {
		search->places = 1;
	} else if (search->address != address) {
		search->places++;
		return;
	}
	search->address = address;
	search->global = global;
}

static void look_up(const struct dso *dso, struct search *search)
{
	int count = dwfl_module_getsymtab(dso->module);

	for (int i = 1; i < count; i++) {
		GElf_Addr address;
		GElf_Word section;
		GElf_Sym symbol;
		const char *name = dwfl_module_getsym_info(dso->module, i, &symbol, &address,
							   &section, NULL, NULL);
		int type = GELF_ST_TYPE(symbol.st_info);

		if (!name || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS ||
		    (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
		    !is_named(name, search->function))
			continue;
		if (type == STT_GNU_IFUNC)
			search->indirect = true;
		else
			consider(search, &symbol, address);
	}
}

/* Converts an address to an offset in the file. 0, or -1 if it is not in a loaded segment. */
static int to_offset(const struct dso *dso, uint64_t address, uint64_t *offset)
{
	for (uint32_t i = 0; i < dso->part_count; i++) {
		const struct dso_part *part = &dso->parts[i];

		if (address - part->start < part->size) {
			*offset = part->offset + (address - part->start);
			return 0;
		}
	}
	return -1;
}

static int result_of(const struct dso *dso, const struct search *search, const char *path,
		     uint64_t *offset, char *why, size_t size)
{
	if (search->places > 1)
		snprintf(why, size, "%s has %u functions named %s: give the offset of one, such as uprobe:%s:0x1234",
			 path, search->places, search->function, path);
	else if (!search->places && search->indirect)
		snprintf(why, size, "%s is resolved when a program starts: probe one of its implementations in %s",
			 search->function, path);
	else if (!search->places || to_offset(dso, search->address, offset))
		snprintf(why, size, "%s has no function %s; are its symbols in a separate package?",
			 path, search->function);
	else
		return 0;
	return -1;
}

int entry_find(int fd, const char *path, const char *function, uint64_t *offset, char *why,
	       size_t size)
{
	struct search search = { .function = function };
	struct dso_paths paths;
	struct dso dso;
	int result = -1, copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	dso_paths_init(&paths, "");
	if (copy < 0 || dso_open(&dso, &paths, path, copy)) {
		snprintf(why, size, "%s is not a program or library", path);
	} else {
		look_up(&dso, &search);
		result = result_of(&dso, &search, path, offset, why, size);
		dso_close(&dso);
	}
	dso_paths_free(&paths);
	return result;
}
