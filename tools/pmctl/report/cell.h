/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CELL_H
#define PMCTL_CELL_H

#include <stdio.h>

/* Names in lines that fit the terminal. A width of 0 means a file, with lines of any length. */

/* Returns the largest width of a column other than the last, in lines of @width letters. */
int cell_most(int width);
/*
 * Returns the letters left for the last column after @used of @width, at least a few; 0: any number
 */
int cell_room(int width, int used);
/* Writes @text, shortened to @room letters (0: all of it). Returns the number of letters. */
int cell_put(FILE *out, const char *text, int room);

#endif
