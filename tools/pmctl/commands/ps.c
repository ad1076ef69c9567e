// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/device.h"
#include "base/error.h"
#include "base/exit.h"
#include "base/options.h"
#include "base/patterns.h"
#include "base/terminal.h"
#include "commands/command.h"
#include "commands/watching.h"
#include "watch/columns.h"
#include "watch/family.h"
#include "watch/ps.h"

static const char help[] =
	"usage: pmctl ps [OPTION]...\n"
	"\n"
	"Shows each allocated PMC with its owner and targets, of all users if you may see them.\n"
	"PMCs that count the same on several CPUs are one line.\n"
	"\n"
	"  PID      the process that allocated it; '!' if it has exited and another one has its file\n"
	"  HOW      counts, or samples\n"
	"  WHOM     the process that it follows, or the CPUs whose tasks it counts\n"
	"  STATE    new (not started), running, stopped, ended (nobody is left to follow),\n"
	"           evicted (an administrator took its counter)\n"
	"  AGE      since it was allocated\n"
	"\n"
	"  -t, --targets       a line for each process or thread that a PMC was attached to\n"
	"  -p, --pid LIST      only PMCs of these processes, or that follow them\n"
	"  -u, --user LIST     only PMCs of these users, by name or number\n"
	"  -c, --command LIST  only PMCs of these commands; shell patterns are allowed\n"
	"  -s, --sort KEY      by pid (default), user, command, event, age, samples or lost\n"
	"  -x, --field-separator SEP  CSV, a line for each PMC\n"
	"  -j, --json          JSON, an object for each PMC\n";

struct ps_options {
	struct watching who;
	int sort;
	const char *separator;
	bool json;
	bool targets;
};

static const struct option long_options[] = {
	{ "targets", no_argument, NULL, 't' },
	{ "pid", required_argument, NULL, 'p' },
	{ "user", required_argument, NULL, 'u' },
	{ "command", required_argument, NULL, 'c' },
	{ "sort", required_argument, NULL, 's' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ NULL, 0, NULL, 0 },
};

static int take_sort(const char *text, int *sort)
{
	*sort = ps_sort_find(text);
	if (*sort >= 0)
		return 0;
	error("--sort needs pid, user, command, event, age, samples or lost, not '%s'", text);
	return -1;
}

static int take(int letter, void *context)
{
	struct ps_options *options = context;

	switch (letter) {
	case 's':
		return take_sort(optarg, &options->sort);
	case 'x':
		return options_separator(optarg, &options->separator);
	case 'j':
		options->json = true;
		return 0;
	case 't':
		options->targets = true;
		return 0;
	default:
		return watching_take(&options->who, letter, optarg);
	}
}

static const struct options_grammar grammar = {
	.command = "ps",
	.letters = ":tp:u:c:s:x:j",
	.own = long_options,
	.take = take,
};

static int parse(int argc, char **argv, struct ps_options *options)
{
	if (options_parse(argc, argv, &grammar, options))
		return -1;
	if (options->json && options->separator) {
		error("-x and -j cannot be combined: choose one");
		return -1;
	}
	if (optind == argc)
		return 0;
	error("ps takes no argument: '%s'; 'pmctl ps --help' explains it", argv[optind]);
	return -1;
}

static bool wanted(const struct watching *who, const struct pmc *pmc)
{
	if (watching_wants(who, pmc->pid, pmc->target, pmc->uid, pmc->comm))
		return true;
	for (size_t i = 0; i < pmc->all_count; i++)
		if (watching_wants(who, pmc->pid, pmc->all[i].pid, pmc->uid, pmc->comm))
			return true;
	return false;
}

/* Removes the PMCs that were not asked for. */
static void filter(struct pmc_list *list, const struct watching *who)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct pmc pmc = list->pmcs[i];

		if (!wanted(who, &pmc))
			continue;
		list->pmcs[i] = list->pmcs[kept];
		list->pmcs[kept++] = pmc;
	}
	for (size_t i = kept; i < list->count; i++)
		pmc_free(&list->pmcs[i]);
	list->count = kept;
}

static void print(struct pmc_list *list, const struct ps_options *options)
{
	enum ps_sort sort = (enum ps_sort)options->sort;
	char *hidden = ps_hidden(list);

	ps_sort(list, sort);
	if (options->json)
		ps_print_json(list, options->targets, stdout);
	else if (options->separator)
		ps_print_csv(list, options->targets, stdout, options->separator);
	else
		ps_print(list, sort, options->targets, stdout, terminal_width());
	if (hidden && options->separator)
		note("%s", hidden);
	free(hidden);
}

static int cmd_ps(int argc, char **argv)
{
	struct ps_options options = { .sort = PS_PID };
	struct hardware hardware;
	struct pmc_list list;
	struct family family;
	int result = -1;

	if (!parse(argc, argv, &options) && !family_open(&family)) {
		watching_hardware(&hardware);
		result = pmc_list_read(&list, &family, &hardware,
				       options.targets || options.who.pid_count);
		hardware_free(&hardware);
		family_close(&family);
		if (result >= 0) {
			filter(&list, &options.who);
			print(&list, &options);
		}
		if (result == 1)
			note("PMCs were allocated and released all the time: the list may have gaps");
		pmc_list_free(&list);
	}
	watching_free(&options.who);
	return result < 0 ? EXIT_OWN : 0;
}

const struct command ps_command = {
	.name = "ps",
	.run = cmd_ps,
	.brief = "show the allocated counters of all users",
	.help = help,
	.grammar = &grammar,
};
