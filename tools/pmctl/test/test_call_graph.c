// SPDX-License-Identifier: GPL-2.0-only
/* The limit on the size of graphs of callees. */
#include <jansson.h>

#include "check.h"
#include "log/log_read.h"
#include "report/call_graph.h"
#include "report_log.h"

/* A long chain of functions: below each are all later ones. */
#define DEEP	1700

static void put_deep(struct log_writer *log)
{
	struct hwpmc_log_sample *sample;
	static uint64_t chain[DEEP];

	for (unsigned int i = 0; i < DEEP; i++)
		chain[i] = KERNEL + 0x100 * (i + 1);
	log_write_initialize(log, 4, 0);
	log_write_event(log, 1, "cycles");
	sample = log_build(&sample_build, HWPMC_LOG_SAMPLE, sizeof(*sample), 1);
	sample->h.id = 1;
	sample->period = 1000;
	sample->pc = KERNEL;
	sample->chain_kernel = DEEP;
	sample->chain_offset = (__u16)log_build_bytes(&sample_build, chain, sizeof(chain));
	log_write_records(log, sample, sample_build.length);
}

static void read_profile(struct profile *profile, void (*put)(struct log_writer *log))
{
	static const struct profile_request request = { .root = "" };
	const struct hwpmc_log_header *record;
	struct log_reader log;
	unsigned char *bytes;
	char why[128];
	size_t size;

	bytes = sample_log(put, false, &size);
	if (log_read_open_fd(&log, sample_fd(bytes, size), "log", why, sizeof(why)))
		abort();
	profile_init(profile, &request);
	while ((record = log_read_next(&log)))
		profile_take(profile, record);
	profile_resolve(profile);
	log_read_close(&log);
	free(bytes);
}

static void too_many(void)
{
	struct report_options options = {
		.root = "",
		.sort = { SORT_SYMBOL },
		.sort_count = 1,
		.sorted_by = 1U << SORT_SYMBOL,
		.graph = GRAPH_CALLEES,
		.children = true,
		.limit_given = true,
	};
	struct profile profile;
	struct table table;
	char *said;

	read_profile(&profile, put_deep);
	if (!freopen(err_path, "w", stderr))
		abort();
	table_make(&table, &profile, &options);
	call_graph_make(&table);
	fflush(stderr);
	said = contents(err_path);
	check(table.count == DEEP + 1, "many functions that call each other");
	check(tree_count(&table.graph) == CALL_GRAPH_MAX, "have no more branches than may be");
	check(strstr(said, "raise --percent-limit"), "and that is said");
	free(said);
	table_free(&table);
	profile_free(&profile);
}

static void put_uneven(struct log_writer *log)
{
	log_write_initialize(log, 4, 0);
	put_names(log);
	put_stack(log, 1, 100, 9990, 1, (uint64_t[]){ LEAF + 4, MAIN_LOOP, 0 });
	put_stack(log, 1, 100, 10, 2, (uint64_t[]){ LESS + 4, MAIN_LOOP, 0 });
}

/* The number of branches of main_loop in the last report. */
static size_t branches_of(const char *kind)
{
	json_t *all = json_loads(printed, 0, NULL), *rows, *row;
	size_t count = 0, index;

	rows = json_object_get(json_array_get(json_object_get(all, "events"), 0), "rows");
	json_array_foreach(rows, index, row)
		if (!strcmp(json_string_value(json_object_get(row, "symbol")), "main_loop"))
			count = json_array_size(json_object_get(row, kind));
	json_decref(all);
	return count;
}

static void small_ones(void)
{
	write_log(put_uneven);
	report("-i", log_path, "-j", "-s", "symbol", "-g", "callees", NULL);
	check(branches_of("callees") == 1, "JSON leaves out small branches of callees");
	report("-i", log_path, "-j", "-s", "symbol", "-g", "callees", "--percent-limit", "0", NULL);
	check(branches_of("callees") == 2, "unless it is asked for all");
}

int main(void)
{
	report_begin();
	small_ones();
	too_many();
	report_end();
	return check_result();
}
