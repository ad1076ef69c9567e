/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: differences between kernels that only headers of x86 know. */
#ifndef HWPMC_X86_COMPAT_H
#define HWPMC_X86_COMPAT_H

#include <asm/processor.h>

/* From 6.16 on cpuid() is not in asm/processor.h any more. */
#if __has_include(<asm/cpuid/api.h>)
#include <asm/cpuid/api.h>
#endif

#endif /* HWPMC_X86_COMPAT_H */
