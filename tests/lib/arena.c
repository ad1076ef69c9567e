// SPDX-License-Identifier: GPL-2.0-only
/* Memory and its edge; see arena.h. */
#include <sys/mman.h>

#include "arena.h"
#include "test.h"

char *arena, *arena_edge;
unsigned long arena_page;

void arena_make(void)
{
	arena_page = sysconf(_SC_PAGESIZE);
	arena = mmap(NULL, (ARENA_PAGES + 2) * arena_page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	arena_edge = arena + ARENA_PAGES * arena_page;
	munmap(arena_edge, 2 * arena_page);
}
