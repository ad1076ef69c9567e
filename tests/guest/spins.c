// SPDX-License-Identifier: GPL-2.0-only
/* No test of its own: 10,000,000 user instructions for each ten of its argument, and what libc needs. */
#include "test.h"

int main(int argc, char **argv)
{
	spin(argc > 1 ? strtoul(argv[1], NULL, 10) : 1);
	return 0;
}
