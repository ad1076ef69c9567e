/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMCs of class PROBE, and the events that they count: calls of getpriority(2) and of functions of
 * this program.
 */
#ifndef HWPMC_TEST_PROBE_H
#define HWPMC_TEST_PROBE_H

#include <stddef.h>
#include <stdint.h>

/* The kernel's function for getpriority(2), which nothing else calls during the tests. */
#ifdef __aarch64__
#define PROBE_FUNCTION	"__arm64_sys_getpriority"
#else
#define PROBE_FUNCTION	"__x64_sys_getpriority"
#endif

/* For a probed function: the compiler neither inlines it nor leaves out calls. */
#ifdef __clang__
#define PROBED	__attribute__((noinline, optnone))
#else
#define PROBED	__attribute__((noipa))
#endif

/* The number of threads of probe_call_in_threads(). */
#define PROBE_THREADS	8

/* Allocates a PMC that counts the probe @name. Returns an id > 0, or -errno. */
int64_t probe_allocate(int fd, const char *name, uint32_t mode, int cpu, uint32_t flags);
/* The same for a virtual PMC that counts; exits with a failed case on error. */
uint32_t probe_count(int fd, const char *name, uint32_t flags);
/* A case: ALLOCATE of the probe @name fails with @error and a sentence. @file: of a uprobe, or 0 */
void probe_refused(int fd, const char *name, int file, int error);
/* Returns the number of skipped events of the PMC's probe so far, on all CPUs. */
uint64_t probe_skipped(int fd, uint32_t id);

/*
 * Opens the file from which a function of this process is mapped, and sets @offset to the
 * function's offset in it. The caller closes the file.
 */
int probe_file(const void *function, uint64_t *offset);
/*
 * Allocates a PMC for calls of this process: @end is "entry" or "return" of @function. Returns the
 * same as probe_allocate().
 */
int64_t probe_allocate_at(int fd, const void *function, const char *end, uint32_t mode, int cpu,
			  uint32_t flags);

/* Calls getpriority(2) @times. */
void probe_call(unsigned long times);
/* Calls it @times in each of PROBE_THREADS threads. Returns when the threads have exited. */
void probe_call_in_threads(unsigned long times);
/* Starts PMCs, calls probe_call_in_threads(), stops the PMCs and reads their values. */
void probe_values(int fd, const uint32_t *ids, size_t count, unsigned long times, uint64_t *values);

#endif /* HWPMC_TEST_PROBE_H */
