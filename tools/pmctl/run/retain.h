/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_RETAIN_H
#define PMCTL_RETAIN_H

#include <stddef.h>
#include <linux/hwpmc_log.h>

/**
 * struct retain - the newest records, in memory
 * @limit: bytes of each of the two halves; 0: nothing is retained
 * @half: records, one after the other; the older ones are in [1]
 * @used: bytes of each
 */
struct retain {
	size_t limit;
	unsigned char *half[2];
	size_t used[2];
};

/* At least the newest @bytes / 2 are retained, and @bytes at most. */
void retain_begin(struct retain *retain, size_t bytes);
void retain_add(struct retain *retain, const struct hwpmc_log_header *record);
/* Handles a record. */
typedef void (*retain_take)(const struct hwpmc_log_header *record, void *context);
/* Calls @take for each record, the oldest first. */
void retain_visit(const struct retain *retain, retain_take take, void *context);
void retain_clear(struct retain *retain);
void retain_free(struct retain *retain);

#endif
