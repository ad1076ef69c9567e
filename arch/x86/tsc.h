/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: class TSC, the time-stamp counter: one row that can be shared. */
#ifndef HWPMC_X86_TSC_H
#define HWPMC_X86_TSC_H

#include "../hwpmc_arch.h"

/** x86_tsc_class - class TSC */
extern const struct hwpmc_class x86_tsc_class;

#endif /* HWPMC_X86_TSC_H */
