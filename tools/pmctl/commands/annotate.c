// SPDX-License-Identifier: GPL-2.0-only
/* pmctl annotate: shows the instructions of a function at which events occurred. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "commands/command.h"
#include "commands/reading.h"
#include "report/annotate.h"
#include "report/report.h"

static const char help[] =
	"usage: pmctl annotate [OPTION]... [SYMBOL]...\n"
	"\n"
	"Shows the instructions of functions, and which part of a function's events occurred at\n"
	"each, with the source lines in between. Without SYMBOL: the function with the most events.\n"
	"\n"
	"  -i, --input FILE          the log; '-' is standard input (pmctl.log)\n"
	"  -s, --symbol NAME         this function, like SYMBOL; shell patterns are allowed\n"
	"  -d, --dso LIST            only functions of these files; [kernel] is the kernel\n"
	"      --event NAME          only this event; may be repeated\n"
	"      --percent-limit N     hide instructions that have less than N percent of their\n"
	"                            function, and are not near one that has more\n"
	"      --no-source           without source lines\n"
	"      --comm LIST           only these commands; shell patterns are allowed\n"
	"      --pid, --tid LIST     only these processes, threads\n"
	"  -C, --cpu CPUS            only these CPUs: 0,2-3\n"
	"      --time START,STOP     only these seconds, as 'pmctl script' shows them\n"
	"  -n, --show-nr-samples     print the number of samples, too\n"
	"  -q, --quiet               print no head lines\n"
	"  -x, --field-separator SEP as CSV, separated by SEP\n"
	"  -j, --json                as JSON\n"
	"  -k, --vmlinux FILE        the code of the kernel\n"
	"      --symfs DIR           look for files, their symbols and sources below DIR\n"
	"      --no-pager            print to the terminal, not through less\n"
	"      --objdump PROGRAM     the disassembler (objdump, or that of the log's machine)\n"
	"  -M, --disassembler-style STYLE  how it writes instructions: intel\n"
	"\n"
	"perf's --stdio, -v, -f, -l, -P and --source are accepted.\n"
	"The exit status is 0; 1 if the log could not be read to its end; 125 if there is nothing\n"
	"to show.\n";

enum { OPT_NO_SOURCE = 256, OPT_OBJDUMP, OPT_NOTHING };

static const struct option own_options[] = {
	{ "no-source", no_argument, NULL, OPT_NO_SOURCE },
	{ "vmlinux", required_argument, NULL, 'k' },
	{ "objdump", required_argument, NULL, OPT_OBJDUMP },
	{ "disassembler-style", required_argument, NULL, 'M' },
	/* Options of perf that change nothing here. */
	{ "source", no_argument, NULL, OPT_NOTHING },
	{ "force", no_argument, NULL, OPT_NOTHING },
	{ "print-line", no_argument, NULL, OPT_NOTHING },
	{ "full-paths", no_argument, NULL, OPT_NOTHING },
	{ NULL, 0, NULL, 0 },
};

static int take(int letter, void *context)
{
	struct annotate_options *options = context;

	switch (letter) {
	case 's':
		patterns_add(&options->shared.symbols, optarg);
		return 0;
	case 'k':
		options->vmlinux = optarg;
		return 0;
	case 'M':
		options->style = optarg;
		return 0;
	case OPT_OBJDUMP:
		options->objdump = optarg;
		return 0;
	case OPT_NO_SOURCE:
		options->no_source = true;
		return 0;
	case 'f':
	case 'l':
	case 'P':
	case OPT_NOTHING:
		return 0;
	default:
		return shared_options_take(letter, &options->shared);
	}
}

static const struct options_grammar grammar = {
	.command = "annotate",
	.letters = ":i:s:d:C:x:jk:M:vflPqn",
	.own = own_options,
	.shared = shared_options,
	.take = take,
};

static int parse(int argc, char **argv, struct annotate_options *options)
{
	memset(options, 0, sizeof(*options));
	shared_options_init(&options->shared);
	if (options_parse(argc, argv, &grammar, options))
		return -1;
	for (; optind < argc; optind++) {
		if (log_read_is_log(argv[optind])) {
			error("'%s' is a log; give it with -i, since arguments are names of functions",
			      argv[optind]);
			return -1;
		}
		patterns_add(&options->shared.symbols, argv[optind]);
	}
	return shared_options_check(&options->shared);
}

#define NAMES_MAX	3

/* "'a', 'b', 'c'": the functions with the most events; free() it. */
static char *hottest(struct annotate *annotate)
{
	const struct profile *profile = annotate->profile;
	struct annotate_options all = { 0 };
	const struct annotate_options *options = annotate->options;
	char *list = xstrdup("");

	annotate->options = &all;
	annotate_choose(annotate);
	for (uint32_t i = 0; i < annotate->chosen && i < NAMES_MAX; i++) {
		const struct function *function = annotate_function(annotate, annotate->order[i]);
		char *longer = xasprintf("%s%s'%s'", list, i ? ", " : "",
					 intern_text(&profile->names, function->symbol));

		free(list);
		list = longer;
	}
	annotate->options = options;
	return list;
}

/* No function was selected: prints the reason, and what to do. */
static void explain_none(struct annotate *annotate)
{
	char *names;

	if (!annotate->functions.count) {
		error("no sample is at an address that belongs to a function with a name: install "
		      "the debugging symbols of the program, or build it without stripping them; "
		      "'pmctl report --by-address' shows the addresses");
		return;
	}
	names = hottest(annotate);
	error("no sample is in a function that the options select (a function that only calls others has "
	      "none of its own); most are in %s; 'pmctl report' shows all", names);
	free(names);
}

static void put_function(struct annotate *annotate, const struct annotate_code *code)
{
	const struct report_options *options = &annotate->options->shared;

	if (options->json)
		annotate_json(annotate, code);
	else if (options->separator)
		annotate_csv(annotate, code);
	else
		annotate_text(annotate, code);
	annotate->shown++;
}

/* Prints one function. With @explain a message gives the reason if its code cannot be read. */
static void show_function(struct annotate *annotate, uint32_t id, bool explain)
{
	const struct function *function = annotate_function(annotate, id);
	const struct intern *names = &annotate->profile->names;
	struct annotate_code code;
	char why[1024];

	if (!annotate_code_read(&code, annotate, id, why, sizeof(why)))
		put_function(annotate, &code);
	else if (explain)
		error("cannot show '%s' of %s: %s", intern_text(names, function->symbol),
		      intern_text(names, function->dso), why);
	annotate_code_free(&code);
}

static void put_head(const struct annotate *annotate)
{
	const struct report_options *options = &annotate->options->shared;

	if (options->json)
		annotate_json_head(annotate);
	else if (options->separator)
		annotate_csv_head(annotate);
	else
		annotate_text_head(annotate);
}

/* Returns 0, or -1 if there is nothing to show. */
static int show(struct annotate *annotate)
{
	bool all = annotate->options->shared.symbols.count || annotate->options->shared.dsos.count;

	if (!annotate->chosen) {
		explain_none(annotate);
		return -1;
	}
	terminal_page();
	put_head(annotate);
	/* Without a name: the first function whose code can be read here. */
	for (uint32_t i = 0; i < annotate->chosen && (all || !annotate->shown); i++)
		show_function(annotate, annotate->order[i], all || !i);
	if (annotate->options->shared.json)
		annotate_json_foot(annotate);
	return annotate->shown ? 0 : -1;
}

static int annotate_main(struct reading *reading, const struct annotate_options *options)
{
	static const struct profile_request request = { .leaves = true, .by_object = true };
	struct annotate annotate;
	int result = -1;

	if (reading_open(reading, options->shared.input, &options->shared))
		return -1;
	reading_read(reading, &request);
	annotate_make(&annotate, &reading->profile, options);
	annotate.out = stdout;
	reading_report_problems(reading);
	if (reading->profile.samples)
		result = show(&annotate);
	else
		reading_explain_none(reading);
	annotate_free(&annotate);
	reading_close(reading);
	return result;
}

static int cmd_annotate(int argc, char **argv)
{
	struct reading reading = { .log.fd = -1 };
	struct annotate_options options;
	int result = EXIT_OWN;

	if (!parse(argc, argv, &options) && !annotate_main(&reading, &options))
		result = reading.damaged ? EXIT_DAMAGED : 0;
	report_options_free(&options.shared);
	if (reading_signal())
		signals_die(reading_signal());
	return result;
}

const struct command annotate_command = {
	.name = "annotate",
	.run = cmd_annotate,
	.brief = "show the events at each instruction of a function",
	.help = help,
	.grammar = &grammar,
};
