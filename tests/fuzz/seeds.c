// SPDX-License-Identifier: GPL-2.0-only
/*
 * seeds DIR: the fuzzer's initial logs, plain and compressed: one with a record of every type, and
 * one with samples of this program, which the fuzzer finds as /bin/prog.
 */
#include <link.h>
#include <stdio.h>

#include "sample_log.h"

#define PROGRAM		0x400000ULL	/* where it is mapped, from its beginning on */
#define PROGRAM_SIZE	0x100000ULL
#define X86_REGS	17		/* rip is the last, rsp the eighth */
#define X86_SP		7

static void put_map(struct log_writer *log, uint64_t time)
{
	struct hwpmc_log_map *map = log_build(&sample_build, HWPMC_LOG_MAP_IN, sizeof(*map), time);

	map->pid = 100;
	map->prot = PROT_READ | PROT_EXEC;
	map->start = PROGRAM;
	map->size = PROGRAM_SIZE;
	map->path_offset = log_build_text(&sample_build, "/bin/prog");
	log_write_records(log, map, sample_build.length);
}

static struct hwpmc_log_sample *begin_sample(uint64_t pc, uint64_t time)
{
	struct hwpmc_log_sample *sample = log_build(&sample_build, HWPMC_LOG_SAMPLE,
						    sizeof(*sample), time);

	sample->h.id = 1;
	sample->h.flags = HWPMC_SAMPLE_USER;
	sample->pid = 100;
	sample->tid = 100;
	sample->period = 1000;
	sample->pc = pc;
	return sample;
}

/* A sample at @pc, whose function was called from @caller. */
static void put_called(struct log_writer *log, uint64_t pc, uint64_t caller, uint64_t time)
{
	struct hwpmc_log_sample *sample = begin_sample(pc, time);

	sample->chain_user = 1;
	sample->chain_offset = (__u16)log_build_bytes(&sample_build, &caller, sizeof(caller));
	log_write_records(log, sample, sample_build.length);
}

/* The same with a copy of the stack, in which every word is @caller. */
static void put_stack(struct log_writer *log, uint64_t pc, uint64_t caller, uint64_t time)
{
	struct hwpmc_log_sample *sample = begin_sample(pc, time);
	uint64_t regs[X86_REGS] = { [X86_SP] = 0x7fff0000, [X86_REGS - 1] = pc }, stack[32];

	for (unsigned int i = 0; i < 32; i++)
		stack[i] = caller;
	sample->regs = X86_REGS;
	sample->regs_offset = (__u16)log_build_bytes(&sample_build, regs, sizeof(regs));
	sample->stack_size = sizeof(stack);
	sample->stack_offset = (__u16)log_build_bytes(&sample_build, stack, sizeof(stack));
	log_write_records(log, sample, sample_build.length);
}

static int find_start(struct dl_phdr_info *info, size_t size, void *start)
{
	(void)size;
	*(uint64_t *)start = info->dlpi_addr;
	/* The program's mapping is the first. */
	return 1;
}

/* Addresses in this program's file are relative to its start, except for alignment. */
static uint64_t address_of(void (*function)(struct log_writer *log))
{
	uint64_t start = 0;

	dl_iterate_phdr(find_start, &start);
	return PROGRAM + (uintptr_t)function - start;
}

static void put_program_log(struct log_writer *log)
{
	const uint64_t time = 1ULL << 40, caller = address_of(put_program_log);

	log_write_initialize(log, 4, 0);
	log_write_event(log, 1, "cycles");
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "prog", time);
	put_map(log, time);
	for (unsigned int i = 0; i < 4; i++) {
		put_called(log, address_of(put_sample_log) + i * 16, caller + 20, time + i);
		put_stack(log, caller + i * 16, caller + 20, time + 4 + i);
	}
}

static void make(const char *directory, const char *name, void (*put)(struct log_writer *log),
		 bool compress)
{
	struct log_writer log;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (log_write_open(&log, path, compress))
		abort();
	put(&log);
	if (log_write_close(&log))
		abort();
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 1;
	make(argv[1], "plain", put_sample_log, false);
	make(argv[1], "compressed", put_sample_log, true);
	make(argv[1], "program", put_program_log, false);
	make(argv[1], "program-compressed", put_program_log, true);
	return 0;
}
