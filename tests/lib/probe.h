/* SPDX-License-Identifier: GPL-2.0-only */
/* PMCs of class PROBE, and what they count: calls of getpriority(2), and of this program. */
#ifndef HWPMC_TEST_PROBE_H
#define HWPMC_TEST_PROBE_H

#include <stddef.h>
#include <stdint.h>

/* The kernel's function of getpriority(2), which nobody else calls in the tests. */
#ifdef __aarch64__
#define PROBE_FUNCTION	"__arm64_sys_getpriority"
#else
#define PROBE_FUNCTION	"__x64_sys_getpriority"
#endif

/* Of a function that is probed: calls are what they are in the source. */
#ifdef __clang__
#define PROBED	__attribute__((noinline, optnone))
#else
#define PROBED	__attribute__((noipa))
#endif

/* How many threads probe_call_in_threads() has. */
#define PROBE_THREADS	8

/* Allocate a PMC that counts the probe @name. Returns an id > 0, or -errno. */
int64_t probe_allocate(int fd, const char *name, uint32_t mode, int cpu, uint32_t flags);
/* The same for one that is attached to nothing yet; exits with a failed case on error. */
uint32_t probe_count(int fd, const char *name, uint32_t flags);
/* Events of the PMC's probe that were skipped so far, on all CPUs. */
uint64_t probe_skipped(int fd, uint32_t id);

/*
 * Open the file that a function of this process is mapped from, and set the function's offset
 * there. The caller closes it.
 */
int probe_file(const void *function, uint64_t *offset);
/*
 * Allocate a PMC of what this process calls: @end is "entry" or "return" of @function. The result
 * is that of probe_allocate().
 */
int64_t probe_allocate_at(int fd, const void *function, const char *end, uint32_t mode, int cpu,
			  uint32_t flags);

/* Call getpriority(2). */
void probe_call(unsigned long times);
/* The same @times in each of PROBE_THREADS threads, which have ended on return. */
void probe_call_in_threads(unsigned long times);
/* Start PMCs, call probe_call_in_threads(), stop them and read their values. */
void probe_values(int fd, const uint32_t *ids, size_t count, unsigned long times, uint64_t *values);

#endif /* HWPMC_TEST_PROBE_H */
