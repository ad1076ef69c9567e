/* SPDX-License-Identifier: GPL-2.0-only */
/* void spin_regs(uint64_t rounds, uint64_t fp, uint64_t sp); see spin_regs.h. */
/* The loop crosses no page: QEMU looks up the code of each jump to another page, two thirds of this loop's time. */
	.text
	.p2align 6
	.globl	spin_regs, spin_regs_loop, spin_regs_end
	.type	spin_regs, %function
#if defined(__aarch64__)
spin_regs:
	mov	x9, x29
	mov	x10, sp
	mov	x29, x1
	cbz	x2, spin_regs_loop
	mov	sp, x2
spin_regs_loop:
	subs	x0, x0, #1
	b.ne	spin_regs_loop
spin_regs_end:
	mov	sp, x10
	mov	x29, x9
	ret
#elif defined(__x86_64__)
spin_regs:
	mov	%rbp, %r8
	mov	%rsp, %r9
	mov	%rsi, %rbp
	test	%rdx, %rdx
	jz	spin_regs_loop
	mov	%rdx, %rsp
spin_regs_loop:
	dec	%rdi
	jnz	spin_regs_loop
spin_regs_end:
	mov	%r9, %rsp
	mov	%r8, %rbp
	ret
#else
#error "no spin loop for this architecture"
#endif
	.size	spin_regs, . - spin_regs
	.section .note.GNU-stack, "", %progbits
