/* SPDX-License-Identifier: GPL-2.0-only */
/* A page that is not there until it is given: whoever touches it sleeps, and is seen. */
#ifndef HWPMC_TEST_USERFAULT_H
#define HWPMC_TEST_USERFAULT_H

#include <stdbool.h>

/**
 * struct userfault - the page
 * @fd: userfaultfd
 * @page: it
 * @size: of it, in bytes
 */
struct userfault {
	int fd;
	char *page;
	long size;
};

/* Dies if it cannot. */
struct userfault userfault_open(void);
/* Whether somebody touched it, or does within @ms. */
bool userfault_pending(const struct userfault *userfault, int ms);
/* Let them have it, zero. Dies if it cannot. */
void userfault_resolve(const struct userfault *userfault);

#endif /* HWPMC_TEST_USERFAULT_H */
