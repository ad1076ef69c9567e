/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs, time and memory of the machine under test. */
#ifndef HWPMC_TEST_CPU_H
#define HWPMC_TEST_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

void *shared(size_t size);			/* memory that children share */
void pin(pid_t tid, int cpu);			/* 0: the caller; cpu -1: all */
void nap(unsigned int ms);
double seconds(void);				/* CLOCK_MONOTONIC */
bool cpu_online(int cpu, bool online);		/* by sysfs; whether it worked */

/* Whether this is under -icount: an instruction takes a nanosecond, on every CPU. */
bool is_icount(void);

/*
 * Where QEMU under -icount goes on to the other CPU; otherwise that may have to
 * wait for 100 ms. storm() and spin_on() do so, too. To be used by whatever
 * runs while the other CPU has something to do.
 */
static inline void yield_cpu(void)
{
#ifdef __aarch64__
	asm volatile("yield");
#endif
}

#endif /* HWPMC_TEST_CPU_H */
