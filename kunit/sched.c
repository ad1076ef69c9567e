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
	struct hwpmc_pmc *pmcs[] = { it->thread.pmc, it->of_cpu };

	hwpmc_state_announce(pmcs, ARRAY_SIZE(pmcs), running);
	hwpmc_state_flip(pmcs, ARRAY_SIZE(pmcs));
}

static void sched_case_end(struct sched_case *it)
{
	sched_case_set_running(it, false);
	hwpmc_sync_cpus();
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
	int stale;

	local_irq_disable();
	pc = this_cpu_ptr(&hwpmc_cpus);
	stale = pc->sys.stale;
	/* That CPU's own context is up to date; this CPU's is restored and remains out of date. */
	pc->sys.stale = HWPMC_FRESH;
	hwpmc_context_enter(pc, &it->thread.th->ctx);
	pc->sys.stale = stale;
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

/* Between the announcement of a START and its flip, nothing counts and the thread stays stale. */
static void sched_in_between_announce_and_flip(struct kunit *test)
{
	struct sched_case it = {};
	struct hwpmc_pmc **pmcs;

	sched_case_begin(test, &it);
	pmcs = (struct hwpmc_pmc *[]){ it.thread.pmc, it.of_cpu };
	sched_case_switch(test, &it, false, "not started");
	KUNIT_EXPECT_EQ(test, HWPMC_FRESH, it.thread.th->ctx.stale);
	KUNIT_EXPECT_TRUE(test, hwpmc_state_announce(pmcs, 2, true));
	sched_case_switch(test, &it, false, "announced");
	KUNIT_EXPECT_EQ(test, HWPMC_STALE, it.thread.th->ctx.stale);
	hwpmc_state_flip(pmcs, 2);
	sched_case_switch(test, &it, true, "started");
	KUNIT_EXPECT_EQ(test, HWPMC_FRESH, it.thread.th->ctx.stale);
	sched_case_end(&it);
}

/* The thread is on the CPU meanwhile, so that only the cross-call can resync it. */
static void sched_on_cpu_between_announce_and_flip(struct kunit *test)
{
	struct sched_case it = {};
	struct sched_counts counts;
	struct hwpmc_pmc **pmcs;

	sched_case_begin(test, &it);
	pmcs = (struct hwpmc_pmc *[]){ it.thread.pmc, it.of_cpu };
	KUNIT_EXPECT_TRUE(test, hwpmc_state_announce(pmcs, 2, true));
	migrate_disable();
	local_irq_disable();
	hwpmc_sched_start(it.thread.th);
	local_irq_enable();
	hwpmc_state_flip(pmcs, 2);
	hwpmc_sync_cpus();
	local_irq_disable();
	counts = sched_case_counts(&it);
	sched_case_out(&it);
	local_irq_enable();
	migrate_enable();
	sched_case_expect(test, counts, true, "cross-call");
	sched_case_end(&it);
}

/* A link that is added after the announcement misses it, as the link of a forked child can. */
static void sched_link_added_after_announce(struct kunit *test)
{
	struct sched_case it = {};
	struct hwpmc_pmc **pmcs;

	sched_case_begin(test, &it);
	pmcs = (struct hwpmc_pmc *[]){ it.thread.pmc, it.of_cpu };
	KUNIT_EXPECT_TRUE(test, hwpmc_state_announce(pmcs, 2, true));
	WRITE_ONCE(it.thread.th->ctx.stale, HWPMC_EMPTY);
	sched_case_switch(test, &it, false, "announced");
	KUNIT_EXPECT_EQ(test, HWPMC_STALE, it.thread.th->ctx.stale);
	hwpmc_state_flip(pmcs, 2);
	sched_case_switch(test, &it, true, "started");
	sched_case_end(&it);
}

/* A link that is killed while its PMC starts never counts, and ends when the thread resyncs. */
static void sched_link_dies_after_announce(struct kunit *test)
{
	struct sched_case it = {};
	struct hwpmc_pmc **pmcs;
	struct sched_counts counts;

	sched_case_begin(test, &it);
	pmcs = (struct hwpmc_pmc *[]){ it.thread.pmc, it.of_cpu };
	sched_case_switch(test, &it, false, "not started");
	KUNIT_EXPECT_TRUE(test, hwpmc_state_announce(pmcs, 2, true));
	followed_kill(&it.thread);
	hwpmc_state_flip(pmcs, 2);
	local_irq_disable();
	hwpmc_sched_start(it.thread.th);
	counts = sched_case_counts(&it);
	sched_case_out(&it);
	local_irq_enable();
	KUNIT_EXPECT_FALSE(test, counts.thread);
	KUNIT_EXPECT_TRUE(test, counts.cpu);
	KUNIT_EXPECT_FALSE(test, it.thread.link->active);
	sched_case_end(&it);
}

/* Another owner's START and STOP, or a START of a running PMC, make no thread stale. */
static void sched_unconcerned_thread_not_stale(struct kunit *test)
{
	const struct fixture *fx = test->priv;
	struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_TC, -1);
	struct sched_case it = {};
	struct hwpmc_pmc *other;
	u64 serial;

	sched_case_begin(test, &it);
	KUNIT_ASSERT_EQ(test, 0, fixture_allocate(fx->owners[1], &args, &other));
	sched_case_set_running(&it, true);
	sched_case_switch(test, &it, true, "started");
	serial = it.thread.th->ctx.config_serial;
	KUNIT_EXPECT_TRUE(test, hwpmc_state_announce(&other, 1, true));
	hwpmc_state_flip(&other, 1);
	KUNIT_EXPECT_FALSE(test, hwpmc_state_announce(&it.thread.pmc, 1, true));
	sched_case_switch(test, &it, true, "another owner's START");
	KUNIT_EXPECT_EQ(test, serial, it.thread.th->ctx.config_serial);
	KUNIT_EXPECT_TRUE(test, hwpmc_state_announce(&other, 1, false));
	hwpmc_state_flip(&other, 1);
	fixture_release(other);
	sched_case_end(&it);
}

static struct kunit_case sched_cases[] = {
	KUNIT_CASE(sched_in_between_announce_and_flip),
	KUNIT_CASE(sched_on_cpu_between_announce_and_flip),
	KUNIT_CASE(sched_link_added_after_announce),
	KUNIT_CASE(sched_link_dies_after_announce),
	KUNIT_CASE(sched_unconcerned_thread_not_stale),
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
