/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the benchmark of probes (probe.c) and its interfaces share. */
#ifndef HWPMC_BENCH_PROBE_H
#define HWPMC_BENCH_PROBE_H

#include "bench.h"

struct perf_event_attr;

/**
 * struct tracing - what to trace
 * @key: the first part of the lines that are printed
 * @name: of the probe, as hwpmc has it
 * @point: the same tracepoint for perf and BPF, as a directory below events/ of tracefs; or NULL
 * @function: the same function for perf and BPF; or NULL
 * @tick: for a timer, ns between two ticks; else 0
 * @count: number of PMCs or perf events that use the probe
 * @args: hwpmc: number of arguments in a record; the kernel defines those of perf's
 * @samples: write a record for each event; else only count events
 * @frames: records have a call chain, of the kernel and of the program
 * @whole_cpu: events of the CPU; else of this thread
 * @raw: BPF: attach to the tracepoint itself, not to perf's event of it
 * @stopped: hwpmc: the PMC is attached, and not started
 * @throttled: hwpmc: leave so little time for samples that most events are only counted
 */
struct tracing {
	const char *key;
	const char *name;
	const char *point;
	const char *function;
	uint64_t tick;
	unsigned int count;
	unsigned int args;
	bool samples;
	bool frames;
	bool whole_cpu;
	bool raw;
	bool stopped;
	bool throttled;
};

/**
 * struct traced - totals since open()
 * @events: number of counted events, or of records read, of all PMCs or perf events together
 * @lost: records that found no room, and events that were not counted
 * @throttled: records that were not written, to save time
 * @frames: of all records
 */
struct traced {
	uint64_t events;
	uint64_t lost;
	uint64_t throttled;
	uint64_t frames;
};

/**
 * struct tracer - an interface to probes
 * @name: its name on the command line
 * @open: begin to trace; returns false if not supported
 * @drain: read all records, and set the totals
 * @close: end tracing; on return the kernel has removed the probe
 */
struct tracer {
	const char *name;
	bool (*open)(const struct tracing *how);
	void (*drain)(const struct tracing *how, struct traced *sum);
	void (*close)(const struct tracing *how);
};

extern const struct tracer tracer_hwpmc, tracer_perf, tracer_bpf, tracer_lean;

/* Opens a disabled event for the probe of @how; @attr has the other settings. */
int trace_event_open(const struct tracing *how, struct perf_event_attr *attr, pid_t pid, int cpu);

#endif /* HWPMC_BENCH_PROBE_H */
