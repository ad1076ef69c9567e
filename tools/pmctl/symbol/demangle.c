// SPDX-License-Identifier: GPL-2.0-only
#include <libiberty/demangle.h>
#include <libiberty/libiberty.h>

#include "symbol/demangle.h"

char *demangle(const char *name)
{
	/* Mangled names begin with '_': most names are plain C and need no attempt. */
	char *plain = name[0] == '_' ? cplus_demangle(name, DMGL_AUTO | DMGL_ANSI) : NULL;

	return plain ? plain : xstrdup(name);
}
