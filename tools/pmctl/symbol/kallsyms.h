/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_KALLSYMS_H
#define PMCTL_KALLSYMS_H

#include <stdint.h>
#include <stdio.h>

/*
 * Calls @visit for every symbol of the kernel's text in @file (/proc/kallsyms):
 * "name" or "name [module]". Without the right to see kernel addresses all are 0, and no
 * symbol is visited.
 */
void kallsyms_visit(FILE *file, void (*visit)(uint64_t start, const char *name, void *context),
		    void *context);

#endif
