// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_ids: an id finds the PMC it was given to, and no other (kmod/pmc/id.c).
 * Run by kunit/run.c in KUnit's thread.
 */
#include <linux/mutex.h>
#include <linux/slab.h>

#include "../kmod/base/owner.h"
#include "../kmod/pmc/id.h"
#include "../kmod/pmc/pmc.h"
#include "fixture.h"

/* PMCs that are not allocated: only their owner is set. */
static struct hwpmc_pmc *ids_make_pmcs(struct kunit *test, struct hwpmc_owner *owner,
				       unsigned int count)
{
	struct hwpmc_pmc *pmcs = kunit_kcalloc(test, count, sizeof(*pmcs), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, pmcs);
	for (i = 0; i < count; i++)
		pmcs[i].owner = owner;
	return pmcs;
}

static int ids_add(struct hwpmc_pmc *pmc)
{
	int err;

	mutex_lock(&pmc->owner->lock);
	err = hwpmc_id_add(pmc->owner, pmc);
	mutex_unlock(&pmc->owner->lock);
	return err;
}

static void ids_remove(struct hwpmc_pmc *pmc)
{
	mutex_lock(&pmc->owner->lock);
	hwpmc_id_remove(pmc->owner, pmc);
	mutex_unlock(&pmc->owner->lock);
}

static struct hwpmc_pmc *ids_find(struct hwpmc_owner *owner, u32 id)
{
	struct hwpmc_pmc *pmc;

	mutex_lock(&owner->lock);
	pmc = hwpmc_id_find(owner, id);
	mutex_unlock(&owner->lock);
	return pmc;
}

/* These PMCs are the tests' memory: drop them so that the fixture does not release them. */
static void ids_exit(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int i;

	for (i = 0; fx && i < FIXTURE_OWNERS; i++)
		if (fx->owners[i] && fx->owners[i]->pmcs)
			memset(fx->owners[i]->pmcs, 0,
			       fx->owners[i]->room * sizeof(*fx->owners[i]->pmcs));
	fixture_exit(test);
}

static void ids_unused_not_found(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_owner *owner = fx->owners[0];
	u32 id;

	for (id = 0; id < 32; id++)
		KUNIT_EXPECT_NULL(test, ids_find(owner, BIT(id)));
	KUNIT_EXPECT_NULL(test, ids_find(owner, 0));
	KUNIT_EXPECT_NULL(test, ids_find(owner, U32_MAX));
}

/* Expects that a search for @id finds the PMC among @pmcs with this id, or none. */
static void ids_expect(struct kunit *test, struct hwpmc_pmc *pmcs, unsigned int count, u32 id)
{
	struct hwpmc_pmc *expected = NULL;
	unsigned int i;

	for (i = 0; i < count; i++)
		if (pmcs[i].id == id)
			expected = &pmcs[i];
	KUNIT_EXPECT_PTR_EQ_MSG(test, expected, ids_find(pmcs[0].owner, id), "id %x", id);
}

static void ids_forged_not_found(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *pmcs = ids_make_pmcs(test, fx->owners[0], 3);
	unsigned int i, bit;
	u32 index;

	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_EQ(test, 0, ids_add(&pmcs[i]));
		KUNIT_EXPECT_NE(test, 0, pmcs[i].id);
	}
	for (i = 0; i < 3; i++) {
		ids_expect(test, pmcs, 3, pmcs[i].id);
		for (bit = 0; bit < 32; bit++)
			ids_expect(test, pmcs, 3, pmcs[i].id ^ BIT(bit));
	}
	ids_expect(test, pmcs, 3, 0);
	ids_expect(test, pmcs, 3, U32_MAX);
	/* Every index with a valid serial number, most of them beyond the table. */
	for (index = 0; index < 1000; index++)
		ids_expect(test, pmcs, 3, (pmcs[0].id & ~0xfffffU) | index);
}

static void ids_released_not_found(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_owner *owner = fx->owners[0];
	struct hwpmc_pmc *pmcs = ids_make_pmcs(test, owner, 2);

	KUNIT_ASSERT_EQ(test, 0, ids_add(&pmcs[0]));
	KUNIT_ASSERT_EQ(test, 0, ids_add(&pmcs[1]));
	ids_remove(&pmcs[0]);
	KUNIT_EXPECT_NULL(test, ids_find(owner, pmcs[0].id));
	KUNIT_EXPECT_PTR_EQ(test, &pmcs[1], ids_find(owner, pmcs[1].id));
	KUNIT_EXPECT_EQ(test, 1, owner->used);
	/* Removing it a second time changes nothing. */
	ids_remove(&pmcs[0]);
	KUNIT_EXPECT_EQ(test, 1, owner->used);
}

static void ids_of_other_owner_not_found(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *mine = ids_make_pmcs(test, fx->owners[0], 4);
	struct hwpmc_pmc *theirs = ids_make_pmcs(test, fx->owners[1], 1);
	unsigned int i;

	for (i = 0; i < 4; i++)
		KUNIT_ASSERT_EQ(test, 0, ids_add(&mine[i]));
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_NULL(test, ids_find(fx->owners[1], mine[i].id));
	KUNIT_ASSERT_EQ(test, 0, ids_add(&theirs[0]));
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_PTR_NE(test, &mine[i], ids_find(fx->owners[1], mine[i].id));
	KUNIT_EXPECT_PTR_EQ(test, &theirs[0], ids_find(fx->owners[1], theirs[0].id));
	KUNIT_EXPECT_PTR_NE(test, &theirs[0], ids_find(fx->owners[0], theirs[0].id));
}

/* The error path of an allocation removes a PMC that was not added. */
static void ids_remove_without_add(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_owner *owner = fx->owners[0];
	struct hwpmc_pmc *pmcs = ids_make_pmcs(test, owner, 2);

	ids_remove(&pmcs[0]);
	KUNIT_ASSERT_EQ(test, 0, ids_add(&pmcs[1]));
	ids_remove(&pmcs[0]);
	KUNIT_EXPECT_EQ(test, 1, owner->used);
	KUNIT_EXPECT_PTR_EQ(test, &pmcs[1], ids_find(owner, pmcs[1].id));
}

/* A reused table entry gets a new id; earlier ids are never found again. */
static void ids_never_repeat(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_owner *owner = fx->owners[0];
	struct hwpmc_pmc *pmcs = ids_make_pmcs(test, owner, 1);
	u32 first, last = 0;
	int i;

	KUNIT_ASSERT_EQ(test, 0, ids_add(&pmcs[0]));
	first = pmcs[0].id;
	for (i = 0; i < 10000; i++) {
		last = pmcs[0].id;
		ids_remove(&pmcs[0]);
		KUNIT_ASSERT_EQ(test, 0, ids_add(&pmcs[0]));
		KUNIT_ASSERT_NE(test, last, pmcs[0].id);
		KUNIT_ASSERT_NULL(test, ids_find(owner, last));
		KUNIT_ASSERT_NULL(test, ids_find(owner, first));
	}
	KUNIT_EXPECT_EQ(test, 8, owner->room);
}

static void ids_table_grows(struct kunit *test)
{
	enum { COUNT = 1000 };
	struct fixture *fx = test->priv;
	struct hwpmc_owner *owner = fx->owners[0];
	struct hwpmc_pmc *pmcs = ids_make_pmcs(test, owner, COUNT);
	unsigned int i;
	u32 old;

	for (i = 0; i < COUNT; i++)
		KUNIT_ASSERT_EQ(test, 0, ids_add(&pmcs[i]));
	KUNIT_EXPECT_EQ(test, COUNT, owner->used);
	KUNIT_EXPECT_GE(test, owner->room, COUNT);
	for (i = 0; i < COUNT; i++)
		KUNIT_ASSERT_PTR_EQ(test, &pmcs[i], ids_find(owner, pmcs[i].id));
	/* Free entries are reused before the table grows. */
	for (i = 0; i < COUNT; i += 2) {
		old = pmcs[i].id;
		ids_remove(&pmcs[i]);
		KUNIT_ASSERT_EQ(test, 0, ids_add(&pmcs[i]));
		KUNIT_ASSERT_NULL(test, ids_find(owner, old));
	}
	KUNIT_EXPECT_EQ(test, COUNT, owner->used);
	KUNIT_EXPECT_EQ(test, 1024, owner->room);
	for (i = 0; i < COUNT; i++)
		KUNIT_ASSERT_PTR_EQ(test, &pmcs[i], ids_find(owner, pmcs[i].id));
}

static struct kunit_case ids_cases[] = {
	KUNIT_CASE(ids_unused_not_found),
	KUNIT_CASE(ids_forged_not_found),
	KUNIT_CASE(ids_released_not_found),
	KUNIT_CASE(ids_of_other_owner_not_found),
	KUNIT_CASE(ids_remove_without_add),
	KUNIT_CASE(ids_never_repeat),
	KUNIT_CASE(ids_table_grows),
	{}
};

struct kunit_suite hwpmc_ids_suite = {
	.name		= "hwpmc_ids",
	.init		= fixture_init,
	.exit		= ids_exit,
	.test_cases	= ids_cases,
};
