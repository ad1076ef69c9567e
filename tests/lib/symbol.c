// SPDX-License-Identifier: GPL-2.0-only
#include "symbol.h"
#include "test.h"

/* Calls @fn for each symbol until it returns false. */
static void symbols_each(bool (*fn)(const char *name, uint64_t at, void *arg), void *arg)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512], name[256];
	unsigned long long at;
	bool more = true;

	while (f && more && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %255s", &at, name) == 2)
			more = fn(name, at, arg);
	if (f)
		fclose(f);
}

struct wanted {
	const char *name;
	uint64_t at;
};

static bool is_wanted(const char *name, uint64_t at, void *arg)
{
	struct wanted *wanted = arg;

	if (!strcmp(name, wanted->name))
		wanted->at = at;
	return !wanted->at;
}

uint64_t kernel_symbol(const char *name)
{
	struct wanted wanted = { .name = name };

	symbols_each(is_wanted, &wanted);
	if (!wanted.at)
		die("%s is not in /proc/kallsyms", name);
	return wanted.at;
}

struct behind {
	uint64_t start, end;
};

static bool is_behind(const char *name, uint64_t at, void *arg)
{
	struct behind *behind = arg;

	(void)name;
	if (at > behind->start && at < behind->end)
		behind->end = at;
	return true;
}

uint64_t kernel_symbol_end(uint64_t start)
{
	struct behind behind = { start, UINT64_MAX };

	symbols_each(is_behind, &behind);
	return behind.end;
}

uint64_t kernel_entry(void)
{
#ifdef __x86_64__
	return kernel_symbol("entry_SYSCALL_64");
#else
	return kernel_symbol("el0t_64_sync");
#endif
}

#ifdef __x86_64__

struct kernel_ways kernel_ways(void)
{
	uint64_t sync_regs = kernel_symbol("sync_regs");

	return (struct kernel_ways){
		kernel_symbol("__entry_text_start"), kernel_symbol("__entry_text_end"),
		sync_regs, kernel_symbol_end(sync_regs),
	};
}

#else

struct kernel_ways kernel_ways(void)
{
	return (struct kernel_ways){ 0 };
}

#endif

bool on_kernel_ways(const struct kernel_ways *ways, uint64_t pc)
{
	return pc - ways->entry < ways->entry_end - ways->entry ||
	       pc - ways->sync_regs < ways->sync_regs_end - ways->sync_regs;
}
