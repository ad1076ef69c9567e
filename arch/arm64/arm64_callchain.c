// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: call chains and user registers of a sample. A chain follows frame records, pairs of the
 * caller's frame pointer and return address (AAPCS64, "The Frame Pointer"). Every record is read
 * by a function that fails safely for any address, or is on current's kernel stack.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/memory.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include <hwpmc_arch_inline.h>

#include "compat.h"

/* Frame record of 32-bit code, whose frame pointer is R11 (AAPCS32, "The Frame Pointer") */
struct frame_record32 {
	u32 fp;
	u32 lr;
};

/*
 * Frame pointers grow along a stack. They may drop only where the chain changes from one stack to
 * another: task, interrupt, overflow.
 */
#define STACKS_MAX	4

/* Remove pointer authentication codes from the upper bits of an address. */
static u64 kernel_address(u64 lr)
{
	return lr | GENMASK_ULL(63, VA_BITS);
}

static u64 user_address(u64 lr)
{
	return lr & (TASK_SIZE_64 - 1);
}

/*
 * Most records are on current's kernel stack, which is mapped as long as current runs: two loads
 * read them. Others, such as those of interrupts, are read safely, which takes several times as
 * many instructions. KASAN must not check the loads: a wrong frame pointer may point to what KASAN
 * has poisoned in the stack.
 */
static __always_inline bool read_kernel_frame(u64 at, u64 stack, struct frame_record *record)
{
	if (unlikely(at - stack > THREAD_SIZE - sizeof(*record)))
		return !copy_from_kernel_nofault(record, (void *)at, sizeof(*record));
	record->fp = READ_ONCE_NOCHECK(((const struct frame_record *)at)->fp);
	record->lr = READ_ONCE_NOCHECK(((const struct frame_record *)at)->lr);
	return true;
}

unsigned int hwpmc_arch_chain_kernel(struct pt_regs *regs, u64 *to, unsigned int room)
{
	u64 fp = regs ? regs->regs[29] : (u64)__builtin_frame_address(0);
	u64 stack = (u64)task_stack_page(current);
	unsigned int n = 0, stacks = 0;
	struct frame_record record;

	while (n < room && !(fp & 7) && (fp & BIT_ULL(63))) {
		if (!read_kernel_frame(fp, stack, &record))
			break;
		arm64_compat_exception_record(fp, &record);
		if (!record.lr || (record.fp <= fp && ++stacks == STACKS_MAX))
			break;
		to[n++] = kernel_address(record.lr);
		fp = record.fp;
	}
	return n;
}

/* Page faults are disabled: a page that is not present ends the chain. */
static bool read_frame(u64 at, bool narrow, struct frame_record *record)
{
	const struct frame_record __user *from = (void __user *)at;
	const struct frame_record32 __user *from32 = (void __user *)at;
	size_t size = narrow ? sizeof(*from32) : sizeof(*from);

	if (at & (size / 2 - 1) || !user_read_access_begin(from, size))
		return false;
	if (narrow) {
		unsafe_get_user(record->fp, &from32->fp, fault);
		unsafe_get_user(record->lr, &from32->lr, fault);
		/* Bit 0 is not part of the address: it marks Thumb code. */
		record->lr &= ~1ULL;
	} else {
		unsafe_get_user(record->fp, &from->fp, fault);
		unsafe_get_user(record->lr, &from->lr, fault);
	}
	user_read_access_end();
	return true;
fault:
	user_read_access_end();
	return false;
}

unsigned int hwpmc_arch_chain_user(const struct pt_regs *regs, u64 *to, unsigned int room)
{
	bool narrow = compat_user_mode(regs);
	u64 fp = narrow ? regs->regs[11] : regs->regs[29];
	struct frame_record record;
	unsigned int n = 0;

	pagefault_disable();
	while (n < room && fp && read_frame(fp, narrow, &record) && record.lr) {
		to[n++] = user_address(record.lr);
		if (record.fp <= fp)
			break;
		fp = record.fp;
	}
	pagefault_enable();
	return n;
}

/*
 * An exception from user mode masks pseudo-NMIs until the registers are saved, and they are masked
 * again before the registers are restored. So those that a pseudo-NMI finds are complete.
 */
bool hwpmc_arch_user_passing(const struct pt_regs *regs, u64 *pc)
{
	return false;
}

void hwpmc_arch_user_regs(const struct pt_regs *regs, u64 *to)
{
	unsigned int i;

	for (i = 0; i < 31; i++)
		to[i] = regs->regs[i];
	to[31] = regs->sp;
	to[32] = regs->pc;
}
