/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_PROTOTYPE_FIND_H
#define PMCTL_PROTOTYPE_FIND_H

#include "event/btf.h"
#include "event/prototype.h"

/*
 * Finds the prototype of a probe by its whole name, such as "syscall:read:entry": in tracefs or in
 * @btf, which may be NULL. Call prototype_free() after use.
 */
void prototype_find(struct btf *btf, const char *name, struct prototype *prototype);

#endif
