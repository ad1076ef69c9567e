// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "check.h"
#include "event/prototype.h"
#include "probe/cells.h"
#include "probe/expression.h"
#include "probe/histogram.h"
#include "probe/latency.h"
#include "probe/order.h"

/* Every value is in the bucket of its index, and the buckets follow each other. */
static int buckets_fit(const struct histogram *histogram, const int64_t *values, unsigned int count)
{
	unsigned int buckets = histogram_buckets(histogram);
	int good = 1;

	for (unsigned int i = 0; i < count; i++) {
		unsigned int index = histogram_index(histogram, values[i]);
		struct histogram_bucket bucket = histogram_bucket(histogram, index);

		good &= index < buckets && values[i] >= bucket.from && values[i] <= bucket.to;
	}
	for (unsigned int i = 1; i < buckets; i++)
		good &= histogram_bucket(histogram, i - 1).to + 1 ==
			histogram_bucket(histogram, i).from;
	return good && histogram_bucket(histogram, 0).from == INT64_MIN &&
	       histogram_bucket(histogram, buckets - 1).to == INT64_MAX;
}

static void histograms(void)
{
	static const int64_t values[] = {
		INT64_MIN, -1, 0, 1, 2, 3, 4, 7, 8, 4095, 4096, INT64_MAX - 1, INT64_MAX,
	};
	const unsigned int count = sizeof(values) / sizeof(values[0]);
	const struct histogram powers = { 0 }, steps = { 300, -100, 4096 };
	const struct histogram wide = { INT64_MAX / 4, INT64_MIN, INT64_MAX };

	check(buckets_fit(&powers, values, count), "powers of two hold every value");
	check(histogram_index(&powers, 4095) + 1 == histogram_index(&powers, 4096),
	      "and change at each");
	check(buckets_fit(&steps, values, count), "steps hold every value");
	check(histogram_buckets(&steps) == 2 + 14, "the last step is narrower");
	check(histogram_index(&wide, 0) < histogram_buckets(&wide) &&
	      histogram_bucket(&wide, histogram_index(&wide, 0)).from <= 0,
	      "steps over all numbers");
}

static void keys(void)
{
	struct cell_key one = { { { 1 } } }, other = { { { 2 } } };
	struct cells cells;

	cells_init(&cells, 1, NULL);
	cells_add(&cells, &one, INT64_MAX);
	cells_add(&cells, &one, 5);
	cells_add(&cells, &other, 7);
	cells_add(&cells, &one, -5);
	check(cells.keys.count == 1 && cells.cut == 1, "one key more than the limit is counted");
	check(cells.list[0].count == 3 && cells.list[0].min == -5 &&
	      cells.list[0].max == INT64_MAX, "a key that is there is added to");
	check(cells.list[0].sum == INT64_MAX - 5, "a sum does not wrap");
	cells_reset(&cells);
	cells_add(&cells, &other, 7);
	check(cells.keys.count == 1 && !cells.cut && cells.list[0].sum == 7, "after a reset");
	cells_free(&cells);
}

static char seen[64];

static void take(const struct hwpmc_log_header *record, void *context)
{
	size_t length = strlen(seen);

	(void)context;
	snprintf(seen + length, sizeof(seen) - length, "%u", record->id);
}

static void add(struct order *order, uint64_t time, unsigned int id)
{
	struct hwpmc_log_header record = { .length = sizeof(record), .time = time, .id = id };

	order_add(order, &record);
}

static void orders(void)
{
	struct order order = { 0 };

	add(&order, 30, 3);
	add(&order, 10, 1);
	add(&order, 10, 2);
	add(&order, 40, 4);
	order_take(&order, 40, take, NULL);
	check_text(seen, "123", "records are taken by time, those of one time as they were read");
	add(&order, 35, 9);
	order_take(&order, UINT64_MAX, take, NULL);
	check_text(seen, "12394", "and the rest later");
	add(&order, 1, 1);
	order_free(&order);
}

static void latencies(void)
{
	struct latency latency = { .limit = 2 };
	char text[LATENCY_TEXT_MAX];
	int64_t ns = 0;

	latency_enter(&latency, 1, 100);
	latency_enter(&latency, 2, 200);
	check(latency_leave(&latency, 1, 150, &ns) && ns == 50, "an entry and its return");
	check(!latency_leave(&latency, 1, 160, &ns) && latency.no_entry == 1,
	      "a return without an entry");
	latency_enter(&latency, 2, 300);
	check(latency.no_return == 1 && latency_leave(&latency, 2, 301, &ns) && ns == 1,
	      "an entry without a return");
	latency_enter(&latency, 1, 0);
	latency_enter(&latency, 2, 0);
	latency_enter(&latency, 3, 0);
	check(latency.count == 2 && latency.no_return == 2, "an entry too many is counted");
	latency_free(&latency);
	check_text(latency_text(999, text), "999 ns", "nanoseconds");
	check_text(latency_text(999.6, text), "1.00 us", "rounded up to a microsecond");
	check_text(latency_text(12345, text), "12.3 us", "microseconds");
	check_text(latency_text(123456789, text), "123 ms", "milliseconds");
	check_text(latency_text(5e12, text), "5000 s", "seconds");
}

/* The words of @text as "VALUE|KEY|KEY", or the message. */
static const char *words_of(enum expression_of of, const char *text)
{
	static char words[512];
	struct expression expression;
	size_t used;

	if (!expression_parse(&expression, of, "--x", text, words, sizeof(words))) {
		used = (size_t)snprintf(words, sizeof(words), "%s",
					expression.value ? expression.value : "");
		for (unsigned int i = 0; i < expression.key_count; i++)
			used += (size_t)snprintf(words + used, sizeof(words) - used, "|%s",
						 expression.keys[i]);
	}
	expression_free(&expression);
	return words;
}

static void expressions(void)
{
	const enum expression_of value = EXPRESSION_VALUE, steps = EXPRESSION_STEPS;

	check_text(words_of(value, "arg2 by comm"), "arg2|comm", "a value and a key");
	check_text(words_of(value, " arg2  BY comm , pid,tid "), "arg2|comm|pid|tid", "blanks");
	check_text(words_of(value, "arg2"), "arg2", "a value alone");
	check_text(words_of(EXPRESSION_KEYS, "by comm"), "|comm", "keys alone");
	check_text(words_of(EXPRESSION_KEYS, "comm,pid"), "|comm|pid", "without 'by'");
	check_text(words_of(EXPRESSION_KEYS, ""), "", "none");
	check_text(words_of(steps, "arg2 0,10,3 by comm"), "arg2|comm", "steps");
	check_text(words_of(value, ""), "--x: a value is missing", "nothing");
	check_text(words_of(value, "by comm"), "--x: a value is missing before 'by'", "no value");
	check_text(words_of(value, "arg2 by"), "--x: a key is missing, such as comm or pid", "no key");
	check_text(words_of(value, "arg2 by comm,,pid"), "--x: a key is missing after a comma",
		   "two commas");
	check_text(words_of(value, "arg2 by comm pid"), "--x: a comma is missing before 'pid'",
		   "no comma");
	check_text(words_of(value, "arg2 comm"), "--x: unexpected 'comm'; keys follow the word "
		   "'by': 'arg2 by comm'", "no 'by'");
	check_text(words_of(value, "a by b,c,d,e,f"), "--x: 'f' is one key too many: the limit is 4",
		   "too many keys");
	check_text(words_of(steps, "arg2 by comm"), "--x: MIN,MAX,STEP is missing after 'arg2', such as "
		   "0,4096,256", "no steps");
	check_text(words_of(steps, "arg2 5,5,1"), "--x: in '5,5,1' MAX is not above MIN", "no range");
	check_text(words_of(steps, "arg2 0,5,0"), "--x: in '0,5,0' STEP is below 1", "no step");
	check_text(words_of(steps, "arg2 0,5000,1"), "--x: '0,5000,1' makes more than 1000 steps: take "
		   "a larger STEP", "too many steps");
}

static int64_t value_as(const char *type, uint64_t raw)
{
	struct argument argument = { 0 };

	prototype_type(&argument, type);
	return prototype_value(&argument, raw);
}

static void arguments(void)
{
	struct argument flags = { .name = (char *)"flags", .kind = ARGUMENT_SIGNED, .bytes = 4 };
	char text[PROTOTYPE_TEXT_MAX];

	check(value_as("int", 0xdeadbeefffffff9c) == -100, "random bits beyond an int are cut off");
	check(value_as("unsigned int", 0xdeadbeefffffff9c) == 0xffffff9c, "and an unsigned one");
	check(value_as("umode_t", 0xdeadbeef000001a4) == 0644, "and of 16 bits");
	check(value_as("const clockid_t", 0xffffffff) == -1, "a qualifier does not matter");
	check(value_as("u64", UINT64_MAX) == INT64_MAX, "a number without a sign has none");
	check_text(prototype_text(&flags, 0xdead00000241, text), "0x241", "flags are hexadecimal");
}

int main(void)
{
	histograms();
	keys();
	orders();
	latencies();
	expressions();
	arguments();
	return check_result();
}
