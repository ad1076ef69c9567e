// SPDX-License-Identifier: GPL-2.0-only
#include <libiberty/demangle.h>
#include <libiberty/libiberty.h>

#include "symbol/demangle.h"

char *demangle(const char *name)
{
	/* A plain C name is most of what there is: do not try them all on it. */
	char *plain = name[0] == '_' ? cplus_demangle(name, DMGL_AUTO | DMGL_ANSI) : NULL;

	return plain ? plain : xstrdup(name);
}
