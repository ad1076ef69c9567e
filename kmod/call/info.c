// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that report the module, the machine, its rows or a PMC: VERSION, CPU_INFO, PMC_INFO,
 * STATS, CAPS, SAMPLED. Called by kmod/ioctl.c, in process context with owner->lock held; they
 * change nothing.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/machine.h"
#include "../base/owner.h"
#include "../base/stat.h"
#include "../hwpmc.h"
#include "../log/charge.h"
#include "../pmc/fire.h"
#include "../pmc/pmc.h"
#include "../pmc/row.h"
#include "../pmc/sampler.h"
#include "../task/hook.h"
#include "../task/task.h"
#include "call.h"

int hwpmc_info_version_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	u32 client = args->version.abi;

	if (args->version.reserved)
		return hwpmc_fail_reserved(owner);
	args->version.abi = HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR);
	memset(args->version.release, 0, sizeof(args->version.release));
	strscpy(args->version.release, HWPMC_RELEASE, sizeof(args->version.release));
	if (client >> 16 > HWPMC_ABI_MAJOR)
		return hwpmc_fail(owner, -EPROTO,
				  "the client uses ABI %u, the module has ABI %u: load a newer module",
				  client >> 16, HWPMC_ABI_MAJOR);
	return HWPMC_REPLY;
}

static int hwpmc_copy_classes(struct hwpmc_owner *owner, const struct hwpmc_cpu_info *info)
{
	unsigned int i;
	int err;

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
		err = hwpmc_entry_put(owner, info->class_list, i, info->class_size, &it,
				      sizeof(it));
		if (err)
			return err;
	}
	return HWPMC_REPLY;
}

int hwpmc_info_cpu_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_cpu_info *info = &args->cpu_info;
	u32 room = info->classes;
	const char *problem;
	int err;

	if (info->reserved)
		return hwpmc_fail_reserved(owner);
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
	err = hwpmc_entry_check(owner, "class_size", info->class_size,
				sizeof(struct hwpmc_class_info));
	if (err)
		return err;
	if (room < hwpmc_class_count)
		return hwpmc_fail(owner, -ENOSPC, "there are %u classes: provide room for all of them, and set classes to their number",
				  hwpmc_class_count);
	return hwpmc_copy_classes(owner, info);
}

int hwpmc_info_stats_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_stats out = {
		.size = args->stats.size, .error_text = args->stats.error_text,
		.error_size = args->stats.error_size,
	};
	unsigned long room;

	out.intr_processed = hwpmc_stat_sum(HWPMC_STAT_INTR_PROCESSED);
	out.intr_ignored = hwpmc_stat_sum(HWPMC_STAT_INTR_IGNORED);
	out.intr_ring_full = hwpmc_stat_sum(HWPMC_STAT_INTR_RING_FULL);
	out.buffer_requests = hwpmc_stat_sum(HWPMC_STAT_BUFFER_REQUESTS);
	out.buffer_failures = hwpmc_stat_sum(HWPMC_STAT_BUFFER_FAILURES);
	out.log_sweeps = hwpmc_stat_sum(HWPMC_STAT_LOG_SWEEPS);
	out.throttles = hwpmc_stat_sum(HWPMC_STAT_THROTTLES);
	out.calls = hwpmc_stat_sum(HWPMC_STAT_CALLS);
	out.calls_failed = hwpmc_stat_sum(HWPMC_STAT_CALLS_FAILED);
	out.fork_failures = hwpmc_stat_sum(HWPMC_STAT_FORK_FAILURES);
	out.threads = hwpmc_thread_count();
	out.hooking = hwpmc_hook_pending();
	out.switch_probe = hwpmc_hook_poll_probing();
	out.owners = hwpmc_stat_sum(HWPMC_STAT_OWNERS);
	out.pmcs = hwpmc_stat_sum(HWPMC_STAT_PMCS);
	hwpmc_charge_wait();
	out.ring_used = (u64)hwpmc_charge_used() << PAGE_SHIFT;
	room = hwpmc_charge_room();
	out.ring_room = room == ULONG_MAX ? U64_MAX : (u64)room << PAGE_SHIFT;
	out.owner_fork_failures = atomic64_read(&owner->fork_failures);
	out.owner_exec_losses = atomic64_read(&owner->exec_losses);
	out.probes = hwpmc_stat_sum(HWPMC_STAT_PROBES);
	out.probe_skipped = hwpmc_stat_sum(HWPMC_STAT_PROBE_SKIPPED);
	out.pmu_claims = hwpmc_stat_sum(HWPMC_STAT_PMU_CLAIMS);
	out.pmu_refusals = hwpmc_stat_sum(HWPMC_STAT_PMU_REFUSALS);
	args->stats = out;
	return HWPMC_REPLY;
}

int hwpmc_info_caps_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	int err = 0;
	struct hwpmc_pmc *pmc = hwpmc_id_list_find(owner, args->caps.id, &err);

	if (!pmc)
		return err;
	args->caps.class_id = pmc->class->id;
	args->caps.row = pmc->row;
	args->caps.width = pmc->probe ? pmc->class->width :
			   pmc->class->row_width(pmc->class_row);
	args->caps.caps = pmc->caps;
	return HWPMC_REPLY;
}

int hwpmc_info_rows_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_pmc_info *info = &args->pmc_info;
	u32 room = info->rows, row;
	int err;

	if (info->reserved)
		return hwpmc_fail_reserved(owner);
	err = hwpmc_id_list_check_cpu(owner, &info->cpu);
	if (!err)
		err = hwpmc_entry_check(owner, "row_size", info->row_size,
					sizeof(struct hwpmc_row_info));
	if (err)
		return err;
	info->rows = hwpmc_row_count;
	info->cpuid = hwpmc_machine->cpu_id(info->cpu);
	if (room < hwpmc_row_count)
		return hwpmc_fail(owner, -ENOSPC, "there are %u rows: provide room for all of them, and set rows to their number",
				  hwpmc_row_count);
	for (row = 0; row < hwpmc_row_count; row++) {
		struct hwpmc_row_info it;

		mutex_lock(&hwpmc_rows_lock);
		hwpmc_row_info(info->cpu, row, &it);
		mutex_unlock(&hwpmc_rows_lock);
		err = hwpmc_entry_put(owner, info->row_list, row, info->row_size, &it, sizeof(it));
		if (err)
			return err;
	}
	return HWPMC_REPLY;
}

int hwpmc_info_sampled_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_sampled *out = &args->sampled;
	struct hwpmc_sampler_cpu sum = {};
	struct hwpmc_pmc *pmc;
	u32 cpu = out->cpu;
	int err = 0;

	pmc = hwpmc_id_list_find(owner, out->id, &err);
	if (!pmc)
		return err;
	if (!pmc->sampled && !pmc->probe)
		return hwpmc_fail(owner, -EINVAL, "the PMC counts and takes no samples");
	if (out->cpu != -1 && !hwpmc_cpu_exists(&cpu))
		return hwpmc_fail(owner, -EINVAL, "there is no cpu %d; -1 sums over all", out->cpu);
	if (pmc->sampled)
		hwpmc_sampler_sum(pmc, out->cpu, &sum);
	out->taken = sum.recorded + sum.lost;
	out->recorded = sum.recorded;
	out->lost = sum.lost;
	out->reported = sum.reported;
	out->throttles = sum.throttles;
	out->events = sum.events;
	out->throttled = sum.throttled;
	out->skipped = pmc->probe ? hwpmc_fire_skipped(pmc->probe, out->cpu) : 0;
	return HWPMC_REPLY;
}
