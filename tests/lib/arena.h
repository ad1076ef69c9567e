/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory for what calls are given: pages in a row, and after the last of them nothing. */
#ifndef HWPMC_TEST_ARENA_H
#define HWPMC_TEST_ARENA_H

#define ARENA_PAGES	64

extern char *arena;			/* its start */
extern char *arena_edge;		/* the first byte that is not there */
extern unsigned long arena_page;	/* bytes of a page */

/* Dies if it cannot. */
void arena_make(void);

#endif /* HWPMC_TEST_ARENA_H */
