// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "commands/command.h"

const char help_help[] =
	"usage: pmctl help [COMMAND]\n"
	"\n"
	"Explains pmctl, or COMMAND.\n";

int cmd_help(int argc, char **argv)
{
	const struct command *command;

	if (argc > 1) {
		command = command_find(argv[1]);
		if (!command)
			return command_unknown(argv[1]);
		fputs(command->help, stdout);
		return 0;
	}
	puts("usage: pmctl COMMAND [OPTION]... [ARGUMENT]...\n\n"
	     "Counts with the CPU's performance counters, through /dev/hwpmc.\n");
	for (command = commands; command->name; command++)
		printf("  %-10s %s\n", command->name, command->brief);
	puts("\n'pmctl help COMMAND' or 'pmctl COMMAND --help' explains one; so does pmctl(1).");
	return 0;
}
