// SPDX-License-Identifier: GPL-2.0-only
/* The writer: errors, held records, large records, and pipes that are full. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "check.h"
#include "log/log_read.h"
#include "sample_log.h"

#define OLD_CONTENTS	"what the file had before"
#define PIPE_RECORDS	200	/* of 4 KB: many times the room of a pipe */

static const char *path;
static char why[512];

static void full_disk(void)
{
	struct log_writer log;

	check(!log_write_open(&log, "/dev/full", false), "a full disk can be opened");
	put_sample_log(&log);
	check(log_write_flush(&log) && errno == ENOSPC, "a flush returns the error");
	check(log_write_close(&log) && errno == ENOSPC, "and closing it returns the error, too");
}

/* Writes OLD_CONTENTS to the file. */
static void put_old(void)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(OLD_CONTENTS, file) < 0 || fclose(file))
		abort();
}

static bool is_old(void)
{
	char contents[sizeof(OLD_CONTENTS) + 1] = "";
	FILE *file = fopen(path, "r");
	size_t size = file ? fread(contents, 1, sizeof(contents), file) : 0;

	if (file)
		fclose(file);
	return size == strlen(OLD_CONTENTS) && !memcmp(contents, OLD_CONTENTS, size);
}

/* Reads a log to its end: the number of its records, or -1 if it is not whole. */
static long count_records(int fd)
{
	struct log_reader log;
	long records = -1;

	if (log_read_open_fd(&log, fd, "log", why, sizeof(why)))
		return -1;
	while (log_read_next(&log))
		;
	if (!log_read_problem(&log, why, sizeof(why)) && log.closed)
		records = (long)log.records;
	log_read_close(&log);
	return records;
}

static void held_and_discarded(void)
{
	struct log_writer log;

	put_old();
	log_write_open(&log, path, false);
	log_write_hold(&log);
	put_sample_log(&log);
	log_write_flush(&log);
	check(!log_write_close(&log) && is_old(), "a log that is not released leaves an old file");

	unlink(path);
	log_write_open(&log, path, false);
	log_write_hold(&log);
	put_sample_log(&log);
	check(!access(path, F_OK) && !log_write_close(&log) && access(path, F_OK),
	      "and removes a new one");
}

static void held_and_released(void)
{
	struct log_writer log;

	put_old();
	log_write_open(&log, path, true);
	log_write_hold(&log);
	put_sample_log(&log);
	log_write_flush(&log);
	check(is_old(), "an old file is unchanged until the log is released");
	log_write_release(&log);
	check(!log_write_close(&log) &&
	      count_records(open(path, O_RDONLY)) == SAMPLE_LOG_RECORDS,
	      "then it is the whole log");
}

/* Adds a USER record with @room bytes behind its structure. */
static void put_user(struct log_writer *log, uint64_t cookie, size_t room)
{
	static struct log_build build;
	static const char bytes[HWPMC_LOG_RECORD_MAX];
	struct hwpmc_log_user *user = log_build(&build, HWPMC_LOG_USER, sizeof(*user), 1);

	user->cookie = cookie;
	user->text_offset = log_build_text(&build, "text");
	if (room)
		log_build_bytes(&build, bytes, room);
	log_write_records(log, user, build.length);
}

/* The largest record does not fit into the writer's buffer, which has the record before it. */
static void put_largest(struct log_writer *log)
{
	log_write_initialize(log, 1, 0);
	put_user(log, 1, 0);
	put_user(log, 2, HWPMC_LOG_RECORD_MAX - sizeof(struct hwpmc_log_user) - 8);
	put_user(log, 3, 0);
}

static void largest(bool compress, const char *name)
{
	const struct hwpmc_log_header *record;
	struct log_reader log;
	size_t size;
	unsigned char *bytes = sample_log(put_largest, compress, &size);
	uint64_t cookies = 0;
	uint32_t longest = 0;

	log_read_open_fd(&log, sample_fd(bytes, size), "log", why, sizeof(why));
	free(bytes);
	while ((record = log_read_next(&log))) {
		if (record->type == HWPMC_LOG_USER)
			cookies = cookies * 10 + ((const struct hwpmc_log_user *)record)->cookie;
		if (record->length > longest)
			longest = record->length;
	}
	check(cookies == 123 && longest == HWPMC_LOG_RECORD_MAX && log.closed, name);
	log_read_close(&log);
}

/* One log that is longer than the room of a pipe, into a pipe that is non-blocking. */
static void write_pipe(int fd)
{
	struct log_writer log;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	log_write_begin(&log, fd, "pipe", false);
	log_write_initialize(&log, 1, 0);
	for (int i = 0; i < PIPE_RECORDS; i++) {
		put_user(&log, (uint64_t)i, 4096);
		log_write_flush(&log);
	}
	_exit(log_write_close(&log) ? 1 : 0);
}

static void full_pipe(void)
{
	int ends[2], status = -1;
	long records;
	pid_t child;

	if (pipe(ends))
		abort();
	child = fork();
	if (!child) {
		close(ends[0]);
		write_pipe(ends[1]);
	}
	close(ends[1]);
	/* Until the writer has filled the pipe. */
	usleep(50000);
	records = count_records(ends[0]);
	waitpid(child, &status, 0);
	check(!status && records == PIPE_RECORDS + 2, "a full pipe that is non-blocking is waited for");
}

static void broken_pipe(void)
{
	struct log_writer log;
	int ends[2];

	if (pipe(ends))
		abort();
	signal(SIGPIPE, SIG_IGN);
	close(ends[0]);
	log_write_begin(&log, ends[1], "pipe", false);
	put_sample_log(&log);
	check(log_write_close(&log) && errno == EPIPE, "a pipe without a reader is an error");
}

int main(void)
{
	char name[] = "/tmp/pmctl-log-write-XXXXXX";

	close(mkstemp(name));
	path = name;
	full_disk();
	held_and_discarded();
	held_and_released();
	largest(false, "the largest record keeps its place");
	largest(true, "and in a compressed log");
	full_pipe();
	broken_pipe();
	unlink(path);
	return check_result();
}
