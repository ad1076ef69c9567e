// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <string.h>

#include "command.h"
#include "error.h"
#include "nearest.h"

const struct command commands[] = {
	{ "stat", cmd_stat, "count events of a program, of processes or of CPUs", stat_help },
	{ "record", cmd_record, "sample a program, processes or CPUs into a log", record_help },
	{ "report", cmd_report, "show where the events of a log happened", report_help },
	{ "script", cmd_script, "show the records of a log", script_help },
	{ "list", cmd_list, "show the events that this machine can count", list_help },
	{ "info", cmd_info, "show the CPU's counters and who holds them", info_help },
	{ "doctor", cmd_doctor, "find out why something does not work", doctor_help },
	{ "version", cmd_version, "show the versions of pmctl and of the module", version_help },
	{ "help", cmd_help, "explain pmctl, or one command", help_help },
	{ NULL, NULL, NULL, NULL },
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

/* Options that take a value of their own: it is not for us, whatever it says. */
static int takes_value(const char *word)
{
	static const char *const words[] = {
		"-e", "-p", "-t", "-C", "-r", "-I", "-D", "-x", "-o", "--event", "--pid", "--tid",
		"--cpu", "--repeat", "--interval-print", "--delay", "--field-separator", "--output",
		"--timeout", "-c", "-F", "--count", "--freq", "--call-graph", "--duration",
		"--input", "--sort", "--percent-limit", "--comm", "--dso", "--symbol",
		"--flamegraph", "--symfs",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i]))
			return 1;
	return 0;
}

int command_wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		/* From the first word that is no option on, words belong to the program. */
		if (argv[i][0] != '-' || !strcmp(argv[i], "--"))
			return 0;
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return 1;
		if (takes_value(argv[i]))
			i++;
	}
	return 0;
}
