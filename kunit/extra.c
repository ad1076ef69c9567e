// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_extra: an extra register is shared by the rows of a class, so all PMCs that use
 * it must agree on its value (kmod/pmc/row.c). Run by kunit/run.c in KUnit's thread.
 */
#include <linux/mutex.h>

#include "../arch/hwpmc_arch.h"
#include "../kmod/base/owner.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/pmc/row.h"
#include "fixture.h"

#define EXTRA_EVENT	0x1b7

static struct hwpmc_pmc *extra_make(struct kunit *test, unsigned int owner, unsigned int extra,
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

/* Claims a row for @pmc. extra_exit() releases it. Return: 0 or a negative errno. */
static int extra_claim(struct kunit *test, struct hwpmc_pmc *pmc)
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

/* Releases the row that was claimed first. */
static void extra_release_first(struct kunit *test)
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
		extra_release_first(test);
	fixture_exit(test);
}

/* A PMC with another value is refused; the error names the holder and its value. */
static void extra_other_value_refused(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *second = extra_make(test, 1, 1, 0x10002);
	char holder[64];

	snprintf(holder, sizeof(holder), "event 0x1b7 needs an extra register that pid %d (",
		 pid_vnr(fx->owners[0]->pid));
	KUNIT_ASSERT_EQ(test, 0, extra_claim(test, extra_make(test, 0, 1, 0x10001)));
	KUNIT_EXPECT_EQ(test, -EBUSY, extra_claim(test, second));
	KUNIT_EXPECT_NOT_NULL(test, strstr(second->owner->sentence, holder));
	KUNIT_EXPECT_NOT_NULL(test, strstr(second->owner->sentence, "set to 0x10001;"));
	/* The same owner is refused too. */
	KUNIT_EXPECT_EQ(test, -EBUSY, extra_claim(test, extra_make(test, 0, 1, 0x10002)));
	KUNIT_EXPECT_EQ(test, 1U, fixture_held(fx, 0));
	/* After the first one is released, another value is accepted. */
	extra_release_first(test);
	KUNIT_EXPECT_EQ(test, 0, extra_claim(test, second));
	KUNIT_EXPECT_EQ(test, -EBUSY, extra_claim(test, extra_make(test, 0, 1, 0x10001)));
}

/* PMCs with the same value share the register; other registers have values of their own. */
static void extra_same_value_shared(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, extra_claim(test, extra_make(test, 0, 1, 0x10001)));
	KUNIT_EXPECT_EQ(test, 0, extra_claim(test, extra_make(test, 1, 1, 0x10001)));
	KUNIT_EXPECT_EQ(test, 0, extra_claim(test, extra_make(test, 0, 2, 0x10002)));
	KUNIT_EXPECT_EQ(test, 0, extra_claim(test, extra_make(test, 0, 0, 0)));
	/* The value is held until the last of them is released. */
	extra_release_first(test);
	KUNIT_EXPECT_EQ(test, -EBUSY, extra_claim(test, extra_make(test, 0, 1, 0x10002)));
	extra_release_first(test);
	KUNIT_EXPECT_EQ(test, 0, extra_claim(test, extra_make(test, 0, 1, 0x10002)));
}

static struct kunit_case extra_cases[] = {
	KUNIT_CASE(extra_other_value_refused),
	KUNIT_CASE(extra_same_value_shared),
	{}
};

struct kunit_suite hwpmc_extra_suite = {
	.name		= "hwpmc_extra",
	.init		= fixture_init,
	.exit		= extra_exit,
	.test_cases	= extra_cases,
};
