/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the test programs share. One program a subject; each case prints a line
 * "ok - name", "not ok - name: why" or "skip - name: why", and the program
 * ends with 0 or 1. The runner counts the lines.
 */
#ifndef HWPMC_TEST_H
#define HWPMC_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <linux/hwpmc.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Events that QEMU counts: PMUv3's, or those of an emulated x86 PMU. */
#define EV_SW_INCR	0x00	/* PMUv3's only */
#ifdef __aarch64__
#define EV_INSTRUCTIONS	0x08
#define EV_CYCLES	0x11
#else
#define EV_INSTRUCTIONS	0xc0
#define EV_CYCLES	(dev_class() == HWPMC_CLASS_AMD ? 0x76 : 0x3c)
#endif

/* Limits in seconds are for what hangs, not for a slow host: they are taken so many times. */
#define PATIENCE	5

/* One case: prints its line. Returns @ok. */
bool check(bool ok, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A case that cannot be had here: printed and counted. */
void skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The program's exit status, for the end of main(). */
int result(void);
/* The set-up of the test itself failed: prints a "not ok" line and ends. */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Whether @condition comes true within ten seconds of PATIENCE: what somebody else is to do. */
#define SOON(condition) ({						\
	int left_ = 1000 * PATIENCE;					\
	while (!(condition) && left_-- > 0)				\
		usleep(10000);						\
	left_ >= 0;							\
})

/* Calls on the device; 0 or -errno. Each sets the structure's size. */
int dev_open(void);				/* dies if it cannot */
int dev_call(int fd, unsigned long cmd, void *args, size_t size);
const char *dev_sentence(int fd);		/* of the last failure; static storage */

/* The machine's programmable counters: HWPMC_CLASS_ARMV8, IAP or AMD; dies if it has none. */
const struct hwpmc_class_info *dev_class_info(void);
uint32_t dev_class(void);

/* Allocate. @caps: HWPMC_CAP_USER and so on. -> id > 0, or -errno as int64 */
int64_t dev_allocate(int fd, uint32_t class_id, uint32_t mode, int cpu, uint64_t event,
		     uint32_t caps, uint32_t flags);
/* A virtual counting PMC for instructions in user mode; dies if refused. */
uint32_t dev_instructions(int fd, uint32_t flags);

int dev_ids(int fd, unsigned long cmd, const uint32_t *ids, unsigned int count);
int dev_start(int fd, uint32_t id);
int dev_stop(int fd, uint32_t id);
int dev_release(int fd, uint32_t id);
int dev_attach(int fd, uint32_t id, int pid, uint32_t flags);
int dev_detach(int fd, uint32_t id, int pid, uint32_t flags);
int dev_read(int fd, const uint32_t *ids, unsigned int count, uint64_t *values);
uint64_t dev_value(int fd, uint32_t id);	/* dies if it cannot */
int dev_write(int fd, uint32_t id, uint64_t value);
/* Per-target values of one id; *count in: room, out: how many. */
int dev_targets(int fd, uint32_t id, uint64_t *value, struct hwpmc_target_value *list,
		uint32_t *count);
struct hwpmc_stats dev_stats(int fd);

/* Whether @got is @want within 0.01 % + 2,000 events. */
bool exact(uint64_t got, uint64_t want);

/*
 * Run exactly 10,000,000 * @tens user instructions, plus a few (tests/lib/spin.S).
 * Always the same number for the same argument.
 */
void spin(unsigned long tens);
#define SPIN_UNIT	10000000ULL

#endif /* HWPMC_TEST_H */
