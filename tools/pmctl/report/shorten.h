/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SHORTEN_H
#define PMCTL_SHORTEN_H

#include <stddef.h>

/*
 * A name of @room letters or less, at least 3. From a name of C++ template arguments are left out
 * first, then parameters, then the middle; from another name the end. free() it.
 */
char *shorten_name(const char *name, size_t room);

#endif
