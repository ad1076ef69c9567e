/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of exact counts share: programs of a known number of user
 * instructions, the tasks that run them, and what one expects of a count.
 */
#ifndef HWPMC_EXACT_H
#define HWPMC_EXACT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "test.h"

/*
 * Programs (exact.S). None of them touches memory or makes a call that is not
 * named here, so their instructions can be counted by reading. @rounds is of
 * two instructions each and at least 1; @doze may be NULL.
 */

/* @times: read a byte from @in, sleep, run, write a byte to @out. */
void serve(int in, int out, uint64_t times, uint64_t rounds, const struct timespec *doze);
#define SERVE_COST(times, rounds)	((times) * (17 + 2 * (uint64_t)(rounds)))

/* @times: move to the CPUs of masks[1] or masks[0] in turn, sleep, and run there. */
void hop(const uint64_t masks[2], uint64_t times, uint64_t rounds, const struct timespec *doze);
#define HOP_COST(times, rounds)		((times) * (13 + 2 * (uint64_t)(rounds)))

/* @times: clone with @flags a task that runs and exits, and wait for it. */
void storm(uint64_t flags, uint64_t times, uint64_t rounds);
#define STORM_COST(times, rounds)	((times) * (23 + 2 * (uint64_t)(rounds)))
#define STORM_PROCESSES			17	/* SIGCHLD */
/* VM FS FILES SIGHAND VFORK THREAD SYSVSEM: the creator waits for its end */
#define STORM_THREADS			0x00054f00

/* For ever: run SPIN_STEP instructions, add 1 to *@progress. */
void spin_on(volatile uint64_t *progress) __attribute__((noreturn));
#define SPIN_STEP			1000ULL

/* @rounds of two instructions. */
void run(uint64_t rounds);

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

/* A child that does @fn(@arg) whenever it is told to. */
struct worker {
	pid_t pid;
	int tell;
	int told;
};

struct worker worker_start(void (*fn)(void *arg), void *arg);
void worker_begin(const struct worker *worker);	/* begin */
void worker_wait(const struct worker *worker);	/* until it is done */
void worker_do(const struct worker *worker);		/* both */
void worker_end(struct worker *worker);		/* kill it and reap it */
/* Sleeps until @pid does (state S in /proc), at most 5 s; dies otherwise. */
void wait_asleep(pid_t pid);

/* A child that serves, and what it is told by. worker_begin() begins, worker_wait() ends. */
struct server {
	int in[2], out[2];
	uint64_t times, rounds;
	const struct timespec *doze;
	struct worker worker;
};

/* Set @times, @rounds and @doze before. */
void server_open(struct server *server);
void server_do(const struct server *server);	/* once */
void server_close(struct server *server);

void *shared(size_t size);			/* memory that children share */
void pin(pid_t tid, int cpu);			/* 0: the caller; cpu -1: all */
void nap(unsigned int ms);
double seconds(void);				/* CLOCK_MONOTONIC */
bool cpu_online(int cpu, bool online);		/* by sysfs; whether it worked */
/*
 * How often and how long things are done, by the program's argument: divided by
 * it, for kernels that take long for everything.
 */
void scale_down(int argc, char **argv);
uint64_t scaled(uint64_t size);
/* A "not ok" line and the end, when main() is not done by then. */
void time_limit(unsigned int seconds);

/* Whether a clock of this process, the first, stands while it sleeps, and a CPU's does not. */
bool clock_stops_off_cpu(int fd, const uint32_t ids[2]);

/* Whether this is under -icount: an instruction takes a nanosecond, on every CPU. */
bool is_icount(void);

/* A counting PMC of instructions in user mode; dies if refused. cpu -1: virtual */
uint32_t counter(int fd, int cpu, uint32_t flags);
unsigned int width_of(int fd, uint32_t id);
struct hwpmc_times times_of(int fd, uint32_t id);

/* One case: @got of @want within 2,000 events, or within 0.01 % + 2,000. */
bool check_exact(uint64_t got, uint64_t want, const char *name);
bool check_near(uint64_t got, uint64_t want, const char *name);

/* What was counted, and what it should be. */
struct count { uint64_t got, want; };

/*
 * By the balance: what follows the tasks must be what system-wide PMCs count on
 * the CPUs, to a few instructions, for nobody else is in user mode meanwhile.
 * Four PMCs that run together: of a target, of the test itself, and of the CPUs
 * 0 and 1.
 */
enum { TARGET, TEST, CPU0, CPU1, BALANCE_PMCS };

struct balance {
	int fd;
	uint32_t ids[BALANCE_PMCS];
	uint64_t values[BALANCE_PMCS];
};

void balance_allocate(struct balance *balance);
void balance_start(struct balance *balance, pid_t target);	/* attaches, too */
void balance_read(struct balance *balance);
void balance_close(struct balance *balance);			/* stops and reads before */
bool check_balance(const struct balance *balance, const char *name);

/* A child that keeps CPU 0 busy. Books that begin meanwhile have it in TEST. */
void busy_cpu0_begin(void);
void busy_cpu0_end(void);

#endif /* HWPMC_EXACT_H */
