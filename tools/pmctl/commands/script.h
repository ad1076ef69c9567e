/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SCRIPT_H
#define PMCTL_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include "log/log_throttle.h"
#include "symbol/location.h"
#include "symbol/processes.h"
#include "symbol/symbols.h"
#include "symbol/unwind.h"

/**
 * struct script - the state while a log is shown
 * @out: the output
 * @json: write JSON
 * @texts: interns the names of @symbols
 * @symbols: the files that are mapped
 * @processes: processes and maps at the current record
 * @unwind: unwinds user stacks that were copied
 * @throttle: the throttling of PMCs at the current record
 * @throttled: the current record is a sample that represents a throttled span
 * @names: names of events, by PMC
 * @name_count: number of names
 */
struct script {
	FILE *out;
	bool json;
	struct intern texts;
	struct symbols symbols;
	struct processes processes;
	struct unwind *unwind;
	struct log_throttle throttle;
	bool throttled;
	struct script_name {
		uint32_t id;
		char *name;
	} *names;
	size_t name_count;
};

/* Updates the state from a record, also from one that is not shown. */
void script_take(struct script *script, const struct hwpmc_log_header *record);
/* Prints a record as one line, after script_take(). */
void script_show(struct script *script, const struct hwpmc_log_header *record);

/* The place of a sample that represents a throttled span: its events occurred elsewhere. */
#define SCRIPT_THROTTLED	"[throttled]"

struct location script_location(struct script *script, int pid, uint64_t address, bool user);

/* The name of PMC @id, or NULL. */
const char *script_event(const struct script *script, uint32_t id);

/* Returns the same as location_text() for an address; valid until the next call. */
const char *script_show_location(struct script *script, int pid, uint64_t address, bool user);

/*
 * The fields that -F prints of a sample, in the order and the format of perf script. A list such
 * as "comm,tid,ip,sym" as a bit mask; 0 after a message on standard error.
 */
unsigned int script_fields_parse(const char *text);
void script_fields_show(struct script *script, const struct hwpmc_log_sample *sample,
			unsigned int fields);

#endif
