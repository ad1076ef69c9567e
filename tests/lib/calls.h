/* SPDX-License-Identifier: GPL-2.0-only */
/* Every call of the device: a structure with which it succeeds, and the way back. */
#ifndef HWPMC_TEST_CALLS_H
#define HWPMC_TEST_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct call - one of them
 * @first: bytes of its structure when it was first published; 0: as now
 * @flags: those it knows; ~0: it has no such field
 * @reply: something is written to the structure
 * @reserved: offsets of fields that have to be 0; 0: no more of them
 * @fill: writes what is not 0
 * @back: undoes @fill and the call, which ended with @err
 * @fresh: works once for an open file
 * @samples: not where no class can
 */
struct call {
	const char *name;
	unsigned long cmd;
	size_t size;
	size_t first;
	uint32_t flags;
	bool reply;
	size_t reserved[2];
	void (*fill)(void *args);
	void (*back)(void *args, int err);
	bool fresh;
	bool samples;
};

extern const struct call calls[];
extern const size_t calls_count;

extern int call_on;			/* what the call goes to, from call_fill() to call_undo() */

/* What they are about is made at @fd; dies if it cannot. */
void calls_open(int fd);
void calls_close(void);

/* The structure, at @at; not its size. */
void *call_fill(const struct call *c, void *at);
void call_undo(const struct call *c, void *at, int err);

#endif /* HWPMC_TEST_CALLS_H */
