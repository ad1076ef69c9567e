// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

static size_t length_by_first(unsigned char byte)
{
	if (byte < 0x80)
		return 1;
	if (byte >= 0xc2 && byte < 0xe0)
		return 2;
	if (byte >= 0xe0 && byte < 0xf0)
		return 3;
	return byte >= 0xf0 && byte < 0xf5 ? 4 : 0;
}

/* Rejects overlong encodings, surrogates and non-characters. */
static int is_letter(uint32_t code, size_t length)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) &&
	       code != 0xfffe && code != 0xffff;
}

static size_t decode(const char *text, uint32_t *to)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length = length_by_first(bytes[0]);
	uint32_t code = length > 1 ? bytes[0] & (0x7f >> length) : bytes[0];

	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (bytes[i] & 0x3f);
	}
	*to = code;
	return length && is_letter(code, length) ? length : 0;
}

size_t utf8_letter(const char *text)
{
	uint32_t code;

	return decode(text, &code);
}

/* Terminals also act on the C1 controls and on characters that change the direction. */
static int is_control(uint32_t code)
{
	return code < ' ' || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

void utf8_scrub(char *text)
{
	for (size_t length; *text; text += length) {
		uint32_t code;

		length = decode(text, &code);
		if (length && !is_control(code))
			continue;
		length = length ? length : 1;
		memset(text, '?', length);
	}
}

char *utf8_clean(const char *text)
{
	char *clean = xstrdup(text);

	utf8_scrub(clean);
	return clean;
}

static int letters(const char *clean)
{
	int count = 0;

	/* Continuation bytes are not counted. */
	for (; *clean; clean++)
		count += ((unsigned char)*clean & 0xc0) != 0x80;
	return count;
}

int utf8_put(FILE *out, const char *text)
{
	char *clean = utf8_clean(text);
	int count = letters(clean);

	fputs(clean, out);
	free(clean);
	return count;
}

int utf8_width(const char *text)
{
	char *clean = utf8_clean(text);
	int count = letters(clean);

	free(clean);
	return count;
}
