// SPDX-License-Identifier: GPL-2.0-only
/* The difference of logs as text. */
#include <inttypes.h>
#include <math.h>

#include "base/number.h"
#include "base/path.h"
#include "base/utf8.h"
#include "report/cell.h"
#include "report/diff.h"

#define PERCENT_WIDTH	9	/* of what put_percent() writes */
#define CHANGE_WIDTH	29	/* of what put_change() writes */

static const char *const titles[SORT_COUNT] = {
	[SORT_COMM] = "Command", [SORT_PID] = "Pid",	     [SORT_TID] = "Tid",
	[SORT_DSO] = "Object",	 [SORT_SYMBOL] = "Symbol",   [SORT_SRCLINE] = "Source",
	[SORT_CPU] = "CPU",
};

static const char *field(const struct diff *diff, uint32_t row, enum sort_key key, char buf[32])
{
	const char *text = diff_field(diff, row, key, buf);

	return key == SORT_DSO ? path_last(text) : text;
}

/* The names of the other logs in the columns: NEW, or NEW2, NEW3, ... */
static void put_label(const struct diff *diff, uint32_t log)
{
	if (!log)
		fputs("OLD", diff->out);
	else if (log == 1)
		fputs("NEW", diff->out);
	else
		fprintf(diff->out, "NEW%" PRIu32, log);
}

static void put_logs(const struct diff *diff)
{
	for (uint32_t log = 0; log < diff->count; log++) {
		const struct profile *profile = diff->reports[log].profile;
		const char *command = intern_text(&profile->names, profile->command);

		fputs("# ", diff->out);
		put_label(diff, log);
		fputs(": ", diff->out);
		utf8_put(diff->out, diff->paths[log]);
		if (*command) {
			fputs(": ", diff->out);
			utf8_put(diff->out, command);
		}
		fputc('\n', diff->out);
	}
}

static void put_event(const struct diff *diff, const struct diff_event *event)
{
	/* The first log has each event that is compared. */
	uint64_t before = event->of[0]->events;
	char number[NUMBER_MAX];

	fputs("#\n# event '", diff->out);
	utf8_put(diff->out, intern_text(&diff->names, event->name));
	fputc('\'', diff->out);
	for (uint32_t log = 0; log < diff->count; log++) {
		const struct profile_event *of = event->of[log];

		fputs(log ? ", " : ": ", diff->out);
		put_label(diff, log);
		if (!of) {
			fputs(" none", diff->out);
			continue;
		}
		fprintf(diff->out, " %s events", number_grouped(of->events, number));
		if (log && before)
			fprintf(diff->out, " (%.2f times)",
				(double)of->events / (double)before);
		fprintf(diff->out, ", %s samples", number_grouped(of->samples, number));
	}
	fputs("\n#\n", diff->out);
}

static void measure(const struct diff *diff, int *widths)
{
	int most = cell_most(diff->width);
	char buf[32];

	for (unsigned int i = 0; i < diff->options->sort_count; i++) {
		enum sort_key key = diff->options->sort[i];

		widths[i] = utf8_width(titles[key]);
		for (uint32_t at = 0; at < diff->shown; at++) {
			int width = utf8_width(field(diff, diff->order[at], key, buf)) +
				    (key == SORT_SYMBOL ? 4 : 0);

			widths[i] = width > widths[i] ? width : widths[i];
		}
		widths[i] = widths[i] < most ? widths[i] : most;
	}
}

static void column_head(const struct diff *diff, const int *widths)
{
	const struct report_options *options = diff->options;

	fputs("#   Old   ", diff->out);
	for (uint32_t log = 1; log < diff->count; log++)
		fputs("  New      Delta     Ratio", diff->out);
	for (unsigned int i = 0; i < options->sort_count; i++)
		fprintf(diff->out, "  %-*s", i + 1 < options->sort_count ? widths[i] : 0,
			titles[options->sort[i]]);
	fputs("\n#\n", diff->out);
}

/* "12.34%", or nothing for a place without samples. */
static void put_percent(const struct diff *diff, const struct diff_part *part)
{
	if (part->samples)
		fprintf(diff->out, " %7.2f%%", part->percent);
	else
		fprintf(diff->out, " %7s ", "-");
}

static void put_change(const struct diff *diff, uint32_t row, uint32_t log)
{
	double ratio = diff_ratio(diff, row, log);

	put_percent(diff, diff_part(diff, row, log));
	fprintf(diff->out, " %+9.2f", diff_delta(diff, row, log));
	if (isinf(ratio))
		fprintf(diff->out, " %9s", "new");
	else if (ratio == 0.0)
		fprintf(diff->out, " %9s", "gone");
	else
		fprintf(diff->out, " %8.2fx", ratio);
}

static void put_row(const struct diff *diff, uint32_t row, const int *widths)
{
	const struct report_options *options = diff->options;
	bool kernel = diff_key(diff, row)->flags & FRAME_KERNEL;
	FILE *out = diff->out;
	char buf[32];
	int used;

	put_percent(diff, diff_part(diff, row, 0));
	for (uint32_t log = 1; log < diff->count; log++)
		put_change(diff, row, log);
	used = PERCENT_WIDTH + ((int)diff->count - 1) * CHANGE_WIDTH;
	for (unsigned int i = 0; i < options->sort_count; i++) {
		bool last = i + 1 == options->sort_count;
		int room = last ? cell_room(diff->width, used + 2) : diff->width ? widths[i] : 0;
		int letters = 0;

		fputs("  ", out);
		if (options->sort[i] == SORT_SYMBOL)
			letters = fprintf(out, "[%c] ", kernel ? 'k' : '.');
		letters += cell_put(out, field(diff, row, options->sort[i], buf),
				    room ? room - letters : 0);
		if (!last && letters < widths[i])
			letters += fprintf(out, "%*s", widths[i] - letters, "");
		used += 2 + letters;
	}
	fputc('\n', out);
}

void diff_text(const struct diff *diff)
{
	int widths[SORT_COUNT] = { 0 };

	measure(diff, widths);
	if (!diff->options->quiet)
		put_logs(diff);
	for (uint32_t i = 0; i < diff->event_count; i++) {
		if (!diff->options->quiet) {
			put_event(diff, &diff->events[i]);
			column_head(diff, widths);
		}
		for (uint32_t at = 0; at < diff->shown; at++)
			if (diff_key(diff, diff->order[at])->event == diff->events[i].name)
				put_row(diff, diff->order[at], widths);
		fputc('\n', diff->out);
	}
}
