// SPDX-License-Identifier: GPL-2.0-only
/*
 * ADMIN: disables a row of a CPU, enables it, or evicts the PMCs that hold it. Called by
 * kmod/ioctl.c, in process context with owner->lock held.
 */
#include <linux/cpumask.h>
#include <linux/mutex.h>

#include "../base/owner.h"
#include "../base/rights.h"
#include "../hwpmc.h"
#include "../pmc/row.h"
#include "../task/task.h"
#include "call.h"

int hwpmc_admin_row_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	int err;

	if (args->admin.reserved)
		return hwpmc_fail_reserved(owner);
	if (!hwpmc_rights_perfmon())
		return hwpmc_fail(owner, -EPERM, "taking rows out of use needs CAP_PERFMON");
	if ((args->head.flags & HWPMC_ADMIN_FORCE) && !hwpmc_rights_admin())
		return hwpmc_fail(owner, -EPERM, "ending the PMCs of others (FORCE) needs CAP_SYS_ADMIN");
	err = hwpmc_id_list_check_cpu(owner, &args->admin.cpu);
	if (err)
		return err;
	mutex_lock(&hwpmc_rows_lock);
	err = hwpmc_row_admin(owner, &args->admin, hwpmc_thread_visit_all);
	mutex_unlock(&hwpmc_rows_lock);
	return err;
}
