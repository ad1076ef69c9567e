// SPDX-License-Identifier: GPL-2.0-only
/*
 * USER_READ: make a page with the values of PMCs that programs map and read. Called by
 * kmod/ioctl.c, in process context with owner->lock held; may sleep.
 */
#include <linux/list.h>
#include <linux/uaccess.h>

#include "../base/owner.h"
#include "../pmc/direct.h"
#include "../pmc/link.h"
#include "../pmc/page.h"
#include "../pmc/pmc.h"
#include "../pmc/row.h"
#include "call.h"

/* Checks of one PMC, except for the thread that it follows. */
static int hwpmc_user_read_check(const struct hwpmc_pmc *pmc)
{
	struct hwpmc_owner *owner = pmc->owner;
	const struct hwpmc_target *target;

	if (pmc->mode != HWPMC_MODE_TC)
		return hwpmc_fail(owner, -EINVAL, "a page has the counts of threads: the PMC samples, or counts a CPU");
	if (pmc->page)
		return hwpmc_fail(owner, -EEXIST, "the PMC has a page already");
	if (pmc->state == HWPMC_RUNNING)
		return hwpmc_fail(owner, -EBUSY, "the PMC runs: stop it before USER_READ");
	if (list_empty(&pmc->targets))
		return hwpmc_fail(owner, -EINVAL, "the PMC has no target: attach it to one thread first");
	target = list_first_entry(&pmc->targets, struct hwpmc_target, node);
	if (!list_is_singular(&pmc->targets) || !target->single)
		return hwpmc_fail(owner, -EINVAL, "a page belongs to one thread: attach the PMC to one only, with HWPMC_F_THREAD or HWPMC_ATTACH_TID");
	return 0;
}

static int hwpmc_user_read_check_all(struct hwpmc_owner *owner, const struct hwpmc_id_list *list,
				     u32 *failed)
{
	unsigned int i;
	bool gone;
	int err;

	for (i = 0; i < list->count; i++) {
		*failed = i;
		err = hwpmc_user_read_check(list->pmcs[i]);
		if (err)
			return err;
	}
	*failed = hwpmc_page_find_other(list->pmcs, list->count, &gone);
	if (*failed < list->count && gone)
		return hwpmc_fail(owner, -ESRCH, "the target of the PMC is gone");
	if (*failed < list->count)
		return hwpmc_fail(owner, -EINVAL, "all PMCs of a page must follow the same thread, and this one follows another than the first");
	*failed = 0;
	return 0;
}

static void hwpmc_user_read_install(struct hwpmc_owner *owner, struct hwpmc_page *page,
				    const struct hwpmc_id_list *list)
{
	u64 values[HWPMC_USER_MAX] __uninitialized;
	struct hwpmc_reading rd = {
		.owner = owner, .pmcs = list->pmcs, .count = list->count, .values = values,
	};

	/* No fold is needed, since none of them runs. */
	hwpmc_count_read(&rd, false);
	hwpmc_page_install(page, list->pmcs, values, list->count);
}

/* The reply is copied out first: if the caller cannot get it, no PMC has a page. */
static int hwpmc_user_read_make(struct hwpmc_owner *owner, struct hwpmc_user_read *args,
				const struct hwpmc_id_list *list)
{
	struct hwpmc_page *page = hwpmc_page_new(owner, list->count);

	if (!page)
		return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
	args->offset = hwpmc_page_offset(page);
	if (copy_to_user(owner->args, args, sizeof(*args))) {
		hwpmc_page_drop(owner, page);
		args->offset = 0;
		return hwpmc_fail_copy(owner);
	}
	mutex_lock(&hwpmc_rows_lock);
	hwpmc_direct_allow(page, list->pmcs, list->count);
	hwpmc_user_read_install(owner, page, list);
	mutex_unlock(&hwpmc_rows_lock);
	return 0;
}

int hwpmc_user_read_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_user_read *user_read = &args->user_read;
	struct hwpmc_id_list list __uninitialized;
	int err;

	user_read->offset = 0;
	user_read->failed = 0;
	if (user_read->count > HWPMC_USER_MAX)
		return hwpmc_fail(owner, -EINVAL,
				  "a page has room for %u PMCs: pass no more",
				  HWPMC_USER_MAX);
	err = hwpmc_id_list_get(owner, &list, user_read->ids, user_read->count,
				&user_read->failed, false);
	if (err)
		return err;
	err = hwpmc_user_read_check_all(owner, &list, &user_read->failed);
	if (!err)
		err = hwpmc_user_read_make(owner, user_read, &list);
	hwpmc_id_list_free(&list);
	return err;
}
