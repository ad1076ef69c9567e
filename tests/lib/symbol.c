// SPDX-License-Identifier: GPL-2.0-only
#include "symbol.h"
#include "test.h"

/*
 * A copy of /proc/kallsyms. The kernel writes that text again for each reader, which takes an
 * emulated machine up to a second. Symbols of modules that are loaded later are not in the copy.
 */
static const char *symbols(void)
{
	static char *text;
	FILE *f;
	size_t size = 0;

	if (text)
		return text;
	f = fopen("/proc/kallsyms", "r");
	/* By default each read(2) would get 1 KB. */
	if (f)
		setvbuf(f, NULL, _IOFBF, 65536);
	if (!f || getdelim(&text, &size, '\0', f) <= 0)
		die("/proc/kallsyms: %s", strerror(errno));
	fclose(f);
	return text;
}

/* Splits a line "ADDRESS TYPE NAME[ MODULE]". Returns the next line, or NULL at the end. */
static const char *symbol_next(const char *line, uint64_t *at, const char **name, size_t *length)
{
	char *rest;

	if (!*line)
		return NULL;
	*at = strtoull(line, &rest, 16);
	*name = rest + strlen(" T ");
	*length = strcspn(*name, "\t\n");
	return strchr(*name, '\n') + 1;
}

uint64_t kernel_symbol(const char *name)
{
	const char *line = symbols(), *other;
	size_t length;
	uint64_t at;

	while ((line = symbol_next(line, &at, &other, &length)))
		if (length == strlen(name) && !memcmp(other, name, length))
			return at;
	die("%s is not in /proc/kallsyms", name);
}

uint64_t kernel_symbol_end(uint64_t start)
{
	const char *line = symbols(), *name;
	uint64_t at, end = UINT64_MAX;
	size_t length;

	while ((line = symbol_next(line, &at, &name, &length)))
		if (at > start && at < end)
			end = at;
	return end;
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
