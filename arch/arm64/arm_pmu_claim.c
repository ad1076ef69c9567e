// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: take the PMU over from perf's running driver, and return it.
 *
 * perf's driver describes each kind of core by a struct arm_pmu, whose operations are
 * pointers in memory that can be written. While the module has the PMU they point to
 * functions of this file:
 *
 *	event_init	perf_event_open() fails with EBUSY
 *	add		an event that is open already is not put on the PMU
 *	start, stop	do nothing: perf calls them for any task that has events,
 *			whether these count or not
 *	reset		skipped on a CPU whose registers the module uses
 *	handle_irq	the module handles the interrupt, however perf requested it:
 *			per CPU or shared (PPI, SPI), as a pseudo-NMI or not
 *
 * event_init and add are replaced first. Then every CPU is interrupted: an event that was added
 * before is set in its used_mask, and no event is added afterwards. Only if all masks are empty,
 * the others are replaced. Release restores the operations in the reverse order.
 *
 * The prototypes are exactly those of the pointers, as kCFI requires.
 *
 * State here is written while no CPU goes online or offline: under cpus_read_lock() by one caller
 * at a time (the core's lock of rows), or by a CPU that comes online.
 */
#include <linux/bitmap.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/perf/arm_pmu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "arm_pmu_claim.h"

/* More than the kinds of cores in any machine: DynamIQ has three at most. */
#define ARM_PMU_KINDS	8

/**
 * struct arm_pmu_kind - the PMU of one kind of core, and perf's operations of it
 * @pmu: perf's; it is never freed, since its driver is built in and cannot be unbound
 * @event_init: perf's own, of @pmu->pmu
 * @add: likewise
 * @start: perf's own, of @pmu
 * @stop: likewise
 * @reset: likewise
 * @handle_irq: likewise
 */
struct arm_pmu_kind {
	struct arm_pmu *pmu;
	int (*event_init)(struct perf_event *event);
	int (*add)(struct perf_event *event, int flags);
	void (*start)(struct arm_pmu *pmu);
	void (*stop)(struct arm_pmu *pmu);
	void (*reset)(void *info);
	irqreturn_t (*handle_irq)(struct arm_pmu *pmu);
};

/* An entry, once added, is neither changed nor removed. */
static struct arm_pmu_kind arm_pmu_kinds[ARM_PMU_KINDS];
static unsigned int arm_pmu_count;
static bool arm_pmu_claimed;
/* Whether arm_pmu_claim() ever succeeded; see arm_pmu_exit(). */
static bool arm_pmu_was_claimed;
static void (*arm_pmu_overflow)(void);
/* Whether the module uses the registers of this CPU. */
static DEFINE_PER_CPU(bool, arm_pmu_in_use);

static const char arm_pmu_busy[] =
	"perf holds the counters: end what counts or profiles with perf, guests of KVM that have a PMU, and the NMI watchdog (sysctl kernel.nmi_watchdog=0)";

/* The end of the kinds that were found */
static const struct arm_pmu_kind *arm_pmu_end(void)
{
	return arm_pmu_kinds + arm_pmu_count;
}

/* The kind of @pmu, for the functions that perf calls */
static const struct arm_pmu_kind *arm_pmu_kind_of(const struct arm_pmu *pmu)
{
	const struct arm_pmu_kind *kind = arm_pmu_kinds;

	/* The entry is read after the pointer that led here: pairs with arm_pmu_shut(). */
	smp_rmb();
	while (kind->pmu != pmu)
		kind++;
	return kind;
}

static int arm_pmu_event_init(struct perf_event *event)
{
	/* perf's own function still refuses an event of another PMU, or a wrong one. */
	int err = arm_pmu_kind_of(to_arm_pmu(event->pmu))->event_init(event);

	return err ? err : -EBUSY;
}

static int arm_pmu_add(struct perf_event *event, int flags)
{
	return -EAGAIN;
}

static void arm_pmu_start(struct arm_pmu *pmu)
{
}

static void arm_pmu_stop(struct arm_pmu *pmu)
{
}

/* Called for a CPU that starts or wakes from deep idle, before the module's own notifier. */
static void arm_pmu_reset(void *info)
{
	if (!this_cpu_read(arm_pmu_in_use))
		arm_pmu_kind_of(info)->reset(info);
}

static irqreturn_t arm_pmu_handle_irq(struct arm_pmu *pmu)
{
	arm_pmu_overflow();
	return IRQ_HANDLED;
}

/* The kind of @cpu, or NULL if it is not known. */
static const struct arm_pmu_kind *arm_pmu_kind_at(int cpu)
{
	const struct arm_pmu_kind *kind;

	for (kind = arm_pmu_kinds; kind < arm_pmu_end(); kind++)
		if (cpumask_test_cpu(cpu, &kind->pmu->supported_cpus))
			return kind;
	return NULL;
}

static int arm_pmu_remember(struct arm_pmu *pmu)
{
	if (arm_pmu_count == ARM_PMU_KINDS)
		return -ENXIO;
	arm_pmu_kinds[arm_pmu_count] = (struct arm_pmu_kind) {
		.pmu = pmu,
		.event_init = pmu->pmu.event_init,
		.add = pmu->pmu.add,
		.start = pmu->start,
		.stop = pmu->stop,
		.reset = pmu->reset,
		.handle_irq = pmu->handle_irq,
	};
	arm_pmu_count++;
	return 0;
}

/* An event that is never enabled leads to the PMU of @cpu. -ENOENT: perf's driver has none. */
static int arm_pmu_find_at(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
		.size = sizeof(attr), .disabled = 1,
	};
	struct perf_event *event;
	int err;

	if (arm_pmu_kind_at(cpu))
		return 0;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	err = arm_pmu_remember(to_arm_pmu(event->pmu));
	perf_event_release_kernel(event);
	return err;
}

static int arm_pmu_find(const char **why)
{
	int cpu, err;

	for_each_online_cpu(cpu) {
		err = arm_pmu_find_at(cpu);
		if (err == -ENOMEM) {
			*why = "perf's PMU could not be found: out of memory";
			return -ENOMEM;
		}
		if (err && !arm_pmu_count)
			return -ENODEV;
		if (err) {
			*why = "perf's driver has no PMU for some CPUs";
			return -ENXIO;
		}
	}
	return 0;
}

/* After this no event is opened and none is put on the PMU, except by calls in progress. */
static void arm_pmu_shut(const struct arm_pmu_kind *kind)
{
	WRITE_ONCE(kind->pmu->pmu.add, arm_pmu_add);
	/* Written after the entry of @kind: pairs with arm_pmu_kind_of(). */
	smp_store_release(&kind->pmu->pmu.event_init, arm_pmu_event_init);
}

static void arm_pmu_reopen(const struct arm_pmu_kind *kind)
{
	WRITE_ONCE(kind->pmu->pmu.add, kind->add);
	WRITE_ONCE(kind->pmu->pmu.event_init, kind->event_init);
}

/* Without a barrier: every CPU has been interrupted since the entry of @kind was written. */
static void arm_pmu_take(const struct arm_pmu_kind *kind)
{
	WRITE_ONCE(kind->pmu->start, arm_pmu_start);
	WRITE_ONCE(kind->pmu->stop, arm_pmu_stop);
	WRITE_ONCE(kind->pmu->reset, arm_pmu_reset);
	WRITE_ONCE(kind->pmu->handle_irq, arm_pmu_handle_irq);
}

static void arm_pmu_give_back(const struct arm_pmu_kind *kind)
{
	WRITE_ONCE(kind->pmu->handle_irq, kind->handle_irq);
	WRITE_ONCE(kind->pmu->reset, kind->reset);
	WRITE_ONCE(kind->pmu->stop, kind->stop);
	WRITE_ONCE(kind->pmu->start, kind->start);
}

static bool arm_pmu_counts(const struct arm_pmu_kind *kind, int cpu)
{
	return !bitmap_empty(per_cpu_ptr(kind->pmu->hw_events, cpu)->used_mask,
			     ARMPMU_MAX_HWEVENTS);
}

/* Whether perf counts: exact on @cpu itself with interrupts off, only a hint elsewhere. */
static bool arm_pmu_counts_at(int cpu)
{
	const struct arm_pmu_kind *kind;

	for (kind = arm_pmu_kinds; kind < arm_pmu_end(); kind++)
		if (arm_pmu_counts(kind, cpu))
			return true;
	return false;
}

static bool arm_pmu_counts_anywhere(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (arm_pmu_counts_at(cpu))
			return true;
	return false;
}

/* perf adds and removes events with interrupts off, so this call is between two such steps. */
static void arm_pmu_check_cpu(void *counts)
{
	if (arm_pmu_counts_at(smp_processor_id()))
		WRITE_ONCE(*(bool *)counts, true);
}

/* Take @kind and those behind it. */
static int arm_pmu_take_from(const struct arm_pmu_kind *first)
{
	const struct arm_pmu_kind *kind, *end = arm_pmu_end();
	bool counts = false;

	for (kind = first; kind < end; kind++)
		arm_pmu_shut(kind);
	on_each_cpu(arm_pmu_check_cpu, &counts, 1);
	for (kind = first; kind < end; kind++) {
		if (counts)
			arm_pmu_reopen(kind);
		else
			arm_pmu_take(kind);
	}
	return counts ? -EBUSY : 0;
}

int arm_pmu_claim(void (*overflow)(void), const char **why)
{
	int err;

	cpus_read_lock();
	err = arm_pmu_find(why);
	if (err)
		goto out;
	arm_pmu_overflow = overflow;
	/*
	 * Check first without replacing an operation: a pinned event whose add fails enters the
	 * error state, and remains in it.
	 */
	err = arm_pmu_counts_anywhere() ? -EBUSY : arm_pmu_take_from(arm_pmu_kinds);
	if (err) {
		*why = arm_pmu_busy;
		goto out;
	}
	arm_pmu_claimed = true;
	arm_pmu_was_claimed = true;
out:
	cpus_read_unlock();
	return err;
}

int arm_pmu_problem(const char **why)
{
	int err;

	*why = NULL;
	cpus_read_lock();
	err = arm_pmu_find(why);
	if (!err && arm_pmu_counts_anywhere()) {
		err = -EBUSY;
		*why = arm_pmu_busy;
	}
	cpus_read_unlock();
	return err;
}

/* Reset the registers as perf's driver does. Also waits for interrupts that are being handled. */
static void arm_pmu_reset_cpu(void *unused)
{
	const struct arm_pmu_kind *kind = arm_pmu_kind_at(smp_processor_id());

	if (kind && kind->reset)
		kind->reset(kind->pmu);
}

void arm_pmu_release(void)
{
	const struct arm_pmu_kind *kind;

	cpus_read_lock();
	for (kind = arm_pmu_kinds; kind < arm_pmu_end(); kind++)
		arm_pmu_give_back(kind);
	on_each_cpu(arm_pmu_reset_cpu, NULL, 1);
	for (kind = arm_pmu_kinds; kind < arm_pmu_end(); kind++)
		arm_pmu_reopen(kind);
	arm_pmu_claimed = false;
	cpus_read_unlock();
}

/*
 * Also find the PMU of this CPU while no PMU is claimed: up to Linux 6.1 at least,
 * arm_pmu_find_at() fails if its caller may not count CPUs. The kernel's thread that calls this
 * may; the user for whom the PMU is claimed later may not.
 */
bool arm_pmu_cover_cpu(void)
{
	unsigned int known = arm_pmu_count;
	int cpu = raw_smp_processor_id(), err;

	err = arm_pmu_find_at(cpu);
	if (!arm_pmu_claimed)
		return true;
	if (!err && arm_pmu_count > known)
		err = arm_pmu_take_from(arm_pmu_kinds + known);
	if (err)
		pr_err("hwpmc: the PMU of cpu %d cannot be taken from perf: error %d\n", cpu, err);
	return !err;
}

void arm_pmu_cpu_up(void)
{
	this_cpu_write(arm_pmu_in_use, true);
}

void arm_pmu_cpu_down(void)
{
	this_cpu_write(arm_pmu_in_use, false);
}

/*
 * A task that entered arm_pmu_event_init() before the last arm_pmu_release() may not have left it:
 * it runs there or was preempted there. It does not sleep there.
 */
void arm_pmu_exit(void)
{
	if (!arm_pmu_was_claimed)
		return;
	synchronize_rcu();
	synchronize_rcu_tasks();
}
