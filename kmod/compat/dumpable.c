// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a task is dumpable: older kernels keep that in its mm, newer ones in its
 * exec_state. Called by the checks of rights in kmod/base/ and by the probe of exec, with
 * interrupts on.
 */
#include <linux/cred.h>
#include <linux/rcupdate.h>
#include <linux/sched/coredump.h>
#include <linux/sched/task.h>
#include <linux/user_namespace.h>

#include "compat.h"

#if __has_include(<linux/sched/exec_state.h>)
#include <linux/sched/exec_state.h>

bool hwpmc_dumpable_get(struct task_struct *task, struct user_namespace **ns)
{
	const struct task_exec_state *state;
	bool dumpable = false;

	rcu_read_lock();
	state = rcu_dereference(task->exec_state);
	*ns = state ? state->user_ns : &init_user_ns;
	if (state)
		dumpable = READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return dumpable;
}
#else
bool hwpmc_dumpable_get(struct task_struct *task, struct user_namespace **ns)
{
	bool dumpable = false;

	task_lock(task);
	*ns = task->mm ? task->mm->user_ns : &init_user_ns;
	if (task->mm)
		dumpable = get_dumpable(task->mm) == SUID_DUMP_USER;
	task_unlock(task);
	return dumpable;
}
#endif
