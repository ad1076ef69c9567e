// SPDX-License-Identifier: GPL-2.0-only
/*
 * One line per stack, outermost frame first: "comm;main;work 812", the input of flame graph
 * tools. ';' separates frames: it is replaced in names. utf8_clean() replaces line breaks.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "report/report.h"
#include "report/stacks.h"

static void put_name(FILE *out, const char *name)
{
	char *clean = utf8_clean(name);

	for (const char *at = clean; *at; at++)
		fputc(*at == ';' ? ':' : *at, out);
	free(clean);
}

static void put_stack(const struct report *report, const struct stacks *stacks,
		      uint32_t node, uint32_t *path)
{
	const struct profile *profile = report->profile;
	uint32_t length = 0;

	for (; node != NODE_NONE; node = tree_node(&stacks->tree, node).parent)
		path[length++] = node;
	/* The root of all stacks is left out. */
	for (uint32_t i = length - 1; i-- > 0;) {
		const struct stack_frame *frame = stacks_frame(stacks, path[i]);

		put_name(report->out, intern_text(&profile->names, frame->name));
		if (frame->kind == STACK_KERNEL)
			fputs("_[k]", report->out);
		else if (frame->kind == STACK_INLINED)
			fputs("_[i]", report->out);
		if (i)
			fputc(';', report->out);
	}
}

/* Whether --percent-limit keeps a stack. */
static bool is_shown(const struct report *report, const struct stacks *stacks, uint32_t id)
{
	uint64_t self = stacks->tree.self[id];

	return self && report_percent(&report->profile->events[stacks->event], self) >=
			       report->options->limit;
}

void report_folded(const struct report *report)
{
	struct stacks stacks;
	uint32_t *path;

	stacks_make(&stacks, report);
	path = xcalloc((size_t)tree_count(&stacks.tree) + 1, sizeof(*path));
	for (uint32_t id = 0; id < tree_count(&stacks.tree); id++) {
		if (!is_shown(report, &stacks, id))
			continue;
		put_stack(report, &stacks, id, path);
		fprintf(report->out, " %" PRIu64 "\n", stacks.tree.self[id]);
	}
	free(path);
	stacks_free(&stacks);
}
