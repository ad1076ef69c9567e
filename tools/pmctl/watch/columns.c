// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "watch/columns.h"

void columns_begin(struct columns *table, const struct column *columns, size_t count)
{
	*table = (struct columns){ .columns = columns, .count = count };
}

void columns_add(struct columns *table, char *text)
{
	if (!(table->used & (table->used - 1)))
		table->cells = xrealloc(table->cells, table->used ? 2 * table->used : 1,
					sizeof(*table->cells));
	table->cells[table->used++] = text;
}

static int widest(const struct columns *table, size_t column)
{
	int width = utf8_width(table->columns[column].head);

	for (size_t i = column; i < table->used; i += table->count)
		if (utf8_width(table->cells[i]) > width)
			width = utf8_width(table->cells[i]);
	return width;
}

/*
 * Removes a letter from the widest column that may become narrower. Returns whether there was one.
 */
static bool cut(const struct columns *table, int *widths)
{
	int *victim = NULL;

	for (size_t i = 0; i < table->count; i++)
		if (table->columns[i].least && widths[i] > table->columns[i].least &&
		    (!victim || widths[i] > *victim))
			victim = &widths[i];
	if (victim)
		--*victim;
	return victim;
}

/*
 * Makes the columns fit into @width letters. Returns the number of blanks between two columns: 1
 * instead of 2 before any column is cut.
 */
static int fit(const struct columns *table, int *widths, int width)
{
	int gaps = (int)table->count - 1, sum = 2 * gaps;

	for (size_t i = 0; i < table->count; i++)
		sum += widths[i];
	if (!width || sum <= width)
		return 2;
	for (sum -= gaps; sum > width && cut(table, widths); sum--)
		;
	return 1;
}

static void pad(FILE *out, int letters)
{
	fprintf(out, "%*s", letters > 0 ? letters : 0, "");
}

/* Prints @text; if it is wider than @width its end is replaced by "+". */
static void put(FILE *out, const char *text, int width)
{
	char *part = xstrdup(text);
	size_t length = 0;

	if (utf8_width(text) > width) {
		for (int i = 0; i < width - 1; i++) {
			size_t letter = utf8_letter(text + length);

			length += letter ? letter : 1;
		}
		strcpy(part + length, "+");
	}
	utf8_put(out, part);
	free(part);
}

/* @blanks: to print before the next cell that is not empty, so that no line ends in one */
static void print_cell(const struct columns *table, FILE *out, size_t column, const char *text,
		       const int *widths, int *blanks)
{
	int width = widths[column], empty = width - utf8_width(text);

	if (empty < 0)
		empty = 0;
	if (table->columns[column].right)
		*blanks += empty;
	if (*text) {
		pad(out, *blanks);
		*blanks = 0;
		put(out, text, width);
	}
	if (!table->columns[column].right)
		*blanks += empty;
}

/* A row of @cells, or if it is NULL the headings. */
static void print_row(const struct columns *table, FILE *out, char *const *cells, const int *widths,
		      int gap)
{
	int blanks = 0;

	for (size_t i = 0; i < table->count; i++) {
		const char *cell = cells ? cells[i] : table->columns[i].head;

		print_cell(table, out, i, cell, widths, &blanks);
		blanks += gap;
	}
	fputc('\n', out);
}

void columns_print(struct columns *table, FILE *out, int width)
{
	int *widths = xcalloc(table->count, sizeof(*widths)), gap;

	for (size_t i = 0; i < table->count; i++)
		widths[i] = widest(table, i);
	gap = fit(table, widths, width);
	print_row(table, out, NULL, widths, gap);
	for (char **row = table->cells; row < table->cells + table->used; row += table->count) {
		print_row(table, out, row, widths, gap);
		for (size_t i = 0; i < table->count; i++)
			free(row[i]);
	}
	free(table->cells);
	free(widths);
}
