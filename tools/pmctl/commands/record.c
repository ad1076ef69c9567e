// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "base/signals.h"
#include "commands/command.h"
#include "log/log_record.h"
#include "probe/filter_session.h"
#include "run/record.h"

static const char help[] =
	"usage: pmctl record [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
	"       pmctl record [OPTION]... -p PID | -t TID | -a | -C CPUS  [[--] PROGRAM ...]\n"
	"\n"
	"Samples a program, processes, threads or CPUs at events, and writes the samples to a log.\n"
	"With -p, -t, -a or -C, PROGRAM only sets the duration: sampling ends when it exits.\n"
	"\n"
	"  -e, --event LIST          events: cycles, instructions:u, {a,b}, r1b, cpu/event=0x11/\n"
	"      --off-cpu             sample the time that threads are off the CPU, with call chains;\n"
	"                            of other events, too, with -e\n"
	"      --filter CONDITIONS   events of probes that meet them: 'fd == 3 && comm != cat'\n"
	"  -p, --pid PID[,PID]       sample these processes, until they exit\n"
	"  -t, --tid TID[,TID]       sample these threads\n"
	"  -a, --all-cpus            sample everything on all CPUs\n"
	"  -C, --cpu CPUS            sample everything on these CPUs: 0,2-3\n"
	"  -i, --no-inherit          do not sample child processes\n"
	"  -c, --count N             take a sample every N events\n"
	"  -F, --freq N              take N samples a second in each thread or CPU (1000)\n"
	"  -g [fp|dwarf]             with call chains: by frame pointers, or from a copy of the\n"
	"      --call-graph fp|dwarf user stack that 'pmctl report' unwinds\n"
	"  -o, --output FILE         the log (pmctl.log); '-' is standard output\n"
	"      --log-to HOST:PORT    send the log to 'pmctl collect' there instead\n"
	"      --switch-output[=WHEN] begin another log, FILE.1, FILE.2: at SIGUSR2, or when a log\n"
	"                            is so large (10M, 1G) or so old (30s, 5m, 2h)\n"
	"      --overwrite[=MB]      keep only the newest samples, in memory (16): write them at\n"
	"                            SIGUSR2 and at the end, to FILE.1, FILE.2\n"
	"  -z, --compress            compress the log; the default if it is a file\n"
	"      --no-compress         do not compress it\n"
	"  -m, --buffer KB           size of the buffer of each CPU (512)\n"
	"  -D, --delay MS            start sampling after MS milliseconds (-1: never)\n"
	"      --duration SECONDS    stop after SECONDS\n"
	"      --all-user            user mode only, for all events\n"
	"      --all-kernel          kernel mode only, for all events\n"
	"      --exclude-self        leave out samples of pmctl itself; the default with -a and -C\n"
	"      --no-exclude-self     keep them\n"
	"\n"
	"The exit status is PROGRAM's, 128 + N if signal N ended it, 126 or 127 if it could\n"
	"not be run, 125 if pmctl itself failed.\n";

static const char default_output[] = LOG_RECORD_FILE;

#define OVERWRITE_MAX	4096
#define FREQUENCY	1000	/* default of -F: samples per second */
#define OVERWRITE	16	/* default of --overwrite: MB */
#define USER_STACK	8192	/* bytes of the user stack for -g dwarf */

enum {
	OPT_DURATION = 256,
	OPT_FILTER,
	OPT_CALL_GRAPH,
	OPT_ALL_USER,
	OPT_ALL_KERNEL,
	OPT_EXCLUDE_SELF,
	OPT_NO_EXCLUDE_SELF,
	OPT_NO_COMPRESS,
	OPT_LOG_TO,
	OPT_SWITCH_OUTPUT,
	OPT_OVERWRITE,
	OPT_OFF_CPU,
};

static const struct option own_options[] = {
	{ "count", required_argument, NULL, 'c' },
	{ "freq", required_argument, NULL, 'F' },
	{ "call-graph", required_argument, NULL, OPT_CALL_GRAPH },
	{ "compress", no_argument, NULL, 'z' },
	{ "no-compress", no_argument, NULL, OPT_NO_COMPRESS },
	{ "buffer", required_argument, NULL, 'm' },
	{ "log-to", required_argument, NULL, OPT_LOG_TO },
	{ "switch-output", optional_argument, NULL, OPT_SWITCH_OUTPUT },
	{ "overwrite", optional_argument, NULL, OPT_OVERWRITE },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ "filter", required_argument, NULL, OPT_FILTER },
	{ "off-cpu", no_argument, NULL, OPT_OFF_CPU },
	{ "verbose", no_argument, NULL, 'v' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "no-buildid-cache", no_argument, NULL, 'B' },
	{ "all-user", no_argument, NULL, OPT_ALL_USER },
	{ "all-kernel", no_argument, NULL, OPT_ALL_KERNEL },
	{ "exclude-self", no_argument, NULL, OPT_EXCLUDE_SELF },
	{ "no-exclude-self", no_argument, NULL, OPT_NO_EXCLUDE_SELF },
	{ NULL, 0, NULL, 0 },
};

/* A run of pmctl record, and the part of its command line that run/ does not use. */
struct command_line {
	struct record_run run;
	struct filter filter;
	bool off_cpu;
};

static int take_period(struct record_options *options, const char *text)
{
	options->has_period = true;
	if (!number_parse_u64(text, 10, &options->sampling.count) && options->sampling.count)
		return 0;
	error("-c needs a number of events, at least 1, not '%s'", text);
	return -1;
}

static int take_frequency(struct record_options *options, const char *text)
{
	long frequency = 0;

	options->has_frequency = true;
	if (options_number(text, 1, "-F", &frequency))
		return -1;
	options->sampling.count = (uint64_t)frequency;
	return 0;
}

static int take_chain(struct record_options *options, const char *text)
{
	options->flags |= HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN;
	options->sampling.user_stack = 0;
	if (!text || !strcmp(text, "fp"))
		return 0;
	if (!strcmp(text, "dwarf")) {
		options->sampling.user_stack = USER_STACK;
		return 0;
	}
	error("-g takes 'fp' (frame pointers) or 'dwarf' (a copy of the stack), "
	      "not '%s'", text);
	return -1;
}

/* "signal", "10M", "30s": when another log begins. */
static int take_switching(struct switching *switching, const char *text)
{
	static const char *const sizes = "BKMG", *const times = "smh";
	static const long seconds[] = { 1, 60, 3600 };
	const char *unit = NULL;
	char *end;
	long number;

	switching->on = true;
	if (!text || !strcmp(text, "signal")) {
		switching->at_signal = true;
		return 0;
	}
	errno = 0;
	number = strtol(text, &end, 10);
	if (!errno && number > 0 && number <= 1000000 && *end && !end[1])
		unit = end;
	if (unit && strchr(sizes, *unit)) {
		switching->bytes = (uint64_t)number << 10 * (strchr(sizes, *unit) - sizes);
		return 0;
	}
	if (unit && strchr(times, *unit)) {
		switching->ms = number * 1000 * seconds[strchr(times, *unit) - times];
		return 0;
	}
	error("--switch-output takes 'signal', a size such as 10M or a time such as 30s, not '%s'",
	      text);
	return -1;
}

static int take_output(int letter, struct record_options *options)
{
	switch (letter) {
	case OPT_LOG_TO:
		options->log_to = optarg;
		return 0;
	case OPT_SWITCH_OUTPUT:
		return take_switching(&options->switching, optarg);
	default:
		options->overwrite = OVERWRITE;
		return optarg ? options_number(optarg, 1, "--overwrite", &options->overwrite) : 0;
	}
}

static int take_plain(int letter, struct record_options *options)
{
	switch (letter) {
	case 'z':
	case OPT_NO_COMPRESS:
		options->compress = letter == 'z' ? COMPRESS_ALWAYS : COMPRESS_NEVER;
		return 0;
	/* Options of perf that change nothing here. */
	case 'v':
	case 'q':
	case 'B':
		return 0;
	case OPT_ALL_USER:
		options->modifiers |= MODIFIER_USER;
		return 0;
	case OPT_ALL_KERNEL:
		options->modifiers |= MODIFIER_KERNEL;
		return 0;
	case OPT_EXCLUDE_SELF:
	case OPT_NO_EXCLUDE_SELF:
		options->own_samples = letter == OPT_EXCLUDE_SELF ? OWN_SAMPLES_EXCLUDE :
								    OWN_SAMPLES_KEEP;
		return 0;
	default:
		return run_options_take(letter, optarg, &options->common);
	}
}

static int take(int letter, void *context)
{
	struct command_line *line = context;
	struct record_options *options = &line->run.options;

	switch (letter) {
	case 'c':
		return take_period(options, optarg);
	case 'F':
		return take_frequency(options, optarg);
	case 'g':
	case OPT_CALL_GRAPH:
		return take_chain(options, optarg);
	case 'm':
		return options_number(optarg, 1, "-m", &options->buffer);
	case OPT_LOG_TO:
	case OPT_SWITCH_OUTPUT:
	case OPT_OVERWRITE:
		return take_output(letter, options);
	case OPT_OFF_CPU:
		line->off_cpu = true;
		return 0;
	case OPT_FILTER:
		return filter_parse(&line->filter, optarg);
	case OPT_DURATION:
		return options_seconds(optarg, "--duration", &options->common.timeout);
	default:
		return take_plain(letter, options);
	}
}

/* Why options for the log contradict each other; or NULL. */
static const char *contradiction_of_output(const struct record_options *options)
{
	bool several = options->switching.on || options->overwrite;

	if (options->log_to && options->common.output != default_output)
		return "--log-to and -o cannot be combined: choose one";
	if (several && (options->log_to || !strcmp(options->common.output, "-")))
		return "--switch-output and --overwrite need files: they cannot be combined with --log-to or -o -";
	if (options->overwrite > OVERWRITE_MAX)
		return "--overwrite takes 4096 MB at most";
	if (options->overwrite && options->switching.bytes)
		return "--overwrite cannot be combined with --switch-output=SIZE: nothing is written before a snapshot";
	if (!options->log_to && !strcmp(options->common.output, "-") && isatty(STDOUT_FILENO))
		return "a log cannot be written to a terminal: use a pipe or -o FILE";
	return NULL;
}

static const char *contradiction(const struct command_line *line)
{
	const struct record_options *options = &line->run.options;
	const char *why = run_options_target_problem(&options->common);

	if (why)
		return why;
	if (line->filter.count && !options->common.specs.count)
		return "--filter needs probes: give some with -e, such as -e syscall:read:entry";
	if (line->off_cpu && options->common.system_wide)
		return "--off-cpu follows threads, not CPUs: give a program to run, -p PID or -t TID";
	if (line->off_cpu && options->has_frequency && !options->common.specs.count)
		return "off-CPU time is sampled by a period (-c), not by a frequency (-F)";
	if (options->has_period && options->has_frequency)
		return "-c and -F cannot be combined: choose one";
	if (options->modifiers == (MODIFIER_USER | MODIFIER_KERNEL))
		return "--all-user and --all-kernel cannot be combined: choose one";
	return contradiction_of_output(options);
}

static void apply_modifiers(struct record_options *options)
{
	struct spec_list *specs = &options->common.specs;

	for (unsigned int i = 0; options->modifiers && i < specs->count; i++)
		specs->specs[i].modifiers = options->modifiers;
}

/* --off-cpu: adds the event, and call chains if none were requested. */
static int add_off_cpu(struct record_options *options)
{
	if (!(options->flags & HWPMC_F_CALLCHAIN) && take_chain(options, NULL))
		return -1;
	return run_options_take_events(&options->common, "off-cpu");
}

static int finish(struct command_line *line)
{
	struct record_options *options = &line->run.options;
	const char *why = contradiction(line);

	if (why) {
		error("%s", why);
		return -1;
	}
	if (line->off_cpu && add_off_cpu(options))
		return -1;
	options->sampling.on = true;
	if (!options->has_period) {
		options->flags |= HWPMC_F_FREQUENCY;
		if (!options->has_frequency)
			options->sampling.count = FREQUENCY;
	}
	if (options->own_samples == OWN_SAMPLES_DEFAULT && options->common.system_wide)
		options->own_samples = OWN_SAMPLES_EXCLUDE;
	options->common.default_events = !options->common.specs.count;
	apply_modifiers(options);
	return run_options_find_cpus(&options->common);
}

/* A program of that name must be given as ./fp after -g, or after --. */
static const char *const chains[] = { "fp", "dwarf", NULL };

static const struct options_grammar grammar = {
	.command = "record",
	.letters = "+:e:p:t:aC:ic:F:g::o:zm:D:vqB",
	.own = own_options,
	.words = chains,
	.shared = run_options_shared,
	.take = take,
};

static int parse(int argc, char **argv, struct command_line *line)
{
	struct run_options *common = &line->run.options.common;

	common->repeat = 1;
	common->output = default_output;
	if (options_parse(argc, argv, &grammar, line))
		return -1;
	if (optind < argc)
		common->command = argv + optind;
	return finish(line);
}

static int cmd_record(int argc, char **argv)
{
	struct command_line line = {
		.run = { .session = { .fd = -1 }, .log = { .fd = -1 },
			 .state = { .fd = -1 }, .result = EXIT_OWN },
	};
	int signal;

	if (!parse(argc, argv, &line)) {
		filter_session_use(&line.run.session, &line.filter);
		line.run.words = xjoin("pmctl", argv);
		record_execute(&line.run);
	}
	signal = line.run.wait.signal;
	record_free(&line.run);
	filter_free(&line.filter);
	if (signal)
		signals_die(signal);
	return line.run.result;
}

const struct command record_command = {
	.name = "record",
	.run = cmd_record,
	.brief = "sample a program, processes or CPUs into a log",
	.help = help,
	.grammar = &grammar,
};
