// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread that comes on a CPU between the two halves of a START or a STOP: the state is
 * changed, and the cross-call has not come here yet (kmod/task/sched.c).
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
 * struct turn - a thread and a CPU, each with a PMC of its own
 * @thread: the test's
 * @of_cpu: counts what its CPU does
 */
struct turn {
	struct followed thread;
	struct hwpmc_pmc *of_cpu;
};

/* The test's thread stays on this CPU from here on; it is no other test's. */
static void turn_begin(struct kunit *test, struct turn *it)
{
	const struct fixture *fx = test->priv;
	int cpu = raw_smp_processor_id();
	struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_SC, cpu);

	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	KUNIT_ASSERT_EQ(test, 0, fixture_allocate(fx->owners[0], &args, &it->of_cpu));
	followed_allocate(test, &it->thread, 0);
	followed_attach(&it->thread, 0);
}

/* Both at once, and no CPU is told. */
static void turn_set(struct turn *it, bool running)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	it->thread.pmc->running = running;
	it->of_cpu->running = running;
	WRITE_ONCE(hwpmc_generation, hwpmc_generation + 1);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

static void turn_end(struct turn *it)
{
	turn_set(it, false);
	hwpmc_sync_cpus(cpu_online_mask);
	followed_release(&it->thread);
	fixture_release(it->of_cpu);
}

/* Who counts, with interrupts off and the thread on. */
struct seen {
	bool thread, cpu;
};

static struct seen turn_look(const struct turn *it)
{
	const struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	u64 thread = hwpmc_context_rows(&it->thread.th->ctx, &hwpmc_mock_class);
	u64 cpu = hwpmc_context_rows(&pc->sys, &hwpmc_mock_class);

	return (struct seen) {
		.thread = thread & BIT_ULL(it->thread.pmc->class_row),
		.cpu = cpu & BIT_ULL(it->of_cpu->class_row),
	};
}

static void turn_leave(struct turn *it)
{
	hwpmc_sched_ops.sched_out(&it->thread.th->notifier, NULL);
}

static void turn_expect(struct kunit *test, struct seen seen, bool counts, const char *when)
{
	KUNIT_EXPECT_EQ_MSG(test, seen.thread, counts, "%s: the thread", when);
	KUNIT_EXPECT_EQ_MSG(test, seen.cpu, counts, "%s: its CPU", when);
}

/* The thread is on for a moment. */
static void turn_come(struct kunit *test, struct turn *it, bool counts, const char *when)
{
	struct seen seen;

	local_irq_disable();
	hwpmc_sched_start(it->thread.th);
	seen = turn_look(it);
	turn_leave(it);
	local_irq_enable();
	turn_expect(test, seen, counts, when);
}

static void sched_before_call(struct kunit *test)
{
	struct turn it = {};

	turn_begin(test, &it);
	turn_come(test, &it, false, "not started");
	turn_set(&it, true);
	turn_come(test, &it, true, "started");
	turn_set(&it, false);
	turn_come(test, &it, false, "stopped");
	turn_end(&it);
}

/* Where the call came, or the thread before it; what it knows there is new here, too. */
static void turn_elsewhere(struct turn *it)
{
	struct hwpmc_cpu *pc;
	u64 gen;

	local_irq_disable();
	pc = this_cpu_ptr(&hwpmc_cpus);
	gen = pc->sys.gen;
	/* As if this were that CPU: its own context is not this one's. */
	pc->sys.gen = hwpmc_generation;
	hwpmc_context_enter(pc, &it->thread.th->ctx);
	pc->sys.gen = gen;
	local_irq_enable();
}

static void sched_looked_elsewhere(struct kunit *test)
{
	struct turn it = {};

	turn_begin(test, &it);
	turn_come(test, &it, false, "not started");
	turn_set(&it, true);
	turn_elsewhere(&it);
	turn_come(test, &it, true, "started");
	turn_set(&it, false);
	turn_elsewhere(&it);
	turn_come(test, &it, false, "stopped");
	turn_end(&it);
}

/* The thread stays on, and looks for another reason. */
static void sched_while_on(struct kunit *test)
{
	struct seen started, stopped;
	struct hwpmc_cpu *pc;
	struct turn it = {};

	turn_begin(test, &it);
	local_irq_disable();
	pc = this_cpu_ptr(&hwpmc_cpus);
	hwpmc_sched_start(it.thread.th);
	turn_set(&it, true);
	hwpmc_context_update(pc, &it.thread.th->ctx);
	started = turn_look(&it);
	turn_set(&it, false);
	hwpmc_context_update(pc, &it.thread.th->ctx);
	stopped = turn_look(&it);
	turn_leave(&it);
	local_irq_enable();
	turn_expect(test, started, true, "started");
	turn_expect(test, stopped, false, "stopped");
	turn_end(&it);
}

/* A CPU that has gone but for a task yet to be pushed off: its own context stays as it is. */
static void sched_going(struct kunit *test)
{
	struct hwpmc_cpu *pc;
	struct turn it = {};
	struct seen seen;

	turn_begin(test, &it);
	turn_set(&it, true);
	local_irq_disable();
	pc = this_cpu_ptr(&hwpmc_cpus);
	pc->offline_since = 1;
	hwpmc_sched_start(it.thread.th);
	seen = turn_look(&it);
	turn_leave(&it);
	pc->offline_since = 0;
	local_irq_enable();
	KUNIT_EXPECT_TRUE(test, seen.thread);
	KUNIT_EXPECT_FALSE(test, seen.cpu);
	turn_end(&it);
}

static struct kunit_case sched_cases[] = {
	KUNIT_CASE(sched_before_call),
	KUNIT_CASE(sched_looked_elsewhere),
	KUNIT_CASE(sched_while_on),
	KUNIT_CASE(sched_going),
	{}
};

struct kunit_suite hwpmc_sched_suite = {
	.name		= "hwpmc_sched",
	.init		= fixture_init,
	.exit		= fixture_exit,
	.test_cases	= sched_cases,
};
