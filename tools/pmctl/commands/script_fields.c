// SPDX-License-Identifier: GPL-2.0-only
/* script -F */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "commands/script.h"
#include "log/log_record.h"

enum { COMM, TID, PID, TIME, CPU, PERIOD, EVENT, IP, SYM, SYMOFF, DSO, DSOFF, COUNT };

static const char *const names[COUNT] = {
	[COMM] = "comm",     [TID] = "tid",	[PID] = "pid",	 [TIME] = "time",
	[CPU] = "cpu",	     [PERIOD] = "period", [EVENT] = "event", [IP] = "ip",
	[SYM] = "sym",	     [SYMOFF] = "symoff", [DSO] = "dso",
	[DSOFF] = "dsoff",
};

static unsigned int bit_of(const char *word)
{
	for (unsigned int i = 0; i < COUNT; i++)
		if (!strcmp(word, names[i]))
			return 1U << i;
	error("there is no field '%s'; choose from comm, tid, pid, time, cpu, period, event, ip, "
	      "sym, symoff, dso, dsoff", word);
	return 0;
}

unsigned int script_fields_parse(const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *word;
	unsigned int fields = 0, bit = 1;

	while (bit && (word = strsep(&rest, ","))) {
		bit = bit_of(word);
		fields |= bit;
	}
	free(copy);
	return bit ? fields : 0;
}

static bool has(unsigned int fields, unsigned int field)
{
	return fields >> field & 1;
}

static void put_task(struct script *script, const struct hwpmc_log_sample *sample,
		     unsigned int fields)
{
	const char *comm = processes_comm(&script->processes, sample->pid, sample->tid);

	if (has(fields, COMM)) {
		comm = comm ? comm : sample->pid ? "[unknown]" : "swapper";
		fprintf(script->out, "%*s", 16 - utf8_width(comm) > 0 ? 16 - utf8_width(comm) : 0, "");
		utf8_put(script->out, comm);
		fputc(' ', script->out);
	}
	if (has(fields, PID) && has(fields, TID))
		fprintf(script->out, "%5d/%-5d ", sample->pid, sample->tid);
	else if (has(fields, PID) || has(fields, TID))
		fprintf(script->out, "%7d ", has(fields, PID) ? sample->pid : sample->tid);
}

static void put_place(struct script *script, int pid, uint64_t address, bool user,
		      unsigned int fields)
{
	struct location place = script_location(script, pid, address, user);

	if (has(fields, IP))
		fprintf(script->out, "%16" PRIx64, address);
	if (has(fields, SYM)) {
		fputc(' ', script->out);
		utf8_put(script->out, place.symbol ? place.symbol : "[unknown]");
		if (place.symbol && has(fields, SYMOFF))
			fprintf(script->out, "+0x%" PRIx64, place.into);
	}
	if (has(fields, DSO)) {
		fputs(" (", script->out);
		utf8_put(script->out, place.object);
		/* As in perf, only files have an offset. */
		if (has(fields, DSOFF) && *place.object == '/')
			fprintf(script->out, "+0x%" PRIx64, place.offset);
		fputc(')', script->out);
	}
}

/* The user's part of a stack: addresses of callers, innermost first. */
struct callers {
	const uint64_t *list;
	int count;
	uint64_t unwound[UNWIND_MAX];
};

static void find_callers(struct script *script, const struct hwpmc_log_sample *sample,
			 struct callers *callers)
{
	const uint64_t *chain = log_record_words(sample, sample->chain_offset);
	/* The result of unwinding includes the user's pc. */
	int last = sample->h.flags & HWPMC_SAMPLE_USER ? 1 : 0;

	callers->list = chain ? chain + sample->chain_kernel : NULL;
	callers->count = chain ? sample->chain_user : 0;
	if (sample->regs) {
		int count = unwind_sample(script->unwind, sample, callers->unwound);

		if (unwind_is_better(sample, count)) {
			callers->list = callers->unwound + last;
			callers->count = count - last;
		}
	}
}

/* No address and no stack: the events of a throttled span have no known place. */
static void put_throttled(struct script *script, unsigned int fields)
{
	if (has(fields, IP))
		fprintf(script->out, "%16d", 0);
	if (has(fields, SYM))
		fputs(" " SCRIPT_THROTTLED, script->out);
	if (has(fields, DSO))
		fputs(" (" SCRIPT_THROTTLED ")", script->out);
	fputc('\n', script->out);
}

static void put_caller(struct script *script, int pid, uint64_t address, bool user,
		       unsigned int fields)
{
	fputc('\t', script->out);
	put_place(script, pid, address, user, fields);
	fputc('\n', script->out);
}

/* Each place of a stack is a line, and an empty line follows the last. */
static void put_places(struct script *script, const struct hwpmc_log_sample *sample,
		       unsigned int fields)
{
	const uint64_t *chain = log_record_words(sample, sample->chain_offset);
	bool user = sample->h.flags & HWPMC_SAMPLE_USER, stack;
	struct callers callers;

	find_callers(script, sample, &callers);
	stack = sample->chain_kernel || callers.count;
	if (stack)
		fputs("\n\t", script->out);
	put_place(script, sample->pid, sample->pc, user, fields);
	fputc('\n', script->out);
	for (unsigned int i = 0; chain && i < sample->chain_kernel; i++)
		put_caller(script, sample->pid, chain[i], false, fields);
	for (int i = 0; i < callers.count; i++)
		put_caller(script, sample->pid, callers.list[i], true, fields);
	if (stack)
		fputc('\n', script->out);
}

void script_fields_show(struct script *script, const struct hwpmc_log_sample *sample,
			unsigned int fields)
{
	const char *event = script_event(script, sample->h.id);
	FILE *out = script->out;

	put_task(script, sample, fields);
	if (has(fields, CPU))
		fprintf(out, "[%03u] ", sample->h.cpu);
	if (has(fields, TIME))
		fprintf(out, "%5" PRIu64 ".%06" PRIu64 ": ", (uint64_t)sample->h.time / 1000000000,
			(uint64_t)sample->h.time % 1000000000 / 1000);
	if (has(fields, PERIOD))
		fprintf(out, "%10" PRIu64 " ", (uint64_t)sample->period);
	if (has(fields, EVENT)) {
		utf8_put(out, event ? event : "[unknown]");
		fputs(": ", out);
	}
	if (!has(fields, IP) && !has(fields, SYM) && !has(fields, DSO))
		fputc('\n', out);
	else if (script->throttled)
		put_throttled(script, fields);
	else
		put_places(script, sample, fields);
}
