// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/cpulist.h"
#include "base/number.h"
#include "base/spread.h"
#include "check.h"

static void grouped(void)
{
	char buf[NUMBER_MAX];

	check_text(number_grouped(0, buf), "0", "0");
	check_text(number_grouped(999, buf), "999", "three digits");
	check_text(number_grouped(1000, buf), "1,000", "four digits");
	check_text(number_grouped(1234567, buf), "1,234,567", "seven digits");
	check_text(number_grouped(UINT64_MAX, buf), "18,446,744,073,709,551,615", "64 bits");
}

static void parsed(void)
{
	long value = -7;
	uint64_t wide = 7;

	check(!number_parse("12", 0, 20, &value) && value == 12, "a number");
	check(number_parse("12x", 0, 20, &value), "a letter behind it");
	check(number_parse("", 0, 20, &value), "nothing");
	check(number_parse("21", 0, 20, &value), "too large");
	check(number_parse("-1", 0, 20, &value), "too small");
	check(number_parse("99999999999999999999", 0, 20, &value), "more than a long");
	check(!number_parse_u64("0x1f", 0, &wide) && wide == 0x1f, "0x1f");
	check(!number_parse_u64("010", 0, &wide) && wide == 10, "a zero in front is no octal number");
	check(!number_parse_u64("0", 0, &wide) && !wide && number_parse_u64("0x", 0, &wide), "0 and 0x");
	check(!number_parse_u64("ffffffffffffffff", 16, &wide) && wide == UINT64_MAX, "64 bits");
	check(number_parse_u64("18446744073709551616", 0, &wide), "more than 64 bits");
	check(number_parse_u64("-1", 0, &wide), "no sign in front of an unsigned number");
	check(number_parse_u64(" 1", 0, &wide), "no blank in front of it");
}

static int near(double got, double wanted)
{
	return fabs(got - wanted) < 1e-9;
}

static void spread(void)
{
	struct spread spread = { 0 };

	spread_add(&spread, 2);
	check(near(spread.mean, 2) && near(spread_percent(&spread), 0),
	      "one value does not scatter");
	spread_add(&spread, 4);
	spread_add(&spread, 6);
	check(near(spread.mean, 4), "the mean of 2, 4, 6");
	/* variance 4, of the mean 4/3 */
	check(near(spread_error(&spread), sqrt(4.0 / 3)), "the deviation of their mean");
	check(near(spread_percent(&spread), 100 * sqrt(4.0 / 3) / 4), "in percent");
	spread = (struct spread){ 0 };
	for (int i = 0; i < 1000; i++)
		spread_add(&spread, 1e15 + (i % 2));
	check(fabs(spread_error(&spread) - sqrt(250.25025025 / 1e3 / 1e3)) < 1e-4,
	      "large values that differ little");
	spread = (struct spread){ 0 };
	spread_add(&spread, 0);
	spread_add(&spread, 0);
	check(near(spread_percent(&spread), 0), "a mean of 0 divides nothing");
}

static int cpus(const char *text, const char *wanted)
{
	struct cpulist list;
	char got[64] = "";

	if (cpulist_parse(text, &list))
		return 0;
	for (unsigned int i = 0; i < list.count; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%d ", list.cpu[i]);
	cpulist_free(&list);
	return !strcmp(got, wanted);
}

static void cpulists(void)
{
	struct cpulist list;

	check(cpus("0", "0 "), "one CPU");
	check(cpus("3,0-1", "0 1 3 "), "a list and a range, sorted");
	check(cpus("1,1,0-1", "0 1 "), "each once");
	check(cpulist_parse("", &list), "no CPU");
	check(cpulist_parse("1-0", &list), "a range backwards");
	check(cpulist_parse("0-", &list), "half a range");
	check(cpulist_parse("a", &list), "a letter");
	check(cpulist_parse("0-99999999", &list), "more CPUs than there can be");
}

int main(void)
{
	grouped();
	parsed();
	spread();
	cpulists();
	return check_result();
}
