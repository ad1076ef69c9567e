// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module parameters with bounds. Called by the kernel's parameter code at load and on writes
 * to /sys/module/hwpmc/parameters, in process context. A value out of bounds is ignored with a
 * warning and is not an error, so that the module loads in spite of a wrong modprobe.d.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/printk.h>

#include "param.h"

static int hwpmc_param_set(const char *text, const struct kernel_param *kp)
{
	struct hwpmc_param *param = kp->arg;
	unsigned long long value;
	int err = kstrtoull(text, 0, &value);

	if (err)
		return err;
	if (value < param->least || value > param->most) {
		pr_warn("hwpmc: %s=%llu is outside %u..%u; keeping %u\n", kp->name, value,
			param->least, param->most, param->value);
		return 0;
	}
	WRITE_ONCE(param->value, value);
	return 0;
}

static int hwpmc_param_get(char *buffer, const struct kernel_param *kp)
{
	const struct hwpmc_param *param = kp->arg;

	return scnprintf(buffer, PAGE_SIZE, "%u\n", READ_ONCE(param->value));
}

/* For module_param_cb(); its argument is a struct hwpmc_param. */
const struct kernel_param_ops hwpmc_param_ops = {
	.set = hwpmc_param_set,
	.get = hwpmc_param_get,
};
