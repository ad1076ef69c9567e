/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory for what calls are given: pages in a row, and after the last of them nothing. */
#ifndef HWPMC_TEST_GUARDED_H
#define HWPMC_TEST_GUARDED_H

#define GUARDED_PAGES	64

extern char *guarded;			/* its start */
extern char *guarded_end;		/* the first byte that is not there */
extern unsigned long guarded_page_size;	/* bytes of a page */

/* Dies if it cannot. */
void guarded_map(void);

#endif /* HWPMC_TEST_GUARDED_H */
