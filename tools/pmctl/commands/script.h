/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SCRIPT_H
#define PMCTL_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include "symbol/processes.h"

/**
 * struct script - the state while a log is shown
 * @out: the output
 * @json: write JSON
 * @processes: processes and maps at the current record
 * @names: names of events, by PMC
 * @name_count: number of names
 */
struct script {
	FILE *out;
	bool json;
	struct processes processes;
	struct script_name {
		uint32_t id;
		char *name;
	} *names;
	size_t name_count;
};

/* Prints a record as one line. */
void script_show(struct script *script, const struct hwpmc_log_header *record);

/*
 * What is at an address: "symbol+0x10", "/bin/sh+0x1234" or "[unknown]". Valid until the next
 * call.
 */
const char *script_show_location(struct script *script, int pid, uint64_t address, bool user);

#endif
