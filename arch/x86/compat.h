/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: differences between kernels in headers of this architecture. */
#ifndef HWPMC_X86_COMPAT_H
#define HWPMC_X86_COMPAT_H

#include <asm/msr-index.h>
#include <asm/processor.h>

/* 6.16 moved cpuid() here from asm/processor.h. */
#if __has_include(<asm/cpuid/api.h>)
#include <asm/cpuid/api.h>
#endif

/*
 * From 6.11 on perf reserves the counters of Intel's version 6 by the addresses from 1900H on, for
 * which reserve_evntsel_nmi() and reserve_perfctr_nmi() have no bits: they always succeed. Kernels
 * that use the addresses define them.
 */
#ifdef MSR_IA32_PMC_V6_GP0_CTR
#define X86_COMPAT_PERF_V6	true
#else
#define X86_COMPAT_PERF_V6	false
#endif

#endif /* HWPMC_X86_COMPAT_H */
