// SPDX-License-Identifier: GPL-2.0-only
/* The rows of a CPU: PMC_INFO tells who uses them, ADMIN takes them out of use. */
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>

#include "../hwpmc.h"
#include "../pmc/owner.h"
#include "../pmc/row.h"
#include "call.h"

static int hwpmc_check_cpu(struct hwpmc_owner *owner, u32 *cpu)
{
	if (!hwpmc_cpu_exists(cpu))
		return hwpmc_fail(owner, -EINVAL, "there is no cpu %u", *cpu);
	if (!cpu_online(*cpu))
		return hwpmc_fail(owner, -ENXIO, "cpu %u is offline", *cpu);
	return 0;
}

int hwpmc_do_pmc_info(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_pmc_info *info = &args->pmc_info;
	struct hwpmc_row_info __user *list = u64_to_user_ptr(info->row_list);
	u32 room = info->rows, row;
	int err = hwpmc_check_cpu(owner, &info->cpu);

	if (err)
		return err;
	info->rows = hwpmc_row_count;
	if (room < hwpmc_row_count)
		return hwpmc_fail(owner, -ENOSPC, "there are %u rows: make room for them",
				  hwpmc_row_count);
	for (row = 0; row < hwpmc_row_count; row++) {
		struct hwpmc_row_info it;

		mutex_lock(&hwpmc_rows_lock);
		hwpmc_row_info(info->cpu, row, &it);
		mutex_unlock(&hwpmc_rows_lock);
		if (copy_to_user(&list[row], &it, sizeof(it)))
			return hwpmc_fail_copy(owner);
	}
	return HWPMC_REPLY;
}

int hwpmc_do_admin(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	int err;

	if (args->admin.reserved)
		return hwpmc_fail_reserved(owner);
	if (!hwpmc_privileged())
		return hwpmc_fail(owner, -EPERM, "taking rows out of use needs CAP_PERFMON");
	err = hwpmc_check_cpu(owner, &args->admin.cpu);
	if (err)
		return err;
	mutex_lock(&hwpmc_rows_lock);
	err = hwpmc_row_admin(owner, &args->admin);
	mutex_unlock(&hwpmc_rows_lock);
	return err;
}
