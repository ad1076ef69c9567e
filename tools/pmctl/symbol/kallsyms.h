/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_KALLSYMS_H
#define PMCTL_KALLSYMS_H

#include <stdint.h>
#include <stdio.h>

/*
 * Calls @visit for every symbol of the kernel's text in @file (/proc/kallsyms):
 * "name" or "name [module]". For who may not see addresses they are all 0, and
 * there is nothing to visit.
 */
void kallsyms_visit(FILE *file, void (*visit)(uint64_t start, const char *name, void *context),
		    void *context);

#endif
