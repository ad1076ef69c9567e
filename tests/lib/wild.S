/* SPDX-License-Identifier: GPL-2.0-only */
/* void spin_wild(uint64_t rounds, uint64_t fp, uint64_t sp); see wild.h. */
	.text
	.globl	spin_wild, spin_wild_loop, spin_wild_end
	.type	spin_wild, %function
#if defined(__aarch64__)
spin_wild:
	mov	x9, x29
	mov	x10, sp
	mov	x29, x1
	cbz	x2, spin_wild_loop
	mov	sp, x2
spin_wild_loop:
	subs	x0, x0, #1
	b.ne	spin_wild_loop
spin_wild_end:
	mov	sp, x10
	mov	x29, x9
	ret
#elif defined(__x86_64__)
spin_wild:
	mov	%rbp, %r8
	mov	%rsp, %r9
	mov	%rsi, %rbp
	test	%rdx, %rdx
	jz	spin_wild_loop
	mov	%rdx, %rsp
spin_wild_loop:
	dec	%rdi
	jnz	spin_wild_loop
spin_wild_end:
	mov	%r9, %rsp
	mov	%r8, %rbp
	ret
#else
#error "no spin loop for this architecture"
#endif
	.size	spin_wild, . - spin_wild
	.section .note.GNU-stack, "", %progbits
