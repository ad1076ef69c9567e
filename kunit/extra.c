// SPDX-License-Identifier: GPL-2.0-only
/* Extra registers: one value at a time for all rows of a class (kmod/pmc/row.c). */
#include <linux/mutex.h>

#include "../arch/hwpmc_arch.h"
#include "../kmod/base/owner.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/pmc/row.h"
#include "fixture.h"

#define EXTRA_EVENT	0x1b7

static struct hwpmc_pmc *extra_want(struct kunit *test, unsigned int owner, unsigned int extra,
				    u64 value)
{
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *pmc = kunit_kzalloc(test, sizeof(*pmc), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, pmc);
	pmc->owner = fx->owners[owner];
	pmc->class = &hwpmc_mock_class;
	pmc->class_index = fx->mock;
	pmc->mode = HWPMC_MODE_TC;
	pmc->cpu = -1;
	pmc->event = EXTRA_EVENT;
	pmc->extra = extra;
	pmc->row_config.sel.extra = value;
	return pmc;
}

/* A row for it; whether it was granted. What is, extra_exit() gives back. */
static int extra_take(struct kunit *test, struct hwpmc_pmc *pmc)
{
	const struct hwpmc_encoding any = { .rows = GENMASK_ULL(3, 0) };
	struct fixture *fx = test->priv;
	int err;

	pmc->owner->sentence[0] = '\0';
	mutex_lock(&pmc->owner->lock);
	mutex_lock(&hwpmc_rows_lock);
	err = hwpmc_row_claim(pmc, &any, false);
	mutex_unlock(&hwpmc_rows_lock);
	mutex_unlock(&pmc->owner->lock);
	if (!err)
		fx->holders[fx->holder_count++] = pmc;
	return err;
}

/* The one that was granted first. */
static void extra_give(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int i;

	mutex_lock(&hwpmc_rows_lock);
	hwpmc_row_release(fx->holders[0]);
	mutex_unlock(&hwpmc_rows_lock);
	fx->holder_count--;
	for (i = 0; i < fx->holder_count; i++)
		fx->holders[i] = fx->holders[i + 1];
}

static void extra_exit(struct kunit *test)
{
	struct fixture *fx = test->priv;

	while (fx && fx->holder_count)
		extra_give(test);
	fixture_exit(test);
}

/* Whoever comes with another value is told who holds it, and with what. */
static void extra_differs(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *second = extra_want(test, 1, 1, 0x10002);
	char holder[64];

	snprintf(holder, sizeof(holder), "event 0x1b7 needs an extra register that pid %d (",
		 pid_vnr(fx->owners[0]->pid));
	KUNIT_ASSERT_EQ(test, 0, extra_take(test, extra_want(test, 0, 1, 0x10001)));
	KUNIT_EXPECT_EQ(test, -EBUSY, extra_take(test, second));
	KUNIT_EXPECT_NOT_NULL(test, strstr(second->owner->sentence, holder));
	KUNIT_EXPECT_NOT_NULL(test, strstr(second->owner->sentence, "set to 0x10001;"));
	/* Nor does one owner get both. */
	KUNIT_EXPECT_EQ(test, -EBUSY, extra_take(test, extra_want(test, 0, 1, 0x10002)));
	KUNIT_EXPECT_EQ(test, 1U, fixture_held(fx, 0));
	/* It is free once the first one is gone. */
	extra_give(test);
	KUNIT_EXPECT_EQ(test, 0, extra_take(test, second));
	KUNIT_EXPECT_EQ(test, -EBUSY, extra_take(test, extra_want(test, 0, 1, 0x10001)));
}

/* The same value is for all, another register has its own, and most need none. */
static void extra_same(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, extra_take(test, extra_want(test, 0, 1, 0x10001)));
	KUNIT_EXPECT_EQ(test, 0, extra_take(test, extra_want(test, 1, 1, 0x10001)));
	KUNIT_EXPECT_EQ(test, 0, extra_take(test, extra_want(test, 0, 2, 0x10002)));
	KUNIT_EXPECT_EQ(test, 0, extra_take(test, extra_want(test, 0, 0, 0)));
	/* As long as one of them has it. */
	extra_give(test);
	KUNIT_EXPECT_EQ(test, -EBUSY, extra_take(test, extra_want(test, 0, 1, 0x10002)));
	extra_give(test);
	KUNIT_EXPECT_EQ(test, 0, extra_take(test, extra_want(test, 0, 1, 0x10002)));
}

static struct kunit_case extra_cases[] = {
	KUNIT_CASE(extra_differs),
	KUNIT_CASE(extra_same),
	{}
};

struct kunit_suite hwpmc_extra_suite = {
	.name		= "hwpmc_extra",
	.init		= fixture_init,
	.exit		= extra_exit,
	.test_cases	= extra_cases,
};
