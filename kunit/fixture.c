// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owners for the suites, and the calls of the core under their locks: see fixture.h.
 * Called by suites in KUnit's thread; may sleep.
 */
#include <linux/cred.h>
#include <linux/mutex.h>

#include "../arch/hwpmc_arch.h"
#include "../kmod/base/owner.h"
#include "../kmod/call/call.h"
#include "../kmod/log/log.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/pmc/row.h"
#include "fixture.h"

int fixture_init(struct kunit *test)
{
	struct fixture *fx = kunit_kzalloc(test, sizeof(*fx), GFP_KERNEL);
	int mock = hwpmc_row_class(HWPMC_CLASS_MOCK);
	unsigned int i;

	if (!fx)
		return -ENOMEM;
	if (mock < 0) {
		kunit_err(test, "load the module with mock=1\n");
		return mock;
	}
	test->priv = fx;
	fx->mock = mock;
	fx->file.f_cred = current_cred();
	for (i = 0; i < ARRAY_SIZE(fx->owners); i++) {
		struct hwpmc_owner *owner = hwpmc_owner_create(&fx->file, hwpmc_notify_work);

		if (IS_ERR(owner))
			return PTR_ERR(owner);
		fx->owners[i] = owner;
	}
	return 0;
}

void fixture_exit(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int i;

	for (i = 0; fx && i < ARRAY_SIZE(fx->owners); i++)
		if (fx->owners[i])
			hwpmc_release_owner(fx->owners[i]);
}

int fixture_allocate(struct hwpmc_owner *owner, struct hwpmc_allocate *args,
		     struct hwpmc_pmc **pmc)
{
	int err;

	mutex_lock(&owner->lock);
	err = hwpmc_allocate_pmc(owner, args, pmc);
	mutex_unlock(&owner->lock);
	return err;
}

int fixture_start(struct hwpmc_pmc *pmc)
{
	u32 failed;
	int err;

	mutex_lock(&pmc->owner->lock);
	err = hwpmc_run_start(&pmc, 1, &failed);
	mutex_unlock(&pmc->owner->lock);
	return err;
}

int fixture_stop(struct hwpmc_pmc *pmc)
{
	u32 failed;
	int err;

	mutex_lock(&pmc->owner->lock);
	err = hwpmc_run_stop(&pmc, 1, &failed);
	mutex_unlock(&pmc->owner->lock);
	return err;
}

void fixture_release(struct hwpmc_pmc *pmc)
{
	struct hwpmc_owner *owner = pmc->owner;

	mutex_lock(&owner->lock);
	hwpmc_release_pmcs(&pmc, 1);
	mutex_unlock(&owner->lock);
}

u64 fixture_read(struct hwpmc_pmc *pmc)
{
	struct hwpmc_owner *owner = pmc->owner;
	u64 value;
	struct hwpmc_reading rd = {
		.owner = owner, .pmcs = &pmc, .count = 1, .values = &value,
	};

	mutex_lock(&owner->lock);
	pmc->call = ++owner->call;
	pmc->index = 0;
	hwpmc_count_read(&rd, true);
	mutex_unlock(&owner->lock);
	return value;
}

void fixture_times(struct hwpmc_pmc *pmc, struct hwpmc_times *times)
{
	mutex_lock(&pmc->owner->lock);
	hwpmc_count_times(pmc, times);
	mutex_unlock(&pmc->owner->lock);
}

unsigned int fixture_held(const struct fixture *fx, int cpu)
{
	unsigned int row, held = 0, first = hwpmc_class_first[fx->mock];
	struct hwpmc_row_info info;

	mutex_lock(&hwpmc_rows_lock);
	for (row = first; row < first + hwpmc_mock_class.rows; row++) {
		hwpmc_row_info(cpu, row, &info);
		held += info.holders;
	}
	mutex_unlock(&hwpmc_rows_lock);
	return held;
}
