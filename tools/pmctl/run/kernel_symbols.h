/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_KERNEL_SYMBOLS_H
#define PMCTL_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/hwpmc_log.h>

/* The kernel's symbols at one moment, and which of them are in a log. */

#define KERNEL_SYMBOLS_SEEN	4096	/* a power of two */

/**
 * struct known_symbol - one symbol
 * @start: its address
 * @name: "name" or "name [module]": offset in @names
 * @order: its place in /proc/kallsyms
 * @logged: the log has it
 */
struct known_symbol {
	uint64_t start;
	size_t name;
	uint32_t order;
	bool logged;
};

/**
 * struct kernel_symbols - the symbols at the time when sampling began
 * @list: by address
 * @count: number of entries of @list
 * @room: allocated number of them
 * @names: texts with their NULs, one after the other
 * @names_size: bytes used of @names
 * @names_room: bytes allocated
 * @seen: addresses that were looked up before, by their low bits
 */
struct kernel_symbols {
	struct known_symbol *list;
	size_t count;
	size_t room;
	char *names;
	size_t names_size;
	size_t names_room;
	uint64_t seen[KERNEL_SYMBOLS_SEEN];
};

/* Logs a symbol. */
typedef void (*kernel_symbols_put)(uint64_t start, const char *name, void *context);

/* Reads @file, /proc/kallsyms. Then @symbols is either empty or sorted. */
void kernel_symbols_read(struct kernel_symbols *symbols, FILE *file);

/* Calls @put for _stext, from which a reader gets the kernel's load address. */
void kernel_symbols_begin(struct kernel_symbols *symbols, kernel_symbols_put put, void *context);

/*
 * Calls @put for the symbols of the kernel addresses in @sample, and for the symbol after each,
 * which marks its end. No symbol is put twice.
 */
void kernel_symbols_take(struct kernel_symbols *symbols, const struct hwpmc_log_sample *sample,
			 kernel_symbols_put put, void *context);

/* Another log begins, which has no symbol yet. */
void kernel_symbols_forget(struct kernel_symbols *symbols);

void kernel_symbols_free(struct kernel_symbols *symbols);

#endif
