// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs in the lower and in the upper layer of an overlay: records have the path in the overlay,
 * not that in the layer, MAP_FD opens the overlay's file, and a probe of that file counts the
 * program's calls.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "agent.h"
#include "child.h"
#include "file.h"
#include "probe.h"
#include "ring.h"
#include "test.h"

#define TOP		"/tmp/sample-overlay"
#define MERGED		TOP "/merged"
#define LAYERS		"lowerdir=" TOP "/lower,upperdir=" TOP "/upper,workdir=" TOP "/work"
#define MODULES		"/hwpmc/modules-for-tests"
#define SPINS		3

/* Records of a program; @wrong: those with its file name, but with another path or inode. */
struct seen {
	const char *path;
	uint64_t inode;
	pid_t pid;
	unsigned int processes, maps, wrong;
	char other[128];
};

static void see_path(struct seen *seen, const char *path, bool rest_is_right, unsigned int *count)
{
	if (strcmp(strrchr(path, '/') ?: path, strrchr(seen->path, '/')))
		return;
	if (!strcmp(path, seen->path) && rest_is_right) {
		++*count;
		return;
	}
	seen->wrong++;
	snprintf(seen->other, sizeof(seen->other), "%s", path);
}

static void see(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_process *process = (const void *)record;
	const struct hwpmc_log_map *map = (const void *)record;
	const char *bytes = (const char *)record;
	struct seen *seen = arg;

	if (record->type == HWPMC_LOG_MAP_IN && map->pid == seen->pid)
		see_path(seen, bytes + map->path_offset, map->inode == seen->inode, &seen->maps);
	if (record->type == HWPMC_LOG_PROCESS && record->length > sizeof(*process) &&
	    process->task.pid == seen->pid)
		see_path(seen, bytes + process->path_offset, true, &seen->processes);
}

/* Opens a file with a PMC that samples a process: the rings get records of its mappings. */
static int follow(struct ring_map *map, pid_t pid)
{
	static const char name[] = "syscall:getpriority:entry";
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = HWPMC_MODE_TS, .cpu = -1, .count = 1,
		.name = (uintptr_t)name, .name_length = sizeof(name) - 1,
	};
	int fd = dev_open();

	ring_open(map, fd, 256 * 1024);
	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)) || dev_attach(fd, a.id, pid, 0) ||
	    dev_start(fd, a.id))
		die("%s: %s", name, dev_sentence(fd));
	return fd;
}

static void leave(int fd, struct ring_map *map)
{
	ring_close(map);
	close(fd);
}

static struct seen expect(const char *path, pid_t pid)
{
	struct stat status;

	if (stat(path, &status))
		die("%s: %s", path, strerror(errno));
	return (struct seen) { .path = path, .inode = status.st_ino, .pid = pid };
}

static struct agent execute(const char *path, const char *what)
{
	struct agent p = agent_start(NULL, NULL);
	struct seen seen = expect(path, p.pid);
	struct ring_map map;
	int fd = follow(&map, p.pid);

	if (!agent_exec(&p, path))
		die("%s cannot be executed", path);
	ring_drain(&map, see, &seen);
	check(seen.maps && !seen.wrong, "%s, executed: %u MAP_IN with its path and inode, %u with others (%s)",
	      what, seen.maps, seen.wrong, seen.other);
	leave(fd, &map);
	return p;
}

static void attached(struct agent *p, const char *path, const char *what)
{
	struct seen seen = expect(path, p->pid);
	struct ring_map map;
	int fd = follow(&map, p->pid);

	ring_drain(&map, see, &seen);
	check(seen.maps && seen.processes == 1 && !seen.wrong,
	      "%s, followed while it runs: %u PROCESS and %u MAP_IN with its path, %u with others (%s)",
	      what, seen.processes, seen.maps, seen.wrong, seen.other);
	leave(fd, &map);
}

static void opened(struct agent *p, const char *path, const char *what)
{
	char link[64], at[256] = "";
	struct hwpmc_map_fd map;
	int fd = dev_open(), got;

	got = dev_map_fd(fd, p->pid, 0, agent_start, &map);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", got);
	check(got >= 0 && readlink(link, at, sizeof(at) - 1) > 0 && !strcmp(at, path),
	      "%s: MAP_FD opens %s", what, got < 0 ? dev_sentence(fd) : at);
	close(got);
	close(fd);
}

/* A probe of spin() in the file at @path. */
static void probed(struct agent *p, const char *path, const char *what)
{
	int fd = dev_open(), file = open(path, O_RDONLY | O_CLOEXEC);
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = HWPMC_MODE_TC, .cpu = -1, .file = file,
	};
	uint64_t offset;
	char name[64];

	close(probe_file(spin, &offset));
	snprintf(name, sizeof(name), "uprobe:%#" PRIx64 ":entry", offset);
	a.name = (uintptr_t)name;
	a.name_length = strlen(name);
	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)) || dev_attach(fd, a.id, p->pid, 0) ||
	    dev_start(fd, a.id))
		die("%s: %s", name, dev_sentence(fd));
	for (int i = 0; i < SPINS; i++)
		agent_spin(p);
	check(dev_value(fd, a.id) == SPINS, "%s: a probe of the file counts %llu of %d calls", what,
	      (unsigned long long)dev_value(fd, a.id), SPINS);
	close(file);
	close(fd);
}

static void on_overlay(const char *path, const char *what)
{
	struct agent p = execute(path, what);

	attached(&p, path, what);
	opened(&p, path, what);
	probed(&p, path, what);
	agent_reap(&p);
}

/* Returns whether this kernel has overlays. */
static bool set_up(void)
{
	static const char *const dirs[] = {
		TOP, TOP "/lower", TOP "/upper", TOP "/work", MERGED,
	};

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (mkdir(dirs[i], 0755))
			die("%s: %s", dirs[i], strerror(errno));
	file_copy_program(TOP "/lower/of-lower-layer", 0, 0755);
	if (!mount("overlay", MERGED, "overlay", 0, LAYERS))
		return true;
	if (errno == ENODEV && !access(MODULES, R_OK) && !system("insmod $(cat " MODULES ")") &&
	    !mount("overlay", MERGED, "overlay", 0, LAYERS))
		return true;
	if (errno != ENODEV)
		die("overlay: %s", strerror(errno));
	return false;
}

int main(int argc, char **argv)
{
	agent_main(argc, argv);
	time_limit(60);
	if (!set_up()) {
		skip("overlays: this kernel has none");
		return result();
	}
	file_copy_program(MERGED "/of-upper-layer", 0, 0755);
	on_overlay(MERGED "/of-lower-layer", "a program of the lower layer");
	on_overlay(MERGED "/of-upper-layer", "a program of the upper layer");
	umount(MERGED);
	return result();
}
