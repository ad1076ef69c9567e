// SPDX-License-Identifier: GPL-2.0-only
/* The output of pmctl diff for small logs. */
#include <jansson.h>

#include "check.h"
#include "report_log.h"

static char *old_path, *new_path, *third_path;

static int cmd_diff(int argc, char **argv)
{
	return diff_command.run(argc, argv);
}

static void put_old(struct log_writer *log)
{
	uint64_t t = (uint64_t)1 << 40;

	log_write_initialize(log, 4, 0);
	log_write_system(log, "pmctl record -- old");
	put_names(log);
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "sh", t);
	put_stack(log, 1, 100, 500, t + 1, (uint64_t[]){ LEAF + 4, MAIN_LOOP, 0 });
	put_stack(log, 2, 100, 300, t + 2, (uint64_t[]){ LESS + 4, MAIN_LOOP, 0 });
	put_stack(log, 1, 100, 200, t + 3, (uint64_t[]){ MAIN_LOOP + 4, 0 });
}

/* The names have other numbers, and other PMCs have other events. */
static void put_new(struct log_writer *log)
{
	uint64_t t = (uint64_t)1 << 40;

	log_write_initialize(log, 4, 0);
	log_write_system(log, "pmctl record -- new");
	log_write_event(log, 1, "branches");
	log_write_event(log, 2, "cycles");
	log_write_ksym(log, t, KERNEL + OTHER, "other [mod]");
	log_write_ksym(log, t, KERNEL + LEAF, "leaf");
	log_write_ksym(log, t, KERNEL + MAIN_LOOP, "main_loop");
	put_sample_task(log, HWPMC_LOG_PROCESS, 7, 0, "sh", t);
	put_stack(log, 1, 7, 10, t, (uint64_t[]){ LEAF + 4, 0 });
	put_stack(log, 2, 7, 1600, t + 1, (uint64_t[]){ LEAF + 4, MAIN_LOOP, 0 });
	put_stack(log, 2, 7, 200, t + 2, (uint64_t[]){ OTHER + 4, MAIN_LOOP, 0 });
	put_stack(log, 2, 7, 200, t + 3, (uint64_t[]){ MAIN_LOOP + 4, 0 });
}

static void write_to(char **path, void (*put)(struct log_writer *log))
{
	char *before = log_path;

	*path = temporary();
	log_path = *path;
	write_log(put);
	log_path = before;
}

static void csv(void)
{
	check(!report(old_path, new_path, "-x", ",", NULL), "two logs");
	check_text(printed,
		   "event,old-percent,old-events,old-samples,new-percent,new-events,new-samples,delta,ratio,symbol\n"
		   "cycles,50.0000,500,1,80.0000,1600,1,30.0000,3.2000,leaf\n"
		   "cycles,30.0000,300,1,0.0000,0,0,-30.0000,0.0000,\"less<a, b>::go \"\"x\"\" & y\"\n"
		   "cycles,20.0000,200,1,10.0000,200,1,-10.0000,1.0000,main_loop\n"
		   "cycles,0.0000,0,0,10.0000,200,1,10.0000,,other\n",
		   "the largest difference is first; the ratio is of events");
	check(strstr(complained, "event 'branches' is only in") &&
	      !strstr(complained, "'cycles'"), "an event of one log");
	report(old_path, new_path, "-x", ";", "-s", "dso", NULL);
	check(says("cycles;100.0000;1000;3;90.0000;1800;2;-10.0000;1.8000;[kernel]\n") &&
	      says("cycles;0.0000;0;0;10.0000;200;1;10.0000;;[mod]\n"), "by object");
	report(old_path, new_path, "-x", ",", "-s", "comm", NULL);
	check(says("cycles,100.0000,1000,3,100.0000,2000,3,0.0000,2.0000,sh\n"), "by command");
	report(old_path, new_path, "-x", ",", "--percent-limit", "20", NULL);
	check(count(printed, "\n") == 3, "--percent-limit");
	report(old_path, new_path, "-x", ",", "--symbol", "l*", NULL);
	check(count(printed, "\n") == 3 && says("leaf\n"), "--symbol");
	check(!report(old_path, new_path, "--symbol", "nosuch", NULL) &&
	      strstr(complained, "no sample matches --symbol"), "a filter that leaves nothing");
	check(!report(old_path, old_path, "--percent-limit", "1", NULL) &&
	      strstr(complained, "no line differs by 1 points"), "equal logs");
}

static void text(void)
{
	report(old_path, new_path, NULL);
	check(says("pmctl record -- old\n# NEW: ") && says("pmctl record -- new\n"), "the logs");
	check(says("# event 'cycles': OLD 1,000 events, 3 samples, NEW 2,000 events (2.00 times), 3 samples\n"),
	      "how many events there are");
	check(says("   50.00%   80.00%    +30.00     3.20x  [k] leaf\n"), "a line");
	check(says("       -    10.00%    +10.00       new  [k] other\n"), "a function that is new");
	check(says("   30.00%       -     -30.00      gone  [k] less"), "one that is gone");
	report(old_path, new_path, third_path, "-q", NULL);
	check(says("   50.00%   80.00%    +30.00     3.20x   50.00%     +0.00     1.00x  [k] leaf\n"),
	      "three logs");
}

static void json(void)
{
	json_t *all, *row;

	report(old_path, new_path, "-j", NULL);
	all = json_loads(printed, 0, NULL);
	row = json_array_get(json_object_get(all, "events"), 0);
	row = json_array_get(json_object_get(row, "rows"), 3);
	check(!strcmp(json_string_value(json_object_get(row, "symbol")), "other"), "JSON");
	row = json_array_get(json_object_get(row, "logs"), 1);
	check(json_is_null(json_object_get(row, "ratio")) &&
	      json_number_value(json_object_get(row, "delta")) > 9.9, "of a function that is new");
	json_decref(all);
}

static void picture(void)
{
	check(report(old_path, new_path, "--flamegraph", "-", "--event", "branches", NULL) == 125 &&
	      strstr(complained, "no event in common"), "a picture of an event that one log lacks");
	check(!report(old_path, new_path, "--flamegraph", "-", NULL), "a differential flame graph");
	check(says("leaf ([kernel]): 80.00%, 1,600 events, 1 samples; +30.00 points, itself +30.00</title>"),
	      "what a box says");
	check(says("main_loop ([kernel]): 100.00%, 2,000 events, 3 samples; +0.00 points, itself -10.00<"),
	      "a caller");
	check(says("fill=\"rgb(250,90,90)\"/><text x=") && says("fill=\"rgb(190,206,250)\"/>") &&
	      says("fill=\"rgb(240,240,240)\"/>"), "red, blue, grey");
	check(says("stacks that are gone had 30.00%"), "what is gone");
	check(count(printed, "<g data-x=") == 5, "a box for each frame of the new log only");
	check(says(">grew</text>") && !strstr(printed, ">library</text>"), "the key");
	check(report(old_path, new_path, "--flamegraph", old_path, NULL) == 125 &&
	      strstr(complained, "is a log"), "one in the place of a log");
	check(report(old_path, new_path, third_path, "--flamegraph", "-", NULL) == 125,
	      "one of three logs");
}

static void words(void)
{
	check(report(old_path, NULL) == 125 && strstr(complained, "give two logs"), "one log");
	check(report(old_path, "/tmp/pmctl-not-there", NULL) == 125 &&
	      strstr(complained, "run 'pmctl record' first"), "no log");
	check(report(old_path, new_path, "-x,", "-j", NULL) == 125, "two formats");
	check(report("-i", old_path, new_path, NULL) == 125, "-i");
	check(report(old_path, new_path, "--event", "instructions", NULL) == 125 &&
	      strstr(complained, "no event in common"), "an event that neither has");
}

int main(void)
{
	command = cmd_diff;
	report_begin();
	write_to(&old_path, put_old);
	write_to(&new_path, put_new);
	write_to(&third_path, put_old);
	csv();
	text();
	json();
	picture();
	words();
	discard(old_path);
	discard(new_path);
	discard(third_path);
	report_end();
	return check_result();
}
