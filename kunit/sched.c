// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread that comes on a CPU between the two halves of a START or a STOP: the state is
 * changed, and the cross-call has not come here yet (kmod/task/sched.c).
 */
#include <linux/irqflags.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/task/task.h"
#include "fixture.h"

/**
 * struct turn - a thread and a CPU, each with a PMC of its own
 * @th: a record of the task that runs the test, which nobody arms
 * @link: of @of_thread, in it
 * @of_thread: follows it
 * @of_cpu: counts what the CPU does
 */
struct turn {
	struct hwpmc_thread *th;
	struct hwpmc_link *link;
	struct hwpmc_pmc *of_thread, *of_cpu;
};

/* The test stays on its CPU up to turn_end(). */
static void turn_begin(struct kunit *test, struct turn *it)
{
	const struct fixture *fx = test->priv;
	struct hwpmc_allocate virtual = FIXTURE_MOCK(HWPMC_MODE_TC, -1);
	struct hwpmc_allocate system = FIXTURE_MOCK(HWPMC_MODE_SC, -1);
	unsigned long flags;
	int err;

	KUNIT_ASSERT_EQ(test, 0, fixture_allocate(fx->owners[0], &virtual, &it->of_thread));
	migrate_disable();
	system.cpu = smp_processor_id();
	err = fixture_allocate(fx->owners[0], &system, &it->of_cpu);
	it->th = hwpmc_thread_alloc(GFP_KERNEL);
	it->link = hwpmc_link_alloc(GFP_KERNEL);
	if (err || !it->th || !it->link) {
		migrate_enable();
		hwpmc_thread_free(it->th);
		hwpmc_link_free(it->link);
		kunit_err(test, "no PMC (%d), or no memory\n", err);
		KUNIT_ASSERT_TRUE(test, false);
	}

	/* Without a target, which a fork would look for: nothing here forks. */
	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	hwpmc_thread_insert(it->th, current);
	it->link->thread = it->th;
	hwpmc_link_add(it->link, it->of_thread, &it->th->ctx);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

/* Both at once, and no CPU is told. */
static void turn_set(struct turn *it, bool running)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	it->of_thread->running = running;
	it->of_cpu->running = running;
	WRITE_ONCE(hwpmc_generation, hwpmc_generation + 1);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

static void turn_end(struct turn *it)
{
	unsigned long flags;

	turn_set(it, false);
	hwpmc_sync_cpus(cpu_online_mask);
	migrate_enable();
	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	hwpmc_link_remove(it->link);
	hwpmc_thread_remove(it->th);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
	hwpmc_link_free(it->link);
	hwpmc_thread_free_later(it->th);
	fixture_release(it->of_thread);
	fixture_release(it->of_cpu);
}

/* Who counts, with interrupts off and the thread on. */
struct seen {
	bool thread, cpu;
};

static struct seen turn_look(const struct turn *it)
{
	const struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	u64 thread = hwpmc_context_rows(&it->th->ctx, &hwpmc_mock_class);
	u64 cpu = hwpmc_context_rows(&pc->sys, &hwpmc_mock_class);

	return (struct seen) {
		.thread = thread & BIT_ULL(it->of_thread->class_row),
		.cpu = cpu & BIT_ULL(it->of_cpu->class_row),
	};
}

static void turn_leave(struct turn *it)
{
	hwpmc_sched_ops.sched_out(&it->th->notifier, NULL);
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
	hwpmc_sched_on(it->th);
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
	hwpmc_context_enter(pc, &it->th->ctx);
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
	hwpmc_sched_on(it.th);
	turn_set(&it, true);
	hwpmc_context_update(pc, &it.th->ctx);
	started = turn_look(&it);
	turn_set(&it, false);
	hwpmc_context_update(pc, &it.th->ctx);
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
	hwpmc_sched_on(it.th);
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
