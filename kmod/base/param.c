// SPDX-License-Identifier: GPL-2.0-only
/* Parameters with bounds: a number beyond them leaves things as they are, with a warning. */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/printk.h>

#include "param.h"

static int hwpmc_param_set(const char *text, const struct kernel_param *kp)
{
	struct hwpmc_param *it = kp->arg;
	unsigned long long value;
	int err = kstrtoull(text, 0, &value);

	if (err)
		return err;
	if (value < it->least || value > it->most) {
		pr_warn("hwpmc: %s %llu is not in %u..%u and stays %u\n", kp->name, value,
			it->least, it->most, it->value);
		return 0;
	}
	WRITE_ONCE(it->value, value);
	return 0;
}

static int hwpmc_param_get(char *buffer, const struct kernel_param *kp)
{
	const struct hwpmc_param *it = kp->arg;

	return scnprintf(buffer, PAGE_SIZE, "%u\n", READ_ONCE(it->value));
}

const struct kernel_param_ops hwpmc_param_ops = {
	.set = hwpmc_param_set,
	.get = hwpmc_param_get,
};
