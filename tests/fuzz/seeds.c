// SPDX-License-Identifier: GPL-2.0-only
/* seeds DIR: the fuzzer's initial logs, plain and compressed, with a record of every type. */
#include <stdio.h>

#include "sample_log.h"

static void make(const char *directory, const char *name, bool compress)
{
	struct log_writer log;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (log_write_open(&log, path, compress))
		abort();
	put_sample_log(&log);
	if (log_write_close(&log))
		abort();
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 1;
	make(argv[1], "plain", false);
	make(argv[1], "compressed", true);
	return 0;
}
