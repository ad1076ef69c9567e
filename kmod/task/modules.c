// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of kernel modules that are loaded and unloaded while an owner samples the kernel.
 * Called by the kernel's chain of module notifiers in process context; maps.c registers the
 * notifier. START records the modules that are loaded at that time.
 */
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/spinlock.h>

#include "../base/owner.h"
#include "../compat/compat.h"
#include "../log/log.h"
#include "process.h"

struct hwpmc_module_record {
	struct hwpmc_log_map head;
	char path[MODULE_NAME_LEN + 8];	/* "[name]" */
	u16 type;
};

static void hwpmc_module_log(struct hwpmc_owner *owner, void *arg)
{
	/* The header of the record is overwritten for each owner. */
	struct hwpmc_module_record *record = arg;
	size_t size = sizeof(record->head);

	if (record->head.path_offset)
		size = ALIGN(size + strlen(record->path) + 1, 8);
	hwpmc_record_put(owner, record, size, record->type, 0);
}

/* Fills in the range of a module's functions. Its init section is left out: it is freed soon. */
static void hwpmc_module_fill(struct hwpmc_module_record *record, const struct module *module,
			      u16 type)
{
	*record = (struct hwpmc_module_record){ .head.pid = -1, .type = type };
	hwpmc_module_text(module, &record->head.start, &record->head.size);
	if (type == HWPMC_LOG_MAP_OUT)
		return;
	record->head.prot = PROT_READ | PROT_EXEC;
	record->head.path_offset = sizeof(record->head);
	snprintf(record->path, sizeof(record->path), "[%s]", module->name);
}

static int hwpmc_module_changed(struct notifier_block *block, unsigned long state, void *arg)
{
	struct hwpmc_module_record record;

	if (state != MODULE_STATE_COMING && state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	hwpmc_module_fill(&record, arg, state == MODULE_STATE_COMING ? HWPMC_LOG_MAP_IN :
			  HWPMC_LOG_MAP_OUT);
	hwpmc_process_log_kernel(hwpmc_module_log, &record);
	return NOTIFY_DONE;
}

/*
 * A module may be unloaded meanwhile. Its state is GOING before the notifier writes MAP_OUT. So if
 * MAP_OUT may have been written before MAP_IN, it is written again.
 */
static void hwpmc_module_put(struct hwpmc_owner *owner, const struct module *module)
{
	struct hwpmc_module_record record;

	if (READ_ONCE(module->state) != MODULE_STATE_LIVE &&
	    READ_ONCE(module->state) != MODULE_STATE_COMING)
		return;
	hwpmc_module_fill(&record, module, HWPMC_LOG_MAP_IN);
	record.head.h.flags = HWPMC_MAP_EXISTS;
	hwpmc_module_log(owner, &record);
	/* Store the record before the state is loaded again. */
	smp_mb();
	if (READ_ONCE(module->state) != MODULE_STATE_GOING)
		return;
	hwpmc_module_fill(&record, module, HWPMC_LOG_MAP_OUT);
	hwpmc_module_log(owner, &record);
}

/**
 * hwpmc_modules_snapshot - record the modules that are loaded
 * @owner: which has rings
 *
 * The kernel does not export its list of modules, but each module has an entry in /sys/module,
 * whose kset is accessible. Built-in parts of the kernel that have parameters are entries without a
 * module.
 *
 * Context: process.
 */
void hwpmc_modules_snapshot(struct hwpmc_owner *owner)
{
	struct kset *set = THIS_MODULE->mkobj.kobj.kset;
	struct kobject *entry;

	spin_lock(&set->list_lock);
	list_for_each_entry(entry, &set->list, entry) {
		const struct module *module;

		module = container_of(entry, struct module_kobject, kobj)->mod;
		if (module)
			hwpmc_module_put(owner, module);
	}
	spin_unlock(&set->list_lock);
}

static struct notifier_block hwpmc_module_block = { .notifier_call = hwpmc_module_changed };

/** hwpmc_modules_register - register the module notifier; may sleep; 0 or an error */
int hwpmc_modules_register(void)
{
	return register_module_notifier(&hwpmc_module_block);
}

/** hwpmc_modules_unregister - unregister the module notifier; may sleep */
void hwpmc_modules_unregister(void)
{
	unregister_module_notifier(&hwpmc_module_block);
}
