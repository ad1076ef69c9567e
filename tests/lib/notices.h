/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets that listen for the notices of the netlink family hwpmc, and what they received. */
#ifndef HWPMC_TEST_NOTICES_H
#define HWPMC_TEST_NOTICES_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/hwpmc_netlink.h>

/* Values of enum hwpmc_nl_what. */
#define NOTICES_KINDS	18

/**
 * struct notices - the notices of one dump
 * @all: number of notices
 * @of: number of notices by HWPMC_NL_WHAT_*
 * @wakes: wake-up messages that were sent since the previous dump
 * @theirs: number of notices about files that process @whose opened
 * @whose: the argument of notices_read_of()
 * @count: sum of COUNT by HWPMC_NL_WHAT_*
 * @target: TARGET of the last notice that has it; @pid and @id likewise
 * @cpu: CPU of the last notice
 * @last: TIME of the last notice
 * @disorder: a notice had a smaller TIME than one before it
 */
struct notices {
	unsigned int all, of[NOTICES_KINDS], wakes, theirs;
	uint32_t whose;
	uint64_t count[NOTICES_KINDS];
	uint32_t target, pid, id;
	int32_t cpu;
	uint64_t last;
	bool disorder;
};

/* The number of the family, after notices_init() found it. */
extern uint16_t notices_family;
void notices_init(void);

/* Makes a socket listen. Returns 0 or -errno. */
int notices_listen(int sk);
/* Opens a socket that listens. Exits with a failed case on error. */
int notices_listener(void);
/* Reads the notices that wait for a socket. Returns 0 or -errno. */
int notices_read(int sk, struct notices *notices);
/* The same; @notices->theirs are those about files that process @whose opened. */
int notices_read_of(int sk, struct notices *notices, uint32_t whose);

#endif /* HWPMC_TEST_NOTICES_H */
