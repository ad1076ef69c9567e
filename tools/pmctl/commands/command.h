/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_COMMAND_H
#define PMCTL_COMMAND_H

/* Exit codes: what the shell, timeout(1) and env(1) use. */
#define EXIT_OWN	125	/* pmctl itself failed */
#define EXIT_NOEXEC	126	/* the program was found but could not be run */
#define EXIT_NOPROG	127	/* the program was not found */

/**
 * struct command - one word after pmctl
 * @name: the word
 * @run: does it; its result is the exit status
 * @brief: one line for the list of commands
 * @help: all of --help
 * @grammar: its options
 */
struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *brief;
	const char *help;
	const struct options_grammar *grammar;
};

extern const struct command commands[];

const struct command *command_find(const char *name);
/* Complains of an unknown command and names the nearest ones. */
int command_unknown(const char *name);

int cmd_info(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_version(int argc, char **argv);
int cmd_help(int argc, char **argv);

extern const char info_help[];
extern const char script_help[];
extern const char list_help[];
extern const char report_help[];
extern const char stat_help[];
extern const char record_help[];
extern const char doctor_help[];
extern const char version_help[];
extern const char help_help[];

extern const struct options_grammar info_grammar;
extern const struct options_grammar script_grammar;
extern const struct options_grammar list_grammar;
extern const struct options_grammar report_grammar;
extern const struct options_grammar stat_grammar;
extern const struct options_grammar record_grammar;

#endif
