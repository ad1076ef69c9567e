// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine that this module runs on, as arch/ describes it. main.c calls this at load and
 * unload, in process context.
 */
#include <linux/init.h>

#include "../../arch/hwpmc_arch.h"
#include "machine.h"

/* Set at load and constant until unload. Never NULL, also where there is no PMU. */
const struct hwpmc_machine *hwpmc_machine;

/** hwpmc_machine_init - detect the machine; claims nothing. Context: module load, may sleep. */
void __init hwpmc_machine_init(void)
{
	hwpmc_machine = hwpmc_arch_init();
}

/** hwpmc_machine_exit - undo hwpmc_machine_init(). Context: may sleep; the PMU is unclaimed. */
void hwpmc_machine_exit(void)
{
	hwpmc_arch_exit();
}
