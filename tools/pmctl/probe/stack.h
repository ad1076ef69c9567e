/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of call chains, and of threads whose records have no name. */
#ifndef PMCTL_PROBE_STACK_H
#define PMCTL_PROBE_STACK_H

#include <stdio.h>
#include <linux/hwpmc_log.h>

#include "base/intern.h"
#include "symbol/processes.h"
#include "symbol/symbols.h"

/**
 * struct stack_names - symbols for addresses, and the stacks that are keys
 * @processes: processes and maps at the current record, and the kernel's symbols
 * @symbols: the files that are mapped
 * @texts: names of @symbols
 * @stacks: stacks as texts, a line for each function, innermost first
 * @limit: the most stacks
 */
struct stack_names {
	struct processes processes;
	struct symbols symbols;
	struct intern texts;
	struct intern stacks;
	uint32_t limit;
};

void stack_names_init(struct stack_names *names, uint32_t limit);
void stack_names_free(struct stack_names *names);
/* Reads the symbols of the kernel. */
void stack_names_read_kernel(struct stack_names *names);
/* Updates the state from a record. */
void stack_names_take(struct stack_names *names, const struct hwpmc_log_header *record);

/* Writes the stack of the kernel or the user, with @indent before each line. */
void stack_write(struct stack_names *names, const struct hwpmc_log_sample *sample, bool user,
		 const char *indent, FILE *out);
/* The same as text, without an indent; free() it. */
char *stack_text(struct stack_names *names, const struct hwpmc_log_sample *sample, bool user);
/*
 * Returns the number of the stack's text in @stacks; INTERN_NONE if there are @limit stacks
 * already.
 */
uint32_t stack_id(struct stack_names *names, const struct hwpmc_log_sample *sample, bool user);
/* Removes all stacks. */
void stack_reset(struct stack_names *names);

#endif
