// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer's target for logs: reading, sorting, following, showing and reporting any bytes
 * accesses valid memory only. Each input is read twice: unchanged, and after a valid
 * INITIALIZE.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "commands/script.h"
#include "log/log_merge.h"
#include "report/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere;
static int memory = -1;

/* One file for all runs: creating one takes longer than reading it. */
static int file_of(const void *head, size_t head_size, const uint8_t *data, size_t size)
{
	if (memory < 0)
		memory = memfd_create("log", MFD_CLOEXEC);
	if (ftruncate(memory, 0) || pwrite(memory, head, head_size, 0) != (ssize_t)head_size ||
	    pwrite(memory, data, size, (off_t)head_size) != (ssize_t)size)
		abort();
	lseek(memory, 0, SEEK_SET);
	return dup(memory);
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

/* A report, without its output. The root directory has no files, and so no symbols. */
static void report_all(struct log_reader *log)
{
	static const struct profile_request request = {
		.groups = GROUP_COMM | GROUP_PID | GROUP_TID | GROUP_CPU,
		.root = "/proc/nowhere",
		.inlines = true,
		.sources = true,
	};
	const struct hwpmc_log_header *record;
	struct log_merge merge;
	struct profile profile;

	profile_init(&profile, &request);
	log_merge_open(&merge, log, 4096);
	while ((record = log_merge_next(&merge))) {
		profile_take(&profile, record);
		if (record->type == HWPMC_LOG_BUILD_ID)
			profile_build_id(&profile, (const void *)record);
	}
	log_merge_close(&merge);
	profile_resolve(&profile);
	profile_free(&profile);
}

enum way { AS_TEXT, AS_JSON, AS_REPORT, WAYS };

static void read_all(int fd, enum way way)
{
	struct log_reader log;
	char why[512];

	if (log_read_open_fd(&log, fd, "log", why, sizeof(why)))
		return;
	if (way == AS_REPORT)
		report_all(&log);
	else
		show_all(&log, way == AS_JSON);
	log_read_problem(&log, why, sizeof(why));
	log_read_close(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct hwpmc_log_initialize start = {
		.h = { .type = HWPMC_LOG_INITIALIZE, .length = sizeof(start) },
		.magic = HWPMC_LOG_MAGIC,
		.version = HWPMC_LOG_VERSION,
	};

	if (!nowhere)
		nowhere = fopen("/dev/null", "we");
	read_all(file_of("", 0, data, size), AS_TEXT);
	read_all(file_of(&start, sizeof(start), data, size), size % WAYS);
	return 0;
}
