// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/memory.h"
#include "base/path.h"
#include "base/utf8.h"
#include "log/log_build.h"
#include "log/log_record.h"
#include "probe/stack.h"
#include "symbol/kallsyms.h"
#include "symbol/location.h"

void stack_names_init(struct stack_names *names, uint32_t limit)
{
	struct utsname system;

	processes_init(&names->processes);
	intern_init_texts(&names->texts);
	symbols_init(&names->symbols, &names->texts, "");
	if (!uname(&system))
		names->symbols.paths.release =
			intern_text(&names->texts, intern_id(&names->texts, system.release));
	intern_init_texts(&names->stacks);
	names->limit = limit;
}

void stack_names_free(struct stack_names *names)
{
	symbols_free(&names->symbols);
	processes_free(&names->processes);
	intern_free(&names->stacks);
	intern_free(&names->texts);
}

struct kernel_symbols {
	struct stack_names *names;
	struct log_build *build;
};

static void take_symbol(uint64_t start, const char *name, void *context)
{
	struct kernel_symbols *all = context;
	struct hwpmc_log_ksym *symbol = log_build(all->build, HWPMC_LOG_KSYM, sizeof(*symbol), 0);

	symbol->start = start;
	symbol->name_offset = log_build_text(all->build, name);
	processes_take(&all->names->processes, &all->build->h);
}

void stack_names_read_kernel(struct stack_names *names)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	struct kernel_symbols all = { names, xcalloc(1, sizeof(*all.build)) };

	if (file) {
		kallsyms_visit(file, take_symbol, &all);
		fclose(file);
	}
	free(all.build);
}

void stack_names_take(struct stack_names *names, const struct hwpmc_log_header *record)
{
	processes_take(&names->processes, record);
}

/* "vfs_read", "read (libc.so.6)", "libc.so.6+0x1234" */
static void write_frame(struct stack_names *names, int pid, uint64_t address, bool user, FILE *out)
{
	struct location location = location_find(&names->processes, &names->symbols, pid, address,
						 user);

	if (location.symbol)
		utf8_put(out, location.symbol);
	else if (location.offset)
		utf8_put(out, path_last(location.object));
	else
		fprintf(out, "0x%" PRIx64, address);
	if (location.symbol && !location.is_kernel) {
		fputs(" (", out);
		utf8_put(out, path_last(location.object));
		fputc(')', out);
	} else if (!location.symbol && location.offset) {
		fprintf(out, "+0x%" PRIx64, location.offset);
	}
	fputc('\n', out);
}

void stack_write(struct stack_names *names, const struct hwpmc_log_sample *sample, bool user,
		 const char *indent, FILE *out)
{
	const uint64_t *chain = log_record_words(sample, sample->chain_offset);
	unsigned int count = user ? sample->chain_user : sample->chain_kernel;
	bool begins = user == !!(sample->h.flags & HWPMC_SAMPLE_USER);

	if (begins) {
		fputs(indent, out);
		write_frame(names, sample->pid, sample->pc, user, out);
	}
	for (unsigned int i = 0; i < count; i++) {
		uint64_t address = chain[user ? sample->chain_kernel + i : i];
		/* A return address may be the first byte of the next function. */
		bool is_caller = begins || i;

		fputs(indent, out);
		if (is_caller && address)
			address--;
		write_frame(names, sample->pid, address, user, out);
	}
}

char *stack_text(struct stack_names *names, const struct hwpmc_log_sample *sample, bool user)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	stack_write(names, sample, user, "", out);
	fclose(out);
	return text;
}

uint32_t stack_id(struct stack_names *names, const struct hwpmc_log_sample *sample, bool user)
{
	char *text = stack_text(names, sample, user);
	uint32_t id = intern_find(&names->stacks, text);

	/* Number 0 is the empty text. */
	if (id == INTERN_NONE && names->stacks.count <= names->limit)
		id = intern_id(&names->stacks, text);
	free(text);
	return id;
}

void stack_reset(struct stack_names *names)
{
	intern_free(&names->stacks);
	intern_init_texts(&names->stacks);
}
