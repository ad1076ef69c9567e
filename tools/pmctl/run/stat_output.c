// SPDX-License-Identifier: GPL-2.0-only
/* The output file and the title of pmctl stat. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/stat.h"
#include "run/stat_file.h"

static char *join_pids(const char *what, const struct pid_set *set)
{
	char *all = xasprintf("%s id%s '%d", what, set->count > 1 ? "s" : "", (int)set->pid[0]);

	for (unsigned int i = 1; i < set->count; i++) {
		char *longer = xasprintf("%s,%d", all, (int)set->pid[i]);

		free(all);
		all = longer;
	}
	return all;
}

static char *subject(const struct run_options *options)
{
	if (options->cpu_text)
		return xasprintf("'CPU(s) %s", options->cpu_text);
	if (options->system_wide)
		return xstrdup("'system wide");
	if (options->processes.count)
		return join_pids("process", &options->processes);
	if (options->threads.count)
		return join_pids("thread", &options->threads);
	if (match_any(&options->match))
		return xasprintf("processes of '%s", options->match.text);
	return xjoin(options->command[0], options->command + 1);
}

static char *title(const struct run_options *options)
{
	char *words = subject(options);
	bool quoted = strchr(words, '\'') && (options->system_wide ||
					      run_options_follow_tasks(options));
	char *all = xasprintf("%s%s'", quoted ? "" : "'", words);

	free(words);
	return all;
}

static const struct stat_printer_ops *style(const struct run_options *options)
{
	if (options->recorded)
		return &stat_file_ops;
	if (options->json)
		return &stat_print_json;
	return options->separator ? &stat_print_csv : &stat_print_text;
}

static void started_on(FILE *out)
{
	time_t now = time(NULL);
	char text[64];

	strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", localtime(&now));
	fprintf(out, "# started on %s\n", text);
}

int stat_output_open(struct stat_run *run)
{
	const struct run_options *options = &run->options;
	struct stat_printer *printer = &run->printer;

	printer->ops = style(options);
	printer->separator = options->separator;
	printer->runs = options->repeat;
	printer->intervals = options->interval > 0;
	printer->title = title(options);
	printer->out = stderr;
	if (!options->output)
		return 0;
	printer->out = fopen(options->output, options->append ? "ae" : "we");
	if (!printer->out) {
		error("cannot write '%s': %s", options->output, strerror(errno));
		return -1;
	}
	if (printer->ops == &stat_print_text)
		started_on(printer->out);
	return 0;
}

int stat_output_close(struct stat_run *run)
{
	FILE *out = run->printer.out;
	int lost;

	free(run->printer.title);
	/* Errors of standard error are ignored. */
	if (!run->options.output || !out)
		return 0;
	lost = ferror(out);
	lost |= fclose(out);
	if (lost)
		error("cannot write all of '%s': %s", run->options.output, strerror(errno));
	return lost ? -1 : 0;
}
