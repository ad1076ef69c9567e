// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds tracepoints by name, since those of the scheduler are not exported to modules.
 * Called in process context when probes are registered.
 */
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>
#include <trace/events/task.h>

#include "compat.h"

static __maybe_unused HWPMC_PROBE_SWITCH(hwpmc_check_switch, prev, next) {}
static __maybe_unused HWPMC_PROBE_NEWTASK(hwpmc_check_newtask, child) {}
static __maybe_unused HWPMC_PROBE_EXEC(hwpmc_check_exec, task, bprm) {}
static __maybe_unused HWPMC_PROBE_EXIT(hwpmc_check_exit, task) {}
static __maybe_unused HWPMC_PROBE_RENAME(hwpmc_check_rename, task, comm) {}
static __maybe_unused HWPMC_PROBE_FREE(hwpmc_check_free, task) {}

static __maybe_unused HWPMC_PROBE_SYS_ENTER(hwpmc_check_sys_enter, regs, number) {}
static __maybe_unused HWPMC_PROBE_SYS_EXIT(hwpmc_check_sys_exit, regs, result) {}

/* The compiler refuses this if a prototype of compat.h differs from the kernel's. */
static void __maybe_unused hwpmc_check_prototypes(void)
{
	check_trace_callback_type_sched_switch(hwpmc_check_switch);
	check_trace_callback_type_task_newtask(hwpmc_check_newtask);
	check_trace_callback_type_sched_process_exec(hwpmc_check_exec);
	check_trace_callback_type_sched_process_exit(hwpmc_check_exit);
	check_trace_callback_type_task_rename(hwpmc_check_rename);
	check_trace_callback_type_sched_process_free(hwpmc_check_free);
#ifdef CONFIG_HAVE_SYSCALL_TRACEPOINTS
	check_trace_callback_type_sys_enter(hwpmc_check_sys_enter);
	check_trace_callback_type_sys_exit(hwpmc_check_sys_exit);
#endif
}

struct hwpmc_tracepoint_query {
	const char *name;
	struct tracepoint *found;
};

static void hwpmc_tracepoint_match(struct tracepoint *tp, void *arg)
{
	struct hwpmc_tracepoint_query *query = arg;

	if (!strcmp(tp->name, query->name))
		query->found = tp;
}

struct tracepoint *hwpmc_tracepoint_find(const char *name)
{
	struct hwpmc_tracepoint_query query = { .name = name };

	for_each_kernel_tracepoint(hwpmc_tracepoint_match, &query);
	return query.found;
}
