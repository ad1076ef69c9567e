/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_ARROWS_H
#define PMCTL_ARROWS_H

#include "symbol/disassembly.h"

/**
 * struct arrows - the jumps inside of a function, drawn with letters
 * @list: one entry for all jumps to the same target
 * @count: number of arrows
 * @lanes: number of columns that are used
 */
struct arrows {
	struct arrow *list;
	uint32_t count;
	uint32_t lanes;
};

/* Instructions that jump have their target in @code. */
void arrows_make(struct arrows *arrows, const struct disassembly *code);
void arrows_free(struct arrows *arrows);

/* The number of letters of arrows_draw() and arrows_between(). */
static inline uint32_t arrows_width(const struct arrows *arrows)
{
	return arrows->lanes ? 2 * arrows->lanes + 1 : 0;
}

/* Returns the part beside instruction number @row; free() it. */
char *arrows_draw(const struct arrows *arrows, const struct disassembly *code, uint32_t row);
/* Returns the part beside a line that is printed before instruction number @row; free() it. */
char *arrows_between(const struct arrows *arrows, uint32_t row);

#endif
