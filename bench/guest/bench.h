/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the parts of the benchmark share. With -icount a nanosecond of guest time is an
 * instruction, so all times are instructions here.
 */
#ifndef HWPMC_BENCH_H
#define HWPMC_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../tests/lib/test.h"

/**
 * struct sampling - what to sample
 * @period: instructions from sample to sample; 0: only count them
 * @kernel: sample the kernel too
 * @frames: length of call chains, in the mode of the sample; 0: none
 * @wakeup: bytes in the ring that wake the reader; 0: half of the ring
 */
struct sampling {
	uint64_t period;
	bool kernel;
	unsigned int frames;
	uint32_t wakeup;
};

/**
 * struct drained - totals of the records read from a ring
 * @samples: number of samples
 * @bytes: size of all records
 * @frames: number of frames of all call chains
 * @places: sum of the samples' addresses: adding them up makes the reader read each of them
 */
struct drained {
	unsigned long samples;
	uint64_t bytes;
	uint64_t frames;
	uint64_t places;
};

#define RING_SIZE	(512 * 1024)

#define SESSION_EVENTS	6

/**
 * struct session - six events on many CPUs, or on many threads
 * @pid: a process; 0: the CPUs
 * @tids: its threads, for an interface that counts threads one by one
 * @count: number of @tids, or of CPUs
 * @calls: system calls so far
 * @fds: open files that it needs
 */
struct session {
	pid_t pid;
	const pid_t *tids;
	unsigned int count;
	unsigned long calls, fds;
};

/**
 * struct session_ops - an interface to counters for many CPUs or threads
 * @open: open, allocate and attach
 * @start: let all count
 * @read: read all
 * @close: close all
 */
struct session_ops {
	void (*open)(struct session *s);
	void (*start)(struct session *s);
	void (*read)(struct session *s);
	void (*close)(struct session *s);
};

extern const struct session_ops session_hwpmc, session_perf;

/**
 * struct backend - an interface to counters: hwpmc's or perf's
 * @name: its name on the command line
 * @open: open and start @count counters of instructions of @pid (0: the caller)
 * @read: read all of them by one call
 * @prepare: look up the counters once for later calls of read(); NULL: not supported
 * @open_page: as @open, with a page from which programs read the counts; NULL: not supported
 * @read_page: read all counts from that page, that many times
 * @open_direct: as @open_page, for the caller's own counters, which it reads in user mode from the
 *	registers; returns false if this machine does not support it
 * @read_direct: read all counts this way, that many times
 * @close: close what open() opened
 * @sample_open: open and start a counter that samples @pid as in @how into a mapped ring
 * @sample_stop: stop it
 * @sample_wait: wait until there are records; false if @pid has exited
 * @sample_drain: read all records and add up their totals
 * @sample_close: close what sample_open() opened
 * @session: the interface to counters for many CPUs or threads; NULL: not supported
 */
struct backend {
	const char *name;
	void (*open)(unsigned int count, pid_t pid);
	void (*read)(void);
	void (*prepare)(void);
	void (*open_page)(unsigned int count, pid_t pid);
	void (*read_page)(unsigned int times);
	bool (*open_direct)(unsigned int count);
	void (*read_direct)(unsigned int times);
	void (*close)(void);
	void (*sample_open)(const struct sampling *how, pid_t pid);
	void (*sample_stop)(void);
	bool (*sample_wait)(void);
	void (*sample_drain)(struct drained *sum);
	void (*sample_close)(void);
	const struct session_ops *session;
};

extern const struct backend backend_hwpmc, backend_perf, backend_bpf, backend_lean;

uint64_t now(void);
/* Print a line "KEY VALUE" for bench/run. */
void print(const char *key, double value);

/* Threads of the processes of bench_thousand() and bench_session(). */
#define THREADS	1000

/* The benchmarks. With a @b of NULL they measure without a counter. */
void bench_switch(const struct backend *b);
void bench_read(const struct backend *b);
void bench_thousand(const struct backend *b);
void bench_session(const struct backend *b);
void bench_sample(const struct backend *b);
void bench_shown(const struct backend *b);
void bench_switched(const struct backend *b);
void bench_ring(const struct backend *b);
void bench_probes(const struct backend *b);
void bench_fired(const struct backend *b);
void bench_slopes(const struct backend *b);

#endif /* HWPMC_BENCH_H */
