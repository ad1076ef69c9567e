// SPDX-License-Identifier: GPL-2.0-only
/* Runs the script of a flame graph with the cases of flamegraph/cases.js. */
#include "base/memory.h"
#include "check.h"
#include "report_log.h"

/* Names with special characters of XML, a recursive function, and a very small one. */
static void put_graph(struct log_writer *log)
{
	log_write_initialize(log, 4, 0);
	log_write_system(log, "pmctl record -- prog");
	put_names(log);
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "sh", 1);
	put_sample_task(log, HWPMC_LOG_PROCESS, 101, 0, "we\"ird,<x>", 1);
	put_stack(log, 1, 100, 6500, 2, (uint64_t[]){ LEAF + 4, LESS, MAIN_LOOP, 0 });
	put_stack(log, 1, 101, 3000, 3, (uint64_t[]){ LESS + 4, MAIN_LOOP, 0 });
	put_stack(log, 1, 100, 498, 4, (uint64_t[]){ LEAF + 4, LEAF, MAIN_LOOP, 0 });
	put_stack(log, 1, 100, 2, 5, (uint64_t[]){ OTHER + 4, 0 });
}

/* Runs the cases, which print a line each. */
static int run(const char *graph, const char *nothing)
{
	int length = (int)(strrchr(__FILE__, '/') - __FILE__), status;
	char *here = xasprintf("%.*s/flamegraph", length, __FILE__);
	char *command_line = xasprintf("mujs %s/cases.js %s %s %s", here, here, graph, nothing);

	fflush(stdout);
	status = system(command_line);
	free(command_line);
	free(here);
	return status;
}

int main(void)
{
	char *graph = temporary(), *nothing = temporary();

	report_begin();
	write_log(put_graph);
	check(!report("-i", log_path, "--flamegraph", graph, NULL), "a flame graph");
	check(!report("-i", log_path, "--flamegraph", nothing, "--symbol", "nosuch", NULL),
	      "one of nothing");
	check(!run(graph, nothing), "their script does what it should, in mujs");
	report_end();
	discard(graph);
	discard(nothing);
	return check_result();
}
