// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "check.h"
#include "symbol/kallsyms.h"

static char seen[256];

static void see(uint64_t start, const char *name, void *context)
{
	size_t used = strlen(seen);

	(void)context;
	snprintf(seen + used, sizeof(seen) - used, "%llx=%s;", (unsigned long long)start, name);
}

static const char *visit(const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");

	seen[0] = '\0';
	kallsyms_visit(file, see, NULL);
	fclose(file);
	return seen;
}

int main(void)
{
	check_text(visit("ffff800010000000 T _stext\nffff800010000010 t local\n"
			 "ffff800010000020 W weak\n"),
		   "ffff800010000000=_stext;ffff800010000010=local;ffff800010000020=weak;",
		   "functions");
	check_text(visit("ffff800010000000 D data\nffff800010000010 r const\n0000000000000020 A abs\n"),
		   "", "nothing else");
	check_text(visit("ffff800008000000 t run\t[hwpmc]\n"), "ffff800008000000=run [hwpmc];",
		   "a module's");
	check_text(visit("0000000000000000 T _stext\n"), "", "hidden addresses are none");
	check_text(visit("ffff800010000000 t $x\nffff800010000000 t .Lx\n\nnonsense\nff T\n1"), "",
		   "marks and broken lines");
	return check_result();
}
