// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_idle: a CPU enters and leaves deep idle, in which its PMU loses its registers
 * (kmod/hotplug.c, kmod/pmc/idle.c). The PMU is that of the fake registers, whose accesses are
 * counted. Run by kunit/run.c in KUnit's thread; idle states are entered with interrupts off.
 */
#include <linux/cpu_pm.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "../kmod/base/machine.h"
#include "../kmod/main.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/row.h"
#include "fake_pmuv3.h"
#include "fixture.h"

#define IDLE_ROW	1
#define IDLE_SEL	0x08U

/**
 * struct idle_case - a CPU whose PMU is fake
 * @cpu: the CPU that has the fake registers
 * @calls: calls of the machine's operations on it
 * @machine: the real machine
 * @class: the real class, which the class with the fake rows replaces
 * @kept: the batches of the CPU's context before the test changed them
 * @pc: the CPU
 */
static struct idle_case {
	int cpu;
	struct idle_calls {
		unsigned int up, down, resume;
	} calls;
	const struct hwpmc_machine *machine;
	const struct hwpmc_class *class;
	struct hwpmc_batch kept[2];
	struct hwpmc_cpu *pc;
} idle;

static void idle_program(unsigned int row, const struct hwpmc_select *sel, u64 value)
{
	fake_rows_program(row, sel->event, value);
}

static const struct hwpmc_class idle_class = {
	.name = "IDLE", .rows = 4, .width = 64, .needs_pmu = true,
	.program = idle_program, .park = fake_rows_stop, .clear = fake_rows_clear,
	.in = fake_rows_in, .fold = fake_rows_fold, .ack = fake_rows_ack,
};

static int idle_claim(const struct hwpmc_overflow_ops *ops, const char **why)
{
	return 0;
}

static void idle_unclaim(void)
{
}

/* There is one set of fake registers; the other CPUs have none. */
static void idle_cpu_up(void)
{
	if (smp_processor_id() != idle.cpu)
		return;
	idle.calls.up++;
	fake_rows_up();
}

static void idle_cpu_down(void)
{
	if (smp_processor_id() != idle.cpu)
		return;
	idle.calls.down++;
	fake_rows_down();
}

static void idle_cpu_resume(void)
{
	idle.calls.resume++;
	fake_rows_up();
}

static const struct hwpmc_machine idle_machine = {
	.claim = idle_claim, .unclaim = idle_unclaim,
	.cpu_up = idle_cpu_up, .cpu_down = idle_cpu_down, .cpu_resume = idle_cpu_resume,
};

/* Claims the fake PMU and pins the test to the CPU. KUnit runs each test in its own thread. */
static void idle_begin(struct kunit *test)
{
	struct fixture *fx = test->priv;

	idle = (struct idle_case){ .cpu = raw_smp_processor_id() };
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(idle.cpu)));
	idle.pc = per_cpu_ptr(&hwpmc_cpus, idle.cpu);
	fake_reset(test, true);
	fake_rows_set_width(64);
	mutex_lock(&hwpmc_rows_lock);
	idle.machine = hwpmc_machine;
	hwpmc_machine = &idle_machine;
	idle.class = hwpmc_classes[fx->mock];
	hwpmc_classes[fx->mock] = &idle_class;
	KUNIT_EXPECT_EQ(test, 0, hwpmc_pmu_get(fx->owners[0], &idle_class, false));
	mutex_unlock(&hwpmc_rows_lock);
	memset(&idle.calls, 0, sizeof(idle.calls));
}

static void idle_end(struct kunit *test)
{
	struct fixture *fx = test->priv;

	mutex_lock(&hwpmc_rows_lock);
	hwpmc_pmu_put(&idle_class);
	hwpmc_classes[fx->mock] = idle.class;
	hwpmc_machine = idle.machine;
	mutex_unlock(&hwpmc_rows_lock);
}

/* The CPU's own context counts on the fake row from now on. Interrupts off. */
static struct hwpmc_slot *idle_count(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_context *ctx = &idle.pc->sys;
	unsigned int first = hwpmc_class_first[fx->mock];

	memcpy(idle.kept, ctx->batch, sizeof(idle.kept));
	ctx->row_config[first + IDLE_ROW] = (struct hwpmc_row_config){
		.sel.event = IDLE_SEL, .tag = 1,
	};
	ctx->batch[0] = (struct hwpmc_batch){
		.rows = BIT_ULL(IDLE_ROW), .slots = ctx->slots + first,
		.in = idle_class.in, .fold = idle_class.fold, .class = &idle_class,
	};
	ctx->batch[1].rows = 0;
	ctx->slots[first + IDLE_ROW].sum = 0;
	hwpmc_context_program(idle.pc, ctx);
	return ctx->slots + first;
}

static void idle_stop_counting(void)
{
	memcpy(idle.pc->sys.batch, idle.kept, sizeof(idle.kept));
	idle.pc->loaded = 0;
}

/* What registers hold after a loss of power: anything, but the PMU is off (PMCR_EL0.E). */
static void idle_lose_power(void)
{
	fake_pmuv3.enabled = ~0U;
	fake_pmuv3.interrupts = ~0U;
	fake_pmuv3.flags = ~0U;
	fake_pmuv3.programmed = 0;
	fake_pmuv3.pmcr = 0;
	memset(fake_pmuv3.counter, 0x5a, sizeof(fake_pmuv3.counter));
}

static void idle_count_events(u64 events)
{
	fake_pmuv3.jump_at = fake_pmuv3.accesses + 1;
	fake_pmuv3.jump = events;
	fake_isb();
}

static void idle_notify(unsigned long action)
{
	hwpmc_hotplug_cpu_pm(NULL, action, NULL);
}

static void idle_expect_calls(struct kunit *test, unsigned int resumes, u64 resyncs)
{
	KUNIT_EXPECT_EQ(test, 0U, idle.calls.up);
	KUNIT_EXPECT_EQ(test, 0U, idle.calls.down);
	KUNIT_EXPECT_EQ(test, resumes, idle.calls.resume);
	/* A resync takes the context's lock. */
	KUNIT_EXPECT_EQ(test, resyncs, idle.pc->resyncs);
}

/* An owner holds the PMU, but nothing counts on this CPU: no register is accessed. */
static void idle_without_pmcs_does_nothing(struct kunit *test)
{
	unsigned int accesses, i;
	u64 resyncs;

	idle_begin(test);
	local_irq_disable();
	resyncs = idle.pc->resyncs;
	accesses = fake_pmuv3.accesses;
	for (i = 0; i < 10; i++) {
		idle_notify(CPU_PM_ENTER);
		idle_notify(i % 2 ? CPU_PM_EXIT : CPU_PM_ENTER_FAILED);
	}
	accesses = fake_pmuv3.accesses - accesses;
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, 0U, accesses);
	idle_expect_calls(test, 0, resyncs);
	idle_end(test);
}

/* After a loss of power the first context that counts sets up the PMU, and its row again. */
static void idle_lost_pmu_is_set_up_on_use(struct kunit *test)
{
	struct hwpmc_slot *slots;
	u64 resyncs, sum;

	idle_begin(test);
	local_irq_disable();
	idle_count(test);
	idle_stop_counting();
	resyncs = idle.pc->resyncs;
	idle_notify(CPU_PM_ENTER);
	idle_lose_power();
	idle_notify(CPU_PM_EXIT);
	slots = idle_count(test);
	idle_count_events(1000);
	hwpmc_context_flush(&idle.pc->sys);
	sum = slots[IDLE_ROW].sum;
	idle_stop_counting();
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, 1000ULL, sum);
	KUNIT_EXPECT_EQ(test, BIT(fake_place(IDLE_ROW)), fake_pmuv3.enabled);
	KUNIT_EXPECT_EQ(test, BIT(fake_place(IDLE_ROW)), fake_pmuv3.interrupts);
	idle_expect_calls(test, 1, resyncs);
	idle_end(test);
}

/* If the state was not entered, nothing is lost. */
static void idle_failed_entry_keeps_rows(struct kunit *test)
{
	unsigned int writes;

	idle_begin(test);
	local_irq_disable();
	idle_count(test);
	idle_stop_counting();
	idle_notify(CPU_PM_ENTER);
	idle_notify(CPU_PM_ENTER_FAILED);
	writes = fake_pmuv3.writes;
	idle_count(test);
	writes = fake_pmuv3.writes - writes;
	idle_stop_counting();
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, 0U, writes);
	idle_end(test);
}

/* A CPU that counts: its sum has what was counted before and after, and nothing else. */
static void idle_counting_cpu_continues(struct kunit *test)
{
	struct hwpmc_slot *slots;
	u64 resyncs, sum;
	bool stopped;

	idle_begin(test);
	local_irq_disable();
	slots = idle_count(test);
	resyncs = idle.pc->resyncs;
	idle_count_events(1000);
	idle_notify(CPU_PM_ENTER);
	stopped = !fake_pmuv3.enabled;
	idle_lose_power();
	idle_notify(CPU_PM_EXIT);
	idle_count_events(500);
	hwpmc_context_flush(&idle.pc->sys);
	sum = slots[IDLE_ROW].sum;
	idle_stop_counting();
	local_irq_enable();
	KUNIT_EXPECT_TRUE(test, stopped);
	KUNIT_EXPECT_EQ(test, 1500ULL, sum);
	KUNIT_EXPECT_EQ(test, 0U, fake_pmuv3.flags);
	idle_expect_calls(test, 1, resyncs);
	idle_end(test);
}

static struct kunit_case idle_cases[] = {
	KUNIT_CASE(idle_without_pmcs_does_nothing),
	KUNIT_CASE(idle_lost_pmu_is_set_up_on_use),
	KUNIT_CASE(idle_failed_entry_keeps_rows),
	KUNIT_CASE(idle_counting_cpu_continues),
	{}
};

struct kunit_suite hwpmc_idle_suite = {
	.name		= "hwpmc_idle",
	.init		= fixture_init,
	.exit		= fixture_exit,
	.test_cases	= idle_cases,
};
