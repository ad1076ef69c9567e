/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_DISASSEMBLY_H
#define PMCTL_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct instruction - a line of a disassembly
 * @address: its address
 * @target: the target of its jump or call, if that is part of the instruction; else 0
 * @jumps: it jumps to @target
 * @text: mnemonic and operands
 * @label: objdump's name of @target, without brackets; "" if it has none
 */
struct instruction {
	uint64_t address;
	uint64_t target;
	bool jumps;
	char *text;
	char *label;
};

/**
 * struct disassembly - the instructions of a function
 * @list: sorted by address
 * @count: number of instructions
 */
struct disassembly {
	struct instruction *list;
	uint32_t count;
};

/**
 * struct disassembly_request - what to disassemble, and how
 * @fd: the ELF file
 * @start: the first address, as the file's headers have it
 * @end: the first address after it
 * @objdump: the program to use; NULL: the one for the file's architecture
 * @style: for objdump's -M; NULL: none
 */
struct disassembly_request {
	int fd;
	uint64_t start;
	uint64_t end;
	const char *objdump;
	const char *style;
};

/*
 * Returns 0, or -1 with a reason in @why, as the end of a message. Call disassembly_free() in both
 * cases.
 */
int disassembly_read(struct disassembly *disassembly, const struct disassembly_request *request,
		     char *why, size_t size);
void disassembly_free(struct disassembly *disassembly);

/* The instruction that contains @address, or NULL if @address is before the first one. */
const struct instruction *disassembly_find(const struct disassembly *disassembly,
					   uint64_t address);

/* Parses a line of objdump's output; returns whether it is an instruction. */
bool disassembly_parse(const char *line, struct instruction *instruction);

#endif
