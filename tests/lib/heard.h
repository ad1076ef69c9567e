/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets that listen for the notices of the netlink family hwpmc, and what they received. */
#ifndef HWPMC_TEST_HEARD_H
#define HWPMC_TEST_HEARD_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/hwpmc_netlink.h>

/* Values of enum hwpmc_nl_what. */
#define HEARD_KINDS	18

/**
 * struct heard - the notices of one dump
 * @all: how many
 * @of: how many by HWPMC_NL_WHAT_*
 * @wakes: wake-up messages that were sent since the dump before
 * @theirs: how many are about files that process @whose opened
 * @whose: as for heard_read_of()
 * @count: sum of COUNT by HWPMC_NL_WHAT_*
 * @target: of the last notice that has one; @pid, @id and @cpu likewise
 * @last: TIME of the last one
 * @disorder: a notice had a smaller TIME than one before it
 */
struct heard {
	unsigned int all, of[HEARD_KINDS], wakes, theirs;
	uint32_t whose;
	uint64_t count[HEARD_KINDS];
	uint32_t target, pid, id;
	int32_t cpu;
	uint64_t last;
	bool disorder;
};

/* The number of the family, after heard_init() found it. */
extern uint16_t heard_family;
void heard_init(void);

/* Makes a socket listen. Returns 0 or -errno. */
int heard_listen(int sk);
/* Opens a socket that listens. Exits with a failed case on error. */
int heard_listener(void);
/* Reads the notices that wait for a socket. Returns 0 or -errno. */
int heard_read(int sk, struct heard *heard);
/* The same; @heard->theirs are those about files that process @whose opened. */
int heard_read_of(int sk, struct heard *heard, uint32_t whose);

#endif /* HWPMC_TEST_HEARD_H */
