/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the samples of one event as perf record does, for bench/report/logs.c. */
#ifndef BENCH_PERF_DATA_H
#define BENCH_PERF_DATA_H

#include <stdint.h>
#include <stdio.h>

#include "sample.h"

/**
 * struct perf_data - a file for perf report
 * @out: the file
 * @chains: samples have call chains
 * @samples: how many were written
 */
struct perf_data {
	FILE *out;
	bool chains;
	uint64_t samples;
};

/* These functions exit with a message on error. */
void perf_data_open(struct perf_data *file, const char *path, bool chains);
void perf_data_map(struct perf_data *file, const struct map *map);
void perf_data_comm(struct perf_data *file, int pid, const char *comm, uint64_t time);
void perf_data_sample(struct perf_data *file, const struct sample *sample);
void perf_data_close(struct perf_data *file);

#endif
