/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_JIT_H
#define PMCTL_JIT_H

#include <stdbool.h>
#include <stdint.h>

/* JIT-compiled code from @start to @end; @order: position in the map. */
struct jit_symbol {
	uint64_t start;
	uint64_t end;
	uint32_t order;
	char *name;
};

/**
 * struct jit - the symbols of a process from /tmp/perf-PID.map
 * @symbols: sorted by address; for each address the entry that was written last
 * @count: number of symbols
 * @foreign: the map was ignored because another user owns it
 */
struct jit {
	struct jit_symbol *symbols;
	uint32_t count;
	bool foreign;
};

/* Reads the map of @pid below @root, if root or the caller owns it. 0, or -1. */
int jit_read(struct jit *jit, const char *root, int pid);
void jit_free(struct jit *jit);
/* The code at @address, or NULL. */
const struct jit_symbol *jit_symbol(const struct jit *jit, uint64_t address);

#endif
