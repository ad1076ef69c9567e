// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"

const char *number_grouped(uint64_t value, char buf[NUMBER_MAX])
{
	char plain[NUMBER_MAX];
	size_t length = (size_t)snprintf(plain, sizeof(plain), "%" PRIu64, value), out = 0;

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			buf[out++] = ',';
		buf[out++] = plain[i];
	}
	buf[out] = '\0';
	return buf;
}

const char *number_msec(uint64_t ns, bool grouped, int decimals, char buf[NUMBER_MAX])
{
	uint64_t scale = 1, units;
	size_t length;

	for (int i = 0; i < decimals; i++)
		scale *= 10;
	units = (uint64_t)((double)ns * (double)scale / (double)NS_PER_MS + 0.5);
	if (grouped)
		number_grouped(units / scale, buf);
	else
		snprintf(buf, NUMBER_MAX, "%" PRIu64, units / scale);
	length = strlen(buf);
	if (decimals)
		snprintf(buf + length, NUMBER_MAX - length, ".%0*" PRIu64, decimals, units % scale);
	return buf;
}

int number_parse(const char *text, long low, long high, long *value)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || end == text || *end || number < low || number > high)
		return -1;
	*value = number;
	return 0;
}

int number_parse_u64(const char *text, int base, uint64_t *value)
{
	char *end;

	if (!isxdigit((unsigned char)text[0]))
		return -1;
	if (!base)
		base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	errno = 0;
	*value = strtoull(text, &end, base);
	return errno || end == text || *end ? -1 : 0;
}
