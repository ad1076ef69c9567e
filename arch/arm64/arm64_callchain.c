// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: call chains by frame records, pairs of the caller's frame pointer and
 * return address (AAPCS64, "The Frame Pointer"). Every record is read in a way
 * that survives whatever the pointer is.
 */
#include <linux/bits.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/memory.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include <hwpmc_arch_inline.h>

struct frame_record {
	u64 fp;
	u64 lr;
};

/* AAPCS32, "The Frame Pointer": the same of 32 bits, whose frame pointer is r11. */
struct frame_record32 {
	u32 fp;
	u32 lr;
};

/* From one stack to another it may go down: interrupt, task, overflow. */
#define STACKS_MAX	4

/* What pointer authentication put into the bits that an address does not need. */
static u64 kernel_address(u64 lr)
{
	return lr | GENMASK_ULL(63, VA_BITS);
}

static u64 user_address(u64 lr)
{
	return lr & (TASK_SIZE_64 - 1);
}

unsigned int hwpmc_arch_chain_kernel(struct pt_regs *regs, u64 *to, unsigned int room)
{
	u64 fp = regs ? regs->regs[29] : (u64)__builtin_frame_address(0);
	unsigned int n = 0, stacks = 0;
	struct frame_record record;

	while (n < room && !(fp & 7) && (fp & BIT_ULL(63))) {
		if (copy_from_kernel_nofault(&record, (void *)fp, sizeof(record)) ||
		    !record.lr || (record.fp <= fp && ++stacks == STACKS_MAX))
			break;
		to[n++] = kernel_address(record.lr);
		fp = record.fp;
	}
	return n;
}

/* Page faults are off: what is not there is not waited for. */
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
		/* Its lowest bit tells Thumb from ARM. */
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

void hwpmc_arch_user_regs(const struct pt_regs *regs, u64 *to)
{
	unsigned int i;

	for (i = 0; i < 31; i++)
		to[i] = regs->regs[i];
	to[31] = regs->sp;
	to[32] = regs->pc;
}
