// SPDX-License-Identifier: GPL-2.0-only
/* pmctl stat report: prints what pmctl stat record has written. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/options.h"
#include "commands/stat_report.h"
#include "run/stat_file.h"

static const char help[] =
	"usage: pmctl stat report [OPTION]... [FILE]\n"
	"\n"
	"Prints the results that 'pmctl stat record' has written to FILE (pmctl.stat).\n"
	"\n"
	"  -i, --input FILE          the file\n"
	"  -x, --field-separator SEP as CSV, separated by SEP\n"
	"  -j, --json                as JSON, one object per line\n"
	"\n"
	"The exit status is 0, or 125 if there are no results.\n";

static const struct option own_options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "json-output", no_argument, NULL, 'j' },
	{ NULL, 0, NULL, 0 },
};

/**
 * struct report_options - the command line
 * @path: the file
 * @separator: -x, NULL without
 * @json: -j
 */
struct report_options {
	const char *path;
	const char *separator;
	bool json;
};

static int take(int letter, void *context)
{
	struct report_options *options = context;

	switch (letter) {
	case 'i':
		options->path = optarg;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	default:
		return options_separator(optarg, &options->separator);
	}
}

static const struct options_grammar grammar = {
	.command = "stat report", .letters = ":i:x:j", .own = own_options, .take = take,
};

static int show(const struct report_options *options)
{
	struct stat_printer printer = {
		.ops = &stat_print_text, .out = stdout, .separator = options->separator,
	};
	int result;

	if (options->json)
		printer.ops = &stat_print_json;
	else if (options->separator)
		printer.ops = &stat_print_csv;
	result = stat_file_print(options->path, &printer);
	free(printer.title);
	return result ? EXIT_OWN : 0;
}

int stat_report(int argc, char **argv)
{
	struct report_options options = { .path = STAT_FILE };

	if (options_ask_help(argc, argv, &grammar)) {
		fputs(help, stdout);
		return 0;
	}
	if (options_parse(argc, argv, &grammar, &options))
		return EXIT_OWN;
	if (options.separator && options.json) {
		error("-x and -j cannot be combined: choose one");
		return EXIT_OWN;
	}
	if (optind < argc)
		options.path = argv[optind++];
	if (optind == argc)
		return show(&options);
	error("stat report shows one file; '%s' is another one", argv[optind]);
	return EXIT_OWN;
}
