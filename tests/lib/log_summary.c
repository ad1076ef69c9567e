// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "log_summary.h"

/* This program's build id: 20 bytes, after the note's header and "GNU". */
static const uint8_t *own_build_id(void)
{
	const Elf64_Phdr *part = (const void *)getauxval(AT_PHDR);

	for (unsigned long left = getauxval(AT_PHNUM); left--; part++) {
		const uint32_t *at = (const void *)part->p_vaddr;
		const uint32_t *end = at + part->p_memsz / 4;

		while (part->p_type == PT_NOTE && at < end) {
			if (at[0] == 4 && at[1] == 20 && at[2] == NT_GNU_BUILD_ID)
				return (const uint8_t *)(at + 4);
			at += 3 + (at[0] + 3) / 4 + (at[1] + 3) / 4;
		}
	}
	die("this program has no build-id");
}

/* Records of the second thread that the child creates after its exec. */
static void log_summary_thread(struct log_summary *s, const struct hwpmc_log_task *task)
{
	bool other = task->tid != task->pid && s->child_exec;

	if (task->h.type == HWPMC_LOG_FORK)
		s->child_thread = other && task->parent_pid == s->child &&
				  task->parent_tid == s->child;
	if (task->h.type == HWPMC_LOG_EXIT)
		s->child_thread_exit = other && s->child_thread && !task->parent_pid;
}

static void log_summary_child(struct log_summary *s, const struct hwpmc_log_header *h)
{
	const struct hwpmc_log_task *task = (const void *)h;
	const struct hwpmc_log_exec *exec = (const void *)h;
	const struct hwpmc_log_map *map = (const void *)h;
	bool thread = h->flags & HWPMC_TASK_THREAD;

	if ((h->type == HWPMC_LOG_FORK || h->type == HWPMC_LOG_EXIT) && thread &&
	    task->pid == s->child)
		log_summary_thread(s, task);
	if (h->type == HWPMC_LOG_COMM && task->pid == s->child && task->tid == s->child)
		s->child_name = !thread && !strcmp(task->comm, "renamed");
	if (h->type == HWPMC_LOG_FORK && task->pid == s->child && !thread)
		s->child_fork = task->parent_pid == getpid() && !s->child_exec;
	if (h->type == HWPMC_LOG_EXEC && exec->pid == s->child) {
		s->child_exec = !strcmp((const char *)h + exec->path_offset, "/proc/self/exe");
		s->child_map = false;
	}
	if (h->type == HWPMC_LOG_MAP_IN && map->pid == s->child && s->child_exec)
		s->child_map |= strstr((const char *)h + map->path_offset, "log_records") &&
				map->size && (map->prot & PROT_EXEC) && map->build_id_size == 20 &&
				!memcmp(map->build_id, own_build_id(), 20);
	if (h->type == HWPMC_LOG_EXIT && task->pid == s->child && !thread)
		s->child_exit = s->child_exec;
}

static void log_summary_one(struct log_summary *s, const struct hwpmc_log_header *h)
{
	const struct hwpmc_log_user *user = (const void *)h;

	s->records++;
	if (h->type < ARRAY_SIZE(s->types))
		s->types[h->type]++;
	if (h->type == HWPMC_LOG_USER) {
		s->cookies |= 1U << user->cookie;
		s->times[user->cookie] = h->time;
		s->text = user->text_offset &&
			  !strcmp((const char *)h + user->text_offset, "a text");
	}
	if (h->type == HWPMC_LOG_DROP)
		*(h->id ? &s->samples_lost : &s->lost) += ((const struct hwpmc_log_drop *)h)->lost;
	if (h->type == HWPMC_LOG_ALLOCATE)
		s->allocate = *(const struct hwpmc_log_allocate *)h;
	if (h->type == HWPMC_LOG_ATTACH)
		s->attach = *(const struct hwpmc_log_attach *)h;
	if (h->type == HWPMC_LOG_DETACH)
		s->detach = *(const struct hwpmc_log_attach *)h;
	if (h->type == HWPMC_LOG_CLOSE && h->length >= sizeof(struct hwpmc_log_close))
		s->unwritten = ((const struct hwpmc_log_close *)h)->lost;
	log_summary_child(s, h);
}

static int by_time(const void *one, const void *other)
{
	const struct hwpmc_log_header *a = *(const struct hwpmc_log_header *const *)one;
	const struct hwpmc_log_header *b = *(const struct hwpmc_log_header *const *)other;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* A log is not sorted across CPUs. */
void log_summary_add(struct log_summary *s, const char *at, size_t size)
{
	const struct hwpmc_log_header **list = calloc(size / 24 + 1, sizeof(*list));
	size_t done = 0, n = 0, i;

	while (size - done >= sizeof(struct hwpmc_log_header)) {
		const struct hwpmc_log_header *h = (const void *)(at + done);

		if (h->length < sizeof(*h) || h->length % 8 || h->length > size - done)
			break;
		s->first = done ? s->first : h->type == HWPMC_LOG_INITIALIZE;
		s->last = h->type == HWPMC_LOG_CLOSE;
		list[n++] = h;
		done += h->length;
	}
	qsort(list, n, sizeof(*list), by_time);
	for (i = 0; i < n; i++)
		log_summary_one(s, list[i]);
	free(list);
	s->whole = done == size;
}

struct log_summary log_summary_file(const char *path, pid_t child)
{
	struct log_summary s = { .child = child };
	int fd = open(path, O_RDONLY);
	struct stat st;
	char *at;

	if (fd < 0 || fstat(fd, &st))
		die("%s: %s", path, strerror(errno));
	at = malloc(st.st_size + 1);
	if (read(fd, at, st.st_size) != st.st_size)
		die("%s: %s", path, strerror(errno));
	log_summary_add(&s, at, st.st_size);
	free(at);
	close(fd);
	return s;
}
