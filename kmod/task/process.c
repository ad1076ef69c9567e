// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of processes: fork, exit, exec, change of name, and the snapshot of processes
 * that exist.
 *
 * The probes of life.c call this file in the context of the task (may not sleep); START takes the
 * snapshot in process context. An owner gets one record of an event if it follows the task or
 * samples a whole CPU.
 */
#include <linux/atomic.h>
#include <linux/auxvec.h>
#include <linux/file.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include <hwpmc_arch_inline.h>

#include "../base/owner.h"
#include "../compat/compat.h"
#include "../log/log.h"
#include "../pmc/context.h"
#include "../pmc/link.h"
#include "../pmc/pid.h"
#include "../pmc/pmc.h"
#include "process.h"
#include "task.h"

/**
 * struct hwpmc_process_event - an event of a process
 * @number: of the event, on this CPU
 * @task: its task
 * @write: writes the record for one owner
 * @arg: for @write
 */
struct hwpmc_process_event {
	u64 number;
	struct task_struct *task;
	hwpmc_process_fn write;
	void *arg;
};

/* Writes the record of an event, if @owner has rings and has not got the record by another link. */
static void hwpmc_process_write(struct hwpmc_owner *owner, const struct hwpmc_process_event *event)
{
	/* Pairs with hwpmc_buffer_create(). */
	struct hwpmc_rings *rings = smp_load_acquire(&owner->rings);
	struct hwpmc_buffer *buffer = rings ? rings->buffers[smp_processor_id()] : NULL;
	unsigned long flags;

	if (!buffer || buffer->process_event == event->number)
		return;
	buffer->process_event = event->number;
	local_irq_save(flags);
	event->write(owner, event->task, event->arg);
	local_irq_restore(flags);
}

/*
 * Owners that follow the task are found by its links, since other users may have many owners with
 * rings. Only privileged users sample whole CPUs, and only while they do all owners with rings are
 * searched.
 */
static void hwpmc_process_write_all(const struct hwpmc_thread *th,
				    const struct hwpmc_process_event *event)
{
	const struct hwpmc_link *link;
	struct hwpmc_owner *owner;

	if (th)
		list_for_each_entry_rcu(link, &th->ctx.links, in_ctx)
			if (!READ_ONCE(link->dead))
				hwpmc_process_write(link->owner, event);
	if (!atomic_read(&hwpmc_system_samplers))
		return;
	list_for_each_entry_rcu(owner, &hwpmc_loggers, in_loggers)
		if (READ_ONCE(owner->system_samplers))
			hwpmc_process_write(owner, event);
}

/**
 * hwpmc_process_log - write a record for each owner that follows a task
 * @task: the task
 * @write: writes the record for one owner; called under RCU, interrupts off
 * @arg: for @write
 *
 * Owners are searched without a lock. An owner that begins to follow the task at the same time is
 * found here, or its snapshot shows the task after the event: fork, exec and exit have a full
 * barrier between their change and this search.
 *
 * Context: any but NMI and interrupts.
 */
void hwpmc_process_log(struct task_struct *task, hwpmc_process_fn write, void *arg)
{
	struct hwpmc_process_event event = { .task = task, .write = write, .arg = arg };
	const struct hwpmc_thread *th;

	if (list_empty(&hwpmc_loggers))
		return;
	rcu_read_lock();
	th = hwpmc_thread_find(task);
	if (th || atomic_read(&hwpmc_system_samplers)) {
		preempt_disable();
		event.number = __this_cpu_inc_return(hwpmc_cpus.process_event);
		hwpmc_process_write_all(th, &event);
		preempt_enable();
	}
	rcu_read_unlock();
}

/**
 * hwpmc_process_log_kernel - write a record for each owner that samples the kernel
 * @write: writes the record for one owner; called under RCU
 * @arg: for @write
 *
 * Context: any but NMI.
 */
void hwpmc_process_log_kernel(void (*write)(struct hwpmc_owner *owner, void *arg), void *arg)
{
	struct hwpmc_owner *owner;

	rcu_read_lock();
	list_for_each_entry_rcu(owner, &hwpmc_loggers, in_loggers)
		if (READ_ONCE(owner->kernel_samplers))
			write(owner, arg);
	rcu_read_unlock();
}

/* Returns false if the task has no pid in the owner's pid namespace: then it is not recorded. */
static bool hwpmc_process_fill(struct hwpmc_owner *owner, struct task_struct *task,
			       struct hwpmc_log_task *record)
{
	record->pid = task_tgid_nr_ns(task, owner->pid_ns);
	if (!record->pid)
		return false;
	record->tid = hwpmc_pid_shown(task_pid_nr_ns(task, owner->pid_ns));
	if (!thread_group_leader(task))
		record->h.flags |= HWPMC_TASK_THREAD;
	/* May be torn by a concurrent change, and is always terminated. */
	strscpy_pad(record->comm, task->comm, sizeof(record->comm));
	return true;
}

static void hwpmc_process_put(struct hwpmc_owner *owner, struct task_struct *task, u16 type,
			      struct task_struct *parent)
{
	struct hwpmc_log_task record = {};

	if (!hwpmc_process_fill(owner, task, &record))
		return;
	if (parent) {
		record.parent_pid = hwpmc_pid_shown(task_tgid_nr_ns(parent, owner->pid_ns));
		record.parent_tid = hwpmc_pid_shown(task_pid_nr_ns(parent, owner->pid_ns));
	}
	hwpmc_record_put(owner, &record, sizeof(record), type, 0);
}

static void hwpmc_process_put_fork(struct hwpmc_owner *owner, struct task_struct *child, void *arg)
{
	hwpmc_process_put(owner, child, HWPMC_LOG_FORK, current);
}

static void hwpmc_process_put_exit(struct hwpmc_owner *owner, struct task_struct *task, void *arg)
{
	hwpmc_process_put(owner, task, HWPMC_LOG_EXIT, NULL);
}

static void hwpmc_process_put_comm(struct hwpmc_owner *owner, struct task_struct *task, void *arg)
{
	struct hwpmc_log_task record = {};

	if (!hwpmc_process_fill(owner, task, &record))
		return;
	strscpy_pad(record.comm, arg, sizeof(record.comm));
	hwpmc_record_put(owner, &record, sizeof(record), HWPMC_LOG_COMM, 0);
}

/**
 * hwpmc_process_fork - record that current creates a task
 * @child: the new task
 *
 * Context: any but NMI.
 */
void hwpmc_process_fork(struct task_struct *child)
{
	hwpmc_process_log(child, hwpmc_process_put_fork, NULL);
}

/**
 * hwpmc_process_exit - record that a task exits
 * @task: the task
 *
 * Context: any but NMI.
 */
void hwpmc_process_exit(struct task_struct *task)
{
	hwpmc_process_log(task, hwpmc_process_put_exit, NULL);
}

/**
 * hwpmc_process_comm - record that a task changes its name
 * @task: the task
 * @comm: its new name
 *
 * Context: any but NMI.
 */
void hwpmc_process_comm(struct task_struct *task, const char *comm)
{
	hwpmc_process_log(task, hwpmc_process_put_comm, (void *)comm);
}

/* Bounded, since the record is on the kernel stack; a longer path is cut at its end. */
#define HWPMC_EXEC_PATH		256

struct hwpmc_process_record {
	struct hwpmc_log_process head;
	char path[HWPMC_EXEC_PATH];
};

struct hwpmc_exec_record {
	struct hwpmc_log_exec head;
	char path[HWPMC_EXEC_PATH];
};

/* The address at which current's new program begins; its interpreter, if it has one, runs first. */
static u64 hwpmc_process_entry(void)
{
	const unsigned long *auxv;
	unsigned int i;
	bool narrow;

	/* A kernel thread. */
	if (!current->mm)
		return 0;
	auxv = current->mm->saved_auxv;
	narrow = hwpmc_arch_user_is_32bit(task_pt_regs(current));
	/* Pairs of key and value, as wide as the program's addresses. */
	for (i = 0; i + 1 < AT_VECTOR_SIZE; i += 2) {
		u64 key = narrow ? ((const u32 *)auxv)[i] : auxv[i];

		if (key == AT_ENTRY)
			return narrow ? ((const u32 *)auxv)[i + 1] : auxv[i + 1];
		if (key == AT_NULL)
			break;
	}
	return 0;
}

static void hwpmc_process_put_exec(struct hwpmc_owner *owner, struct task_struct *task, void *arg)
{
	struct hwpmc_exec_record record = {};
	struct hwpmc_log_task names = {};

	if (!hwpmc_process_fill(owner, task, &names))
		return;
	record.head.pid = names.pid;
	record.head.tid = names.tid;
	strscpy_pad(record.head.comm, names.comm, sizeof(record.head.comm));
	record.head.path_offset = sizeof(record.head);
	record.head.entry = hwpmc_process_entry();
	strscpy_pad(record.path, arg, sizeof(record.path));
	hwpmc_record_put(owner, &record,
			 ALIGN(sizeof(record.head) + strlen(record.path) + 1, 8),
			 HWPMC_LOG_EXEC, 0);
}

/**
 * hwpmc_process_exec - record that a task executes another program
 * @task: the task
 * @path: of the program; recorded up to HWPMC_EXEC_PATH - 1 bytes
 *
 * Context: any but NMI.
 */
void hwpmc_process_exec(struct task_struct *task, const char *path)
{
	hwpmc_process_log(task, hwpmc_process_put_exec, (void *)path);
}

/* Whether @owner follows the task of @th (NULL: nobody does). RCU held. */
static bool hwpmc_process_follows(const struct hwpmc_owner *owner, struct hwpmc_thread *th)
{
	const struct hwpmc_link *link;

	if (!th)
		return false;
	list_for_each_entry_rcu(link, &th->ctx.links, in_ctx)
		if (link->owner == owner && !READ_ONCE(link->dead))
			return true;
	return false;
}

/* Whether @owner follows a thread of @leader's process. RCU held. */
static bool hwpmc_snapshot_includes(struct hwpmc_owner *owner, struct task_struct *leader)
{
	struct task_struct *task;

	for_each_thread(leader, task)
		if (hwpmc_process_follows(owner, hwpmc_thread_find(task)))
			return true;
	return false;
}

/*
 * Whether @owner may see the memory that @leader had when its mm was referenced. If that is the
 * memory of a new program, exec is either in progress, or it has removed the links of owners that
 * lost their rights. If it is in progress, the probe of exec records the new maps for the owners
 * that keep their rights.
 */
static bool hwpmc_snapshot_may_see(struct hwpmc_owner *owner, struct task_struct *leader)
{
	bool may_see;

	rcu_read_lock();
	may_see = !leader->in_execve;
	/* Load in_execve before the links. */
	smp_rmb();
	may_see = may_see && hwpmc_snapshot_includes(owner, leader);
	rcu_read_unlock();
	return may_see;
}

static void hwpmc_snapshot_vmas(struct hwpmc_owner *owner, struct task_struct *task,
				struct mm_struct *mm, struct hwpmc_map_draft *draft)
{
	struct vm_area_struct *vma;
	unsigned long at = 0;
	s32 pid;

	rcu_read_lock();
	pid = task_tgid_nr_ns(task, owner->pid_ns);
	rcu_read_unlock();
	/*
	 * A process without a pid in the namespace is not recorded. Killable, since the
	 * holder of the lock may wait for a file system.
	 */
	if (!pid || mmap_read_lock_killable(mm))
		return;
	while ((vma = find_vma(mm, at))) {
		if (vma->vm_flags & VM_EXEC)
			hwpmc_maps_put_in(owner, pid, vma, draft);
		at = vma->vm_end;
		cond_resched();
	}
	mmap_read_unlock(mm);
}

/* Records a process's first thread, with the path of its program. */
static void hwpmc_snapshot_put_leader(struct hwpmc_owner *owner, struct task_struct *leader,
				      const char *path)
{
	struct hwpmc_process_record record = {};

	if (!hwpmc_process_fill(owner, leader, &record.head.task))
		return;
	record.head.path_offset = sizeof(record.head);
	strscpy_pad(record.path, path, sizeof(record.path));
	hwpmc_record_put(owner, &record,
			 ALIGN(sizeof(record.head) + strlen(record.path) + 1, 8),
			 HWPMC_LOG_PROCESS, 0);
}

static void hwpmc_snapshot_put_threads(struct hwpmc_owner *owner, struct task_struct *leader,
				       const char *path)
{
	struct task_struct *task;

	rcu_read_lock();
	for_each_thread(leader, task) {
		if (path && task == leader)
			hwpmc_snapshot_put_leader(owner, leader, path);
		else
			hwpmc_process_put(owner, task, HWPMC_LOG_PROCESS, NULL);
	}
	rcu_read_unlock();
}

static void hwpmc_snapshot_process(struct hwpmc_owner *owner, struct task_struct *leader, bool all,
				   bool maps, struct hwpmc_map_draft *draft)
{
	struct mm_struct *mm = get_task_mm(leader);
	bool may_see = mm && (all || hwpmc_snapshot_may_see(owner, leader));

	hwpmc_snapshot_put_threads(owner, leader, may_see ? hwpmc_maps_program(mm, draft) : NULL);
	if (may_see && maps)
		hwpmc_snapshot_vmas(owner, leader, mm, draft);
	if (mm)
		mmput(mm);
}

/* References to processes, since maps are walked without RCU. */
struct hwpmc_snapshot {
	struct task_struct **tasks;
	unsigned int count;
	unsigned int room;
};

static void hwpmc_snapshot_add(struct hwpmc_snapshot *it, struct task_struct *leader)
{
	if (it->count < it->room)
		it->tasks[it->count] = get_task_struct(leader);
	it->count++;
}

static void hwpmc_snapshot_drop(struct hwpmc_snapshot *it)
{
	unsigned int i;

	for (i = 0; i < min(it->count, it->room); i++)
		put_task_struct(it->tasks[i]);
	kvfree(it->tasks);
}

/* Takes references to all processes that @owner follows, or with @all to every process. */
static int hwpmc_snapshot_take(struct hwpmc_owner *owner, struct hwpmc_snapshot *it, bool all)
{
	struct task_struct *leader;

	for (it->room = 64;; it->room = it->count + 64) {
		it->count = 0;
		it->tasks = kvcalloc(it->room, sizeof(*it->tasks), GFP_KERNEL_ACCOUNT);
		if (!it->tasks)
			return -ENOMEM;
		rcu_read_lock();
		for_each_process(leader)
			if (all || hwpmc_snapshot_includes(owner, leader))
				hwpmc_snapshot_add(it, leader);
		rcu_read_unlock();
		if (it->count <= it->room)
			return 0;
		hwpmc_snapshot_drop(it);
	}
}

/**
 * hwpmc_process_snapshot - record the processes that exist, and the code they have mapped
 * @owner: which has rings; owner->lock held
 * @all: every process, not only those that the owner follows
 * @maps: record the code, too
 *
 * Context: may sleep. Return: 0, or -ENOMEM; then nothing is recorded.
 */
int hwpmc_process_snapshot(struct hwpmc_owner *owner, bool all, bool maps)
{
	struct hwpmc_map_draft *draft = hwpmc_maps_draft();
	struct hwpmc_snapshot it = {};
	unsigned int i;

	if (!draft || hwpmc_snapshot_take(owner, &it, all)) {
		kfree(draft);
		return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
	}
	for (i = 0; i < it.count; i++)
		hwpmc_snapshot_process(owner, it.tasks[i], all, maps, draft);
	hwpmc_snapshot_drop(&it);
	kfree(draft);
	return 0;
}
