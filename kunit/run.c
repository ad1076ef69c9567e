// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the suites at the end of module_init(), called by kmod/main.c in process context.
 * kunit_test_suites() would run them before module_init(), without rows or thread records.
 * They need the kernel parameter kunit.enable=1 and the module parameter mock=1.
 */
#include "../kmod/task/process.h"
#include "fixture.h"
#include "run.h"

static struct kunit_suite *hwpmc_suites[] = {
	&hwpmc_ids_suite,
	&hwpmc_rows_suite,
	&hwpmc_extra_suite,
	&hwpmc_states_suite,
	&hwpmc_calls_suite,
	&hwpmc_call_states_suite,
	&hwpmc_defer_suite,
	&hwpmc_walk_suite,
	&hwpmc_sampler_suite,
	&hwpmc_reading_suite,
	&hwpmc_copying_suite,
	&hwpmc_sched_suite,
	&hwpmc_page_suite,
	&hwpmc_life_suite,
	&hwpmc_life_exec_suite,
	&hwpmc_limits_suite,
	&hwpmc_descent_suite,
	&hwpmc_adopt_suite,
	&hwpmc_idle_suite,
	&hwpmc_offline_suite,
	&hwpmc_soft_suite,
	&hwpmc_build_id_suite,
	&hwpmc_now_suite,
	&hwpmc_period_suite,
	&hwpmc_due_suite,
	&hwpmc_due_rounds_suite,
	&hwpmc_throttle_suite,
	&hwpmc_fire_suite,
	&hwpmc_fire_samples_suite,
	&hwpmc_fire_plain_suite,
	&hwpmc_ring_suite,
	&hwpmc_records_suite,
	&hwpmc_records_tasks_suite,
	&hwpmc_pmuv3_event_suite,
	&hwpmc_pmuv3_program_suite,
	&hwpmc_pmuv3_width_suite,
	&hwpmc_pmuv3_set_period_suite,
	&hwpmc_x86_id_suite,
	&hwpmc_x86_encode_suite,
	&hwpmc_x86_program_suite,
	&hwpmc_x86_extra_suite,
	&hwpmc_x86_writes_suite,
	&hwpmc_x86_width_suite,
	&hwpmc_x86_pmi_suite,
	&hwpmc_x86_nehalem_suite,
#ifdef CONFIG_X86_64
	&hwpmc_x86_entry_suite,
	&hwpmc_x86_now_suite,
#endif
};

void hwpmc_kunit_init(void)
{
	__kunit_test_suites_init(hwpmc_suites, ARRAY_SIZE(hwpmc_suites));
}

void hwpmc_kunit_exit(void)
{
	__kunit_test_suites_exit(hwpmc_suites, ARRAY_SIZE(hwpmc_suites));
}
