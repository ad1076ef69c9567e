// SPDX-License-Identifier: GPL-2.0-only
/* Collects everything in one JSON value, from which the text is printed. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/device.h"
#include "base/error.h"
#include "base/exit.h"
#include "base/options.h"
#include "commands/command.h"
#include "commands/info.h"

static const char help[] =
	"usage: pmctl info [-js]\n"
	"\n"
	"Shows the CPU, its classes of counters, and for each CPU its rows (hardware\n"
	"counters): whether each is free or which process holds it.\n"
	"\n"
	"  -j, --json   as JSON\n"
	"  -s, --stats  also the module's statistics since it was loaded\n";

static const struct option long_options[] = {
	{ "json", no_argument, NULL, 'j' },
	{ "stats", no_argument, NULL, 's' },
	{ NULL, 0, NULL, 0 },
};

static const struct options_grammar grammar = {
	.command = "info",
	.letters = "js",
	.own = long_options,
};

static int parse(int argc, char **argv, bool *json, bool *stats)
{
	int letter;

	opterr = 0;
	optind = 1;
	while ((letter = getopt_long(argc, argv, grammar.letters, long_options, NULL)) != -1) {
		if (letter == 'j')
			*json = true;
		else if (letter == 's')
			*stats = true;
		else
			optind = argc + 1;
		if (letter == '?')
			break;
	}
	if (optind == argc)
		return 0;
	error("info takes only -j and --stats; 'pmctl info --help' explains them");
	return -1;
}

static int cmd_info(int argc, char **argv)
{
	bool json = false, stats = false;
	json_t *info;
	int fd;

	if (parse(argc, argv, &json, &stats))
		return EXIT_OWN;
	fd = device_open();
	if (fd < 0)
		return EXIT_OWN;
	info = info_gather(fd, stats);
	close(fd);
	if (!info)
		return EXIT_OWN;
	if (json) {
		json_dumpf(info, stdout, JSON_INDENT(2));
		putchar('\n');
	} else {
		info_print(info);
	}
	json_decref(info);
	return 0;
}

const struct command info_command = {
	.name = "info",
	.run = cmd_info,
	.brief = "show the CPU's counters and who holds them",
	.help = help,
	.grammar = &grammar,
};
