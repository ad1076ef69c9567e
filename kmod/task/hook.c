// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks a task: adds the preempt notifier of its thread record to the task's list of
 * notifiers; and removes the notifier of a record that nothing needs any more.
 *
 * Called by the ATTACH and START ioctls (process context) and by the fork and sched_switch
 * probes (atomic context).
 *
 * The list has no lock of its own; only the running task changes it. So this file changes
 * it only where no other user can be in the middle of it:
 * - in the task itself;
 * - on a child that is not runnable yet (task_newtask);
 * - on a task that sleeps, under the lock without which nobody can wake it;
 * - in an interrupt that hit the task where it can be preempted: the list is used with
 *   preemption off (by the scheduler, and by KVM's vcpu_load());
 * - in the sched_switch probe, on the task that is scheduled in.
 *
 * ATTACH hooks sleeping tasks by itself and calls the CPUs that run the others. The probe is
 * registered only if some of these then still wait for a CPU. No other CPU is disturbed.
 *
 * The code that moves hwpmc_thread.hook away from PENDING (by cmpxchg) does what follows
 * from the new state; every other attempt returns.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <asm/irq_regs.h>

#include "../base/owner.h"
#include "../compat/compat.h"
#include "../pmc/context.h"
#include "../pmc/link.h"
#include "../pmc/walk.h"
#include "task.h"

/* Cross-calls before the probe is registered for what still waits for a CPU. */
#define HWPMC_HOOK_CALLS		10
/* After so many cross-calls that find a target where it cannot be hooked, it is made to switch. */
#define HWPMC_HOOK_CALLS_PUSH	8
/* A cross-call that finds a target there has a timer try so often, in intervals of so many ns. */
#define HWPMC_HOOK_TRIES		8
#define HWPMC_HOOK_TRY_NS		(30 * NSEC_PER_USEC)
/* Interval of the polls: while threads wait to be hooked; and while the probe lingers. */
#define HWPMC_HOOK_POLL_MS	50
#define HWPMC_HOOK_LINGER_MS	1000

/**
 * struct hwpmc_hook_cpu - attempts to hook the task that runs on a CPU
 * @timer: pinned; interrupts the task again
 * @tries: of @timer since the last cross-call
 * @push: does nothing: the CPU switches to the worker and back
 */
struct hwpmc_hook_cpu {
	struct hrtimer timer;
	unsigned int tries;
	struct work_struct push;
};

static struct hwpmc_hook_cpu __percpu *hwpmc_hook_cpus;

/*
 * Records that polls visit: those that waited for a CPU when their ATTACH returned, and those
 * without links whose task was not asleep when the last link was removed.
 */
static LIST_HEAD(hwpmc_hook_list);		/* both guarded by hwpmc_hook_list_lock */
static unsigned int hwpmc_hook_listed;
/* Taken with interrupts off, under a context's lock or an owner's link_lock; nothing under it. */
static DEFINE_RAW_SPINLOCK(hwpmc_hook_list_lock);

static atomic64_t hwpmc_hook_waiting = ATOMIC64_INIT(0);
static DEFINE_MUTEX(hwpmc_hook_lock);		/* the probe and the polls */
static struct tracepoint *hwpmc_hook_tracepoint;
static bool hwpmc_hook_on;
static bool hwpmc_hook_used;			/* since the last poll */

static void hwpmc_hook_poll(struct work_struct *work);
static DECLARE_DELAYED_WORK(hwpmc_hook_work, hwpmc_hook_poll);

/* Returns false if @th was not PENDING: another context has claimed it. */
static bool hwpmc_hook_claim(struct hwpmc_thread *th, enum hwpmc_hook new)
{
	if (cmpxchg(&th->hook, HWPMC_HOOK_PENDING, new) != HWPMC_HOOK_PENDING)
		return false;
	atomic64_dec(&hwpmc_hook_waiting);
	return true;
}

/**
 * hwpmc_hook_thread - hook a thread if it waits for that
 * @th: its record
 *
 * Context: one in which no other code can be using the task's list of notifiers, see the
 * top of this file; interrupts off.
 * Return: true if this call hooked it.
 */
bool hwpmc_hook_thread(struct hwpmc_thread *th)
{
	if (!hwpmc_hook_claim(th, HWPMC_HOOK_DONE))
		return false;
	hlist_add_head(&th->notifier.link, &th->task->preempt_notifiers);
	return true;
}

/*
 * The runqueue is locked and @next does not run yet; its sched_in notifier fires right
 * after this.
 */
static HWPMC_PROBE_SWITCH(hwpmc_hook_switch, prev, next)
{
	struct hwpmc_thread *th = hwpmc_thread_find(next);

	if (th)
		hwpmc_hook_thread(th);
}

/**
 * hwpmc_hook_queue - mark a new thread as one that waits to be hooked
 * @th: its record; in the table of threads, not marked before
 *
 * Context: the lock of @th's context held, interrupts off. hwpmc_hook_now() hooks it.
 */
void hwpmc_hook_queue(struct hwpmc_thread *th)
{
	atomic64_inc(&hwpmc_hook_waiting);
	/* Another CPU may hook it from here on, so this is last: it releases the stores above. */
	smp_store_release(&th->hook, HWPMC_HOOK_PENDING);
}

/* Has the polls visit @th. */
static void hwpmc_hook_list_add(struct hwpmc_thread *th)
{
	raw_spin_lock(&hwpmc_hook_list_lock);
	if (list_empty(&th->pending)) {
		list_add_tail(&th->pending, &hwpmc_hook_list);
		hwpmc_hook_listed++;
	}
	raw_spin_unlock(&hwpmc_hook_list_lock);
}

static void hwpmc_hook_list_del(struct hwpmc_thread *th)
{
	raw_spin_lock(&hwpmc_hook_list_lock);
	if (!list_empty(&th->pending)) {
		list_del_init(&th->pending);
		hwpmc_hook_listed--;
	}
	raw_spin_unlock(&hwpmc_hook_list_lock);
}

/**
 * hwpmc_hook_dequeue - give up hooking a thread, and have no poll visit it
 * @th: its record, which is removed from the table of threads
 *
 * Context: the lock of @th's context held, interrupts off.
 */
void hwpmc_hook_dequeue(struct hwpmc_thread *th)
{
	hwpmc_hook_claim(th, HWPMC_HOOK_CANCELLED);
	hwpmc_hook_list_del(th);
}

/**
 * hwpmc_hook_child - hook a child in the probe of its fork
 * @th: its record; new, never queued
 *
 * Context: any; the child cannot run yet, so its list of notifiers is not in use.
 */
void hwpmc_hook_child(struct hwpmc_thread *th)
{
	th->hook = HWPMC_HOOK_DONE;
	hlist_add_head(&th->notifier.link, &th->task->preempt_notifiers);
}

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

/*
 * Whether @task is on no CPU and on no runqueue. If it is, it remains so while the caller holds
 * pi_lock, which try_to_wake_up() and wake_up_new_task() take first. The kernel's
 * __task_needs_rq_lock() has the same conditions in the same order, and says why.
 */
static bool hwpmc_hook_asleep(struct task_struct *task)
{
	unsigned int state = READ_ONCE(task->__state);

	lockdep_assert_held(&task->pi_lock);
	/* A task that is WAKING is enqueued without pi_lock: ttwu_queue_wakelist(). */
	if (state == TASK_RUNNING || state == TASK_WAKING)
		return false;
	/* Orders state before on_rq. */
	smp_rmb();
	if (READ_ONCE(task->on_rq))
		return false;
	/* Orders on_rq before on_cpu. */
	smp_rmb();
	/* Pairs with finish_task(): sched_out has walked the list. */
	return !smp_load_acquire(&task->on_cpu);
}

/*
 * Hooks @th if its task sleeps; returns false if not. The caller holds a lock without which the
 * probe of sched_process_free cannot remove @th from the table of threads, and so keeps the task:
 * that of @th's context, or the link_lock of an owner who has a link to @th.
 */
static bool hwpmc_hook_sleeper(struct hwpmc_thread *th)
{
	struct task_struct *task = th->task;
	bool asleep;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&task->pi_lock);
	asleep = hwpmc_hook_asleep(task);
	if (asleep)
		hwpmc_hook_thread(th);
	raw_spin_unlock(&task->pi_lock);
	return asleep;
}

/*
 * Removes the notifier of @th if its task sleeps; returns false if not. @th is in the table of
 * threads, and the lock of its context is held: it keeps the task.
 */
static bool hwpmc_hook_undo(struct hwpmc_thread *th)
{
	struct task_struct *task = th->task;
	bool asleep;

	lockdep_assert_held(&th->ctx.lock);
	raw_spin_lock(&task->pi_lock);
	asleep = READ_ONCE(th->hook) == HWPMC_HOOK_DONE && hwpmc_hook_asleep(task);
	if (asleep)
		hlist_del(&th->notifier.link);
	raw_spin_unlock(&task->pi_lock);
	return asleep;
}

/**
 * hwpmc_hook_drop - free a record without links as soon as possible
 * @th: the record; in the table of threads
 *
 * That is now if it was not hooked yet or its task sleeps. Otherwise the task's next sched_in
 * frees it, or a poll that finds the task asleep, whichever is first.
 * Context: the lock of @th's context held, interrupts off.
 */
void hwpmc_hook_drop(struct hwpmc_thread *th)
{
	lockdep_assert_held(&th->ctx.lock);
	if (hwpmc_hook_claim(th, HWPMC_HOOK_CANCELLED) || hwpmc_hook_undo(th)) {
		hwpmc_thread_remove(th);
		hwpmc_thread_free_later(th);
	} else if (th->hook == HWPMC_HOOK_DONE) {
		hwpmc_hook_list_add(th);
		schedule_delayed_work(&hwpmc_hook_work, msecs_to_jiffies(HWPMC_HOOK_LINGER_MS));
	}
}

/*
 * Whether the interrupt that runs now hit current where it can be preempted. Without a count,
 * only user mode is such a place for certain, and a cross-call of x86 has no registers that show
 * it, but a timer's interrupt has.
 */
static bool hwpmc_hook_preemptible(void)
{
	struct pt_regs *regs;

	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		return preempt_count() == HARDIRQ_OFFSET;
	regs = get_irq_regs();
	return regs && user_mode(regs);
}

/* In an interrupt: hooks current. Returns true if it waits for that and cannot be hooked here. */
static bool hwpmc_hook_interrupted(void)
{
	struct hwpmc_thread *th = hwpmc_thread_find(current);

	if (!th || READ_ONCE(th->hook) != HWPMC_HOOK_PENDING)
		return false;
	if (!hwpmc_hook_preemptible())
		return true;
	if (hwpmc_hook_thread(th))
		hwpmc_sched_start(th);
	return false;
}

static enum hrtimer_restart hwpmc_hook_timer(struct hrtimer *timer)
{
	struct hwpmc_hook_cpu *hc = container_of(timer, struct hwpmc_hook_cpu, timer);

	if (!hwpmc_hook_interrupted() || ++hc->tries >= HWPMC_HOOK_TRIES)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(HWPMC_HOOK_TRY_NS));
	return HRTIMER_RESTART;
}

/* Sets this CPU in @again if its task waits to be hooked and could not be hooked. */
static void hwpmc_hook_ipi(void *again)
{
	struct hwpmc_hook_cpu *hc = this_cpu_ptr(hwpmc_hook_cpus);

	if (!hwpmc_hook_interrupted())
		return;
	cpumask_set_cpu(smp_processor_id(), again);
	hc->tries = 0;
	hrtimer_start(&hc->timer, ns_to_ktime(HWPMC_HOOK_TRY_NS), HRTIMER_MODE_REL_PINNED);
}

static void hwpmc_hook_push_work(struct work_struct *work)
{
}

/* What one ATTACH hooks, and the CPUs that it calls; those that it has to call once more. */
struct hwpmc_hooking {
	struct hwpmc_owner *owner;
	struct hwpmc_target *target;
	cpumask_var_t cpus;
	cpumask_var_t again;
};

/* Calls the CPUs in @cpus; afterwards @cpus are those where it has to be repeated. */
static void hwpmc_hook_call(struct hwpmc_hooking *it)
{
	cpumask_clear(it->again);
	cpus_read_lock();
	on_each_cpu_mask(it->cpus, hwpmc_hook_ipi, it->again, 1);
	cpus_read_unlock();
	cpumask_copy(it->cpus, it->again);
}

/*
 * A target that spends its time in the kernel may never be hit by an interrupt where it can be
 * preempted. A worker that wants its CPU makes it switch, and the probe hooks it.
 */
static void hwpmc_hook_push(const struct hwpmc_hooking *it)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_cpu_and(cpu, it->cpus, cpu_online_mask)
		queue_work_on(cpu, system_highpri_wq, &per_cpu_ptr(hwpmc_hook_cpus, cpu)->push);
	cpus_read_unlock();
}

/*
 * Hooks the threads of the target that sleep, and sets @cpus to the CPUs of all others that wait
 * to be hooked. @list: have polls visit those.
 */
static void hwpmc_hook_look(struct hwpmc_hooking *it, bool list)
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
			hwpmc_hook_list_add(th);
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
		hwpmc_hook_look(it, false);
		if (cpumask_empty(it->cpus))
			return true;
		if (calls)
			hwpmc_hook_pause(calls);
		hwpmc_hook_call(it);
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
 * (D) may be done by another CPU, which then unlocks the runqueue. If (F) does not see (A), then
 * (B) sees (D), or what was stored after it: the thread is switched to on the CPU that (B) finds,
 * or it has left that CPU, and (F) sees (A) at its next switch. The call (C) is answered after
 * (G): it finds the thread, which is current by then, or it has left the CPU. So a CPU that does
 * not answer that its current task waits runs no thread that was missed, and needs no other call;
 * and threads that are on no CPU that was called are hooked by (F). hwpmc_hook_look() hooks a
 * thread that sleeps under pi_lock, before (D).
 */
static int hwpmc_hook_runnable(struct hwpmc_owner *owner, struct hwpmc_hooking *it)
{
	unsigned int calls;

	/* Orders A before B. */
	smp_mb();
	hwpmc_hook_look(it, true);
	for (calls = 1; !cpumask_empty(it->cpus); calls++) {
		hwpmc_hook_call(it);
		if (cpumask_empty(it->cpus))
			break;
		if (fatal_signal_pending(current))
			return hwpmc_fail(owner, -EINTR, "interrupted while attaching");
		if (calls % HWPMC_HOOK_CALLS_PUSH == 0)
			hwpmc_hook_push(it);
		hwpmc_hook_pause(calls);
	}
	return 0;
}

/*
 * Afterwards every CPU that begins a switch calls the probe: one that passed the tracepoint before
 * it was patched has finished, and no CPU has fetched the old instruction.
 */
static int hwpmc_hook_probe_on(void)
{
	int err;

	lockdep_assert_held(&hwpmc_hook_lock);
	hwpmc_hook_used = true;
	if (hwpmc_hook_on)
		return 0;
	if (!hwpmc_hook_tracepoint)
		hwpmc_hook_tracepoint = hwpmc_tracepoint_find("sched_switch");
	if (!hwpmc_hook_tracepoint)
		return -ENOENT;
	err = tracepoint_probe_register(hwpmc_hook_tracepoint, hwpmc_hook_switch, NULL);
	if (err)
		return err;
	synchronize_rcu();
	WRITE_ONCE(hwpmc_hook_on, true);
	return 0;
}

static void hwpmc_hook_probe_off(void)
{
	lockdep_assert_held(&hwpmc_hook_lock);
	if (!hwpmc_hook_on)
		return;
	tracepoint_probe_unregister(hwpmc_hook_tracepoint, hwpmc_hook_switch, NULL);
	WRITE_ONCE(hwpmc_hook_on, false);
}

static int hwpmc_hook_by_probe(struct hwpmc_owner *owner, struct hwpmc_hooking *it)
{
	int err;

	mutex_lock(&hwpmc_hook_lock);
	err = hwpmc_hook_probe_on();
	mutex_unlock(&hwpmc_hook_lock);
	if (err)
		return hwpmc_fail(owner, err, "cannot register a probe of the scheduler's tracepoint");
	err = hwpmc_hook_runnable(owner, it);
	/* After a failure too: only a poll unregisters the probe. */
	mod_delayed_work(system_wq, &hwpmc_hook_work, msecs_to_jiffies(HWPMC_HOOK_POLL_MS));
	return err;
}

/**
 * hwpmc_hook_now - hook the threads of a target
 * @owner: whose call it is
 * @target: of @owner; its threads have links
 *
 * On return no thread of it runs without its notifier, and one that waits for a CPU is hooked
 * when it gets it. Only CPUs that such threads run on or wait for are called.
 *
 * Context: may sleep; owner->lock held. Return: 0, or what hwpmc_fail() returned: -ENOMEM, -EINTR
 * after a fatal signal, -ENOENT without the sched_switch tracepoint, or the error of its
 * registration.
 */
int hwpmc_hook_now(struct hwpmc_owner *owner, struct hwpmc_target *target)
{
	struct hwpmc_hooking it = { .owner = owner, .target = target };
	int err = -ENOMEM;

	hwpmc_hook_self();
	if (!atomic64_read(&hwpmc_hook_waiting))
		return 0;
	if (!zalloc_cpumask_var(&it.cpus, GFP_KERNEL) || !zalloc_cpumask_var(&it.again, GFP_KERNEL))
		hwpmc_fail(owner, err, "out of memory while hooking the target; try again");
	else
		err = hwpmc_hook_soon(&it) ? 0 : hwpmc_hook_by_probe(owner, &it);
	free_cpumask_var(it.again);
	free_cpumask_var(it.cpus);
	return err;
}

/* The record that was visited longest ago, or NULL. RCU keeps it, but others may remove it. */
static struct hwpmc_thread *hwpmc_hook_list_rotate(void)
{
	struct hwpmc_thread *th;
	unsigned long flags;

	raw_spin_lock_irqsave(&hwpmc_hook_list_lock, flags);
	th = list_first_entry_or_null(&hwpmc_hook_list, struct hwpmc_thread, pending);
	if (th)
		list_move_tail(&th->pending, &hwpmc_hook_list);
	raw_spin_unlock_irqrestore(&hwpmc_hook_list_lock, flags);
	return th;
}

/*
 * The lock of the context keeps the record in the table, if it is there, and its links: whether it
 * has any does not change before it is dropped.
 */
static void hwpmc_hook_visit_thread(struct hwpmc_thread *th)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&th->ctx.lock, flags);
	/* Removed since the list was read: that took it off the list, and its task may be freed. */
	if (!th->removed) {
		if (list_empty(&th->ctx.links))
			hwpmc_hook_drop(th);
		else if (READ_ONCE(th->hook) != HWPMC_HOOK_PENDING || hwpmc_hook_sleeper(th))
			hwpmc_hook_list_del(th);
	}
	raw_spin_unlock_irqrestore(&th->ctx.lock, flags);
}

/* Visits each record of the list once. */
static void hwpmc_hook_visit(void)
{
	unsigned int left;

	for (left = READ_ONCE(hwpmc_hook_listed); left; left--) {
		struct hwpmc_thread *th;

		rcu_read_lock();
		th = hwpmc_hook_list_rotate();
		if (th)
			hwpmc_hook_visit_thread(th);
		rcu_read_unlock();
		cond_resched();
	}
}

/* Unregisters the probe when no thread has needed it for HWPMC_HOOK_LINGER_MS. */
static void hwpmc_hook_poll(struct work_struct *work)
{
	bool waiting;

	mutex_lock(&hwpmc_hook_lock);
	hwpmc_hook_visit();
	waiting = atomic64_read(&hwpmc_hook_waiting);
	if (!waiting && !hwpmc_hook_used)
		hwpmc_hook_probe_off();
	hwpmc_hook_used = waiting;
	if (hwpmc_hook_on || READ_ONCE(hwpmc_hook_listed))
		mod_delayed_work(system_wq, &hwpmc_hook_work,
				 msecs_to_jiffies(waiting ? HWPMC_HOOK_POLL_MS :
							    HWPMC_HOOK_LINGER_MS));
	mutex_unlock(&hwpmc_hook_lock);
}

/** hwpmc_hook_pending - number of threads that wait to be hooked; any context */
u64 hwpmc_hook_pending(void)
{
	return atomic64_read(&hwpmc_hook_waiting);
}

/** hwpmc_hook_probing - whether the sched_switch probe is registered; any context */
bool hwpmc_hook_probing(void)
{
	return READ_ONCE(hwpmc_hook_on);
}

/** hwpmc_hook_init - allocate the CPUs' timers; module load, may sleep; 0 or -ENOMEM */
int hwpmc_hook_init(void)
{
	int cpu;

	hwpmc_hook_cpus = alloc_percpu(struct hwpmc_hook_cpu);
	if (!hwpmc_hook_cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct hwpmc_hook_cpu *hc = per_cpu_ptr(hwpmc_hook_cpus, cpu);

		hwpmc_hrtimer_setup(&hc->timer, hwpmc_hook_timer, CLOCK_MONOTONIC,
				    HRTIMER_MODE_REL_PINNED);
		INIT_WORK(&hc->push, hwpmc_hook_push_work);
	}
	return 0;
}

/**
 * hwpmc_hook_exit - stop polling, unregister the probe and drop the records of sleeping tasks
 *
 * Context: module exit, may sleep; no owner is left, so nothing waits to be hooked any more.
 */
void hwpmc_hook_exit(void)
{
	int cpu;

	cancel_delayed_work_sync(&hwpmc_hook_work);
	mutex_lock(&hwpmc_hook_lock);
	hwpmc_hook_visit();
	hwpmc_hook_probe_off();
	mutex_unlock(&hwpmc_hook_lock);
	/* A record that was visited without success has queued it. */
	cancel_delayed_work_sync(&hwpmc_hook_work);
	tracepoint_synchronize_unregister();
	for_each_possible_cpu(cpu) {
		struct hwpmc_hook_cpu *hc = per_cpu_ptr(hwpmc_hook_cpus, cpu);

		hrtimer_cancel(&hc->timer);
		cancel_work_sync(&hc->push);
	}
	free_percpu(hwpmc_hook_cpus);
}
