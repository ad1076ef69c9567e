// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_copying: a context that folds all the time on another CPU is read nevertheless, and
 * its values are of one instant (hwpmc_count_read() in kmod/pmc/count.c). Run by kunit/run.c in
 * KUnit's thread; a kernel thread on the other CPU folds.
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
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "fixture.h"

/* So many that a copy of all takes longer than the time between two folds. */
#define COPYING_OTHERS	100000
#define COPYING_PMCS	2
#define COPYING_READINGS	20

/**
 * struct copying - a context with links of two owners; only the first has PMCs that are read
 * @owner: owner of the PMCs that are read
 * @other: owner of the other links
 * @ctx: the context
 * @pmcs: PMCs of @owner, on rows 0 and 1
 * @links: of @pmcs
 * @others: links of @other
 * @ended: set by the folding thread when its time is over
 */
static struct copying {
	struct hwpmc_owner owner, other;
	struct hwpmc_context ctx;
	struct hwpmc_pmc pmcs[COPYING_PMCS];
	struct hwpmc_link links[COPYING_PMCS];
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
		copying_add_link(&copying.links[i], &copying.owner, i);
		list_add(&copying.links[i].in_pmc, &pmc->links);
	}
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
	unsigned long end = jiffies + 2 * HZ;

	while (time_before(jiffies, end) && !kthread_should_stop()) {
		unsigned int i;

		local_irq_disable();
		raw_write_seqcount_begin(&copying.ctx.seq);
		for (i = 0; i < COPYING_PMCS; i++)
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
	struct hwpmc_pmc *pmcs[COPYING_PMCS] = { &copying.pmcs[0], &copying.pmcs[1] };
	u64 values[COPYING_PMCS];
	struct hwpmc_reading rd = {
		.owner = &copying.owner, .pmcs = pmcs, .count = COPYING_PMCS, .values = values,
	};
	unsigned int i;

	mutex_lock(&copying.owner.lock);
	copying.owner.call++;
	for (i = 0; i < COPYING_PMCS; i++)
		pmcs[i]->call = copying.owner.call;
	hwpmc_count_read(&rd, false);
	mutex_unlock(&copying.owner.lock);
	KUNIT_EXPECT_EQ(test, values[0], values[1]);
	KUNIT_EXPECT_GE(test, values[0], *last);
	*last = values[0];
}

static void copying_ends_while_others_fold(struct kunit *test)
{
	struct task_struct *folder;
	unsigned int cpu, i;
	u64 last = 0;

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
	for (i = 0; i < COPYING_READINGS; i++)
		copying_read(test, &last);
	/* The other CPU must still fold: without folds the last reading was not disturbed. */
	KUNIT_EXPECT_FALSE(test, READ_ONCE(copying.ended));
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
