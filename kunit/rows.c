// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_rows: which PMCs may share a row, which row a PMC gets, and rows disabled by the
 * administrator (kmod/pmc/row.c). Run by kunit/run.c in KUnit's thread.
 */
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "../arch/hwpmc_arch.h"
#include "../kmod/base/owner.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/pmc/row.h"
#include "../kmod/task/task.h"
#include "fixture.h"

#define ROWS_ALL	GENMASK_ULL(3, 0)

static const struct hwpmc_encoding rows_any = { .rows = ROWS_ALL };

/* Class MOCK, but any number of PMCs can use a row, as with a time-stamp counter. */
static struct hwpmc_class rows_shareable;

static int rows_suite_init(struct kunit_suite *suite)
{
	rows_shareable = hwpmc_mock_class;
	rows_shareable.shareable = true;
	return hwpmc_mock_class.rows == 4 ? 0 : -EINVAL;
}

static int rows_claim_locked(struct hwpmc_pmc *pmc, const struct hwpmc_encoding *enc, bool try)
{
	int err;

	mutex_lock(&pmc->owner->lock);
	mutex_lock(&hwpmc_rows_lock);
	err = hwpmc_row_claim(pmc, enc, try);
	mutex_unlock(&hwpmc_rows_lock);
	mutex_unlock(&pmc->owner->lock);
	return err;
}

/*
 * A PMC that claimed a row, or NULL if that failed with EBUSY; @owner then has an error
 * message. rows_exit() releases what the test does not.
 */
static struct hwpmc_pmc *rows_claim_as(struct kunit *test, struct hwpmc_owner *owner, u32 mode,
				       int cpu, const struct hwpmc_class *class,
				      const struct hwpmc_encoding *enc)
{
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *pmc = kunit_kzalloc(test, sizeof(*pmc), GFP_KERNEL);
	int err;

	KUNIT_ASSERT_NOT_NULL(test, pmc);
	KUNIT_ASSERT_LT(test, fx->holder_count, FIXTURE_HOLDERS);
	pmc->owner = owner;
	pmc->class = class;
	pmc->class_index = fx->mock;
	pmc->mode = mode;
	pmc->cpu = cpu;
	owner->error = 0;
	err = rows_claim_locked(pmc, enc, false);
	if (!err) {
		fx->holders[fx->holder_count++] = pmc;
		return pmc;
	}
	KUNIT_EXPECT_EQ(test, -EBUSY, err);
	KUNIT_EXPECT_EQ(test, EBUSY, owner->error);
	return NULL;
}

static struct hwpmc_pmc *rows_claim(struct kunit *test, unsigned int owner, u32 mode, int cpu)
{
	struct fixture *fx = test->priv;

	return rows_claim_as(test, fx->owners[owner], mode, cpu, &hwpmc_mock_class, &rows_any);
}

static void rows_release(struct kunit *test, struct hwpmc_pmc *pmc)
{
	struct fixture *fx = test->priv;
	unsigned int i;

	for (i = 0; i < fx->holder_count && fx->holders[i] != pmc; i++)
		;
	if (i == fx->holder_count)
		return;
	fx->holders[i] = fx->holders[--fx->holder_count];
	mutex_lock(&hwpmc_rows_lock);
	hwpmc_row_release(pmc);
	mutex_unlock(&hwpmc_rows_lock);
}

static int rows_admin(struct kunit *test, int cpu, u32 row, u32 state)
{
	struct fixture *fx = test->priv;
	struct hwpmc_admin args = { .cpu = cpu, .row = row, .state = state };
	struct hwpmc_owner *owner = fx->owners[0];
	int err;

	mutex_lock(&owner->lock);
	mutex_lock(&hwpmc_rows_lock);
	err = hwpmc_row_admin(owner, &args, hwpmc_thread_visit_all);
	mutex_unlock(&hwpmc_rows_lock);
	mutex_unlock(&owner->lock);
	return err;
}

/* Number of MOCK's row @n among all rows. */
static unsigned int rows_nth(struct kunit *test, unsigned int n)
{
	struct fixture *fx = test->priv;

	return hwpmc_class_first[fx->mock] + n;
}

static struct hwpmc_row_info rows_info(struct kunit *test, int cpu, unsigned int n)
{
	struct hwpmc_row_info info;

	mutex_lock(&hwpmc_rows_lock);
	hwpmc_row_info(cpu, rows_nth(test, n), &info);
	mutex_unlock(&hwpmc_rows_lock);
	return info;
}

static void rows_exit(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int n, cpu;

	while (fx && fx->holder_count)
		rows_release(test, fx->holders[0]);
	for (n = 0; fx && fx->owners[0] && n < 4; n++)
		for_each_possible_cpu(cpu)
			rows_admin(test, cpu, rows_nth(test, n), HWPMC_ADMIN_FREE);
	fixture_exit(test);
}

static void rows_disposition_reported(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *pmc;
	struct hwpmc_row_info info = rows_info(test, 0, 0);

	KUNIT_EXPECT_EQ(test, HWPMC_ROW_FREE, info.disposition);
	KUNIT_EXPECT_EQ(test, 1, info.enabled);
	KUNIT_EXPECT_EQ(test, HWPMC_PID_NONE, info.pid);
	KUNIT_EXPECT_EQ(test, 0, info.holders);

	pmc = rows_claim(test, 0, HWPMC_MODE_TC, -1);
	KUNIT_ASSERT_NOT_NULL(test, pmc);
	KUNIT_EXPECT_EQ(test, rows_nth(test, 0), pmc->row);
	info = rows_info(test, 0, 0);
	KUNIT_EXPECT_EQ(test, HWPMC_ROW_THREAD, info.disposition);
	KUNIT_EXPECT_EQ(test, 1, info.holders);
	KUNIT_EXPECT_EQ(test, HWPMC_MODE_TC, info.mode);
	KUNIT_EXPECT_STREQ(test, fx->owners[0]->comm, info.comm);
	rows_release(test, pmc);
	KUNIT_EXPECT_EQ(test, HWPMC_ROW_FREE, rows_info(test, 0, 0).disposition);

	pmc = rows_claim(test, 0, HWPMC_MODE_SC, 0);
	KUNIT_ASSERT_NOT_NULL(test, pmc);
	info = rows_info(test, 0, 0);
	KUNIT_EXPECT_EQ(test, HWPMC_ROW_STANDALONE, info.disposition);
	KUNIT_EXPECT_EQ(test, 1, info.holders);
	info = rows_info(test, 1, 0);
	KUNIT_EXPECT_EQ(test, HWPMC_ROW_STANDALONE, info.disposition);
	KUNIT_EXPECT_EQ(test, 0, info.holders);
	rows_release(test, pmc);
	KUNIT_EXPECT_EQ(test, HWPMC_ROW_FREE, rows_info(test, 0, 0).disposition);
}

/* A PMC on row 0 and a second one that claims that row: whether it gets it. */
static const struct rows_pair {
	const char *what;
	u32 mode[2];
	int cpu[2];
	bool same_owner;
	bool allowed;
} rows_pairs[] = {
	{ "THREAD twice, one owner", { HWPMC_MODE_TC, HWPMC_MODE_TC }, { -1, -1 }, true, false },
	{ "THREAD twice, two owners", { HWPMC_MODE_TC, HWPMC_MODE_TC }, { -1, -1 }, false, true },
	{ "counts, then samples", { HWPMC_MODE_TC, HWPMC_MODE_TS }, { -1, -1 }, true, false },
	{ "one cpu, one owner", { HWPMC_MODE_SC, HWPMC_MODE_SC }, { 0, 0 }, true, false },
	{ "one cpu, two owners", { HWPMC_MODE_SC, HWPMC_MODE_SC }, { 0, 0 }, false, false },
	{ "two cpus, one owner", { HWPMC_MODE_SC, HWPMC_MODE_SC }, { 0, 1 }, true, true },
	{ "two cpus, two owners", { HWPMC_MODE_SC, HWPMC_MODE_SS }, { 0, 1 }, false, true },
	{ "THREAD, then a cpu", { HWPMC_MODE_TC, HWPMC_MODE_SC }, { -1, 0 }, false, false },
	{ "a cpu, then THREAD", { HWPMC_MODE_SC, HWPMC_MODE_TC }, { 1, -1 }, false, false },
};

static void rows_pair_name(const struct rows_pair *pair, char *desc)
{
	strscpy(desc, pair->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(rows_pair, rows_pairs, rows_pair_name);

static void rows_sharing(struct kunit *test)
{
	const struct rows_pair *pair = test->param_value;
	const struct hwpmc_encoding only_first = { .rows = BIT_ULL(0) };
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *second;

	KUNIT_ASSERT_NOT_NULL(test, rows_claim_as(test, fx->owners[0], pair->mode[0], pair->cpu[0],
						  &hwpmc_mock_class, &only_first));
	second = rows_claim_as(test, fx->owners[!pair->same_owner], pair->mode[1], pair->cpu[1],
			       &hwpmc_mock_class, &only_first);
	KUNIT_EXPECT_EQ(test, pair->allowed, !!second);
}

static void rows_exhaust(struct kunit *test, u32 mode, int cpu)
{
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *pmcs[4];
	unsigned int i, turn;
	char name[16];

	for (turn = 0; turn < 2; turn++) {
		for (i = 0; i < 4; i++) {
			pmcs[i] = rows_claim(test, 0, mode, cpu);
			KUNIT_ASSERT_NOT_NULL(test, pmcs[i]);
			KUNIT_EXPECT_EQ(test, rows_nth(test, i), pmcs[i]->row);
		}
		KUNIT_EXPECT_NULL(test, rows_claim(test, 0, mode, cpu));
		/* The error names the holder of every row. */
		for (i = 0; i < 4; i++) {
			snprintf(name, sizeof(name), "row %u pid ", rows_nth(test, i));
			KUNIT_EXPECT_NOT_NULL(test, strstr(fx->owners[0]->sentence, name));
		}
		/* Release in order the first time, in reverse order the second time. */
		for (i = 0; i < 4; i++) {
			struct hwpmc_pmc *released = pmcs[turn ? 3 - i : i];

			rows_release(test, released);
			KUNIT_EXPECT_EQ(test, HWPMC_ROW_FREE,
					rows_info(test, 0, turn ? 3 - i : i).disposition);
			/* The others are still held. */
			KUNIT_EXPECT_EQ(test, 3 - i, fixture_held(fx, 0));
		}
	}
}

static void rows_exhausted_by_threads(struct kunit *test)
{
	rows_exhaust(test, HWPMC_MODE_TC, -1);
}

static void rows_exhausted_on_cpu(struct kunit *test)
{
	rows_exhaust(test, HWPMC_MODE_SC, 0);
}

/* The only free row is claimed next. */
static void rows_released_row_claimed_next(struct kunit *test)
{
	struct hwpmc_pmc *pmcs[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		pmcs[i] = rows_claim(test, 0, HWPMC_MODE_TC, -1);
		KUNIT_ASSERT_NOT_NULL(test, pmcs[i]);
	}
	for (i = 0; i < 4; i++) {
		rows_release(test, pmcs[i]);
		pmcs[i] = rows_claim(test, 0, HWPMC_MODE_TC, -1);
		KUNIT_ASSERT_NOT_NULL(test, pmcs[i]);
		KUNIT_EXPECT_EQ(test, rows_nth(test, i), pmcs[i]->row);
		KUNIT_EXPECT_NULL(test, rows_claim(test, 0, HWPMC_MODE_TC, -1));
	}
}

/* Owners that may count the same task get different rows while there are enough. */
static void rows_owners_kept_apart(struct kunit *test)
{
	struct hwpmc_pmc *pmc;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		pmc = rows_claim(test, i % 2, HWPMC_MODE_TC, -1);
		KUNIT_ASSERT_NOT_NULL(test, pmc);
		KUNIT_EXPECT_EQ(test, rows_nth(test, i), pmc->row);
	}
	/* Each owner has two rows, and can share the two of the other one. */
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_NOT_NULL(test, rows_claim(test, i, HWPMC_MODE_TC, -1));
		KUNIT_EXPECT_NOT_NULL(test, rows_claim(test, i, HWPMC_MODE_TC, -1));
		KUNIT_EXPECT_NULL(test, rows_claim(test, i, HWPMC_MODE_TC, -1));
	}
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, 2, rows_info(test, 0, i).holders);
}

static void rows_preferred_first(struct kunit *test)
{
	const struct hwpmc_encoding enc = { .rows = BIT_ULL(0) | BIT_ULL(2), .prefer = BIT_ULL(2) };
	const unsigned int wanted[] = { 2, 0 };
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *pmc;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		pmc = rows_claim_as(test, fx->owners[0], HWPMC_MODE_TC, -1, &hwpmc_mock_class,
				    &enc);
		KUNIT_ASSERT_NOT_NULL(test, pmc);
		KUNIT_EXPECT_EQ(test, rows_nth(test, wanted[i]), pmc->row);
	}
	KUNIT_EXPECT_NULL(test, rows_claim_as(test, fx->owners[0], HWPMC_MODE_TC, -1,
					      &hwpmc_mock_class, &enc));
}

static void rows_shareable_by_any_number(struct kunit *test)
{
	const struct hwpmc_encoding enc = { .rows = BIT_ULL(1) };
	static const struct { u32 mode; int cpu; } how[] = {
		{ HWPMC_MODE_TC, -1 }, { HWPMC_MODE_TC, -1 },
		{ HWPMC_MODE_SC, 0 }, { HWPMC_MODE_SC, 0 }, { HWPMC_MODE_SC, 1 },
	};
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *pmc;
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(how); i++) {
		pmc = rows_claim_as(test, fx->owners[i % 2], how[i / 2].mode, how[i / 2].cpu,
				    &rows_shareable, &enc);
		KUNIT_ASSERT_NOT_NULL(test, pmc);
		KUNIT_EXPECT_EQ(test, rows_nth(test, 1), pmc->row);
	}
	KUNIT_EXPECT_EQ(test, 8, rows_info(test, 0, 1).holders);
	KUNIT_EXPECT_EQ(test, 6, rows_info(test, 1, 1).holders);
}

static void rows_try_claims_nothing(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_pmc pmc = {
		.owner = fx->owners[0], .class = &hwpmc_mock_class, .class_index = fx->mock,
		.mode = HWPMC_MODE_TC, .cpu = -1,
	};
	unsigned int i;

	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_EQ(test, 0, rows_claim_locked(&pmc, &rows_any, true));
		KUNIT_EXPECT_EQ(test, rows_nth(test, 0), pmc.row);
	}
	KUNIT_EXPECT_EQ(test, 0, fixture_held(fx, 0));
	for (i = 0; i < 4; i++)
		KUNIT_ASSERT_NOT_NULL(test, rows_claim(test, 0, HWPMC_MODE_TC, -1));
	KUNIT_EXPECT_EQ(test, -EBUSY, rows_claim_locked(&pmc, &rows_any, true));
}

static void rows_disabled_not_claimed(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *pmc;

	KUNIT_ASSERT_EQ(test, 0, rows_admin(test, 1, rows_nth(test, 0), HWPMC_ADMIN_DISABLED));
	/* Disabling it again succeeds. */
	KUNIT_EXPECT_EQ(test, 0, rows_admin(test, 1, rows_nth(test, 0), HWPMC_ADMIN_DISABLED));
	KUNIT_EXPECT_EQ(test, 0, rows_info(test, 1, 0).enabled);
	KUNIT_EXPECT_EQ(test, 1, rows_info(test, 0, 0).enabled);

	/* A task may run on any CPU, so a virtual PMC gets no row that is disabled on one. */
	pmc = rows_claim(test, 0, HWPMC_MODE_TC, -1);
	KUNIT_ASSERT_NOT_NULL(test, pmc);
	KUNIT_EXPECT_EQ(test, rows_nth(test, 1), pmc->row);
	rows_release(test, pmc);
	pmc = rows_claim(test, 0, HWPMC_MODE_SC, 1);
	KUNIT_ASSERT_NOT_NULL(test, pmc);
	KUNIT_EXPECT_EQ(test, rows_nth(test, 1), pmc->row);
	rows_release(test, pmc);
	/* On the other CPU it is enabled. */
	pmc = rows_claim(test, 0, HWPMC_MODE_SC, 0);
	KUNIT_ASSERT_NOT_NULL(test, pmc);
	KUNIT_EXPECT_EQ(test, rows_nth(test, 0), pmc->row);
	/* It can be enabled and disabled on one CPU while it is held on another. */
	KUNIT_EXPECT_EQ(test, 0, rows_admin(test, 1, rows_nth(test, 0), HWPMC_ADMIN_FREE));
	KUNIT_EXPECT_EQ(test, 0, rows_admin(test, 1, rows_nth(test, 0), HWPMC_ADMIN_DISABLED));
	rows_release(test, pmc);

	KUNIT_EXPECT_EQ(test, 0, rows_admin(test, 1, rows_nth(test, 0), HWPMC_ADMIN_FREE));
	KUNIT_EXPECT_EQ(test, 1, rows_info(test, 1, 0).enabled);
	pmc = rows_claim(test, 0, HWPMC_MODE_TC, -1);
	KUNIT_ASSERT_NOT_NULL(test, pmc);
	KUNIT_EXPECT_EQ(test, rows_nth(test, 0), pmc->row);
	KUNIT_EXPECT_EQ(test, 1, fixture_held(fx, 1));
}

static bool rows_exist_on_cpu_1(int cpu, unsigned int row)
{
	return cpu == 1;
}

/* The row of a hybrid machine that only one CPU has. */
static void rows_absent_reported(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_class half = hwpmc_mock_class;
	struct hwpmc_row_info here, there;

	half.row_exists = rows_exist_on_cpu_1;
	KUNIT_ASSERT_EQ(test, 0, rows_admin(test, 1, rows_nth(test, 0), HWPMC_ADMIN_DISABLED));
	hwpmc_classes[fx->mock] = &half;
	here = rows_info(test, 0, 0);
	there = rows_info(test, 1, 0);
	hwpmc_classes[fx->mock] = &hwpmc_mock_class;
	KUNIT_EXPECT_EQ(test, 0, here.enabled);
	KUNIT_EXPECT_EQ(test, HWPMC_ROW_ABSENT, here.disposition);
	KUNIT_EXPECT_EQ(test, 0, there.enabled);
	KUNIT_EXPECT_EQ(test, HWPMC_ROW_FREE, there.disposition);
}

static void rows_all_disabled_refused(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int i;
	char name[32];

	for (i = 0; i < 4; i++)
		KUNIT_ASSERT_EQ(test, 0,
				rows_admin(test, 0, rows_nth(test, i), HWPMC_ADMIN_DISABLED));
	KUNIT_EXPECT_NULL(test, rows_claim(test, 0, HWPMC_MODE_TC, -1));
	KUNIT_EXPECT_NULL(test, rows_claim(test, 0, HWPMC_MODE_SC, 0));
	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "row %u disabled", rows_nth(test, i));
		KUNIT_EXPECT_NOT_NULL(test, strstr(fx->owners[0]->sentence, name));
	}
	KUNIT_EXPECT_NOT_NULL(test, rows_claim(test, 0, HWPMC_MODE_SC, 1));
}

static void rows_admin_bad_or_busy_refused(struct kunit *test)
{
	unsigned int row = rows_nth(test, 0);
	struct hwpmc_pmc *pmc;

	KUNIT_EXPECT_EQ(test, -EINVAL, rows_admin(test, 0, hwpmc_row_count, HWPMC_ADMIN_FREE));
	KUNIT_EXPECT_EQ(test, -EINVAL, rows_admin(test, 0, U32_MAX, HWPMC_ADMIN_DISABLED));
	KUNIT_EXPECT_EQ(test, -EINVAL, rows_admin(test, 0, row, 2));
	KUNIT_EXPECT_EQ(test, -EINVAL, rows_admin(test, 0, row, U32_MAX));

	pmc = rows_claim(test, 0, HWPMC_MODE_TC, -1);
	KUNIT_ASSERT_NOT_NULL(test, pmc);
	KUNIT_EXPECT_EQ(test, -EBUSY, rows_admin(test, 0, row, HWPMC_ADMIN_DISABLED));
	KUNIT_EXPECT_EQ(test, -EBUSY, rows_admin(test, 1, row, HWPMC_ADMIN_DISABLED));
	KUNIT_EXPECT_EQ(test, 0, rows_admin(test, 1, row + 1, HWPMC_ADMIN_DISABLED));
	rows_release(test, pmc);
	pmc = rows_claim(test, 0, HWPMC_MODE_SC, 1);
	KUNIT_ASSERT_NOT_NULL(test, pmc);
	KUNIT_EXPECT_EQ(test, -EBUSY, rows_admin(test, 1, row, HWPMC_ADMIN_DISABLED));
	KUNIT_EXPECT_EQ(test, 1, rows_info(test, 1, 0).enabled);
}

/* Row numbers are consecutive by class, and map back to the class and its row. */
static void rows_numbered_by_class(struct kunit *test)
{
	unsigned int row, class_row, i;
	const struct hwpmc_class *class;

	for (i = 0; i < hwpmc_class_count; i++)
		KUNIT_EXPECT_EQ(test, i, hwpmc_row_class(hwpmc_classes[i]->id));
	KUNIT_EXPECT_EQ(test, -ENODEV, hwpmc_row_class(0));
	KUNIT_EXPECT_EQ(test, -ENODEV, hwpmc_row_class(U32_MAX));
	for (row = 0, i = 0; row < hwpmc_row_count; row++) {
		class = hwpmc_row_to_class(row, &class_row);
		if (row == hwpmc_class_first[i] + hwpmc_classes[i]->rows)
			i++;
		KUNIT_ASSERT_LT(test, i, hwpmc_class_count);
		KUNIT_EXPECT_PTR_EQ(test, hwpmc_classes[i], class);
		KUNIT_EXPECT_EQ(test, row - hwpmc_class_first[i], class_row);
	}
	/* The last class, PROBE, has no rows. */
	KUNIT_ASSERT_EQ(test, hwpmc_class_count - 2, i);
	KUNIT_EXPECT_EQ(test, 0U, hwpmc_classes[i + 1]->rows);
}

/* Releasing a PMC with an extra register marks the shadow stale: others may change that value. */
static void rows_extra_register_makes_shadow_stale(struct kunit *test)
{
	const struct hwpmc_row_config row_config = { .sel = { .event = 5, .extra = 7 }, .tag = 1 };
	const struct hwpmc_encoding only_first = { .rows = BIT_ULL(0) };
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *pmcs[2];
	unsigned int i, cpu, row = rows_nth(test, 0);

	for (i = 0; i < 2; i++) {
		pmcs[i] = rows_claim_as(test, fx->owners[i], HWPMC_MODE_TC, -1, &hwpmc_mock_class,
					&only_first);
		KUNIT_ASSERT_NOT_NULL(test, pmcs[i]);
	}
	pmcs[0]->extra = 1;
	INIT_LIST_HEAD(&pmcs[0]->in_extra);
	for_each_online_cpu(cpu)
		per_cpu(hwpmc_cpus, cpu).shadow[row] = row_config;
	rows_release(test, pmcs[0]);
	/* Stale, not cleared: the row is still programmed, and the last holder clears it. */
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ(test, HWPMC_TAG_STALE, per_cpu(hwpmc_cpus, cpu).shadow[row].tag);
	rows_release(test, pmcs[1]);
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ(test, 0ULL, per_cpu(hwpmc_cpus, cpu).shadow[row].tag);
}

static struct kunit_case rows_cases[] = {
	KUNIT_CASE(rows_disposition_reported),
	KUNIT_CASE_PARAM(rows_sharing, rows_pair_gen_params),
	KUNIT_CASE(rows_exhausted_by_threads),
	KUNIT_CASE(rows_exhausted_on_cpu),
	KUNIT_CASE(rows_released_row_claimed_next),
	KUNIT_CASE(rows_owners_kept_apart),
	KUNIT_CASE(rows_preferred_first),
	KUNIT_CASE(rows_shareable_by_any_number),
	KUNIT_CASE(rows_try_claims_nothing),
	KUNIT_CASE(rows_disabled_not_claimed),
	KUNIT_CASE(rows_absent_reported),
	KUNIT_CASE(rows_all_disabled_refused),
	KUNIT_CASE(rows_admin_bad_or_busy_refused),
	KUNIT_CASE(rows_extra_register_makes_shadow_stale),
	KUNIT_CASE(rows_numbered_by_class),
	{}
};

struct kunit_suite hwpmc_rows_suite = {
	.name		= "hwpmc_rows",
	.suite_init	= rows_suite_init,
	.init		= fixture_init,
	.exit		= rows_exit,
	.test_cases	= rows_cases,
};
