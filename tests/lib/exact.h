/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs with a known number of user instructions, and checks of counts against that number. */
#ifndef HWPMC_EXACT_H
#define HWPMC_EXACT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "balance.h"
#include "child.h"
#include "cpu.h"
#include "test.h"
#include "worker.h"

/*
 * Programs (exact.S). They make no system calls but those listed here, and no function calls, so
 * their instructions can be counted by reading. "Runs" is @rounds of two instructions; @rounds is
 * at least 1. "Sleeps" is nanosleep(2) of @doze; if @doze is NULL, the call fails at once.
 */

/* Repeats @times: reads a byte from @in, sleeps, runs, writes a byte to @out. */
void serve(int in, int out, uint64_t times, uint64_t rounds, const struct timespec *doze);
#define SERVE_COST(times, rounds)	((times) * (17 + 2 * (uint64_t)(rounds)))

/* Repeats @times: migrates to the CPUs of masks[1] and masks[0] alternately, sleeps, runs. */
void hop(const uint64_t masks[2], uint64_t times, uint64_t rounds, const struct timespec *doze);
#define HOP_COST(times, rounds)		((times) * (13 + 2 * (uint64_t)(rounds)))

/* Repeats @times: clones with @flags a task that runs and exits, and waits for it. */
void storm(uint64_t flags, uint64_t times, uint64_t rounds);
#define STORM_COST(times, rounds)	((times) * (23 + 2 * (uint64_t)(rounds)))
#define STORM_PROCESSES			17	/* SIGCHLD */
/* VM FS FILES SIGHAND VFORK THREAD SYSVSEM: the creator waits until the thread exits */
#define STORM_THREADS			0x00054f00

/* Repeats: runs SPIN_STEP instructions, and adds 1 to *@progress. Does not return. */
void spin_on(volatile uint64_t *progress) __attribute__((noreturn));
#define SPIN_STEP			1000ULL

/* Runs @rounds of two instructions. */
void run(uint64_t rounds);

/*
 * The program's first argument divides its numbers of rounds, for slow kernels and short runs.
 * scaled() returns @size divided by it, at least 1.
 */
void scale_down(int argc, char **argv);
uint64_t scaled(uint64_t size);
/*
 * Whether @ids[0], a clock of this process, stops while the process sleeps; @ids[1] is a clock of
 * the CPU.
 */
bool clock_stops_off_cpu(int fd, const uint32_t ids[2]);

/* Allocates a PMC that counts instructions in user mode. @cpu -1: virtual */
uint32_t counter(int fd, int cpu, uint32_t flags);
unsigned int width_of(int fd, uint32_t id);
struct hwpmc_times times_of(int fd, uint32_t id);

/* A case: @got differs from @want by at most 2,000 events, or by at most 0.01 % + 2,000. */
bool check_exact(uint64_t got, uint64_t want, const char *name);
bool check_near(uint64_t got, uint64_t want, const char *name);

/* A count, and the expected one. */
struct count { uint64_t got, want; };

#endif /* HWPMC_EXACT_H */
