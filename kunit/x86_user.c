// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: where user mode was left, at each stack pointer that the kernel's entry and
 * exit have (arch/x86/entry.c). On x86 only: pt_regs are the machine's.
 */
#include <kunit/test.h>
#include <asm/segment.h>

#include "../arch/x86/entry.h"
#include "fixture.h"

#define ENTRY	0xffffffff82000000UL	/* of SYSCALL */
#define LIVE	0x401000UL	/* in RCX */
#define SAVED	0x402000UL	/* in the task's pt_regs */
#define PUSHED	0x403000UL	/* at the entry stack's end */
#define UNKNOWN	0UL
#define NOWHERE	(-1UL)	/* all registers are there */

/* Stacks as they are in a CPU, each with something beside it. */
struct stacks {
	struct pt_regs regs;
	struct {
		u64 below[8];
		struct pt_regs saved;
		u64 beyond[8];
	} task;
	struct entry_stack stack;
	u64 between[4];
	u64 exceptions[16];
	u64 *top;		/* of the entry stack */
	struct x86_entry_points ways;
};

static struct stacks *user_make(struct kunit *test)
{
	struct stacks *u = kunit_kzalloc(test, sizeof(*u), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, u);
	u->top = (u64 *)(&u->stack + 1);
	u->top[-5] = PUSHED;
	u->ways = (struct x86_entry_points){
		.syscall = { ENTRY }, .stack = &u->stack,
		.exceptions = (u64)u->exceptions, .exceptions_end = (u64)(&u->exceptions + 1),
	};
	u->regs.ip = ENTRY + 0x100000;
	u->regs.cx = LIVE;
	u->task.saved.ip = SAVED;
	u->task.saved.cs = __USER_CS;
	return u;
}

static u64 user_left(struct stacks *u, const void *sp)
{
	u64 pc = NOWHERE;
	bool passing;

	u->regs.sp = (u64)sp;
	passing = x86_entry_in_progress(&u->regs, &u->task.saved, &u->ways, &pc);
	return passing == (pc != NOWHERE) ? pc : 1;
}

/* SYSCALL pushes from the end of pt_regs down, the program counter fifth. */
static void user_syscall(struct kunit *test)
{
	struct stacks *u = user_make(test);
	u64 *first = (u64 *)&u->task.saved, *at;

	KUNIT_EXPECT_EQ(test, LIVE, user_left(u, (void *)0x7fffffffe000));
	KUNIT_EXPECT_EQ(test, LIVE, user_left(u, NULL));
	/* CR3s: with a process' number, and with bit 63. */
	KUNIT_EXPECT_EQ(test, LIVE, user_left(u, (void *)0x104321801));
	KUNIT_EXPECT_EQ(test, LIVE, user_left(u, (void *)0x8000000104321801));
	for (at = first + sizeof(struct pt_regs) / 8; at > first; at--)
		KUNIT_EXPECT_EQ_MSG(test, at > (u64 *)&u->task.saved.ip ? LIVE : SAVED,
				    user_left(u, at), "%td", at - first);
	KUNIT_EXPECT_EQ(test, NOWHERE, user_left(u, first));
	KUNIT_EXPECT_EQ(test, NOWHERE, user_left(u, first - 1));
	KUNIT_EXPECT_EQ(test, NOWHERE, user_left(u, (u64 *)(&u->task.saved + 1) + 1));
}

/* Its stack pointer is the program's: one that looks like the kernel's tells nothing. */
static void user_forged(struct kunit *test)
{
	struct stacks *u = user_make(test);

	u->regs.ip = ENTRY + 8;
	KUNIT_EXPECT_EQ(test, LIVE, user_left(u, u->top));
	KUNIT_EXPECT_EQ(test, LIVE, user_left(u, u->top - 5));
	KUNIT_EXPECT_EQ(test, LIVE, user_left(u, &u->exceptions[8]));
	KUNIT_EXPECT_EQ(test, LIVE, user_left(u, (void *)0xffff888000001000));
	u->regs.ip = ENTRY - 1;
	KUNIT_EXPECT_EQ(test, PUSHED, user_left(u, u->top - 5));
	KUNIT_EXPECT_EQ(test, NOWHERE, user_left(u, (void *)0xffff888000001000));
	/* No such instruction: nothing is its entry. */
	u->ways.syscall[0] = 0;
	u->regs.ip = 8;
	KUNIT_EXPECT_EQ(test, PUSHED, user_left(u, u->top - 5));
}

/* 32-bit entries: RCX is an argument of SYSENTER, which begins on the task's stack. */
static void user_narrow(struct kunit *test)
{
	struct stacks *u = user_make(test);

	u->task.saved.cs = __USER32_CS;
	KUNIT_EXPECT_EQ(test, LIVE, user_left(u, (void *)0xffffd000));
	KUNIT_EXPECT_EQ(test, SAVED, user_left(u, &u->task.saved + 1));
	KUNIT_EXPECT_EQ(test, SAVED, user_left(u, &u->task.saved.ax));
	KUNIT_EXPECT_EQ(test, NOWHERE, user_left(u, &u->task.saved));
	u->task.saved.ip = 0;
	KUNIT_EXPECT_EQ(test, UNKNOWN, user_left(u, &u->task.saved.ax));
	KUNIT_EXPECT_EQ(test, UNKNOWN, user_left(u, &u->task.saved));
	KUNIT_EXPECT_EQ(test, UNKNOWN, user_left(u, &u->task.below[0]));
}

/* Some exceptions have stacks of their own. */
static void user_exception(struct kunit *test)
{
	struct stacks *u = user_make(test);

	KUNIT_EXPECT_EQ(test, UNKNOWN, user_left(u, &u->exceptions[1]));
	KUNIT_EXPECT_EQ(test, UNKNOWN, user_left(u, &u->exceptions + 1));
	KUNIT_EXPECT_EQ(test, NOWHERE, user_left(u, (u64 *)(&u->exceptions + 1) + 1));
}

/* Interrupts: the CPU pushes five words before the first instruction. */
static void user_interrupt(struct kunit *test)
{
	struct stacks *u = user_make(test);
	unsigned int n;

	for (n = 0; n < 5; n++)
		KUNIT_EXPECT_EQ_MSG(test, SAVED, user_left(u, u->top - n), "%u", n);
	for (; n < PAGE_SIZE / 8; n++)
		KUNIT_EXPECT_EQ_MSG(test, PUSHED, user_left(u, u->top - n), "%u", n);
	KUNIT_EXPECT_EQ(test, NOWHERE, user_left(u, u->top - n));
	KUNIT_EXPECT_EQ(test, NOWHERE, user_left(u, u->top + 1));
}

static struct kunit_case user_cases[] = {
	KUNIT_CASE(user_syscall),
	KUNIT_CASE(user_forged),
	KUNIT_CASE(user_narrow),
	KUNIT_CASE(user_interrupt),
	KUNIT_CASE(user_exception),
	{}
};

struct kunit_suite hwpmc_x86_user_suite = {
	.name		= "hwpmc_x86_user",
	.test_cases	= user_cases,
};
