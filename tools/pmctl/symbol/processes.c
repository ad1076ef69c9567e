// SPDX-License-Identifier: GPL-2.0-only
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/log_read.h"
#include "symbol/maps.h"

#define GRAVES	4096	/* tasks that have ended and are still known */

/**
 * struct space_task - a thread; the one whose number is its process's has the maps
 * @tid: thread
 * @pid: process
 * @generation: no other task has this number, and none has 0
 * @leader: generation of the task among whose @threads it is; 0: none
 * @threads: of its process that live, besides itself
 * @dead: it has ended
 * @named: @comm is known
 * @comm: its name
 * @maps: of its process
 */
struct space_task {
	int tid;
	int pid;
	uint64_t generation;
	uint64_t leader;
	uint32_t threads;
	bool dead;
	bool named;
	char comm[17];
	struct space_maps *maps;
};

struct space_grave {
	int tid;
	uint64_t generation;
};

void space_init(struct space *space)
{
	memset(space, 0, sizeof(*space));
	space->graves = xcalloc(GRAVES, sizeof(*space->graves));
	space->generation = 1;
}

static int compare_tasks(const void *a, const void *b)
{
	const struct space_task *one = a, *other = b;

	return (one->tid > other->tid) - (one->tid < other->tid);
}

static int compare_files(const void *a, const void *b)
{
	const struct space_file *one = a, *other = b;
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
	space_maps_drop(((struct space_task *)task)->maps);
	free(task);
}

static void free_file(void *entry)
{
	struct space_file *file = entry;

	free(file->path);
	free(file->build_id);
	free(file);
}

void space_free(struct space *space)
{
	tdestroy(space->tasks, free_task);
	tdestroy(space->files, free_file);
	for (size_t i = 0; i < space->symbol_count; i++)
		free(space->symbols[i].name);
	free(space->symbols);
	free(space->graves);
	memset(space, 0, sizeof(*space));
}

static struct space_task *find_task(struct space *space, int tid)
{
	struct space_task key = { .tid = tid };
	struct space_task **found;

	if (space->last && space->last->tid == tid)
		return space->last;
	found = tfind(&key, &space->tasks, compare_tasks);
	if (found)
		space->last = *found;
	return found ? *found : NULL;
}

static struct space_task *make_task(struct space *space, int pid, int tid)
{
	struct space_task *task = find_task(space, tid);

	if (task)
		return task;
	task = xcalloc(1, sizeof(*task));
	task->tid = tid;
	task->pid = pid;
	task->generation = space->generation++;
	if (!tsearch(task, &space->tasks, compare_tasks))
		/* As xcalloc() would: there is no memory. */
		abort();
	space->last = task;
	return task;
}

static void forget(struct space *space, const struct space_grave *grave)
{
	struct space_task *task = find_task(space, grave->tid);

	if (!task || !task->dead || task->threads || task->generation != grave->generation)
		return;
	tdelete(task, &space->tasks, compare_tasks);
	space->last = NULL;
	free_task(task);
}

/* @task is dead only if it has been here before; then it may be gone when this returns. */
static void lay(struct space *space, const struct space_task *task)
{
	struct space_grave *grave = &space->graves[space->buried % GRAVES];
	struct space_grave next = { .tid = task->tid, .generation = task->generation };

	if (space->buried++ >= GRAVES)
		forget(space, grave);
	*grave = next;
}

/* A thread lives: so long its process has its maps, though its first thread may have ended. */
static void join(struct space *space, struct space_task *task)
{
	struct space_task *leader;

	if (task->leader || task->tid == task->pid)
		return;
	leader = find_task(space, task->pid);
	if (!leader)
		return;
	leader->threads++;
	task->leader = leader->generation;
}

static void leave(struct space *space, struct space_task *task)
{
	struct space_task *leader = task->leader ? find_task(space, task->pid) : NULL;
	bool same = leader && leader->generation == task->leader;

	task->leader = 0;
	if (same && !--leader->threads && leader->dead)
		lay(space, leader);
}

/* A number that is used again is of somebody new. */
static struct space_task *new_task(struct space *space, int pid, int tid)
{
	struct space_task *task = make_task(space, pid, tid);

	leave(space, task);
	space_maps_drop(task->maps);
	*task = (struct space_task){
		.tid = tid,
		.pid = pid,
		.generation = space->generation++,
	};
	return task;
}

static void set_comm(struct space_task *task, const char comm[16])
{
	memcpy(task->comm, comm, 16);
	task->comm[16] = '\0';
	task->named = true;
}

static void bury(struct space *space, struct space_task *task)
{
	if (task->dead)
		return;
	leave(space, task);
	/* Its last thread takes it along. */
	if (!task->threads)
		lay(space, task);
	task->dead = true;
}

static void take_process(struct space *space, const struct hwpmc_log_task *record)
{
	struct space_task *task = make_task(space, record->pid, record->tid);

	/* It lives: whoever had the number before is gone. */
	if (task->dead)
		task = new_task(space, record->pid, record->tid);
	if (task->pid != record->pid)
		leave(space, task);
	task->pid = record->pid;
	join(space, task);
	set_comm(task, record->comm);
}

static void take_fork(struct space *space, const struct hwpmc_log_task *record)
{
	struct space_task *task = new_task(space, record->pid, record->tid), *parent;

	set_comm(task, record->comm);
	if (record->h.flags & HWPMC_TASK_THREAD) {
		join(space, task);
		return;
	}
	parent = find_task(space, record->parent_pid);
	if (parent && parent != task)
		task->maps = space_maps_share(parent->maps);
}

/* COMM, with the new name, came before it; what the new program has mapped comes behind it. */
static void take_exec(struct space *space, const struct hwpmc_log_exec *record)
{
	struct space_task *task = make_task(space, record->pid, record->pid);

	space_maps_renew(&task->maps, record->h.time);
	/* Its other threads are gone, and one may have taken the place of the first. */
	task->generation = space->generation++;
	task->threads = 0;
	task->dead = false;
	set_comm(task, record->comm);
}

static void take_comm(struct space *space, const struct hwpmc_log_task *record)
{
	set_comm(make_task(space, record->pid, record->tid), record->comm);
}

static void take_exit(struct space *space, const struct hwpmc_log_task *record)
{
	struct space_task *task = find_task(space, record->tid);

	if (task)
		bury(space, task);
}

static void set_build_id(struct space_file *file, const void *id, uint32_t size)
{
	free(file->build_id);
	file->build_id = xcalloc(1, size);
	memcpy(file->build_id, id, size);
	file->build_id_size = size;
}

static struct space_file *file_of(struct space *space, const struct hwpmc_log_map *record)
{
	struct space_file key = {
		.path = (char *)log_text(record, record->path_offset),
		.inode = record->inode,
		.dev_major = record->dev_major,
		.dev_minor = record->dev_minor,
	}, **found = tfind(&key, &space->files, compare_files), *file;

	if (found)
		return *found;
	file = xcalloc(1, sizeof(*file));
	*file = key;
	file->path = xstrdup(key.path);
	if (!tsearch(file, &space->files, compare_files))
		abort();
	return file;
}

static void take_map_in(struct space *space, const struct hwpmc_log_map *record)
{
	struct space_map map = {
		.start = record->start,
		.last = record->start + record->size - 1,
		.file_offset = record->file_offset,
		.time = record->h.time,
		.prot = record->prot,
	};

	if (!record->size)
		return;
	map.file = file_of(space, record);
	if (record->build_id_size)
		set_build_id(map.file, record->build_id, record->build_id_size);
	space_maps_add(&make_task(space, record->pid, record->pid)->maps, &map);
}

static void take_map_out(struct space *space, const struct hwpmc_log_map *record)
{
	struct space_task *task = find_task(space, record->pid);

	if (task && record->size)
		space_maps_remove(&task->maps, record->start, record->start + record->size - 1);
}

static void take_symbol(struct space *space, const struct hwpmc_log_ksym *record)
{
	if (space->symbol_count == space->symbol_room) {
		space->symbol_room = space->symbol_room ? 2 * space->symbol_room : 4096;
		space->symbols = xrealloc(space->symbols, space->symbol_room,
					  sizeof(*space->symbols));
	}
	space->symbols[space->symbol_count] = (struct space_symbol){
		.start = record->start,
		.name = xstrdup(log_text(record, record->name_offset)),
		.order = space->symbol_count,
	};
	space->symbol_count++;
	space->sorted = false;
}

static void take_build_id(struct space_file *file, void *context)
{
	const struct hwpmc_log_build_id *record = context;

	/* What the kernel told is of the very file that was mapped. */
	if (!file->build_id && !strcmp(file->path, log_text(record, record->path_offset)))
		set_build_id(file, record->build_id, record->size);
}

void space_take(struct space *space, const struct hwpmc_log_header *record)
{
	switch (record->type) {
	case HWPMC_LOG_PROCESS:
		take_process(space, (const void *)record);
		break;
	case HWPMC_LOG_FORK:
		take_fork(space, (const void *)record);
		break;
	case HWPMC_LOG_EXEC:
		take_exec(space, (const void *)record);
		break;
	case HWPMC_LOG_EXIT:
		take_exit(space, (const void *)record);
		break;
	case HWPMC_LOG_COMM:
		take_comm(space, (const void *)record);
		break;
	case HWPMC_LOG_MAP_IN:
		take_map_in(space, (const void *)record);
		break;
	case HWPMC_LOG_MAP_OUT:
		take_map_out(space, (const void *)record);
		break;
	case HWPMC_LOG_KSYM:
		take_symbol(space, (const void *)record);
		break;
	case HWPMC_LOG_BUILD_ID:
		space_files(space, take_build_id, (void *)record);
		break;
	default:
		break;
	}
}

const struct space_map *space_find(struct space *space, int pid, uint64_t address)
{
	const struct space_task *task = find_task(space, pid);

	return task ? space_maps_find(task->maps, address) : NULL;
}

bool space_any(struct space *space, int pid, uint64_t start, uint64_t last)
{
	const struct space_task *task = find_task(space, pid);

	return task && space_maps_any(task->maps, start, last);
}

const char *space_comm(struct space *space, int pid, int tid)
{
	const struct space_task *task = find_task(space, tid);

	if (!task || !task->named)
		task = find_task(space, pid);
	return task && task->named ? task->comm : NULL;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct space_symbol *one = a, *other = b;

	if (one->start != other->start)
		return one->start > other->start ? 1 : -1;
	return (one->order > other->order) - (one->order < other->order);
}

const struct space_symbol *space_symbol(struct space *space, uint64_t address)
{
	size_t low = 0, high = space->symbol_count;

	if (!space->sorted && high)
		qsort(space->symbols, high, sizeof(*space->symbols), compare_symbols);
	space->sorted = true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->symbols[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* Of several names at one address, the one that came first. */
	while (low > 1 && space->symbols[low - 2].start == space->symbols[low - 1].start)
		low--;
	return low ? &space->symbols[low - 1] : NULL;
}

struct visit {
	void (*each)(struct space_file *file, void *context);
	void *context;
};

static void visit_file(const void *node, VISIT which, void *context)
{
	const struct visit *visit = context;

	if (which == postorder || which == leaf)
		visit->each(*(struct space_file *const *)node, visit->context);
}

void space_files(const struct space *space, void (*visit)(struct space_file *file, void *context),
		 void *context)
{
	struct visit both = { visit, context };

	twalk_r(space->files, visit_file, &both);
}
