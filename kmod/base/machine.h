/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine that this module runs on. */
#ifndef HWPMC_MACHINE_H
#define HWPMC_MACHINE_H

struct hwpmc_machine;

/* kmod/base/machine.c: set at load */
extern const struct hwpmc_machine *hwpmc_machine;
void hwpmc_machine_init(void);
void hwpmc_machine_exit(void);

#endif /* HWPMC_MACHINE_H */
