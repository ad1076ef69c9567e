// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures what an event of a probe adds to a system call that does nothing else, and the cost of a
 * timer tick's interrupt, each for hwpmc, perf, and BPF programs that count.
 *
 * The result is the time of the shortest of many short rounds, which no timer interrupted. Records
 * are read between rounds; none may be lost.
 */
#include <math.h>
#include <sys/syscall.h>

#include "probe.h"

#define CALLS		200
#define ROUNDS		150
#define FRAMES		16
/* In ns. Not a divisor of the scheduler's tick, so that few ticks share its interrupt. */
#define TICK		470000ULL
#define TICKS		200
#define GAPS		(2 * TICKS)
#define GAP_LEAST	400		/* longer than a read of the clock */
#define FIRED		(ROUNDS * 60)	/* rounds: more than ten seconds */

#ifdef __aarch64__
#define FUNCTION	"__arm64_sys_getppid"
#else
#define FUNCTION	"__x64_sys_getppid"
#endif
#define ANY_CALL	.name = "tracepoint:raw_syscalls:sys_enter", .point = "raw_syscalls/sys_enter"
#define THIS_FUNCTION	.name = "kprobe:" FUNCTION, .function = FUNCTION
#define THIS_CALL	.name = "syscall:getppid:entry", .point = "syscalls/sys_enter_getppid"
/* perf's records of calls have their arguments. */
#define CALL_ARGS	.name = "syscall:getppid:entry", .point = "raw_syscalls/sys_enter", .args = 6
#define THIS_TICK	.name = "profile:us:470", .tick = TICK

static const struct tracing scenes[] = {
	{ "count-point", ANY_CALL, .count = 1 },
	{ "count-point-cpu", ANY_CALL, .count = 1, .whole_cpu = true },
	{ "count-point-raw", ANY_CALL, .count = 1, .whole_cpu = true, .raw = true },
	{ "count-call", THIS_CALL, .count = 1 },
	{ "count-kprobe", THIS_FUNCTION, .count = 1 },
	{ "sample-point", ANY_CALL, .count = 1, .args = 2, .samples = true },
	{ "sample-call", CALL_ARGS, .count = 1, .samples = true },
	{ "sample-kprobe", THIS_FUNCTION, .count = 1, .samples = true },
	{ "sample-stack", THIS_FUNCTION, .count = 1, .samples = true, .frames = true },
	{ "stopped", THIS_CALL, .count = 1, .stopped = true },
	{ "call-1", THIS_CALL, .count = 1, .samples = true },
	{ "call-8", THIS_CALL, .count = 8, .samples = true },
	{ "throttled-1", THIS_CALL, .count = 1, .samples = true, .throttled = true },
	{ "throttled-8", THIS_CALL, .count = 8, .samples = true, .throttled = true },
	{ "tick-count", THIS_TICK, .count = 1 },
	{ "tick-sample", THIS_TICK, .count = 1, .samples = true },
};

/* Frames of the program above the rounds, so that a chain has FRAMES. */
static unsigned int levels;

/*
 * Returns the time of a round. The compiler must not turn the recursion into a loop: each level
 * needs a stack frame.
 */
__attribute__((noinline))
static uint64_t burst(volatile unsigned int *left)
{
	uint64_t took;

	if (*left) {
		--*left;
		took = burst(left);
		++*left;
		return took;
	}
	took = now();
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return now() - took;
}

static uint64_t take_round(void)
{
	volatile unsigned int left = levels;

	return burst(&left);
}

/* Measures a call that no probe traces. */
static double untraced(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t took = take_round();

		if (took < least)
			least = took;
	}
	return (double)least / CALLS;
}

/* Whether the results of a round are as expected. */
static bool is_valid(const struct tracing *how, const struct traced *before,
		     const struct traced *after)
{
	uint64_t events = after->events - before->events, want = CALLS * how->count;

	if (how->throttled)
		return after->throttled - before->throttled == want;
	if (after->lost || after->throttled)
		die("%s: %llu events were lost, %llu throttled", how->key,
		    (unsigned long long)after->lost, (unsigned long long)after->throttled);
	if (how->stopped ? events : events < want)
		die("%s: %llu events of %llu", how->key, (unsigned long long)events,
		    (unsigned long long)want);
	return true;
}

static double traced_call(const struct tracer *t, const struct tracing *how)
{
	struct traced before = {}, after = {};
	uint64_t least = UINT64_MAX;

	t->drain(how, &before);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t took = take_round();

		t->drain(how, &after);
		if (is_valid(how, &before, &after) && took < least)
			least = took;
		before = after;
	}
	if (least == UINT64_MAX)
		die("%s: no round was throttled from begin to end", how->key);
	return (double)least / CALLS;
}

static double frames_of_round(const struct tracer *t, const struct tracing *how)
{
	struct traced before = {}, after = {};

	t->drain(how, &before);
	take_round();
	t->drain(how, &after);
	return (double)(after.frames - before.frames) / (after.events - before.events);
}

/* Calls the rounds from a depth at which chains have FRAMES. */
static void set_levels(const struct tracer *t, const struct tracing *how)
{
	double frames = frames_of_round(t, how);

	if (frames > FRAMES || frames != floor(frames))
		die("%s: chains of %.2f frames", how->key, frames);
	levels = FRAMES - frames;
	frames = frames_of_round(t, how);
	if (frames != FRAMES)
		die("%s: chains of %.2f frames, and not %d", how->key, frames, FRAMES);
}

static void print_for(const struct tracer *t, const char *key, double value)
{
	char whole[48];

	snprintf(whole, sizeof(whole), "%s-%s", t->name, key);
	print(whole, value);
}

static void measure_calls(const struct tracer *t, const struct tracing *how)
{
	double cost, base;

	if (!t->open(how))
		return;
	if (how->frames)
		set_levels(t, how);
	cost = traced_call(t, how);
	t->close(how);
	base = untraced();
	levels = 0;
	print_for(t, how->key, cost - base);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/*
 * Measures an interrupt: a program that only reads the clock sees a gap. The result is the mean of
 * the middle half of all gaps, since a few are those of the scheduler's tick. Sets @count to their
 * number.
 */
static double mean_gap(unsigned int *count)
{
	uint64_t gaps[GAPS], last = now(), end = last + TICKS * TICK, steps = 0, stepped = 0;
	double sum = 0;

	*count = 0;
	while (last < end && *count < GAPS) {
		uint64_t at = now(), gap = at - last;

		last = at;
		if (gap >= GAP_LEAST) {
			gaps[(*count)++] = gap;
			continue;
		}
		stepped += gap;
		steps++;
	}
	qsort(gaps, *count, sizeof(gaps[0]), compare);
	for (unsigned int i = *count / 4; i < *count - *count / 4; i++)
		sum += gaps[i];
	return sum / (*count - 2 * (*count / 4)) - (double)stepped / steps;
}

static void measure_ticks(const struct tracer *t, const struct tracing *how)
{
	struct traced before = {}, after = {};
	unsigned int count;
	double cost;

	if (!t->open(how))
		return;
	t->drain(how, &before);
	cost = mean_gap(&count);
	t->drain(how, &after);
	t->close(how);
	if (after.lost || after.throttled)
		die("%s: %llu ticks were lost, %llu throttled", how->key,
		    (unsigned long long)after.lost, (unsigned long long)after.throttled);
	if (count < TICKS - 2 || after.events - before.events < TICKS - 2)
		die("%s: %llu ticks, %u interrupts", how->key,
		    (unsigned long long)(after.events - before.events), count);
	print_for(t, how->key, cost);
}

static const struct tracer *const tracers[] = {
	&tracer_hwpmc, &tracer_perf, &tracer_bpf, &tracer_lean,
};

/* NULL: there is no interface of that name. */
static const struct tracer *tracer_of(const struct backend *b)
{
	for (size_t i = 0; b && i < ARRAY_SIZE(tracers); i++)
		if (!strcmp(b->name, tracers[i]->name))
			return tracers[i];
	return NULL;
}

/* Counts events for a while, for bench/handler. */
void bench_fired(const struct backend *b)
{
	const struct tracing how = { "fired", ANY_CALL, .count = 1, .whole_cpu = true };
	const struct tracer *t = tracer_of(b);

	if (!t || !t->open(&how))
		die("nothing to count with");
	print("shown", 1);
	for (int i = 0; i < FIRED; i++)
		take_round();
	t->close(&how);
}

void bench_probes(const struct backend *b)
{
	const struct tracer *t = tracer_of(b);
	double base = untraced();

	if (!t) {
		print("none-base", base);
		return;
	}
	print_for(t, "base", base);
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++) {
		if (scenes[i].tick)
			measure_ticks(t, &scenes[i]);
		else
			measure_calls(t, &scenes[i]);
	}
	print_for(t, "after", untraced());
}
