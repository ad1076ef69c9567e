// SPDX-License-Identifier: GPL-2.0-only
/* Finds which of the kernel's symbols the samples of a log need. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/search.h"
#include "log/log_record.h"
#include "run/kernel_symbols.h"
#include "symbol/kallsyms.h"

/* The reader of a log finds the kernel's code by this symbol, see symbol/kernel_code.c. */
#define FIRST_SYMBOL	"_stext"

static void add(uint64_t start, const char *name, void *context)
{
	struct kernel_symbols *symbols = context;
	size_t size = strlen(name) + 1;

	if (symbols->count == symbols->room) {
		symbols->room = symbols->room ? 2 * symbols->room : 1 << 16;
		symbols->list = xrealloc(symbols->list, symbols->room, sizeof(*symbols->list));
	}
	if (size > symbols->names_room - symbols->names_size) {
		symbols->names_room = 2 * symbols->names_room + (1 << 20) + size;
		symbols->names = xrealloc(symbols->names, symbols->names_room, 1);
	}
	memcpy(symbols->names + symbols->names_size, name, size);
	symbols->list[symbols->count] = (struct known_symbol){
		.start = start, .name = symbols->names_size, .order = (uint32_t)symbols->count,
	};
	symbols->names_size += size;
	symbols->count++;
}

static int compare(const void *a, const void *b)
{
	const struct known_symbol *one = a, *other = b;

	if (one->start != other->start)
		return one->start > other->start ? 1 : -1;
	return (one->order > other->order) - (one->order < other->order);
}

/*
 * The kernel's own symbols come first in /proc/kallsyms, and by address. Those that follow, mostly
 * of modules, are few: they are sorted and merged into the others.
 */
static void sort(struct known_symbol *list, size_t count)
{
	struct known_symbol *others;
	size_t sorted = 1, left;

	while (sorted < count && compare(&list[sorted - 1], &list[sorted]) < 0)
		sorted++;
	left = count - sorted;
	if (!left)
		return;
	others = xcalloc(left, sizeof(*others));
	memcpy(others, list + sorted, left * sizeof(*others));
	qsort(others, left, sizeof(*others), compare);
	while (left) {
		count--;
		if (sorted && compare(&list[sorted - 1], &others[left - 1]) > 0)
			list[count] = list[--sorted];
		else
			list[count] = others[--left];
	}
	free(others);
}

void kernel_symbols_read(struct kernel_symbols *symbols, FILE *file)
{
	kallsyms_visit(file, add, symbols);
	if (symbols->count)
		sort(symbols->list, symbols->count);
}

static void put_once(struct kernel_symbols *symbols, size_t index, kernel_symbols_put put,
		     void *context)
{
	struct known_symbol *symbol = &symbols->list[index];

	if (!symbol->logged)
		put(symbol->start, symbols->names + symbol->name, context);
	symbol->logged = true;
}

void kernel_symbols_begin(struct kernel_symbols *symbols, kernel_symbols_put put, void *context)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (!strcmp(symbols->names + symbols->list[i].name, FIRST_SYMBOL))
			put_once(symbols, i, put, context);
}

/* Returns the number of symbols that begin at or before @address. */
static size_t up_to(const struct kernel_symbols *symbols, uint64_t address)
{
	return search_up_to(symbols->list, symbols->count, start, address);
}

/*
 * If several symbols have one address, a reader uses the first of the log: so log the first of
 * /proc/kallsyms.
 */
static void put_around(struct kernel_symbols *symbols, uint64_t address, kernel_symbols_put put,
		       void *context)
{
	size_t next = up_to(symbols, address), first = next;

	if (next < symbols->count)
		put_once(symbols, next, put, context);
	if (!next)
		return;
	for (first--; first && symbols->list[first - 1].start == symbols->list[next - 1].start;)
		first--;
	put_once(symbols, first, put, context);
}

/* @address is the pc of a sample, or with @returns a return address: the call is before it. */
static void look_up(struct kernel_symbols *symbols, uint64_t address, bool returns,
		    kernel_symbols_put put, void *context)
{
	uint64_t *seen = &symbols->seen[(address ^ address >> 12) % KERNEL_SYMBOLS_SEEN];
	/* A kernel address has its highest bit set: it is cleared in keys of return addresses. */
	uint64_t key = returns ? address & ~(1ULL << 63) : address;

	if (*seen == key)
		return;
	*seen = key;
	put_around(symbols, address, put, context);
	if (returns)
		put_around(symbols, address - 1, put, context);
}

void kernel_symbols_take(struct kernel_symbols *symbols, const struct hwpmc_log_sample *sample,
			 kernel_symbols_put put, void *context)
{
	const uint64_t *chain = log_record_words(sample, sample->chain_offset);

	if (!(sample->h.flags & HWPMC_SAMPLE_USER))
		look_up(symbols, sample->pc, false, put, context);
	for (unsigned int i = 0; i < sample->chain_kernel; i++)
		look_up(symbols, chain[i], true, put, context);
}

void kernel_symbols_forget(struct kernel_symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		symbols->list[i].logged = false;
	memset(symbols->seen, 0, sizeof(symbols->seen));
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	free(symbols->list);
	free(symbols->names);
	memset(symbols, 0, sizeof(*symbols));
}
