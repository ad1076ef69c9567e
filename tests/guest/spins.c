// SPDX-License-Identifier: GPL-2.0-only
/*
 * No test of its own: 10,000,000 user instructions for each ten of its argument, and what libc
 * needs. More of them are done one after the other, and so are the words
 *	wait	until a byte of standard input comes
 *	tell	by a byte on standard output
 *	stay	until it is killed
 */
#include "test.h"

static bool obey(const char *word)
{
	char byte = '\n';

	if (!strcmp(word, "wait"))
		return read(STDIN_FILENO, &byte, 1) == 1;
	if (!strcmp(word, "tell"))
		return write(STDOUT_FILENO, &byte, 1) == 1;
	if (!strcmp(word, "stay"))
		return pause();
	spin(strtoul(word, NULL, 10));
	return true;
}

int main(int argc, char **argv)
{
	if (argc == 1)
		spin(1);
	for (int i = 1; i < argc; i++)
		if (!obey(argv[i]))
			return 1;
	return 0;
}
