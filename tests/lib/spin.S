/* SPDX-License-Identifier: GPL-2.0-only */
/* void spin(unsigned long tens): 10,000,000 instructions for each of @tens, and a few more. */
/* The loop crosses no page: QEMU looks up the code of each jump to another page, two thirds of this loop's time. */
	.text
	.p2align 5
	.globl	spin
	.type	spin, %function
#if defined(__aarch64__)
spin:
	mov	x1, #0x4b40
	movk	x1, #0x4c, lsl #16	// 5,000,000 rounds of two instructions
	mul	x0, x0, x1
1:	subs	x0, x0, #1
	b.ne	1b
	ret
#elif defined(__x86_64__)
spin:
	imul	$5000000, %rdi, %rdi
1:	dec	%rdi
	jnz	1b
	ret
#else
#error "no spin loop for this architecture"
#endif
	.size	spin, . - spin
	.section .note.GNU-stack, "", %progbits
