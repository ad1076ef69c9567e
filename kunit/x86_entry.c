// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_x86_entry: the program counter at which user mode was left, for each stack pointer
 * that the kernel's entry and exit code has (arch/x86/entry.c). Built for x86 only, because of
 * struct pt_regs. Run by kunit/run.c in KUnit's thread.
 */
#include <kunit/test.h>
#include <asm/segment.h>

#include "../arch/x86/entry.h"
#include "fixture.h"

/* Address of the SYSCALL entry, and the program counters found in each place */
#define ENTRY		0xffffffff82000000UL
#define LIVE		0x401000UL	/* in RCX */
#define SAVED		0x402000UL	/* in the task's pt_regs */
#define PUSHED		0x403000UL	/* at the end of the entry stack */
#define UNKNOWN		0UL
#define COMPLETE	(-1UL)	/* not in entry or exit: pt_regs are complete */

/* The stacks of a CPU, with other memory between them. */
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

static struct stacks *entry_make(struct kunit *test)
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

static u64 entry_user_pc(struct stacks *u, const void *sp)
{
	u64 pc = COMPLETE;
	bool passing;

	u->regs.sp = (u64)sp;
	passing = x86_entry_in_progress(&u->regs, &u->task.saved, &u->ways, &pc);
	return passing == (pc != COMPLETE) ? pc : 1;
}

/* SYSCALL pushes pt_regs from the end down, the program counter as the fifth word. */
static void entry_syscall(struct kunit *test)
{
	struct stacks *u = entry_make(test);
	u64 *first = (u64 *)&u->task.saved, *at;

	KUNIT_EXPECT_EQ(test, LIVE, entry_user_pc(u, (void *)0x7fffffffe000));
	KUNIT_EXPECT_EQ(test, LIVE, entry_user_pc(u, NULL));
	/* RSP may hold a CR3 value during entry: with a PCID, and with bit 63. */
	KUNIT_EXPECT_EQ(test, LIVE, entry_user_pc(u, (void *)0x104321801));
	KUNIT_EXPECT_EQ(test, LIVE, entry_user_pc(u, (void *)0x8000000104321801));
	for (at = first + sizeof(struct pt_regs) / 8; at > first; at--)
		KUNIT_EXPECT_EQ_MSG(test, at > (u64 *)&u->task.saved.ip ? LIVE : SAVED,
				    entry_user_pc(u, at), "%td", at - first);
	KUNIT_EXPECT_EQ(test, COMPLETE, entry_user_pc(u, first));
	KUNIT_EXPECT_EQ(test, COMPLETE, entry_user_pc(u, first - 1));
	KUNIT_EXPECT_EQ(test, COMPLETE, entry_user_pc(u, (u64 *)(&u->task.saved + 1) + 1));
}

/* At the SYSCALL entry the stack pointer is the program's, even if it is a kernel address. */
static void entry_forged_stack_pointer(struct kunit *test)
{
	struct stacks *u = entry_make(test);

	u->regs.ip = ENTRY + 8;
	KUNIT_EXPECT_EQ(test, LIVE, entry_user_pc(u, u->top));
	KUNIT_EXPECT_EQ(test, LIVE, entry_user_pc(u, u->top - 5));
	KUNIT_EXPECT_EQ(test, LIVE, entry_user_pc(u, &u->exceptions[8]));
	KUNIT_EXPECT_EQ(test, LIVE, entry_user_pc(u, (void *)0xffff888000001000));
	u->regs.ip = ENTRY - 1;
	KUNIT_EXPECT_EQ(test, PUSHED, entry_user_pc(u, u->top - 5));
	KUNIT_EXPECT_EQ(test, COMPLETE, entry_user_pc(u, (void *)0xffff888000001000));
	/* If the address of the entry is unknown, no address is taken for it. */
	u->ways.syscall[0] = 0;
	u->regs.ip = 8;
	KUNIT_EXPECT_EQ(test, PUSHED, entry_user_pc(u, u->top - 5));
}

/* 32-bit entries; SYSENTER starts on the task's stack, and RCX is an argument. */
static void entry_32_bit(struct kunit *test)
{
	struct stacks *u = entry_make(test);

	u->task.saved.cs = __USER32_CS;
	KUNIT_EXPECT_EQ(test, LIVE, entry_user_pc(u, (void *)0xffffd000));
	KUNIT_EXPECT_EQ(test, SAVED, entry_user_pc(u, &u->task.saved + 1));
	KUNIT_EXPECT_EQ(test, SAVED, entry_user_pc(u, &u->task.saved.ax));
	KUNIT_EXPECT_EQ(test, COMPLETE, entry_user_pc(u, &u->task.saved));
	u->task.saved.ip = 0;
	KUNIT_EXPECT_EQ(test, UNKNOWN, entry_user_pc(u, &u->task.saved.ax));
	KUNIT_EXPECT_EQ(test, UNKNOWN, entry_user_pc(u, &u->task.saved));
	KUNIT_EXPECT_EQ(test, UNKNOWN, entry_user_pc(u, &u->task.below[0]));
}

/* On an exception stack the program counter is unknown. */
static void entry_exception_stack(struct kunit *test)
{
	struct stacks *u = entry_make(test);

	KUNIT_EXPECT_EQ(test, UNKNOWN, entry_user_pc(u, &u->exceptions[1]));
	KUNIT_EXPECT_EQ(test, UNKNOWN, entry_user_pc(u, &u->exceptions + 1));
	KUNIT_EXPECT_EQ(test, COMPLETE, entry_user_pc(u, (u64 *)(&u->exceptions + 1) + 1));
}

/* Interrupts: the CPU pushes five words on the entry stack before the first instruction. */
static void entry_interrupt(struct kunit *test)
{
	struct stacks *u = entry_make(test);
	unsigned int n;

	for (n = 0; n < 5; n++)
		KUNIT_EXPECT_EQ_MSG(test, SAVED, entry_user_pc(u, u->top - n), "%u", n);
	for (; n < PAGE_SIZE / 8; n++)
		KUNIT_EXPECT_EQ_MSG(test, PUSHED, entry_user_pc(u, u->top - n), "%u", n);
	KUNIT_EXPECT_EQ(test, COMPLETE, entry_user_pc(u, u->top - n));
	KUNIT_EXPECT_EQ(test, COMPLETE, entry_user_pc(u, u->top + 1));
}

static struct kunit_case entry_cases[] = {
	KUNIT_CASE(entry_syscall),
	KUNIT_CASE(entry_forged_stack_pointer),
	KUNIT_CASE(entry_32_bit),
	KUNIT_CASE(entry_interrupt),
	KUNIT_CASE(entry_exception_stack),
	{}
};

struct kunit_suite hwpmc_x86_entry_suite = {
	.name		= "hwpmc_x86_entry",
	.test_cases	= entry_cases,
};
