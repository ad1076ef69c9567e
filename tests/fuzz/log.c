// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer's target for logs: reading, sorting, following, showing, reporting, annotating and
 * comparing any bytes accesses valid memory only. Each input is read twice: unchanged, and with a
 * valid INITIALIZE before it, if it does not begin with one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "commands/script.h"
#include "log/log_merge.h"
#include "reports.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere;
static int memory[2] = { -1, -1 };

/* Two files for all runs: creating one takes longer than reading it. */
static int file_of(unsigned int which, const void *head, size_t head_size, const uint8_t *data,
		   size_t size)
{
	int *fd = &memory[which];

	if (*fd < 0)
		*fd = memfd_create("log", MFD_CLOEXEC);
	if (ftruncate(*fd, 0) || pwrite(*fd, head, head_size, 0) != (ssize_t)head_size ||
	    pwrite(*fd, data, size, (off_t)head_size) != (ssize_t)size)
		abort();
	lseek(*fd, 0, SEEK_SET);
	return dup(*fd);
}

static void show_all(struct log_reader *log, bool json)
{
	struct script script = { .out = nowhere, .json = json };
	const struct hwpmc_log_header *record;
	struct log_merge merge;

	processes_init(&script.processes);
	log_merge_open(&merge, log, 4096);
	while ((record = log_merge_next(&merge)))
		script_show(&script, record);
	log_merge_close(&merge);
	for (size_t i = 0; i < script.name_count; i++)
		free(script.names[i].name);
	free(script.names);
	processes_free(&script.processes);
}

enum way { AS_TEXT, AS_JSON, AS_REPORT, AS_ANNOTATE, WAYS };

/* @format: any number. */
static void read_all(int fd, enum way way, unsigned int format)
{
	struct log_reader log;
	char why[512];

	if (log_read_open_fd(&log, fd, "log", why, sizeof(why)))
		return;
	if (way == AS_REPORT)
		reports_report(&log, format, nowhere);
	else if (way == AS_ANNOTATE)
		reports_annotate(&log, format, nowhere);
	else
		show_all(&log, way == AS_JSON);
	log_read_problem(&log, why, sizeof(why));
	log_read_close(&log);
}

static const struct hwpmc_log_initialize start = {
	.h = { .type = HWPMC_LOG_INITIALIZE, .length = sizeof(start) },
	.magic = HWPMC_LOG_MAGIC,
	.version = HWPMC_LOG_VERSION,
};

/* A reader ends at a second INITIALIZE: another log begins there. */
static int started(unsigned int which, const uint8_t *data, size_t size)
{
	const size_t tag = sizeof(start.h.type);
	bool begins = size >= tag && !memcmp(data, &start.h.type, tag);

	return file_of(which, &start, begins ? 0 : sizeof(start), data, size);
}

/* The log, and the log of its first half. */
static void compare(const uint8_t *data, size_t size, unsigned int format)
{
	struct log_reader logs[2];
	char why[512];

	if (log_read_open_fd(&logs[0], started(0, data, size / 2), "old", why, sizeof(why)))
		return;
	if (!log_read_open_fd(&logs[1], started(1, data, size), "new", why, sizeof(why))) {
		reports_diff(logs, format, nowhere);
		log_read_close(&logs[1]);
	}
	log_read_close(&logs[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The last byte chooses, which a log can do without. */
	unsigned int choice = size ? data[size - 1] : 0, way = choice % (WAYS + 1);

	if (!nowhere)
		nowhere = fopen("/dev/null", "we");
	read_all(file_of(0, "", 0, data, size), AS_TEXT, 0);
	if (way < WAYS)
		read_all(started(0, data, size), way, choice / (WAYS + 1));
	else
		compare(data, size, choice / (WAYS + 1));
	return 0;
}
