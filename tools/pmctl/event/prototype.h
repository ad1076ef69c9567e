/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names and types of a probe's arguments. The module copies 64 bits of each argument; only the
 * prototype has their number, and which of the bits are valid.
 */
#ifndef PMCTL_PROTOTYPE_H
#define PMCTL_PROTOTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum argument_kind {
	ARGUMENT_RAW,		/* its type is unknown, or is no number */
	ARGUMENT_SIGNED,
	ARGUMENT_UNSIGNED,
	ARGUMENT_POINTER,
	ARGUMENT_NONE,		/* the function returns nothing */
};

/**
 * struct argument - one argument, or a return value
 * @name: its name; "arg1" and so on if it has none
 * @type: its type in C; NULL if it is not known
 * @kind: enum argument_kind
 * @bytes: its size, 1 to 8: the bytes beyond it are random
 */
struct argument {
	char *name;
	char *type;
	enum argument_kind kind;
	unsigned int bytes;
};

#define PROTOTYPE_ARGS_MAX	10

/**
 * struct prototype - the arguments of a probe
 * @known: @count is exact; else it is the most that there can be
 * @returns: it has a return value: @result
 * @count: number of arguments
 * @arguments: the arguments
 * @result: what is returned
 */
struct prototype {
	bool known;
	bool returns;
	unsigned int count;
	struct argument arguments[PROTOTYPE_ARGS_MAX];
	struct argument result;
};

void prototype_free(struct prototype *prototype);

/*
 * Adds an argument; arguments beyond PROTOTYPE_ARGS_MAX are left out. @name and @type are copied.
 */
struct argument *prototype_add(struct prototype *prototype, const char *name, const char *type);

/* Sets the kind and size of an argument by its type in C. */
void prototype_type(struct argument *argument, const char *type);

/* Returns the value of an argument without its random bits; @raw is the copy of all bits. */
int64_t prototype_value(const struct argument *argument, uint64_t raw);

#define PROTOTYPE_TEXT_MAX	32
/*
 * Writes the value as text to @buf of PROTOTYPE_TEXT_MAX bytes: in decimal, or as 0x... for
 * pointers and flags.
 */
const char *prototype_text(const struct argument *argument, uint64_t raw, char *buf);

#endif
