// SPDX-License-Identifier: GPL-2.0-only
/* A module that keeps the kernel busy for a requested time, so that samples hit the module. */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/module.h>

static noinline void busy_spin(unsigned long turns)
{
	while (turns--)
		barrier();
}

static int busy_set(const char *value, const struct kernel_param *kp)
{
	unsigned long turns;
	int err = kstrtoul(value, 0, &turns);

	if (!err)
		busy_spin(turns);
	return err;
}

static const struct kernel_param_ops busy_ops = { .set = busy_set };
module_param_cb(spin, &busy_ops, NULL, 0200);
MODULE_PARM_DESC(spin, "turns of a loop, taken when this is written");

static int __init busy_init(void)
{
	return 0;
}

static void __exit busy_exit(void)
{
}

module_init(busy_init);
module_exit(busy_exit);
MODULE_DESCRIPTION("Is busy in the kernel");
MODULE_LICENSE("GPL");
