/* SPDX-License-Identifier: GPL-2.0-only */
/* What the benchmark of probes (probe.c) and the interfaces to them share. */
#ifndef HWPMC_BENCH_PROBE_H
#define HWPMC_BENCH_PROBE_H

#include "bench.h"

struct perf_event_attr;

/**
 * struct tracing - what to trace
 * @key: of the lines that are printed
 * @name: of the probe, as hwpmc has it
 * @point: the same tracepoint for perf and BPF, as a directory below events/ of tracefs; or NULL
 * @function: the same function for perf and BPF; or NULL
 * @tick: or ns between two ticks of a timer; else 0
 * @count: how many PMCs or perf events there are on it
 * @args: hwpmc: arguments of a record; perf's have what the kernel puts there
 * @samples: write a record for each event, and not only count them
 * @frames: records have a call chain, of the kernel and of the program
 * @whole_cpu: of the CPU, and not of this thread
 * @raw: BPF: attach to the tracepoint itself, and not to perf's event of it
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
 * @events: that were counted, or records that were read, of all PMCs or events together
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
 * @open: begin to trace; returns false if it has no such thing
 * @drain: read all records, and set the totals
 * @close: end it; what the kernel had for it is removed on return
 */
struct tracer {
	const char *name;
	bool (*open)(const struct tracing *how);
	void (*drain)(const struct tracing *how, struct traced *sum);
	void (*close)(const struct tracing *how);
};

extern const struct tracer tracer_hwpmc, tracer_perf, tracer_bpf, tracer_lean;

/* Open a disabled event of what @how names; @attr has the rest. */
int trace_event_open(const struct tracing *how, struct perf_event_attr *attr, pid_t pid, int cpu);

#endif /* HWPMC_BENCH_PROBE_H */
