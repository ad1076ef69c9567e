// SPDX-License-Identifier: GPL-2.0-only
/* The table of commands, and pmctl help. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/suggest.h"
#include "commands/command.h"

static const struct command *const commands[] = {
	&stat_command, &record_command, &collect_command, &report_command, &annotate_command,
	&diff_command,
	&script_command, &probe_command, &ps_command, &monitor_command, &admin_command,
	&list_command, &info_command, &doctor_command, &version_command, &help_command,
};

#define COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static const struct option no_option = { 0 };

const struct options_grammar command_no_options = {
	.letters = "",
	.own = &no_option,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

int command_unknown(const char *name)
{
	struct suggest suggest;
	char names[128];

	suggest_init(&suggest, name);
	for (size_t i = 0; i < COMMANDS; i++)
		suggest_offer(&suggest, commands[i]->name);
	suggest_format(&suggest, names, sizeof(names));
	suggest_free(&suggest);
	if (names[0])
		error("unknown command '%s'; did you mean %s?", name, names);
	else
		error("unknown command '%s'; 'pmctl help' lists them", name);
	return EXIT_OWN;
}

static const char help[] =
	"usage: pmctl help [COMMAND]\n"
	"\n"
	"Explains pmctl, or COMMAND.\n";

static int cmd_help(int argc, char **argv)
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
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->brief);
	puts("\n'pmctl help COMMAND' or 'pmctl COMMAND --help' explains a command; so does pmctl(1).");
	return 0;
}

const struct command help_command = {
	.name = "help",
	.run = cmd_help,
	.brief = "explain pmctl, or one command",
	.help = help,
	.grammar = &command_no_options,
};
