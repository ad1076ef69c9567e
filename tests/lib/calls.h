/* SPDX-License-Identifier: GPL-2.0-only */
/* Every ioctl of the device: a structure with which it succeeds, and how to undo it. */
#ifndef HWPMC_TEST_CALLS_H
#define HWPMC_TEST_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct call - an ioctl
 * @first: size of its structure when it was first published; 0: the same as now
 * @flags: the flags that it accepts
 * @reply: the call writes to the structure
 * @reserved: offsets of fields that must be 0; 0 ends the list
 * @fill: sets the fields that are not 0
 * @back: undoes @fill and the call, which returned @err
 * @fresh: the call succeeds only once for an open file, so call_fill() opens one
 * @samples: the call needs a class that can sample
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

extern int call_on;			/* the descriptor, from call_fill() to call_undo() */

/* Allocates the PMCs and opens the files that the calls use. */
void calls_open(int fd);
void calls_close(void);

/* Fills in the structure at @at, except for its size. */
void *call_fill(const struct call *c, void *at);
void call_undo(const struct call *c, void *at, int err);

#endif /* HWPMC_TEST_CALLS_H */
