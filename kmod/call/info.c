// SPDX-License-Identifier: GPL-2.0-only
/* What the module, the machine and a PMC are: VERSION, CPU_INFO, STATS, CAPS. */
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../../arch/hwpmc_arch.h"
#include "../hwpmc.h"
#include "../pmc/owner.h"
#include "../pmc/pmc.h"
#include "../pmc/row.h"
#include "../stats.h"
#include "call.h"

int hwpmc_do_version(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	u32 client = args->version.abi;

	if (args->version.reserved)
		return hwpmc_fail_reserved(owner);
	args->version.abi = HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR);
	memset(args->version.release, 0, sizeof(args->version.release));
	strscpy(args->version.release, HWPMC_RELEASE, sizeof(args->version.release));
	if (client >> 16 > HWPMC_ABI_MAJOR)
		return hwpmc_fail(owner, -EPROTO,
				  "the client speaks ABI %u, the module %u: load a newer module",
				  client >> 16, HWPMC_ABI_MAJOR);
	return HWPMC_REPLY;
}

static int hwpmc_copy_classes(struct hwpmc_owner *owner, const struct hwpmc_cpu_info *info)
{
	struct hwpmc_class_info __user *list = u64_to_user_ptr(info->class_list);
	unsigned int i;

	for (i = 0; i < hwpmc_class_count; i++) {
		const struct hwpmc_class *class = hwpmc_classes[i];
		struct hwpmc_class_info it = {
			.class_id = class->id,
			.rows = class->rows,
			.first_row = hwpmc_class_first[i],
			.width = class->width,
			.caps = class->caps,
		};

		strscpy(it.name, class->name, sizeof(it.name));
		if (copy_to_user(&list[i], &it, sizeof(it)))
			return hwpmc_fail_copy(owner);
	}
	return HWPMC_REPLY;
}

int hwpmc_do_cpu_info(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_cpu_info *info = &args->cpu_info;
	u32 room = info->classes;
	const char *problem;

	info->cpuid = hwpmc_machine->cpuid;
	info->cpus_possible = nr_cpu_ids;
	info->cpus_online = num_online_cpus();
	info->rows = hwpmc_row_count;
	info->classes = hwpmc_class_count;
	memset(info->vendor, 0, sizeof(info->vendor));
	memset(info->pmu, 0, sizeof(info->pmu));
	memset(info->problem, 0, sizeof(info->problem));
	strscpy(info->vendor, hwpmc_machine->vendor, sizeof(info->vendor));
	strscpy(info->pmu, hwpmc_machine->pmu, sizeof(info->pmu));
	mutex_lock(&hwpmc_rows_lock);
	problem = hwpmc_pmu_problem();
	if (problem)
		strscpy(info->problem, problem, sizeof(info->problem));
	mutex_unlock(&hwpmc_rows_lock);
	if (!info->class_list)
		return HWPMC_REPLY;
	if (room < hwpmc_class_count)
		return hwpmc_fail(owner, -ENOSPC, "there are %u classes: make room for them",
				  hwpmc_class_count);
	return hwpmc_copy_classes(owner, info);
}

int hwpmc_do_stats(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_stats out = { .size = args->size };

	hwpmc_stats_fill(owner, &out);
	args->stats = out;
	return HWPMC_REPLY;
}

int hwpmc_do_caps(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	unsigned int class_row;
	int err = 0;
	struct hwpmc_pmc *pmc = hwpmc_named_one(owner, args->caps.id, &err);

	if (!pmc)
		return err;
	args->caps.class_id = pmc->class->id;
	args->caps.row = pmc->row;
	args->caps.width = hwpmc_row_to_class(pmc->row, &class_row)->row_width(class_row);
	args->caps.caps = pmc->caps;
	return HWPMC_REPLY;
}
