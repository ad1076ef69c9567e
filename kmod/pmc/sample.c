// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sample, from the interrupt to the ring. One context at a time on a CPU is
 * here (see hwpmc_defer_begin()), so that its scratch memory and a PMC's losses
 * need no care; rings have other writers besides.
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "../base/param.h"
#include "../base/stat.h"
#include "../compat/compat.h"
#include "../log/log.h"
#include "../log/ring.h"
#include "link.h"
#include "pid.h"
#include "pmc.h"
#include "sampler.h"

#define HWPMC_CHAIN_MAX		512

static struct hwpmc_param callchaindepth = { .value = 128, .least = 1, .most = HWPMC_CHAIN_MAX };
module_param_cb(callchaindepth, &hwpmc_param_ops, &callchaindepth, 0644);
MODULE_PARM_DESC(callchaindepth, "frames of a call chain, kernel's and user's each (default 128, 1..512)");

/* Return addresses, kernel's then user's, before their number is known. */
static DEFINE_PER_CPU(u64 *, hwpmc_chains);

/**
 * struct hwpmc_sample_head - what is known of a sample before there is room for it
 * @pc: as in the record
 * @flags: HWPMC_SAMPLE_*
 * @user: the user's registers, or NULL
 *
 * Small, and handed to what is inlined only, so that it lives in registers: the record
 * is written once, where it belongs.
 */
struct hwpmc_sample_head {
	u64 pc;
	u16 flags;
	struct pt_regs *user;
};

/**
 * struct hwpmc_sample_tail - what of a sample comes behind its head
 * @length: of the record
 * @user_stack: bytes of the user's stack in it
 * @kernel: addresses of the kernel in this CPU's hwpmc_chains, and
 * @user: of user mode, behind them
 * @cut: there are more of them
 *
 * Small too: two registers, that functions return.
 */
struct hwpmc_sample_tail {
	u32 length;
	u32 user_stack;
	u16 kernel;
	u16 user;
	bool cut;
};

/*
 * The user's registers of current; they are those at the entry to the kernel. None
 * during exec: they and the memory become a program's that its owner may not see. Nor
 * after one that failed when there was no way back: what it left of that is to die.
 */
static struct pt_regs *hwpmc_user_regs(const struct hwpmc_thread *th, struct pt_regs *regs)
{
	if (regs && user_mode(regs))
		return regs;
	if (current->in_execve || (th && READ_ONCE(th->mm) != current->mm))
		return NULL;
	return current->mm && !(current->flags & PF_KTHREAD) ? task_pt_regs(current) : NULL;
}

/* On the way between user mode and the kernel there are no registers but the place. */
static void hwpmc_head_passing(struct hwpmc_sample_head *head, const struct pt_regs *regs)
{
	u64 pc;

	if (!hwpmc_arch_user_passing(regs, &pc))
		return;
	if (head->flags & HWPMC_SAMPLE_USER)
		head->pc = pc;
	head->user = NULL;
}

/*
 * Where it was. A PMC that counts in user mode only was overtaken by an entry to
 * the kernel when it is found there; addresses of the kernel are not for its owner.
 */
static __always_inline void hwpmc_head_place(struct hwpmc_sample_head *head,
					     const struct hwpmc_link *link, struct pt_regs *regs)
{
	const struct hwpmc_pmc *pmc = link->pmc;
	bool user = regs && user_mode(regs);

	head->user = hwpmc_user_regs(link->thread, regs);
	if (head->user && hwpmc_arch_user_is_32bit(head->user))
		head->flags |= HWPMC_SAMPLE_COMPAT;
	if (pmc->caps & HWPMC_CAP_SYSTEM && !user) {
		head->pc = regs ? instruction_pointer(regs) : _THIS_IP_;
	} else if (head->user) {
		head->flags |= HWPMC_SAMPLE_USER;
		head->pc = instruction_pointer(head->user);
	}
	if (HWPMC_OVERFLOW_IS_NMI && !user && head->user && regs)
		hwpmc_head_passing(head, regs);
}

static u16 hwpmc_tail_user_chain(struct pt_regs *user, bool was_there, u64 *to, unsigned int room)
{
	unsigned int n = 0;

	if (!user || !room)
		return 0;
	/* A sample in the kernel: its user chain begins where user mode was left. */
	if (!was_there)
		to[n++] = instruction_pointer(user);
	return n + hwpmc_arch_chain_user(user, to + n, room - n);
}

static void hwpmc_tail_chain(struct hwpmc_sample_tail *tail, const struct hwpmc_pmc *pmc,
			     struct pt_regs *regs, struct pt_regs *user, bool was_user)
{
	unsigned int depth = READ_ONCE(callchaindepth.value);
	u64 *chain = this_cpu_read(hwpmc_chains);

	if (!was_user && (pmc->caps & HWPMC_CAP_SYSTEM))
		tail->kernel = hwpmc_arch_chain_kernel(regs, chain, depth);
	if (was_user || (pmc->flags & HWPMC_F_USERCALLCHAIN))
		tail->user = hwpmc_tail_user_chain(user, was_user, chain + tail->kernel, depth);
	tail->cut = tail->kernel == depth || tail->user == depth;
}

static bool hwpmc_tail_wanted(const struct hwpmc_pmc *pmc)
{
	return pmc->user_stack || (pmc->flags & (HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN));
}

/* @regs: what was interrupted; @user: the user's, and @was_user: that they are the same */
static noinline struct hwpmc_sample_tail hwpmc_tail_collect(const struct hwpmc_pmc *pmc,
							    struct pt_regs *regs,
							    struct pt_regs *user, bool was_user)
{
	struct hwpmc_sample_tail tail = { .length = sizeof(struct hwpmc_log_sample) };

	if (pmc->flags & (HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN))
		hwpmc_tail_chain(&tail, pmc, regs, user, was_user);
	tail.length += (tail.kernel + tail.user) * sizeof(u64);
	if (pmc->user_stack && user) {
		tail.user_stack = pmc->user_stack;
		tail.length += HWPMC_ARCH_REGS * sizeof(u64) + tail.user_stack;
	}
	return tail;
}

/* What of the stack is mapped and present; the rest of its room is zero. Never faults. */
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

/* Behind the head at @to, whose lengths and offsets are set here. */
static noinline void hwpmc_tail_write(struct hwpmc_sample_tail tail, struct hwpmc_log_sample *to,
				      const struct pt_regs *user)
{
	u32 chain = tail.kernel + tail.user, at = sizeof(*to);

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
}

/**
 * hwpmc_sample_take_nmi - a PMC came to its period
 * @link: in a context that is on this CPU
 * @events: that the sample stands for
 * @regs: what was interrupted, or NULL
 * @late: noticed at a switch or a reading
 * @now: CLOCK_MONOTONIC, in ns
 *
 * Context: interrupts off, overflows deferred; maybe NMI.
 */
void hwpmc_sample_take_nmi(struct hwpmc_link *link, u64 events, struct pt_regs *regs, bool late,
			   u64 now)
{
	struct hwpmc_sample_head head = { .flags = late ? HWPMC_SAMPLE_LATE : 0 };
	struct hwpmc_pmc *pmc = link->pmc;
	struct hwpmc_sampler_cpu *sampler = this_cpu_ptr(pmc->sampled);
	unsigned int cpu = smp_processor_id();
	struct hwpmc_buffer *buffer = pmc->owner->rings->buffers[cpu];
	struct hwpmc_log_sample *to = NULL;
	struct hwpmc_sample_tail tail = { .length = sizeof(*to) };
	bool drop_logged = true;

	hwpmc_head_place(&head, link, regs);
	if (unlikely(link->throttled)) {
		/* Of a stop or a switch, and there may be many: as little as that. */
		head.flags |= HWPMC_SAMPLE_CUT;
	} else if (hwpmc_tail_wanted(pmc)) {
		tail = hwpmc_tail_collect(pmc, regs, head.user, head.flags & HWPMC_SAMPLE_USER);
		if (tail.cut)
			head.flags |= HWPMC_SAMPLE_CUT;
	}

	sampler->events += events;
	if (unlikely(sampler->loss.count))
		drop_logged = hwpmc_sampler_drop_nmi(pmc, buffer, cpu, now);
	hwpmc_ring_enter(&buffer->ring);
	/* A PMC's losses are logged before anything else of it. */
	if (likely(drop_logged))
		to = hwpmc_ring_reserve_nmi(&buffer->ring, tail.length);
	if (likely(to)) {
		to->h.type = HWPMC_LOG_SAMPLE;
		to->h.flags = head.flags;
		to->h.length = tail.length;
		to->h.time = now;
		to->h.cpu = cpu;
		to->h.id = pmc->id;
		hwpmc_pid_numbers(pmc->owner, link->thread, &to->pid, &to->tid);
		to->period = events;
		to->pc = head.pc;
		to->chain_offset = 0;
		to->chain_kernel = 0;
		to->chain_user = 0;
		to->regs_offset = 0;
		to->regs = 0;
		to->stack_offset = 0;
		to->stack_size = 0;
		if (tail.length > sizeof(*to))
			hwpmc_tail_write(tail, to, head.user);
		sampler->recorded++;
	} else {
		sampler->lost++;
		hwpmc_record_loss(&sampler->loss, buffer, now, events);
		hwpmc_stat_inc(HWPMC_STAT_INTR_RING_FULL);
	}
	hwpmc_ring_leave_nmi(&buffer->ring);
	hwpmc_buffer_wake_nmi(buffer);
}

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

void hwpmc_sample_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kfree(per_cpu(hwpmc_chains, cpu));
}
