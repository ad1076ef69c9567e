/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SCRIPT_H
#define PMCTL_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include "symbol/processes.h"

/**
 * struct script - what is known while a log is shown
 * @out: where the lines go
 * @json: as JSON
 * @processes: who is who, and what is where
 * @names: of events, by their PMCs
 * @name_count: how many
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

/* Shows a record as a line. */
void script_show(struct script *script, const struct hwpmc_log_header *record);

/*
 * "symbol+0x10", "/bin/sh+0x1234" or "[unknown]": what is at an address; valid
 * until the next call.
 */
const char *script_show_location(struct script *script, int pid, uint64_t address, bool user);

#endif
