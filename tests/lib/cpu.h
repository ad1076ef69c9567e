/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs, time and memory of the machine under test. */
#ifndef HWPMC_TEST_CPU_H
#define HWPMC_TEST_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

void *shared(size_t size);			/* returns zeroed memory, shared with children */
void *small_pages(size_t size);			/* returns private memory; no page is present */
void pin(pid_t tid, int cpu);			/* 0: the caller; cpu -1: all */
void nap(unsigned int ms);
double seconds(void);				/* CLOCK_MONOTONIC */
uint64_t clock_ns(clockid_t clock);
bool cpu_online(int cpu, bool online);		/* by sysfs; returns whether it worked */

unsigned long cpu_calls(int cpu);		/* returns the CPU's function-call interrupts */

/* Whether QEMU runs with -icount: an instruction takes a nanosecond, on every CPU. */
bool is_icount(void);

/*
 * QEMU with -icount runs one CPU at a time and switches to the other one at this instruction;
 * otherwise the other CPU may wait for 100 ms. storm() and spin_on() execute it, too. Loops that
 * run while the other CPU has work use it.
 */
static inline void yield_cpu(void)
{
#ifdef __aarch64__
	asm volatile("yield");
#endif
}

#endif /* HWPMC_TEST_CPU_H */
