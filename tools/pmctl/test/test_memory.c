// SPDX-License-Identifier: GPL-2.0-only
/* xjoin() on very long command lines, and arrays that grow item by item. */
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "check.h"

#define WORDS		400000	/* about the limit of exec for short words */
#define SECONDS_MAX	2	/* of CPU time: milliseconds, unless the time is quadratic */

static void some(void)
{
	char *words[4] = { (char *)"record", (char *)"a b", (char *)"", NULL };
	char *all = xjoin("pmctl", words);

	check_text(all, "pmctl record a b ", "words with blanks between");
	free(all);
	all = xjoin("true", words + 3);
	check_text(all, "true", "a single one");
	free(all);
}

static void many(void)
{
	char **words = xcalloc(WORDS + 1, sizeof(*words)), *all;
	clock_t begin = clock();

	for (int i = 0; i < WORDS; i++)
		words[i] = (char *)"x";
	all = xjoin("pmctl", words);
	check(strlen(all) == strlen("pmctl") + 2 * WORDS, "many words");
	check(clock() - begin < SECONDS_MAX * CLOCKS_PER_SEC, "in no time");
	free(all);
	free(words);
}

static void growing(void)
{
	size_t *numbers = NULL, wrong = 0;

	for (size_t i = 0; i < 1000; i++) {
		numbers = xgrow(numbers, i, sizeof(*numbers));
		numbers[i] = i;
	}
	for (size_t i = 0; i < 1000; i++)
		wrong += numbers[i] != i;
	check(!wrong, "an array that grows keeps its items");
	free(numbers);
}

int main(void)
{
	growing();
	some();
	many();
	return check_result();
}
