// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another driver claims the PMU while the module holds it: KVM, when it is loaded with its mediated
 * PMU. Then the PMCs that need the PMU end, as if an administrator had evicted them, so that they
 * do not count values that a guest writes to the registers. Called by main.c.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>

#include "../arch/hwpmc_arch.h"
#include "base/machine.h"
#include "main.h"
#include "pmc/row.h"
#include "task/task.h"

static bool hwpmc_yield_needed(const struct module *loaded)
{
	return hwpmc_machine->taken && hwpmc_machine->taken(loaded->name);
}

/*
 * Called when a module was loaded: its init has run, and may have claimed the PMU. If it has, later
 * claims by hwpmc are refused. An earlier claim that did not see that holds hwpmc_rows_lock until
 * it is done. Process context. The chain of notifiers is locked, see the lock order in hwpmc.h.
 */
static int hwpmc_yield_changed(struct notifier_block *block, unsigned long state, void *module)
{
	if (state != MODULE_STATE_LIVE || !hwpmc_yield_needed(module))
		return NOTIFY_DONE;
	mutex_lock(&hwpmc_rows_lock);
	/* During the wait for the lock KVM may have been unloaded, and the PMU claimed again. */
	if (hwpmc_pmu_is_up() && hwpmc_yield_needed(module))
		hwpmc_row_evict_pmu(hwpmc_thread_visit_all);
	mutex_unlock(&hwpmc_rows_lock);
	return NOTIFY_DONE;
}

static struct notifier_block hwpmc_yield_block = { .notifier_call = hwpmc_yield_changed };

/** hwpmc_yield_init - called at module load; may sleep; returns 0 or an error */
int __init hwpmc_yield_init(void)
{
	return register_module_notifier(&hwpmc_yield_block);
}

/** hwpmc_yield_exit - undo hwpmc_yield_init(); may sleep */
void hwpmc_yield_exit(void)
{
	unregister_module_notifier(&hwpmc_yield_block);
}
