// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_life_exec: a task executes a program that a PMC may not follow, also during a DETACH
 * of another PMC; or a program whose exec a PMC waits for (kmod/task/life.c). Run by kunit/run.c in
 * KUnit's thread, which is the task.
 */
#include <linux/cred.h>
#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

#include "../kmod/base/owner.h"
#include "../kmod/base/user.h"
#include "../kmod/log/log.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/task/task.h"
#include "fixture.h"
#include "followed.h"
#include "records.h"

/**
 * struct life_exec - a thread that two PMCs of one owner follow
 * @lost: the thread's record, and the PMC whose attacher may not follow the thread any more
 * @target: the targets of that PMC and of @kept_pmc
 * @kept_pmc: the PMC whose attacher may follow the thread
 * @kept_link: its link, in the record of @lost
 */
struct life_exec {
	struct followed lost;
	struct hwpmc_target target[2];
	struct hwpmc_pmc *kept_pmc;
	struct hwpmc_link *kept_link;
};

/*
 * Sets up the target of an attacher with the credentials of the test's task if @privileged, else of
 * another user without capabilities.
 */
static void life_exec_target(struct kunit *test, struct hwpmc_target *target, bool privileged)
{
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(test, cred);
	INIT_LIST_HEAD(&target->links);
	hwpmc_rights_take(&target->rights, cred);
	if (!privileged) {
		cred->uid = KUIDT_INIT(12345);
		cred->euid = cred->uid;
		cap_clear(cred->cap_permitted);
		target->rights.ptrace_ns = NULL;
	}
	put_cred(cred);
}

static void life_exec_begin(struct kunit *test, struct life_exec *it)
{
	const struct fixture *fx = test->priv;
	struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_TC, -1);
	unsigned long flags;

	followed_allocate(test, &it->lost, 0);
	life_exec_target(test, &it->target[0], false);
	life_exec_target(test, &it->target[1], true);
	it->lost.link->target = &it->target[0];
	followed_attach(&it->lost, 0);
	KUNIT_ASSERT_EQ(test, 0, fixture_allocate(fx->owners[0], &args, &it->kept_pmc));
	it->kept_link = hwpmc_link_alloc(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, it->kept_link);
	it->kept_link->thread = it->lost.th;
	it->kept_link->target = &it->target[1];
	raw_spin_lock_irqsave(&it->lost.th->ctx.lock, flags);
	raw_spin_lock(&fx->owners[0]->link_lock);
	hwpmc_user_add(fx->owners[0], HWPMC_USER_LINKS, 1);
	hwpmc_link_add(it->kept_link, it->kept_pmc, &it->lost.th->ctx);
	raw_spin_unlock(&fx->owners[0]->link_lock);
	raw_spin_unlock_irqrestore(&it->lost.th->ctx.lock, flags);
}

/* Does what the exec probe does. Return: whether @kept_pmc still has its link. */
static bool life_exec_run(struct life_exec *it)
{
	rcu_read_lock();
	hwpmc_life_recheck(it->lost.th);
	rcu_read_unlock();
	return it->kept_pmc->link_count;
}

static void life_exec_end(struct life_exec *it)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&it->lost.th->ctx.lock, flags);
	raw_spin_lock(&it->kept_pmc->owner->link_lock);
	if (it->kept_pmc->link_count) {
		hwpmc_link_remove(it->kept_link);
		hwpmc_link_free_later(it->kept_link);
	}
	hwpmc_thread_remove(it->lost.th);
	raw_spin_unlock(&it->kept_pmc->owner->link_lock);
	raw_spin_unlock_irqrestore(&it->lost.th->ctx.lock, flags);
	hwpmc_thread_free_later(it->lost.th);
	fixture_release(it->lost.pmc);
	fixture_release(it->kept_pmc);
	hwpmc_rights_drop(&it->target[0].rights);
	hwpmc_rights_drop(&it->target[1].rights);
}

/* The PMC that may not follow the task loses it, and its log says so. */
static void life_exec_lost_is_recorded(struct kunit *test)
{
	struct life_exec it = {};

	life_exec_begin(test, &it);
	KUNIT_EXPECT_TRUE(test, life_exec_run(&it));
	KUNIT_EXPECT_EQ(test, 0U, it.lost.pmc->link_count);
	RECORDS_EXPECT(test, 32, HWPMC_LOG_DETACH, HWPMC_DETACH_LOST, it.lost.pmc->id,
		       { 24, 4, task_tgid_nr(current) });
	life_exec_end(&it);
}

/* A DETACH has marked the other PMC's link, which never counted: that is no loss. */
static void life_exec_detached_is_not_lost(struct kunit *test)
{
	struct life_exec it = {};
	unsigned long flags;

	life_exec_begin(test, &it);
	raw_spin_lock_irqsave(&it.kept_pmc->owner->link_lock, flags);
	hwpmc_link_kill(it.kept_link);
	raw_spin_unlock_irqrestore(&it.kept_pmc->owner->link_lock, flags);
	KUNIT_EXPECT_TRUE(test, life_exec_run(&it));
	RECORDS_EXPECT(test, 32, HWPMC_LOG_DETACH, HWPMC_DETACH_LOST, it.lost.pmc->id,
		       { 24, 4, task_tgid_nr(current) });
	life_exec_end(&it);
}

static void life_exec_set_running(struct followed *it, bool running)
{
	hwpmc_state_announce(&it->pmc, 1, running);
	hwpmc_state_flip(&it->pmc, 1);
	hwpmc_sync_cpus();
}

/* A PMC of the test's thread that runs, and waits for its exec. */
static void life_exec_wait(struct kunit *test, struct followed *it)
{
	followed_allocate(test, it, HWPMC_F_ENABLE_ON_EXEC);
	followed_attach(it, 0);
	life_exec_set_running(it, true);
}

static void life_exec_release(struct followed *it)
{
	life_exec_set_running(it, false);
	followed_release(it);
}

static void life_exec_begin_counting(struct followed *it)
{
	rcu_read_lock();
	hwpmc_life_begin(it->th);
	rcu_read_unlock();
}

/* The thread executes a program while it is on the CPU: it counts at once. */
static void life_exec_begins_to_count(struct kunit *test)
{
	struct followed it = {};
	bool before, after;

	life_exec_wait(test, &it);
	local_irq_disable();
	hwpmc_sched_start(it.th);
	before = it.link->active;
	life_exec_begin_counting(&it);
	after = it.link->active;
	hwpmc_sched_ops.sched_out(&it.th->notifier, NULL);
	local_irq_enable();
	KUNIT_EXPECT_FALSE(test, before);
	KUNIT_EXPECT_TRUE(test, after);
	life_exec_release(&it);
}

/* A thread that is off the CPU, or not hooked yet, counts from its next schedule-in on. */
static void life_exec_begins_at_schedule_in(struct kunit *test)
{
	struct followed it = {};
	bool active;

	life_exec_wait(test, &it);
	life_exec_begin_counting(&it);
	KUNIT_EXPECT_FALSE(test, it.link->active);
	local_irq_disable();
	hwpmc_sched_start(it.th);
	active = it.link->active;
	hwpmc_sched_ops.sched_out(&it.th->notifier, NULL);
	local_irq_enable();
	KUNIT_EXPECT_TRUE(test, active);
	life_exec_release(&it);
}

static struct kunit_case life_exec_cases[] = {
	KUNIT_CASE(life_exec_begins_to_count),
	KUNIT_CASE(life_exec_begins_at_schedule_in),
	KUNIT_CASE(life_exec_lost_is_recorded),
	KUNIT_CASE(life_exec_detached_is_not_lost),
	{}
};

struct kunit_suite hwpmc_life_exec_suite = {
	.name		= "hwpmc_life_exec",
	.init		= records_init,
	.exit		= records_exit,
	.test_cases	= life_exec_cases,
};
