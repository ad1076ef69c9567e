/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: differences between kernels in headers of this architecture. */
#ifndef HWPMC_X86_COMPAT_H
#define HWPMC_X86_COMPAT_H

#include <asm/processor.h>

/* 6.16 moved cpuid() here from asm/processor.h. */
#if __has_include(<asm/cpuid/api.h>)
#include <asm/cpuid/api.h>
#endif

#endif /* HWPMC_X86_COMPAT_H */
