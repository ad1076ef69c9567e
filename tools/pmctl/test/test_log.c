// SPDX-License-Identifier: GPL-2.0-only
/* The reader on logs that are good, truncated, and wrong in every field. */
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <zstd.h>

#include "check.h"
#include "log/log_read.h"
#include "log/log_record.h"
#include "sample_log.h"

static unsigned char *good;
static size_t good_size;
static char why[512];

/* The result of reading a log; -1 records: it could not be opened. */
struct outcome {
	long records;
	uint64_t damaged;
	uint64_t unknown;
	bool closed;
	bool problem;
	uint64_t hash;
};

static uint64_t touched;

/* Reads all parts of a record, so that sanitizers check the addresses. */
static void touch(const struct hwpmc_log_header *record)
{
	const unsigned char *bytes = (const void *)record;

	for (size_t i = 0; i < record->length; i++)
		touched = touched * 31 + bytes[i];
}

static struct outcome read_log(const void *bytes, size_t size)
{
	struct log_reader log;
	struct outcome outcome = { .records = -1 };
	const struct hwpmc_log_header *record;

	if (log_read_open_fd(&log, sample_fd(bytes, size), "log", why, sizeof(why)))
		return outcome;
	touched = 0;
	while ((record = log_read_next(&log)))
		touch(record);
	outcome.hash = touched;
	outcome.records = (long)log.records;
	outcome.damaged = log.damaged;
	outcome.unknown = log.unknown;
	outcome.closed = log.closed;
	outcome.problem = log_read_problem(&log, why, sizeof(why));
	log_read_close(&log);
	return outcome;
}

static void whole(void)
{
	struct outcome outcome = read_log(good, good_size);

	check(outcome.records == SAMPLE_LOG_RECORDS, "every record of a good log");
	check(!outcome.problem && !outcome.damaged && outcome.closed, "nothing is wrong with it");
	check(outcome.unknown == 1, "a type that is not known is passed over");
}

static void compressed(void)
{
	size_t size;
	unsigned char *bytes = sample_log(put_sample_log, true, &size);
	struct outcome outcome = read_log(bytes, size), changed;
	size_t start = sizeof(struct hwpmc_log_initialize) + sizeof(struct hwpmc_log_header);
	int missed = 0;

	check(size < good_size, "compressed, it is smaller");
	check(outcome.records == SAMPLE_LOG_RECORDS && !outcome.problem && outcome.closed,
	      "and says the same");
	/* Changes the frame only, not the header of its record or the padding after it. */
	for (size_t i = start; i < size - 8; i++) {
		bytes[i] ^= 0x02;
		changed = read_log(bytes, size);
		missed += !changed.problem && changed.hash != outcome.hash;
		bytes[i] ^= 0x02;
	}
	free(bytes);
	check(!missed, "no byte of the frame changes anything unnoticed");
}

/* The ends of records in the good log, in bytes. */
static bool is_end(size_t at)
{
	size_t offset = 0;

	while (offset < at)
		offset += ((const struct hwpmc_log_header *)(good + offset))->length;
	return offset == at;
}

static void cut(void)
{
	int wrong = 0, early = 0;
	long before = -1;

	for (size_t size = 0; size < good_size; size++) {
		struct outcome outcome = read_log(good, size);

		if (size < sizeof(struct hwpmc_log_initialize)) {
			early += outcome.records != -1 || !why[0];
			continue;
		}
		/* A log that ends between two records only lacks CLOSE. */
		if (outcome.closed || outcome.problem == is_end(size) || outcome.records < before)
			wrong++;
		before = outcome.records;
	}
	check(!early, "cut off before its first record ends, it is refused in words");
	check(!wrong, "cut off anywhere behind it, it is read up to there");
}

static void cut_message(void)
{
	char wanted[128];

	snprintf(wanted, sizeof(wanted),
		 "'log' was cut off: it ends in the record that begins at byte %zu",
		 good_size - sizeof(struct hwpmc_log_header));
	read_log(good, good_size - 1);
	check_text(why, wanted, "the message has where it was cut off");
}

/* Changes every byte to several values: the reader must not crash or hang. */
static void every_byte(void)
{
	static const unsigned char masks[] = { 0x01, 0x80, 0xff, 0x08 };
	unsigned char *bytes = malloc(good_size);

	memcpy(bytes, good, good_size);
	for (size_t i = 0; i < good_size; i++) {
		for (size_t j = 0; j < sizeof(masks); j++) {
			bytes[i] ^= masks[j];
			read_log(bytes, good_size);
			bytes[i] ^= masks[j];
		}
	}
	free(bytes);
	check(1, "every byte changed, every record read to its end");
}

static unsigned char *copy;

/* The first record of a type in the copy. */
static void *find(unsigned int type)
{
	size_t offset = 0;

	while (offset < good_size) {
		struct hwpmc_log_header *record = (void *)(copy + offset);

		if (record->type == type)
			return record;
		offset += record->length;
	}
	abort();
}

static void *fresh(unsigned int type)
{
	memcpy(copy, good, good_size);
	return find(type);
}

/* The changed record is skipped, the others are read. */
static void damaged(const char *what, const char *name)
{
	struct outcome outcome = read_log(copy, good_size);

	check(outcome.records == SAMPLE_LOG_RECORDS - 1 && outcome.damaged == 1 &&
	      outcome.problem && strstr(why, what), name);
}

/* Reading stops at the changed record. */
static void stopped(const char *what, const char *name)
{
	struct outcome outcome = read_log(copy, good_size);

	check(outcome.records >= 0 && outcome.records < SAMPLE_LOG_RECORDS && outcome.problem &&
	      strstr(why, what), name);
}

static void refused(const char *what, const char *name)
{
	struct outcome outcome = read_log(copy, good_size);

	check(outcome.records == -1 && strstr(why, what), name);
}

static void lengths(void)
{
	struct hwpmc_log_header *record = fresh(HWPMC_LOG_SAMPLE);

	record->length += 4;
	stopped("multiple of 8", "a length that is no multiple of 8");
	fresh(HWPMC_LOG_SAMPLE);
	record->length = 0;
	stopped("length is 0", "no length");
	fresh(HWPMC_LOG_SAMPLE);
	record->length = HWPMC_LOG_RECORD_MAX + 8;
	stopped("longer than", "too much length");
	fresh(HWPMC_LOG_CLOSE);
	((struct hwpmc_log_header *)find(HWPMC_LOG_CLOSE))->length = 4096;
	stopped("cut off", "a length beyond the end");
}

/* Ends the record of a sample after @length bytes: a PAD record has the rest. */
static void cut_sample(uint32_t length)
{
	struct hwpmc_log_header *record = fresh(HWPMC_LOG_SAMPLE);
	struct hwpmc_log_header *rest = (void *)((char *)record + length);

	rest->type = HWPMC_LOG_PAD;
	rest->length = record->length - length;
	record->length = length;
}

static void samples(void)
{
	struct hwpmc_log_sample *sample = fresh(HWPMC_LOG_SAMPLE);

	sample->chain_offset = (__u16)sample->h.length;
	damaged("SAMPLE record at byte", "a chain behind the record's end");
	fresh(HWPMC_LOG_SAMPLE);
	sample->chain_offset = 8;
	damaged("call chain", "a chain in the structure");
	fresh(HWPMC_LOG_SAMPLE);
	sample->chain_offset += 4;
	damaged("call chain", "a chain off its boundary");
	fresh(HWPMC_LOG_SAMPLE);
	sample->chain_user = 0xffff;
	damaged("call chain", "a chain that is too long");
	fresh(HWPMC_LOG_SAMPLE);
	sample->chain_offset = 0;
	damaged("call chain", "a chain that is nowhere");
	fresh(HWPMC_LOG_SAMPLE);
	sample->regs = 500;
	damaged("registers", "too many registers");
	fresh(HWPMC_LOG_SAMPLE);
	sample->stack_size = 0x80000000;
	damaged("stack", "too much stack");
	cut_sample(offsetof(struct hwpmc_log_sample, regs));
	damaged("call chain", "a chain in a record that ends before its registers do");
	fresh(HWPMC_LOG_SAMPLE);
	sample->stack_size = 0xfffffff8;
	damaged("stack", "a stack around the end of numbers");
}

static void probes(void)
{
	struct hwpmc_log_probe *probe = fresh(HWPMC_LOG_PROBE);

	probe->args = 0xffff;
	damaged("arguments", "too many arguments");
	fresh(HWPMC_LOG_PROBE);
	probe->args_offset = 8;
	damaged("arguments", "arguments in the structure");
	fresh(HWPMC_LOG_PROBE);
	probe->comm_offset = (__u16)probe->sample.h.length;
	damaged("PROBE record at byte", "a name behind the record's end");
	fresh(HWPMC_LOG_PROBE);
	probe->sample.chain_offset = 8;
	probe->sample.chain_user = 1;
	damaged("call chain", "a probe's chain in the structure");
}

static void texts(void)
{
	struct hwpmc_log_map *map = fresh(HWPMC_LOG_MAP_IN);

	map->path_offset = map->h.length;
	damaged("text", "a path behind the record's end");
	fresh(HWPMC_LOG_MAP_IN);
	map->path_offset = 4;
	damaged("text", "a path in the structure");
	fresh(HWPMC_LOG_MAP_IN);
	memset((char *)map + map->path_offset, 'x', map->h.length - map->path_offset);
	damaged("text", "a path without an end");
	fresh(HWPMC_LOG_MAP_IN);
	map->size = ~0ULL;
	damaged("wraps around", "a map beyond the last address");
	((struct hwpmc_log_map *)fresh(HWPMC_LOG_MAP_IN))->build_id_size = 33;
	damaged("build-id", "a map's build-id that is too long");
	memset(((struct hwpmc_log_task *)fresh(HWPMC_LOG_FORK))->comm, 'x', 16);
	damaged("name", "a name without an end");
	memset(((struct hwpmc_log_exec *)fresh(HWPMC_LOG_EXEC))->comm, 'x', 16);
	damaged("name", "an exec's name without an end");
	((struct hwpmc_log_exec *)fresh(HWPMC_LOG_EXEC))->path_offset = 1 << 20;
	damaged("text", "an exec's path");
	((struct hwpmc_log_user *)fresh(HWPMC_LOG_USER))->text_offset = 1 << 20;
	damaged("text", "a user's text");
	((struct hwpmc_log_build_id *)fresh(HWPMC_LOG_BUILD_ID))->size = 33;
	damaged("build-id", "a build-id that is too long");
	((struct hwpmc_log_build_id *)fresh(HWPMC_LOG_BUILD_ID))->path_offset = 1 << 20;
	damaged("text", "a build-id's path");
	((struct hwpmc_log_system *)fresh(HWPMC_LOG_SYSTEM))->host_offset = 1 << 20;
	damaged("text", "a system's text");
	((struct hwpmc_log_event *)fresh(HWPMC_LOG_EVENT))->name_offset = 1 << 20;
	damaged("text", "an event's name");
	((struct hwpmc_log_ksym *)fresh(HWPMC_LOG_KSYM))->name_offset = 1 << 20;
	damaged("text", "a symbol's name");
}

/* A record of each type that is only a header. */
static void short_ones(void)
{
	int wrong = 0;

	for (unsigned int type = 0; type < 0x200; type++) {
		struct log_build build;

		if (!log_record_type_known(type) || type == HWPMC_LOG_PAD ||
		    type == HWPMC_LOG_CLOSE)
			continue;
		wrong += !log_record_body_problem(log_build(&build, type, 24, 0));
	}
	check(!wrong, "a record that is shorter than its type's structure");
}

static void beginnings(void)
{
	struct hwpmc_log_initialize *start = fresh(HWPMC_LOG_INITIALIZE);

	start->magic = __builtin_bswap64(start->magic);
	refused("other byte order", "a log of the other byte order");
	fresh(HWPMC_LOG_INITIALIZE);
	start->version = (HWPMC_LOG_MAJOR + 1) << 16;
	refused("another version", "a log of a newer kind");
	fresh(HWPMC_LOG_INITIALIZE);
	start->version += 7;
	check(read_log(copy, good_size).records == SAMPLE_LOG_RECORDS, "a newer minor is read");
	fresh(HWPMC_LOG_INITIALIZE);
	start->magic++;
	refused("not a log", "another magic");
	fresh(HWPMC_LOG_INITIALIZE);
	start->h.type = HWPMC_LOG_SAMPLE;
	refused("not a log", "no INITIALIZE");
	memset(copy, 'a', good_size);
	refused("not a log", "no log at all");
	read_log("", 0);
	check(strstr(why, "empty"), "an empty file");
	check(log_read_open(&(struct log_reader){ 0 }, "/nowhere", why, sizeof(why)) &&
	      strstr(why, "there is no log '/nowhere'"), "no file");
	check(log_read_open(&(struct log_reader){ 0 }, "/", why, sizeof(why)) &&
	      strstr(why, "directory"), "a directory");
}

/* The good log twice in one file. */
static void several(void)
{
	unsigned char *twice = malloc(2 * good_size);
	const struct hwpmc_log_header *record;
	struct log_reader log;
	char wanted[32];
	uint64_t first;

	memcpy(twice, good, good_size);
	memcpy(twice + good_size, good, good_size);
	log_read_open_fd(&log, sample_fd(twice, 2 * good_size), "log", why, sizeof(why));
	while ((record = log_read_next(&log)))
		touch(record);
	first = log.records;
	check(first == SAMPLE_LOG_RECORDS && log.closed, "a log ends where the next one begins");
	snprintf(wanted, sizeof(wanted), "begins at byte %zu:", good_size);
	check(log_read_problem(&log, why, sizeof(why)) && strstr(why, wanted),
	      "and the problem names it");
	check(log_read_another(&log), "it can be read");
	record = log_read_next(&log);
	check(record && record->type == HWPMC_LOG_INITIALIZE && !log.closed, "from its beginning");
	while ((record = log_read_next(&log)))
		touch(record);
	check(log.records == 2 * first && log.closed && !log_read_problem(&log, why, sizeof(why)),
	      "to its end");
	check(!log_read_another(&log), "behind which is no other");
	log_read_close(&log);
	free(twice);
}

/* Frames with wrong sizes or contents. */
static void put_bad_frames(struct log_writer *log)
{
	static struct log_build build;
	struct hwpmc_log_compressed *frame;

	log_write_initialize(log, 1, 0);
	frame = log_build(&build, HWPMC_LOG_COMPRESSED, sizeof(*frame), 0);
	frame->size = 1ULL << 40;
	frame->frame_offset = log_build_bytes(&build, "xxxxxxxx", 8);
	frame->frame_size = 8;
	log_write_records(log, frame, build.length);
	frame->size = 64;
	log_write_records(log, frame, build.length);
	frame->frame_offset = 0;
	log_write_records(log, frame, build.length);
}

static void bad_frames(void)
{
	size_t size;
	unsigned char *bytes = sample_log(put_bad_frames, false, &size);
	struct outcome outcome = read_log(bytes, size);

	free(bytes);
	check(outcome.records == 2 && outcome.damaged == 3, "frames that are none");
}

/* A frame of @size bytes at @content. */
static void put_frame(struct log_writer *log, const void *content, size_t size)
{
	static struct log_build build;
	struct hwpmc_log_compressed *frame;
	char packed[256];

	frame = log_build(&build, HWPMC_LOG_COMPRESSED, sizeof(*frame), 0);
	frame->size = size;
	frame->frame_size = (__u32)ZSTD_compress(packed, sizeof(packed), content, size, 1);
	frame->frame_offset = log_build_bytes(&build, packed, frame->frame_size);
	log_write_records(log, frame, build.length);
}

static void put_long_record(struct log_writer *log)
{
	struct hwpmc_log_header record = { .type = HWPMC_LOG_CLOSE, .length = 4096 };

	log_write_initialize(log, 1, 0);
	put_frame(log, &record, sizeof(record));
}

static void put_frame_in_frame(struct log_writer *log)
{
	struct hwpmc_log_header record = { .type = HWPMC_LOG_CLOSE, .length = sizeof(record) };
	struct log_build inner;
	struct hwpmc_log_compressed *frame;
	char packed[256];

	log_write_initialize(log, 1, 0);
	frame = log_build(&inner, HWPMC_LOG_COMPRESSED, sizeof(*frame), 0);
	frame->size = sizeof(record);
	frame->frame_size = (__u32)ZSTD_compress(packed, sizeof(packed), &record,
						 sizeof(record), 1);
	frame->frame_offset = log_build_bytes(&inner, packed, frame->frame_size);
	put_frame(log, frame, inner.length);
}

/* INITIALIZE and CLOSE are read, what is in the frame is not. */
static void bad_frame(void (*put)(struct log_writer *log), const char *what, const char *name)
{
	size_t size;
	unsigned char *bytes = sample_log(put, false, &size);
	struct outcome outcome = read_log(bytes, size);

	free(bytes);
	check(outcome.records == 2 && outcome.damaged == 1 && strstr(why, what), name);
}

/* A pipe that returns a few bytes at a time. */
static void piped(void)
{
	const struct hwpmc_log_header *record;
	struct log_reader log;
	int ends[2];

	if (pipe(ends))
		abort();
	if (!fork()) {
		for (size_t i = 0; i < good_size; i += 7)
			if (write(ends[1], good + i, good_size - i < 7 ? good_size - i : 7) < 0)
				_exit(1);
		_exit(0);
	}
	close(ends[1]);
	log_read_open_fd(&log, ends[0], "log", why, sizeof(why));
	while ((record = log_read_next(&log)))
		touch(record);
	check(log.records == SAMPLE_LOG_RECORDS && log.closed, "through a pipe, in crumbs");
	log_read_close(&log);
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* The reader waits for a slow writer, and signals interrupt its read(2). */
static void interrupted(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { 0 };
	struct log_reader log;
	int ends[2];

	if (pipe(ends))
		abort();
	if (!fork()) {
		usleep(50000);
		_exit(write(ends[1], good, good_size) < 0);
	}
	close(ends[1]);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	log_read_open_fd(&log, ends[0], "log", why, sizeof(why));
	while (log_read_next(&log))
		;
	setitimer(ITIMER_REAL, &never, NULL);
	check(log.records == SAMPLE_LOG_RECORDS && log.closed, "signals do not end a log");
	log_read_close(&log);
}

int main(void)
{
	good = sample_log(put_sample_log, false, &good_size);
	copy = malloc(good_size);
	whole();
	compressed();
	cut();
	cut_message();
	every_byte();
	lengths();
	samples();
	probes();
	texts();
	short_ones();
	beginnings();
	several();
	bad_frames();
	bad_frame(put_long_record, "beyond the end of the frame", "a record longer than its frame");
	bad_frame(put_frame_in_frame, "compressed twice", "a frame inside a frame");
	piped();
	interrupted();
	free(good);
	free(copy);
	return check_result();
}
