/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory for the arguments of calls: contiguous pages, followed by unmapped pages. */
#ifndef HWPMC_TEST_GUARDED_H
#define HWPMC_TEST_GUARDED_H

#define GUARDED_PAGES	64

extern char *guarded;			/* the first page */
extern char *guarded_end;		/* the first unmapped byte */
extern unsigned long guarded_page_size;	/* page size */

/* Exits with a failed case on error. */
void guarded_map(void);

#endif /* HWPMC_TEST_GUARDED_H */
