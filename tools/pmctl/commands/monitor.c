// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/hwpmc_netlink.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/memory.h"
#include "base/options.h"
#include "commands/command.h"
#include "commands/watching.h"
#include "watch/family.h"
#include "watch/notice.h"

static const char help[] =
	"usage: pmctl monitor [OPTION]...\n"
	"\n"
	"Prints a line for each event, until it is interrupted: a process opens the device, or\n"
	"allocates, attaches, starts, stops or releases PMCs; samples are lost or throttled; the\n"
	"module claims or releases the PMU; a CPU goes online or offline. Events of other users,\n"
	"and of processes outside of a container, are shown only if you may see them.\n"
	"\n"
	"  -p, --pid LIST      only events of these processes, or of PMCs that follow them\n"
	"  -u, --user LIST     only events of these users, by name or number\n"
	"  -c, --command LIST  only events of these commands; shell patterns are allowed\n"
	"  -w, --what LIST     only these: open,close,allocate,release,attach,detach,start,stop,\n"
	"                      ended,evict,throttle,drop,claim,unclaim,refuse,online,offline\n"
	"  -n, --number N      end after N lines\n"
	"  -j, --json          one JSON object per line\n";

struct monitor {
	struct watching who;
	uint64_t wanted;	/* bits by HWPMC_NL_WHAT_*; 0: all */
	long left;
	bool json;
	struct hardware hardware;
};

static const struct option long_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "user", required_argument, NULL, 'u' },
	{ "command", required_argument, NULL, 'c' },
	{ "what", required_argument, NULL, 'w' },
	{ "number", required_argument, NULL, 'n' },
	{ "json", no_argument, NULL, 'j' },
	{ NULL, 0, NULL, 0 },
};

static int take_what(struct monitor *monitor, const char *text)
{
	char *words = xstrdup(text), *rest = words, *word;
	int what = 0;

	while (what >= 0 && (word = strsep(&rest, ","))) {
		what = notice_find(word);
		if (what >= 0)
			monitor->wanted |= 1ULL << what;
		else
			error("--what needs names such as allocate,start, not '%s'; 'pmctl monitor --help' lists them",
			      word);
	}
	free(words);
	return what < 0 ? -1 : 0;
}

static int take(int letter, void *context)
{
	struct monitor *monitor = context;

	switch (letter) {
	case 'w':
		return take_what(monitor, optarg);
	case 'n':
		return options_number(optarg, 1, "--number", &monitor->left);
	case 'j':
		monitor->json = true;
		return 0;
	default:
		return watching_take(&monitor->who, letter, optarg);
	}
}

static const struct options_grammar grammar = {
	.command = "monitor",
	.letters = ":p:u:c:w:n:j",
	.own = long_options,
	.take = take,
};

/*
 * With -p, -u or -c, only notices about actions of the processes that match are shown. A loss is
 * always shown, since any notice may be among the lost ones.
 */
static bool is_wanted(const struct monitor *monitor, const struct notice *notice)
{
	const struct pmc *pmc = &notice->pmc;

	if (notice->what == HWPMC_NL_WHAT_LOST)
		return true;
	if (monitor->wanted && !(monitor->wanted & 1ULL << notice->what))
		return false;
	if (!notice->owned)
		return !watching_any(&monitor->who);
	return watching_wants(&monitor->who, pmc->pid, pmc->target, pmc->uid, pmc->comm);
}

static void show(unsigned int command, struct nlattr **attrs, void *context)
{
	struct monitor *monitor = context;
	struct notice notice;

	if (command != HWPMC_NL_CMD_NOTICES || !monitor->left)
		return;
	notice_read(&notice, attrs, &monitor->hardware);
	if (is_wanted(monitor, &notice)) {
		if (monitor->json)
			notice_print_json(&notice, stdout);
		else
			notice_print(&notice, stdout);
		monitor->left--;
	}
	notice_free(&notice);
}

static int watch(struct monitor *monitor)
{
	struct family family;
	int result = -1;

	if (family_open(&family))
		return -1;
	/* Opens the device: do this before listening, so that there is no notice about it. */
	watching_hardware(&monitor->hardware);
	if (!family_listen(&family))
		result = 0;
	while (result >= 0 && monitor->left && !ferror(stdout)) {
		result = family_wait(&family);
		if (!result)
			result = family_dump(&family, HWPMC_NL_CMD_NOTICES, show, monitor);
		fflush(stdout);
	}
	hardware_free(&monitor->hardware);
	family_close(&family);
	return result;
}

static int cmd_monitor(int argc, char **argv)
{
	struct monitor monitor = { .left = LONG_MAX };
	int result = options_parse(argc, argv, &grammar, &monitor);

	if (!result && optind < argc) {
		error("monitor takes no argument: '%s'; 'pmctl monitor --help' explains it",
		      argv[optind]);
		result = -1;
	}
	if (!result)
		result = watch(&monitor);
	watching_free(&monitor.who);
	return result < 0 ? EXIT_OWN : 0;
}

const struct command monitor_command = {
	.name = "monitor",
	.run = cmd_monitor,
	.brief = "show allocations, starts, losses and the like as they occur",
	.help = help,
	.grammar = &grammar,
};
