/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that all test programs share. A program tests one subject; each case prints a line "ok
 * - name", "not ok - name: why" or "skip - name: why", and the program exits with 0 or 1. The
 * runner counts the lines.
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

/* Events that QEMU counts, of PMUv3 or of the emulated x86 PMUs. */
#define EV_SW_INCR	0x00	/* PMUv3 only */
#ifdef __aarch64__
#define EV_INSTRUCTIONS	0x08
#define EV_CYCLES	0x11
#else
#define EV_INSTRUCTIONS	0xc0
#define EV_CYCLES	(dev_class() == HWPMC_CLASS_AMD ? 0x76 : 0x3c)
#endif

/* Time limits detect hangs, not slow hosts: each is multiplied by this. */
#define PATIENCE	5

/* One case: prints its line. Returns @ok. */
bool check(bool ok, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A case that this machine cannot run: prints it and counts it. */
void skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Returns the program's exit status: 0, or 1 after a failed case. */
int result(void);
/* The test's own set-up failed: prints a "not ok" line and exits. */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Whether @condition becomes true within 10 s * PATIENCE, by the work of another task. */
#define SOON(condition) ({						\
	int left_ = 1000 * PATIENCE;					\
	while (!(condition) && left_-- > 0)				\
		usleep(10000);						\
	left_ >= 0;							\
})

/* ioctls of the device; each sets the structure's size and returns 0 or -errno. */
int dev_open(void);				/* exits with a failed case on error */
int dev_call(int fd, unsigned long cmd, void *args, size_t size);
/* The same, but the caller sets the size. The structure's head must be writable. */
int dev_ioctl(int fd, unsigned long cmd, void *args);
/* Returns the sentence of this thread's last failed call of any file; @fd is not used. */
const char *dev_sentence(int fd);
#define NO_SENTENCE	"(no sentence)"

/* Returns the machine's class of programmable counters: HWPMC_CLASS_ARMV8, IAP or AMD. */
const struct hwpmc_class_info *dev_class_info(void);
uint32_t dev_class(void);

/* Allocates a PMC. @caps: HWPMC_CAP_*. Returns an id > 0, or -errno. */
int64_t dev_allocate(int fd, uint32_t class_id, uint32_t mode, int cpu, uint64_t event,
		     uint64_t caps, uint32_t flags);
/* Allocates a virtual PMC that counts instructions in user mode. */
uint32_t dev_instructions(int fd, uint32_t flags);

int dev_ids(int fd, unsigned long cmd, const uint32_t *ids, unsigned int count);
int dev_start(int fd, uint32_t id);
int dev_stop(int fd, uint32_t id);
int dev_release(int fd, uint32_t id);
int dev_attach(int fd, uint32_t id, int pid, uint32_t flags);
int dev_detach(int fd, uint32_t id, int pid, uint32_t flags);
/* Returns the target's handle, or exits with a failed case. */
uint64_t dev_attach_target(int fd, uint32_t id, int pid);
int dev_detach_target(int fd, uint32_t id, uint64_t target);
int dev_read(int fd, const uint32_t *ids, unsigned int count, uint64_t *values);
uint64_t dev_value(int fd, uint32_t id);	/* exits with a failed case on error */
int dev_write(int fd, uint32_t id, uint64_t value);
/*
 * Reads the per-target values of one id; *@count is the size of @list, then the number of targets.
 */
int dev_targets(int fd, uint32_t id, uint64_t *value, struct hwpmc_target_value *list,
		uint32_t *count);
struct hwpmc_stats dev_stats(int fd);
/* MAP_FD: sets @map. Returns the new descriptor, or -errno. */
int dev_map_fd(int fd, int pid, uint32_t flags, const void *at, struct hwpmc_map_fd *map);

/* Whether @got differs from @want by at most 0.01 % + 2,000 events. */
bool exact(uint64_t got, uint64_t want);

/*
 * Runs 10,000,000 * @tens user instructions, plus a few (tests/lib/spin.S). The number is always
 * the same for the same argument.
 */
void spin(unsigned long tens);
#define SPIN_UNIT	10000000ULL

#endif /* HWPMC_TEST_H */
