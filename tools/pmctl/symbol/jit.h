/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_JIT_H
#define PMCTL_JIT_H

#include <stdbool.h>
#include <stdint.h>

/* Code from @start up to @end that a process compiled while it ran. */
struct jit_symbol {
	uint64_t start;
	uint64_t end;
	uint32_t order;
	char *name;
};

/**
 * struct jit - what /tmp/perf-PID.map says of a process
 * @symbols: by address; of one address the last that was written
 * @count: how many
 * @foreign: there is one, of another user
 */
struct jit {
	struct jit_symbol *symbols;
	uint32_t count;
	bool foreign;
};

/* Reads the map of @pid below @root. Only root's and the caller's are believed. 0, or -1. */
int jit_read(struct jit *jit, const char *root, int pid);
void jit_free(struct jit *jit);
/* The name of what is at @address, or NULL. */
const char *jit_name(const struct jit *jit, uint64_t address);

#endif
