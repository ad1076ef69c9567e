/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: the time-stamp counter as a class of one shareable row. */
#ifndef HWPMC_X86_TSC_H
#define HWPMC_X86_TSC_H

#include "../hwpmc_arch.h"

extern const struct hwpmc_class x86_tsc_class;

#endif /* HWPMC_X86_TSC_H */
