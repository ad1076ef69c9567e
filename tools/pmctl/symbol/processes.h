/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processes and threads at the time of the last record that was taken, with their names
 * and maps, and the symbols of the kernel.
 */
#ifndef PMCTL_PROCESSES_H
#define PMCTL_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/hwpmc_log.h>

#include "symbol/maps.h"

#define PROCESSES_KERNEL	(-1)	/* as a process id: the kernel's maps (modules) */
#define PROCESSES_RECENT	256	/* tasks that are cached; a power of two */

/**
 * struct kernel_symbol - a symbol of the kernel
 * @start: its address; it ends at the next symbol
 * @name: "name" or "name [module]"; valid until processes_free()
 * @order: its position in the log
 */
struct kernel_symbol {
	uint64_t start;
	char *name;
	size_t order;
};

/**
 * struct task_name - the name of a thread
 * @text: the name
 * @number: private to the user of struct processes; 0 when the name is new
 */
struct task_name {
	char text[17];
	uint32_t number;
};

/**
 * struct processes - all processes
 * @tasks: tsearch() tree of struct task, by thread id
 * @recent: a cache of tasks that were looked up last, by thread id
 * @ended: ring of the tasks that ended last. They are kept because their last samples may
 *	be logged after EXIT. A process with a remaining thread is not in it
 * @ended_count: number of tasks that have ended
 * @generation: number of the next task
 * @files: tsearch() tree of struct mapped_file
 * @symbols: symbols of the kernel
 * @symbol_count: number of symbols
 * @symbol_room: allocated length of @symbols
 * @sorted: @symbols are sorted by address
 */
struct processes {
	void *tasks;
	struct task *recent[PROCESSES_RECENT];
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
 * processes_take() - update from a record
 * @processes: the state so far
 * @record: a checked record of any type, in the order of time: see log_merge_next()
 *
 * Uses PROCESS, FORK, EXEC, EXIT, COMM, MAP_IN, MAP_OUT, KSYM and BUILD_ID. A
 * fork inherits the maps, an exec removes them.
 */
void processes_take(struct processes *processes, const struct hwpmc_log_header *record);

/**
 * processes_map() - find the map at an address
 * @processes: the state so far
 * @pid: process, or PROCESSES_KERNEL
 * @address: an address in it
 *
 * Return: the map, valid until the next processes_take(); NULL if there is none.
 * @address - start + file_offset is the offset in its file.
 */
const struct map *processes_map(struct processes *processes, int pid, uint64_t address);

/* Whether anything is mapped from @start to @last. */
bool processes_any_map(struct processes *processes, int pid, uint64_t start, uint64_t last);

/**
 * processes_comm() - the name of a thread
 * @processes: the state so far
 * @pid: its process, whose name is used if the thread is unknown
 * @tid: the thread
 *
 * Return: its name now, valid until the next processes_take(); NULL if it is unknown.
 */
const char *processes_comm(struct processes *processes, int pid, int tid);

/* The same, as a struct task_name. */
struct task_name *processes_name(struct processes *processes, int pid, int tid);

/**
 * processes_kernel_symbol() - the kernel's symbol at an address
 * @processes: the state so far
 * @address: an address of the kernel
 *
 * Return: the symbol, valid until the next processes_take(), its name longer;
 * NULL if the log has no such symbol.
 */
const struct kernel_symbol *processes_kernel_symbol(struct processes *processes, uint64_t address);

/* The address at which the next symbol begins; of the last symbol UINT64_MAX. */
uint64_t processes_kernel_symbol_end(struct processes *processes,
				     const struct kernel_symbol *symbol);

/* Calls @visit for every file that was mapped so far. */
void processes_files(const struct processes *processes,
		     void (*visit)(struct mapped_file *file, void *context),
		     void *context);

#endif
