// SPDX-License-Identifier: GPL-2.0-only
/* The instructions of a function: the events at each, and its source. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "report/annotate.h"
#include "symbol/demangle.h"

/**
 * struct code_file - the file that has the code of a function
 * @fd: the file
 * @dso: its source lines and symbols; NULL without
 * @slide: added to its addresses to get those of struct function
 */
struct code_file {
	int fd;
	struct dso *dso;
	uint64_t slide;
};

static int find_kernel(struct annotate *annotate, const struct function *function,
		       struct code_file *file, char *why, size_t size)
{
	struct kernel_code *kernel = &annotate->kernel;
	struct profile *profile = annotate->profile;

	if (!annotate->kernel_open)
		kernel_code_open(kernel, &profile->symbols, annotate->options->vmlinux);
	annotate->kernel_open = true;
	if (kernel->fd < 0) {
		snprintf(why, size, "%s", kernel->why);
		return -1;
	}
	if (!kernel->modules &&
	    strcmp(intern_text(&profile->names, function->dso), SYMBOLS_KERNEL)) {
		snprintf(why, size,
			 "vmlinux does not have the code of modules, and /proc/kcore is not used beside it");
		return -1;
	}
	*file = (struct code_file){
		.fd = dup(kernel->fd),
		.dso = kernel->dso.module ? &kernel->dso : NULL,
		.slide = kernel->slide,
	};
	return 0;
}

static int find_file(struct annotate *annotate, const struct function *function,
		     struct code_file *file, char *why, size_t size)
{
	struct symbols *symbols = &annotate->profile->symbols;
	const struct symbol_key *key = intern_at(&symbols->keys, function->object);

	if (key->kind == SYMBOL_KERNEL)
		return find_kernel(annotate, function, file, why, size);
	if (key->kind != SYMBOL_FILE) {
		snprintf(why, size, "logs do not have the code of just-in-time compilers");
		return -1;
	}
	*file = (struct code_file){
		.fd = symbols_open_file(symbols, function->object),
		.dso = symbols_dso(symbols, function->object),
	};
	if (file->fd >= 0)
		return 0;
	snprintf(why, size, "the file cannot be read any more");
	return -1;
}

/* The source line of an instruction; that of inlined code is the innermost. */
static void find_line(struct annotate *annotate, struct dso *dso, uint64_t address,
		      struct annotate_line *line)
{
	struct dso_call calls[DSO_CALLS_MAX] = { { 0 } };
	struct intern *names = &annotate->profile->names;
	int count = dso_calls(dso, address, calls);
	const char *directory = calls[0].directory;
	char *text;

	if (!calls[0].file || calls[0].line <= 0)
		return;
	text = xasprintf("%s:%d", path_last(calls[0].file), calls[0].line);
	line->source = intern_id(names, text);
	free(text);
	text = xasprintf("%s%s%s", directory ? directory : "", directory ? "/" : "", calls[0].file);
	line->text = source_text_line(&annotate->source, text, calls[0].line);
	free(text);
	if (count < 2)
		return;
	text = demangle(calls[0].name);
	line->inlined = intern_id(names, text);
	free(text);
}

/* "name", or "name+0x12" */
static uint32_t name_at(struct annotate *annotate, const char *name, uint64_t offset)
{
	char *plain = demangle(name), *text;
	uint32_t id;

	text = offset ? xasprintf("%s+0x%" PRIx64, plain, offset) : xstrdup(plain);
	id = intern_id(&annotate->profile->names, text);
	free(plain);
	free(text);
	return id;
}

/* objdump does not read the symbols of a separate debug file, or of /proc/kcore. */
static uint32_t name_target(struct annotate *annotate, const struct code_file *file,
			    const struct instruction *instruction)
{
	const struct kernel_symbol *found;
	const struct dso_symbol *symbol;

	symbol = file->dso ? dso_symbol(file->dso, instruction->target) : NULL;
	if (symbol)
		return name_at(annotate, symbol->name, instruction->target - symbol->start);
	found = file->dso ? NULL : processes_kernel_symbol(&annotate->profile->processes,
							   instruction->target);
	if (found)
		return name_at(annotate, found->name, instruction->target - found->start);
	return intern_id(&annotate->profile->names, instruction->label);
}

static bool is_inside(const struct function *function, const struct instruction *instruction)
{
	return instruction->target >= function->start && instruction->target < function->end;
}

static void find_lines(struct annotate *annotate, const struct code_file *file,
		       struct annotate_code *code)
{
	const struct function *function = annotate_function(annotate, code->function);

	code->lines = xcalloc(code->code.count, sizeof(*code->lines));
	for (uint32_t i = 0; i < code->code.count; i++) {
		struct instruction *instruction = &code->code.list[i];

		if (file->dso && !annotate->options->no_source)
			find_line(annotate, file->dso, instruction->address, &code->lines[i]);
		if (instruction->target)
			code->lines[i].name = name_target(annotate, file, instruction);
		/* From here on addresses are in the log's address space. */
		instruction->address += file->slide;
		instruction->target += instruction->target ? file->slide : 0;
		if (instruction->jumps && is_inside(function, instruction))
			code->lines[i].name = 0;
		else
			instruction->jumps = false;
	}
}

/* Returns the first spot of a function; spots are sorted by function. */
static uint32_t first_spot(const struct annotate *annotate, uint32_t function)
{
	uint32_t low = 0, high = annotate->spot_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (annotate->spots[middle].function < function)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void count_spots(const struct annotate *annotate, struct annotate_code *code)
{
	uint32_t events = annotate->profile->event_count;

	code->counts = xcalloc((size_t)code->code.count * events, sizeof(*code->counts));
	for (uint32_t i = first_spot(annotate, code->function);
	     i < annotate->spot_count && annotate->spots[i].function == code->function; i++) {
		const struct annotate_spot *spot = &annotate->spots[i];
		const struct instruction *at = disassembly_find(&code->code, spot->address);
		struct annotate_count *count;

		if (!at)
			continue;
		count = &code->counts[(size_t)(at - code->code.list) * events + spot->event];
		count->events = number_sum(count->events, spot->count.events);
		count->samples += spot->count.samples;
	}
}

int annotate_code_read(struct annotate_code *code, struct annotate *annotate, uint32_t function,
		       char *why, size_t size)
{
	const struct function *what = annotate_function(annotate, function);
	struct disassembly_request request = {
		.objdump = annotate->options->objdump,
		.style = annotate->options->style,
	};
	struct code_file file;
	int result;

	memset(code, 0, sizeof(*code));
	code->function = function;
	if (find_file(annotate, what, &file, why, size))
		return -1;
	request.fd = file.fd;
	request.start = what->start - file.slide;
	request.end = what->end - file.slide;
	result = disassembly_read(&code->code, &request, why, size);
	close(file.fd);
	if (result)
		return -1;
	find_lines(annotate, &file, code);
	count_spots(annotate, code);
	return 0;
}

void annotate_code_free(struct annotate_code *code)
{
	disassembly_free(&code->code);
	free(code->lines);
	free(code->counts);
	memset(code, 0, sizeof(*code));
}

double annotate_percent(const struct annotate *annotate, const struct annotate_code *code,
			uint32_t instruction, uint32_t event)
{
	uint64_t all = annotate_total(annotate, code->function, event)->events;

	return all ? 100.0 * (double)annotate_count(annotate, code, instruction, event)->events /
			     (double)all : 0.0;
}

double annotate_largest(const struct annotate *annotate, const struct annotate_code *code,
			uint32_t instruction)
{
	double largest = 0;

	for (uint32_t i = 0; i < annotate->profile->event_count; i++) {
		double percent = annotate_percent(annotate, code, instruction, i);

		if (annotate_has_event(annotate, code->function, i) && percent > largest)
			largest = percent;
	}
	return largest;
}
