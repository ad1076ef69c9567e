// SPDX-License-Identifier: GPL-2.0-only
/*
 * MAP_IN and MAP_OUT of a process's own text: after whatever it did with a mapping,
 * the records say what is mapped. Pages that only go to come again are no MAP_OUT.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>

#include "exact.h"
#include "ring.h"

#define PAGES	8

/* Of the pages at @base: which are mapped, as the records have it. */
struct view {
	uintptr_t base;
	long page;
	bool there[PAGES];
	unsigned int ins, outs;
};

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
		view->there[i] = in;
		touched = true;
	}
	view->ins += touched && in;
	view->outs += touched && !in;
}

static void is(struct ring_map *map, struct view *view, const char *want, const char *name)
{
	char got[PAGES + 1] = "";

	ring_drain(map, see, view);
	for (int i = 0; i < PAGES; i++)
		got[i] = view->there[i] ? 'x' : '-';
	check(!strcmp(got, want), "%s: %s, should be %s (%u MAP_IN, %u MAP_OUT)", name, got, want,
	      view->ins, view->outs);
	view->ins = 0;
	view->outs = 0;
}

static char *text(int file, char *at, int pages, int first, long page)
{
	char *p = mmap(at, pages * page, PROT_READ | PROT_EXEC, MAP_PRIVATE | (at ? MAP_FIXED : 0),
		       file, first * page);

	if (p == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	return p;
}

int main(void)
{
	struct view view = { .page = sysconf(_SC_PAGESIZE) };
	int fd = dev_open(), file = open("/proc/self/exe", O_RDONLY);
	struct ring_map map;
	uint32_t id;
	char *p;

	time_limit(60);
	ring_open(&map, fd, 256 * 1024);
	id = dev_sampler(fd, -1, countable(), 10000000, HWPMC_CAP_USER, 0);
	if (file < 0 || dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	ring_drain(&map, see, &view);
	p = text(file, NULL, PAGES, 0, view.page);
	view.base = (uintptr_t)p;
	is(&map, &view, "xxxxxxxx", "mmap");
	(void)*(volatile char *)p;
	if (madvise(p, PAGES * view.page, MADV_DONTNEED))
		die("madvise: %s", strerror(errno));
	ring_drain(&map, see, &view);
	check(!view.outs, "MADV_DONTNEED: %u MAP_OUT", view.outs);
	is(&map, &view, "xxxxxxxx", "MADV_DONTNEED");
	munmap(p + 3 * view.page, view.page);
	is(&map, &view, "xxx-xxxx", "munmap of a page in the middle");
	munmap(p, view.page);
	is(&map, &view, "-xx-xxxx", "munmap of the first page");
	munmap(p + 7 * view.page, view.page);
	is(&map, &view, "-xx-xxx-", "munmap of the last page");
	text(file, p + 3 * view.page, 1, 3, view.page);
	is(&map, &view, "-xxxxxx-", "mmap into the hole");
	if (mmap(p + 5 * view.page, view.page, PROT_READ | PROT_EXEC,
		 MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	is(&map, &view, "-xxxxxx-", "MAP_FIXED over a page");
	if (mprotect(p + view.page, view.page, PROT_READ | PROT_WRITE | PROT_EXEC) ||
	    mprotect(p + view.page, view.page, PROT_READ | PROT_EXEC))
		die("mprotect: %s", strerror(errno));
	is(&map, &view, "-xxxxxx-", "mprotect there and back");
	if (mremap(p + 6 * view.page, view.page, view.page, MREMAP_MAYMOVE | MREMAP_FIXED, p) != p)
		die("mremap: %s", strerror(errno));
	ring_drain(&map, see, &view);
	check(!view.there[6], "mremap: the old place is told");
	munmap(p, PAGES * view.page);
	ring_drain(&map, see, &view);
	/* The kernel calls nobody when memory without a file goes. */
	is(&map, &view, "-----x--", "munmap of all");
	ring_close(&map);
	close(fd);
	return result();
}
