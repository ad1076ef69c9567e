// SPDX-License-Identifier: GPL-2.0-only
/* pmctl report on a small log, from its records to what is printed. */
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "check.h"
#include "command.h"
#include "error.h"
#include "sample_log.h"
#include "utf8.h"

#define KERNEL	0xffff800010000000ULL
#define ODD	"less<a, b>::go \"x\" & y"
#define WORDS	16

static char *log_path, *out_path, *err_path;
static char *printed, *complained;

/* --- The log */

enum { MAIN_LOOP = 0x1000, LESS = 0x2000, LEAF = 0x3000, OTHER = 0x4000 };

/* In the kernel: @places innermost first, ended by 0. */
static void put_stack(struct log_writer *log, uint32_t pmc, int pid, uint64_t period, uint64_t time,
		      const uint64_t *places)
{
	struct hwpmc_log_sample *sample = log_build(&sample_build, HWPMC_LOG_SAMPLE,
						    sizeof(*sample), time);
	uint64_t chain[8];
	unsigned int depth = 0;

	sample->h.id = pmc;
	sample->h.cpu = pmc - 1;
	sample->pid = pid;
	sample->tid = pid;
	sample->period = period;
	sample->pc = KERNEL + places[0];
	while (places[1 + depth]) {
		/* It returns to the first byte of what comes next: the call was before. */
		chain[depth] = KERNEL + places[1 + depth] + 0x1000;
		depth++;
	}
	sample->chain_kernel = (__u16)depth;
	if (depth)
		sample->chain_offset = (__u16)log_build_bytes(&sample_build, chain,
							       depth * sizeof(*chain));
	log_put(log, sample, sample_build.length);
}

static void put_troubles(struct log_writer *log, uint64_t time)
{
	struct hwpmc_log_drop *drop = log_build(&sample_build, HWPMC_LOG_DROP, sizeof(*drop), time);
	struct hwpmc_log_throttle *throttle;

	drop->h.id = 1;
	drop->lost = 5;
	drop->events = 5000;
	log_put(log, drop, sample_build.length);
	throttle = log_build(&sample_build, HWPMC_LOG_THROTTLE, sizeof(*throttle), time);
	throttle->h.id = 2;
	throttle->h.flags = HWPMC_THROTTLE_ON;
	log_put(log, throttle, sample_build.length);
}

static void put_names(struct log_writer *log)
{
	log_put_event(log, 1, "cycles");
	log_put_event(log, 2, "cycles");
	log_put_event(log, 3, "instructions");
	log_put_ksym(log, (uint64_t)clock_now(), KERNEL + MAIN_LOOP, "main_loop");
	log_put_ksym(log, (uint64_t)clock_now(), KERNEL + LESS, ODD);
	log_put_ksym(log, (uint64_t)clock_now(), KERNEL + LEAF, "leaf");
	log_put_ksym(log, (uint64_t)clock_now(), KERNEL + OTHER, "other [mod]");
}

static void put_log(struct log_writer *log)
{
	uint64_t t = (uint64_t)1 << 40;

	log_put_initialize(log, 4, 0);
	log_put_system(log, "pmctl record -- prog");
	put_names(log);
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "sh", t);
	put_sample_task(log, HWPMC_LOG_PROCESS, 101, 0, "we\"ird,<x>", t);
	put_stack(log, 1, 100, 600, t + 1, (uint64_t[]){ LEAF + 4, LESS, MAIN_LOOP, 0 });
	put_stack(log, 2, 101, 300, t + 2, (uint64_t[]){ LESS + 4, MAIN_LOOP, 0 });
	put_stack(log, 1, 100, 100, t + 3, (uint64_t[]){ LEAF + 4, LEAF, MAIN_LOOP, 0 });
	put_stack(log, 3, 100, 50, t + 4, (uint64_t[]){ OTHER + 4, 0 });
	put_troubles(log, t + 5);
}

static void write_log(void (*put)(struct log_writer *log))
{
	struct log_writer log;

	if (log_create(&log, log_path, false))
		abort();
	put(&log);
	if (log_finish(&log))
		abort();
}

/* --- Running */

static char *contents(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = xcalloc(1, 1 << 20);

	if (file) {
		text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
		fclose(file);
	}
	return text;
}

static void child(int count, char **words) __attribute__((noreturn));

static void child(int count, char **words)
{
	int result;

	if (!freopen(out_path, "w", stdout) || !freopen(err_path, "w", stderr))
		_exit(99);
	result = cmd_report(count, words);
	fflush(NULL);
	_exit(result);
}

/* Runs pmctl report with these words, ended by NULL; its status. */
static int report(const char *first, ...)
{
	char *words[WORDS + 1] = { (char *)"report" };
	int count = 1, status;
	va_list args;
	pid_t pid;

	va_start(args, first);
	for (const char *word = first; word && count < WORDS; word = va_arg(args, const char *))
		words[count++] = (char *)word;
	va_end(args);
	fflush(stdout);
	pid = fork();
	if (!pid)
		child(count, words);
	waitpid(pid, &status, 0);
	free(printed);
	free(complained);
	printed = contents(out_path);
	complained = contents(err_path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int says(const char *text)
{
	int found = !!strstr(printed, text);

	if (!found)
		printf("# no '%s' in:\n# %s\n", text, printed);
	return found;
}

/* --- What is checked */

static void flat(void)
{
	check(!report("-i", log_path, "-x", ",", "-s", "symbol", NULL), "a report");
	check_text(printed,
		   "event,percent,events,samples,symbol\r\n"
		   "cycles,70.0000,700,2,leaf\r\n"
		   "cycles,30.0000,300,1,\"less<a, b>::go \"\"x\"\" & y\"\r\n"
		   "instructions,100.0000,50,1,other\r\n",
		   "CSV: weighted, sorted, quoted, one event on two CPUs is one");
	report("-i", log_path, "-x", ",", "-s", "comm,pid,cpu", "--event", "cycles", NULL);
	check_text(printed,
		   "event,percent,events,samples,comm,pid,cpu\r\n"
		   "cycles,70.0000,700,2,sh,100,0\r\n"
		   "cycles,30.0000,300,1,\"we\"\"ird,<x>\",101,1\r\n",
		   "by task and CPU, in the order asked for");
	report("-i", log_path, "-x", ";", "-s", "dso", NULL);
	check_text(printed,
		   "event;percent;events;samples;dso\r\n"
		   "cycles;100.0000;1000;3;[kernel]\r\n"
		   "instructions;100.0000;50;1;[mod]\r\n",
		   "by object: a module is one of its own");
	report("-i", log_path, "-x", ",", "-s", "symbol", "--percent-limit", "50", NULL);
	check_text(printed,
		   "event,percent,events,samples,symbol\r\n"
		   "cycles,70.0000,700,2,leaf\r\n"
		   "instructions,100.0000,50,1,other\r\n", "--percent-limit");
}

static void children(void)
{
	report("-i", log_path, "-x", ",", "-s", "symbol", "--children", "--event", "cycles", NULL);
	check_text(printed,
		   "event,percent,events,samples,total-percent,total-events,total-samples,symbol\r\n"
		   "cycles,0.0000,0,0,100.0000,1000,3,main_loop\r\n"
		   "cycles,30.0000,300,1,90.0000,900,2,\"less<a, b>::go \"\"x\"\" & y\"\r\n"
		   "cycles,70.0000,700,2,70.0000,700,2,leaf\r\n",
		   "--children: who calls itself counts once");
}

static void filters(void)
{
	report("-i", log_path, "-x", ",", "-s", "symbol", "--comm", "we*", NULL);
	check(says("cycles,30.0000,300,1,") && !strstr(printed, "leaf"), "--comm");
	report("-i", log_path, "-x", ",", "-s", "symbol", "--pid", "100", "--cpu", "0", NULL);
	check(says("cycles,70.0000,700,2,leaf\r\n") && !strstr(printed, "less"), "--pid and --cpu");
	report("-i", log_path, "-x", ",", "-s", "symbol", "--tid", "7", NULL);
	check(!strchr(printed, '7'), "--tid of nobody");
	report("-i", log_path, "-x", ",", "-s", "symbol", "--dso", "[mod]", NULL);
	check(says("instructions,100.0000,50,1,other\r\n") && !strstr(printed, "leaf"), "--dso");
	report("-i", log_path, "-x", ",", "-s", "symbol", "--symbol", ODD, NULL);
	check(says("cycles,30.0000,300,1,") && !strstr(printed, "leaf"), "--symbol");
	report("-i", log_path, "--folded", "--symbol", "less*", NULL);
	check(says(";leaf_[k] 600\n") && !strstr(printed, " 100\n"),
	      "--symbol of stacks: whoever was called by it");
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

static void stacks(void)
{
	report("-i", log_path, "--folded", NULL);
	check_text(printed,
		   "sh;main_loop_[k];" ODD "_[k];leaf_[k] 600\n"
		   "we\"ird,<x>;main_loop_[k];" ODD "_[k] 300\n"
		   "sh;main_loop_[k];leaf_[k];leaf_[k] 100\n", "folded stacks");
	check(strstr(complained, "event 'cycles' only"), "of one event, and that is said");
	report("-i", log_path, "--folded", "--event", "instructions", NULL);
	check_text(printed, "sh;other_[k] 50\n", "or of the other");
}

static int count(const char *in, const char *what)
{
	int found = 0;

	for (const char *at = in; (at = strstr(at, what)); at++)
		found++;
	return found;
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
	check(count(svg, "<g data-x=") == 10, "a box for each frame");
	check(count(svg, "<g") == count(svg, "</g>") && count(svg, "<text") == count(svg, "</text>"),
	      "all are closed");
	check(!strstr(svg, "href") && !strstr(svg, "url(") && !strstr(svg, "@import"),
	      "nothing comes from elsewhere");
	check(strstr(svg, "addEventListener(\"keydown\""), "with its script");
	check(report("-i", log_path, "--flamegraph", "/nowhere/at/all.svg", NULL) == 125,
	      "one that cannot be written");
	free(svg);
	close(fd);
	unlink(svg_path);
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

static void cut_log(off_t by)
{
	int fd = open(log_path, O_RDWR | O_CLOEXEC);

	if (ftruncate(fd, lseek(fd, 0, SEEK_END) - by))
		abort();
	close(fd);
}

static void put_nothing(struct log_writer *log)
{
	log_put_initialize(log, 4, 0);
}

static void bad_logs(void)
{
	int fd;

	check(report("-i", "/tmp/pmctl-not-there", NULL) == 125, "no log");
	check(strstr(complained, "run 'pmctl record' first"), "says what to do");
	/* CLOSE is the last one, a THROTTLE before it. */
	cut_log(sizeof(struct hwpmc_log_header) + 8);
	check(report("-i", log_path, "-s", "symbol", NULL) == 1, "a log that was cut");
	check(says("70.00%  [k] leaf"), "is told as far as it goes");
	check(strstr(complained, "cut off: it ends in the record that begins at byte"),
	      "and where that is");
	write_log(put_log);
	cut_log(sizeof(struct hwpmc_log_header));
	check(report("-i", log_path, NULL) == 0 && strstr(complained, "has no end"),
	      "a log that is still written");
	write_log(put_nothing);
	check(report("-i", log_path, NULL) == 125 && strstr(complained, "no samples"),
	      "a log without samples");
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
	check(report(log_path, "-gcallees", NULL) == 0 && says("100.00%"), "a log without -i");
	check(report(log_path, log_path, NULL) == 125, "two logs");
	check(report("--nonsense", NULL) == 125 && count(complained, "\n") == 1, "no such option");
}

static void letters(void)
{
	char *clean = utf8_clean("a\x1b[31m\xff\xc3\xa9\xed\xa0\x80");

	check_text(clean, "a?[31m?\xc3\xa9???", "what is no UTF-8, and what speaks to terminals");
	free(clean);
}

static char *temporary(void)
{
	char *path = xstrdup("/tmp/pmctl-profile-XXXXXX");
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	return path;
}

static void discard(char *path)
{
	unlink(path);
	free(path);
}

int main(void)
{
	log_path = temporary();
	out_path = temporary();
	err_path = temporary();
	write_log(put_log);
	flat();
	children();
	filters();
	text();
	stacks();
	picture();
	json();
	bad_logs();
	words();
	letters();
	discard(log_path);
	discard(out_path);
	discard(err_path);
	free(printed);
	free(complained);
	return check_result();
}
