/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine that this module runs on, as arch/ describes it. Set up by main.c at load; the
 * variable is read in any context, since nothing changes it afterwards.
 */
#ifndef HWPMC_MACHINE_H
#define HWPMC_MACHINE_H

struct hwpmc_machine;

/* kmod/base/machine.c */
extern const struct hwpmc_machine *hwpmc_machine;
void hwpmc_machine_init(void);
void hwpmc_machine_exit(void);

#endif /* HWPMC_MACHINE_H */
