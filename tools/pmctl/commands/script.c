// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/options.h"
#include "base/patterns.h"
#include "base/terminal.h"
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
	"  -F, --fields LIST only these fields of samples, as perf script shows them: comm,tid,\n"
	"                    pid,time,cpu,period,event,ip,sym,symoff,dso,dsoff\n"
	"      --comm LIST   only records about these commands; shell patterns are allowed\n"
	"  -C, --cpu CPUS    only records of these CPUs: 0,2-3\n"
	"      --time START,STOP  only these seconds\n"
	"      --symfs DIR   look for files and their symbols below DIR\n"
	"      --no-pager    print to the terminal\n"
	"\n"
	"The exit status is 0, or 1 if a part of the log could not be read.\n";

struct script_options {
	const char *input;
	bool json;
	bool unsorted;
	bool symbols;
	unsigned int fields;
	struct patterns comms;
	const char *cpu_text;
	struct cpulist cpus;
	struct time_range times;
	const char *root;
};

enum { OPT_COMM = 256, OPT_TIME, OPT_SYMFS, OPT_NO_PAGER };

static const struct option long_options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "json", no_argument, NULL, 'j' },
	{ "unsorted", no_argument, NULL, 'u' },
	{ "symbols", no_argument, NULL, 'S' },
	{ "fields", required_argument, NULL, 'F' },
	{ "comm", required_argument, NULL, OPT_COMM },
	{ "comms", required_argument, NULL, OPT_COMM },
	{ "cpu", required_argument, NULL, 'C' },
	{ "time", required_argument, NULL, OPT_TIME },
	{ "symfs", required_argument, NULL, OPT_SYMFS },
	{ "no-pager", no_argument, NULL, OPT_NO_PAGER },
	{ NULL, 0, NULL, 0 },
};

static int take_filter(int letter, struct script_options *options)
{
	switch (letter) {
	case OPT_COMM:
	case 'c':
		patterns_add_list(&options->comms, optarg);
		return 0;
	case 'C':
		options->cpu_text = optarg;
		return options_cpus(optarg, &options->cpus);
	case OPT_TIME:
		return options_times(optarg, &options->times);
	case OPT_SYMFS:
		options->root = optarg;
		return 0;
	default:
		return -1;
	}
}

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
	case OPT_NO_PAGER:
		terminal_no_pager();
		return 0;
	case 'F':
		options->fields = script_fields_parse(optarg);
		return options->fields ? 0 : -1;
	default:
		return take_filter(letter, options);
	}
}

static const struct options_grammar grammar = {
	.command = "script",
	.letters = ":Si:ujF:c:C:",
	.own = long_options,
	.take = take,
};

static int parse(int argc, char **argv, struct script_options *options)
{
	if (options_parse(argc, argv, &grammar, options))
		return -1;
	if (optind < argc)
		options->input = argv[optind++];
	if (options->fields && options->json) {
		error("-F and -j cannot be combined: choose one");
		return -1;
	}
	if (optind == argc)
		return 0;
	error("only one log can be shown at a time: '%s' is a second one", argv[optind]);
	return -1;
}

/* Gets the task that a record is about. Returns whether there is one. */
static bool task_of(const struct hwpmc_log_header *record, int *pid, int *tid)
{
	switch (record->type) {
	case HWPMC_LOG_SAMPLE:
	case HWPMC_LOG_PROBE:
	case HWPMC_LOG_SWITCH:
	case HWPMC_LOG_VALUE:
	case HWPMC_LOG_PROCESS:
	case HWPMC_LOG_FORK:
	case HWPMC_LOG_EXIT:
	case HWPMC_LOG_EXEC:
	case HWPMC_LOG_COMM: {
		/* All these records begin like this one. */
		const struct hwpmc_log_task *task = (const void *)record;

		*pid = task->pid;
		*tid = task->tid;
		return true;
	}
	case HWPMC_LOG_MAP_IN:
	case HWPMC_LOG_MAP_OUT:
		*pid = ((const struct hwpmc_log_map *)record)->pid;
		*tid = *pid;
		return true;
	default:
		return false;
	}
}

static bool is_wanted(struct script *script, const struct script_options *options,
		      const struct hwpmc_log_header *record)
{
	const char *comm = NULL;
	int pid, tid;

	if (!options_in_times(&options->times, record->time))
		return false;
	if (options->comms.count) {
		if (task_of(record, &pid, &tid))
			comm = processes_comm(&script->processes, pid, tid);
		if (!comm || !patterns_match(&options->comms, comm))
			return false;
	}
	return !options->cpu_text || cpulist_has(&options->cpus, record->cpu);
}

static void show(struct script *script, const struct script_options *options,
		 const struct hwpmc_log_header *record)
{
	script_take(script, record);
	if ((record->type == HWPMC_LOG_KSYM && !options->symbols) ||
	    !is_wanted(script, options, record))
		return;
	if (!options->fields)
		script_show(script, record);
	else if (log_record_is_sample(record))
		script_fields_show(script, (const void *)record, options->fields);
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
	if (merge.without_period)
		note("%llu samples are shown with period 0: the log does not have the periods of "
		     "their PMCs", (unsigned long long)merge.without_period);
	log_merge_close(&merge);
}

static void script_free(struct script *script)
{
	for (size_t i = 0; i < script->name_count; i++)
		free(script->names[i].name);
	free(script->names);
	log_throttle_free(&script->throttle);
	unwind_close(script->unwind);
	symbols_free(&script->symbols);
	processes_free(&script->processes);
	intern_free(&script->texts);
}

/* Build-ids are at the end of the log. A pipe can be read only once: it is shown without them. */
static void read_build_ids(struct script *script, const struct script_options *options)
{
	const struct hwpmc_log_header *record;
	struct log_reader log;
	struct stat status;
	char why[512];

	if (!strcmp(options->input, "-") || stat(options->input, &status) ||
	    !S_ISREG(status.st_mode) || log_read_open(&log, options->input, why, sizeof(why)))
		return;
	while ((record = log_read_next(&log))) {
		const struct hwpmc_log_build_id *id = (const void *)record;

		if (record->type == HWPMC_LOG_BUILD_ID)
			symbols_build_id(&script->symbols,
					 symbols_object(&script->symbols, SYMBOL_FILE,
							log_record_text(id, id->path_offset), 0),
					 id->build_id, id->size);
	}
	log_read_close(&log);
}

/* Shows one log; each log starts with a new state. Returns the exit status. */
static int show_log(const struct script_options *options, struct log_reader *log)
{
	struct script script = { .out = stdout, .json = options->json };
	char why[512];
	int result = 0;

	processes_init(&script.processes);
	intern_init_texts(&script.texts);
	symbols_init(&script.symbols, &script.texts, options->root);
	log_throttle_init(&script.throttle);
	script.unwind = unwind_open(&script.symbols, &script.processes);
	read_build_ids(&script, options);
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

static int show_logs(const struct script_options *options)
{
	struct log_reader log;
	char why[512];
	int result;

	if (log_read_open(&log, options->input, why, sizeof(why))) {
		error("%s", why);
		return EXIT_OWN;
	}
	terminal_page();
	do {
		result = show_log(options, &log);
	} while (log_read_another(&log));
	log_read_close(&log);
	return result;
}

static int cmd_script(int argc, char **argv)
{
	struct script_options options = {
		.input = LOG_RECORD_FILE,
		.times = { 0, UINT64_MAX },
		.root = "",
	};
	int result = EXIT_OWN;

	if (!parse(argc, argv, &options))
		result = show_logs(&options);
	patterns_free(&options.comms);
	cpulist_free(&options.cpus);
	return result;
}

const struct command script_command = {
	.name = "script",
	.run = cmd_script,
	.brief = "show the records of a log",
	.help = help,
	.grammar = &grammar,
};
