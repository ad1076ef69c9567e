/* SPDX-License-Identifier: GPL-2.0-only */
/* arm64: differences between kernels in headers of this architecture. */
#ifndef HWPMC_ARM64_COMPAT_H
#define HWPMC_ARM64_COMPAT_H

#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>

#if __has_include(<asm/stacktrace/frame.h>)
#include <asm/stacktrace/frame.h>

/**
 * arm64_compat_exception_record - fill in the frame record of an exception in kernel mode
 * @at: address of the record
 * @record: what is there; changed only if it is that of an exception
 *
 * From 6.13 on the record is empty, and part of the pt_regs that the exception saved. Before, the
 * kernel wrote the interrupted program counter and frame pointer into it. Context: any.
 */
static inline void arm64_compat_exception_record(u64 at, struct frame_record *record)
{
	const struct pt_regs *saved = (void *)(at - offsetof(struct pt_regs, stackframe.record));
	u64 type;

	if (record->fp || record->lr ||
	    get_kernel_nofault(type, &saved->stackframe.type) || type != FRAME_META_TYPE_PT_REGS)
		return;
	if (get_kernel_nofault(record->lr, &saved->pc) ||
	    get_kernel_nofault(record->fp, &saved->regs[29]))
		record->lr = 0;
}
#else
/* AAPCS64, "The Frame Pointer" */
struct frame_record {
	u64 fp;
	u64 lr;
};

static inline void arm64_compat_exception_record(u64 at, struct frame_record *record)
{
}
#endif

#endif /* HWPMC_ARM64_COMPAT_H */
