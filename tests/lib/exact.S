/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs whose instructions can be counted by reading them; see exact.h. */
/* No loop crosses a page (see spin.S): all of this is in one block of 512 bytes. */
	.text
	.p2align 9
.Lstart:
#if defined(__aarch64__)

#define NR_exit			93
#define NR_nanosleep		101
#define NR_sched_setaffinity	122
#define NR_clone		220
#define NR_wait4		260
#define NR_read			63
#define NR_write		64

	.macro	function name
	.globl	\name
	.type	\name, %function
\name:
	.endm

	.macro	nap			// if the pointer is NULL, the call fails at once
	mov	x0, x14
	mov	x1, #0
	mov	x8, #NR_nanosleep
	svc	#0
	.endm

	.macro	rounds
	mov	x13, x12
9:	subs	x13, x13, #1
	b.ne	9b
	.endm

function run
	mov	x12, x0
	rounds
	ret

function serve
	sub	sp, sp, #16
	mov	w9, w0
	mov	w10, w1
	mov	x11, x2
	mov	x12, x3
	mov	x14, x4
1:	mov	w0, w9
	mov	x1, sp
	mov	x2, #1
	mov	x8, #NR_read
	svc	#0
	nap
	rounds
	mov	w0, w10
	mov	x1, sp
	mov	x2, #1
	mov	x8, #NR_write
	svc	#0
	subs	x11, x11, #1
	b.ne	1b
	add	sp, sp, #16
	ret

function hop
	mov	x9, x0
	mov	x11, x1
	mov	x12, x2
	mov	x14, x3
1:	and	x13, x11, #1
	add	x2, x9, x13, lsl #3
	mov	x0, #0
	mov	x1, #8
	mov	x8, #NR_sched_setaffinity
	svc	#0
	nap
	rounds
	subs	x11, x11, #1
	b.ne	1b
	ret

function storm
	mov	x9, x0
	mov	x11, x1
	mov	x12, x2
1:	mov	x0, x9
	mov	x1, #0			// its stack is the creator's; the new task does not use it
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #NR_clone
	svc	#0
	cbz	x0, 2f
	yield
	mov	x0, #-1
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x8, #NR_wait4		// ECHILD for a thread, which has exited already
	svc	#0
	subs	x11, x11, #1
	b.ne	1b
	ret
2:	yield
	rounds
	mov	x0, #0
	mov	x8, #NR_exit
	svc	#0

function spin_on
	ldr	x14, [x0]
	mov	x12, #497
1:	rounds
	add	x14, x14, #1
	str	x14, [x0]
	yield
	nop
	b	1b

#elif defined(__x86_64__)
/*
 * The programs execute the same numbers of instructions as on arm64. A system call changes RAX, RCX
 * and R11.
 */

#define NR_read			0
#define NR_write		1
#define NR_nanosleep		35
#define NR_clone		56
#define NR_exit			60
#define NR_wait4		61
#define NR_sched_setaffinity	203

	.macro	function name
	.globl	\name
	.type	\name, %function
\name:
	.endm

	.macro	keep
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	sub	$8, %rsp
	.endm

	.macro	leave_it
	add	$8, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.endm

	.macro	nap			// if the pointer is NULL, the call fails at once
	mov	%r14, %rdi
	xor	%esi, %esi
	mov	$NR_nanosleep, %eax
	syscall
	.endm

	.macro	rounds
	mov	%r13, %rcx
9:	dec	%rcx
	jnz	9b
	.endm

function run
	mov	%rdi, %rcx
1:	dec	%rcx
	jnz	1b
	ret

function serve
	keep
	mov	%edi, %ebx
	mov	%esi, %ebp
	mov	%rdx, %r12
	mov	%rcx, %r13
	mov	%r8, %r14
1:	mov	%ebx, %edi
	mov	%rsp, %rsi
	mov	$1, %edx
	mov	$NR_read, %eax
	syscall
	nap
	rounds
	mov	%ebp, %edi
	mov	%rsp, %rsi
	mov	$1, %edx
	mov	$NR_write, %eax
	syscall
	dec	%r12
	jnz	1b
	leave_it

function hop
	keep
	mov	%rdi, %rbx
	lea	8(%rdi), %r15
	mov	%rsi, %r12
	mov	%rdx, %r13
	mov	%rcx, %r14
1:	xchg	%rbx, %r15
	mov	%rbx, %rdx
	xor	%edi, %edi
	mov	$8, %esi
	mov	$NR_sched_setaffinity, %eax
	syscall
	nap
	rounds
	dec	%r12
	jnz	1b
	leave_it

function storm
	keep
	mov	%rdi, %rbx
	mov	%rsi, %r12
	mov	%rdx, %r13
1:	mov	%rbx, %rdi
	xor	%esi, %esi		// its stack is the creator's; the new task does not use it
	xor	%edx, %edx
	xor	%r10d, %r10d
	xor	%r8d, %r8d
	mov	$NR_clone, %eax
	syscall
	test	%eax, %eax
	jz	2f
	mov	$-1, %rdi
	xor	%esi, %esi
	xor	%edx, %edx
	xor	%r10d, %r10d
	mov	$NR_wait4, %eax		// ECHILD for a thread, which has exited already
	syscall
	dec	%r12
	jnz	1b
	leave_it
2:	rounds
	xor	%edi, %edi
	mov	$NR_exit, %eax
	syscall

function spin_on
	mov	(%rdi), %rdx
	mov	$497, %r13d
1:	rounds
	inc	%rdx
	mov	%rdx, (%rdi)
	nop
	nop
	jmp	1b

#else
#error "no programs for this architecture"
#endif
	.org	.Lstart + 512		// an error if it is more
	.section .note.GNU-stack, "", %progbits
