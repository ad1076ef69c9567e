// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer's target for logs: each command that reads a log, in each of its formats, must access
 * only valid memory, whatever the bytes are. Each input is read twice: unchanged, and with an
 * INITIALIZE record before it if it does not begin with one. Its last byte selects the command.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "commands/command.h"
#include "log/log_record.h"
#include "probes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WORDS_MAX	24	/* on a command line */

/* How many logs a command line ends with; NONE: the log is the value of -i. */
enum logs { NONE, ONE, TWO };

static const struct {
	const struct command *command;
	enum logs logs;
	const char *words[WORDS_MAX - 4];
} lines[] = {
	{ &report_command, ONE, { "report", "-s", "comm,pid,tid,dso,symbol,srcline,cpu", "-n" } },
	{ &report_command, ONE, { "report", "-g", "--children", "--inline" } },
	{ &report_command, ONE, { "report", "-g", "callees,0", "--by-address", "--comm", "[a-z]*",
				  "--dso", "[kernel],*", "--symbol", "*", "--percent-limit", "1",
				  "-C", "0-3", "--time", "1,2000" } },
	{ &report_command, ONE, { "report", "-x,", "-s", "symbol,dso,srcline", "--pid", "100" } },
	{ &report_command, ONE, { "report", "-j", "-g", "--event", "cycles" } },
	{ &report_command, ONE, { "report", "--folded" } },
	{ &report_command, ONE, { "report", "--flamegraph", "/dev/null" } },
	{ &annotate_command, NONE, { "annotate", "-n" } },
	{ &annotate_command, NONE, { "annotate", "-x," } },
	{ &annotate_command, NONE, { "annotate", "-j" } },
	{ &diff_command, TWO, { "diff", "-s", "symbol,dso,comm,pid,tid,srcline,cpu" } },
	{ &diff_command, TWO, { "diff", "-x," } },
	{ &diff_command, TWO, { "diff", "-j", "--by-address" } },
	{ &diff_command, TWO, { "diff", "--flamegraph", "/dev/null" } },
	{ &script_command, ONE, { "script", "-S" } },
	{ &script_command, ONE, { "script", "-j" } },
	{ &script_command, ONE, { "script", "-u", "--comm", "[a-z]*", "-C", "0-3", "--time", "1,2000" } },
	{ &script_command, ONE, { "script", "-F",
				  "comm,tid,pid,time,cpu,period,event,ip,sym,symoff,dso,dsoff" } },
};

#define LINES	(sizeof(lines) / sizeof(lines[0]))
#define PROBES	4	/* pmctl probe reads no log: its output functions are called directly */

/* A log in memory, and its name. */
struct file {
	int fd;
	char path[32];
};

/*
 * The first half of the log, and the log. All inputs use the same files, since creating files takes
 * longer than reading them.
 */
static struct file files[2];

static void fill(struct file *file, const void *head, size_t head_size, const uint8_t *data,
		 size_t size)
{
	if (!file->fd) {
		file->fd = memfd_create("log", MFD_CLOEXEC);
		snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
	}
	if (ftruncate(file->fd, 0) ||
	    pwrite(file->fd, head, head_size, 0) != (ssize_t)head_size ||
	    pwrite(file->fd, data, size, (off_t)head_size) != (ssize_t)size)
		abort();
}

static const struct hwpmc_log_initialize start = {
	.h = { .type = HWPMC_LOG_INITIALIZE, .length = sizeof(start) },
	.magic = HWPMC_LOG_MAGIC,
	.version = HWPMC_LOG_VERSION,
};

/* A reader ends at a second INITIALIZE, where another log begins. */
static void fill_started(struct file *file, const uint8_t *data, size_t size)
{
	const size_t tag = sizeof(start.h.type);
	bool begins = size >= tag && !memcmp(data, &start.h.type, tag);

	fill(file, &start, begins ? 0 : sizeof(start), data, size);
}

static void run_line(const struct command *command, enum logs logs, const char *const *line)
{
	const char *const inputs[] = { "-i", files[1].path, "--symfs", ROOT };
	char *words[WORDS_MAX + 1] = { NULL };
	int count = 0;

	while (*line)
		words[count++] = (char *)*line++;
	for (unsigned int i = logs ? 2 : 0; i < 4; i++)
		words[count++] = (char *)inputs[i];
	for (unsigned int i = 2 - logs; i < 2; i++)
		words[count++] = files[i].path;
	command->run(count, words);
}

static void run(unsigned int number)
{
	if (number < LINES)
		run_line(lines[number].command, lines[number].logs, lines[number].words);
	else
		probes_print(files[1].path, number & 1, number & 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The last byte selects the command; a log does not need it. */
	unsigned int choice = size ? data[size - 1] : 0;

	/* The messages of the fuzzer itself go to another stream. */
	if (!files[0].fd) {
		stdout = fopen("/dev/null", "we");
		stderr = stdout;
	}
	fill(&files[0], "", 0, data, size / 2);
	fill(&files[1], "", 0, data, size);
	run(choice % (LINES + PROBES));
	fill_started(&files[0], data, size / 2);
	fill_started(&files[1], data, size);
	run(choice % (LINES + PROBES));
	return 0;
}
