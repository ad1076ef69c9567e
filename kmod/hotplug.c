// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU hotplug, loss of PMU state in deep idle and in suspend, and reboot. The kernel's notifiers
 * call this, on the CPU concerned; main.c calls init and exit.
 *
 * When a CPU goes offline, its own context is folded and keeps its sums. When the CPU is online
 * again, PMCs that still run continue. A task that has not been migrated yet when its CPU goes
 * offline counts nothing on that CPU from then on.
 */
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../arch/hwpmc_arch.h"
#include "base/machine.h"
#include "base/notice.h"
#include "compat/compat.h"
#include "hwpmc.h"
#include "main.h"
#include "pmc/context.h"
#include "pmc/page.h"
#include "pmc/period.h"
#include "pmc/pmc.h"
#include "pmc/row.h"
#include "pmc/throttle.h"
#include "task/task.h"

static int hwpmc_hotplug_state;

/*
 * Resync each context, even if it is not stale: links may have been removed meanwhile. The
 * CPU's own is first, because a thread's resync may resync it as well.
 */
static void hwpmc_hotplug_cpu_up(struct hwpmc_cpu *pc)
{
	hwpmc_pmu_cpu_online();
	hwpmc_context_enter(pc, &pc->sys);
	if (pc->thread) {
		hwpmc_context_enter(pc, &pc->thread->ctx);
		pc->loaded = pc->thread->ctx.config_serial;
	}
}

static void hwpmc_hotplug_cpu_down(struct hwpmc_cpu *pc)
{
	hwpmc_defer_begin();
	hwpmc_context_fold(&pc->sys);
	hwpmc_period_sched_out(&pc->sys);
	if (pc->thread) {
		hwpmc_context_fold(&pc->thread->ctx);
		hwpmc_period_sched_out(&pc->thread->ctx);
		hwpmc_page_publish(&pc->thread->ctx, true);
	}
	hwpmc_defer_end();
	hwpmc_pmu_cpu_offline();
}

static int hwpmc_cpu_online(unsigned int cpu)
{
	struct hwpmc_cpu *pc = per_cpu_ptr(&hwpmc_cpus, cpu);
	unsigned long flags;

	if (hwpmc_machine->cpu_fits && !hwpmc_machine->cpu_fits()) {
		pr_err("hwpmc: cpu %u stays offline: its PMU is smaller than, or differs from, those at module load, or perf counts on it; to bring it online unload hwpmc\n",
		       cpu);
		return -ENODEV;
	}
	hwpmc_throttle_cpu_online();
	hwpmc_clock_cpu_online(cpu);
	local_irq_save(flags);
	/*
	 * Defer overflows until the resync: a link that is still active may have been removed
	 * without a cross-call.
	 */
	hwpmc_defer_begin();
	raw_spin_lock(&pc->sys.lock);
	if (pc->offline_since)
		pc->offline_ns += ktime_get_mono_fast_ns() - pc->offline_since;
	pc->offline_since = 0;
	raw_spin_unlock(&pc->sys.lock);
	/* After @offline_since is 0, or the resync of a running thread would skip the CPU's own. */
	hwpmc_hotplug_cpu_up(pc);
	hwpmc_defer_end();
	local_irq_restore(flags);
	hwpmc_notice_machine(HWPMC_NL_WHAT_ONLINE, cpu);
	return 0;
}

static int hwpmc_cpu_offline(unsigned int cpu)
{
	struct hwpmc_cpu *pc = per_cpu_ptr(&hwpmc_cpus, cpu);
	unsigned long flags;

	local_irq_save(flags);
	hwpmc_hotplug_cpu_down(pc);
	/*
	 * Links may be removed and freed while the CPU is offline. When the CPU is online again,
	 * its clock may interrupt before hwpmc_cpu_online() rebuilds the context.
	 */
	hwpmc_context_idle(&pc->sys);
	raw_spin_lock(&pc->sys.lock);
	pc->offline_since = ktime_get_mono_fast_ns();
	raw_spin_unlock(&pc->sys.lock);
	local_irq_restore(flags);
	/* Otherwise the kernel moves its timer to another CPU, where it ends that CPU's window. */
	hwpmc_throttle_cpu_exit(pc);
	hwpmc_notice_machine(HWPMC_NL_WHAT_OFFLINE, cpu);
	return 0;
}

/**
 * hwpmc_hotplug_cpu_pm - the CPU_PM notifier: a CPU enters or leaves deep idle
 * @nb: unused
 * @action: CPU_PM_*
 * @data: unused
 *
 * Context: interrupts off; the idle task, or suspend on the last online CPU. Takes no lock. Return:
 * NOTIFY_OK or NOTIFY_DONE.
 */
int hwpmc_hotplug_cpu_pm(struct notifier_block *nb, unsigned long action, void *data)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);

	/* No state to lose; or the CPU is going offline and must not be brought up again. */
	if (!hwpmc_pmu_is_up() || !hwpmc_machine->cpu_resume || pc->offline_since)
		return NOTIFY_DONE;
	switch (action) {
	case CPU_PM_ENTER:
		hwpmc_idle_enter(pc);
		break;
	case CPU_PM_ENTER_FAILED:
	case CPU_PM_EXIT:
		hwpmc_idle_exit(pc, action == CPU_PM_EXIT);
		break;
	default:
		return NOTIFY_DONE;
	}
	return NOTIFY_OK;
}

static struct notifier_block hwpmc_cpu_pm_block = { .notifier_call = hwpmc_hotplug_cpu_pm };

/*
 * Suspend and resume, called on the last online CPU with interrupts off. Registered only on kernels
 * without CPU_PM, whose notifiers report suspend as well. They include all rows, not only those of
 * the PMU, since suspend resets the time-stamp counter, too.
 */
static void hwpmc_suspend(void)
{
	hwpmc_hotplug_cpu_down(this_cpu_ptr(&hwpmc_cpus));
	/* Pending self-interrupts are lost in suspend. */
	irq_work_run();
}

static void hwpmc_resume(void)
{
	hwpmc_hotplug_cpu_up(this_cpu_ptr(&hwpmc_cpus));
}

static int hwpmc_reboot(struct notifier_block *nb, unsigned long action, void *data)
{
	hwpmc_pmu_shutdown();
	return NOTIFY_DONE;
}

/* Lowest priority: the other notifiers may still be counted. */
static struct notifier_block hwpmc_reboot_block = {
	.notifier_call = hwpmc_reboot, .priority = INT_MIN,
};

static void hwpmc_cpus_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct hwpmc_cpu *pc = per_cpu_ptr(&hwpmc_cpus, cpu);

		hwpmc_throttle_cpu_exit(pc);
		hwpmc_context_teardown(&pc->sys);
		kfree(pc->shadow);
		kfree(pc->sums);
	}
}

static int __init hwpmc_cpus_alloc(void)
{
	u64 now = ktime_get_mono_fast_ns();
	int cpu;

	for_each_possible_cpu(cpu)
		hwpmc_throttle_cpu_init(per_cpu_ptr(&hwpmc_cpus, cpu));
	for_each_possible_cpu(cpu) {
		struct hwpmc_cpu *pc = per_cpu_ptr(&hwpmc_cpus, cpu);
		int node = cpu_to_node(cpu);

		pc->shadow = kcalloc_node(hwpmc_row_count, sizeof(*pc->shadow), GFP_KERNEL, node);
		pc->sums = kcalloc_node(hwpmc_row_count, sizeof(*pc->sums), GFP_KERNEL, node);
		if (!pc->shadow || !pc->sums || hwpmc_context_setup(&pc->sys, node))
			return -ENOMEM;
		pc->offline_since = now;
	}
	return 0;
}

int __init hwpmc_hotplug_init(void)
{
	int err = hwpmc_cpus_alloc();

	if (err)
		goto fail;
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "hwpmc:online", hwpmc_cpu_online,
				hwpmc_cpu_offline);
	if (err < 0)
		goto fail;
	hwpmc_hotplug_state = err;
	err = cpu_pm_register_notifier(&hwpmc_cpu_pm_block);
	if (err)
		goto fail_state;
	err = register_reboot_notifier(&hwpmc_reboot_block);
	if (err)
		goto fail_pm;
	if (!IS_ENABLED(CONFIG_CPU_PM))
		hwpmc_syscore_register(hwpmc_suspend, hwpmc_resume);
	return 0;

fail_pm:
	cpu_pm_unregister_notifier(&hwpmc_cpu_pm_block);
fail_state:
	cpuhp_remove_state(hwpmc_hotplug_state);
fail:
	hwpmc_cpus_free();
	return err;
}

void hwpmc_hotplug_exit(void)
{
	if (!IS_ENABLED(CONFIG_CPU_PM))
		hwpmc_syscore_unregister();
	unregister_reboot_notifier(&hwpmc_reboot_block);
	cpu_pm_unregister_notifier(&hwpmc_cpu_pm_block);
	cpuhp_remove_state(hwpmc_hotplug_state);
	hwpmc_cpus_free();
}
