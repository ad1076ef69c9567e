/* SPDX-License-Identifier: GPL-2.0-only */
/* The contents of the logs of bench/report/logs.c. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#define DEPTH		16	/* frames of a call chain */
#define PERIOD		100003
#define KERNEL		0xffffffff81000000ULL
#define KERNEL_SIZE	0x400000ULL

/**
 * struct map - a file that a process executes
 * @pid: the process; -1: the kernel
 * @start: first address
 * @size: in bytes
 * @offset: of @start in the file, in bytes
 * @path: of the file
 * @time: when it was mapped, in ns
 */
struct map {
	int pid;
	uint64_t start;
	uint64_t size;
	uint64_t offset;
	const char *path;
	uint64_t time;
};

/**
 * struct sample - one sample
 * @time: in ns
 * @cpu: the CPU on which it was taken
 * @pid: process and thread
 * @kernel: number of frames of @pc and @chain in the kernel
 * @pc: the interrupted address
 * @chain: return addresses, innermost first
 */
struct sample {
	uint64_t time;
	uint32_t cpu;
	int pid;
	unsigned int kernel;
	uint64_t pc;
	uint64_t chain[DEPTH];
};

#endif
