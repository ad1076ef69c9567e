// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callbacks for suspend and resume of the machine. From 6.19 on, and in stable kernels that took
 * the change over, they have an argument, which is not used here (Kbuild: HWPMC_SYSCORE_DATA).
 * Registered by the module's init, called by the kernel on the last CPU with interrupts off.
 */
#include <linux/syscore_ops.h>

#include "compat.h"

static void (*hwpmc_on_suspend)(void);
static void (*hwpmc_on_resume)(void);

#if HWPMC_SYSCORE_DATA
static int hwpmc_syscore_suspend(void *unused)
{
	hwpmc_on_suspend();
	return 0;
}

static void hwpmc_syscore_resume(void *unused)
{
	hwpmc_on_resume();
}

static const struct syscore_ops hwpmc_syscore_ops = {
	.suspend	= hwpmc_syscore_suspend,
	.resume		= hwpmc_syscore_resume,
};

static struct syscore hwpmc_syscore = { .ops = &hwpmc_syscore_ops };
#else
static int hwpmc_syscore_suspend(void)
{
	hwpmc_on_suspend();
	return 0;
}

static void hwpmc_syscore_resume(void)
{
	hwpmc_on_resume();
}

static struct syscore_ops hwpmc_syscore = {
	.suspend	= hwpmc_syscore_suspend,
	.resume		= hwpmc_syscore_resume,
};

#define register_syscore	register_syscore_ops
#define unregister_syscore	unregister_syscore_ops
#endif

void hwpmc_syscore_register(void (*suspend)(void), void (*resume)(void))
{
	hwpmc_on_suspend = suspend;
	hwpmc_on_resume = resume;
	register_syscore(&hwpmc_syscore);
}

void hwpmc_syscore_unregister(void)
{
	unregister_syscore(&hwpmc_syscore);
}
