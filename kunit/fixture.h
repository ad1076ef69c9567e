/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the suites of the core share: owners without an open file, and wrappers that call
 * the core with the locks that its callers must hold. Called by suites in KUnit's thread;
 * they may sleep. No lock is held between two calls, so a test may abort at any point.
 */
#ifndef HWPMC_KUNIT_FIXTURE_H
#define HWPMC_KUNIT_FIXTURE_H

#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/types.h>
#include <uapi/linux/hwpmc.h>

struct due_case;
struct hwpmc_owner;
struct hwpmc_pmc;

#define FIXTURE_OWNERS	2
#define FIXTURE_HOLDERS	16

extern struct kunit_suite hwpmc_ids_suite;
extern struct kunit_suite hwpmc_rows_suite;
extern struct kunit_suite hwpmc_extra_suite;
extern struct kunit_suite hwpmc_states_suite;
extern struct kunit_suite hwpmc_calls_suite;
extern struct kunit_suite hwpmc_call_states_suite;
extern struct kunit_suite hwpmc_defer_suite;
extern struct kunit_suite hwpmc_walk_suite;
extern struct kunit_suite hwpmc_sampler_suite;
extern struct kunit_suite hwpmc_reading_suite;
extern struct kunit_suite hwpmc_copying_suite;
extern struct kunit_suite hwpmc_sched_suite;
extern struct kunit_suite hwpmc_page_suite;
extern struct kunit_suite hwpmc_life_suite;
extern struct kunit_suite hwpmc_life_exec_suite;
extern struct kunit_suite hwpmc_limits_suite;
extern struct kunit_suite hwpmc_descent_suite;
extern struct kunit_suite hwpmc_adopt_suite;
extern struct kunit_suite hwpmc_idle_suite;
extern struct kunit_suite hwpmc_offline_suite;
extern struct kunit_suite hwpmc_soft_suite;
extern struct kunit_suite hwpmc_build_id_suite;
extern struct kunit_suite hwpmc_now_suite;
extern struct kunit_suite hwpmc_period_suite;
extern struct kunit_suite hwpmc_due_suite;
extern struct kunit_suite hwpmc_due_rounds_suite;
extern struct kunit_suite hwpmc_throttle_suite;
extern struct kunit_suite hwpmc_fire_suite;
extern struct kunit_suite hwpmc_fire_samples_suite;
extern struct kunit_suite hwpmc_fire_plain_suite;
extern struct kunit_suite hwpmc_ring_suite;
extern struct kunit_suite hwpmc_records_suite;
extern struct kunit_suite hwpmc_records_tasks_suite;
extern struct kunit_suite hwpmc_pmuv3_event_suite;
extern struct kunit_suite hwpmc_pmuv3_program_suite;
extern struct kunit_suite hwpmc_pmuv3_width_suite;
extern struct kunit_suite hwpmc_pmuv3_set_period_suite;
extern struct kunit_suite hwpmc_x86_id_suite;
extern struct kunit_suite hwpmc_x86_encode_suite;
extern struct kunit_suite hwpmc_x86_program_suite;
extern struct kunit_suite hwpmc_x86_extra_suite;
extern struct kunit_suite hwpmc_x86_writes_suite;
extern struct kunit_suite hwpmc_x86_width_suite;
extern struct kunit_suite hwpmc_x86_pmi_suite;
extern struct kunit_suite hwpmc_x86_nehalem_suite;
extern struct kunit_suite hwpmc_x86_entry_suite;
extern struct kunit_suite hwpmc_x86_now_suite;

/**
 * struct fixture - the state a test of the core starts with
 * @file: the file of all owners; never opened
 * @owners: two owners without PMCs
 * @mock: index of class MOCK in hwpmc_classes
 * @holders: PMCs that only hold a row (kunit/rows.c, kunit/extra.c)
 * @holder_count: number of @holders
 * @due: the sampling link (kunit/due.h)
 */
struct fixture {
	struct file file;
	struct hwpmc_owner *owners[FIXTURE_OWNERS];
	unsigned int mock;
	struct hwpmc_pmc *holders[FIXTURE_HOLDERS];
	unsigned int holder_count;
	struct due_case *due;
};

/* init and exit of the suites. Return: 0, -ENOMEM, or -ENODEV without the parameter mock=1. */
int fixture_init(struct kunit *test);
void fixture_exit(struct kunit *test);

/* A request for a counter of class MOCK; initializes a struct hwpmc_allocate */
#define FIXTURE_MOCK(mode_, cpu_) \
	{ .class_id = HWPMC_CLASS_MOCK, .mode = (mode_), .cpu = (cpu_), .event = 1 }

/*
 * The calls of the core for one PMC, under its owner's lock. They return what the core returns:
 * 0 or a negative errno. fixture_times() sets @times in ns.
 */
int fixture_allocate(struct hwpmc_owner *owner, struct hwpmc_allocate *args,
		     struct hwpmc_pmc **pmc);
int fixture_start(struct hwpmc_pmc *pmc);
int fixture_stop(struct hwpmc_pmc *pmc);
void fixture_release(struct hwpmc_pmc *pmc);
u64 fixture_read(struct hwpmc_pmc *pmc);
void fixture_times(struct hwpmc_pmc *pmc, struct hwpmc_times *times);

/* Number of PMCs that hold a row of class MOCK on @cpu. */
unsigned int fixture_held(const struct fixture *fx, int cpu);

#endif /* HWPMC_KUNIT_FIXTURE_H */
