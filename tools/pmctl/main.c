// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/options.h"
#include "base/terminal.h"
#include "commands/command.h"

/*
 * If pmctl was started with closed standard descriptors, the device must not become one of them.
 * Close-on-exec: they stay closed for the program.
 */
static void hold_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			/* open() returns the lowest free number, which is this one. */
			if (open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
				return;
}

/* Reports an error of standard output, except for a closed pipe. */
static int flush_output(int result)
{
	int lost = ferror(stdout);

	if (fflush(stdout))
		lost = 1;
	if (!lost || errno == EPIPE)
		return result;
	error("cannot write to standard output: %s", strerror(errno));
	return result ? result : EXIT_OWN;
}

static int finish(int result)
{
	result = flush_output(result);
	terminal_end();
	return result;
}

static int usage(void)
{
	help_command.run(0, NULL);
	return EXIT_OWN;
}

int main(int argc, char **argv)
{
	const struct command *command;

	hold_standard_descriptors();
	if (argc > 1 && !strcmp(argv[1], "--no-pager")) {
		terminal_no_pager();
		argc--;
		argv++;
	}
	if (argc < 2)
		return usage();
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return flush_output(help_command.run(0, argv));
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return flush_output(version_command.run(1, argv + 1));
	command = command_find(argv[1]);
	if (!command)
		return command_unknown(argv[1]);
	if (options_ask_help(argc - 1, argv + 1, command->grammar)) {
		fputs(command->help, stdout);
		return flush_output(0);
	}
	return finish(command->run(argc - 1, argv + 1));
}
