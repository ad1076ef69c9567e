// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load and unload of the module: initialise each part, those that others need first and the device
 * last, and undo it in the reverse order. Process context.
 */
#include <linux/module.h>

#include "../arch/hwpmc_arch.h"
#include "../kunit/run.h"
#include "base/defer.h"
#include "base/machine.h"
#include "base/now.h"
#include "hwpmc.h"
#include "log/log.h"
#include "main.h"
#include "netlink/netlink.h"
#include "pmc/announce.h"
#include "pmc/fire.h"
#include "pmc/link.h"
#include "pmc/pmc.h"
#include "pmc/row.h"
#include "pmc/sampler.h"
#include "probe/probe.h"
#include "task/hook.h"
#include "task/process.h"
#include "task/task.h"

#ifdef CONFIG_PREEMPT_RT
#error "hwpmc does not support PREEMPT_RT: it frees memory under raw spinlocks, which may sleep there"
#endif

static bool mock;
module_param(mock, bool, 0444);
MODULE_PARM_DESC(mock, "add the counters of class MOCK, for tests (default 0)");

static int __init hwpmc_init_tasks(void)
{
	int err = hwpmc_thread_init();

	if (err)
		return err;
	err = hwpmc_hook_cpu_init();
	if (err)
		hwpmc_thread_exit();
	return err;
}

/* The interfaces through which others call the module, and therefore last. */
static int __init hwpmc_init_users(void)
{
	int err = hwpmc_closing_init();

	if (err)
		return err;
	err = hwpmc_yield_init();
	if (err)
		goto out_closing;
	err = hwpmc_family_init();
	if (err)
		goto out_yield;
	err = hwpmc_cdev_init();
	if (err)
		goto out_family;
	hwpmc_family_open();
	return 0;

out_family:
	hwpmc_family_exit();
out_yield:
	hwpmc_yield_exit();
out_closing:
	hwpmc_closing_exit();
	return err;
}

static int __init hwpmc_init(void)
{
	int err;

	hwpmc_defer_init(hwpmc_overflow_resync);
	hwpmc_machine_init();
	err = hwpmc_now_init();
	if (err)
		goto out_machine;
	err = hwpmc_row_init(mock);
	if (err)
		goto out_now;
	err = hwpmc_pmc_init();
	if (err)
		goto out_rows;
	err = hwpmc_link_init();
	if (err)
		goto out_pmc;
	err = hwpmc_init_tasks();
	if (err)
		goto out_link;
	err = hwpmc_sample_init();
	if (err)
		goto out_tasks;
	err = hwpmc_clock_init();
	if (err)
		goto out_sample;
	err = hwpmc_hotplug_init();
	if (err)
		goto out_clock;
	err = hwpmc_init_users();
	if (err)
		goto out_hotplug;
	pr_info("hwpmc: %s, %s; %u classes with %u rows\n", hwpmc_machine->vendor,
		hwpmc_machine->pmu, hwpmc_class_count, hwpmc_row_count);
	hwpmc_kunit_init();
	return 0;

out_hotplug:
	hwpmc_hotplug_exit();
out_clock:
	hwpmc_clock_exit();
out_sample:
	hwpmc_sample_exit();
out_tasks:
	hwpmc_hook_poll_exit();
	hwpmc_hook_cpu_exit();
	hwpmc_thread_exit();
out_link:
	hwpmc_link_exit();
out_pmc:
	hwpmc_pmc_exit();
out_rows:
	hwpmc_row_exit();
out_now:
	hwpmc_now_exit();
out_machine:
	hwpmc_machine_exit();
	return err;
}

static void __exit hwpmc_exit(void)
{
	hwpmc_kunit_exit();
	hwpmc_cdev_exit();
	hwpmc_closing_exit();
	hwpmc_family_exit();
	hwpmc_yield_exit();
	hwpmc_announce_exit();
	/* The following were registered for PMCs that needed them; some may still be registered. */
	hwpmc_provider_exit();
	hwpmc_hook_poll_exit();
	hwpmc_hook_cpu_exit();
	hwpmc_probes_exit();
	hwpmc_maps_exit();
	hwpmc_hotplug_exit();
	hwpmc_clock_exit();
	hwpmc_sample_exit();
	hwpmc_thread_exit();
	hwpmc_link_exit();
	hwpmc_fire_exit();
	hwpmc_pmc_exit();
	hwpmc_row_exit();
	hwpmc_now_exit();
	hwpmc_machine_exit();
	hwpmc_defer_exit();
}

module_init(hwpmc_init);
module_exit(hwpmc_exit);

MODULE_DESCRIPTION("Counting and sampling with CPU performance counters through /dev/hwpmc");
MODULE_AUTHOR("The hwpmc developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(HWPMC_RELEASE);
