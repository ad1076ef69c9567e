// SPDX-License-Identifier: GPL-2.0-only
/* Which of the kernel's symbols the samples of a log need. */
#include <stdlib.h>

#include "check.h"
#include "log/log_build.h"
#include "run/kernel_symbols.h"

#define BASE	0xffff800010000000ULL

/* Not sorted, as modules are not; two names at 0x300. */
static const char kallsyms[] =
	"ffff800010000000 T _stext\n"
	"ffff800010000100 t first\n"
	"ffff800010000200 t second\n"
	"ffff800010000500 t last\n"
	"ffff800010000300 t third\n"
	"ffff800010000300 t alias\n"
	"ffff800010000400 t other\t[mod]\n";

/* The symbols of modules are below, between and above those of the kernel, and not by address. */
static const char between[] =
	"ffff800010000100 T first\n"
	"ffff800010000200 t second\n"
	"ffff800010000300 t high\t[mod]\n"
	"ffff800010000180 t mid\t[mod]\n"
	"ffff800010000050 t low\t[mod]\n"
	"ffff800010000180 t twin\t[mod]\n";

static struct kernel_symbols symbols;
static struct log_build build;
static char logged[256];

static void put(uint64_t start, const char *name, void *context)
{
	size_t used = strlen(logged);

	(void)context;
	snprintf(logged + used, sizeof(logged) - used, "%llx=%s;",
		 (unsigned long long)(start - BASE), name);
}

/* What a sample at @pc adds to the log; @caller: its return address in the kernel, or 0. */
static const char *take(uint64_t pc, unsigned int flags, uint64_t caller)
{
	struct hwpmc_log_sample *sample = log_build(&build, HWPMC_LOG_SAMPLE, sizeof(*sample), 1);

	sample->h.flags = (uint16_t)flags;
	sample->pc = pc;
	if (caller) {
		uint64_t *chain = (uint64_t *)(sample + 1);

		sample->chain_offset = sizeof(*sample);
		sample->chain_kernel = 1;
		sample->chain_user = 1;
		chain[0] = caller;
		chain[1] = BASE + 0x450;
	}
	logged[0] = '\0';
	kernel_symbols_take(&symbols, sample, put, NULL);
	return logged;
}

static void start(const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");

	kernel_symbols_free(&symbols);
	kernel_symbols_read(&symbols, file);
	fclose(file);
	logged[0] = '\0';
	kernel_symbols_begin(&symbols, put, NULL);
}

int main(void)
{
	start(kallsyms);
	check_text(logged, "0=_stext;", "the log begins with where the kernel is");
	check_text(take(BASE + 0x180, 0, 0), "200=second;100=first;", "a symbol and its end");
	check_text(take(BASE + 0x184, 0, 0), "", "once");
	check_text(take(BASE + 0x450, HWPMC_SAMPLE_USER, 0), "",
		   "nothing for an address of user mode");
	check_text(take(BASE + 0x3ff, 0, 0), "400=other [mod];300=third;",
		   "of two names the first, and a module's");
	check_text(take(BASE + 0x600, 0, 0), "500=last;", "the last has no end");
	check_text(take(BASE - 1, 0, 0), "", "nothing is before the first one");
	start(kallsyms);
	check_text(take(0x1000, HWPMC_SAMPLE_USER, BASE + 0x200), "300=third;200=second;100=first;",
		   "a call that does not return, and not the user's callers");
	start(between);
	check_text(take(BASE + 0x50, 0, 0), "100=first;50=low [mod];", "a module's below the kernel's");
	check_text(take(BASE + 0x150, 0, 0), "180=mid [mod];", "one between them");
	check_text(take(BASE + 0x1ff, 0, 0), "200=second;", "the kernel's after it");
	check_text(take(BASE + 0x250, 0, 0), "300=high [mod];", "one behind them");
	check_text(take(BASE + 0x350, 0, 0), "", "which is the last");
	start("0000000000000000 T _stext\n");
	check_text(take(BASE + 0x100, 0, 0), "", "nothing where addresses are hidden");
	kernel_symbols_free(&symbols);
	return check_result();
}
