// SPDX-License-Identifier: GPL-2.0-only
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/log_record.h"
#include "symbol/maps.h"
#include "symbol/processes.h"

#define ENDED_MAX	4096	/* ended tasks that are kept */

/**
 * struct task - a thread; the thread group leader has the maps
 * @tid: thread id
 * @pid: process id
 * @generation: a unique number, never 0: thread ids are reused
 * @leader: generation of the leader that counts it in @threads; 0: none
 * @threads: of a leader: number of the other threads of its process that have not exited
 * @dead: it has exited
 * @named: @comm is valid
 * @comm: its name
 * @maps: of a leader: the maps of its process
 */
struct task {
	int tid;
	int pid;
	uint64_t generation;
	uint64_t leader;
	uint32_t threads;
	bool dead;
	bool named;
	struct task_name comm;
	struct maps *maps;
};

struct ended_task {
	int tid;
	uint64_t generation;
};

void processes_init(struct processes *processes)
{
	memset(processes, 0, sizeof(*processes));
	processes->ended = xcalloc(ENDED_MAX, sizeof(*processes->ended));
	processes->generation = 1;
}

static int compare_tasks(const void *a, const void *b)
{
	const struct task *one = a, *other = b;

	return (one->tid > other->tid) - (one->tid < other->tid);
}

static int compare_files(const void *a, const void *b)
{
	const struct mapped_file *one = a, *other = b;
	int order = strcmp(one->path, other->path);

	if (order)
		return order;
	if (one->inode != other->inode)
		return one->inode > other->inode ? 1 : -1;
	if (one->dev_major != other->dev_major)
		return one->dev_major > other->dev_major ? 1 : -1;
	return (one->dev_minor > other->dev_minor) - (one->dev_minor < other->dev_minor);
}

static void free_task(void *task)
{
	maps_drop(((struct task *)task)->maps);
	free(task);
}

static void free_file(void *entry)
{
	struct mapped_file *file = entry;

	free(file->path);
	free(file->build_id);
	free(file);
}

void processes_free(struct processes *processes)
{
	tdestroy(processes->tasks, free_task);
	tdestroy(processes->files, free_file);
	for (size_t i = 0; i < processes->symbol_count; i++)
		free(processes->symbols[i].name);
	free(processes->symbols);
	free(processes->ended);
	memset(processes, 0, sizeof(*processes));
}

static struct task **recent(struct processes *processes, int tid)
{
	return &processes->recent[(unsigned int)tid % PROCESSES_RECENT];
}

static struct task *find_task(struct processes *processes, int tid)
{
	struct task key = { .tid = tid };
	struct task **cached = recent(processes, tid), **found;

	if (*cached && (*cached)->tid == tid)
		return *cached;
	found = tfind(&key, &processes->tasks, compare_tasks);
	if (found)
		*cached = *found;
	return found ? *found : NULL;
}

static struct task *make_task(struct processes *processes, int pid, int tid)
{
	struct task *task = find_task(processes, tid);

	if (task)
		return task;
	task = xcalloc(1, sizeof(*task));
	task->tid = tid;
	task->pid = pid;
	task->generation = processes->generation++;
	if (!tsearch(task, &processes->tasks, compare_tasks))
		/* Out of memory. */
		abort();
	*recent(processes, tid) = task;
	return task;
}

static void forget_task(struct processes *processes, const struct ended_task *ended)
{
	struct task *task = find_task(processes, ended->tid);

	if (!task || !task->dead || task->threads || task->generation != ended->generation)
		return;
	tdelete(task, &processes->tasks, compare_tasks);
	/* find_task() has stored it there. */
	*recent(processes, task->tid) = NULL;
	free_task(task);
}

/*
 * Keeps an ended task until ENDED_MAX others have ended, and removes the oldest one. That may be
 * @task itself if it was kept before: do not use @task afterwards.
 */
static void keep_ended(struct processes *processes, const struct task *task)
{
	struct ended_task *ended = &processes->ended[processes->ended_count % ENDED_MAX];
	struct ended_task next = { .tid = task->tid, .generation = task->generation };

	if (processes->ended_count++ >= ENDED_MAX)
		forget_task(processes, ended);
	*ended = next;
}

/* Counts a thread with its leader: the maps are kept while any thread of the process lives. */
static void join_leader(struct processes *processes, struct task *task)
{
	struct task *leader;

	if (task->leader || task->tid == task->pid)
		return;
	leader = find_task(processes, task->pid);
	if (!leader)
		return;
	leader->threads++;
	task->leader = leader->generation;
}

static void leave_leader(struct processes *processes, struct task *task)
{
	struct task *leader = task->leader ? find_task(processes, task->pid) : NULL;
	bool same = leader && leader->generation == task->leader;

	task->leader = 0;
	if (same && !--leader->threads && leader->dead)
		keep_ended(processes, leader);
}

/* A thread id may be reused: resets the task. */
static struct task *new_task(struct processes *processes, int pid, int tid)
{
	struct task *task = make_task(processes, pid, tid);

	leave_leader(processes, task);
	maps_drop(task->maps);
	*task = (struct task){
		.tid = tid,
		.pid = pid,
		.generation = processes->generation++,
	};
	return task;
}

static void set_comm(struct task *task, const char comm[16])
{
	memcpy(task->comm.text, comm, 16);
	task->comm.text[16] = '\0';
	task->comm.number = 0;
	task->named = true;
}

static void end_task(struct processes *processes, struct task *task)
{
	if (task->dead)
		return;
	leave_leader(processes, task);
	/* Otherwise leave_leader() does this for the last of its threads. */
	if (!task->threads)
		keep_ended(processes, task);
	task->dead = true;
}

static void take_process(struct processes *processes, const struct hwpmc_log_task *record)
{
	struct task *task = make_task(processes, record->pid, record->tid);

	/* The thread id was reused. */
	if (task->dead)
		task = new_task(processes, record->pid, record->tid);
	if (task->pid != record->pid)
		leave_leader(processes, task);
	task->pid = record->pid;
	join_leader(processes, task);
	set_comm(task, record->comm);
}

static void take_fork(struct processes *processes, const struct hwpmc_log_task *record)
{
	struct task *task = new_task(processes, record->pid, record->tid), *parent;

	set_comm(task, record->comm);
	if (record->h.flags & HWPMC_TASK_THREAD) {
		join_leader(processes, task);
		return;
	}
	parent = find_task(processes, record->parent_pid);
	if (parent && parent != task)
		task->maps = maps_share(parent->maps);
}

/* The maps of the new program have the time of EXEC or a later one: older ones are removed. */
static void take_exec(struct processes *processes, const struct hwpmc_log_exec *record)
{
	struct task *task = make_task(processes, record->pid, record->pid);

	maps_renew(&task->maps, record->h.time);
	/* exec ends all other threads; one that calls exec takes over the id of the leader. */
	task->generation = processes->generation++;
	task->threads = 0;
	task->dead = false;
	set_comm(task, record->comm);
}

static void take_comm(struct processes *processes, const struct hwpmc_log_task *record)
{
	set_comm(make_task(processes, record->pid, record->tid), record->comm);
}

static void take_exit(struct processes *processes, const struct hwpmc_log_task *record)
{
	struct task *task = find_task(processes, record->tid);

	if (task)
		end_task(processes, task);
}

static void set_build_id(struct mapped_file *file, const void *id, uint32_t size)
{
	free(file->build_id);
	file->build_id = xcalloc(1, size);
	memcpy(file->build_id, id, size);
	file->build_id_size = size;
}

static struct mapped_file *file_of(struct processes *processes, const struct hwpmc_log_map *record)
{
	struct mapped_file key = {
		.path = (char *)log_record_text(record, record->path_offset),
		.inode = record->inode,
		.dev_major = record->dev_major,
		.dev_minor = record->dev_minor,
	}, **found = tfind(&key, &processes->files, compare_files), *file;

	if (found)
		return *found;
	file = xcalloc(1, sizeof(*file));
	*file = key;
	file->path = xstrdup(key.path);
	if (!tsearch(file, &processes->files, compare_files))
		abort();
	return file;
}

static void take_map_in(struct processes *processes, const struct hwpmc_log_map *record)
{
	struct map map = {
		.start = record->start,
		.last = record->start + record->size - 1,
		.file_offset = record->file_offset,
		.time = record->h.time,
		.prot = record->prot,
	};

	if (!record->size)
		return;
	map.file = file_of(processes, record);
	if (record->build_id_size)
		set_build_id(map.file, record->build_id, record->build_id_size);
	maps_add(&make_task(processes, record->pid, record->pid)->maps, &map);
}

static void take_map_out(struct processes *processes, const struct hwpmc_log_map *record)
{
	struct task *task = find_task(processes, record->pid);

	if (task && record->size)
		maps_remove(&task->maps, record->start, record->start + record->size - 1);
}

static void take_symbol(struct processes *processes, const struct hwpmc_log_ksym *record)
{
	if (processes->symbol_count == processes->symbol_room) {
		processes->symbol_room = processes->symbol_room ? 2 * processes->symbol_room : 4096;
		processes->symbols = xrealloc(processes->symbols, processes->symbol_room,
					      sizeof(*processes->symbols));
	}
	processes->symbols[processes->symbol_count] = (struct kernel_symbol){
		.start = record->start,
		.name = xstrdup(log_record_text(record, record->name_offset)),
		.order = processes->symbol_count,
	};
	processes->symbol_count++;
	processes->sorted = false;
}

static void take_build_id(struct mapped_file *file, void *context)
{
	const struct hwpmc_log_build_id *record = context;

	/* A build-id from MAP_IN belongs to the file that was actually mapped: keep it. */
	if (!file->build_id && !strcmp(file->path, log_record_text(record, record->path_offset)))
		set_build_id(file, record->build_id, record->size);
}

void processes_take(struct processes *processes, const struct hwpmc_log_header *record)
{
	switch (record->type) {
	case HWPMC_LOG_PROCESS:
		take_process(processes, (const void *)record);
		break;
	case HWPMC_LOG_FORK:
		take_fork(processes, (const void *)record);
		break;
	case HWPMC_LOG_EXEC:
		take_exec(processes, (const void *)record);
		break;
	case HWPMC_LOG_EXIT:
		take_exit(processes, (const void *)record);
		break;
	case HWPMC_LOG_COMM:
		take_comm(processes, (const void *)record);
		break;
	case HWPMC_LOG_MAP_IN:
		take_map_in(processes, (const void *)record);
		break;
	case HWPMC_LOG_MAP_OUT:
		take_map_out(processes, (const void *)record);
		break;
	case HWPMC_LOG_KSYM:
		take_symbol(processes, (const void *)record);
		break;
	case HWPMC_LOG_BUILD_ID:
		processes_files(processes, take_build_id, (void *)record);
		break;
	default:
		break;
	}
}

const struct map *processes_map(struct processes *processes, int pid, uint64_t address)
{
	const struct task *task = find_task(processes, pid);

	return task ? maps_find(task->maps, address) : NULL;
}

bool processes_any_map(struct processes *processes, int pid, uint64_t start, uint64_t last)
{
	const struct task *task = find_task(processes, pid);

	return task && maps_any(task->maps, start, last);
}

struct task_name *processes_name(struct processes *processes, int pid, int tid)
{
	struct task *task = find_task(processes, tid);

	if (!task || !task->named)
		task = find_task(processes, pid);
	return task && task->named ? &task->comm : NULL;
}

const char *processes_comm(struct processes *processes, int pid, int tid)
{
	const struct task_name *name = processes_name(processes, pid, tid);

	return name ? name->text : NULL;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct kernel_symbol *one = a, *other = b;

	if (one->start != other->start)
		return one->start > other->start ? 1 : -1;
	return (one->order > other->order) - (one->order < other->order);
}

const struct kernel_symbol *processes_kernel_symbol(struct processes *processes, uint64_t address)
{
	size_t low = 0, high = processes->symbol_count;

	if (!processes->sorted && high)
		qsort(processes->symbols, high, sizeof(*processes->symbols), compare_symbols);
	processes->sorted = true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (processes->symbols[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* If several names have one address, use the one that was logged first. */
	while (low > 1 && processes->symbols[low - 2].start == processes->symbols[low - 1].start)
		low--;
	return low ? &processes->symbols[low - 1] : NULL;
}

uint64_t processes_kernel_symbol_end(struct processes *processes,
				     const struct kernel_symbol *symbol)
{
	const struct kernel_symbol *last = processes->symbols + processes->symbol_count;

	for (const struct kernel_symbol *next = symbol; next < last; next++)
		if (next->start > symbol->start)
			return next->start;
	return UINT64_MAX;
}

struct visit {
	void (*each)(struct mapped_file *file, void *context);
	void *context;
};

static void visit_file(const void *node, VISIT which, void *context)
{
	const struct visit *visit = context;

	if (which == postorder || which == leaf)
		visit->each(*(struct mapped_file *const *)node, visit->context);
}

void processes_files(const struct processes *processes,
		     void (*visit)(struct mapped_file *file, void *context),
		     void *context)
{
	struct visit both = { visit, context };

	twalk_r(processes->files, visit_file, &both);
}
