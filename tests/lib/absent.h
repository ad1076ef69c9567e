/* SPDX-License-Identifier: GPL-2.0-only */
/* A page that is not there until it is given: whoever touches it sleeps, and is seen. */
#ifndef HWPMC_TEST_ABSENT_H
#define HWPMC_TEST_ABSENT_H

#include <stdbool.h>

/**
 * struct absent - the page
 * @fd: userfaultfd
 * @page: it
 * @size: of it, in bytes
 */
struct absent {
	int fd;
	char *page;
	long size;
};

/* Dies if it cannot. */
struct absent absent_make(void);
/* Whether somebody touched it, or does within @ms. */
bool absent_touched(const struct absent *absent, int ms);
/* Let them have it, zero. Dies if it cannot. */
void absent_give(const struct absent *absent);

#endif /* HWPMC_TEST_ABSENT_H */
