// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: call chains and user registers of a sample. Kernel stacks are unwound by the kernel's
 * unwinder (ORC or frame pointers), user stacks by frame pointers (System V ABI, "The Stack
 * Frame"). Called by the core in the overflow NMI, among others.
 */
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>
#include <asm/unwind.h>

#include <hwpmc_arch_inline.h>

unsigned int hwpmc_arch_chain_kernel(struct pt_regs *regs, u64 *to, unsigned int room)
{
	struct unwind_state state;
	unsigned int n = 0;

	for (unwind_start(&state, current, regs, NULL); n < room && !unwind_done(&state);
	     unwind_next_frame(&state)) {
		struct pt_regs *entered = unwind_get_entry_regs(&state, NULL);
		unsigned long address;

		/* The program may have jumped to an address of the kernel's code. */
		if (entered && user_mode(entered))
			break;
		address = unwind_get_return_address(&state);
		if (!address)
			break;
		/* The first address is the program counter, which is not a return address. */
		if (!n && regs && address == instruction_pointer(regs))
			continue;
		to[n++] = address;
	}
	return n;
}

/* What RBP points to, in 64-bit and in 32-bit code */
struct frame {
	u64 bp;
	u64 ip;
};

struct frame32 {
	u32 bp;
	u32 ip;
};

/* Page faults are disabled: a page that is not present ends the chain. */
static bool read_frame(u64 at, bool narrow, struct frame *frame)
{
	const struct frame __user *from = (void __user *)at;
	const struct frame32 __user *from32 = (void __user *)at;

	if (!user_read_access_begin(from, narrow ? sizeof(*from32) : sizeof(*from)))
		return false;
	if (narrow) {
		unsafe_get_user(frame->bp, &from32->bp, fault);
		unsafe_get_user(frame->ip, &from32->ip, fault);
	} else {
		unsafe_get_user(frame->bp, &from->bp, fault);
		unsafe_get_user(frame->ip, &from->ip, fault);
	}
	user_read_access_end();
	return true;
fault:
	user_read_access_end();
	return false;
}

/*
 * Whether the CPU has current's address space loaded. It has not if the NMI interrupted a change
 * of address space, which copy_from_user_nofault() detects. It cannot change during the NMI.
 */
static bool address_space_is_current(u64 at)
{
	u8 any;

	return !copy_from_user_nofault(&any, (void __user *)at, sizeof(any));
}

unsigned int hwpmc_arch_chain_user(const struct pt_regs *regs, u64 *to, unsigned int room)
{
	bool narrow = hwpmc_arch_user_is_32bit(regs);
	struct frame frame;
	unsigned int n = 0;
	u64 bp = regs->bp;

	if (!bp || !address_space_is_current(bp))
		return 0;
	pagefault_disable();
	while (n < room && bp && read_frame(bp, narrow, &frame) && frame.ip) {
		to[n++] = frame.ip;
		if (frame.bp <= bp)
			break;
		bp = frame.bp;
	}
	pagefault_enable();
	return n;
}

void hwpmc_arch_user_regs(const struct pt_regs *regs, u64 *to)
{
	const u64 all[HWPMC_ARCH_REGS] = {
		regs->ax, regs->dx, regs->cx, regs->bx, regs->si, regs->di, regs->bp, regs->sp,
		regs->r8, regs->r9, regs->r10, regs->r11,
		regs->r12, regs->r13, regs->r14, regs->r15, regs->ip,
	};

	memcpy(to, all, sizeof(all));
}
