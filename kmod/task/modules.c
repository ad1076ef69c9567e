// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of kernel modules that are loaded and unloaded while an owner samples the kernel.
 * The kernel's module notifier calls it in process context; maps.c registers it. Modules
 * that were loaded before are in /proc/kallsyms, for those who may read it.
 */
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/notifier.h>

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

/*
 * Records the range of a module's functions. Its init section is left out, since the kernel
 * frees it soon.
 */
static int hwpmc_module_changed(struct notifier_block *block, unsigned long state, void *arg)
{
	const struct module *module = arg;
	struct hwpmc_module_record record = { .head = { .pid = -1 } };

	if (state != MODULE_STATE_COMING && state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	hwpmc_module_text(module, &record.head.start, &record.head.size);
	record.type = HWPMC_LOG_MAP_OUT;
	if (state == MODULE_STATE_COMING) {
		record.type = HWPMC_LOG_MAP_IN;
		record.head.prot = PROT_READ | PROT_EXEC;
		record.head.path_offset = sizeof(record.head);
		snprintf(record.path, sizeof(record.path), "[%s]", module->name);
	}
	hwpmc_process_log_kernel(hwpmc_module_log, &record);
	return NOTIFY_DONE;
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
