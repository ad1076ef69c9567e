// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that keeps the kernel busy for a requested time, so that samples hit the module; and
 * with which a CPU enters and leaves deep idle, so that its PMU loses its registers.
 */
#include <linux/compiler.h>
#include <linux/cpu_pm.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kconfig.h>
#include <linux/kernel.h>
#include <linux/module.h>

#ifdef CONFIG_ARM64
#include <asm/sysreg.h>
#endif

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

#ifdef CONFIG_ARM64
/* What the registers hold when the PMU has power again: anything, but the PMU is off. */
static void busy_scramble(void)
{
	unsigned int i, counters = (read_sysreg(pmcr_el0) >> 11) & 0x1f;

	write_sysreg(0, pmcr_el0);
	/* The kernel's code after a loss of power clears this register. */
	write_sysreg(0, pmuserenr_el0);
	for (i = 0; i < counters; i++) {
		write_sysreg(i, pmselr_el0);
		isb();
		write_sysreg(0x11, pmxevtyper_el0);
		write_sysreg(0x5a5a5a5a, pmxevcntr_el0);
	}
	write_sysreg(0x5a5a5a5a5a5aUL, pmccntr_el0);
	write_sysreg(~0U, pmcntenset_el0);
	write_sysreg(~0U, pmintenset_el1);
	write_sysreg(~0U, pmovsset_el0);
	isb();
}
#else
static void busy_scramble(void)
{
}
#endif

/*
 * Runs on the writer's CPU, not in a cross-call: the interrupt controller's notifier would end the
 * interrupt of the cross-call.
 */
static int busy_lose(const char *value, const struct kernel_param *kp)
{
	unsigned long flags;
	int err;

	if (!IS_ENABLED(CONFIG_CPU_PM))
		return -EOPNOTSUPP;
	local_irq_save(flags);
	err = cpu_pm_enter();
	if (!err) {
		busy_scramble();
		err = cpu_pm_exit();
	}
	local_irq_restore(flags);
	return err;
}

static const struct kernel_param_ops busy_lose_ops = { .set = busy_lose };
module_param_cb(lose, &busy_lose_ops, NULL, 0200);
MODULE_PARM_DESC(lose, "a write makes the writer's CPU enter and leave deep idle");

static int __init busy_init(void)
{
	return 0;
}

static void __exit busy_exit(void)
{
}

module_init(busy_init);
module_exit(busy_exit);
MODULE_DESCRIPTION("Is busy in the kernel, or idle");
MODULE_LICENSE("GPL");
