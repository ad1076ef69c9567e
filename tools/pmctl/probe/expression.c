// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
#include "probe/expression.h"

#define WORDS_MAX	32
#define BLANKS		" \t\n"

/**
 * struct reading - the state while a text is split
 * @option: the option whose value it is
 * @text: a copy of that
 * @words: the words in it, between blanks
 * @count: number of words
 * @why: buffer for a message
 * @size: its size
 */
struct reading {
	const char *option;
	char *text;
	char *words[WORDS_MAX];
	unsigned int count;
	char *why;
	size_t size;
};

#define refuse(reading, ...) (snprintf((reading)->why, (reading)->size, __VA_ARGS__), -1)

static int split(struct reading *reading)
{
	char *rest = reading->text, *word;

	while ((word = strsep(&rest, BLANKS))) {
		if (!*word)
			continue;
		if (reading->count == WORDS_MAX)
			return refuse(reading, "%s: too many words before '%s'", reading->option,
				      word);
		reading->words[reading->count++] = word;
	}
	return 0;
}

/* One key, with blanks around it. */
static int add_key(struct expression *expression, struct reading *reading, char *key)
{
	size_t length;

	key += strspn(key, BLANKS);
	length = strcspn(key, BLANKS);
	if (!length)
		return refuse(reading, "%s: a key is missing%s", reading->option,
			      expression->key_count ? " after a comma" : ", such as comm or pid");
	if (key[length + strspn(key + length, BLANKS)])
		return refuse(reading, "%s: a comma is missing before '%s'", reading->option,
			      key + length + strspn(key + length, BLANKS));
	key[length] = '\0';
	if (expression->key_count == CELLS_KEYS_MAX)
		return refuse(reading, "%s: '%s' is one key too many: the limit is %d",
			      reading->option, key, CELLS_KEYS_MAX);
	expression->keys[expression->key_count++] = xstrdup(key);
	return 0;
}

static int take_keys(struct expression *expression, struct reading *reading, const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *key;
	int result = 0;

	while (!result && (key = strsep(&rest, ",")))
		result = add_key(expression, reading, key);
	free(copy);
	return result;
}

/* "0,4096,256" */
static int take_steps(struct expression *expression, struct reading *reading, const char *word)
{
	char *copy = xstrdup(word), *rest = copy;
	long numbers[3] = { 0, 0, 0 };
	int count = 0;
	char *part;

	while (count < 3 && (part = strsep(&rest, ",")))
		if (number_parse(part, LONG_MIN, LONG_MAX, &numbers[count++]))
			count = 4;
	count = count == 3 && !rest ? 3 : 0;
	free(copy);
	if (!count)
		return refuse(reading, "%s: '%s' is not MIN,MAX,STEP, such as 0,4096,256",
			      reading->option, word);
	if (numbers[1] <= numbers[0])
		return refuse(reading, "%s: in '%s' MAX is not above MIN", reading->option, word);
	if (numbers[2] < 1)
		return refuse(reading, "%s: in '%s' STEP is below 1", reading->option, word);
	expression->steps = (struct histogram){ numbers[2], numbers[0], numbers[1] };
	if (((unsigned long)numbers[1] - (unsigned long)numbers[0]) / (unsigned long)numbers[2] >=
	    HISTOGRAM_STEPS_MAX)
		return refuse(reading, "%s: '%s' makes more than %d steps: take a larger STEP",
			      reading->option, word, HISTOGRAM_STEPS_MAX);
	return 0;
}

/* Handles the words before "by". */
static int take_value(struct expression *expression, struct reading *reading, unsigned int count,
		      enum expression_of of)
{
	unsigned int wanted = of == EXPRESSION_STEPS ? 2 : 1;
	const char *extra;

	if (!count)
		return refuse(reading, "%s: a value is missing%s", reading->option,
			      reading->count ? " before 'by'" : "");
	expression->value = xstrdup(reading->words[0]);
	if (count < wanted)
		return refuse(reading, "%s: MIN,MAX,STEP is missing after '%s', such as 0,4096,256",
			      reading->option, expression->value);
	if (of == EXPRESSION_STEPS && take_steps(expression, reading, reading->words[1]))
		return -1;
	if (count == wanted)
		return 0;
	extra = reading->words[wanted];
	return refuse(reading, "%s: unexpected '%s'; keys follow the word 'by': '%s by %s'",
		      reading->option, extra, expression->value, extra);
}

/* @text: the text that was split. */
static int take_words(struct expression *expression, struct reading *reading,
		      enum expression_of of, const char *text)
{
	unsigned int by = 0;
	const char *keys = NULL;

	while (by < reading->count && strcasecmp(reading->words[by], "by") != 0)
		by++;
	if (by < reading->count)
		keys = text + (reading->words[by] - reading->text) + strlen("by");
	if (of != EXPRESSION_KEYS && take_value(expression, reading, by, of))
		return -1;
	if (of == EXPRESSION_KEYS && keys && by)
		return refuse(reading, "%s: it has no value: '%s' before 'by' is one word too many",
			      reading->option, reading->words[0]);
	if (of == EXPRESSION_KEYS && !keys && by)
		keys = text;
	return keys ? take_keys(expression, reading, keys) : 0;
}

int expression_parse(struct expression *expression, enum expression_of of, const char *option,
		     const char *text, char *why, size_t size)
{
	struct reading reading = {
		.option = option, .text = xstrdup(text), .why = why, .size = size,
	};
	int result;

	memset(expression, 0, sizeof(*expression));
	result = split(&reading) || take_words(expression, &reading, of, text) ? -1 : 0;
	free(reading.text);
	return result;
}

void expression_free(struct expression *expression)
{
	for (unsigned int i = 0; i < expression->key_count; i++)
		free(expression->keys[i]);
	free(expression->value);
	memset(expression, 0, sizeof(*expression));
}
