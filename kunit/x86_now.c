// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_x86_now: readings of the time (kmod/base/now.h) at every instruction of an update,
 * and updates at every instruction of a reading. The trap flag makes the CPU raise a debug
 * exception after each instruction (SDM vol. 3, "Single-Step Exception Condition"), which comes
 * between any two of them as an NMI does. Built for x86 only. Run by kunit/run.c in KUnit's thread.
 */
#include <linux/irqflags.h>
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/suspend.h>
#include <asm/debugreg.h>
#include <asm/irqflags.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>

#include "../kmod/base/now.h"
#include "fixture.h"

/**
 * struct now_steps - what happens after each instruction
 * @block: its notifier is called in the debug exception
 * @at: function that the notifier calls
 * @count: instructions so far
 * @update_at: for now_step_update(): number of the instruction after which it updates
 * @before: for now_step_read(): readings of the values before the update
 * @after: those of the values after it
 * @torn: readings that mix both values
 */
struct now_steps {
	struct notifier_block block;
	void (*at)(struct now_steps *it);
	unsigned int count;
	unsigned int update_at;
	unsigned int before;
	unsigned int after;
	unsigned int torn;
};

/* Update @n has the time 2 * @n, a sum of two equal parts. A mix of updates 0 and 1 gives 1. */
static void now_update(u64 n)
{
	hwpmc_now_write(&(struct hwpmc_now_base){
		.last = hwpmc_arch_kernel_clock(), .base = n, .fraction = n,
	});
}

static void now_step_update(struct now_steps *it)
{
	if (it->count == it->update_at)
		now_update(1);
}

static void now_step_read(struct now_steps *it)
{
	switch (hwpmc_now_nmi()) {
	case 0:
		it->before++;
		break;
	case 1:
		it->torn++;
		break;
	case 2:
		it->after++;
		break;
	default:
		/* The kernel's clock was read. */
		break;
	}
}

static int now_step(struct notifier_block *block, unsigned long event, void *data)
{
	struct now_steps *it = container_of(block, struct now_steps, block);
	struct die_args *args = data;
	unsigned long *dr6;

	if (event != DIE_DEBUG || user_mode(args->regs))
		return NOTIFY_DONE;
	dr6 = (unsigned long *)args->err;
	if (!(*dr6 & DR_STEP))
		return NOTIFY_DONE;
	it->at(it);
	it->count++;
	return NOTIFY_STOP;
}

static __always_inline void now_set_flags(unsigned long flags)
{
	asm volatile("push %0; popf" : : "r"(flags) : "memory", "cc");
}

/* Raise a debug exception after each instruction until now_end_steps(). Interrupts are off. */
static __always_inline void now_begin_steps(void)
{
	now_set_flags(native_save_fl() | X86_EFLAGS_TF);
}

static __always_inline void now_end_steps(void)
{
	now_set_flags(native_save_fl() & ~X86_EFLAGS_TF);
}

static void now_steps_init(struct kunit *test, struct now_steps *it)
{
	it->block.notifier_call = now_step;
	KUNIT_ASSERT_EQ(test, register_die_notifier(&it->block), 0);
	/* From here on the kernel updates no copy. */
	hwpmc_now_sleep(NULL, PM_SUSPEND_PREPARE, NULL);
}

static void now_steps_exit(struct now_steps *it)
{
	hwpmc_now_sleep(NULL, PM_POST_SUSPEND, NULL);
	unregister_die_notifier(&it->block);
}

/* An NMI that reads at any instruction of an update reads all of one update. */
static void now_read_in_an_update(struct kunit *test)
{
	struct now_steps it = { .at = now_step_read };
	unsigned long flags;

	now_steps_init(test, &it);
	local_irq_save(flags);
	now_update(0);
	now_begin_steps();
	now_update(1);
	now_end_steps();
	local_irq_restore(flags);
	now_steps_exit(&it);
	KUNIT_EXPECT_GT(test, it.before, 0U);
	KUNIT_EXPECT_GT(test, it.after, 0U);
	KUNIT_EXPECT_EQ(test, it.torn, 0U);
}

/* An update at any instruction of a reading: the time is from one update, or the kernel's. */
static void now_update_in_a_reading(struct kunit *test)
{
	struct now_steps it = { .at = now_step_update };
	unsigned int before = 0, after = 0;
	unsigned long flags;
	u64 now;

	now_steps_init(test, &it);
	for (; it.count >= it.update_at; it.update_at++) {
		it.count = 0;
		local_irq_save(flags);
		now_update(0);
		now_begin_steps();
		now = hwpmc_now_nmi();
		now_end_steps();
		local_irq_restore(flags);
		before += now == 0;
		after += now == 2;
		it.torn += now == 1;
	}
	now_steps_exit(&it);
	KUNIT_EXPECT_GT(test, before, 0U);
	KUNIT_EXPECT_GT(test, after, 0U);
	KUNIT_EXPECT_EQ(test, it.torn, 0U);
}

static struct kunit_case x86_now_cases[] = {
	KUNIT_CASE(now_read_in_an_update),
	KUNIT_CASE(now_update_in_a_reading),
	{}
};

struct kunit_suite hwpmc_x86_now_suite = {
	.name		= "hwpmc_x86_now",
	.test_cases	= x86_now_cases,
};
