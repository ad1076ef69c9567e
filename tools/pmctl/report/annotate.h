/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions with samples, and the instructions of one function with the events at each:
 * annotate_make(), then for each selected function annotate_code_read() and a format.
 */
#ifndef PMCTL_ANNOTATE_H
#define PMCTL_ANNOTATE_H

#include <stdio.h>

#include "report/profile.h"
#include "report/report_options.h"
#include "symbol/disassembly.h"
#include "symbol/function.h"
#include "symbol/kernel_code.h"
#include "symbol/source_text.h"

/**
 * struct annotate_options - the command line of pmctl annotate
 * @shared: options that report also has
 * @vmlinux: -k, or NULL
 * @objdump: --objdump, or NULL
 * @style: -M, or NULL
 * @no_source: --no-source
 */
struct annotate_options {
	struct report_options shared;
	const char *vmlinux;
	const char *objdump;
	const char *style;
	bool no_source;
};

/* The events at a place, of one kind of event. */
struct annotate_count {
	uint64_t events;
	uint64_t samples;
};

/**
 * struct annotate_spot - an address of a function at which events occurred
 * @function: its number
 * @event: the number of the event
 * @address: as in struct function
 * @count: what happened
 */
struct annotate_spot {
	uint32_t function;
	uint32_t event;
	uint64_t address;
	struct annotate_count count;
};

/**
 * struct annotate - all functions with samples
 * @profile: read with @leaves
 * @options: which functions and events, and how to show them
 * @functions: struct function
 * @counts: by function and event: function * @profile->event_count + event
 * @order: the functions that the options choose, the one with the largest share first
 * @chosen: number of functions in @order
 * @spots: the events at each address, by function
 * @spot_count: number of spots
 * @nameless: events without a function, by event
 * @kernel: the kernel's code
 * @kernel_open: @kernel is valid
 * @source: the lines of source files
 * @shown: number of functions that were printed
 * @out: the output
 */
struct annotate {
	struct profile *profile;
	const struct annotate_options *options;
	struct intern functions;
	struct annotate_count *counts;
	uint32_t *order;
	uint32_t chosen;
	struct annotate_spot *spots;
	uint32_t spot_count;
	uint64_t *nameless;
	struct kernel_code kernel;
	bool kernel_open;
	struct source_text source;
	uint32_t shown;
	FILE *out;
};

/**
 * struct annotate_line - an instruction with its source
 * @source: its source line, "file.c:12", in names; 0: unknown
 * @text: that line, or NULL; valid until annotate_free()
 * @inlined: the inlined function that contains it, in names; 0: none
 * @name: the name of its target outside of the function, in names; 0: none
 */
struct annotate_line {
	uint32_t source;
	const char *text;
	uint32_t inlined;
	uint32_t name;
};

/**
 * struct annotate_code - the instructions of a function
 * @function: its number
 * @code: its instructions
 * @lines: by instruction
 * @counts: by instruction and event: instruction * event_count + event
 */
struct annotate_code {
	uint32_t function;
	struct disassembly code;
	struct annotate_line *lines;
	struct annotate_count *counts;
};

void annotate_make(struct annotate *annotate, struct profile *profile,
		   const struct annotate_options *options);
/* Makes @order again after a change of @options. */
void annotate_choose(struct annotate *annotate);
void annotate_free(struct annotate *annotate);

/*
 * Returns 0, or -1 with a reason in @why, as the end of a message. Call annotate_code_free() in
 * both cases.
 */
int annotate_code_read(struct annotate_code *code, struct annotate *annotate, uint32_t function,
		       char *why, size_t size);
void annotate_code_free(struct annotate_code *code);

/* The formats: a prologue, a function, and an epilogue. */
void annotate_text_head(const struct annotate *annotate);
void annotate_text(const struct annotate *annotate, const struct annotate_code *code);
void annotate_csv_head(const struct annotate *annotate);
void annotate_csv(const struct annotate *annotate, const struct annotate_code *code);
void annotate_json_head(const struct annotate *annotate);
void annotate_json(const struct annotate *annotate, const struct annotate_code *code);
void annotate_json_foot(const struct annotate *annotate);

/* Whether --event selects an event, and the function has samples of it. */
bool annotate_has_event(const struct annotate *annotate, uint32_t function, uint32_t event);

static inline const struct function *annotate_function(const struct annotate *annotate, uint32_t id)
{
	return intern_at(&annotate->functions, id);
}

static inline const struct annotate_count *annotate_total(const struct annotate *annotate,
							  uint32_t function, uint32_t event)
{
	return &annotate->counts[(size_t)function * annotate->profile->event_count + event];
}

static inline const struct annotate_count *annotate_count(const struct annotate *annotate,
							  const struct annotate_code *code,
							  uint32_t instruction, uint32_t event)
{
	return &code->counts[(size_t)instruction * annotate->profile->event_count + event];
}

/* The share of an instruction in its function, in percent. */
double annotate_percent(const struct annotate *annotate, const struct annotate_code *code,
			uint32_t instruction, uint32_t event);
/* The largest share of an instruction in any event that is shown. */
double annotate_largest(const struct annotate *annotate, const struct annotate_code *code,
			uint32_t instruction);

#endif
