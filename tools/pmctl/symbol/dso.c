// SPDX-License-Identifier: GPL-2.0-only
/* The functions of a file, sorted. libdwfl also finds them in separate debug files. */
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/search.h"
#include "symbol/dso.h"

void dso_paths_init(struct dso_paths *paths, const char *root)
{
	paths->root = root;
	paths->release = NULL;
	paths->debug = xasprintf(":.debug:%s/usr/lib/debug", root);
	paths->callbacks = (Dwfl_Callbacks) {
		.find_elf = dwfl_build_id_find_elf,
		/* Searches by build-id and by .gnu_debuglink with its checksum. */
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &paths->debug,
	};
}

void dso_paths_free(struct dso_paths *paths)
{
	free(paths->debug);
	memset(paths, 0, sizeof(*paths));
}

static int read_parts(struct dso *dso)
{
	size_t count;
	GElf_Phdr header;

	if (elf_getphdrnum(dso->elf, &count))
		return -1;
	dso->parts = xcalloc(count, sizeof(*dso->parts));
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(dso->elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		dso->parts[dso->part_count++] = (struct dso_part){
			.offset = header.p_offset,
			.size = header.p_filesz,
			.start = header.p_vaddr,
		};
	}
	return 0;
}

static bool is_code(const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	/* Functions in assembly often have no type. arm64's "$x" markers are removed by name. */
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

static void add_symbol(struct dso *dso, int number, uint32_t *room)
{
	GElf_Addr address;
	GElf_Word section;
	GElf_Sym symbol;
	const char *name = dwfl_module_getsym_info(dso->module, number, &symbol, &address, &section,
						   NULL, NULL);

	if (!name || !name[0] || name[0] == '$' || !is_code(&symbol) ||
	    symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS || !address)
		return;
	if (dso->symbol_count == *room) {
		*room = *room ? *room * 2 : 256;
		dso->symbols = xrealloc(dso->symbols, *room, sizeof(*dso->symbols));
	}
	dso->symbols[dso->symbol_count++] = (struct dso_symbol){
		.start = address,
		.end = address + symbol.st_size,
		.name = name,
	};
}

/*
 * Of several names at one address the one with a length, then the one with the fewest underscores,
 * is first.
 */
static int by_address(const void *left, const void *right)
{
	const struct dso_symbol *a = left, *b = right;
	size_t la, lb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	la = strspn(a->name, "_");
	lb = strspn(b->name, "_");
	if (la != lb)
		return la < lb ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The end of the segment that contains an address. */
static uint64_t part_end(const struct dso *dso, uint64_t address)
{
	for (uint32_t i = 0; i < dso->part_count; i++)
		if (address - dso->parts[i].start < dso->parts[i].size)
			return dso->parts[i].start + dso->parts[i].size;
	return address;
}

/* The end of the code section that contains an address; of its segment without sections. */
static uint64_t section_end(const struct dso *dso, uint64_t address)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(dso->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR &&
		    address - header.sh_addr < header.sh_size)
			return header.sh_addr + header.sh_size;
	return part_end(dso, address);
}

/* Whether a symbol is an alias of, or a label in, the function before it. */
static bool is_inside(const struct dso_symbol *before, const struct dso_symbol *symbol)
{
	return before->start == symbol->start ||
	       (symbol->end == symbol->start && symbol->start < before->end);
}

/* Keeps one name per address. A symbol without a length ends at the next one, or its section. */
static void sort_symbols(struct dso *dso)
{
	uint32_t kept = 0;

	qsort(dso->symbols, dso->symbol_count, sizeof(*dso->symbols), by_address);
	for (uint32_t i = 0; i < dso->symbol_count; i++)
		if (!kept || !is_inside(&dso->symbols[kept - 1], &dso->symbols[i]))
			dso->symbols[kept++] = dso->symbols[i];
	dso->symbol_count = kept;
	for (uint32_t i = 0; i < kept; i++) {
		struct dso_symbol *symbol = &dso->symbols[i];
		uint64_t next = i + 1 < kept ? symbol[1].start : UINT64_MAX;

		if (symbol->end == symbol->start)
			symbol->end = section_end(dso, symbol->start);
		if (symbol->end > next)
			symbol->end = next;
	}
}

static void read_symbols(struct dso *dso)
{
	int count = dwfl_module_getsymtab(dso->module);
	uint32_t room = 0;

	for (int i = 1; i < count; i++)
		add_symbol(dso, i, &room);
	if (dso->symbol_count)
		sort_symbols(dso);
}

static int report(struct dso *dso, const char *name, int fd)
{
	GElf_Addr bias;

	dwfl_report_begin(dso->dwfl);
	/* Reported with a base of 0, so that addresses are those in the file. */
	dso->module = dwfl_report_elf(dso->dwfl, name, name, fd, 0, true);
	if (!dso->module)
		close(fd);
	if (dwfl_report_end(dso->dwfl, NULL, NULL) || !dso->module)
		return -1;
	dso->elf = dwfl_module_getelf(dso->module, &bias);
	return dso->elf && !bias ? 0 : -1;
}

int dso_open(struct dso *dso, const struct dso_paths *paths, const char *name, int fd)
{
	memset(dso, 0, sizeof(*dso));
	dso->dwfl = dwfl_begin(&paths->callbacks);
	if (!dso->dwfl) {
		close(fd);
		return -1;
	}
	if (report(dso, name, fd) || read_parts(dso)) {
		dso_close(dso);
		return -1;
	}
	read_symbols(dso);
	return 0;
}

void dso_close(struct dso *dso)
{
	if (dso->dwfl)
		dwfl_end(dso->dwfl);
	free(dso->parts);
	free(dso->symbols);
	dso_lines_free(dso->lines);
	memset(dso, 0, sizeof(*dso));
}

int dso_address(const struct dso *dso, uint64_t offset, uint64_t *address)
{
	for (uint32_t i = 0; i < dso->part_count; i++) {
		const struct dso_part *part = &dso->parts[i];

		if (offset - part->offset < part->size) {
			*address = part->start + (offset - part->offset);
			return 0;
		}
	}
	return -1;
}

struct dso_symbol *dso_symbol(const struct dso *dso, uint64_t address)
{
	size_t low = search_up_to(dso->symbols, dso->symbol_count, start, address);

	if (!low || address >= dso->symbols[low - 1].end)
		return NULL;
	return &dso->symbols[low - 1];
}

int dso_calls(struct dso *dso, uint64_t address, struct dso_call calls[DSO_CALLS_MAX])
{
	if (!dso->lines)
		dso->lines = dso_lines_open(dso->module);
	return dso_lines_calls(dso->lines, address, calls);
}
