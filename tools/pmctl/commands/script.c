// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/options.h"
#include "commands/command.h"
#include "commands/script.h"
#include "log/log_merge.h"
#include "log/log_read.h"
#include "log/log_record.h"

static const char help[] =
	"usage: pmctl script [OPTION]... [FILE]\n"
	"\n"
	"Shows the records of a log, one per line: time, CPU, type, fields.\n"
	"\n"
	"  -i, --input FILE  the log (pmctl.log); '-' is standard input\n"
	"  -j, --json        one JSON object per line\n"
	"  -u, --unsorted    in the order of the log, not sorted by time\n"
	"  -S, --symbols     also show the kernel's symbols\n"
	"\n"
	"The exit status is 0, or 1 if a part of the log could not be read.\n";

struct script_options {
	const char *input;
	bool json;
	bool unsorted;
	bool symbols;
};

static const struct option long_options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "json", no_argument, NULL, 'j' },
	{ "unsorted", no_argument, NULL, 'u' },
	{ "symbols", no_argument, NULL, 'S' },
	{ NULL, 0, NULL, 0 },
};

static int take(int letter, void *context)
{
	struct script_options *options = context;

	switch (letter) {
	case 'i':
		options->input = optarg;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'u':
		options->unsorted = true;
		return 0;
	case 'S':
		options->symbols = true;
		return 0;
	default:
		return -1;
	}
}

static const struct options_grammar grammar = {
	.command = "script",
	.letters = ":Si:uj",
	.own = long_options,
	.take = take,
};

static int parse(int argc, char **argv, struct script_options *options)
{
	if (options_parse(argc, argv, &grammar, options))
		return -1;
	if (optind < argc)
		options->input = argv[optind++];
	if (optind == argc)
		return 0;
	error("only one log can be shown at a time: '%s' is one too many", argv[optind]);
	return -1;
}

static void show(struct script *script, const struct script_options *options,
		 const struct hwpmc_log_header *record)
{
	if (record->type == HWPMC_LOG_KSYM && !options->symbols)
		processes_take(&script->processes, record);
	else
		script_show(script, record);
}

static void show_all(struct script *script, const struct script_options *options,
		     struct log_reader *log)
{
	const struct hwpmc_log_header *record;
	struct log_merge merge;

	if (options->unsorted) {
		while (!ferror(stdout) && (record = log_read_next(log)))
			show(script, options, record);
		return;
	}
	log_merge_open(&merge, log, 0);
	while (!ferror(stdout) && (record = log_merge_next(&merge)))
		show(script, options, record);
	if (merge.late)
		note("%llu records are too far out of order to be sorted",
		     (unsigned long long)merge.late);
	log_merge_close(&merge);
}

static void script_free(struct script *script)
{
	for (size_t i = 0; i < script->name_count; i++)
		free(script->names[i].name);
	free(script->names);
	processes_free(&script->processes);
}

/* Shows one log; the state starts anew with each. Returns the exit status. */
static int show_log(const struct script_options *options, struct log_reader *log)
{
	struct script script = { .out = stdout, .json = options->json };
	char why[512];
	int result = 0;

	processes_init(&script.processes);
	show_all(&script, options, log);
	script_free(&script);
	if (log->another) {
		if (!log->closed)
			note("one of the logs in '%s' has no end: its recording was cut short", log->name);
	} else if (log_read_problem(log, why, sizeof(why))) {
		note("%s", why);
		result = 1;
	} else if (!log->closed && !ferror(stdout)) {
		note("'%s' has no end: its recording was cut short", log->name);
	}
	return result;
}

static int cmd_script(int argc, char **argv)
{
	struct script_options options = { .input = LOG_RECORD_FILE };
	struct log_reader log;
	char why[512];
	int result;

	if (parse(argc, argv, &options))
		return EXIT_OWN;
	if (log_read_open(&log, options.input, why, sizeof(why))) {
		error("%s", why);
		return EXIT_OWN;
	}
	do {
		result = show_log(&options, &log);
	} while (log_read_another(&log));
	log_read_close(&log);
	return result;
}

const struct command script_command = {
	.name = "script",
	.run = cmd_script,
	.brief = "show the records of a log",
	.help = help,
	.grammar = &grammar,
};
