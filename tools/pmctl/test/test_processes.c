// SPDX-License-Identifier: GPL-2.0-only
/* Processes fork, exec, map and exit: what is mapped at an address. */
#include <stdio.h>

#include "check.h"
#include "log/log_read.h"
#include "sample_log.h"
#include "symbol/processes.h"

static struct processes processes;
static uint64_t now;

static const struct hwpmc_log_task *task(unsigned int type, int pid, int tid, int parent,
					 const char *comm)
{
	struct hwpmc_log_task *record = log_build(&sample_build, type, sizeof(*record), now++);

	record->pid = pid;
	record->tid = tid;
	record->parent_pid = parent;
	record->h.flags = tid != pid ? HWPMC_TASK_THREAD : 0;
	strncpy(record->comm, comm, 15);
	processes_take(&processes, &record->h);
	return record;
}

static void map(unsigned int type, int pid, uint64_t start, uint64_t size, uint64_t offset,
		const char *path)
{
	struct hwpmc_log_map *record = log_build(&sample_build, type, sizeof(*record), now++);

	record->pid = pid;
	record->start = start;
	record->size = size;
	record->file_offset = offset;
	record->path_offset = log_build_text(&sample_build, path);
	processes_take(&processes, &record->h);
}

static void exec(int pid)
{
	struct hwpmc_log_exec *record = log_build(&sample_build, HWPMC_LOG_EXEC, sizeof(*record),
						  now++);

	record->pid = pid;
	record->tid = pid;
	memcpy(record->comm, "prog", 5);
	processes_take(&processes, &record->h);
}

/* "path+offset" of an address, or "-". */
static const char *at(int pid, uint64_t address)
{
	const struct map *found = processes_map(&processes, pid, address);
	static char text[128];

	snprintf(text, sizeof(text), "-");
	if (found)
		snprintf(text, sizeof(text), "%s+%llx", found->file->path,
			 (unsigned long long)(address - found->start + found->file_offset));
	return text;
}

static void maps(void)
{
	task(HWPMC_LOG_PROCESS, 10, 10, 0, "one");
	map(HWPMC_LOG_MAP_IN, 10, 0x1000, 0x3000, 0x100, "a");
	check_text(at(10, 0xfff), "-", "below a map");
	check_text(at(10, 0x1000), "a+100", "its first address");
	check_text(at(10, 0x3fff), "a+30ff", "its last address");
	check_text(at(10, 0x4000), "-", "above it");
	check_text(at(11, 0x1000), "-", "another process");
	map(HWPMC_LOG_MAP_IN, 10, 0x2000, 0x1000, 0, "b");
	check_text(at(10, 0x1fff), "a+10ff", "before what was mapped over its middle");
	check_text(at(10, 0x2000), "b+0", "what was mapped over");
	check_text(at(10, 0x3000), "a+2100", "behind it");
	map(HWPMC_LOG_MAP_OUT, 10, 0x1800, 0x1000, 0, "");
	check_text(at(10, 0x17ff), "a+8ff", "unmapped: what is left of one");
	check_text(at(10, 0x1800), "-", "unmapped: the middle");
	check_text(at(10, 0x2800), "b+800", "unmapped: what is left of the next");
	map(HWPMC_LOG_MAP_IN, 10, 0, ~0ULL, 0, "all");
	check_text(at(10, 0x2800), "all+2800", "everything is one map");
	map(HWPMC_LOG_MAP_IN, 13, 0x2000, 0x1000, 0, "c");
	check(processes_any_map(&processes, 13, 0x1000, 0x2000) &&
	      processes_any_map(&processes, 13, 0x2fff, ~0ULL) &&
	      processes_any_map(&processes, 13, 0, ~0ULL), "a range that something is mapped in");
	check(!processes_any_map(&processes, 13, 0x1000, 0x1fff) &&
	      !processes_any_map(&processes, 13, 0x3000, ~0ULL) &&
	      !processes_any_map(&processes, 14, 0, ~0ULL), "ranges that nothing is mapped in");
	check_text(at(10, ~0ULL - 1), "all+fffffffffffffffe", "up to the end");
	map(HWPMC_LOG_MAP_OUT, 10, 0x8000, ~0ULL - 0x7fff, 0, "");
	check_text(at(10, 0x8000), "-", "unmapped to the end");
	check_text(at(10, 0x7fff), "all+7fff", "the beginning is left");
	map(HWPMC_LOG_MAP_IN, PROCESSES_KERNEL, 0xffff800000000000, 0x1000, 0, "[mod]");
	check_text(at(PROCESSES_KERNEL, 0xffff800000000010), "[mod]+10", "the kernel's");
}

/* Two files of one path; one has a build-id in its map, both have a BUILD_ID record. */
static void map_ids(void)
{
	struct hwpmc_log_map *in = log_build(&sample_build, HWPMC_LOG_MAP_IN, sizeof(*in), now++);
	struct hwpmc_log_build_id *said;
	const struct mapped_file *file;

	in->pid = 12;
	in->start = 0x1000;
	in->size = 0x1000;
	in->inode = 77;
	in->build_id_size = 20;
	memset(in->build_id, 0xab, 20);
	in->path_offset = log_build_text(&sample_build, "lib");
	processes_take(&processes, &in->h);
	file = processes_map(&processes, 12, 0x1000)->file;
	check(file->build_id_size == 20 && file->build_id[19] == 0xab, "a map has a build-id");
	map(HWPMC_LOG_MAP_IN, 12, 0x4000, 0x1000, 0, "lib");
	check(!processes_map(&processes, 12, 0x4000)->file->build_id, "not that of another inode");
	said = log_build(&sample_build, HWPMC_LOG_BUILD_ID, sizeof(*said), now++);
	said->size = 16;
	memset(said->build_id, 0xcd, 16);
	said->path_offset = log_build_text(&sample_build, "lib");
	processes_take(&processes, &said->h);
	check(processes_map(&processes, 12, 0x4000)->file->build_id_size == 16,
	      "a path's has the rest");
	check(file->build_id_size == 20 && file->build_id[0] == 0xab, "and nothing that is known");
}

static void lives(void)
{
	task(HWPMC_LOG_PROCESS, 20, 20, 0, "two");
	map(HWPMC_LOG_MAP_IN, 20, 0x1000, 0x1000, 0, "x");
	task(HWPMC_LOG_FORK, 21, 21, 20, "two");
	check_text(at(21, 0x1010), "x+10", "a fork has its parent's maps");
	map(HWPMC_LOG_MAP_IN, 21, 0x5000, 0x1000, 0, "y");
	check_text(at(20, 0x5000), "-", "what it maps is its own");
	map(HWPMC_LOG_MAP_OUT, 20, 0x1000, 0x1000, 0, "");
	check_text(at(21, 0x1010), "x+10", "what its parent unmaps too");
	exec(21);
	check_text(at(21, 0x1010), "-", "an exec has no old maps");
	check_text(processes_comm(&processes, 21, 21), "prog", "but another name");
	task(HWPMC_LOG_FORK, 21, 22, 21, "thread");
	check_text(processes_comm(&processes, 21, 22), "thread", "a thread has its own name");
	check_text(processes_comm(&processes, 21, 99), "prog", "one that is not known, its process's");
	check(!processes_comm(&processes, 98, 99), "nobody has none");
	task(HWPMC_LOG_COMM, 21, 22, 0, "worker");
	check_text(processes_comm(&processes, 21, 22), "worker", "it may change");
	map(HWPMC_LOG_MAP_IN, 21, 0x5000, 0x1000, 0, "z");
	task(HWPMC_LOG_EXIT, 21, 21, 0, "prog");
	check_text(at(21, 0x5001), "z+1", "a late sample still finds the maps");
	task(HWPMC_LOG_FORK, 21, 21, 20, "new");
	check_text(at(21, 0x5001), "-", "not those of who has its number now");
}

/* The order of the kernel: COMM, EXEC, then the maps of the new program. */
static void execs(void)
{
	task(HWPMC_LOG_PROCESS, 30, 30, 0, "shell");
	map(HWPMC_LOG_MAP_IN, 30, 0x1000, 0x1000, 0, "shell");
	task(HWPMC_LOG_FORK, 31, 31, 30, "shell");
	task(HWPMC_LOG_COMM, 31, 31, 0, "prog");
	exec(31);
	map(HWPMC_LOG_MAP_IN, 31, 0x8000, 0x1000, 0, "prog");
	check_text(at(31, 0x1000), "-", "what was mapped before the exec is gone");
	check_text(at(31, 0x8000), "prog+0", "what the exec mapped is there");
	check_text(at(30, 0x1000), "shell+0", "and its parent has what it had");
	task(HWPMC_LOG_COMM, 31, 31, 0, "prog");
	map(HWPMC_LOG_MAP_IN, 31, 0x9000, 0x1000, 0, "late");
	exec(31);
	check_text(at(31, 0x9000), "-", "of its old name, whatever that was, nothing stays");
}

static void many(void)
{
	for (int i = 0; i < 20000; i++) {
		task(HWPMC_LOG_FORK, 1000 + i, 1000 + i, 20, "many");
		map(HWPMC_LOG_MAP_IN, 1000 + i, 0x9000, 0x1000, 0, "m");
		task(HWPMC_LOG_EXIT, 1000 + i, 1000 + i, 0, "many");
	}
	check_text(at(1000 + 19999, 0x9000), "m+0", "who ended last is still known");
	check_text(at(1000, 0x9000), "-", "who ended long ago is not");
}

/*
 * A thread calls exec after the leader has exited, and takes over the leader's id, which exits for
 * a second time. Then the oldest entry, that of the first exit, is removed.
 */
static void risen(void)
{
	const int graves = 4096;

	task(HWPMC_LOG_PROCESS, 40, 40, 0, "risen");
	task(HWPMC_LOG_EXIT, 40, 40, 0, "risen");
	exec(40);
	for (int i = 1; i < graves; i++) {
		task(HWPMC_LOG_FORK, 1000 + i, 1000 + i, 20, "many");
		task(HWPMC_LOG_EXIT, 1000 + i, 1000 + i, 0, "many");
	}
	task(HWPMC_LOG_EXIT, 40, 40, 0, "prog");
	check(processes_comm(&processes, 40, 40) &&
	      !strcmp(processes_comm(&processes, 40, 40), "prog"),
	      "who ended twice is still known");
}

/* Two processes with the same number have ended. The older entry is removed first. */
static void reused(void)
{
	const int kept = 4096;

	task(HWPMC_LOG_FORK, 60, 60, 1, "old");
	task(HWPMC_LOG_EXIT, 60, 60, 0, "old");
	task(HWPMC_LOG_FORK, 60, 60, 1, "new");
	for (int i = 1; i < kept - 1; i++) {
		task(HWPMC_LOG_FORK, 1000 + i, 1000 + i, 20, "many");
		task(HWPMC_LOG_EXIT, 1000 + i, 1000 + i, 0, "many");
	}
	task(HWPMC_LOG_EXIT, 60, 60, 0, "new");
	task(HWPMC_LOG_FORK, 61, 61, 1, "last");
	task(HWPMC_LOG_EXIT, 61, 61, 0, "last");
	check(processes_comm(&processes, 60, 60) &&
	      !strcmp(processes_comm(&processes, 60, 60), "new"),
	      "a process is kept when an older one of its number is forgotten");
}

/* More processes exit than are kept. */
static void others(void)
{
	for (int i = 0; i < 5000; i++) {
		task(HWPMC_LOG_FORK, 200000, 200000, 1, "p");
		task(HWPMC_LOG_EXIT, 200000, 200000, 0, "p");
	}
}

/* pthread_exit() in main(): the leader exits, and the other threads continue to run. */
static void outlived(void)
{
	task(HWPMC_LOG_FORK, 50, 50, 1, "p");
	map(HWPMC_LOG_MAP_IN, 50, 0x1000, 0x1000, 0, "left");
	task(HWPMC_LOG_FORK, 50, 51, 50, "p");
	task(HWPMC_LOG_PROCESS, 50, 52, 0, "p");
	task(HWPMC_LOG_PROCESS, 50, 52, 0, "p");
	task(HWPMC_LOG_EXIT, 50, 50, 0, "p");
	task(HWPMC_LOG_EXIT, 50, 51, 0, "p");
	others();
	check_text(at(50, 0x1000), "left+0", "a process outlives its first thread");
	task(HWPMC_LOG_EXIT, 50, 52, 0, "p");
	check_text(at(50, 0x1000), "left+0", "ends with its last one");
	others();
	check_text(at(50, 0x1000), "-", "and is forgotten then");
}

/* A thread that calls exec becomes the leader; there is no EXIT for its former id. */
static void replaced(void)
{
	task(HWPMC_LOG_FORK, 60, 60, 1, "p");
	task(HWPMC_LOG_FORK, 60, 61, 60, "p");
	task(HWPMC_LOG_EXIT, 60, 60, 0, "p");
	exec(60);
	map(HWPMC_LOG_MAP_IN, 60, 0x1000, 0x1000, 0, "new");
	others();
	check_text(at(60, 0x1000), "new+0", "a process whose second thread has called exec");
	task(HWPMC_LOG_EXIT, 60, 60, 0, "p");
	others();
	check_text(at(60, 0x1000), "-", "waits for none of its old threads");
}

static void symbol(uint64_t start, const char *name)
{
	struct hwpmc_log_ksym *record = log_build(&sample_build, HWPMC_LOG_KSYM, sizeof(*record),
						  now++);

	record->start = start;
	record->name_offset = log_build_text(&sample_build, name);
	processes_take(&processes, &record->h);
}

static void symbols(void)
{
	check(!processes_kernel_symbol(&processes, 5), "no symbols");
	symbol(0x300, "three");
	symbol(0x100, "one");
	symbol(0x100, "alias");
	symbol(0x200, "two [mod]");
	check(!processes_kernel_symbol(&processes, 0xff), "below all symbols");
	check_text(processes_kernel_symbol(&processes, 0x1ff)->name, "one",
		   "the first of two names");
	check_text(processes_kernel_symbol(&processes, 0x200)->name, "two [mod]", "a module's");
	check_text(processes_kernel_symbol(&processes, ~0ULL)->name, "three", "the last one");
	symbol(0x180, "late");
	check_text(processes_kernel_symbol(&processes, 0x1ff)->name, "late", "one that came later");
}

static unsigned int ids;

static void count_id(struct mapped_file *file, void *context)
{
	(void)context;
	ids += file->build_id && file->build_id_size == 20 && !strcmp(file->path, "a");
}

static void build_ids(void)
{
	struct hwpmc_log_build_id *record = log_build(&sample_build, HWPMC_LOG_BUILD_ID,
						      sizeof(*record), now++);

	record->size = 20;
	record->path_offset = log_build_text(&sample_build, "a");
	processes_take(&processes, &record->h);
	processes_files(&processes, count_id, NULL);
	check(ids == 1, "a build-id goes to its file");
}

int main(void)
{
	processes_init(&processes);
	maps();
	map_ids();
	lives();
	execs();
	many();
	risen();
	reused();
	outlived();
	replaced();
	symbols();
	build_ids();
	processes_free(&processes);
	return check_result();
}
