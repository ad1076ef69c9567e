/* SPDX-License-Identifier: GPL-2.0-only */
/* Text in aligned columns that fits the terminal. */
#ifndef PMCTL_COLUMNS_H
#define PMCTL_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * struct column - how one column looks
 * @head: its heading
 * @right: aligned to the right
 * @least: letters to which it may be cut if the line is too long; 0: it is never cut
 */
struct column {
	const char *head;
	bool right;
	int least;
};

/**
 * struct columns - a table
 * @columns: how its columns look
 * @count: number of columns
 * @cells: of all rows, one after the other
 * @used: number of @cells
 */
struct columns {
	const struct column *columns;
	size_t count;
	char **cells;
	size_t used;
};

void columns_begin(struct columns *table, const struct column *columns, size_t count);
/* Adds the next cell of the row, or the first one of a new row. Takes @text, to be freed. */
void columns_add(struct columns *table, char *text);
/* Prints the table in lines of at most @width letters, 0: of any length, and frees it. */
void columns_print(struct columns *table, FILE *out, int width);

#endif
