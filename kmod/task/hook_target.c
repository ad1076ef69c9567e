// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks the threads of a target, for the ATTACH and START ioctls, in process context with
 * owner->lock held. It hooks sleeping tasks itself and sends function calls to the CPUs that run
 * the others. If some of these wait for a CPU even after HWPMC_HOOK_CALLS of these calls, the probe
 * of sched_switch is registered. No other CPU is interrupted.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../base/owner.h"
#include "../pmc/context.h"
#include "../pmc/link.h"
#include "../pmc/walk.h"
#include "hook.h"
#include "task.h"

/* Cross-calls before the probe is registered for threads that wait for a CPU. */
#define HWPMC_HOOK_CALLS		10
/* After this many cross-calls that failed to hook a running target, its CPU is made to switch. */
#define HWPMC_HOOK_CALLS_PUSH	8

static void hwpmc_hook_self(void)
{
	struct hwpmc_thread *th;
	unsigned long flags;

	rcu_read_lock();
	local_irq_save(flags);
	th = hwpmc_thread_find(current);
	if (th && hwpmc_hook_thread(th))
		hwpmc_sched_start(th);
	local_irq_restore(flags);
	rcu_read_unlock();
}

/* The target of one ATTACH, the CPUs to call, and those to call again. */
struct hwpmc_hooking {
	struct hwpmc_owner *owner;
	struct hwpmc_target *target;
	cpumask_var_t cpus;
	cpumask_var_t again;
};

/*
 * Hooks the threads of the target that sleep, and sets @cpus to the CPUs of all others that wait
 * to be hooked. @list: add these to the list of the polls.
 */
static void hwpmc_hook_sleepers(struct hwpmc_hooking *it, bool list)
{
	struct hwpmc_walk walk;
	struct list_head *at;

	cpumask_clear(it->cpus);
	hwpmc_walk_begin(&walk, it->owner, &it->target->links);
	while ((at = hwpmc_walk_next(&walk))) {
		struct hwpmc_thread *th = list_entry(at, struct hwpmc_link, in_target)->thread;

		if (READ_ONCE(th->hook) != HWPMC_HOOK_PENDING || hwpmc_hook_sleeper(th))
			continue;
		cpumask_set_cpu(task_cpu(th->task), it->cpus);
		if (list)
			hwpmc_hook_poll_add(th);
	}
	hwpmc_walk_end(&walk);
}

static void hwpmc_hook_pause(unsigned int calls)
{
	if (calls < HWPMC_HOOK_CALLS)
		usleep_range(100, 200);
	else
		usleep_range(1000, 2000);
}

/* Returns true if all threads of the target are hooked. */
static bool hwpmc_hook_soon(struct hwpmc_hooking *it)
{
	unsigned int calls;

	for (calls = 0; calls < HWPMC_HOOK_CALLS; calls++) {
		hwpmc_hook_sleepers(it, false);
		if (cpumask_empty(it->cpus))
			return true;
		if (calls)
			hwpmc_hook_pause(calls);
		hwpmc_hook_cpu_call(it->cpus, it->again);
	}
	return false;
}

/*
 * With the probe registered: on return no thread of the target runs unhooked, and those that wait
 * for a CPU are hooked when they get it.
 *
 *	this CPU, ATTACH			a CPU that switches to the thread
 *
 *						enqueue: set task_cpu and on_rq	(D)
 *	hook = PENDING			(A)	__schedule(): lock the runqueue,
 *	smp_mb()				smp_mb__after_spinlock()	(E)
 *	task_cpu?			(B)	the probe: hook PENDING?	(F)
 *	cross-call			(C)	switch, interrupts on		(G)
 *
 * Another CPU may do (D): it holds the runqueue's lock, and drops it before (E). If (F) does not
 * see (A), then (B) sees (D), or a later store: the thread is switched to on the CPU that (B)
 * finds, or it has left that CPU, and (F) sees (A) at its next switch. The call (C) is handled
 * after (G): the thread is current by then, or it has left the CPU. So if a called CPU does not
 * report that its current task waits to be hooked, no missed thread runs there, and it need not be
 * called again. (F) hooks threads that are on no called CPU. hwpmc_hook_sleepers() hooks a sleeping
 * thread under pi_lock, before (D).
 */
static int hwpmc_hook_runnable(struct hwpmc_owner *owner, struct hwpmc_hooking *it)
{
	unsigned int calls;

	/* Orders A before B. */
	smp_mb();
	hwpmc_hook_sleepers(it, true);
	for (calls = 1; !cpumask_empty(it->cpus); calls++) {
		hwpmc_hook_cpu_call(it->cpus, it->again);
		if (cpumask_empty(it->cpus))
			break;
		if (fatal_signal_pending(current))
			return hwpmc_fail(owner, -EINTR, "interrupted while attaching");
		if (calls % HWPMC_HOOK_CALLS_PUSH == 0)
			hwpmc_hook_cpu_push(it->cpus);
		hwpmc_hook_pause(calls);
	}
	return 0;
}

static int hwpmc_hook_by_probe(struct hwpmc_owner *owner, struct hwpmc_hooking *it)
{
	int err = hwpmc_hook_poll_begin();

	if (err)
		return hwpmc_fail(owner, err, "cannot register a probe of the scheduler's tracepoint");
	err = hwpmc_hook_runnable(owner, it);
	/* Also after a failure, since only a poll unregisters the probe. */
	hwpmc_hook_poll_soon();
	return err;
}

/**
 * hwpmc_hook_target_now - hook the threads of a target
 * @owner: whose call it is
 * @target: of @owner; its threads have links
 *
 * On return no thread of the target runs without its notifier, and one that waits for a CPU is
 * hooked when it is scheduled in. Only CPUs that such threads run on or wait for are called.
 *
 * Context: may sleep; owner->lock held. Return: 0, or what hwpmc_fail() returned: -ENOMEM, -EINTR
 * after a fatal signal, -ENOENT without the sched_switch tracepoint, or the error of its
 * registration.
 */
int hwpmc_hook_target_now(struct hwpmc_owner *owner, struct hwpmc_target *target)
{
	struct hwpmc_hooking it = { .owner = owner, .target = target };
	int err = -ENOMEM;

	hwpmc_hook_self();
	if (!hwpmc_hook_pending())
		return 0;
	if (!zalloc_cpumask_var(&it.cpus, GFP_KERNEL) || !zalloc_cpumask_var(&it.again, GFP_KERNEL))
		hwpmc_fail(owner, err, "out of memory; try again");
	else
		err = hwpmc_hook_soon(&it) ? 0 : hwpmc_hook_by_probe(owner, &it);
	free_cpumask_var(it.again);
	free_cpumask_var(it.cpus);
	return err;
}
