/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the benchmark share. Under icount a nanosecond of guest time
 * is an instruction, so that time and instructions are one word here.
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
 * @kernel: those of the kernel, too
 * @frames: of call chains, where the sample is: in the kernel or the program; 0 none
 * @wakeup: wake the reader when so many bytes wait; 0: half of the ring
 */
struct sampling {
	uint64_t period;
	bool kernel;
	unsigned int frames;
	uint32_t wakeup;
};

/**
 * struct drained - what was read of a ring, added up
 * @samples: how many
 * @bytes: of all records
 * @frames: of the samples' call chains
 * @places: sum of the places they were taken at, so that they are looked at
 */
struct drained {
	unsigned long samples;
	uint64_t bytes;
	uint64_t frames;
	uint64_t places;
};

#define RING_SIZE	(512 * 1024)

/**
 * struct backend - how counters are had: from us, or from perf
 * @name: as on the command line
 * @open: @count counters of instructions for @pid (0: the caller), running
 * @read: all of them, by one call
 * @close: what open() opened
 * @sample_open: a counter that samples @pid as @how says, into a mapped ring, running
 * @sample_stop: it counts no more
 * @sample_wait: until there is something to read; false if @pid has ended
 * @sample_drain: read what is there, and add it up
 * @sample_close: what sample_open() opened
 */
struct backend {
	const char *name;
	void (*open)(unsigned int count, pid_t pid);
	void (*read)(void);
	void (*close)(void);
	void (*sample_open)(const struct sampling *how, pid_t pid);
	void (*sample_stop)(void);
	bool (*sample_wait)(void);
	void (*sample_drain)(struct drained *sum);
	void (*sample_close)(void);
};

extern const struct backend backend_hwpmc, backend_perf;

uint64_t now(void);
/* A line "KEY VALUE", for bench/run. */
void print(const char *key, double value);

/* The benchmarks; NULL: with nobody counting. */
void bench_switch(const struct backend *b);
void bench_read(const struct backend *b);
void bench_thousand(const struct backend *b);
void bench_sample(const struct backend *b);
void bench_shown(const struct backend *b);
void bench_ring(const struct backend *b);

#endif /* HWPMC_BENCH_H */
