// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_page: the page with the value of a PMC that programs read (kmod/pmc/page.c).
 * Run by kunit/run.c in KUnit's thread, which is the task; switches run with interrupts off.
 */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/mutex.h>

#include "../kmod/base/owner.h"
#include "../kmod/pmc/page.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/pmc/row.h"
#include "../kmod/task/task.h"
#include "fixture.h"
#include "followed.h"

/* Class MOCK, as if user mode could read its counters. */
static struct hwpmc_class page_class;

/* How often the operation user_in was called. */
static unsigned int page_user_ins;

/**
 * struct page_case - a thread whose PMC has a page
 * @thread: the test's thread
 * @shared: the page, as programs see it; a reference keeps it when the PMC is released
 */
struct page_case {
	struct followed thread;
	struct hwpmc_user_page *shared;
};

static void page_case_begin(struct kunit *test, struct page_case *it)
{
	struct hwpmc_owner *owner;
	struct hwpmc_page *page;
	u64 value = 0;

	followed_allocate(test, &it->thread, HWPMC_F_THREAD);
	followed_attach(&it->thread, 0);
	owner = it->thread.pmc->owner;
	mutex_lock(&owner->lock);
	page = hwpmc_page_new(owner, 1);
	if (page) {
		it->shared = page->shared;
		get_page(virt_to_page(it->shared));
		hwpmc_page_install(page, &it->thread.pmc, &value, 1);
	}
	mutex_unlock(&owner->lock);
	KUNIT_ASSERT_NOT_NULL(test, it->shared);
}

static void page_case_set_running(struct page_case *it, bool running)
{
	mutex_lock(&it->thread.pmc->owner->lock);
	hwpmc_state_set(&it->thread.pmc, 1, running);
	mutex_unlock(&it->thread.pmc->owner->lock);
}

/* Schedules the thread in and out. Class MOCK counts meanwhile. */
static void page_case_switch(struct page_case *it)
{
	local_irq_disable();
	hwpmc_sched_start(it->thread.th);
	hwpmc_sched_ops.sched_out(&it->thread.th->notifier, NULL);
	local_irq_enable();
}

static void page_case_end(struct page_case *it)
{
	followed_release(&it->thread);
	put_page(virt_to_page(it->shared));
}

static u32 page_case_state(const struct page_case *it)
{
	return READ_ONCE(it->shared->counts[0].state);
}

static void page_has_value_of_last_switch(struct kunit *test)
{
	struct page_case it = {};
	u64 before = 0, ticks = 0;
	int i;

	page_case_begin(test, &it);
	page_case_switch(&it);
	KUNIT_EXPECT_EQ_MSG(test, it.shared->seq, 0U, "a PMC that does not run is not published");
	page_case_set_running(&it, true);
	for (i = 1; i <= 3; i++) {
		page_case_switch(&it);
		KUNIT_EXPECT_EQ(test, it.shared->seq, 2U * i);
		KUNIT_EXPECT_EQ(test, it.shared->counts[0].value, fixture_read(it.thread.pmc));
		KUNIT_EXPECT_GT(test, it.shared->counts[0].value, before);
		KUNIT_EXPECT_GE(test, it.shared->ticks, ticks);
		before = it.shared->counts[0].value;
		ticks = it.shared->ticks;
	}
	page_case_set_running(&it, false);
	page_case_switch(&it);
	KUNIT_EXPECT_EQ_MSG(test, it.shared->counts[0].value, before,
			    "a PMC that was stopped is not published");
	page_case_end(&it);
}

/* The value continues from what was counted before the PMC was stopped. */
static void page_continues_after_stop(struct kunit *test)
{
	struct page_case it = {};
	u64 before;

	page_case_begin(test, &it);
	page_case_set_running(&it, true);
	page_case_switch(&it);
	page_case_set_running(&it, false);
	/* The context resyncs without the PMC, and its link keeps what was counted. */
	page_case_switch(&it);
	before = it.shared->counts[0].value;
	page_case_set_running(&it, true);
	page_case_switch(&it);
	KUNIT_EXPECT_GT(test, it.shared->counts[0].value, before);
	KUNIT_EXPECT_EQ(test, it.shared->counts[0].value, fixture_read(it.thread.pmc));
	page_case_set_running(&it, false);
	page_case_switch(&it);
	page_case_end(&it);
}

static void page_says_state(struct kunit *test)
{
	struct page_case it = {};
	struct hwpmc_user_page *shared;

	page_case_begin(test, &it);
	shared = it.shared;
	KUNIT_EXPECT_EQ(test, shared->counts[0].id, it.thread.pmc->id);
	KUNIT_EXPECT_EQ(test, page_case_state(&it), (u32)HWPMC_USER_STOPPED);
	page_case_set_running(&it, true);
	KUNIT_EXPECT_EQ(test, page_case_state(&it), (u32)HWPMC_USER_RUNNING);
	page_case_set_running(&it, false);
	KUNIT_EXPECT_EQ(test, page_case_state(&it), (u32)HWPMC_USER_STOPPED);
	followed_release(&it.thread);
	KUNIT_EXPECT_EQ(test, page_case_state(&it), (u32)HWPMC_USER_RELEASED);
	put_page(virt_to_page(shared));
}

static void page_class_user_in(struct hwpmc_slot *slots, u64 rows)
{
	page_user_ins++;
	hwpmc_mock_class.in(slots, rows);
}

static u32 page_class_user_index(unsigned int row)
{
	return row + 1;
}

/* Counters of class MOCK cannot be set. */
static u64 page_class_aim(struct hwpmc_slot *slots, unsigned int row, u64 due, u64 put_off)
{
	return due - slots[row].sum;
}

/* Changes whether the PMC's thread may read its counter in user mode; the PMC does not run. */
static void page_case_set_direct(struct kunit *test, struct page_case *it, bool direct)
{
	const struct fixture *fx = test->priv;

	page_class = hwpmc_mock_class;
	page_class.user_in = page_class_user_in;
	page_class.user_index = page_class_user_index;
	page_class.aim = page_class_aim;
	it->thread.pmc->class = direct ? &page_class : &hwpmc_mock_class;
	hwpmc_classes[fx->mock] = it->thread.pmc->class;
	WRITE_ONCE(it->thread.pmc->page->direct, direct);
}

/*
 * If a thread reads its counters in user mode, they are set at each schedule-in, not only when its
 * context resyncs: other threads may have counted on its rows in between.
 */
static void page_sets_counters_at_schedule_in(struct kunit *test)
{
	struct page_case it = {};
	unsigned int before, after;

	page_case_begin(test, &it);
	page_case_set_direct(test, &it, true);
	page_case_set_running(&it, true);
	page_case_switch(&it);
	KUNIT_EXPECT_EQ(test, it.shared->counts[0].index, it.thread.pmc->class_row + 1U);
	before = page_user_ins;
	page_case_switch(&it);
	after = page_user_ins;
	page_case_set_running(&it, false);
	page_case_switch(&it);
	page_case_set_direct(test, &it, false);
	page_case_end(&it);
	KUNIT_EXPECT_EQ(test, before + 1, after);
}

static struct kunit_case hwpmc_page_cases[] = {
	KUNIT_CASE(page_has_value_of_last_switch),
	KUNIT_CASE(page_continues_after_stop),
	KUNIT_CASE(page_says_state),
	KUNIT_CASE(page_sets_counters_at_schedule_in),
	{}
};

struct kunit_suite hwpmc_page_suite = {
	.name		= "hwpmc_page",
	.init		= fixture_init,
	.exit		= fixture_exit,
	.test_cases	= hwpmc_page_cases,
};
