/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who was who, and what was mapped where, at the time of the record that was
 * taken last: processes, threads, their names, their maps; the kernel's symbols.
 */
#ifndef PMCTL_PROCESSES_H
#define PMCTL_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/hwpmc_log.h>

#define SPACE_KERNEL	(-1)	/* as a process id: the kernel's maps (modules) */

/**
 * struct space_file - a file that was mapped; it stays where it is, for good
 * @path: of it; "[vdso]", "//anon" and such are no files
 * @inode: of it; 0 none
 * @dev_major: of its device
 * @dev_minor: likewise
 * @build_id: NULL until a MAP_IN or BUILD_ID record told it; the latter come at the log's end
 * @build_id_size: in bytes
 * @data: the caller's own, NULL at first
 */
struct space_file {
	char *path;
	uint64_t inode;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint8_t *build_id;
	uint32_t build_id_size;
	void *data;
};

/**
 * struct space_map - a part of an address space
 * @start: first address
 * @last: last address
 * @file_offset: of @start in the file, in bytes
 * @time: when it was mapped, or was seen to be
 * @prot: PROT_*
 * @file: what is mapped
 */
struct space_map {
	uint64_t start;
	uint64_t last;
	uint64_t file_offset;
	uint64_t time;
	uint32_t prot;
	struct space_file *file;
};

/**
 * struct space_symbol - of the kernel
 * @start: it goes from here to the next symbol
 * @name: "name", or "name [module]"; it stays where it is, for good
 * @order: in which it came
 */
struct space_symbol {
	uint64_t start;
	char *name;
	size_t order;
};

/**
 * struct space - all address spaces
 * @tasks: tsearch() tree of struct space_task, by thread id
 * @last: the task that was looked up last, or NULL
 * @graves: the tasks that ended last: they stay for a while, since their last
 *	samples may come after their ends. A process that has a thread left is not among them
 * @buried: how many tasks have ended
 * @generation: number of the next task
 * @files: tsearch() tree of struct space_file
 * @symbols: of the kernel
 * @symbol_count: how many
 * @symbol_room: how many there may be
 * @sorted: @symbols are in the order of their addresses
 */
struct space {
	void *tasks;
	struct space_task *last;
	struct space_grave *graves;
	uint64_t buried;
	uint64_t generation;
	void *files;
	struct space_symbol *symbols;
	size_t symbol_count;
	size_t symbol_room;
	bool sorted;
};

void space_init(struct space *space);
void space_free(struct space *space);

/**
 * space_take() - learn from a record
 * @space: what is known so far
 * @record: a checked one of any type; in the order of time (log_merge_next())
 *
 * Uses PROCESS, FORK, EXEC, EXIT, COMM, MAP_IN, MAP_OUT, KSYM and BUILD_ID. A
 * fork inherits the maps, an exec drops them.
 */
void space_take(struct space *space, const struct hwpmc_log_header *record);

/**
 * space_find() - what is mapped at an address
 * @space: what is known so far
 * @pid: process, or SPACE_KERNEL
 * @address: in it
 *
 * Return: the map, valid until the next space_take(); NULL if there is none.
 * @address - start + file_offset is the place in its file.
 */
const struct space_map *space_find(struct space *space, int pid, uint64_t address);

/* Whether anything is mapped from @start up to @last. */
bool space_any(struct space *space, int pid, uint64_t start, uint64_t last);

/**
 * space_comm() - the name of a thread
 * @space: what is known so far
 * @pid: its process; asked if the thread is not known
 * @tid: the thread
 *
 * Return: its name now, valid until the next space_take(); NULL if it is not known.
 */
const char *space_comm(struct space *space, int pid, int tid);

/**
 * space_symbol() - the kernel's symbol at an address
 * @space: what is known so far
 * @address: of the kernel
 *
 * Return: the symbol, valid until the next space_take(), though its name stays;
 * NULL if the log has no such symbol.
 */
const struct space_symbol *space_symbol(struct space *space, uint64_t address);

/* Calls @visit for every file that was mapped so far. */
void space_files(const struct space *space, void (*visit)(struct space_file *file, void *context),
		 void *context);

#endif
