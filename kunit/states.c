// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_states: a PMC's states, ALLOCATED -> RUNNING <-> STOPPED -> released
 * (kmod/pmc/state.c, kmod/call/run.c). Run by kunit/run.c in KUnit's thread.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../arch/hwpmc_arch.h"
#include "../kmod/base/owner.h"
#include "../kmod/base/stat.h"
#include "../kmod/call/call.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/pmc/row.h"
#include "../kmod/task/target.h"
#include "fixture.h"

/* A request that ALLOCATE refuses, and its errno. */
static const struct states_refusal {
	const char *what;
	struct hwpmc_allocate args;
	int error;
} states_refusals[] = {
#define REFUSED(error_, what_, class_, mode_, cpu_, ...) \
	{ (what_), { .class_id = (class_), .mode = (mode_), .cpu = (cpu_), ##__VA_ARGS__ }, \
	  (error_) }
#define REFUSED_TC(error, what, ...) \
	REFUSED(error, what, HWPMC_CLASS_MOCK, HWPMC_MODE_TC, -1, ##__VA_ARGS__)
#define REFUSED_SC(error, what, ...) \
	REFUSED(error, what, HWPMC_CLASS_MOCK, HWPMC_MODE_SC, 0, ##__VA_ARGS__)
	REFUSED_TC(-EOPNOTSUPP, "an unknown flag", .flags = BIT(11)),
	REFUSED_TC(-EOPNOTSUPP, "the last flag", .flags = BIT(31)),
	REFUSED_TC(-EINVAL, "the file of a probe", .file = 1),
	REFUSED_TC(-EINVAL, "filters of a probe", .filters = 1),
	REFUSED_TC(-EINVAL, "a string of a probe", .string = 1),
	REFUSED(-ENODEV, "no class", 0, HWPMC_MODE_TC, -1),
	REFUSED(-ENODEV, "a class that is not here", HWPMC_CLASS_IAF, HWPMC_MODE_TC, -1),
	REFUSED(-ENODEV, "a class that is none", U32_MAX, HWPMC_MODE_TC, -1),
	REFUSED(-EINVAL, "no mode", HWPMC_CLASS_MOCK, 0, -1),
	REFUSED(-EINVAL, "mode 5", HWPMC_CLASS_MOCK, 5, -1),
	REFUSED(-EINVAL, "a mode that is none", HWPMC_CLASS_MOCK, U32_MAX, -1),
	REFUSED(-EINVAL, "virtual with a cpu", HWPMC_CLASS_MOCK, HWPMC_MODE_TC, 1),
	REFUSED(-EINVAL, "virtual with cpu -2", HWPMC_CLASS_MOCK, HWPMC_MODE_TC, -2),
	REFUSED(-EINVAL, "system-wide without a cpu", HWPMC_CLASS_MOCK, HWPMC_MODE_SC, -1),
	REFUSED(-EINVAL, "system-wide with cpu -2", HWPMC_CLASS_MOCK, HWPMC_MODE_SC, -2),
	REFUSED(-EINVAL, "a cpu that is none", HWPMC_CLASS_MOCK, HWPMC_MODE_SC, S32_MAX),
	REFUSED_SC(-EINVAL, "system-wide DESCENDANTS", .flags = HWPMC_F_DESCENDANTS),
	REFUSED_SC(-EINVAL, "system-wide THREAD", .flags = HWPMC_F_THREAD),
	REFUSED_SC(-EINVAL, "system-wide ENABLE_ON_EXEC", .flags = HWPMC_F_ENABLE_ON_EXEC),
	REFUSED_SC(-EINVAL, "system-wide DIRECT", .flags = HWPMC_F_DIRECT),
	REFUSED_SC(-EINVAL, "system-wide LOG_PROCCSW", .flags = HWPMC_F_LOG_PROCCSW),
	REFUSED_SC(-EINVAL, "system-wide LOG_PROCEXIT", .flags = HWPMC_F_LOG_PROCEXIT),
	REFUSED_TC(-EINVAL, "THREAD with DESCENDANTS",
		   .flags = HWPMC_F_THREAD | HWPMC_F_DESCENDANTS),
	REFUSED_TC(-EINVAL, "DIRECT without THREAD", .flags = HWPMC_F_DIRECT),
	REFUSED_TC(-EINVAL, "CALLCHAIN without samples", .flags = HWPMC_F_CALLCHAIN),
	REFUSED_TC(-EINVAL, "USERCALLCHAIN without samples", .flags = HWPMC_F_USERCALLCHAIN),
	REFUSED(-EOPNOTSUPP, "virtual sampling", HWPMC_CLASS_MOCK, HWPMC_MODE_TS, -1),
	REFUSED(-EOPNOTSUPP, "system-wide sampling", HWPMC_CLASS_MOCK, HWPMC_MODE_SS, 0),
	REFUSED_TC(-EOPNOTSUPP, "an unknown capability", .caps = HWPMC_CAP_USER | BIT(12)),
	REFUSED_TC(-EOPNOTSUPP, "a capability the class lacks",
		   .caps = HWPMC_CAP_USER | HWPMC_CAP_PRECISE),
	REFUSED_TC(-EINVAL, "an event the class lacks", .event = 2),
	REFUSED_TC(-EINVAL, "an event beyond 32 bits", .event = BIT_ULL(32)),
	REFUSED_TC(-EINVAL, "a config word", .config = { 1, 0 }),
	REFUSED_TC(-EINVAL, "the other config word", .config = { 0, 1 }),
#undef REFUSED_SC
#undef REFUSED_TC
#undef REFUSED
};

static void states_refusal_name(const struct states_refusal *it, char *desc)
{
	strscpy(desc, it->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(states_refusal, states_refusals, states_refusal_name);

static void states_allocate_refused(struct kunit *test)
{
	const struct states_refusal *it = test->param_value;
	struct fixture *fx = test->priv;
	struct hwpmc_owner *owner = fx->owners[0];
	u64 pmcs = hwpmc_stat_sum(HWPMC_STAT_PMCS);
	struct hwpmc_allocate args = it->args;
	struct hwpmc_pmc *pmc;

	KUNIT_EXPECT_EQ(test, it->error, fixture_allocate(owner, &args, &pmc));
	KUNIT_EXPECT_NULL(test, pmc);
	KUNIT_EXPECT_EQ(test, 0, args.id);
	/* An error message with the same errno; no id, row or PMC is left. */
	KUNIT_EXPECT_EQ(test, -it->error, owner->error);
	KUNIT_EXPECT_GT(test, strlen(owner->sentence), 10);
	KUNIT_EXPECT_EQ(test, 0, owner->used);
	KUNIT_EXPECT_EQ(test, 0, fixture_held(fx, 0));
	KUNIT_EXPECT_EQ(test, pmcs, hwpmc_stat_sum(HWPMC_STAT_PMCS));
}

static struct hwpmc_pmc *states_allocate(struct kunit *test, struct hwpmc_allocate args)
{
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *pmc;

	KUNIT_ASSERT_EQ(test, 0, fixture_allocate(fx->owners[0], &args, &pmc));
	KUNIT_ASSERT_NOT_NULL(test, pmc);
	return pmc;
}

static struct hwpmc_pmc *states_new(struct kunit *test, u32 mode, int cpu)
{
	return states_allocate(test, (struct hwpmc_allocate)FIXTURE_MOCK(mode, cpu));
}

static void states_allocate_and_release(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_TC, -1);
	u64 pmcs = hwpmc_stat_sum(HWPMC_STAT_PMCS);
	struct hwpmc_pmc *pmc;

	args.count = 1234;
	KUNIT_ASSERT_EQ(test, 0, fixture_allocate(fx->owners[0], &args, &pmc));
	KUNIT_EXPECT_EQ(test, HWPMC_ALLOCATED, pmc->state);
	KUNIT_EXPECT_EQ(test, pmc->id, args.id);
	KUNIT_EXPECT_EQ(test, pmc->row, args.row);
	KUNIT_EXPECT_EQ(test, pmcs + 1, hwpmc_stat_sum(HWPMC_STAT_PMCS));
	KUNIT_EXPECT_EQ(test, 1, fixture_held(fx, 0));
	KUNIT_EXPECT_EQ(test, 1234, fixture_read(pmc));
	/* Without USER and SYSTEM both are set. */
	KUNIT_EXPECT_EQ(test, HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, pmc->caps);
	fixture_release(pmc);
	KUNIT_EXPECT_EQ(test, 0, fixture_held(fx, 0));
	KUNIT_EXPECT_EQ(test, 0, fx->owners[0]->used);
	KUNIT_EXPECT_EQ(test, pmcs, hwpmc_stat_sum(HWPMC_STAT_PMCS));
}

static void states_cpu_beyond_last_refused(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_SC, nr_cpu_ids);
	struct hwpmc_pmc *pmc;

	KUNIT_EXPECT_EQ(test, -EINVAL, fixture_allocate(fx->owners[0], &args, &pmc));
	args.cpu = cpumask_last(cpu_online_mask);
	KUNIT_EXPECT_EQ(test, 0, fixture_allocate(fx->owners[0], &args, &pmc));
}

static void states_try_allocates_nothing(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_TC, -1);
	u64 pmcs = hwpmc_stat_sum(HWPMC_STAT_PMCS);
	struct hwpmc_pmc *pmc;

	args.flags = HWPMC_F_TRY;
	KUNIT_EXPECT_EQ(test, 0, fixture_allocate(fx->owners[0], &args, &pmc));
	KUNIT_EXPECT_NULL(test, pmc);
	KUNIT_EXPECT_EQ(test, 0, args.id);
	KUNIT_EXPECT_EQ(test, hwpmc_class_first[fx->mock], args.row);
	KUNIT_EXPECT_EQ(test, 0, fixture_held(fx, 0));
	KUNIT_EXPECT_EQ(test, 0, fx->owners[0]->used);
	KUNIT_EXPECT_EQ(test, pmcs, hwpmc_stat_sum(HWPMC_STAT_PMCS));
}

/* Every transition, and every one that is refused. */
static void states_transitions(struct kunit *test, struct hwpmc_pmc *pmc)
{
	u64 value, now;

	KUNIT_EXPECT_EQ(test, -EINVAL, fixture_stop(pmc));
	KUNIT_EXPECT_EQ(test, HWPMC_ALLOCATED, pmc->state);
	KUNIT_EXPECT_EQ(test, 0, fixture_read(pmc));

	KUNIT_ASSERT_EQ(test, 0, fixture_start(pmc));
	KUNIT_EXPECT_EQ(test, HWPMC_RUNNING, pmc->state);
	value = fixture_read(pmc);
	now = fixture_read(pmc);
	KUNIT_EXPECT_GT(test, now, value);
	/* A second START succeeds and does not reset the count. */
	KUNIT_EXPECT_EQ(test, 0, fixture_start(pmc));
	KUNIT_EXPECT_EQ(test, HWPMC_RUNNING, pmc->state);
	KUNIT_EXPECT_GT(test, fixture_read(pmc), now);

	KUNIT_EXPECT_EQ(test, 0, fixture_stop(pmc));
	KUNIT_EXPECT_EQ(test, HWPMC_STOPPED, pmc->state);
	value = fixture_read(pmc);
	KUNIT_EXPECT_GT(test, value, now);
	usleep_range(1000, 2000);
	KUNIT_EXPECT_EQ(test, value, fixture_read(pmc));
	KUNIT_EXPECT_EQ(test, 0, fixture_stop(pmc));
	KUNIT_EXPECT_EQ(test, HWPMC_STOPPED, pmc->state);
	KUNIT_EXPECT_EQ(test, value, fixture_read(pmc));

	/* The count continues. */
	KUNIT_EXPECT_EQ(test, 0, fixture_start(pmc));
	KUNIT_EXPECT_EQ(test, HWPMC_RUNNING, pmc->state);
	KUNIT_EXPECT_GE(test, fixture_read(pmc), value);
	KUNIT_EXPECT_EQ(test, 0, fixture_stop(pmc));
}

static void states_transitions_virtual(struct kunit *test)
{
	states_transitions(test, states_new(test, HWPMC_MODE_TC, -1));
}

static void states_transitions_system(struct kunit *test)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		states_transitions(test, states_new(test, HWPMC_MODE_SC, cpu));
}

static void states_transitions_thread(struct kunit *test)
{
	struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_TC, -1);
	struct hwpmc_pmc *pmc;

	args.flags = HWPMC_F_THREAD;
	pmc = states_allocate(test, args);
	states_transitions(test, pmc);
	KUNIT_EXPECT_EQ(test, 1, pmc->link_count);
}

/* A PMC released in any state frees its row and its id. */
static void states_release_in_any_state(struct kunit *test)
{
	struct fixture *fx = test->priv;
	static const struct { u32 mode; int cpu; } how[] = {
		{ HWPMC_MODE_TC, -1 }, { HWPMC_MODE_SC, 0 },
	};
	unsigned int i, state;

	for (i = 0; i < ARRAY_SIZE(how); i++) {
		for (state = HWPMC_ALLOCATED; state <= HWPMC_STOPPED; state++) {
			struct hwpmc_pmc *pmc = states_new(test, how[i].mode, how[i].cpu);

			if (state != HWPMC_ALLOCATED)
				KUNIT_EXPECT_EQ(test, 0, fixture_start(pmc));
			if (state == HWPMC_STOPPED)
				KUNIT_EXPECT_EQ(test, 0, fixture_stop(pmc));
			KUNIT_EXPECT_EQ(test, state, pmc->state);
			fixture_release(pmc);
			KUNIT_EXPECT_EQ(test, 0, fixture_held(fx, 0));
			KUNIT_EXPECT_EQ(test, 0, fx->owners[0]->used);
		}
	}
}

/* Releasing an owner releases its PMCs in every state. */
static void states_owner_release_frees_pmcs(struct kunit *test)
{
	struct fixture *fx = test->priv;
	u64 pmcs = hwpmc_stat_sum(HWPMC_STAT_PMCS);
	struct hwpmc_pmc *running, *stopped;

	running = states_new(test, HWPMC_MODE_TC, -1);
	stopped = states_new(test, HWPMC_MODE_TC, -1);
	states_new(test, HWPMC_MODE_SC, 0);
	KUNIT_EXPECT_EQ(test, 0, fixture_start(running));
	KUNIT_EXPECT_EQ(test, 0, fixture_start(stopped));
	KUNIT_EXPECT_EQ(test, 0, fixture_stop(stopped));
	KUNIT_EXPECT_EQ(test, 3, fixture_held(fx, 0));
	hwpmc_release_owner(fx->owners[0]);
	fx->owners[0] = NULL;
	KUNIT_EXPECT_EQ(test, 0, fixture_held(fx, 0));
	KUNIT_EXPECT_EQ(test, pmcs, hwpmc_stat_sum(HWPMC_STAT_PMCS));
}

/* One PMC more than there are rows. */
static void states_no_free_row_refused(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_TC, -1);
	struct hwpmc_pmc *pmc;
	unsigned int i;

	for (i = 0; i < hwpmc_mock_class.rows; i++)
		states_new(test, HWPMC_MODE_TC, -1);
	KUNIT_EXPECT_EQ(test, -EBUSY, fixture_allocate(fx->owners[0], &args, &pmc));
	KUNIT_EXPECT_NULL(test, pmc);
	KUNIT_EXPECT_EQ(test, EBUSY, fx->owners[0]->error);
	KUNIT_EXPECT_EQ(test, hwpmc_mock_class.rows, fx->owners[0]->used);
	args.flags = HWPMC_F_TRY;
	KUNIT_EXPECT_EQ(test, -EBUSY, fixture_allocate(fx->owners[0], &args, &pmc));
}

static int states_call(struct hwpmc_pmc **pmcs, unsigned int count, u32 *failed,
		       int (*fn)(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed))
{
	int err;

	mutex_lock(&pmcs[0]->owner->lock);
	err = fn(pmcs, count, failed);
	mutex_unlock(&pmcs[0]->owner->lock);
	return err;
}

/* If START or STOP is refused for one PMC, the state of the others is unchanged. */
static void states_all_or_nothing(struct kunit *test)
{
	struct hwpmc_allocate logs = FIXTURE_MOCK(HWPMC_MODE_TC, -1);
	struct hwpmc_pmc *pmcs[3];
	u32 failed;

	logs.flags = HWPMC_F_LOG_PROCEXIT;
	pmcs[0] = states_new(test, HWPMC_MODE_TC, -1);
	pmcs[1] = states_new(test, HWPMC_MODE_TC, -1);
	pmcs[2] = states_allocate(test, logs);

	KUNIT_EXPECT_EQ(test, -EBADFD, states_call(pmcs, 3, &failed, hwpmc_run_start));
	KUNIT_EXPECT_EQ(test, 2, failed);
	KUNIT_EXPECT_EQ(test, HWPMC_ALLOCATED, pmcs[0]->state);
	KUNIT_EXPECT_EQ(test, HWPMC_ALLOCATED, pmcs[1]->state);
	KUNIT_EXPECT_FALSE(test, pmcs[0]->attached);
	KUNIT_EXPECT_EQ(test, 0, pmcs[0]->link_count);

	KUNIT_EXPECT_EQ(test, 0, states_call(pmcs, 2, &failed, hwpmc_run_start));
	KUNIT_EXPECT_EQ(test, HWPMC_RUNNING, pmcs[0]->state);
	KUNIT_EXPECT_EQ(test, HWPMC_RUNNING, pmcs[1]->state);
	KUNIT_EXPECT_EQ(test, pmcs[0]->started, pmcs[1]->started);

	KUNIT_EXPECT_EQ(test, -EINVAL, states_call(pmcs, 3, &failed, hwpmc_run_stop));
	KUNIT_EXPECT_EQ(test, 2, failed);
	KUNIT_EXPECT_EQ(test, HWPMC_RUNNING, pmcs[0]->state);
	KUNIT_EXPECT_EQ(test, HWPMC_RUNNING, pmcs[1]->state);
	KUNIT_EXPECT_EQ(test, 0, states_call(pmcs, 2, &failed, hwpmc_run_stop));
	KUNIT_EXPECT_EQ(test, HWPMC_STOPPED, pmcs[0]->state);
	KUNIT_EXPECT_EQ(test, HWPMC_STOPPED, pmcs[1]->state);
}

/* A START that fails detaches the PMCs that it attached to the caller. */
static void states_failed_start_detaches(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_pmc *pmcs[2], *other;
	u32 failed;

	/* The other owner's PMC runs on the row of the second one. */
	pmcs[0] = states_new(test, HWPMC_MODE_TC, -1);
	pmcs[1] = states_new(test, HWPMC_MODE_TC, -1);
	do {
		struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_TC, -1);

		KUNIT_ASSERT_EQ(test, 0, fixture_allocate(fx->owners[1], &args, &other));
	} while (other->row != pmcs[1]->row);
	KUNIT_ASSERT_EQ(test, 0, fixture_start(other));

	KUNIT_EXPECT_EQ(test, -EBUSY, states_call(pmcs, 2, &failed, hwpmc_run_start));
	KUNIT_EXPECT_EQ(test, 1, failed);
	KUNIT_EXPECT_EQ(test, HWPMC_ALLOCATED, pmcs[0]->state);
	KUNIT_EXPECT_FALSE(test, pmcs[0]->attached);
	KUNIT_EXPECT_EQ(test, 0, pmcs[0]->link_count);
	KUNIT_EXPECT_TRUE(test, list_empty(&pmcs[0]->targets));
	KUNIT_EXPECT_EQ(test, 0, fixture_read(pmcs[0]));

	fixture_release(other);
	KUNIT_EXPECT_EQ(test, 0, states_call(pmcs, 2, &failed, hwpmc_run_start));
}

static int states_sleeper(void *unused)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 100 + 1);
	return 0;
}

static int states_attach(struct hwpmc_pmc *pmc, struct task_struct *task)
{
	int err;

	mutex_lock(&pmc->owner->lock);
	err = hwpmc_attach_target(pmc, task_pid(task), false);
	mutex_unlock(&pmc->owner->lock);
	return err;
}

/* All targets of a PMC have exited. */
static void states_restart_without_targets_refused(struct kunit *test)
{
	struct hwpmc_pmc *pmc = states_new(test, HWPMC_MODE_TC, -1);
	struct task_struct *task = kthread_run(states_sleeper, NULL, "hwpmc-target");
	int tries;

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	KUNIT_EXPECT_EQ(test, 0, states_attach(pmc, task));
	KUNIT_EXPECT_EQ(test, -EEXIST, states_attach(pmc, task));
	KUNIT_EXPECT_EQ(test, 0, fixture_start(pmc));
	kthread_stop(task);
	/* kthread_stop() may return shortly before the exit probe runs. */
	for (tries = 0; READ_ONCE(pmc->living) && tries < 1000; tries++)
		usleep_range(1000, 2000);

	KUNIT_EXPECT_EQ(test, 0, pmc->living);
	/* START of a running PMC succeeds. Once stopped it cannot be started again. */
	KUNIT_EXPECT_EQ(test, 0, fixture_start(pmc));
	KUNIT_EXPECT_EQ(test, 0, fixture_stop(pmc));
	KUNIT_EXPECT_EQ(test, -ESRCH, fixture_start(pmc));
	KUNIT_EXPECT_EQ(test, HWPMC_STOPPED, pmc->state);
	KUNIT_EXPECT_EQ(test, 0, states_attach(pmc, current));
	KUNIT_EXPECT_EQ(test, 0, fixture_start(pmc));
	put_task_struct(task);
}

static void states_times_advance_while_running(struct kunit *test)
{
	struct hwpmc_pmc *pmc = states_new(test, HWPMC_MODE_SC, 0);
	struct hwpmc_times times, later;

	fixture_times(pmc, &times);
	KUNIT_EXPECT_EQ(test, 0, times.enabled);
	KUNIT_EXPECT_EQ(test, 0, times.running);
	KUNIT_EXPECT_EQ(test, 0, fixture_start(pmc));
	usleep_range(2000, 3000);
	fixture_times(pmc, &times);
	KUNIT_EXPECT_GE(test, times.enabled, 2 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, times.enabled, times.running);
	KUNIT_EXPECT_EQ(test, 0, fixture_start(pmc));
	KUNIT_EXPECT_EQ(test, 0, fixture_stop(pmc));
	fixture_times(pmc, &later);
	KUNIT_EXPECT_GT(test, later.enabled, times.enabled);
	usleep_range(2000, 3000);
	KUNIT_EXPECT_EQ(test, 0, fixture_stop(pmc));
	fixture_times(pmc, &times);
	KUNIT_EXPECT_EQ(test, times.enabled, later.enabled);
	KUNIT_EXPECT_EQ(test, 0, fixture_start(pmc));
	KUNIT_EXPECT_EQ(test, 0, fixture_stop(pmc));
	fixture_times(pmc, &later);
	KUNIT_EXPECT_GT(test, later.enabled, times.enabled);
	KUNIT_EXPECT_LT(test, later.enabled, times.enabled + NSEC_PER_SEC);
}

/* While CPU 1 is offline, system-wide PMCs on it cannot be allocated or started. */
static void states_offline_cpu_refused(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_SC, 1);
	struct hwpmc_pmc *idle, *runs, *refused;
	struct hwpmc_times times;

	if (!cpu_online(1))
		kunit_skip(test, "cpu 1 is not online");
	idle = states_new(test, HWPMC_MODE_SC, 1);
	runs = states_new(test, HWPMC_MODE_SC, 1);
	KUNIT_EXPECT_EQ(test, 0, fixture_start(runs));
	KUNIT_ASSERT_EQ(test, 0, remove_cpu(1));

	KUNIT_EXPECT_EQ(test, -ENXIO, fixture_allocate(fx->owners[0], &args, &refused));
	KUNIT_EXPECT_EQ(test, -ENXIO, fixture_start(idle));
	KUNIT_EXPECT_EQ(test, HWPMC_ALLOCATED, idle->state);
	KUNIT_EXPECT_EQ(test, 0, fixture_start(runs));
	usleep_range(1000, 2000);
	fixture_times(runs, &times);
	KUNIT_EXPECT_GE(test, times.enabled, times.running + NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 0, fixture_stop(runs));
	KUNIT_EXPECT_EQ(test, -ENXIO, fixture_start(runs));
	fixture_release(runs);

	KUNIT_EXPECT_EQ(test, 0, add_cpu(1));
	KUNIT_EXPECT_EQ(test, 0, fixture_start(idle));
	KUNIT_EXPECT_EQ(test, HWPMC_RUNNING, idle->state);
}

static struct kunit_case states_cases[] = {
	KUNIT_CASE_PARAM(states_allocate_refused, states_refusal_gen_params),
	KUNIT_CASE(states_allocate_and_release),
	KUNIT_CASE(states_cpu_beyond_last_refused),
	KUNIT_CASE(states_try_allocates_nothing),
	KUNIT_CASE(states_transitions_virtual),
	KUNIT_CASE(states_transitions_system),
	KUNIT_CASE(states_transitions_thread),
	KUNIT_CASE(states_release_in_any_state),
	KUNIT_CASE(states_owner_release_frees_pmcs),
	KUNIT_CASE(states_no_free_row_refused),
	KUNIT_CASE(states_all_or_nothing),
	KUNIT_CASE(states_failed_start_detaches),
	KUNIT_CASE(states_restart_without_targets_refused),
	KUNIT_CASE(states_times_advance_while_running),
	KUNIT_CASE(states_offline_cpu_refused),
	{}
};

struct kunit_suite hwpmc_states_suite = {
	.name		= "hwpmc_states",
	.init		= fixture_init,
	.exit		= fixture_exit,
	.test_cases	= states_cases,
};
