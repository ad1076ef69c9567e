// SPDX-License-Identifier: GPL-2.0-only
/* The output of pmctl report on a small log. */
#include <jansson.h>

#include "base/utf8.h"
#include "check.h"
#include "report_log.h"

static void flat(void)
{
	check(!report("-i", log_path, "-x", ",", "-s", "symbol", NULL), "a report");
	check_text(printed,
		   "event,percent,events,samples,symbol\n"
		   "cycles,70.0000,700,2,leaf\n"
		   "cycles,30.0000,300,1,\"less<a, b>::go \"\"x\"\" & y\"\n"
		   "instructions,100.0000,50,1,other\n",
		   "CSV: weighted, sorted, quoted, one event on two CPUs is one");
	report("-i", log_path, "-x", ",", "-s", "comm,pid,cpu", "--event", "cycles", NULL);
	check_text(printed,
		   "event,percent,events,samples,comm,pid,cpu\n"
		   "cycles,70.0000,700,2,sh,100,0\n"
		   "cycles,30.0000,300,1,\"we\"\"ird,<x>\",101,1\n",
		   "by task and CPU, in the order asked for");
	report("-i", log_path, "-x", ";", "-s", "dso", NULL);
	check_text(printed,
		   "event;percent;events;samples;dso\n"
		   "cycles;100.0000;1000;3;[kernel]\n"
		   "instructions;100.0000;50;1;[mod]\n",
		   "by object: a module is one of its own");
	report("-i", log_path, "-x", ",", "-s", "symbol", "--percent-limit", "50", NULL);
	check_text(printed,
		   "event,percent,events,samples,symbol\n"
		   "cycles,70.0000,700,2,leaf\n"
		   "instructions,100.0000,50,1,other\n", "--percent-limit");
}

static void children(void)
{
	report("-i", log_path, "-x", ",", "-s", "symbol", "--children", "--event", "cycles", NULL);
	check_text(printed,
		   "event,percent,events,samples,total-percent,total-events,total-samples,symbol\n"
		   "cycles,0.0000,0,0,100.0000,1000,3,main_loop\n"
		   "cycles,30.0000,300,1,90.0000,900,2,\"less<a, b>::go \"\"x\"\" & y\"\n"
		   "cycles,70.0000,700,2,70.0000,700,2,leaf\n",
		   "--children: who calls itself counts once");
}

static void filters(void)
{
	report("-i", log_path, "-x", ",", "-s", "symbol", "--comm", "we*", NULL);
	check(says("cycles,30.0000,300,1,") && !strstr(printed, "leaf"), "--comm");
	report("-i", log_path, "-x", ",", "-s", "symbol", "--pid", "100", "--cpu", "0", NULL);
	check(says("cycles,70.0000,700,2,leaf\n") && !strstr(printed, "less"), "--pid and --cpu");
	report("-i", log_path, "-x", ",", "-s", "symbol", "--tid", "7", NULL);
	check(!strchr(printed, '7'), "--tid of nobody");
	report("-i", log_path, "-x", ",", "-s", "symbol", "--dso", "[mod]", NULL);
	check(says("instructions,100.0000,50,1,other\n") && !strstr(printed, "leaf"), "--dso");
	report("-i", log_path, "-x", ",", "-s", "symbol", "--symbol", ODD, NULL);
	check(says("cycles,30.0000,300,1,") && !strstr(printed, "leaf"), "--symbol");
	report("-i", log_path, "--folded", "--symbol", "less*", NULL);
	check(says(";leaf_[k] 600\n") && !strstr(printed, " 100\n"),
	      "--symbol of stacks: the functions that it called");
}

static void nothing(const char *option, const char *value)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "no sample matches %s;", option);
	check(!report("-i", log_path, option, value, NULL) && strstr(complained, wanted) &&
	      strstr(complained, "the log are: cycles, instructions\n"), option);
	report("-i", log_path, option, value, "--folded", NULL);
	check(strstr(complained, "no sample matches") && !*printed, "likewise of stacks");
}

static void empty(void)
{
	nothing("--event", "nosuch");
	nothing("--comm", "nosuch");
	nothing("--pid", "7");
	nothing("--tid", "7");
	nothing("--cpu", "7");
	nothing("--dso", "nosuch");
	nothing("--symbol", "nosuch");
	report("-i", log_path, "--percent-limit", "100", "--event", "cycles", NULL);
	check_text(complained, "pmctl: event 'cycles': all lines are left out, --percent-limit is 100 and "
			       "the largest has 70.00%\n", "lines that are too small");
	report("-i", log_path, "--percent-limit", "60", NULL);
	check_text(complained, "", "no note if any line is left");
	report("-i", log_path, "--comm", "sh", "--pid", "101", NULL);
	check(strstr(complained, "no sample matches all the options together;"),
	      "options that contradict each other");
	report("-i", log_path, "--pid", "7", "--cpu", "7", NULL);
	check(strstr(complained, "no sample matches --pid or --cpu;"), "two that match nothing");
}

static void text(void)
{
	report("-i", log_path, "-g", "--sort", "comm,dso,symbol", NULL);
	check(says("# command: pmctl record -- prog\n"), "the command");
	check(says("# event 'cycles': 3 samples, 1,000 events, 5 lost (5,000 events), "
		   "throttled 1 times\n"), "the event, what was lost and held back");
	check(says("# event 'instructions': 1 samples, 50 events, 0 lost\n"), "the other event");
	check(says("   70.00%  sh          [kernel]  [k] leaf\n"
		   "            |- 60.00% " ODD "\n"
		   "            |           main_loop\n"
		   "            `- 10.00% leaf\n"
		   "                        main_loop\n"),
	      "callers: what does not fork goes straight down");
	report("-i", log_path, "-g", "callees", "--sort", "symbol", NULL);
	check(says("  100.00%   0.00%  [k] main_loop\n"
		   "            |- 90.00% " ODD "\n"
		   "            |  `- 60.00% leaf\n"
		   "            `- 10.00% leaf\n"
		   "                        leaf\n"), "callees");
}

/* Words and options of perf that pmctl report accepts. */
static void perf_options(void)
{
	char *callees;

	report("-i", log_path, "-s", "symbol", "-g", "callees", NULL);
	callees = xstrdup(printed);
	check(!report("-i", log_path, "-s", "symbol", "-g", "caller", NULL), "-g caller");
	check_text(printed, callees, "is a graph from the callers on");
	check(!report("-i", log_path, "-s", "symbol", "-g", "graph,0.5,callee", NULL) &&
	      says("|- 60.00% ") && says("`- 10.00% leaf\n"), "-g graph,0.5,callee");
	check(!report("-i", log_path, "-s", "symbol", "-ggraph,20", NULL) && says("60.00% ") &&
	      !strstr(printed, "10.00%") && says("30.00%  [k] less"), "a limit is of branches only");
	check(report("-i", log_path, "-g", "graph,many", NULL) == 125, "and a number");
	check(report("-i", log_path, "-gfractal", NULL) == 125 && strstr(complained, "fractal"),
	      "a graph that pmctl does not have");
	check(!report("-i", log_path, "--stdio", "-v", "-q", "-B", "-n", "-s", "symbol", NULL) &&
	      says("   70.00%          2  [k] leaf\n") && !strchr(printed, '#'),
	      "--stdio -v -q -B -n: samples, and no head");
	check(!report("-i", log_path, "--dsos", "[mod],x", "-s", "symbol", NULL) && says("other\n") &&
	      !strstr(printed, "leaf"), "--dsos");
	check(!report("-i", log_path, "-S", "leaf,other", "-s", "symbol", NULL) && says("other\n") &&
	      says("leaf\n") && !strstr(printed, "less"), "-S");
	check(!report("-i", log_path, "--symbols", ODD, "-s", "symbol", NULL) &&
	      says("less") && !strstr(printed, "leaf"), "--symbols with a comma in a name");
	free(callees);
}

static void stacks(void)
{
	report("-i", log_path, "--folded", NULL);
	check_text(printed,
		   "sh;main_loop_[k];" ODD "_[k];leaf_[k] 600\n"
		   "we\"ird,<x>;main_loop_[k];" ODD "_[k] 300\n"
		   "sh;main_loop_[k];leaf_[k];leaf_[k] 100\n", "folded stacks");
	check(strstr(complained, "event 'cycles' only"), "of one event, and that is said");
	report("-i", log_path, "--folded", "--percent-limit", "30", NULL);
	check(count(printed, "\n") == 2 && !strstr(printed, "leaf_[k];leaf_[k]"), "without small ones if asked for");
	report("-i", log_path, "--folded", "--event", "instructions", NULL);
	check_text(printed, "sh;other_[k] 50\n", "or of the other");
	report("-i", log_path, "--folded", "--symbol", "other", NULL);
	check_text(printed, "sh;other_[k] 50\n", "or of the one that has such stacks");
	check_text(complained, "", "which needs no words");
	report("-i", log_path, "--flamegraph", "-", "--symbol", "nosuch", NULL);
	check(strstr(complained, "no sample matches") && says("</svg>"), "a picture of nothing");
}

static void picture(void)
{
	char svg_path[] = "/tmp/pmctl-picture-XXXXXX", *svg;
	int fd = mkstemp(svg_path);

	check(!report("-i", log_path, "--flamegraph", svg_path, NULL), "a flame graph");
	svg = contents(svg_path);
	check(strstr(svg, "data-n=\"less&lt;a, b&gt;::go &quot;x&quot; &amp; y\""),
	      "names are escaped");
	check(!strstr(svg, "<a, b>") && !strstr(svg, "go \"x") && !strstr(svg, "<x>"), "everywhere");
	check(strstr(svg, "leaf ([kernel]): 60.00%, 600 events, 1 samples</title>"),
	      "what a box says");
	check(strstr(svg, "main_loop ([kernel]): 70.00%, 700 events, 2 samples</title>"),
	      "a caller's box has the samples of its callees");
	check(count(svg, "<g data-x=") == 10, "a box for each frame");
	check(count(svg, "<g") == count(svg, "</g>") && count(svg, "<text") == count(svg, "</text>"),
	      "all are closed");
	check(!strstr(svg, "href") && !strstr(svg, "url(") && !strstr(svg, "@import"),
	      "nothing comes from elsewhere");
	check(strstr(svg, "addEventListener(\"keydown\""), "with its script");
	check(report("-i", log_path, "--flamegraph", "/nowhere/at/all.svg", NULL) == 125,
	      "one that cannot be written");
	check(report("-i", log_path, "--flamegraph", log_path, NULL) == 125 &&
	      strstr(complained, "is a log"), "one in the place of a log");
	check(!report("-i", log_path, NULL), "leaves it alone");
	free(svg);
	close(fd);
	unlink(svg_path);
}

/* A recursion that is too narrow to be seen, 7 deep, beside a chain of 2. */
static void put_tower(struct log_writer *log)
{
	log_write_initialize(log, 4, 0);
	put_names(log);
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "sh", 1);
	put_stack(log, 1, 100, 100000, 2, (uint64_t[]){ LEAF + 4, MAIN_LOOP, 0 });
	put_stack(log, 1, 100, 20, 3,
		  (uint64_t[]){ LESS + 4, LESS, LESS, LESS, LESS, LESS, MAIN_LOOP, 0 });
}

static void tower(void)
{
	write_log(put_tower);
	report("-i", log_path, "--flamegraph", "-", NULL);
	check(says(" height=\"190\" viewBox=\"0 0 1200 190\"") && count(printed, "<g data-x=") == 10 &&
	      count(printed, "display:none\"><title>") == 5,
	      "boxes that are too narrow to be seen do not make a picture higher");
	write_log(put_log);
}

static json_t *at(json_t *array, size_t index)
{
	return json_array_get(array, index);
}

static const char *string(json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

static void json(void)
{
	json_t *all, *events, *row, *callers, *above;

	report("-i", log_path, "-j", "-g", NULL);
	all = json_loads(printed, 0, NULL);
	events = json_object_get(all, "events");
	row = at(json_object_get(at(events, 0), "rows"), 0);
	callers = json_object_get(row, "callers");
	check(all && json_array_size(events) == 2, "JSON");
	check(json_integer_value(json_object_get(at(events, 0), "lost-events")) == 5000,
	      "what was lost");
	check_text(string(row, "symbol"), "leaf", "a row");
	check(json_integer_value(json_object_get(row, "events")) == 700, "its events");
	check_text(string(at(callers, 0), "symbol"), ODD, "its caller");
	above = json_object_get(at(callers, 0), "children");
	check_text(string(at(above, 0), "symbol"), "main_loop", "the caller's caller");
	row = at(json_object_get(at(events, 0), "rows"), 1);
	check_text(string(row, "comm"), "we\"ird,<x>", "an odd name");
	json_decref(all);
}

/*
 * 100 events are sampled, 400 happen while PMC 1 is throttled and until its thread is scheduled
 * out, 500 until the throttling ends with the thread on its CPU.
 */
static void put_throttled(struct log_writer *log)
{
	log_write_initialize(log, 4, 0);
	put_names(log);
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "sh", 1);
	put_stack(log, 1, 100, 50, 2, (uint64_t[]){ LEAF + 4, MAIN_LOOP, 0 });
	put_throttle(log, 1, 50, true, 3);
	put_late(log, 1, 100, 400, 4);
	put_throttle(log, 1, 50, false, 5);
	put_stack(log, 1, 100, 25, 6, (uint64_t[]){ LEAF + 4, MAIN_LOOP, 0 });
	put_stack(log, 1, 100, 12, 7, (uint64_t[]){ LEAF + 4, MAIN_LOOP, 0 });
	put_throttle(log, 1, 50, true, 8);
	put_throttle(log, 1, 50, false, 9);
	put_stack(log, 2, 100, 13, 10, (uint64_t[]){ LEAF + 4, MAIN_LOOP, 0 });
	put_stack(log, 1, 100, 500, 10, (uint64_t[]){ LESS + 4, MAIN_LOOP, 0 });
}

static int cmd_script(int argc, char **argv)
{
	return script_command.run(argc, argv);
}

/* script -F is the input of other programs, which must not add the events to a function, either. */
static void throttled_script(void)
{
	command = cmd_script;
	report("-i", log_path, "-u", "-F", "period,sym,dso", NULL);
	check(count(printed, " leaf ([kernel])\n") == 4 &&
	      says("       400  [throttled] ([throttled])\n") &&
	      says("       500  [throttled] ([throttled])\n"), "in script -F");
	report("-i", log_path, "-u", "-F", "period,sym", "--time", "0.000000010,", NULL);
	check(says("       500  [throttled]\n") && count(printed, "\n") == 5,
	      "also if earlier records are left out");
	report("-i", log_path, "-u", NULL);
	check(count(printed, " at=[throttled]") == 2 && says("period=400 ") &&
	      !strstr(printed, "at=less"), "and in records");
	command = cmd_report;
}

static void throttled(void)
{
	char *share;

	write_log(put_throttled);
	report("-i", log_path, "-s", "symbol", NULL);
	check(says("throttled 2 times (90.00% of the events)\n") &&
	      says("   90.00%  [.] [throttled]\n") && says("   10.00%  [k] leaf\n") &&
	      !strstr(printed, "other") && !strstr(printed, "less"),
	      "a throttled span is a line of its own, not a place");
	report("-i", log_path, "-x", ",", "-s", "comm,dso,symbol,srcline", NULL);
	check(says("cycles,90.0000,900,2,sh,[throttled],[throttled],[throttled]\n"), "in CSV");
	report("-i", log_path, "-j", "-s", "symbol", NULL);
	check(says("\"throttled-events\": 900") && says("\"symbol\": \"[throttled]\""), "in JSON");
	report("-i", log_path, "--folded", NULL);
	check_text(printed, "sh;main_loop_[k];leaf_[k] 100\nsh;[throttled] 900\n", "in stacks");
	report("-i", log_path, "--flamegraph", "-", NULL);
	share = strstr(printed, "[throttled] ([throttled]): 90.00%, 900 events");
	check(share && says(", 90.00% throttled"), "in a flame graph");
	throttled_script();
	write_log(put_log);
}

/* Periods whose sum exceeds 2^64. */
static void put_many(struct log_writer *log)
{
	const uint64_t much = 0x7000000000000000ULL;

	log_write_initialize(log, 4, 0);
	put_names(log);
	put_stack(log, 1, 100, 1ULL << 63, 1, (uint64_t[]){ LEAF + 4, MAIN_LOOP, 0 });
	put_stack(log, 2, 100, much, 2, (uint64_t[]){ LESS + 4, MAIN_LOOP, 0 });
	put_stack(log, 2, 100, much, 3, (uint64_t[]){ LEAF + 4, LESS, MAIN_LOOP, 0 });
}

static void beyond(void)
{
	json_t *all, *row;

	write_log(put_many);
	report("-i", log_path, "-s", "symbol", "--children", "-g", "callees", NULL);
	check(says("3 samples, 18,446,744,073,709,551,615 events") &&
	      says("\n  100.00%   0.00%  [k] main_loop\n"),
	      "sums stop at what 64 bits hold");
	report("-i", log_path, "--folded", NULL);
	check(count(printed, " 9223372036854775808\n") == 1, "folded stacks are as they are");
	report("-i", log_path, "-j", "-s", "symbol", NULL);
	all = json_loads(printed, 0, NULL);
	row = at(json_object_get(at(json_object_get(all, "events"), 0), "rows"), 0);
	check_text(string(row, "events"), "17293822569102704640", "in JSON, a text beyond 2^53");
	check(json_integer_value(json_object_get(row, "samples")) == 2, "a number below");
	json_decref(all);
	write_log(put_log);
}

static void put_nothing(struct log_writer *log)
{
	log_write_initialize(log, 4, 0);
}

static void put_lost(struct log_writer *log)
{
	put_nothing(log);
	log_write_event(log, 1, "cycles");
	put_troubles(log, 1);
}

static void put_twice(struct log_writer *log)
{
	put_log(log);
	put_log(log);
}

/* Ends a log whose CLOSE is cut off; @lost: records that the new CLOSE counts. */
static void end_log(uint64_t lost)
{
	struct hwpmc_log_close end = {
		.h = { .type = HWPMC_LOG_CLOSE, .length = sizeof(end) },
		.lost = lost,
	};
	static bool ended;
	int fd;

	if (ended)
		cut_log(sizeof(end));
	ended = true;
	fd = open(log_path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (write(fd, &end, sizeof(end)) != sizeof(end))
		check(false, "the end of a log");
	close(fd);
}

static void bad_logs(void)
{
	int fd;

	write_log(put_twice);
	check(report("-i", log_path, "-s", "symbol", NULL) == 1, "two logs, one behind the other");
	check(says("# event 'cycles': 3 samples, ") && says("70.00%  [k] leaf"), "are not mixed");
	check(strstr(complained, "several logs"), "and that is said");
	write_log(put_log);
	check(report("-i", "/tmp/pmctl-not-there", NULL) == 125, "no log");
	check(strstr(complained, "run 'pmctl record' first"), "says what to do");
	/* CLOSE is the last record, THROTTLE the one before. */
	cut_log(sizeof(struct hwpmc_log_header) + 8);
	check(report("-i", log_path, "-s", "symbol", NULL) == 1, "a log that was cut");
	check(says("70.00%  [k] leaf"), "is shown as far as it goes");
	check(strstr(complained, "cut off: it ends in the record that begins at byte"),
	      "and where that is");
	write_log(put_log);
	cut_log(sizeof(struct hwpmc_log_header));
	check(report("-i", log_path, NULL) == 0 && strstr(complained, "has no end"),
	      "a log that is still written");
	end_log(7);
	check(report("-i", log_path, NULL) == 0 && strstr(complained, "7 records are missing at the end"),
	      "a log that could not be written to its end");
	end_log(0);
	check(report("-i", log_path, NULL) == 0 && !strstr(complained, "missing"),
	      "one that could");
	write_log(put_nothing);
	check(report("-i", log_path, NULL) == 125 && strstr(complained, "no samples"),
	      "a log without samples");
	check(!strstr(complained, "lost"), "nor lost ones");
	write_log(put_lost);
	check(report("-i", log_path, NULL) == 125 && strstr(complained, "all 5 were lost") &&
	      strstr(complained, "-m"), "a log whose samples were all lost");
	fd = open(log_path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	close(fd);
	check(report("-i", log_path, NULL) == 125 && strstr(complained, "is empty"), "an empty log");
	write_log(put_log);
}

static void words(void)
{
	check(report("-s", "colour", NULL) == 125 && strstr(complained, "choose from comm"),
	      "a key that is none");
	check(report("--percent-limit", "101", NULL) == 125, "a limit that is none");
	check(report("--call-graph", "sideways", NULL) == 125, "a graph that is none");
	check(report("-x,", "-j", NULL) == 125, "-x and -j");
	check(report(log_path, "-j", "--flamegraph", "-", NULL) == 125 &&
	      report(log_path, "-x,", "--flamegraph", "-", NULL) == 125,
	      "--flamegraph and another format");
	check(!report(log_path, "-g", "--call-graph", "none", NULL) && !strstr(printed, "|-"),
	      "no call graph");
	check(report("--symfs", "/nowhere", "-i", log_path, NULL) == 125 &&
	      strstr(complained, "needs a directory"), "--symfs of no directory");
	check(report(log_path, "-gcallees", NULL) == 0 && says("100.00%"), "a log without -i");
	check(report(log_path, log_path, NULL) == 125, "two logs");
	check(report("--nonsense", NULL) == 125 && count(complained, "\n") == 1, "no such option");
}

static void letters(void)
{
	char *clean = utf8_clean("a\x1b[31m\xff\xc3\xa9\xed\xa0\x80");

	check_text(clean, "a?[31m?\xc3\xa9???", "what is no UTF-8, and what speaks to terminals");
	free(clean);
	clean = utf8_clean("\x7f\xc2\x80\xc2\x9f\xc2\xa0");
	check_text(clean, "?????\xc2\xa0", "also in UTF-8");
	free(clean);
	clean = utf8_clean("\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf");
	check_text(clean, "\xe2\x80\xa9??????\xe2\x80\xaf", "or turns the line around");
	free(clean);
	clean = utf8_clean("\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa");
	check_text(clean, "\xe2\x81\xa5??????\xe2\x81\xaa", "or isolates");
	free(clean);
}

int main(void)
{
	report_begin();
	flat();
	children();
	filters();
	empty();
	text();
	perf_options();
	stacks();
	picture();
	tower();
	json();
	throttled();
	beyond();
	bad_logs();
	words();
	letters();
	report_end();
	return check_result();
}
