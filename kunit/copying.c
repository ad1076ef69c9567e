// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_copying: a context that folds all the time on another CPU is read nevertheless, by
 * taking its lock, and the values of its rows are of one instant (hwpmc_count_read() in
 * kmod/pmc/count.c). Run by kunit/run.c in KUnit's thread; a kernel thread on the other CPU folds.
 */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "../kmod/base/owner.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/fire.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "fixture.h"

/* So many that a copy of all takes longer than the time between two folds. */
#define COPYING_OTHERS	100000
#define COPYING_READINGS	20
/* A busy host stops the folding CPU in most readings: they are repeated until one was disturbed. */
#define COPYING_TIME	(20 * HZ)
/* No row counts so many: only a reading that takes the context's lock changes the CPU's sums. */
#define COPYING_UNTOUCHED	U64_MAX

/* What the PMCs count: two rows that count the same, a probe, and a row that was stopped. */
enum copying_pmc {
	COPYING_ROW0, COPYING_ROW1, COPYING_PROBE, COPYING_STOPPED, COPYING_PMCS
};

/* The events before the test: of the probe's slot and of the stopped link. */
#define COPYING_PROBE_SUM	5
#define COPYING_STOPPED_SUM	7

/**
 * struct copying - a context with links of two owners; only the first has PMCs that are read
 * @owner: owner of the PMCs that are read
 * @other: owner of the other links
 * @ctx: the context
 * @pmcs: PMCs of @owner
 * @links: of @pmcs
 * @slot: the probe's
 * @probe: stands for the probe; its fields are not used
 * @others: links of @other
 * @ended: set by the folding thread when its time is over
 */
static struct copying {
	struct hwpmc_owner owner, other;
	struct hwpmc_context ctx;
	struct hwpmc_pmc pmcs[COPYING_PMCS];
	struct hwpmc_link links[COPYING_PMCS];
	struct hwpmc_slot slot;
	struct hwpmc_probe probe;
	struct hwpmc_link *others;
	bool ended;
} copying;

static void copying_add_link(struct hwpmc_link *link, struct hwpmc_owner *owner, unsigned int row)
{
	link->owner = owner;
	link->ctx = &copying.ctx;
	link->slot = &copying.ctx.slots[row];
	link->active = true;
	list_add_tail(&link->in_ctx, &copying.ctx.links);
}

static int copying_init(struct kunit *test)
{
	unsigned int i;

	memset(&copying, 0, sizeof(copying));
	copying.others = kvcalloc(COPYING_OTHERS, sizeof(*copying.others), GFP_KERNEL);
	if (!copying.others || hwpmc_context_setup(&copying.ctx, NUMA_NO_NODE))
		return -ENOMEM;
	mutex_init(&copying.owner.lock);
	raw_spin_lock_init(&copying.owner.link_lock);
	for (i = 0; i < COPYING_OTHERS; i++)
		copying_add_link(&copying.others[i], &copying.other, 0);
	for (i = 0; i < COPYING_PMCS; i++) {
		struct hwpmc_pmc *pmc = &copying.pmcs[i];

		pmc->owner = &copying.owner;
		pmc->index = i;
		INIT_LIST_HEAD(&pmc->links);
		INIT_LIST_HEAD(&pmc->targets);
		copying.links[i].pmc = pmc;
		copying_add_link(&copying.links[i], &copying.owner, i & 1);
		list_add(&copying.links[i].in_pmc, &pmc->links);
	}
	copying.slot.sum = COPYING_PROBE_SUM;
	copying.links[COPYING_PROBE].probe = &copying.probe;
	copying.links[COPYING_PROBE].slot = &copying.slot;
	copying.links[COPYING_STOPPED].sum = COPYING_STOPPED_SUM;
	copying.links[COPYING_STOPPED].active = false;
	return 0;
}

static void copying_exit(struct kunit *test)
{
	hwpmc_context_teardown(&copying.ctx);
	kvfree(copying.others);
}

/* Folds like a CPU that is interrupted all the time. Both rows count the same. */
static int copying_fold(void *unused)
{
	unsigned long end = jiffies + COPYING_TIME;

	while (time_before(jiffies, end) && !kthread_should_stop()) {
		unsigned int i;

		local_irq_disable();
		raw_write_seqcount_begin(&copying.ctx.seq);
		for (i = COPYING_ROW0; i <= COPYING_ROW1; i++)
			WRITE_ONCE(copying.ctx.slots[i].sum, copying.ctx.slots[i].sum + 1);
		raw_write_seqcount_end(&copying.ctx.seq);
		local_irq_enable();
		/* Not cpu_relax(): our QEMU would yield to other programs of the host. */
		for (i = 0; i < 10000; i++)
			barrier();
		cond_resched();
	}
	WRITE_ONCE(copying.ended, true);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void copying_read(struct kunit *test, u64 *last)
{
	struct hwpmc_pmc *pmcs[COPYING_PMCS];
	u64 values[COPYING_PMCS];
	struct hwpmc_reading rd = {
		.owner = &copying.owner, .pmcs = pmcs, .count = COPYING_PMCS, .values = values,
	};
	unsigned int i;

	mutex_lock(&copying.owner.lock);
	copying.owner.call++;
	for (i = 0; i < COPYING_PMCS; i++) {
		pmcs[i] = &copying.pmcs[i];
		pmcs[i]->call = copying.owner.call;
	}
	hwpmc_count_read(&rd, false);
	mutex_unlock(&copying.owner.lock);
	KUNIT_EXPECT_EQ(test, values[COPYING_ROW0], values[COPYING_ROW1]);
	KUNIT_EXPECT_EQ(test, values[COPYING_PROBE], (u64)COPYING_PROBE_SUM);
	KUNIT_EXPECT_EQ(test, values[COPYING_STOPPED], (u64)COPYING_STOPPED_SUM);
	KUNIT_EXPECT_GE(test, values[COPYING_ROW0], *last);
	*last = values[COPYING_ROW0];
}

static void copying_ends_while_others_fold(struct kunit *test)
{
	struct task_struct *folder;
	unsigned int cpu, i = 0;
	u64 last = 0, *sums;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	cpu = raw_smp_processor_id();
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	folder = kthread_create(copying_fold, NULL, "hwpmc-folder");
	KUNIT_ASSERT_FALSE(test, IS_ERR(folder));
	kthread_bind(folder, cpumask_any_but(cpu_online_mask, cpu));
	wake_up_process(folder);
	while (!READ_ONCE(copying.ctx.slots[0].sum))
		schedule_timeout_uninterruptible(1);
	sums = per_cpu(hwpmc_cpus, cpu).sums;
	sums[0] = COPYING_UNTOUCHED;
	do
		copying_read(test, &last);
	while (!READ_ONCE(copying.ended) &&
	       (++i < COPYING_READINGS || sums[0] == COPYING_UNTOUCHED));
	/* The other CPU must still fold: without folds the last reading was not disturbed. */
	KUNIT_EXPECT_FALSE(test, READ_ONCE(copying.ended));
	KUNIT_EXPECT_NE(test, sums[0], COPYING_UNTOUCHED);
	KUNIT_EXPECT_GT(test, last, 0ULL);
	kthread_stop(folder);
}

static struct kunit_case copying_cases[] = {
	KUNIT_CASE(copying_ends_while_others_fold),
	{}
};

struct kunit_suite hwpmc_copying_suite = {
	.name		= "hwpmc_copying",
	.init		= copying_init,
	.exit		= copying_exit,
	.test_cases	= copying_cases,
};
