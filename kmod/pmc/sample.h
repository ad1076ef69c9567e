/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes a sample: inline, since every overflow takes one. hwpmc_sample_put_nmi() writes the record.
 * sample.c calls it for a sample with a call chain, registers or a stack, which it adds, for a late
 * sample, and for the first one of a PMC on a CPU. Used by period_due.h, in the overflow
 * interrupt, and by sample.c, with interrupts off and overflows deferred, maybe in an NMI.
 */
#ifndef HWPMC_SAMPLE_H
#define HWPMC_SAMPLE_H

#include <linux/compiler.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <asm/ptrace.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/defer.h"
#include "../base/owner.h"
#include "../log/log.h"
#include "../log/ring.h"
#include "context.h"
#include "fire.h"
#include "link.h"
#include "pid.h"
#include "pmc.h"
#include "sampler.h"

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

/* kmod/pmc/sample.c */
void hwpmc_sample_take_whole_nmi(struct hwpmc_link *link, u64 events, struct pt_regs *regs,
				 bool late, u64 now);
void hwpmc_sample_lose_nmi(struct hwpmc_pmc *pmc, struct hwpmc_buffer *buffer, u64 events,
			   u64 now);
void hwpmc_sample_write_tail(struct hwpmc_sample_tail tail, struct hwpmc_log_sample *to, u32 at,
			     const struct pt_regs *user);

/*
 * The user registers of current: those that were interrupted, or those that were saved at the entry
 * to the kernel. NULL during exec, see hwpmc_context_hides_user().
 *
 * @probe: the sample is of a probe. Its event occurred in the kernel, even if @regs are of user
 *	mode, as those of a system call are.
 *
 * NULL, too, for an event of a probe without @regs in an NMI: it may have interrupted the kernel's
 * entry, where the saved registers are not complete.
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
 * only the program counter, which hwpmc_arch_user_passing() returns.
 */
static __always_inline void hwpmc_head_check_entry(struct hwpmc_sample_head *head,
						   const struct pt_regs *regs)
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

/* Write the fields that are in the first @fixed bytes of a record. */
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
 * Write the record of a sample whose parts were collected. @fired: the event of a probe; NULL: an
 * overflow. @fixed: size of a PROBE record without the call chain; not used for an overflow.
 * @plain: the owner is in the initial PID namespace. Returns the record, or NULL if there was no
 * room; in both cases the caller calls hwpmc_sample_end_nmi().
 */
static __always_inline struct hwpmc_log_sample *
hwpmc_sample_put_nmi(struct hwpmc_link *link, struct hwpmc_sampler_cpu *sampler,
		     struct hwpmc_buffer *buffer, u64 events, const struct hwpmc_fired *fired,
		     u32 fixed, const struct hwpmc_sample_head *head,
		     struct hwpmc_sample_tail tail, bool plain, u64 now)
{
	struct hwpmc_pmc *pmc = link->pmc;
	struct hwpmc_log_sample *to = NULL;
	bool drop_logged = true;

	if (!fired)
		fixed = hwpmc_sample_fixed(pmc, events, &tail);
	sampler->events += events;
	if (unlikely(sampler->loss.count || (fired && sampler->throttled != sampler->folded)))
		drop_logged = hwpmc_sampler_drop_nmi(pmc, buffer, smp_processor_id(), now);
	/* The DROP record comes before any later record of the same PMC. */
	if (likely(drop_logged))
		to = hwpmc_ring_reserve_nmi(&buffer->ring, fixed + tail.length);
	if (unlikely(!to)) {
		hwpmc_sample_lose_nmi(pmc, buffer, events, now);
		return NULL;
	}
	to->h = (struct hwpmc_log_header) {
		.type = fired ? HWPMC_LOG_PROBE : HWPMC_LOG_SAMPLE,
		.flags = head->flags, .length = fixed + tail.length, .time = now,
		.cpu = buffer->ring.cpu, .id = pmc->id,
	};
	if (plain)
		hwpmc_pid_initial(&to->pid, &to->tid);
	else
		hwpmc_pid_numbers(pmc->owner, link->thread, &to->pid, &to->tid);
	hwpmc_sample_write(to, fixed, head, events);
	if (tail.length)
		hwpmc_sample_write_tail(tail, to, fixed, head->user);
	sampler->recorded++;
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
 * @link: an active link of a context on this CPU; its PMC samples. Not throttled, unless @late
 * @events: events that the sample stands for
 * @regs: registers of the interrupted code, or NULL
 * @late: the period's end was found at a switch, a stop or a reading, before its interrupt
 * @now: CLOCK_MONOTONIC in ns
 *
 * A sample that finds no room is counted as lost.
 * Context: interrupts off, overflows deferred; may be an NMI. Never faults.
 */
static __always_inline void hwpmc_sample_take_nmi(struct hwpmc_link *link, u64 events,
						  struct pt_regs *regs, bool late, u64 now)
{
	struct hwpmc_sampler_cpu *sampler = this_cpu_ptr(link->pmc->sampled);
	struct hwpmc_buffer *buffer = sampler->plain;
	const struct hwpmc_sample_tail none = {};
	struct hwpmc_sample_head head = {};

	if (late || unlikely(!buffer)) {
		hwpmc_sample_take_whole_nmi(link, events, regs, late, now);
		return;
	}
	hwpmc_defer_assert();
	hwpmc_head_place(&head, link, regs, false);
	hwpmc_sample_put_nmi(link, sampler, buffer, events, NULL, 0, &head, none, true, now);
	hwpmc_sample_end_nmi(buffer);
}

#endif /* HWPMC_SAMPLE_H */
