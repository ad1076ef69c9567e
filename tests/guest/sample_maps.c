// SPDX-License-Identifier: GPL-2.0-only
/*
 * MAP_IN and MAP_OUT of a process's executable mappings: after each change the records match the
 * mappings and the pages of the file that are mapped. Reclaim of pages makes no MAP_OUT.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>

#include "exact.h"
#include "ring.h"

#define PAGES	8

/*
 * @there: the pages from @base on, according to the records: '0' to '7' is a page of the file, 'x'
 * anonymous memory, '?' an invalid page, '-' nothing.
 */
struct view {
	uintptr_t base;
	long page;
	char there[PAGES + 1];
	unsigned int ins, outs;
};

static char what_is(const struct view *view, const struct hwpmc_log_map *map, uintptr_t at)
{
	uint64_t from = map->file_offset + (at - map->start);

	if (!map->inode)
		return 'x';
	return from % view->page || from / view->page >= PAGES ? '?' : '0' + from / view->page;
}

static void see(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_map *map = (const void *)record;
	struct view *view = arg;
	bool in = record->type == HWPMC_LOG_MAP_IN, touched = false;

	if (!in && record->type != HWPMC_LOG_MAP_OUT)
		return;
	for (int i = 0; i < PAGES; i++) {
		uintptr_t at = view->base + i * view->page;

		if (at < map->start || at >= map->start + map->size)
			continue;
		view->there[i] = in ? what_is(view, map, at) : '-';
		touched = true;
	}
	view->ins += touched && in;
	view->outs += touched && !in;
}

static void is(struct ring_map *map, struct view *view, const char *want, const char *name)
{
	ring_drain(map, see, view);
	check(!strcmp(view->there, want), "%s: the records show %s, expected %s (%u MAP_IN, %u MAP_OUT)", name,
	      view->there, want, view->ins, view->outs);
	view->ins = 0;
	view->outs = 0;
}

static char *map_file(int file, char *at, int pages, int first, long page, int prot)
{
	char *p = mmap(at, pages * page, prot, MAP_PRIVATE | (at ? MAP_FIXED : 0), file,
		       first * page);

	if (p == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	return p;
}

static char *text(int file, char *at, int pages, int first, long page)
{
	return map_file(file, at, pages, first, page, PROT_READ | PROT_EXEC);
}

struct named {
	const char *path;
	unsigned int seen;
};

static void see_name(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_map *map = (const void *)record;
	const char *path = (const char *)record + map->path_offset;
	struct named *named = arg;
	size_t room;

	if (record->type != HWPMC_LOG_MAP_IN || !map->path_offset)
		return;
	room = record->length - map->path_offset;
	named->seen += strnlen(path, room) < room && !strcmp(path, named->path);
}

/* Records are padded to multiples of 8 bytes, and contain the NUL of a path of any length. */
static void paths(struct ring_map *map, long page)
{
	for (int length = 1; length <= 8; length++) {
		char path[32];
		struct named named = { .path = path };
		int file;

		snprintf(path, sizeof(path), "/tmp/%.*s", length, "nnnnnnnn");
		file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0700);
		if (file < 0 || ftruncate(file, page))
			die("%s: %s", path, strerror(errno));
		munmap(text(file, NULL, 1, 0, page), page);
		ring_drain(map, see_name, &named);
		/*
		 * For this change the kernel calls both hooked functions, and each makes a record.
		 */
		check(named.seen, "mmap: a record has the path %s", path);
		close(file);
		unlink(path);
	}
}

int main(void)
{
	struct view view = { .page = sysconf(_SC_PAGESIZE), .there = "--------" };
	int fd = dev_open(), file = open("/proc/self/exe", O_RDONLY);
	struct ring_map map;
	uint32_t id;
	char *p;

	time_limit(60);
	/* On one CPU, so that the records are in order. */
	pin(0, 0);
	ring_open(&map, fd, 256 * 1024);
	id = dev_sampler(fd, -1, EV_INSTRUCTIONS, 10000000, HWPMC_CAP_USER, 0);
	if (file < 0 || dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	ring_drain(&map, see, &view);
	p = text(file, NULL, PAGES, 0, view.page);
	view.base = (uintptr_t)p;
	is(&map, &view, "01234567", "mmap");
	(void)*(volatile char *)p;
	if (madvise(p, PAGES * view.page, MADV_DONTNEED))
		die("madvise: %s", strerror(errno));
	ring_drain(&map, see, &view);
	check(!view.outs, "MADV_DONTNEED makes no MAP_OUT: %u", view.outs);
	is(&map, &view, "01234567", "MADV_DONTNEED");
	munmap(p + 3 * view.page, view.page);
	is(&map, &view, "012-4567", "munmap of a page in the middle");
	munmap(p, view.page);
	is(&map, &view, "-12-4567", "munmap of the first page");
	munmap(p + 7 * view.page, view.page);
	is(&map, &view, "-12-456-", "munmap of the last page");
	text(file, p + 3 * view.page, 1, 3, view.page);
	is(&map, &view, "-123456-", "mmap into the hole");
	if (mmap(p + 5 * view.page, view.page, PROT_READ | PROT_EXEC,
		 MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	is(&map, &view, "-1234x6-", "MAP_FIXED over a page");
	map_file(file, p + 3 * view.page, 1, 3, view.page, PROT_READ | PROT_WRITE);
	is(&map, &view, "-12-4x6-", "mmap of data over a page");
	if (mprotect(p + 3 * view.page, view.page, PROT_READ | PROT_EXEC))
		die("mprotect: %s", strerror(errno));
	is(&map, &view, "-1234x6-", "mprotect to PROT_EXEC");
	if (mremap(p + 6 * view.page, view.page, view.page, MREMAP_MAYMOVE | MREMAP_FIXED, p) != p)
		die("mremap: %s", strerror(errno));
	ring_drain(&map, see, &view);
	check(view.there[6] == '-', "mremap makes MAP_OUT of the old place");
	munmap(p, PAGES * view.page);
	ring_drain(&map, see, &view);
	/* The kernel has no hook for unmapped anonymous memory. */
	is(&map, &view, "-----x--", "munmap of all");
	paths(&map, view.page);
	ring_close(&map);
	close(fd);
	return result();
}
