/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64: what the core needs inline or as a constant. Every architecture has a header of
 * this name; Kbuild sets the search path.
 */
#ifndef HWPMC_ARCH_INLINE_H
#define HWPMC_ARCH_INLINE_H

#include <linux/clocksource.h>
#include <linux/jump_label.h>
#include <linux/timex.h>
#include <linux/uaccess.h>
#include <asm/arch_timer.h>
#include <asm/cpufeature.h>
#include <asm/mte-def.h>
#include <asm/ptrace.h>
#include <asm/sysreg.h>
#include <clocksource/arm_arch_timer.h>

#include "../../hwpmc_arch.h"

/*
 * Where ordinary interrupts are masked by priority (irqchip.gicv3_pseudo_nmi=1), perf's driver
 * requests the overflow interrupt as one that local_irq_disable() does not mask. Patched at boot;
 * 0 at build time without CONFIG_ARM64_PSEUDO_NMI.
 */
#define HWPMC_OVERFLOW_IS_NMI	system_uses_irq_prio_masking()

/* The architecture in a log's header */
#define HWPMC_AUDIT_ARCH	AUDIT_ARCH_AARCH64

/* User registers in a sample: X0 to X30, SP, PC */
#define HWPMC_ARCH_REGS		33

/* Arguments of a call that are in registers (AAPCS64, 6.8.2 Parameter passing rules). */
#define HWPMC_ARCH_CALL_REGS	8

/*
 * If user mode can access one byte of an aligned granule, it can access all its bytes: bytes that
 * have the same tag (MTE).
 */
#define HWPMC_ARCH_GRANULE	MTE_GRANULE_SIZE

/**
 * hwpmc_arch_in - call a class's operation in
 * @in: the operation
 * @slots: of the context that is scheduled in
 * @rows: rows of the class that it uses; never 0
 *
 * Context: interrupts off.
 */
static __always_inline void hwpmc_arch_in(hwpmc_switch_fn *in, struct hwpmc_slot *slots, u64 rows)
{
	in(slots, rows);
}

/**
 * hwpmc_arch_fold - call a class's operation fold
 * @fold: the operation
 * @slots: of the context on this CPU
 * @rows: rows of the class that it uses; never 0
 *
 * Context: interrupts off.
 */
static __always_inline void hwpmc_arch_fold(hwpmc_switch_fn *fold, struct hwpmc_slot *slots,
					    u64 rows)
{
	fold(slots, rows);
}

/**
 * hwpmc_arch_wrapped - call a class's operation wrapped
 * @wrapped: the operation
 * @slots: of the context on this CPU
 * @rows: rows of the class that overflowed; never 0
 *
 * Context: interrupts off, or NMI.
 */
static __always_inline void hwpmc_arch_wrapped(hwpmc_switch_fn *wrapped, struct hwpmc_slot *slots,
					       u64 rows)
{
	wrapped(slots, rows);
}

/* PMUSERENR_EL0 (Arm ARM, D19.5): reads of the event counters, and of the cycle counter */
#define HWPMC_ARM64_USER_READS	(BIT(3) | BIT(2))

/**
 * hwpmc_arch_user_reads - permit or forbid user mode to read the counters of this CPU
 * @allow: whether it may
 *
 * Takes effect when the CPU returns to user mode. Context: interrupts off.
 */
static __always_inline void hwpmc_arch_user_reads(bool allow)
{
	write_sysreg(allow ? HWPMC_ARM64_USER_READS : 0, pmuserenr_el0);
}

/**
 * hwpmc_arch_user_is_32bit - whether user mode ran 32-bit code
 * @regs: of user mode
 *
 * Context: any, NMI included.
 */
static inline bool hwpmc_arch_user_is_32bit(const struct pt_regs *regs)
{
	return compat_user_mode(regs);
}

/* CNTVCT_EL0 may differ from the counter of the kernel's clock; see arm64_machine.c. */
DECLARE_STATIC_KEY_FALSE(arm64_clock_by_call);

/**
 * hwpmc_arch_clock - a clock that is cheap to read
 *
 * Reads CNTVCT_EL0 inline; get_cycles() is a call, and every switch of a thread with a page reads
 * the clock. Readings of one CPU can be compared. Context: any, NMI included. Return: ticks, see
 * hwpmc_arch_clock_khz().
 */
static __always_inline u64 hwpmc_arch_clock(void)
{
	if (static_branch_unlikely(&arm64_clock_by_call))
		return get_cycles();
	return arch_timer_read_cntvct_el0();
}

/*
 * The kernel's clocksource of this mode reads the counter as hwpmc_arch_kernel_clock() does. Where
 * that needs a workaround, its mode is another one.
 */
#define HWPMC_ARCH_KERNEL_CLOCK	VDSO_CLOCKMODE_ARCHTIMER

/**
 * hwpmc_arch_kernel_clock - read the counter of the kernel's usual clocksource
 *
 * Not directly: while a guest of KVM is on the CPU, CNTVCT_EL0 may be the guest's. Context: any,
 * NMI included. Return: ticks.
 */
static __always_inline u64 hwpmc_arch_kernel_clock(void)
{
	return arch_timer_read_counter();
}

/** hwpmc_arch_clock_khz - ticks of hwpmc_arch_clock() in a millisecond; any context */
static inline u64 hwpmc_arch_clock_khz(void)
{
	return read_sysreg(cntfrq_el0) / 1000;
}

/*
 * As access_ok(), which first removes the tag of an address if the task may use tags. Most
 * addresses have none: __access_ok() accepts them in fewer instructions.
 */
static __always_inline bool hwpmc_arch_access_ok(const void __user *at, unsigned long size)
{
	return likely(__access_ok(at, size)) || access_ok(at, size);
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
	return hwpmc_arch_access_ok(from, size) && !raw_copy_from_user(to, from, size);
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
	unsigned long size = count * sizeof(u64);

	return hwpmc_arch_access_ok(to, size) && !raw_copy_to_user(to, from, size);
}

/**
 * hwpmc_arch_copy_user - copy user memory if all of it is present
 * @to: where to
 * @from: address in user mode, maybe with a tag
 * @size: in bytes
 *
 * copy_from_user_nofault() would refuse an address with a tag. The copy uses the tag: the CPU
 * compares it with the memory's if the program has enabled that (MTE). Context: any, NMI included.
 * Return: whether all was copied.
 */
static inline bool hwpmc_arch_copy_user(void *to, unsigned long from, u32 size)
{
	const void __user *user = (const void __user *)from;
	unsigned long left;

	if (!__access_ok(untagged_addr(user), size))
		return false;
	pagefault_disable();
	left = __copy_from_user_inatomic(to, user, size);
	pagefault_enable();
	return !left;
}

#endif /* HWPMC_ARCH_INLINE_H */
