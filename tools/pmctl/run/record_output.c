// SPDX-License-Identifier: GPL-2.0-only
/* Where pmctl record writes its logs: a file, several, standard output, or a collector. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/tcp.h"
#include "run/record.h"

bool record_output_is_stdout(const struct record_run *run)
{
	return !run->options.log_to && !strcmp(run->options.common.output, "-");
}

bool record_output_numbered(const struct record_run *run)
{
	return run->options.switching.on || run->options.overwrite;
}

static bool compressed(const struct record_run *run)
{
	struct stat file;

	if (run->options.compress != COMPRESS_FILES)
		return run->options.compress == COMPRESS_ALWAYS;
	return run->options.log_to ||
	       (!record_output_is_stdout(run) && (stat(run->path, &file) || S_ISREG(file.st_mode)));
}

static int open_it(struct record_run *run)
{
	const char *to = run->options.log_to;
	int fd;

	if (!to) {
		if (!log_write_open(&run->log, run->path, compressed(run)))
			return 0;
		error("cannot write '%s': %s", run->path, strerror(errno));
		return -1;
	}
	fd = tcp_connect(to);
	if (fd < 0)
		return -1;
	log_write_begin(&run->log, fd, to, compressed(run));
	return 0;
}

int record_output_open(struct record_run *run)
{
	const struct record_options *options = &run->options;

	free(run->path);
	if (record_output_numbered(run))
		run->path = xasprintf("%s.%u", options->common.output, ++run->number);
	else
		run->path = xstrdup(options->log_to ? options->log_to : options->common.output);
	if (open_it(run))
		return -1;
	run->log.start = run->begin;
	return 0;
}
