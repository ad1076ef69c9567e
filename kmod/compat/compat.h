/* SPDX-License-Identifier: GPL-2.0-only */
/* Every difference between kernels. The rest of the source reads like the newest. */
#ifndef HWPMC_COMPAT_H
#define HWPMC_COMPAT_H

#include <linux/binfmts.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/version.h>

/* Kernels that clear what is on the stack do so for this, too, if they do not know it. */
#ifndef __uninitialized
#define __uninitialized
#endif

/*
 * Tracepoint probes: TP_PROTO with a cookie before it. The type checks in
 * kmod/compat/tracepoint.c fail to compile when a kernel changes one.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
#define HWPMC_PROBE_SWITCH(name, prev, next)				\
	void name(void *cookie, bool preempt, struct task_struct *prev,	\
		  struct task_struct *next, unsigned int prev_state)
#else
#define HWPMC_PROBE_SWITCH(name, prev, next)				\
	void name(void *cookie, bool preempt, struct task_struct *prev,	\
		  struct task_struct *next)
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define HWPMC_PROBE_EXIT(name, task)					\
	void name(void *cookie, struct task_struct *task, bool group_dead)
#else
#define HWPMC_PROBE_EXIT(name, task)					\
	void name(void *cookie, struct task_struct *task)
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define HWPMC_PROBE_NEWTASK(name, child)				\
	void name(void *cookie, struct task_struct *child, u64 clone_flags)
#else
#define HWPMC_PROBE_NEWTASK(name, child)				\
	void name(void *cookie, struct task_struct *child, unsigned long clone_flags)
#endif
#define HWPMC_PROBE_EXEC(name, task, bprm)					\
	void name(void *cookie, struct task_struct *task, pid_t old_pid, \
		  struct linux_binprm *bprm)
#define HWPMC_PROBE_RENAME(name, task, comm)				\
	void name(void *cookie, struct task_struct *task, const char *comm)
#define HWPMC_PROBE_FREE(name, task)					\
	void name(void *cookie, struct task_struct *task)

/* Set and clear a mapping's flags while it is made. */
static inline void hwpmc_vma_flags(struct vm_area_struct *vma, unsigned long set,
				   unsigned long clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/* The mapping at an address, or NULL. For whoever holds its lock, or that of all. */
static inline struct vm_area_struct *hwpmc_vma_at(struct mm_struct *mm, unsigned long at)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
	return mtree_load(&mm->mm_mt, at);
#else
	struct vm_area_struct *vma = find_vma(mm, at);

	return vma && vma->vm_start <= at ? vma : NULL;
#endif
}

/* Where a module's functions are. */
static inline void hwpmc_module_text(const struct module *module, u64 *start, u64 *size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	*start = (unsigned long)module->mem[MOD_TEXT].base;
	*size = module->mem[MOD_TEXT].size;
#else
	*start = (unsigned long)module->core_layout.base;
	*size = module->core_layout.text_size;
#endif
}

static inline void hwpmc_hrtimer_setup(struct hrtimer *timer,
				       enum hrtimer_restart (*fn)(struct hrtimer *timer),
				       clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, fn, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
#endif
}

/* It has been on a CPU for the last time. */
static inline bool hwpmc_task_is_dead(const struct task_struct *task)
{
	return READ_ONCE(task->__state) == TASK_DEAD;
}

/**
 * hwpmc_tracepoint_find - a kernel tracepoint by name
 * @name: as in include/trace/events/, without a system
 *
 * Return: it, or NULL. Context: may sleep.
 */
struct tracepoint *hwpmc_tracepoint_find(const char *name);

/**
 * hwpmc_pidfd_pid - the process a pidfd stands for
 * @file: an open file
 *
 * Return: its pid, not referenced (@file holds it), or NULL if @file is no pidfd.
 */
struct pid *hwpmc_pidfd_pid(struct file *file);

/**
 * hwpmc_dumpable_get - whether a task may be looked into by its own user
 * @task: alive
 * @ns: out: the user namespace in which CAP_SYS_PTRACE lets one do so anyway
 *
 * Return: false for a task without memory, such as a kernel thread. Context: RCU held
 * or @task is current; takes a lock that must not be taken with interrupts off.
 */
bool hwpmc_dumpable_get(struct task_struct *task, struct user_namespace **ns);

/**
 * hwpmc_syscore_register - be told when the machine sleeps
 * @suspend: before; the last thing but for the kernel's own
 * @resume: after it
 *
 * Both on the one CPU that is online, interrupts off. There is one pair of them.
 */
void hwpmc_syscore_register(void (*suspend)(void), void (*resume)(void));

/** hwpmc_syscore_unregister - no more */
void hwpmc_syscore_unregister(void);

#endif /* HWPMC_COMPAT_H */
