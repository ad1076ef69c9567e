// SPDX-License-Identifier: GPL-2.0-only
/* The text of an aggregation: a line or a histogram for each key. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "probe/print.h"

#define VALUE_WIDTH	14
#define BAR		40
#define TEXT_MAX	64	/* of a number */

static struct operand_events events_of(const struct print *print)
{
	return (struct operand_events){ print->events, print->event_count, 0,
					print->event_count - 1 };
}

static char *key_text(const struct print *print, const struct operand *operand,
		      const uint64_t key[2])
{
	struct operand_events events = events_of(print);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	operand_write(operand, key, print->names, &events, out);
	fclose(out);
	return text;
}

/* "-1,234" */
static const char *grouped(int64_t value, char buf[TEXT_MAX])
{
	char digits[NUMBER_MAX];

	number_grouped(value < 0 ? -(uint64_t)value : (uint64_t)value, digits);
	snprintf(buf, TEXT_MAX, "%s%s", value < 0 ? "-" : "", digits);
	return buf;
}

/* "1,234.5" */
static const char *average(const struct cell *cell, char buf[2 * TEXT_MAX])
{
	double value = (double)cell->sum / (double)cell->count;
	int64_t tenths = (int64_t)(value * 10 + (value < 0 ? -0.5 : 0.5));
	char whole[TEXT_MAX];

	snprintf(buf, 2 * TEXT_MAX, "%s%s.%d", tenths < 0 && tenths > -10 ? "-" : "",
		 grouped(tenths / 10, whole), abs((int)(tenths % 10)));
	return buf;
}

static const char *value_text(const struct aggregation *aggregation, const struct cell *cell,
			      char buf[2 * TEXT_MAX])
{
	switch (aggregation->kind) {
	case AGGREGATION_SUM:
		return grouped(cell->sum, buf);
	case AGGREGATION_MIN:
		return grouped(cell->min, buf);
	case AGGREGATION_MAX:
		return grouped(cell->max, buf);
	case AGGREGATION_AVG:
		return average(cell, buf);
	default:
		return number_grouped(cell->count, buf);
	}
}

static char *upper(const char *text)
{
	char *copy = xstrdup(text);

	for (char *at = copy; *at; at++)
		*at = (char)toupper((unsigned char)*at);
	return copy;
}

/* Returns the widest text of each key that is shown. */
static void find_widths(const struct print *print, const struct aggregation *aggregation,
			const uint32_t *sorted, int *widths)
{
	for (unsigned int i = 0; i < aggregation->key_count; i++) {
		const struct operand *operand = &aggregation->keys[i];

		widths[i] = (int)strlen(operand->name);
		for (uint32_t j = 0; j < print_keys(print, aggregation); j++) {
			const struct cell_key *key = cells_key(&aggregation->cells, sorted[j]);
			char *text = key_text(print, operand, key->words[i]);
			int width = operand_is_stack(operand) ? 0 : utf8_width(text);

			widths[i] = width > widths[i] ? width : widths[i];
			free(text);
		}
	}
}

static void put_stack(const struct print *print, const char *text, const char *indent)
{
	for (size_t length; *text; text += length + (text[length] ? 1 : 0)) {
		length = strcspn(text, "\n");
		fprintf(print->out, "%s%.*s\n", indent, (int)length, text);
	}
}

/*
 * Prints one key of a line, two blanks after the key before it, which is in a column of @before
 * letters.
 */
static int put_column(FILE *out, const char *text, int before)
{
	fprintf(out, "%*s  %s", before, "", text);
	return utf8_width(text);
}

/* Stacks are below the line of the other keys. */
static void put_keys(const struct print *print, const struct aggregation *aggregation,
		     const struct cell_key *key, const int *widths)
{
	int blanks = 0;
	char *text;

	for (unsigned int i = 0; i < aggregation->key_count; i++) {
		if (operand_is_stack(&aggregation->keys[i]))
			continue;
		text = key_text(print, &aggregation->keys[i], key->words[i]);
		blanks = widths[i] - put_column(print->out, text, blanks);
		free(text);
	}
	fputc('\n', print->out);
	for (unsigned int i = 0; i < aggregation->key_count; i++) {
		if (!operand_is_stack(&aggregation->keys[i]))
			continue;
		text = key_text(print, &aggregation->keys[i], key->words[i]);
		put_stack(print, text, "                  ");
		free(text);
	}
}

static void put_heading(struct print *print, const struct aggregation *aggregation,
			const int *widths)
{
	char *text = upper(aggregation_name(aggregation->kind));
	int blanks = 0;

	fprintf(print->out, "%*s", VALUE_WIDTH, text);
	free(text);
	for (unsigned int i = 0; i < aggregation->key_count; i++) {
		if (operand_is_stack(&aggregation->keys[i]))
			continue;
		text = upper(aggregation->keys[i].name);
		blanks = widths[i] - put_column(print->out, text, blanks);
		free(text);
	}
	fputc('\n', print->out);
}

void print_table(struct print *print, const struct aggregation *aggregation)
{
	uint32_t *sorted = aggregation_sorted(aggregation);
	int widths[CELLS_KEYS_MAX] = { 0 };

	find_widths(print, aggregation, sorted, widths);
	if (aggregation->cells.keys.count && aggregation->key_count)
		put_heading(print, aggregation, widths);
	for (uint32_t i = 0; i < print_keys(print, aggregation); i++) {
		const struct cell *cell = &aggregation->cells.list[sorted[i]];
		char text[2 * TEXT_MAX];

		fprintf(print->out, "%*s", VALUE_WIDTH, value_text(aggregation, cell, text));
		put_keys(print, aggregation, cells_key(&aggregation->cells, sorted[i]), widths);
	}
	free(sorted);
}

/* --- Histograms */

#define LABEL_MAX	(3 * TEXT_MAX)
#define GAP		3	/* the most consecutive empty buckets that are all shown */

static const char *number_of(const struct aggregation *aggregation, int64_t value,
			     char buf[TEXT_MAX])
{
	return aggregation->kind == AGGREGATION_LATENCY ? latency_text((double)value, buf) :
							  grouped(value, buf);
}

/* "512 - 1,023"; for times, which are rounded, "1.02 us - 2.05 us". */
static void label_of(const struct aggregation *aggregation, unsigned int index,
		     char label[LABEL_MAX])
{
	const struct histogram *histogram = aggregation->cells.histogram;
	struct histogram_bucket bucket = histogram_bucket(histogram, index);
	bool is_time = aggregation->kind == AGGREGATION_LATENCY;
	char from[TEXT_MAX], to[TEXT_MAX];

	if (bucket.from == INT64_MIN)
		snprintf(label, LABEL_MAX, "below %s", number_of(aggregation, bucket.to + 1, to));
	else if (bucket.to == INT64_MAX)
		snprintf(label, LABEL_MAX, "from %s", number_of(aggregation, bucket.from, from));
	else if (bucket.from == bucket.to)
		snprintf(label, LABEL_MAX, "%s", number_of(aggregation, bucket.from, from));
	else
		snprintf(label, LABEL_MAX, "%s - %s", number_of(aggregation, bucket.from, from),
			 number_of(aggregation, bucket.to + (is_time ? 1 : 0), to));
}

static void put_bar(FILE *out, uint64_t count, uint64_t most)
{
	/* Rounded up, so that each bucket that is not empty has a bar. */
	int length = (int)((double)count * BAR / (double)most + 0.999);

	fputc('|', out);
	for (int i = 0; i < BAR; i++)
		fputc(i < length ? '#' : ' ', out);
	fputs("|\n", out);
}

/* Returns the number of empty buckets from @at to the next one that is not empty. */
static unsigned int gap_at(const struct cell *cell, unsigned int at)
{
	unsigned int next = at;

	while (!cell->buckets[next])
		next++;
	return next - at;
}

/* The buckets from the first to the last that are not empty. */
static void put_buckets(const struct print *print, const struct aggregation *aggregation,
			const struct cell *cell)
{
	unsigned int first = 0, last = histogram_buckets(aggregation->cells.histogram) - 1;
	char label[LABEL_MAX], number[NUMBER_MAX];
	uint64_t most = 1;

	while (!cell->buckets[first])
		first++;
	while (!cell->buckets[last])
		last--;
	for (unsigned int i = first; i <= last; i++)
		most = cell->buckets[i] > most ? cell->buckets[i] : most;
	for (unsigned int i = first; i <= last; i++) {
		unsigned int gap = gap_at(cell, i);

		if (gap > GAP) {
			fprintf(print->out, "%27s\n", "...");
			i += gap - 1;
			continue;
		}
		label_of(aggregation, i, label);
		fprintf(print->out, "%27s %12s ", label,
			number_grouped(cell->buckets[i], number));
		put_bar(print->out, cell->buckets[i], most);
	}
}

/* "comm=cat pid=812: 1,024 events, min 0, avg 12.5, max 4,096" */
static void put_summary(const struct print *print, const struct aggregation *aggregation,
			uint32_t id)
{
	const struct cell *cell = &aggregation->cells.list[id];
	const struct cell_key *key = cells_key(&aggregation->cells, id);
	char count[TEXT_MAX], min[TEXT_MAX], max[TEXT_MAX], avg[2 * TEXT_MAX];
	FILE *out = print->out;

	for (unsigned int i = 0; i < aggregation->key_count; i++) {
		char *text = key_text(print, &aggregation->keys[i], key->words[i]);

		if (operand_is_stack(&aggregation->keys[i]))
			put_stack(print, text, "  ");
		else
			fprintf(out, "%s%s=%s", i ? " " : "  ", aggregation->keys[i].name, text);
		free(text);
	}
	if (aggregation->kind == AGGREGATION_LATENCY)
		latency_text((double)cell->sum / (double)cell->count, avg);
	else
		average(cell, avg);
	fprintf(out, "%s%s events, min %s, avg %s, max %s\n", aggregation->key_count ? ": " : "  ",
		number_grouped(cell->count, count), number_of(aggregation, cell->min, min), avg,
		number_of(aggregation, cell->max, max));
}

void print_histograms(struct print *print, const struct aggregation *aggregation)
{
	uint32_t *sorted = aggregation_sorted(aggregation);

	for (uint32_t i = 0; i < print_keys(print, aggregation); i++) {
		put_summary(print, aggregation, sorted[i]);
		put_buckets(print, aggregation, &aggregation->cells.list[sorted[i]]);
	}
	free(sorted);
}
