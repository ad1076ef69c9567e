// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <string.h>

#include "error.h"
#include "utf8.h"

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

/* No second way to write what has a shorter one, no halves of UTF-16, no non-characters. */
static int is_letter(uint32_t code, size_t length)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) &&
	       code != 0xfffe && code != 0xffff;
}

size_t utf8_letter(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length = length_by_first(bytes[0]);
	uint32_t code = length > 1 ? bytes[0] & (0x7f >> length) : bytes[0];

	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (bytes[i] & 0x3f);
	}
	return length && is_letter(code, length) ? length : 0;
}

char *utf8_clean(const char *text)
{
	char *clean = xstrdup(text);

	for (size_t i = 0, length; clean[i]; i += length ? length : 1) {
		length = utf8_letter(clean + i);
		if (!length || (unsigned char)clean[i] < ' ' || clean[i] == 0x7f)
			clean[i] = '?';
	}
	return clean;
}
