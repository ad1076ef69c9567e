/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: what the core needs inline or as a constant. Every architecture has a header of
 * this name; Kbuild sets the search path.
 */
#ifndef HWPMC_ARCH_INLINE_H
#define HWPMC_ARCH_INLINE_H

#include <linux/clocksource.h>
#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/timex.h>
#include <linux/uaccess.h>
#include <asm/msr.h>
#include <asm/ptrace.h>

#include "../../hwpmc_arch.h"
#include "../rows.h"
#include "../switch.h"

/* The overflow interrupt is an NMI: local_irq_disable() does not keep it out. */
#define HWPMC_OVERFLOW_IS_NMI	1

/* The architecture in a log's header */
#define HWPMC_AUDIT_ARCH	AUDIT_ARCH_X86_64

/* User registers in a sample: the general ones, RIP */
#define HWPMC_ARCH_REGS		17

/* Arguments of a call that are in registers (System V ABI, 3.2.3 Parameter Passing). */
#define HWPMC_ARCH_CALL_REGS	6

/* If user mode can access one byte of an aligned granule, it can access all its bytes. */
#define HWPMC_ARCH_GRANULE	PAGE_SIZE

/**
 * hwpmc_arch_in - call a class's operation in
 * @in: the operation
 * @slots: of the context that is scheduled in
 * @rows: rows of the class that it uses; never 0
 *
 * With retpolines and return thunks an indirect call costs more than the operation itself,
 * so those of the PMU's classes are inlined. Context: interrupts off.
 */
static __always_inline void hwpmc_arch_in(hwpmc_switch_fn *in, struct hwpmc_slot *slots, u64 rows)
{
	if (likely(in == x86_rows_in_programmable))
		x86_switch_in(slots, X86_PROGRAMMABLE, rows);
	else if (likely(in == x86_rows_in_fixed))
		x86_switch_in(slots, X86_FIXED, rows);
	else
		in(slots, rows);
}

/**
 * hwpmc_arch_fold - call a class's operation fold
 * @fold: the operation
 * @slots: of the context on this CPU
 * @rows: rows of the class that it uses; never 0
 *
 * Inlined as hwpmc_arch_in() is. Context: interrupts off.
 */
static __always_inline void hwpmc_arch_fold(hwpmc_switch_fn *fold, struct hwpmc_slot *slots,
					    u64 rows)
{
	if (likely(fold == x86_rows_fold_programmable))
		x86_switch_fold(slots, X86_PROGRAMMABLE, rows);
	else if (likely(fold == x86_rows_fold_fixed))
		x86_switch_fold(slots, X86_FIXED, rows);
	else
		fold(slots, rows);
}

/**
 * hwpmc_arch_wrapped - call a class's operation wrapped
 * @wrapped: the operation
 * @slots: of the context on this CPU
 * @rows: rows of the class that overflowed; never 0
 *
 * Inlined as hwpmc_arch_in() is. Context: interrupts off, or NMI.
 */
static __always_inline void hwpmc_arch_wrapped(hwpmc_switch_fn *wrapped, struct hwpmc_slot *slots,
					       u64 rows)
{
	if (likely(wrapped == x86_rows_overflowed_programmable))
		x86_switch_fold_overflowed(slots, X86_PROGRAMMABLE, rows);
	else if (likely(wrapped == x86_rows_overflowed_fixed))
		x86_switch_fold_overflowed(slots, X86_FIXED, rows);
	else
		wrapped(slots, rows);
}

/**
 * hwpmc_arch_user_reads - permit or forbid user mode to read the counters of this CPU
 * @allow: whether it may
 *
 * No class has the operation user_in: docs/abi.md says why. Context: interrupts off.
 */
static __always_inline void hwpmc_arch_user_reads(bool allow)
{
}

/**
 * hwpmc_arch_user_is_32bit - whether user mode ran 32-bit code
 * @regs: of user mode
 *
 * Context: any, NMI included.
 */
static inline bool hwpmc_arch_user_is_32bit(const struct pt_regs *regs)
{
	return !user_64bit_mode((struct pt_regs *)regs);
}

/**
 * hwpmc_arch_clock - a clock that is cheap to read
 *
 * Readings of one CPU can be compared. Context: any, NMI included. Return: ticks, see
 * hwpmc_arch_clock_khz().
 */
static __always_inline u64 hwpmc_arch_clock(void)
{
	return get_cycles();
}

/* The kernel's clocksource of this mode reads the counter as hwpmc_arch_kernel_clock() does. */
#define HWPMC_ARCH_KERNEL_CLOCK	VDSO_CLOCKMODE_TSC

/**
 * hwpmc_arch_kernel_clock - read the counter of the kernel's usual clocksource
 *
 * Context: any, NMI included. Return: ticks.
 */
static __always_inline u64 hwpmc_arch_kernel_clock(void)
{
	return rdtsc_ordered();
}

/** hwpmc_arch_clock_khz - ticks of hwpmc_arch_clock() in a millisecond; any context */
static inline u64 hwpmc_arch_clock_khz(void)
{
	return tsc_khz;
}

/**
 * hwpmc_arch_copy_in - copy from user memory
 * @to: where to
 * @from: where from
 * @size: in bytes, a multiple of 4
 *
 * For calls in which every instruction counts: the kernel's buffer is not checked, as
 * copy_from_user() would. Context: may fault and sleep. Return: whether all could be copied.
 */
static __always_inline bool hwpmc_arch_copy_in(void *to, const void __user *from,
					       unsigned long size)
{
	unsigned long at;

	if (!user_read_access_begin(from, size))
		return false;
	for (at = 0; at + sizeof(u64) <= size; at += sizeof(u64))
		unsafe_get_user(*(u64 *)(to + at), (const u64 __user *)(from + at), fault);
	if (at < size)
		unsafe_get_user(*(u32 *)(to + at), (const u32 __user *)(from + at), fault);
	user_read_access_end();
	return true;
fault:
	user_read_access_end();
	return false;
}

/**
 * hwpmc_arch_copy_out - copy words to user memory
 * @to: where to
 * @from: where from
 * @count: number of words, of 64 bits each
 *
 * For calls in which every instruction counts: the kernel's buffer is not checked, as
 * copy_to_user() would. Context: may fault and sleep. Return: whether all could be copied.
 */
static inline bool hwpmc_arch_copy_out(u64 __user *to, const u64 *from, unsigned int count)
{
	unsigned int i;

	if (!user_write_access_begin(to, count * sizeof(u64)))
		return false;
	for (i = 0; i < count; i++)
		unsafe_put_user(from[i], &to[i], fault);
	user_write_access_end();
	return true;
fault:
	user_write_access_end();
	return false;
}

/**
 * hwpmc_arch_copy_user - copy user memory if all of it is present
 * @to: where to
 * @from: address in user mode, maybe with a tag (LAM)
 * @size: in bytes
 *
 * Context: any, NMI included. Return: whether all was copied.
 */
static inline bool hwpmc_arch_copy_user(void *to, unsigned long from, u32 size)
{
	return !copy_from_user_nofault(to, (const void __user *)untagged_addr(from), size);
}

#endif /* HWPMC_ARCH_INLINE_H */
