// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks the tasks that run on other CPUs, by an interrupt: a cross-call, and if that interrupts a
 * task where it cannot be hooked (hook.c), a timer of that CPU. Called by hook_target.c in process
 * context. Only the requested CPUs are interrupted.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include <asm/irq_regs.h>

#include "../compat/compat.h"
#include "../pmc/context.h"
#include "hook.h"
#include "task.h"

/*
 * The number of attempts of a CPU's timer after a cross-call failed to hook a target there, and
 * their interval in ns.
 */
#define HWPMC_HOOK_TRIES		8
#define HWPMC_HOOK_TRY_NS		(30 * NSEC_PER_USEC)

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
 * Whether the current interrupt occurred where current can be preempted. On a kernel without a
 * preemption count, that is certain for user mode only. A timer's interrupt has registers that show
 * the mode; a cross-call on x86 does not have them.
 */
static bool hwpmc_hook_preemptible(void)
{
	struct pt_regs *regs;

	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		return preempt_count() == HARDIRQ_OFFSET;
	regs = get_irq_regs();
	return regs && user_mode(regs);
}

/* In an interrupt: hooks current. Returns true if it waits to be hooked and cannot be, here. */
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

/**
 * hwpmc_hook_cpu_call - hook the tasks that run on some CPUs, if they wait to be hooked
 * @cpus: the CPUs; afterwards those where it has to be repeated
 * @again: room for a set of CPUs
 *
 * Context: may sleep.
 */
void hwpmc_hook_cpu_call(struct cpumask *cpus, struct cpumask *again)
{
	cpumask_clear(again);
	cpus_read_lock();
	on_each_cpu_mask(cpus, hwpmc_hook_ipi, again, 1);
	cpus_read_unlock();
	cpumask_copy(cpus, again);
}

static void hwpmc_hook_push_work(struct work_struct *work)
{
}

/**
 * hwpmc_hook_cpu_push - make some CPUs switch
 * @cpus: the CPUs
 *
 * A target that is mostly in the kernel may never be interrupted where it can be preempted. A
 * worker on its CPU makes it switch, and the probe of sched_switch hooks it. Context: may sleep.
 */
void hwpmc_hook_cpu_push(const struct cpumask *cpus)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_cpu_and(cpu, cpus, cpu_online_mask)
		queue_work_on(cpu, system_highpri_wq, &per_cpu_ptr(hwpmc_hook_cpus, cpu)->push);
	cpus_read_unlock();
}

/** hwpmc_hook_cpu_init - allocate the CPUs' timers; module load, may sleep; 0 or -ENOMEM */
int hwpmc_hook_cpu_init(void)
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

/** hwpmc_hook_cpu_exit - free the timers; module exit, may sleep; no thread waits to be hooked */
void hwpmc_hook_cpu_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct hwpmc_hook_cpu *hc = per_cpu_ptr(hwpmc_hook_cpus, cpu);

		hrtimer_cancel(&hc->timer);
		cancel_work_sync(&hc->push);
	}
	free_percpu(hwpmc_hook_cpus);
}
