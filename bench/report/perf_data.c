// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file that perf record writes: a header, the attributes of one event, and its records. Only
 * what perf report needs to read samples is in it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>

#include "perf_data.h"

#define MAGIC		0x32454c4946524550ULL	/* "PERFILE2" */
/*
 * The type of the record that ends a round: all records that perf record reads in one pass. Records
 * after it are newer than those of the round before the last one.
 */
#define FINISHED_ROUND	68
#define ROUND		4096	/* number of samples in a round */
#define PATH_ROOM	512

struct section {
	uint64_t offset;
	uint64_t size;
};

struct file_header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size;
	struct section attrs;
	struct section data;
	struct section event_types;
	uint64_t features[4];
};

struct file_attr {
	struct perf_event_attr attr;
	struct section ids;
};

/* The end of every record except samples: PERF_SAMPLE_TID, _TIME, _CPU. */
struct trailer {
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint32_t cpu;
	uint32_t reserved;
};

static void put(struct perf_data *file, const void *bytes, size_t size)
{
	if (fwrite(bytes, size, 1, file->out) == 1)
		return;
	fprintf(stderr, "logs: cannot write perf's file: %s\n", strerror(errno));
	exit(1);
}

/* Writes the part before the records. @data_size: the records' size, which is known at the end. */
static void put_head(struct perf_data *file, uint64_t data_size)
{
	struct file_header header = {
		.magic = MAGIC,
		.size = sizeof(header),
		.attr_size = sizeof(struct file_attr),
		.attrs = { sizeof(header), sizeof(struct file_attr) },
		.data = { sizeof(header) + sizeof(struct file_attr), data_size },
	};
	struct file_attr attr = {
		.attr = {
			.type = PERF_TYPE_HARDWARE,
			.size = sizeof(attr.attr),
			.config = PERF_COUNT_HW_CPU_CYCLES,
			.sample_period = PERIOD,
			.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
				       (file->chains ? PERF_SAMPLE_CALLCHAIN : 0),
			.inherit = 1,
			.mmap = 1,
			.mmap2 = 1,
			.comm = 1,
			.sample_id_all = 1,
		},
	};

	put(file, &header, sizeof(header));
	put(file, &attr, sizeof(attr));
}

void perf_data_open(struct perf_data *file, const char *path, bool chains)
{
	*file = (struct perf_data){ .out = fopen(path, "we"), .chains = chains };
	if (!file->out) {
		fprintf(stderr, "logs: cannot write '%s': %s\n", path, strerror(errno));
		exit(1);
	}
	put_head(file, 0);
}

static void put_record(struct perf_data *file, uint32_t type, uint16_t misc, const void *body,
		       size_t size, const struct trailer *trailer)
{
	struct perf_event_header header = {
		.type = type,
		.misc = misc,
		.size = (uint16_t)(sizeof(header) + size + sizeof(*trailer)),
	};

	put(file, &header, sizeof(header));
	put(file, body, size);
	put(file, trailer, sizeof(*trailer));
}

void perf_data_map(struct perf_data *file, const struct map *map)
{
	struct {
		int32_t pid;
		int32_t tid;
		uint64_t start;
		uint64_t size;
		uint64_t offset;
		char path[PATH_ROOM];
	} body = {
		.pid = map->pid,
		.tid = map->pid < 0 ? 0 : map->pid,
		.start = map->start,
		.size = map->size,
		.offset = map->offset,
	};
	const struct trailer trailer = { .time = map->time };
	size_t length = strlen(map->path);

	if (length >= sizeof(body.path)) {
		fprintf(stderr, "logs: '%s' is too long\n", map->path);
		exit(1);
	}
	memcpy(body.path, map->path, length);
	put_record(file, PERF_RECORD_MMAP,
		   map->pid < 0 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, &body,
		   sizeof(body), &trailer);
}

void perf_data_comm(struct perf_data *file, int pid, const char *comm, uint64_t time)
{
	struct {
		int32_t pid;
		int32_t tid;
		char comm[16];
	} body = { .pid = pid, .tid = pid };
	const struct trailer trailer = { .pid = (uint32_t)pid, .tid = (uint32_t)pid, .time = time };

	memcpy(body.comm, comm, strnlen(comm, sizeof(body.comm) - 1));
	put_record(file, PERF_RECORD_COMM, PERF_RECORD_MISC_USER, &body, sizeof(body), &trailer);
}

static void put_round(struct perf_data *file)
{
	const struct perf_event_header header = { .type = FINISHED_ROUND, .size = sizeof(header) };

	put(file, &header, sizeof(header));
}

/* The number of frames, and the frames; those of each mode follow a marker. */
static size_t chain_fill(uint64_t *words, const struct sample *sample)
{
	size_t count = 1;

	words[count++] = sample->kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
	words[count++] = sample->pc;
	for (unsigned int i = 0; i < DEPTH; i++) {
		if (sample->kernel && i + 1 == sample->kernel)
			words[count++] = PERF_CONTEXT_USER;
		words[count++] = sample->chain[i];
	}
	words[0] = count - 1;
	return count;
}

void perf_data_sample(struct perf_data *file, const struct sample *sample)
{
	uint64_t words[8 + DEPTH + 4], *at = words + 1;
	struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE,
		.misc = sample->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
	};

	*at++ = sample->pc;
	*at++ = (uint64_t)(uint32_t)sample->pid << 32 | (uint32_t)sample->pid;
	*at++ = sample->time;
	*at++ = sample->cpu;
	*at++ = PERIOD;
	if (file->chains)
		at += chain_fill(at, sample);
	header.size = (uint16_t)((char *)at - (char *)words);
	memcpy(words, &header, sizeof(header));
	put(file, words, header.size);
	if (++file->samples % ROUND == 0)
		put_round(file);
}

void perf_data_close(struct perf_data *file)
{
	long size;

	put_round(file);
	size = ftell(file->out) - (long)(sizeof(struct file_header) + sizeof(struct file_attr));
	rewind(file->out);
	put_head(file, (uint64_t)size);
	if (fclose(file->out)) {
		fprintf(stderr, "logs: cannot write perf's file: %s\n", strerror(errno));
		exit(1);
	}
}
