// SPDX-License-Identifier: GPL-2.0-only
/* Makes reports of any bytes, as commands/{report,annotate,diff}.c do: see reports.h. */
#include <stdlib.h>

#include "log/log_merge.h"
#include "report/annotate.h"
#include "report/call_graph.h"
#include "report/diff.h"
#include "report/report.h"
#include "reports.h"

#define ROOT	"/proc/nowhere"

static void read_profile(struct log_reader *log, struct profile *profile,
			 const struct profile_request *request)
{
	const struct hwpmc_log_header *record;
	struct log_merge merge;

	profile_init(profile, request);
	log_merge_open(&merge, log, 4096);
	while ((record = log_merge_next(&merge))) {
		profile_take(profile, record);
		if (record->type == HWPMC_LOG_BUILD_ID)
			profile_build_id(profile, (const void *)record);
	}
	log_merge_close(&merge);
}

/* Lines by all that a line can be of, with call graphs. */
static void set_options(struct report_options *options)
{
	shared_options_init(options);
	options->root = ROOT;
	report_options_take_sort(options, "comm,pid,tid,dso,symbol,srcline,cpu");
	options->graph = GRAPH_CALLERS;
	options->children = true;
	options->show_samples = true;
}

static const struct profile_request request = {
	.groups = GROUP_COMM | GROUP_PID | GROUP_TID | GROUP_CPU,
	.root = ROOT,
	.inlines = true,
	.sources = true,
};

static void put_report(struct report *report, unsigned int format)
{
	switch (format % 5) {
	case 0:
		report->width = 80;
		report_text(report);
		break;
	case 1:
		report_csv(report);
		break;
	case 2:
		report_json(report);
		break;
	case 3:
		report_folded(report);
		break;
	default:
		report_flamegraph(report, "/dev/null");
		break;
	}
}

void reports_report(struct log_reader *log, unsigned int format, FILE *out)
{
	struct report_options options;
	struct profile profile;
	struct report report = { .profile = &profile, .options = &options, .out = out };

	set_options(&options);
	options.separator = ",";
	read_profile(log, &profile, &request);
	profile_resolve(&profile);
	table_make(&report.table, &profile, &options);
	call_graph_make(&report.table);
	table_sort(&report.table);
	put_report(&report, format);
	table_free(&report.table);
	profile_free(&profile);
	report_options_free(&options);
}

static void put_function(struct annotate *annotate, const struct annotate_code *code,
			 unsigned int format)
{
	switch (format % 3) {
	case 0:
		annotate_text(annotate, code);
		break;
	case 1:
		annotate_csv(annotate, code);
		break;
	default:
		annotate_json(annotate, code);
		break;
	}
}

void reports_annotate(struct log_reader *log, unsigned int format, FILE *out)
{
	static const struct profile_request leaves = {
		.root = ROOT, .leaves = true, .by_object = true,
	};
	struct annotate_options options = { 0 };
	struct annotate annotate;
	struct profile profile;
	struct annotate_code code;
	char why[1024];

	set_options(&options.shared);
	options.shared.separator = ",";
	read_profile(log, &profile, &leaves);
	annotate_make(&annotate, &profile, &options);
	annotate.out = out;
	annotate_text_head(&annotate);
	for (uint32_t i = 0; i < annotate.chosen; i++) {
		if (!annotate_code_read(&code, &annotate, annotate.order[i], why, sizeof(why)))
			put_function(&annotate, &code, format);
		annotate_code_free(&code);
	}
	annotate_free(&annotate);
	profile_free(&profile);
	report_options_free(&options.shared);
}

static void put_diff(struct diff *diff, unsigned int format)
{
	switch (format % 3) {
	case 0:
		diff->width = 80;
		diff_text(diff);
		break;
	case 1:
		diff_csv(diff);
		break;
	default:
		diff_json(diff);
		break;
	}
}

/* The flame graph of a difference is of one event. */
static void put_difference(struct report *reports, struct profile *profiles, unsigned int format,
			   FILE *out)
{
	static const char *const paths[] = { "old", "new" };
	struct diff diff = {
		.reports = reports, .paths = paths, .count = 2, .options = reports[0].options,
		.out = out,
	};

	if (format % 4 == 3) {
		report_flamegraph_diff(&reports[1], &profiles[1], &reports[0], "/dev/null");
		return;
	}
	for (unsigned int i = 0; i < 2; i++)
		table_make(&reports[i].table, &profiles[i], diff.options);
	diff_make(&diff);
	put_diff(&diff, format);
	diff_free(&diff);
	for (unsigned int i = 0; i < 2; i++)
		table_free(&reports[i].table);
}

void reports_diff(struct log_reader logs[2], unsigned int format, FILE *out)
{
	struct report_options options;
	struct profile profiles[2];
	struct report reports[2] = { 0 };

	set_options(&options);
	options.separator = ",";
	for (unsigned int i = 0; i < 2; i++) {
		read_profile(&logs[i], &profiles[i], &request);
		profile_resolve(&profiles[i]);
		reports[i] = (struct report){
			.profile = &profiles[i], .options = &options, .out = out,
		};
	}
	/* As pmctl diff: not of a log without samples. */
	if (profiles[0].samples && profiles[1].samples)
		put_difference(reports, profiles, format, out);
	for (unsigned int i = 0; i < 2; i++)
		profile_free(&profiles[i]);
	report_options_free(&options);
}
