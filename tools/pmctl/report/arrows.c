// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws jumps:
 *
 *	,->  the target of a jump back
 *	|    between
 *	`--  the jump
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/arrows.h"

/* With more lanes arrows cannot be followed: the longest ones are not drawn. */
#define LANES_MAX	10

#define NO_LANE		UINT32_MAX

/**
 * struct arrow - all jumps to a target
 * @target: its instruction
 * @first: the first instruction beside which it is drawn
 * @last: the last one
 * @lane: 0 is the column next to the instructions
 */
struct arrow {
	uint32_t target;
	uint32_t first;
	uint32_t last;
	uint32_t lane;
};

/* The number of the instruction at @address; NO_LANE if none begins there. */
static uint32_t number_of(const struct disassembly *code, uint64_t address)
{
	const struct instruction *found = disassembly_find(code, address);

	return found && found->address == address ? (uint32_t)(found - code->list) : NO_LANE;
}

static void add(struct arrows *arrows, uint32_t *arrow_of, uint32_t row, uint32_t target)
{
	uint32_t id = arrow_of[target];
	struct arrow *arrow;

	if (id == NO_LANE) {
		id = arrows->count++;
		arrow_of[target] = id;
		arrows->list[id] = (struct arrow){ target, target, target, NO_LANE };
	}
	arrow = &arrows->list[id];
	arrow->first = row < arrow->first ? row : arrow->first;
	arrow->last = row > arrow->last ? row : arrow->last;
}

static int by_length(const void *left, const void *right)
{
	const struct arrow *a = left, *b = right;
	uint32_t la = a->last - a->first, lb = b->last - b->first;

	if (la != lb)
		return la < lb ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static bool is_free(const bool *lane, const struct arrow *arrow)
{
	for (uint32_t row = arrow->first; row <= arrow->last; row++)
		if (lane[row])
			return false;
	return true;
}

/* Short arrows are closest to the instructions. */
static void assign_lanes(struct arrows *arrows, uint32_t rows)
{
	bool *used = xcalloc((size_t)LANES_MAX * rows, sizeof(*used));

	for (uint32_t i = 0; i < arrows->count; i++) {
		struct arrow *arrow = &arrows->list[i];
		uint32_t lane = 0;

		while (lane < LANES_MAX && !is_free(used + (size_t)lane * rows, arrow))
			lane++;
		if (lane == LANES_MAX)
			continue;
		arrow->lane = lane;
		memset(used + (size_t)lane * rows + arrow->first, true,
		       arrow->last - arrow->first + 1);
		if (lane >= arrows->lanes)
			arrows->lanes = lane + 1;
	}
	free(used);
}

void arrows_make(struct arrows *arrows, const struct disassembly *code)
{
	uint32_t *arrow_of = xcalloc(code->count, sizeof(*arrow_of));

	memset(arrows, 0, sizeof(*arrows));
	memset(arrow_of, 0xff, code->count * sizeof(*arrow_of));
	arrows->list = xcalloc(code->count, sizeof(*arrows->list));
	for (uint32_t row = 0; row < code->count; row++) {
		uint32_t target = code->list[row].jumps ? number_of(code, code->list[row].target) :
							  NO_LANE;

		/* A jump to itself has no arrow. */
		if (target != NO_LANE && target != row)
			add(arrows, arrow_of, row, target);
	}
	free(arrow_of);
	if (arrows->count)
		qsort(arrows->list, arrows->count, sizeof(*arrows->list), by_length);
	assign_lanes(arrows, code->count);
}

void arrows_free(struct arrows *arrows)
{
	free(arrows->list);
	memset(arrows, 0, sizeof(*arrows));
}

static char *blank(const struct arrows *arrows)
{
	char *text = xcalloc(1, arrows_width(arrows) + 1);

	memset(text, ' ', arrows_width(arrows));
	return text;
}

static uint32_t column_of(const struct arrows *arrows, const struct arrow *arrow)
{
	return 2 * (arrows->lanes - 1 - arrow->lane);
}

/* Draws the line from the arrow's column to the instruction, over the arrows in between. */
static void draw_end(const struct arrows *arrows, const struct arrow *arrow, uint32_t row,
		     char *text)
{
	uint32_t at = column_of(arrows, arrow), end = arrows_width(arrows) - 1;

	text[at] = '+';
	if (row == arrow->first)
		text[at] = ',';
	else if (row == arrow->last)
		text[at] = '`';
	for (at++; at < end; at++)
		text[at] = text[at] == ' ' ? '-' : '+';
	if (row == arrow->target)
		text[end] = '>';
	else if (text[end] == ' ')
		text[end] = '-';
}

char *arrows_draw(const struct arrows *arrows, const struct disassembly *code, uint32_t row)
{
	char *text = blank(arrows);

	for (uint32_t i = 0; i < arrows->count; i++) {
		const struct arrow *arrow = &arrows->list[i];

		if (arrow->lane != NO_LANE && row > arrow->first && row < arrow->last)
			text[column_of(arrows, arrow)] = '|';
	}
	for (uint32_t i = 0; i < arrows->count; i++) {
		const struct arrow *arrow = &arrows->list[i];
		bool jumps = code->list[row].jumps &&
			     code->list[row].target == code->list[arrow->target].address;

		if (arrow->lane != NO_LANE && row >= arrow->first && row <= arrow->last &&
		    (row == arrow->target || jumps))
			draw_end(arrows, arrow, row, text);
	}
	return text;
}

char *arrows_between(const struct arrows *arrows, uint32_t row)
{
	char *text = blank(arrows);

	for (uint32_t i = 0; i < arrows->count; i++) {
		const struct arrow *arrow = &arrows->list[i];

		if (arrow->lane != NO_LANE && row > arrow->first && row <= arrow->last)
			text[column_of(arrows, arrow)] = '|';
	}
	return text;
}
