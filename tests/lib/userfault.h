/* SPDX-License-Identifier: GPL-2.0-only */
/* A page whose first access faults to userfaultfd and sleeps until the fault is resolved. */
#ifndef HWPMC_TEST_USERFAULT_H
#define HWPMC_TEST_USERFAULT_H

#include <stdbool.h>

/**
 * struct userfault - a missing page
 * @fd: the userfaultfd
 * @page: address of the page
 * @size: size of the page in bytes
 */
struct userfault {
	int fd;
	char *page;
	long size;
};

/* These functions exit with a failed case on error. */
struct userfault userfault_open(void);
/* Whether an access has faulted, or faults within @ms. */
bool userfault_pending(const struct userfault *userfault, int ms);
/* Maps a zeroed page there, which wakes the tasks that faulted. */
void userfault_resolve(const struct userfault *userfault);

#endif /* HWPMC_TEST_USERFAULT_H */
