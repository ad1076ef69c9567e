// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a log has about targets and modules: name and program of a process, also if nothing is
 * sampled; the start address of an executed program; modules that were loaded before; and a target
 * that is lost.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "exact.h"
#include "file.h"
#include "ring.h"
#include "test_class.h"

#define PLAIN	"/tmp/targets-plain"
#define SETUID	"/tmp/targets-setuid"
#define ROOM	(1 << 20)

/* All records of read(2), one after the other. */
static char log_read[ROOM];
static size_t log_size;

static void read_log(int fd)
{
	ssize_t n;

	log_size = 0;
	while ((n = read(fd, log_read + log_size, ROOM - log_size)) > 0)
		log_size += n;
}

/* The next record of @type after @from (NULL: the first). */
static const struct hwpmc_log_header *find(unsigned int type, const struct hwpmc_log_header *from)
{
	size_t at = from ? (size_t)((const char *)from - log_read) + from->length : 0;

	for (; at < log_size; at += from->length) {
		from = (const void *)(log_read + at);
		if (from->type == type)
			return from;
	}
	return NULL;
}

static const char *text(const void *record, uint32_t offset)
{
	return (const char *)record + offset;
}

static void make_rings(int fd)
{
	if (dev_rings(fd, 65536) || fcntl(fd, F_SETFL, O_NONBLOCK))
		die("rings: %s", dev_sentence(fd));
}

/* A process that runs @path is followed by a PMC that only counts. */
static void described(const char *what, bool sampling)
{
	int fd = dev_open();
	uint32_t id = sampling ? dev_sampler(fd, -1, EV_INSTRUCTIONS, 100000, HWPMC_CAP_USER, 0) :
				 dev_instructions(fd, HWPMC_F_LOG_PROCEXIT);
	const struct hwpmc_log_process *process;
	const struct hwpmc_log_exec *exec;
	struct agent p = agent_start_program(PLAIN, NULL, NULL);

	make_rings(fd);
	if (dev_attach(fd, id, p.pid, 0) || dev_start(fd, id))
		die("%s: %s", what, dev_sentence(fd));
	read_log(fd);
	process = (const void *)find(HWPMC_LOG_PROCESS, NULL);
	check(process && process->task.pid == p.pid && !strcmp(process->task.comm, "targets-plain"),
	      "%s: PROCESS has the name of the target: %s", what,
	      process ? process->task.comm : "none");
	check(process && process->task.h.length > sizeof(*process) &&
	      !strcmp(text(process, process->path_offset), PLAIN),
	      "%s: PROCESS has the program of the target", what);
	check(!find(HWPMC_LOG_MAP_IN, NULL) == !sampling, "%s: %s", what,
	      sampling ? "MAP_IN records" : "no MAP_IN record");
	check(agent_exec(&p, PLAIN), "%s: (the target executes a program)", what);
	read_log(fd);
	exec = (const void *)find(HWPMC_LOG_EXEC, NULL);
	/* The program has a fixed address, the same as in this process. */
	check(exec && exec->path_offset >= sizeof(*exec) && exec->entry == getauxval(AT_ENTRY),
	      "%s: EXEC has the address at which the program begins: %#llx", what,
	      (unsigned long long)(exec && exec->path_offset >= sizeof(*exec) ? exec->entry : 0));
	agent_reap(&p);
	close(fd);
}

/* Returns the MAP_IN record of a module that was loaded before the log was opened, or NULL. */
static const struct hwpmc_log_map *module_in_log(const char *name)
{
	const struct hwpmc_log_header *h = NULL;
	char want[80];

	snprintf(want, sizeof(want), "[%s]", name);
	while ((h = find(HWPMC_LOG_MAP_IN, h))) {
		const struct hwpmc_log_map *map = (const void *)h;

		if (map->pid == -1 && !strcmp(text(map, map->path_offset), want))
			return map;
	}
	return NULL;
}

static uint64_t text_of_module(const char *name)
{
	char path[128];
	unsigned long long at = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s/sections/.text", name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llx", &at) != 1)
		die("%s: %s", path, strerror(errno));
	fclose(f);
	return at;
}

static void modules(void)
{
	FILE *f = fopen("/proc/modules", "r");
	unsigned int loaded = 0, logged = 0;
	const struct hwpmc_log_map *map;
	char name[64];
	int fd;

	for (int user = 0; user < 2; user++) {
		uint32_t id;

		fd = dev_open();
		id = dev_sampler(fd, -1, EV_INSTRUCTIONS, 1000000,
				 user ? HWPMC_CAP_USER : HWPMC_CAP_SYSTEM, 0);
		make_rings(fd);
		if (dev_attach(fd, id, 0, 0) || dev_start(fd, id) || dev_stop(fd, id))
			die("modules: %s", dev_sentence(fd));
		read_log(fd);
		if (user)
			break;
		map = module_in_log("hwpmc");
		check(map && (map->h.flags & HWPMC_MAP_EXISTS) && (map->prot & PROT_EXEC) &&
		      text_of_module("hwpmc") - map->start < map->size,
		      "a module that is loaded before START has a MAP_IN record");
		while (f && fscanf(f, "%63s%*[^\n]", name) == 1) {
			loaded++;
			logged += !!module_in_log(name);
		}
		check(loaded && logged == loaded, "so has each of %u loaded modules: %u", loaded, logged);
		close(fd);
	}
	check(!module_in_log("hwpmc"), "an owner that samples only user mode gets no module");
	close(fd);
	fclose(f);
}

/* A user follows two processes and loses one, which executes a set-user-ID program. */
static void lost(void *arg)
{
	struct agent keep = agent_start(NULL, NULL), lose = agent_start(NULL, NULL);
	uint32_t id = dev_instructions(user_fd, 0);
	struct pollfd p = { .fd = user_fd, .events = POLLIN };
	const struct hwpmc_log_attach *detach;

	(void)arg;
	make_rings(user_fd);
	if (dev_attach(user_fd, id, keep.pid, 0) || dev_attach(user_fd, id, lose.pid, 0) ||
	    dev_start(user_fd, id))
		die("lost: %s", dev_sentence(user_fd));
	read_log(user_fd);
	check(!poll(&p, 1, 0), "lost: nothing is to be read");
	check(agent_exec(&lose, PLAIN), "lost: (a target executes a program)");
	check(!poll(&p, 1, 0), "lost: records below the watermark wake nobody");
	check(agent_exec(&lose, SETUID), "lost: (a target executes a set-user-ID program)");
	check(poll(&p, 1, 1000 * PATIENCE) == 1 && (p.revents & POLLIN) && !(p.revents & POLLHUP),
	      "lost: poll returns POLLIN for the lost target: %#x", p.revents);
	read_log(user_fd);
	detach = (const void *)find(HWPMC_LOG_DETACH, NULL);
	check(detach && (detach->h.flags & HWPMC_DETACH_LOST) && detach->h.id == id &&
	      detach->pid == lose.pid && !detach->tid, "lost: a DETACH record names the lost target");
	check(!poll(&p, 1, 0), "lost: nothing is to be read then");
	check(!dev_stop(user_fd, id) && !dev_detach(user_fd, id, keep.pid, 0), "lost: DETACH");
	read_log(user_fd);
	detach = (const void *)find(HWPMC_LOG_DETACH, NULL);
	check(detach && !detach->h.flags && detach->pid == keep.pid,
	      "lost: the record of an ordinary DETACH is not marked");
	agent_reap(&keep);
	agent_reap(&lose);
}

int main(int argc, char **argv)
{
	agent_main(argc, argv);
	time_limit(60);
	dev_class();
	file_copy_program(PLAIN, 0, 0755);
	file_copy_program(SETUID, 0, 04755);
	described("counting", false);
	described("sampling", true);
	modules();
	as_user("lost", 1000, 0, lost, NULL);
	unlink(PLAIN);
	unlink(SETUID);
	return result();
}
