// SPDX-License-Identifier: GPL-2.0-only
/*
 * logs DIR SAMPLES chains|flat PROGRAM: writes the same samples to DIR/log, for pmctl report, and
 * to DIR/perf.data and DIR/kallsyms, for perf report. Three of four are in functions of PROGRAM, a
 * file of 64 bits that 64 processes execute, the others in the kernel. The log is compressed, as
 * pmctl record writes it.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log/log_build.h"
#include "log/log_write.h"
#include "perf_data.h"

#define USER		0x555500000000ULL
#define PROCESSES	64
#define FIRST_PID	100
#define CPUS		8
#define PLACES		2000	/* places of samples in PROGRAM, and in the kernel */
#define SYMBOLS		4096	/* number of symbols of the kernel */
#define KERNEL_DEPTH	4	/* frames in the kernel of a kernel sample */

static struct log_build build;
static uint64_t random_state = 1;

static void fail(const char *what)
{
	fprintf(stderr, "logs: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint32_t chance(uint32_t below)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(random_state >> 33) % below;
}

/* The code of PROGRAM: its first segment that can be executed. */
static struct map find_code(const char *path)
{
	struct map map = { .path = path, .start = USER };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;
	Elf64_Phdr part;

	if (fd < 0 || pread(fd, &header, sizeof(header), 0) != sizeof(header))
		fail(path);
	for (int i = 0; i < header.e_phnum && !map.size; i++) {
		if (pread(fd, &part, sizeof(part), (off_t)(header.e_phoff + i * sizeof(part))) !=
		    sizeof(part))
			fail(path);
		if (part.p_type != PT_LOAD || !(part.p_flags & PF_X))
			continue;
		map.offset = part.p_offset & ~0xfffULL;
		map.size = part.p_filesz;
	}
	close(fd);
	return map;
}

/* Places with a small number are frequent. */
static uint64_t pick(uint64_t start, uint64_t size)
{
	uint64_t place = chance(1 + chance(PLACES));

	return start + place * (size / PLACES) / 16 * 16;
}

/* The callers of most samples at a place are the same. */
static uint64_t pick_caller(uint64_t start, uint64_t size, uint64_t pc, unsigned int level)
{
	uint64_t way = chance(100) < 85 ? 0 : 1 + chance(4);

	return start + (pc / 16 * 40503 + level * 7919 + way * 104729) % size / 16 * 16;
}

static void fill_sample(struct sample *sample, const struct map *code, bool chains)
{
	sample->time += 1 + chance(2000);
	sample->cpu = chance(CPUS);
	sample->pid = FIRST_PID + (int)chance(PROCESSES);
	sample->kernel = chance(4) ? 0 : KERNEL_DEPTH;
	sample->pc = sample->kernel ? pick(KERNEL, KERNEL_SIZE) : pick(code->start, code->size);
	for (unsigned int i = 0; chains && i < DEPTH; i++)
		sample->chain[i] = i + 1 < sample->kernel ?
			pick_caller(KERNEL, KERNEL_SIZE, sample->pc, i) :
			pick_caller(code->start, code->size, sample->pc, i);
}

static void log_sample(struct log_writer *log, const struct sample *sample, bool chains)
{
	const size_t size = chains ? sizeof(struct hwpmc_log_sample) :
			    offsetof(struct hwpmc_log_sample, chain_offset);
	struct hwpmc_log_sample *record = log_build(&build, HWPMC_LOG_SAMPLE, size, sample->time);

	record->h.id = 1;
	record->h.cpu = sample->cpu;
	record->h.flags = sample->kernel ? 0 : HWPMC_SAMPLE_USER;
	record->pid = sample->pid;
	record->tid = sample->pid;
	record->pc = sample->pc;
	record->period = PERIOD;
	if (chains) {
		record->chain_kernel = sample->kernel ? (uint16_t)(sample->kernel - 1) : 0;
		record->chain_user = (uint16_t)(DEPTH - record->chain_kernel);
		record->chain_offset = (uint16_t)log_build_bytes(&build, sample->chain,
								 sizeof(sample->chain));
	}
	log_write_records(log, record, build.length);
}

static void log_process(struct log_writer *log, const struct map *code)
{
	struct hwpmc_log_task *task;
	struct hwpmc_log_map *map;

	task = log_build(&build, HWPMC_LOG_PROCESS, sizeof(*task), code->time);
	task->pid = code->pid;
	task->tid = code->pid;
	memcpy(task->comm, "work", 5);
	log_write_records(log, task, build.length);

	map = log_build(&build, HWPMC_LOG_MAP_IN, sizeof(*map), code->time);
	map->pid = code->pid;
	map->prot = PROT_READ | PROT_EXEC;
	map->start = code->start;
	map->size = code->size;
	map->file_offset = code->offset;
	map->path_offset = log_build_text(&build, code->path);
	log_write_records(log, map, build.length);
}

/* Symbols of the same size, from the start of the kernel on. */
static void put_kernel(struct log_writer *log, struct perf_data *perf, const char *kallsyms,
		       uint64_t time)
{
	const struct map kernel = {
		.pid = -1, .start = KERNEL, .size = KERNEL_SIZE, .offset = KERNEL, .time = time,
		.path = "[kernel.kallsyms]_text",
	};
	FILE *out = fopen(kallsyms, "we");
	char name[32];

	if (!out)
		fail(kallsyms);
	fprintf(out, "%llx T _text\n", KERNEL);
	for (unsigned int i = 0; i < SYMBOLS; i++) {
		uint64_t start = KERNEL + i * (KERNEL_SIZE / SYMBOLS);

		snprintf(name, sizeof(name), "kernel_function_%u", i);
		log_write_ksym(log, time, start, name);
		fprintf(out, "%llx T %s\n", (unsigned long long)start, name);
	}
	fprintf(out, "%llx T _etext\n", KERNEL + KERNEL_SIZE);
	if (fclose(out))
		fail(kallsyms);
	perf_data_map(perf, &kernel);
}

static void put_processes(struct log_writer *log, struct perf_data *perf, struct map *code)
{
	for (int i = 0; i < PROCESSES; i++) {
		code->pid = FIRST_PID + i;
		log_process(log, code);
		perf_data_comm(perf, code->pid, "work", code->time);
		perf_data_map(perf, code);
	}
}

int main(int argc, char **argv)
{
	bool chains = argc == 5 && !strcmp(argv[3], "chains");
	struct sample sample = { .time = (uint64_t)1 << 40 };
	struct perf_data perf;
	struct log_writer log;
	struct map code;

	if (argc != 5 || chdir(argv[1]))
		fail("usage: logs DIR SAMPLES chains|flat PROGRAM");
	code = find_code(argv[4]);
	code.time = sample.time;
	if (log_write_open(&log, "log", true))
		fail("log");
	perf_data_open(&perf, "perf.data", chains);
	log_write_initialize(&log, CPUS, 0);
	log_write_event(&log, 1, "cycles");
	put_kernel(&log, &perf, "kallsyms", code.time);
	put_processes(&log, &perf, &code);
	for (long samples = atol(argv[2]); samples; samples--) {
		fill_sample(&sample, &code, chains);
		log_sample(&log, &sample, chains);
		perf_data_sample(&perf, &sample);
	}
	perf_data_close(&perf);
	if (log_write_close(&log))
		fail("log");
	return 0;
}
