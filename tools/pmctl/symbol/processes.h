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

#include "symbol/maps.h"

#define PROCESSES_KERNEL	(-1)	/* as a process id: the kernel's maps (modules) */

/**
 * struct kernel_symbol - of the kernel
 * @start: it goes from here to the next symbol
 * @name: "name", or "name [module]"; it stays where it is, for good
 * @order: in which it came
 */
struct kernel_symbol {
	uint64_t start;
	char *name;
	size_t order;
};

/**
 * struct processes - all address spaces
 * @tasks: tsearch() tree of struct task, by thread id
 * @last: the task that was looked up last, or NULL
 * @ended: the tasks that ended last: they stay for a while, since their last
 *	samples may come after their ends. A process that has a thread left is not among them
 * @ended_count: how many tasks have ended
 * @generation: number of the next task
 * @files: tsearch() tree of struct mapped_file
 * @symbols: of the kernel
 * @symbol_count: how many
 * @symbol_room: how many there may be
 * @sorted: @symbols are in the order of their addresses
 */
struct processes {
	void *tasks;
	struct task *last;
	struct ended_task *ended;
	uint64_t ended_count;
	uint64_t generation;
	void *files;
	struct kernel_symbol *symbols;
	size_t symbol_count;
	size_t symbol_room;
	bool sorted;
};

void processes_init(struct processes *processes);
void processes_free(struct processes *processes);

/**
 * processes_take() - learn from a record
 * @processes: what is known so far
 * @record: a checked one of any type; in the order of time (log_merge_next())
 *
 * Uses PROCESS, FORK, EXEC, EXIT, COMM, MAP_IN, MAP_OUT, KSYM and BUILD_ID. A
 * fork inherits the maps, an exec drops them.
 */
void processes_take(struct processes *processes, const struct hwpmc_log_header *record);

/**
 * processes_map() - what is mapped at an address
 * @processes: what is known so far
 * @pid: process, or PROCESSES_KERNEL
 * @address: in it
 *
 * Return: the map, valid until the next processes_take(); NULL if there is none.
 * @address - start + file_offset is the place in its file.
 */
const struct map *processes_map(struct processes *processes, int pid, uint64_t address);

/* Whether anything is mapped from @start up to @last. */
bool processes_any_map(struct processes *processes, int pid, uint64_t start, uint64_t last);

/**
 * processes_comm() - the name of a thread
 * @processes: what is known so far
 * @pid: its process; asked if the thread is not known
 * @tid: the thread
 *
 * Return: its name now, valid until the next processes_take(); NULL if it is not known.
 */
const char *processes_comm(struct processes *processes, int pid, int tid);

/**
 * processes_kernel_symbol() - the kernel's symbol at an address
 * @processes: what is known so far
 * @address: of the kernel
 *
 * Return: the symbol, valid until the next processes_take(), though its name stays;
 * NULL if the log has no such symbol.
 */
const struct kernel_symbol *processes_kernel_symbol(struct processes *processes, uint64_t address);

/* Calls @visit for every file that was mapped so far. */
void processes_files(const struct processes *processes,
		     void (*visit)(struct mapped_file *file, void *context),
		     void *context);

#endif
