// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes a sample: finds where the interrupted code was, collects call chain, registers and stack,
 * and writes a SAMPLE record. Called by period.c with interrupts off and overflows deferred, maybe
 * in an NMI. Deferral means that samples do not nest on a CPU, so scratch memory, the losses of a
 * PMC and the ring need no other protection.
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
#include "../log/ring.h"
#include "announce.h"
#include "fire.h"
#include "link.h"
#include "pid.h"
#include "pmc.h"
#include "sampler.h"
#include "string.h"
#include "trace.h"

/* The largest callchaindepth, in frames. */
#define HWPMC_CHAIN_MAX		512

static struct hwpmc_param callchaindepth = { .value = 128, .least = 1, .most = HWPMC_CHAIN_MAX };
module_param_cb(callchaindepth, &hwpmc_param_ops, &callchaindepth, 0644);
MODULE_PARM_DESC(callchaindepth, "largest number of frames in the kernel part and in the user part of a call chain (default 128, 1..512)");

/* Scratch memory: the call chain, kernel part first, until the record is reserved. */
static DEFINE_PER_CPU(u64 *, hwpmc_chains);

/**
 * struct hwpmc_sample_head - fixed-size part of a sample, before the record is reserved
 * @pc: the program counter, or 0 if the owner may not see it
 * @flags: HWPMC_SAMPLE_*
 * @user: user registers of current, or NULL if there are none or the owner may not see them
 *
 * Small, and passed to inlined functions only, so that the compiler keeps it in registers and the
 * fields are written to memory once, in the ring.
 */
struct hwpmc_sample_head {
	u64 pc;
	u16 flags;
	struct pt_regs *user;
};

/**
 * struct hwpmc_sample_tail - variable-size part of a sample: call chain, registers and stack
 * @length: in bytes
 * @user_stack: bytes reserved for the user stack; 0: neither stack nor registers
 * @kernel: number of kernel addresses in this CPU's hwpmc_chains
 * @user: number of user addresses behind them
 * @cut: the call chain reached callchaindepth, so it may be incomplete
 *
 * Small, so that functions return it in registers.
 */
struct hwpmc_sample_tail {
	u32 length;
	u32 user_stack;
	u16 kernel;
	u16 user;
	bool cut;
};

/*
 * The user registers of current: those interrupted, or those saved at the entry to the kernel.
 * NULL during exec, see hwpmc_context_hides_user().
 *
 * @probe: @regs are of an event, which occurred in the kernel even if they are of user mode (a
 * system call's). One without them in an NMI may have interrupted the kernel's entry, where those
 * saved are not complete.
 */
static __always_inline struct pt_regs *hwpmc_user_regs(const struct hwpmc_thread *th,
						       struct pt_regs *regs, bool probe)
{
	if (!probe && regs && user_mode(regs))
		return regs;
	if (probe && !regs && in_nmi())
		return NULL;
	if (hwpmc_context_hides_user(th))
		return NULL;
	return current->mm && !(current->flags & PF_KTHREAD) ? task_pt_regs(current) : NULL;
}

/*
 * During the kernel's entry and exit, the saved user registers are incomplete: drop them, and use
 * the program counter only.
 */
static void hwpmc_head_check_entry(struct hwpmc_sample_head *head, const struct pt_regs *regs)
{
	u64 pc;

	if (!hwpmc_arch_user_passing(regs, &pc))
		return;
	if (head->flags & HWPMC_SAMPLE_USER)
		head->pc = pc;
	head->user = NULL;
}

/*
 * Set the program counter, the user registers and the flags that depend on them. If a PMC that
 * counts in user mode only is sampled in the kernel, the task entered the kernel between the
 * overflow and its interrupt. Its owner must not get kernel addresses, so the sample has the
 * program counter at which user mode was left.
 */
static __always_inline void hwpmc_head_place(struct hwpmc_sample_head *head,
					     const struct hwpmc_link *link, struct pt_regs *regs,
					     bool probe)
{
	const struct hwpmc_pmc *pmc = link->pmc;
	bool user = regs && user_mode(regs);

	head->user = hwpmc_user_regs(link->thread, regs, probe);
	if (head->user && hwpmc_arch_user_is_32bit(head->user))
		head->flags |= HWPMC_SAMPLE_COMPAT;
	if (pmc->caps & HWPMC_CAP_SYSTEM && !user) {
		head->pc = regs ? instruction_pointer(regs) : _THIS_IP_;
	} else if (head->user) {
		head->flags |= HWPMC_SAMPLE_USER;
		head->pc = instruction_pointer(head->user);
	}
	if (HWPMC_OVERFLOW_IS_NMI && !user && head->user && regs)
		hwpmc_head_check_entry(head, regs);
}

/*
 * The innermost address of the user part that frame pointers do not lead to, or 0. @fired: the
 * event of a probe, or NULL.
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

/*
 * Remove the innermost frames of a chain that began in this module, at an event of a probe, and the
 * frame that the module returns to, whose address is the sample's place. Returns the frames left.
 */
static unsigned int hwpmc_tail_skip_own(u64 *chain, unsigned int frames)
{
	unsigned int own = 0;

	while (own < frames && within_module(chain[own], THIS_MODULE))
		own++;
	own = min(own + 1, frames);
	memmove(chain, chain + own, (frames - own) * sizeof(*chain));
	return frames - own;
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
		tail->kernel = hwpmc_arch_chain_kernel(regs, chain, depth);
	cut = tail->kernel == depth;
	if (pmc->probe && !regs)
		tail->kernel = hwpmc_tail_skip_own(chain, tail->kernel);
	if (was_user || (pmc->flags & HWPMC_F_USERCALLCHAIN))
		tail->user = hwpmc_tail_user_chain(user, was_user, fired,
						   chain + tail->kernel, depth);
	tail->cut = cut || tail->user == depth;
}

/* Whether samples of @pmc have more than the fixed-size part. */
static __always_inline bool hwpmc_tail_wanted(const struct hwpmc_pmc *pmc)
{
	return pmc->user_stack || (pmc->flags & (HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN));
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

	if (pmc->flags & (HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN))
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

/* Write the variable-size part at the offset @at of the record, and set its sizes and offsets. */
static noinline void hwpmc_tail_write(struct hwpmc_sample_tail tail, struct hwpmc_log_sample *to,
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

/* The ring that samples of @link are written to. */
static __always_inline struct hwpmc_buffer *hwpmc_sample_buffer(const struct hwpmc_link *link)
{
	return link->pmc->owner->rings->buffers[smp_processor_id()];
}

/*
 * Bytes of a SAMPLE record before its variable-size part. It ends after the last field that readers
 * cannot fill in: most samples are of the period that the ALLOCATE record has, without a chain.
 */
static __always_inline u32 hwpmc_sample_fixed(const struct hwpmc_pmc *pmc, u64 events,
					      const struct hwpmc_sample_tail *tail)
{
	if (tail->length)
		return sizeof(struct hwpmc_log_sample);
	return events == pmc->first_count ? offsetof(struct hwpmc_log_sample, period) :
					    offsetof(struct hwpmc_log_sample, chain_offset);
}

/* Write the fields of a record whose first @fixed bytes are not of variable size. */
static __always_inline void hwpmc_sample_write(struct hwpmc_log_sample *to, u32 fixed,
					       const struct hwpmc_sample_head *head, u64 events)
{
	to->pc = head->pc;
	if (fixed == offsetof(struct hwpmc_log_sample, period))
		return;
	to->period = events;
	if (fixed == offsetof(struct hwpmc_log_sample, chain_offset))
		return;
	to->chain_offset = 0;
	to->chain_kernel = 0;
	to->chain_user = 0;
	to->regs_offset = 0;
	to->regs = 0;
	to->stack_offset = 0;
	to->stack_size = 0;
}

/*
 * Take a sample. @fired: the event of a probe; NULL: an overflow. @fixed: of the event's PROBE
 * record, its size without the call chain. Returns the record, for whose ring the caller calls
 * hwpmc_sample_end_nmi(); or NULL if there was no room.
 */
static __always_inline struct hwpmc_log_sample *
hwpmc_sample_begin_nmi(struct hwpmc_link *link, struct hwpmc_buffer *buffer, u64 events,
		       struct pt_regs *regs, const struct hwpmc_fired *fired, u32 fixed,
		       struct hwpmc_sample_head *head, u64 now)
{
	struct hwpmc_pmc *pmc = link->pmc;
	struct hwpmc_sampler_cpu *sampler = this_cpu_ptr(pmc->sampled);
	unsigned int cpu = smp_processor_id();
	struct hwpmc_log_sample *to = NULL;
	struct hwpmc_sample_tail tail = {};
	bool drop_logged = true;

	hwpmc_defer_assert();
	hwpmc_head_place(head, link, regs, fired);
	if (unlikely(link->throttled)) {
		/* Taken at a flush or a switch, which may be frequent: keep it short. */
		head->flags |= HWPMC_SAMPLE_CUT;
	} else if (hwpmc_tail_wanted(pmc)) {
		tail = hwpmc_tail_collect(pmc, regs, head->user, head->flags & HWPMC_SAMPLE_USER,
					  fired);
		if (tail.cut)
			head->flags |= HWPMC_SAMPLE_CUT;
	}
	if (!fired)
		fixed = hwpmc_sample_fixed(pmc, events, &tail);

	sampler->events += events;
	if (unlikely(sampler->loss.count || (fired && sampler->held != sampler->folded)))
		drop_logged = hwpmc_sampler_drop_nmi(pmc, buffer, cpu, now);
	/* The DROP record comes before any later record of the same PMC. */
	if (likely(drop_logged))
		to = hwpmc_ring_reserve_nmi(&buffer->ring, fixed + tail.length);
	if (likely(to)) {
		to->h.type = fired ? HWPMC_LOG_PROBE : HWPMC_LOG_SAMPLE;
		to->h.flags = head->flags;
		to->h.length = fixed + tail.length;
		to->h.time = now;
		to->h.cpu = cpu;
		to->h.id = pmc->id;
		hwpmc_pid_numbers(pmc->owner, link->thread, &to->pid, &to->tid);
		hwpmc_sample_write(to, fixed, head, events);
		if (tail.length)
			hwpmc_tail_write(tail, to, fixed, head->user);
		sampler->recorded++;
	} else {
		sampler->lost++;
		hwpmc_record_loss(&sampler->loss, buffer, now, events);
		hwpmc_stat_inc(HWPMC_STAT_INTR_RING_FULL);
		trace_hwpmc_drop(pmc, events);
		hwpmc_announce_samples_nmi(pmc);
	}
	return to;
}

/* Publish the sample, and wake readers. */
static __always_inline void hwpmc_sample_end_nmi(struct hwpmc_buffer *buffer)
{
	hwpmc_ring_publish_nmi(&buffer->ring);
	hwpmc_buffer_wake_nmi(buffer);
}

/**
 * hwpmc_sample_take_nmi - take a sample and write it to the ring of this CPU
 * @link: an active link of a context on this CPU; its PMC samples
 * @events: events that the sample stands for
 * @regs: registers of the interrupted code, or NULL
 * @late: the period's end was found at a switch, a stop or a reading, before its interrupt
 * @now: CLOCK_MONOTONIC in ns
 *
 * A sample that finds no room is counted as lost.
 * Context: interrupts off, overflows deferred; may be an NMI. Never faults.
 */
void hwpmc_sample_take_nmi(struct hwpmc_link *link, u64 events, struct pt_regs *regs, bool late,
			   u64 now)
{
	struct hwpmc_sample_head head = { .flags = late ? HWPMC_SAMPLE_LATE : 0 };
	struct hwpmc_buffer *buffer = hwpmc_sample_buffer(link);

	hwpmc_sample_begin_nmi(link, buffer, events, regs, NULL, 0, &head, now);
	hwpmc_sample_end_nmi(buffer);
}

/* The bytes of a PROBE record before the call chain: its arguments, the thread's name, a string. */
static u32 hwpmc_probe_fixed(const struct hwpmc_pmc *pmc, const struct hwpmc_string *string)
{
	return sizeof(struct hwpmc_log_probe) + pmc->args * sizeof(u64) +
	       (pmc->flags & HWPMC_F_COMM ? TASK_COMM_LEN : 0) + string->size;
}

/* Fill in what a PROBE record has beyond a SAMPLE record. */
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
 * Its call chain is no part of an interrupt: the caller charges it. A sample that finds no room is
 * counted as lost. Context: as hwpmc_sample_take_nmi().
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

/* Allocate the scratch memory of each CPU, at module load. Returns 0 or -ENOMEM. */
int __init hwpmc_sample_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		u64 *chain = kmalloc_node(2 * HWPMC_CHAIN_MAX * sizeof(u64), GFP_KERNEL,
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
