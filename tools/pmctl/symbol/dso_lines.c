// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source lines and inlined functions, from DWARF.
 *
 * Not every compiler writes an index of addresses, and searching a whole unit for each
 * address is slow: units and their functions are sorted once.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/search.h"
#include "symbol/dso_lines.h"

#define DEPTH_MAX	64

/* Addresses from @start to @end belong to @die, a function, or to unit number @unit. */
struct range {
	uint64_t start;
	uint64_t end;
	Dwarf_Die die;
	uint32_t unit;
};

struct ranges {
	struct range *list;
	uint32_t count;
	uint32_t room;
};

struct unit {
	Dwarf_Die die;
	bool read;
	struct ranges functions;
};

/**
 * struct dso_lines - the DWARF of a file
 * @bias: added to its addresses to get those of the file
 * @units: its compilation units
 * @unit_count: number of units
 * @ranges: the address ranges of the units
 */
struct dso_lines {
	Dwarf_Addr bias;
	struct unit *units;
	uint32_t unit_count;
	struct ranges ranges;
};

static void add_range(struct ranges *ranges, struct range range)
{
	if (ranges->count == ranges->room) {
		ranges->room = ranges->room ? ranges->room * 2 : 16;
		ranges->list = xrealloc(ranges->list, ranges->room, sizeof(*ranges->list));
	}
	ranges->list[ranges->count++] = range;
}

static void add_die(struct ranges *ranges, Dwarf_Die *die, uint32_t unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(die, next, &base, &start, &end)) > 0)
		/* Functions that the linker discarded have address 0. */
		if (start && start < end)
			add_range(ranges, (struct range){ start, end, *die, unit });
}

static int by_start(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void sort_ranges(struct ranges *ranges)
{
	if (ranges->count)
		qsort(ranges->list, ranges->count, sizeof(*ranges->list), by_start);
}

static struct range *find_range(const struct ranges *ranges, uint64_t address)
{
	size_t low = search_up_to(ranges->list, ranges->count, start, address);

	return low && address < ranges->list[low - 1].end ? &ranges->list[low - 1] : NULL;
}

static void add_unit(struct dso_lines *lines, Dwarf_Die *die)
{
	uint32_t number = lines->unit_count;

	lines->units = xrealloc(lines->units, number + 1, sizeof(*lines->units));
	lines->units[number] = (struct unit){ .die = *die };
	lines->unit_count++;
	add_die(&lines->ranges, die, number);
}

struct dso_lines *dso_lines_open(Dwfl_Module *module)
{
	struct dso_lines *lines = xcalloc(1, sizeof(*lines));
	Dwarf *dwarf = dwfl_module_getdwarf(module, &lines->bias);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;

	if (!dwarf)
		return lines;
	while (!dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, &split))
		if (dwarf_tag(&die) == DW_TAG_compile_unit)
			add_unit(lines, &die);
		else if (dwarf_tag(&die) == DW_TAG_skeleton_unit)
			add_unit(lines, dwarf_tag(&split) == DW_TAG_invalid ? &die : &split);
	sort_ranges(&lines->ranges);
	return lines;
}

/* C++ and Rust also have functions in namespaces and types. */
static bool holds_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type;
}

static void read_functions(struct ranges *functions, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			add_die(functions, &die, 0);
		else if (holds_functions(tag))
			read_functions(functions, &die, depth + 1);
	} while (!dwarf_siblingof(&die, &die));
}

static struct range *find_function(struct unit *unit, uint64_t address)
{
	if (!unit->read) {
		unit->read = true;
		read_functions(&unit->functions, &unit->die, 0);
		sort_ranges(&unit->functions);
	}
	return find_range(&unit->functions, address);
}

/* Finds the child of @parent, an inlined function or a block, that contains the address. */
static bool step_down(Dwarf_Die *parent, uint64_t address, Dwarf_Die *child)
{
	if (dwarf_child(parent, child))
		return false;
	do {
		int tag = dwarf_tag(child);

		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
		    dwarf_haspc(child, address) == 1)
			return true;
	} while (!dwarf_siblingof(child, child));
	return false;
}

/* Inlined functions around an address, outermost first. */
static int find_inlined(Dwarf_Die function, uint64_t address, Dwarf_Die *found, int max)
{
	Dwarf_Die child;
	int count = 0;

	for (int depth = 0; depth < DEPTH_MAX && count < max; depth++) {
		if (!step_down(&function, address, &child))
			break;
		if (dwarf_tag(&child) == DW_TAG_inlined_subroutine)
			found[count++] = child;
		function = child;
	}
	return count;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr));
	if (!name)
		name = dwarf_diename(die);
	return name ? name : "(inlined)";
}

/* The file of a line or call, as the unit has it. */
static void set_file(Dwarf_Die *unit, const char *file, struct dso_call *call)
{
	Dwarf_Attribute attr;

	call->file = file;
	if (file && file[0] != '/')
		call->directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
}

static void line_of_address(Dwarf_Die *unit, uint64_t address, struct dso_call *call)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);

	if (!line)
		return;
	set_file(unit, dwarf_linesrc(line, NULL, NULL), call);
	if (dwarf_lineno(line, &call->line))
		call->line = 0;
}

/* Where an inlined function was called. */
static void line_of_call(Dwarf_Die *unit, Dwarf_Die *die, struct dso_call *call)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word value;

	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &value))
		call->line = (int)value;
	if (!dwarf_getsrcfiles(unit, &files, NULL) &&
	    !dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &value))
		set_file(unit, dwarf_filesrc(files, value, NULL, NULL), call);
}

static int unit_calls(struct unit *unit, uint64_t address, struct dso_call *calls)
{
	Dwarf_Die inlined[DSO_CALLS_MAX - 1];
	struct range *function = find_function(unit, address);
	int count = 0;

	if (function)
		count = find_inlined(function->die, address, inlined, DSO_CALLS_MAX - 1);
	line_of_address(&unit->die, address, &calls[0]);
	for (int i = 0; i < count; i++) {
		Dwarf_Die *die = &inlined[count - 1 - i];

		calls[i].name = name_of(die);
		calls[i + 1] = (struct dso_call){ 0 };
		line_of_call(&unit->die, die, &calls[i + 1]);
	}
	return count + 1;
}

int dso_lines_calls(struct dso_lines *lines, uint64_t address, struct dso_call calls[DSO_CALLS_MAX])
{
	struct range *range;

	calls[0] = (struct dso_call){ 0 };
	address -= lines->bias;
	range = find_range(&lines->ranges, address);
	return range ? unit_calls(&lines->units[range->unit], address, calls) : 1;
}

void dso_lines_free(struct dso_lines *lines)
{
	if (!lines)
		return;
	for (uint32_t i = 0; i < lines->unit_count; i++)
		free(lines->units[i].functions.list);
	free(lines->units);
	free(lines->ranges.list);
	free(lines);
}
