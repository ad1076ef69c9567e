// SPDX-License-Identifier: GPL-2.0-only
#include "symbol.h"
#include "test.h"

uint64_t kernel_symbol(const char *wanted)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512], name[256];
	unsigned long long at, found = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %255s", &at, name) == 2 && !strcmp(name, wanted))
			found = at;
	if (f)
		fclose(f);
	if (!found)
		die("%s is not in /proc/kallsyms", wanted);
	return found;
}

uint64_t kernel_entry(void)
{
#ifdef __x86_64__
	return kernel_symbol("entry_SYSCALL_64");
#else
	return kernel_symbol("el0t_64_sync");
#endif
}

struct kernel_text kernel_ways(void)
{
#ifdef __x86_64__
	return (struct kernel_text){ kernel_symbol("__entry_text_start"),
				     kernel_symbol("__entry_text_end") };
#else
	return (struct kernel_text){ 0 };
#endif
}

bool in_kernel_text(const struct kernel_text *text, uint64_t pc)
{
	return pc - text->start < text->end - text->start;
}
