// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/suggest.h"
#include "commands/command.h"
#include "run/run_options.h"

static const struct option no_option = { 0 };

static const struct options_grammar no_options = {
	.letters = "",
	.own = &no_option,
};

const struct command commands[] = {
	{ "stat", cmd_stat, "count events of a program, of processes or of CPUs", stat_help,
	  &stat_grammar },
	{ "record", cmd_record, "sample a program, processes or CPUs into a log", record_help,
	  &record_grammar },
	{ "report", cmd_report, "show where the events of a log happened", report_help,
	  &report_grammar },
	{ "script", cmd_script, "show the records of a log", script_help,
	  &script_grammar },
	{ "list", cmd_list, "show the events that this machine can count", list_help,
	  &list_grammar },
	{ "info", cmd_info, "show the CPU's counters and who holds them", info_help,
	  &info_grammar },
	{ "doctor", cmd_doctor, "find out why something does not work", doctor_help,
	  &no_options },
	{ "version", cmd_version, "show the versions of pmctl and of the module", version_help,
	  &no_options },
	{ "help", cmd_help, "explain pmctl, or one command", help_help,
	  &no_options },
	{ NULL, NULL, NULL, NULL, NULL },
};

const struct command *command_find(const char *name)
{
	for (const struct command *command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}

int command_unknown(const char *name)
{
	struct nearest near;
	char names[128];

	nearest_init(&near, name);
	for (const struct command *command = commands; command->name; command++)
		nearest_offer(&near, command->name);
	nearest_format(&near, names, sizeof(names));
	nearest_free(&near);
	if (names[0])
		error("unknown command '%s'; did you mean %s?", name, names);
	else
		error("unknown command '%s'; 'pmctl help' lists them", name);
	return EXIT_OWN;
}
