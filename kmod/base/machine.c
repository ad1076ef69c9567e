// SPDX-License-Identifier: GPL-2.0-only
/* The machine that this module runs on, as arch/ describes it. */
#include <linux/init.h>

#include "../../arch/hwpmc_arch.h"
#include "machine.h"

const struct hwpmc_machine *hwpmc_machine;

/* May sleep. */
void __init hwpmc_machine_init(void)
{
	hwpmc_machine = hwpmc_arch_init();
}

void hwpmc_machine_exit(void)
{
	hwpmc_arch_exit();
}
