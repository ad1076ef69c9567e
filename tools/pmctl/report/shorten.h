/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SHORTEN_H
#define PMCTL_SHORTEN_H

#include <stddef.h>

/*
 * Returns the name, shortened to @room letters, at least 3. A name of C++ loses template arguments
 * first, then parameters, then its middle; another name loses its end. free() it.
 */
char *shorten_name(const char *name, size_t room);

#endif
