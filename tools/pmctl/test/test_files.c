// SPDX-License-Identifier: GPL-2.0-only
/* Samples in files of reused process ids and in more files than may be open; a log in a FIFO. */
#include <sys/resource.h>

#include "base/memory.h"
#include "check.h"
#include "fixture.h"
#include "report_log.h"

#define FILES	40
#define FEW	24	/* limit of open files, less than FILES */

static unsigned long place;

static void put_user_sample(struct log_writer *log, uint64_t pc, uint64_t time)
{
	struct hwpmc_log_sample *sample = log_build(&sample_build, HWPMC_LOG_SAMPLE,
						    sizeof(*sample), time);

	sample->h.id = 1;
	sample->h.flags = HWPMC_SAMPLE_USER;
	sample->pid = 100;
	sample->tid = 100;
	sample->period = 10;
	sample->pc = pc;
	log_write_records(log, sample, sample_build.length);
}

static void put_files(struct log_writer *log)
{
	uint64_t time = 1;
	char path[32];

	log_write_initialize(log, 4, 0);
	log_write_event(log, 1, "cycles");
	for (uint64_t i = 1; i <= FILES; i++) {
		snprintf(path, sizeof(path), "/%u", (unsigned int)i);
		put_sample_map(log, HWPMC_LOG_MAP_IN, 100, i << 24, 1 << 20, path, time++);
		put_user_sample(log, (i << 24) + place - SAMPLE_MAP_OFFSET, time++);
	}
}

/* A reused process id: the maps of the new process were not logged. */
static void put_reused(struct log_writer *log)
{
	log_write_initialize(log, 4, 0);
	log_write_event(log, 1, "cycles");
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "one", 1);
	put_sample_map(log, HWPMC_LOG_MAP_IN, 100, 0x400000, 0x1000, "/nowhere/one", 2);
	put_user_sample(log, 0x400010, 3);
	put_sample_task(log, HWPMC_LOG_EXIT, 100, 0, "one", 4);
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "other", 5);
	put_user_sample(log, 0x400010, 6);
}

static void reused(void)
{
	write_log(put_reused);
	report("-i", log_path, "-x", ",", "-s", "comm,dso", NULL);
	check(says(",one,/nowhere/one\n") && says(",other,[unknown]\n"), "a process id used again");
}

/* Ends a report that hangs. */
static int report_soon(int argc, char **argv)
{
	alarm(20);
	return cmd_report(argc, argv);
}

/* A FIFO is not opened a second time to read build-ids. */
static void fifo(void)
{
	unsigned char *bytes;
	size_t size;
	pid_t pid;
	int fd;

	bytes = sample_log(put_sample_log, false, &size);
	if (unlink(log_path) || mkfifo(log_path, 0600))
		abort();
	pid = fork();
	if (!pid) {
		fd = open(log_path, O_WRONLY | O_CLOEXEC);
		_exit(write(fd, bytes, size) != (ssize_t)size);
	}
	command = report_soon;
	check(!report("-i", log_path, "-x", ",", "-s", "comm", NULL) && says(",sh\n"),
	      "a log in a FIFO, with stacks");
	command = cmd_report;
	waitpid(pid, NULL, 0);
	unlink(log_path);
	free(bytes);
}

static void put_compiled(struct log_writer *log)
{
	log_write_initialize(log, 4, 0);
	log_write_event(log, 1, "cycles");
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "java", 1);
	put_sample_map(log, HWPMC_LOG_MAP_IN, 100, 0x400000, 0x1000, "//anon", 2);
	put_user_sample(log, 0x400010, 3);
}

/* /tmp/perf-PID.map is trusted if root or the caller owns it. */
static void compiled(const char *root)
{
	char *tmp = xasprintf("%s/tmp", root), *path = xasprintf("%s/perf-100.map", tmp);
	FILE *map;

	mkdir(tmp, 0700);
	map = fopen(path, "w");
	if (!map)
		abort();
	fputs("400000 100 compiled\n", map);
	fclose(map);
	write_log(put_compiled);
	report("-i", log_path, "--symfs", root, "-x", ",", "-s", "symbol", NULL);
	check(says(",compiled\n") && !*complained, "code that was compiled as it ran");
	if (chown(path, 12345, (gid_t)-1)) {
		printf("ok - # SKIP only root can have a file of another user\n");
	} else {
		report("-i", log_path, "--symfs", root, "-x", ",", "-s", "symbol", NULL);
		check(says(",[anon]\n"), "a map of another user is not believed");
		check(strstr(complained, path) && strstr(complained, "chown"),
		      "and that is said, with what to do");
	}
	unlink(path);
	rmdir(tmp);
	free(path);
	free(tmp);
}

/* Two places of one file that is missing, one of a second: 30, 20 and 10 events. */
static void put_nameless(struct log_writer *log)
{
	log_write_initialize(log, 4, 0);
	log_write_event(log, 1, "cycles");
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "sh", 1);
	put_sample_map(log, HWPMC_LOG_MAP_IN, 100, 0x400000, 0x1000, "/nowhere/busybox", 2);
	put_sample_map(log, HWPMC_LOG_MAP_IN, 100, 0x500000, 0x1000, "/nowhere/libc.so", 2);
	for (uint64_t i = 0; i < 3; i++)
		put_user_sample(log, 0x400010 + i, 3);
	put_user_sample(log, 0x500010, 4);
}

/* Places without a symbol are one line for each file. */
static void nameless(void)
{
	write_log(put_nameless);
	report("-i", log_path, "-x", ",", "-s", "symbol", NULL);
	check_text(printed, "event,percent,events,samples,symbol\n"
			    "cycles,75.0000,30,3,[busybox]\n"
			    "cycles,25.0000,10,1,[libc.so]\n", "addresses of a file are one line");
	check(strstr(complained, "[file]") && strstr(complained, "--by-address"),
	      "and the note names the option that separates them");
	report("-i", log_path, "-x", ",", "-s", "symbol", "--by-address", NULL);
	check(says(",busybox+0x1010\n") && says(",busybox+0x1012\n") && says(",libc.so+0x1010\n"),
	      "with --by-address each is a line");
	report("-i", log_path, "--folded", NULL);
	check_text(printed, "sh;[busybox] 30\nsh;[libc.so] 10\n", "stacks merge them");
	report("-i", log_path, "--folded", "--by-address", NULL);
	check(count(printed, "\n") == 4, "or not");
}

static void put_library(struct log_writer *log)
{
	log_write_initialize(log, 4, 0);
	log_write_event(log, 1, "cycles");
	put_sample_map(log, HWPMC_LOG_MAP_IN, 100, 0x400000, 1 << 20, "/libx.so.1", 1);
	put_user_sample(log, 0x400000 + place - SAMPLE_MAP_OFFSET, 2);
	put_sample_map(log, HWPMC_LOG_MAP_IN, 100, 0x800000, 1 << 20, "/1", 3);
	put_user_sample(log, 0x800000 + place - SAMPLE_MAP_OFFSET, 4);
}

/* Functions of libraries have a colour of their own. */
static void library(const char *root)
{
	char *path = xasprintf("%s/libx.so.1", root), *target = fixture("pie"), *found;
	int hue = 0, other = 0;

	if (symlink(target, path))
		abort();
	write_log(put_library);
	report("-i", log_path, "--symfs", root, "--flamegraph", "-", NULL);
	found = strstr(printed, "leaf_function (libx.so.1)");
	if (found)
		sscanf(strstr(found, "hsl("), "hsl(%d", &hue);
	found = strstr(printed, "leaf_function (1)");
	if (found)
		sscanf(strstr(found, "hsl("), "hsl(%d", &other);
	check(hue >= 135 && hue < 159 && other >= 8 && other < 40 && says(">library<"),
	      "a library differs from the program by its colour");
	unlink(path);
	free(target);
	free(path);
}

static void put_inlined(struct log_writer *log)
{
	char *path = fixture("pie");

	log_write_initialize(log, 4, 0);
	log_write_event(log, 1, "cycles");
	put_sample_map(log, HWPMC_LOG_MAP_IN, 100, 0x400000, 1 << 20, path, 1);
	put_user_sample(log, 0x400000 + fixture_place("pie", "inlined_function") -
			SAMPLE_MAP_OFFSET, 2);
	free(path);
}

/* As perf does, only call graphs and stacks show inlined functions. */
static void inlined(void)
{
	write_log(put_inlined);
	report("-i", log_path, "-s", "symbol", NULL);
	check(says("100.00%  [.] outer_function\n") && !strstr(printed, "inline"),
	      "an inlined function counts for the one around it");
	report("-i", log_path, "-s", "symbol", "--inline", NULL);
	check(says("100.00%  [.] inlined_function\n") && says("# inlined functions have their own lines"),
	      "with --inline it has a line, and the head says so");
	report("-i", log_path, "-s", "symbol", "-g", NULL);
	check(says("100.00%  [.] inlined_function\n") && says("outer_function\n"), "with -g too");
	report("-i", log_path, "--folded", NULL);
	check(says("outer_function;inlined_function_[i] 10\n"), "and in stacks");
	report("-i", log_path, "-s", "symbol", "-g", "--no-inline", NULL);
	check(says("100.00%  [.] outer_function\n") && !strstr(printed, "inline"),
	      "but not with --no-inline");
}

/* Two samples in a function of a program, on two CPUs and at two times. */
static void put_script(struct log_writer *log)
{
	struct hwpmc_log_sample *sample;
	char *path = fixture("pie");

	log_write_initialize(log, 4, 0);
	log_write_event(log, 1, "cycles");
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "sh", 1);
	put_sample_task(log, HWPMC_LOG_PROCESS, 101, 0, "make", 1);
	put_sample_map(log, HWPMC_LOG_MAP_IN, 100, 0x400000, 1 << 20, path, 2);
	put_user_sample(log, 0x400000 + place - SAMPLE_MAP_OFFSET, 9000001500000000);
	sample = log_build(&sample_build, HWPMC_LOG_SAMPLE, sizeof(*sample), 9000002000000000);
	sample->h.id = 1;
	sample->h.cpu = 3;
	sample->pid = 101;
	sample->tid = 101;
	sample->period = 20;
	log_write_records(log, sample, sample_build.length);
	free(path);
}

static int script_of(int argc, char **argv)
{
	return script_command.run(argc, argv);
}

/* pmctl script as perf script. */
static void script(void)
{
	char *path = fixture("pie"), *wanted, *line;

	command = script_of;
	write_log(put_script);
	report("-i", log_path, NULL);
	wanted = xasprintf(" at=leaf_function+0x0 (%s)\n", path);
	check(says(wanted), "script names functions of programs");
	report("-i", log_path, "-F", "comm,tid,cpu,time,period,event,ip,sym,symoff,dso", NULL);
	line = xasprintf("              sh     100 [000] 9000001.500000:         10 cycles: "
			 "%16lx leaf_function+0x0 (%s)\n"
			 "            make     101 [003] 9000002.000000:         20 cycles: "
			 "               0 [unknown] ([unknown])\n", 0x400000 + place - SAMPLE_MAP_OFFSET,
			 path);
	check_text(printed, line, "-F: samples in perf's format");
	free(line);
	report("-i", log_path, "-F", "dso,dsoff", NULL);
	line = xasprintf(" (%s+0x%lx)\n ([unknown])\n", path, place);
	check_text(printed, line, "dsoff: the offset in the file");
	report("-i", log_path, "-F", "comm", "--comm", "ma*", NULL);
	check_text(printed, "            make \n", "--comm");
	report("-i", log_path, "-F", "sym", "-C", "0-2", NULL);
	check_text(printed, " leaf_function\n", "-C");
	report("-i", log_path, "-F", "pid", "--time", "9000001.6,", NULL);
	check_text(printed, "    101 \n", "--time from");
	report("-i", log_path, "-F", "pid", "--time", ",9000001.5", NULL);
	check_text(printed, "    100 \n", "--time until");
	report("-i", log_path, "--comm", "sh", NULL);
	check(says(" SAMPLE ") && says(" MAP_IN ") && !strstr(printed, "INITIALIZE") &&
	      !strstr(printed, "make"), "--comm without -F: the records of these tasks");
	check(report("-i", log_path, "-F", "colour", NULL) == 125 &&
	      strstr(complained, "'colour'; choose from comm"), "a field that is none");
	check(report("-i", log_path, "--time", "2,1", NULL) == 125 &&
	      report("-i", log_path, "--time", "x", NULL) == 125 &&
	      strstr(complained, "such as 12.5,13"), "a time that is none");
	command = cmd_report;
	report("-i", log_path, "-x", ",", "-s", "comm", "--time", "9000001,9000001.9", NULL);
	check(says(",sh\n") && !strstr(printed, "make"), "report --time");
	free(line);
	free(wanted);
	free(path);
}

static void link_files(const char *root, bool make)
{
	char *target = fixture("pie");

	for (unsigned int i = 1; i <= FILES; i++) {
		char *path = xasprintf("%s/%u", root, i);

		if (make ? symlink(target, path) : unlink(path))
			abort();
		free(path);
	}
	free(target);
}

static void limit_files(rlim_t soft, rlim_t hard)
{
	if (setrlimit(RLIMIT_NOFILE, &(struct rlimit){ soft, hard }))
		abort();
}

int main(void)
{
	char root[] = "/tmp/pmctl-files-XXXXXX";
	struct rlimit found;

	fixtures_begin();
	place = fixture_place("pie", "leaf_function");
	getrlimit(RLIMIT_NOFILE, &found);
	if (!mkdtemp(root))
		abort();
	link_files(root, true);
	report_begin();
	reused();
	fifo();
	compiled(root);
	inlined();
	nameless();
	script();
	library(root);
	write_log(put_files);
	limit_files(FEW, found.rlim_max);
	report("-i", log_path, "--symfs", root, "-x", ",", "-s", "dso,symbol", NULL);
	check(count(printed, ",leaf_function\n") == FILES, "more files than the soft limit");
	check_text(complained, "", "are no problem");
	limit_files(FEW, FEW);
	report("-i", log_path, "--symfs", root, "-x", ",", "-s", "dso,symbol", NULL);
	check(count(printed, ",leaf_function\n") < FILES, "more than the hard one");
	check(strstr(complained, "too many files are open"), "and a note names the limit");
	report_end();
	link_files(root, false);
	rmdir(root);
	return check_result();
}
