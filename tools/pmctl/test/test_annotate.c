// SPDX-License-Identifier: GPL-2.0-only
/* The output of pmctl annotate for functions of the fixtures. */
#include <jansson.h>

#include "check.h"
#include "fixture.h"
#include "report_log.h"

#define BASE	0x400000UL	/* where the program is mapped */

static unsigned long spin, hot, leaf, call;
static const char *program = "pie";

static int cmd_annotate(int argc, char **argv)
{
	return annotate_command.run(argc, argv);
}

/* --- Logs */

static void put_at(struct log_writer *log, uint32_t pmc, uint64_t pc, uint64_t period,
		   unsigned int flags)
{
	static uint64_t time = (uint64_t)1 << 41;
	struct hwpmc_log_sample *sample = log_build(&sample_build, HWPMC_LOG_SAMPLE,
						    sizeof(*sample), time++);

	sample->h.id = pmc;
	sample->h.flags = (__u16)flags;
	sample->pid = 100;
	sample->tid = 100;
	sample->period = period;
	sample->pc = pc;
	log_write_records(log, sample, sample_build.length);
}

static void put_user(struct log_writer *log, uint32_t pmc, unsigned long offset, uint64_t period)
{
	put_at(log, pmc, BASE + offset - SAMPLE_MAP_OFFSET, period, HWPMC_SAMPLE_USER);
}

static void put_begin(struct log_writer *log)
{
	char *path = fixture(program);
	uint64_t time = (uint64_t)1 << 40;

	log_write_initialize(log, 4, 0);
	log_write_system(log, "pmctl record -- prog");
	log_write_event(log, 1, "cycles");
	log_write_event(log, 2, "cycles");
	log_write_event(log, 3, "instructions");
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "prog", time);
	put_sample_map(log, HWPMC_LOG_MAP_IN, 100, BASE, 0x100000, path, time);
	free(path);
}

static void put_program(struct log_writer *log)
{
	put_begin(log);
	put_user(log, 1, spin, 100);
	put_user(log, 1, hot, 600);
	/* Another PMC of the same event. */
	put_user(log, 2, hot, 50);
	/* In the middle of the call instruction. */
	put_user(log, 1, call, 200);
	/* Not mapped. */
	put_at(log, 1, 0x10, 50, HWPMC_SAMPLE_USER);
	put_user(log, 3, hot, 30);
	put_user(log, 3, leaf, 70);
}

/* The kernel is the fixture vmlinux; its _stext is leaf_function. */
static void put_kernel(struct log_writer *log)
{
	put_begin(log);
	log_write_ksym(log, 1, KERNEL, "_stext");
	log_write_ksym(log, 1, KERNEL + spin - leaf, "spin_function");
	log_write_ksym(log, 1, KERNEL + hot - leaf + 16, "after");
	log_write_ksym(log, 1, KERNEL + 0x100000, "module_function [mod]");
	put_at(log, 1, KERNEL + hot - leaf, 300, 0);
	put_at(log, 1, KERNEL + 0x100000, 100, 0);
}

static void put_other_kernel(struct log_writer *log)
{
	put_kernel(log);
	log_write_build_id(log, "[kernel]", "0123456789abcdef0123", 20);
}

static void put_nameless(struct log_writer *log)
{
	put_begin(log);
	put_at(log, 1, 0x10, 50, HWPMC_SAMPLE_USER);
}

/* --- What is printed */

/* Returns the line of the output with an address, after the bar. */
static const char *line_at(unsigned long address)
{
	static char line[512];
	char *mark = xasprintf("| %lx: ", address), *found = strstr(printed, mark);
	char *begin = found;

	free(mark);
	while (begin && begin > printed && begin[-1] != '\n')
		begin--;
	snprintf(line, sizeof(line), "%.*s", begin ? (int)strcspn(begin, "\n") : 0,
		 begin ? begin : "");
	if (!begin)
		printf("# no line of %lx in:\n# %s\n", address, printed);
	return line;
}

static bool has(unsigned long address, const char *text)
{
	const char *line = line_at(address);
	bool found = strstr(line, text);

	if (!found)
		printf("# no '%s' in: %s\n", text, line);
	return found;
}

static void text(void)
{
	char *wanted;

	check(!report("-i", log_path, "spin_function", "--event", "cycles", NULL), "a function");
	check(says("# command: pmctl record -- prog\n"), "the command");
	check(says("\n# event 'cycles': 750 of 1,000 events (75.00%), 3 samples\n"),
	      "its share of all events");
	check(has(spin, "   13.33% | "), "its first instruction");
	check(has(hot, "   86.67% | "), "its hottest: two PMCs of an event are one");
	check(has(hot, ",->  nop"), "the target of the jump back");
	check(count(printed, "`--  ") == 1, "the jump");
	check(count(printed, "% | ") == 2, "no other instruction has a share");
	check(says("prog.c:") && says("} while (--count);\n"), "the source between");
	check(!strstr(printed, "outer_function"), "nothing of another function");
	report("-i", log_path, "spin_function", "--no-source", NULL);
	check(!strstr(printed, "prog.c"), "--no-source");
	check(says("  cycles instructions\n") && has(hot, "   86.67%      100.00% | "),
	      "two events side by side");
	report("-i", log_path, "spin_function", "-n", "--event", "instructions", NULL);
	check(has(hot, "  100.00%         1 | "), "-n");
	report("-i", log_path, "spin_function", "-q", NULL);
	check(!strchr(printed, '#') || !strstr(printed, "\n#"), "-q");
	report("-i", log_path, "-s", "outer_*", "-d", "pie", NULL);
	wanted = xasprintf(" <leaf_function>\n");
	check(says("inlined inlined_function)") && says("  100.00% | ") && says(wanted),
	      "a sample in the middle of a call, which is inlined");
	free(wanted);
}

static void choice(void)
{
	check(!report("-i", log_path, NULL) && count(printed, "# event 'cycles'") == 1 &&
	      says("# spin_function of "), "without a name the hottest function");
	report("-i", log_path, "--event", "instructions", NULL);
	check(says("# leaf_function of ") && !strstr(printed, "spin_function of"),
	      "of the event that is chosen");
	report("-i", log_path, "*_function", NULL);
	check(count(printed, "_function of ") == 3 &&
	      strstr(printed, "spin_function of") < strstr(printed, "leaf_function of"),
	      "a pattern: all that match, the hottest first");
	check(report("-i", log_path, "main", NULL) == 125 &&
	      strstr(complained, "most are in 'spin_function', 'leaf_function', 'outer_function'"),
	      "a function without samples");
	check(report("-i", log_path, "-d", "libc.so.6", NULL) == 125, "a file without samples");
	check(report(log_path, NULL) == 125 && strstr(complained, "give it with -i"),
	      "a log in the place of a function");
	check(report("-i", log_path, "-x", ",", "-j", NULL) == 125, "two formats");
	check(!report("-i", log_path, "spin_function", "--percent-limit", "50", NULL) &&
	      says("% | ") && says(" | ...\n"), "--percent-limit");
	check(!report("-i", log_path, "--stdio", "-l", "-P", "-f", "-v", "--source",
		      "spin_function", NULL), "perf's options");
	write_log(put_nameless);
	check(report("-i", log_path, NULL) == 125 &&
	      strstr(complained, "install the debugging symbols"), "samples without a function");
	write_log(put_program);
}

static void formats(void)
{
	json_t *all, *function, *list, *row = NULL;
	char *wanted, *path = fixture(program);
	unsigned long address = 0;

	report("-i", log_path, "spin_function", "-x", ",", "--percent-limit", "50", NULL);
	wanted = xasprintf("event,percent,events,samples,symbol,dso,address,instruction,target,srcline\n"
			   "cycles,86.6667,650,2,spin_function,%s,0x%lx,nop,,prog.c:", path, hot);
	check(!strncmp(printed, wanted, strlen(wanted)) && count(printed, "\n") == 3, "CSV");
	free(wanted);
	report("-i", log_path, "spin_function", "-j", NULL);
	all = json_loads(printed, 0, NULL);
	function = json_array_get(json_object_get(all, "functions"), 0);
	list = json_object_get(function, "instructions");
	for (size_t i = 0; address != hot && i < json_array_size(list); i++) {
		const char *text;

		row = json_array_get(list, i);
		text = json_string_value(json_object_get(row, "address"));
		address = text ? strtoul(text, NULL, 16) : 0;
	}
	row = json_array_get(json_object_get(row, "counts"), 0);
	check(json_integer_value(json_object_get(row, "events")) == 650, "JSON");
	row = json_array_get(json_object_get(function, "events"), 1);
	check(json_integer_value(json_object_get(row, "events")) == 30, "of two events");
	json_decref(all);
	free(path);
}

/* What the addresses are in the fixtures' file: those of vmlinux differ from their offsets. */
static void kernel(void)
{
	char *vmlinux = fixture("vmlinux");

	program = "vmlinux";
	spin = fixture_place(program, "spin_function");
	hot = fixture_place(program, "spin_hot");
	leaf = fixture_place(program, "leaf_function");
	write_log(put_kernel);
	check(!report("-i", log_path, "spin_function", "-k", vmlinux, NULL), "a kernel's function");
	check(has(KERNEL + hot - leaf, "  100.00% | ") && has(KERNEL + hot - leaf, "nop"),
	      "at the address where it ran");
	check(says("} while (--count);\n"), "with its source");
	check(report("-i", log_path, "module_function", "-k", vmlinux, NULL) == 125 &&
	      strstr(complained, "does not have the code of modules"), "a module's");
	check(report("-i", log_path, "spin_function", NULL) == 125 &&
	      strstr(complained, "-dbg), name the file with --vmlinux"), "no vmlinux");
	write_log(put_other_kernel);
	check(report("-i", log_path, "spin_function", "-k", vmlinux, NULL) == 125 &&
	      strstr(complained, "is of another build of the kernel"), "another vmlinux");
	free(vmlinux);
}

static void other_machine(void)
{
	char *path = xstrdup(getenv("PATH"));

	program = "foreign";
	spin = fixture_place("pie", "spin_function");
	hot = fixture_place("pie", "spin_hot");
	write_log(put_program);
	setenv("PATH", "/nowhere", 1);
	check(report("-i", log_path, "spin_function", NULL) == 125 &&
	      strstr(complained, "-linux-gnu-objdump' is not installed; install the package binutils-"),
	      "a file of another architecture");
	program = "pie";
	write_log(put_program);
	check(report("-i", log_path, "spin_function", NULL) == 125 &&
	      strstr(complained, "'objdump' is not installed; install the package binutils,"),
	      "no objdump");
	setenv("PATH", path, 1);
	check(report("-i", log_path, "spin_function", "--objdump", "nosuch", NULL) == 125 &&
	      strstr(complained, "cannot run 'nosuch' of --objdump"), "no such program");
	free(path);
}

int main(void)
{
	fixtures_begin();
	command = cmd_annotate;
	spin = fixture_place(program, "spin_function");
	hot = fixture_place(program, "spin_hot");
	leaf = fixture_place(program, "leaf_function");
	call = fixture_place(program, "inlined_function");
	report_begin();
	write_log(put_program);
	text();
	choice();
	formats();
	kernel();
	other_machine();
	report_end();
	return check_result();
}
