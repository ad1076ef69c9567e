// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/utf8.h"
#include "report/cell.h"
#include "report/shorten.h"

#define MOST	40	/* largest width of a column other than the last, as in a file */
#define LEAST	12	/* least room of any column, on any terminal */

int cell_most(int width)
{
	int most = width / 4;

	if (!width || most > MOST)
		return MOST;
	return most < LEAST ? LEAST : most;
}

int cell_room(int width, int used)
{
	if (!width)
		return 0;
	return width - used < LEAST ? LEAST : width - used;
}

int cell_put(FILE *out, const char *text, int room)
{
	char *clean, *shortened;
	int letters;

	if (!room || utf8_width(text) <= room)
		return utf8_put(out, text);
	clean = utf8_clean(text);
	shortened = shorten_name(clean, (size_t)room);
	letters = utf8_put(out, shortened);
	free(shortened);
	free(clean);
	return letters;
}
