/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_COMMAND_H
#define PMCTL_COMMAND_H

#include "base/options.h"

/**
 * struct command - one word after pmctl
 * @name: the word
 * @run: executes it and returns the exit status
 * @brief: one line for the list of commands
 * @help: the text of --help
 * @grammar: its options
 */
struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *brief;
	const char *help;
	const struct options_grammar *grammar;
};

/* Each command is defined in the file of its name. */
extern const struct command stat_command;
extern const struct command record_command;
extern const struct command collect_command;
extern const struct command report_command;
extern const struct command annotate_command;
extern const struct command diff_command;
extern const struct command script_command;
extern const struct command ps_command;
extern const struct command probe_command;
extern const struct command monitor_command;
extern const struct command admin_command;
extern const struct command list_command;
extern const struct command info_command;
extern const struct command doctor_command;
extern const struct command version_command;
extern const struct command help_command;

/* The grammar of a command without options. */
extern const struct options_grammar command_no_options;

const struct command *command_find(const char *name);
/* Prints that there is no such command, and similar names. Returns EXIT_OWN. */
int command_unknown(const char *name);

#endif
