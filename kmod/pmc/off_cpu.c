// SPDX-License-Identifier: GPL-2.0-only
/*
 * Off-CPU time of threads. Class SOFT adds it to the slot when the context is scheduled in, where
 * this file samples it: the stacks are still those of the place where the thread left the CPU.
 *
 * If links or PMCs changed while the thread was off the CPU, its context resyncs instead. Then each
 * link gets the part of that time that it counts: since its PMC was started, and since it was
 * attached or its thread executed a program. The slot's sum does not include that part, so the
 * link's base is lowered by it.
 *
 * Called by the switch (task/sched.c) and context.c, on the context's CPU with interrupts off and
 * overflows deferred.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/seqlock.h>
#include <linux/string.h>

#include <hwpmc_arch_inline.h>

#include "context.h"
#include "link.h"
#include "off_cpu.h"
#include "period_due.h"
#include "pmc.h"
#include "row.h"
#include "sampler.h"
#include "throttle.h"

/*
 * Return addresses that a CPU stores with the result of their look-up; a switch has five at most.
 */
#define HWPMC_OFF_CPU_FRAMES	8

/**
 * struct hwpmc_off_cpu_frames - return addresses near a switch, and whether samples leave them out
 * @ip: the addresses
 * @skip: for each, whether it is in a function that only calls this module
 * @next: the entry that is replaced next
 */
struct hwpmc_off_cpu_frames {
	u64 ip[HWPMC_OFF_CPU_FRAMES];
	bool skip[HWPMC_OFF_CPU_FRAMES];
	unsigned int next;
};

static DEFINE_PER_CPU(struct hwpmc_off_cpu_frames, hwpmc_off_cpu_frames);

/**
 * hwpmc_off_cpu_begin - begin to resync a thread that was off the CPU until now
 * @ctx: its context, not running; hwpmc_off_cpu_end() follows
 *
 * Context: interrupts off.
 */
void hwpmc_off_cpu_begin(struct hwpmc_context *ctx)
{
	const struct hwpmc_batch *b;

	ctx->off_until = ktime_get_mono_fast_ns();
	ctx->off_since = 0;
	for (b = ctx->batch; b->rows; b++)
		if (b->class == &hwpmc_soft_class && (b->rows & BIT_ULL(HWPMC_SOFT_OFF_CPU)))
			ctx->off_since = b->slots[HWPMC_SOFT_OFF_CPU].start;
}

/**
 * hwpmc_off_cpu_collect - add the time for which the thread was off the CPU to a link
 * @ctx: the context, which resyncs; its lock is held
 * @link: a link of it to a PMC of off-CPU time, which counts from now on
 *
 * Context: interrupts off; in a write section of @ctx->seq.
 */
void hwpmc_off_cpu_collect(struct hwpmc_context *ctx, struct hwpmc_link *link)
{
	u64 from = max3(ctx->off_since, READ_ONCE(link->pmc->begun), link->begun), off = 0;

	lockdep_assert_held(&ctx->lock);
	if (ctx->off_until > from)
		off = ctx->off_until - from;
	if (link->begun == U64_MAX)
		link->begun = ctx->off_until;
	link->base -= off;
	link->logged -= off;
	if (!link->pmc->sampled)
		return;
	link->due -= off;
	link->aimed = link->slot->sum - off;
	link->next_recorder = ctx->off_cpu;
	ctx->off_cpu = link;
}

/**
 * hwpmc_off_cpu_end - end the resync of a thread that was off the CPU, and sample that time
 * @ctx: its context, which runs now
 *
 * Context: interrupts off, overflows deferred.
 */
void hwpmc_off_cpu_end(struct hwpmc_context *ctx)
{
	ctx->off_until = 0;
	if (ctx->off_cpu)
		hwpmc_off_cpu_sched_in(ctx);
}

/*
 * Whether a sample is due and may be taken. A sample that may not be is included in the next one.
 */
static bool hwpmc_off_cpu_wants(struct hwpmc_cpu *pc, struct hwpmc_link *link)
{
	if (!hwpmc_period_due(link))
		return false;
	if (unlikely(link->throttled))
		hwpmc_throttle_unthrottle(link);
	return !link->throttled && !hwpmc_period_throttle(pc, link);
}

/*
 * Take a sample of a link. @off: the time for which its thread was off the CPU just now. If that is
 * a period or more, the sample represents exactly that time, and the rest of shorter times is kept.
 * So all samples together represent the sum, except for less than a period.
 */
static void hwpmc_off_cpu_take(struct hwpmc_cpu *pc, struct hwpmc_link *link, u64 off)
{
	u64 events = max(off, link->period), over = link->slot->sum - link->due;

	/* More events became due while the link was throttled. */
	if (unlikely(over >= events))
		events = (div64_u64(over, link->period) + 1) * link->period;
	hwpmc_sample_off_cpu(link, events, ktime_get_mono_fast_ns());
	link->due += events;
	hwpmc_throttle_sample(pc, link);
}

/**
 * hwpmc_off_cpu_sched_in - take the samples of off-CPU time that are due
 * @ctx: a context that was scheduled in just now, and has samplers of off-CPU time
 *
 * Context: interrupts off, overflows deferred.
 */
void hwpmc_off_cpu_sched_in(struct hwpmc_context *ctx)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	u64 begun = hwpmc_arch_clock();
	struct hwpmc_link *link;
	bool taken = false;

	for (link = ctx->off_cpu; link; link = link->next_recorder) {
		u64 off = link->slot->sum - link->aimed;

		link->aimed = link->slot->sum;
		if (!hwpmc_off_cpu_wants(pc, link))
			continue;
		hwpmc_off_cpu_take(pc, link, off);
		taken = true;
	}
	if (taken)
		hwpmc_throttle_charge(begun);
}

/* Whether a return address is in one of the kernel's functions that only call this module. */
static bool hwpmc_off_cpu_calls_module(u64 ip)
{
	struct hwpmc_off_cpu_frames *frames = this_cpu_ptr(&hwpmc_off_cpu_frames);
	/* As long as the longest of these names, without what the compiler appends. */
	char name[sizeof("__fire_sched_in_preempt_notifiers")];
	unsigned int i;

	for (i = 0; i < HWPMC_OFF_CPU_FRAMES; i++)
		if (frames->ip[i] == ip)
			return frames->skip[i];
	/* A name is looked up once: it takes longer than all the rest of a sample. */
	snprintf(name, sizeof(name), "%pB", (void *)(unsigned long)ip);
	i = frames->next++ % HWPMC_OFF_CPU_FRAMES;
	frames->ip[i] = ip;
	frames->skip[i] = strstarts(name, "finish_task_switch") ||
			  strstarts(name, "__fire_sched_in_preempt_notifiers");
	return frames->skip[i];
}

/**
 * hwpmc_off_cpu_skip - how many frames a chain has before those of the scheduler
 * @chain: the return addresses of a call chain that began in this module, at schedule in
 * @frames: number of them
 *
 * Counts the frames of this module, and of the functions that call it after a switch. Without
 * kallsyms the latter are not recognized. Context: interrupts off.
 */
unsigned int hwpmc_off_cpu_skip(const u64 *chain, unsigned int frames)
{
	unsigned int own = 0;

	while (own < frames && within_module(chain[own], THIS_MODULE))
		own++;
	while (own < frames && hwpmc_off_cpu_calls_module(chain[own]))
		own++;
	return own;
}
