// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_sched: a thread is scheduled in after START or STOP changed the state, but before
 * the cross-call reached this CPU (kmod/task/sched.c).
 * Run by kunit/run.c in KUnit's thread, which is the task; switches run with interrupts off.
 */
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/task/task.h"
#include "fixture.h"
#include "followed.h"

/**
 * struct sched_case - a thread and a CPU, each with a PMC
 * @thread: the test's thread, with a virtual PMC
 * @of_cpu: a system-wide PMC on the CPU
 */
struct sched_case {
	struct followed thread;
	struct hwpmc_pmc *of_cpu;
};

/* Pins the test's thread to this CPU for good; KUnit runs each test in a thread of its own. */
static void sched_case_begin(struct kunit *test, struct sched_case *it)
{
	const struct fixture *fx = test->priv;
	int cpu = raw_smp_processor_id();
	struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_SC, cpu);

	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	KUNIT_ASSERT_EQ(test, 0, fixture_allocate(fx->owners[0], &args, &it->of_cpu));
	followed_allocate(test, &it->thread, 0);
	followed_attach(&it->thread, 0);
}

/* Changes the state of both PMCs without the cross-call. */
static void sched_case_set_running(struct sched_case *it, bool running)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	it->thread.pmc->running = running;
	it->of_cpu->running = running;
	WRITE_ONCE(hwpmc_generation, hwpmc_generation + 1);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

static void sched_case_end(struct sched_case *it)
{
	sched_case_set_running(it, false);
	hwpmc_sync_cpus(cpu_online_mask);
	followed_release(&it->thread);
	fixture_release(it->of_cpu);
}

/* Which of both contexts counts, read with interrupts off and the thread scheduled in. */
struct sched_counts {
	bool thread, cpu;
};

static struct sched_counts sched_case_counts(const struct sched_case *it)
{
	const struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	u64 thread = hwpmc_context_rows(&it->thread.th->ctx, &hwpmc_mock_class);
	u64 cpu = hwpmc_context_rows(&pc->sys, &hwpmc_mock_class);

	return (struct sched_counts) {
		.thread = thread & BIT_ULL(it->thread.pmc->class_row),
		.cpu = cpu & BIT_ULL(it->of_cpu->class_row),
	};
}

static void sched_case_out(struct sched_case *it)
{
	hwpmc_sched_ops.sched_out(&it->thread.th->notifier, NULL);
}

static void sched_case_expect(struct kunit *test, struct sched_counts counts, bool running,
			      const char *when)
{
	KUNIT_EXPECT_EQ_MSG(test, counts.thread, running, "%s: the thread", when);
	KUNIT_EXPECT_EQ_MSG(test, counts.cpu, running, "%s: its CPU", when);
}

/* Schedules the thread in and out, and expects that both contexts count in between, or neither. */
static void sched_case_switch(struct kunit *test, struct sched_case *it, bool running,
			      const char *when)
{
	struct sched_counts counts;

	local_irq_disable();
	hwpmc_sched_start(it->thread.th);
	counts = sched_case_counts(it);
	sched_case_out(it);
	local_irq_enable();
	sched_case_expect(test, counts, running, when);
}

static void sched_in_before_cross_call(struct kunit *test)
{
	struct sched_case it = {};

	sched_case_begin(test, &it);
	sched_case_switch(test, &it, false, "not started");
	sched_case_set_running(&it, true);
	sched_case_switch(test, &it, true, "started");
	sched_case_set_running(&it, false);
	sched_case_switch(test, &it, false, "stopped");
	sched_case_end(&it);
}

/* Resyncs the thread's context as another CPU does, on which the cross-call has run. */
static void sched_case_resync_elsewhere(struct sched_case *it)
{
	struct hwpmc_cpu *pc;
	u64 gen;

	local_irq_disable();
	pc = this_cpu_ptr(&hwpmc_cpus);
	gen = pc->sys.gen;
	/* That CPU's own context is up to date; this CPU's is restored and remains out of date. */
	pc->sys.gen = hwpmc_generation;
	hwpmc_context_enter(pc, &it->thread.th->ctx);
	pc->sys.gen = gen;
	local_irq_enable();
}

static void sched_in_after_resync_elsewhere(struct kunit *test)
{
	struct sched_case it = {};

	sched_case_begin(test, &it);
	sched_case_switch(test, &it, false, "not started");
	sched_case_set_running(&it, true);
	sched_case_resync_elsewhere(&it);
	sched_case_switch(test, &it, true, "started");
	sched_case_set_running(&it, false);
	sched_case_resync_elsewhere(&it);
	sched_case_switch(test, &it, false, "stopped");
	sched_case_end(&it);
}

/* The thread remains on the CPU, and its context is updated for another reason. */
static void sched_update_while_on_cpu(struct kunit *test)
{
	struct sched_counts started, stopped;
	struct hwpmc_cpu *pc;
	struct sched_case it = {};

	sched_case_begin(test, &it);
	local_irq_disable();
	pc = this_cpu_ptr(&hwpmc_cpus);
	hwpmc_sched_start(it.thread.th);
	sched_case_set_running(&it, true);
	hwpmc_context_update(pc, &it.thread.th->ctx);
	started = sched_case_counts(&it);
	sched_case_set_running(&it, false);
	hwpmc_context_update(pc, &it.thread.th->ctx);
	stopped = sched_case_counts(&it);
	sched_case_out(&it);
	local_irq_enable();
	sched_case_expect(test, started, true, "started");
	sched_case_expect(test, stopped, false, "stopped");
	sched_case_end(&it);
}

/* On a CPU that is offline but still runs a task, the CPU's own context is not resynced. */
static void sched_offline_cpu_not_resynced(struct kunit *test)
{
	struct hwpmc_cpu *pc;
	struct sched_case it = {};
	struct sched_counts counts;

	sched_case_begin(test, &it);
	sched_case_set_running(&it, true);
	local_irq_disable();
	pc = this_cpu_ptr(&hwpmc_cpus);
	pc->offline_since = 1;
	hwpmc_sched_start(it.thread.th);
	counts = sched_case_counts(&it);
	sched_case_out(&it);
	pc->offline_since = 0;
	local_irq_enable();
	KUNIT_EXPECT_TRUE(test, counts.thread);
	KUNIT_EXPECT_FALSE(test, counts.cpu);
	sched_case_end(&it);
}

static struct kunit_case sched_cases[] = {
	KUNIT_CASE(sched_in_before_cross_call),
	KUNIT_CASE(sched_in_after_resync_elsewhere),
	KUNIT_CASE(sched_update_while_on_cpu),
	KUNIT_CASE(sched_offline_cpu_not_resynced),
	{}
};

struct kunit_suite hwpmc_sched_suite = {
	.name		= "hwpmc_sched",
	.init		= fixture_init,
	.exit		= fixture_exit,
	.test_cases	= sched_cases,
};
