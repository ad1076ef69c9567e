// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes samples with a call chain, registers or a stack, and those of probes and of off-CPU time;
 * sample.h has the part that all samples need. Called by period_due.h, fire.c and off_cpu.c with
 * interrupts off and overflows deferred, maybe in an NMI. Since overflows are deferred, samples do
 * not nest on a CPU, so scratch memory, the losses of a PMC and the ring need no other protection.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/defer.h"
#include "../base/owner.h"
#include "../base/param.h"
#include "../base/stat.h"
#include "../compat/compat.h"
#include "../log/log.h"
#include "announce.h"
#include "fire.h"
#include "link.h"
#include "off_cpu.h"
#include "pmc.h"
#include "sample.h"
#include "sampler.h"
#include "string.h"
#include "trace.h"

/* The largest callchaindepth, in frames. */
#define HWPMC_CHAIN_MAX		512
/* At least as many frames as there are from this module to the scheduler. */
#define HWPMC_CHAIN_NEAR	16

#define HWPMC_FLAGS_CHAIN	(HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN)

static struct hwpmc_param callchaindepth = { .value = 128, .least = 1, .most = HWPMC_CHAIN_MAX };
module_param_cb(callchaindepth, &hwpmc_param_ops, &callchaindepth, 0644);
MODULE_PARM_DESC(callchaindepth, "largest number of frames in the kernel part and in the user part of a call chain (default 128, 1..512)");

/* An index in the scratch memory, behind the largest chain: see hwpmc_tail_off_cpu(). */
#define HWPMC_CHAIN_PLACE	(2 * HWPMC_CHAIN_MAX + HWPMC_CHAIN_NEAR)

/* Scratch memory: the call chain, kernel part first, until the record is reserved. */
static DEFINE_PER_CPU(u64 *, hwpmc_chains);

/*
 * The first address of the user part, if a walk of frame pointers does not find it; else 0. @fired:
 * the event of a probe, or NULL.
 */
static u64 hwpmc_tail_user_first(struct pt_regs *user, bool was_user,
				 const struct hwpmc_fired *fired)
{
	/* For a sample in the kernel, the user part begins where user mode was left. */
	if (!was_user || (fired && fired->frame == HWPMC_FRAME_CALLER))
		return instruction_pointer(user);
	return fired && fired->frame == HWPMC_FRAME_CALLED ? hwpmc_arch_call_caller(user) : 0;
}

/* Write the user part of a call chain to @to; returns the number of addresses, at most @room. */
static u16 hwpmc_tail_user_chain(struct pt_regs *user, bool was_user,
				 const struct hwpmc_fired *fired, u64 *to, unsigned int room)
{
	unsigned int n = 0;

	if (!user || !room)
		return 0;
	to[0] = hwpmc_tail_user_first(user, was_user, fired);
	if (to[0])
		n++;
	return n + hwpmc_arch_chain_user(user, to + n, room - n);
}

/* The number of innermost frames that are of this module. */
static unsigned int hwpmc_tail_count_own(const u64 *chain, unsigned int frames)
{
	unsigned int own = 0;

	while (own < frames && within_module(chain[own], THIS_MODULE))
		own++;
	return own;
}

/*
 * Remove the innermost @own frames of a chain that began in this module, and the next one, whose
 * address is the sample's place. Returns the frames left.
 */
static unsigned int hwpmc_tail_skip(u64 *chain, unsigned int frames, unsigned int own)
{
	own = min(own + 1, frames);
	memmove(chain, chain + own, (frames - own) * sizeof(*chain));
	return frames - own;
}

/*
 * The kernel part of a sample of off-CPU time, at most @depth frames. No registers contain the
 * place where the thread left the CPU, so it is stored at the end of the scratch memory; 0: not
 * found.
 */
static noinline unsigned int hwpmc_tail_off_cpu(u64 *chain, unsigned int depth)
{
	unsigned int frames = hwpmc_arch_chain_kernel(NULL, chain, depth + HWPMC_CHAIN_NEAR);
	unsigned int own = hwpmc_off_cpu_skip(chain, frames);

	chain[HWPMC_CHAIN_PLACE] = own < frames ? chain[own] : 0;
	return min(hwpmc_tail_skip(chain, frames, own), depth);
}

/* Write the call chain to this CPU's scratch memory. */
static void hwpmc_tail_chain(struct hwpmc_sample_tail *tail, const struct hwpmc_pmc *pmc,
			     struct pt_regs *regs, struct pt_regs *user, bool was_user,
			     const struct hwpmc_fired *fired)
{
	unsigned int depth = READ_ONCE(callchaindepth.value);
	u64 *chain = this_cpu_read(hwpmc_chains);
	bool cut;

	if (!was_user && (pmc->caps & HWPMC_CAP_SYSTEM))
		tail->kernel = hwpmc_off_cpu_is(pmc) ? hwpmc_tail_off_cpu(chain, depth) :
			       hwpmc_arch_chain_kernel(regs, chain, depth);
	cut = tail->kernel == depth;
	if (pmc->probe && !regs)
		tail->kernel = hwpmc_tail_skip(chain, tail->kernel,
					       hwpmc_tail_count_own(chain, tail->kernel));
	if (was_user || (pmc->flags & HWPMC_F_USERCALLCHAIN))
		tail->user = hwpmc_tail_user_chain(user, was_user, fired,
						   chain + tail->kernel, depth);
	tail->cut = cut || tail->user == depth;
}

/*
 * Collect the call chain and compute the length of the variable-size part. @regs: registers of the
 * interrupted code; @user: user registers; @was_user: user mode was interrupted; @fired: the event
 * of a probe, or NULL.
 */
static noinline struct hwpmc_sample_tail hwpmc_tail_collect(const struct hwpmc_pmc *pmc,
							    struct pt_regs *regs,
							    struct pt_regs *user, bool was_user,
							    const struct hwpmc_fired *fired)
{
	struct hwpmc_sample_tail tail = {};
	u64 begun = hwpmc_arch_clock();

	if (pmc->flags & HWPMC_FLAGS_CHAIN)
		hwpmc_tail_chain(&tail, pmc, regs, user, was_user, fired);
	tail.length += (tail.kernel + tail.user) * sizeof(u64);
	if (pmc->user_stack && user) {
		tail.user_stack = pmc->user_stack;
		tail.length += HWPMC_ARCH_REGS * sizeof(u64) + tail.user_stack;
	}
	this_cpu_ptr(&hwpmc_cpus)->budget.copying += hwpmc_arch_clock() - begun;
	return tail;
}

/*
 * Copy the user stack as far as its pages are present, and clear the rest of @size bytes. Never
 * faults. Returns the number of bytes copied.
 */
static u32 hwpmc_tail_copy_stack(void *to, const struct pt_regs *user, u32 size)
{
	unsigned long from = user_stack_pointer((struct pt_regs *)user);
	u32 done = 0;

	while (done < size) {
		u32 step = min_t(u32, size - done, PAGE_SIZE - offset_in_page(from + done));

		if (copy_from_user_nofault(to + done, (void __user *)(from + done), step))
			break;
		done += step;
	}
	memset(to + done, 0, size - done);
	return done;
}

/**
 * hwpmc_sample_write_tail - write the variable-size part of a record, and set its sizes and offsets
 * @tail: what it has; the call chain is in this CPU's scratch memory
 * @to: the record
 * @at: offset in @to where the part begins
 * @user: user registers, if @tail has a user stack
 *
 * Context: as hwpmc_sample_take_nmi().
 */
noinline void hwpmc_sample_write_tail(struct hwpmc_sample_tail tail, struct hwpmc_log_sample *to,
				      u32 at, const struct pt_regs *user)
{
	u32 chain = tail.kernel + tail.user;
	u64 begun = hwpmc_arch_clock();

	if (chain) {
		to->chain_offset = at;
		to->chain_kernel = tail.kernel;
		to->chain_user = tail.user;
		memcpy((void *)to + at, this_cpu_read(hwpmc_chains), chain * sizeof(u64));
		at += chain * sizeof(u64);
	}
	if (tail.user_stack) {
		to->regs_offset = at;
		to->regs = HWPMC_ARCH_REGS;
		hwpmc_arch_user_regs(user, (void *)to + at);
		at += HWPMC_ARCH_REGS * sizeof(u64);
		to->stack_offset = at;
		to->stack_size = hwpmc_tail_copy_stack((void *)to + at, user, tail.user_stack);
	}
	this_cpu_ptr(&hwpmc_cpus)->budget.copying += hwpmc_arch_clock() - begun;
}

/**
 * hwpmc_sample_lose_nmi - count a sample that found no room
 * @pmc: whose sample it is
 * @buffer: the ring of this CPU
 * @events: events that the sample stands for
 * @now: CLOCK_MONOTONIC in ns
 *
 * Context: as hwpmc_sample_take_nmi().
 */
noinline void hwpmc_sample_lose_nmi(struct hwpmc_pmc *pmc, struct hwpmc_buffer *buffer, u64 events,
				    u64 now)
{
	struct hwpmc_sampler_cpu *sampler = this_cpu_ptr(pmc->sampled);

	sampler->lost++;
	hwpmc_record_loss(&sampler->loss, buffer, now, events);
	hwpmc_stat_inc(HWPMC_STAT_INTR_RING_FULL);
	trace_hwpmc_drop(pmc, events);
	hwpmc_announce_samples_nmi(pmc);
}

/* The ring of this CPU that samples of @link are written to. */
static __always_inline struct hwpmc_buffer *hwpmc_sample_buffer(const struct hwpmc_link *link)
{
	return link->pmc->owner->rings->buffers[smp_processor_id()];
}

/* Whether samples of @pmc have more than the fixed-size part. */
static __always_inline bool hwpmc_sample_has_tail(const struct hwpmc_pmc *pmc)
{
	return pmc->user_stack || (pmc->flags & HWPMC_FLAGS_CHAIN);
}

/* Take a sample with all parts that its PMC requests. Arguments: see hwpmc_sample_put_nmi(). */
static __always_inline struct hwpmc_log_sample *
hwpmc_sample_begin_nmi(struct hwpmc_link *link, struct hwpmc_buffer *buffer, u64 events,
		       struct pt_regs *regs, const struct hwpmc_fired *fired, u32 fixed,
		       struct hwpmc_sample_head *head, u64 now)
{
	struct hwpmc_sample_tail tail = {};

	hwpmc_defer_assert();
	hwpmc_head_place(head, link, regs, fired);
	if (unlikely(link->throttled)) {
		/* Taken at a flush or a switch, which may be frequent: keep it short. */
		head->flags |= HWPMC_SAMPLE_CUT;
	} else if (hwpmc_sample_has_tail(link->pmc)) {
		tail = hwpmc_tail_collect(link->pmc, regs, head->user,
					  head->flags & HWPMC_SAMPLE_USER, fired);
		if (tail.cut)
			head->flags |= HWPMC_SAMPLE_CUT;
	}
	return hwpmc_sample_put_nmi(link, this_cpu_ptr(link->pmc->sampled), buffer, events, fired,
				    fixed, head, tail, false, now);
}

/**
 * hwpmc_sample_take_whole_nmi - hwpmc_sample_take_nmi() of a sample that may have a tail
 * @link: as there
 * @events: as there
 * @regs: as there
 * @late: as there
 * @now: as there
 *
 * Context: as hwpmc_sample_take_nmi().
 */
noinline void hwpmc_sample_take_whole_nmi(struct hwpmc_link *link, u64 events,
					  struct pt_regs *regs, bool late, u64 now)
{
	struct hwpmc_sample_head head = { .flags = late ? HWPMC_SAMPLE_LATE : 0 };
	struct hwpmc_buffer *buffer = hwpmc_sample_buffer(link);
	const struct hwpmc_pmc *pmc = link->pmc;

	hwpmc_sample_begin_nmi(link, buffer, events, regs, NULL, 0, &head, now);
	hwpmc_sample_end_nmi(buffer);
	if (!hwpmc_sample_has_tail(pmc) && pmc->owner->pid_ns == &init_pid_ns)
		this_cpu_ptr(pmc->sampled)->plain = buffer;
}

/* The bytes of a PROBE record before the call chain: its arguments, the thread's name, a string. */
static u32 hwpmc_probe_fixed(const struct hwpmc_pmc *pmc, const struct hwpmc_string *string)
{
	return sizeof(struct hwpmc_log_probe) + pmc->args * sizeof(u64) +
	       (pmc->flags & HWPMC_F_COMM ? TASK_COMM_LEN : 0) + string->size;
}

/* Fill in the fields that a PROBE record has in addition to those of a SAMPLE record. */
static void hwpmc_probe_write(const struct hwpmc_pmc *pmc, const struct hwpmc_fired *fired,
			      const struct hwpmc_string *string, struct hwpmc_log_probe *to)
{
	u32 at = sizeof(*to);

	to->retval = fired->retval;
	to->args_offset = 0;
	to->args = 0;
	to->comm_offset = 0;
	to->string_offset = 0;
	if (pmc->args) {
		to->args_offset = at;
		to->args = pmc->args;
		if (fired->get_args)
			fired->get_args(fired, (void *)to + at, pmc->args);
		else
			memset((void *)to + at, 0, pmc->args * sizeof(u64));
		at += pmc->args * sizeof(u64);
	}
	if (pmc->flags & HWPMC_F_COMM) {
		to->comm_offset = at;
		strscpy_pad((char *)to + at, current->comm, TASK_COMM_LEN);
		at += TASK_COMM_LEN;
	}
	if (string->size) {
		to->string_offset = at;
		memcpy((char *)to + at, string->text, string->size);
	}
}

/**
 * hwpmc_sample_probe - take a sample of a probe and write it to the ring of this CPU
 * @link: an active link of a context on this CPU; its PMC samples, and is of class PROBE
 * @fired: the event
 * @now: CLOCK_MONOTONIC in ns
 *
 * The caller charges the time of the sample, so its call chain is not added to that of the current
 * interrupt. A sample that finds no room is counted as lost. Context: as hwpmc_sample_take_nmi().
 */
void hwpmc_sample_probe(struct hwpmc_link *link, const struct hwpmc_fired *fired, u64 now)
{
	u64 *copying = &this_cpu_ptr(&hwpmc_cpus)->budget.copying, before = *copying;
	struct hwpmc_sample_head head = { .flags = fired->flags };
	struct hwpmc_buffer *buffer = hwpmc_sample_buffer(link);
	struct hwpmc_string string = {};
	struct hwpmc_log_sample *to;

	if (unlikely(link->pmc->string))
		string = hwpmc_string_copy(link, fired);
	if (string.cut)
		head.flags |= HWPMC_PROBE_CUT;
	to = hwpmc_sample_begin_nmi(link, buffer, link->period, fired->regs, fired,
				    hwpmc_probe_fixed(link->pmc, &string), &head, now);
	if (to) {
		if (fired->pc)
			to->pc = fired->pc;
		hwpmc_probe_write(link->pmc, fired, &string,
				  container_of(to, struct hwpmc_log_probe, sample));
	}
	hwpmc_sample_end_nmi(buffer);
	*copying = before;
}

/**
 * hwpmc_sample_off_cpu - take a sample of off-CPU time and write it to the ring of this CPU
 * @link: an active link of a context that was scheduled in just now; not throttled
 * @events: ns that the sample represents
 * @now: CLOCK_MONOTONIC in ns
 *
 * The caller charges the time of the sample. A sample that finds no room is counted as lost.
 * Context: as hwpmc_sample_take_nmi(), on the stack of the thread.
 */
void hwpmc_sample_off_cpu(struct hwpmc_link *link, u64 events, u64 now)
{
	u64 *copying = &this_cpu_ptr(&hwpmc_cpus)->budget.copying, before = *copying;
	struct hwpmc_buffer *buffer = hwpmc_sample_buffer(link);
	const struct hwpmc_pmc *pmc = link->pmc;
	u64 *chain = this_cpu_read(hwpmc_chains);
	struct hwpmc_sample_head head = {};
	struct hwpmc_log_sample *to;

	if ((pmc->caps & HWPMC_CAP_SYSTEM) && !(pmc->flags & HWPMC_FLAGS_CHAIN))
		hwpmc_tail_off_cpu(chain, 0);
	to = hwpmc_sample_begin_nmi(link, buffer, events, NULL, NULL, 0, &head, now);
	if (to && (pmc->caps & HWPMC_CAP_SYSTEM) && chain[HWPMC_CHAIN_PLACE])
		to->pc = chain[HWPMC_CHAIN_PLACE];
	hwpmc_sample_end_nmi(buffer);
	*copying = before;
}

/* Allocate the scratch memory of each CPU, at module load. Returns 0 or -ENOMEM. */
int __init hwpmc_sample_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		u64 *chain = kmalloc_node((HWPMC_CHAIN_PLACE + 1) * sizeof(u64), GFP_KERNEL,
					  cpu_to_node(cpu));

		if (!chain) {
			hwpmc_sample_exit();
			return -ENOMEM;
		}
		per_cpu(hwpmc_chains, cpu) = chain;
	}
	return 0;
}

/* Called at module unload: no PMC samples. */
void hwpmc_sample_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kfree(per_cpu(hwpmc_chains, cpu));
}
