/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All differences between kernel versions. The rest of the source is written for the newest
 * kernel. Included by every file that needs one of them.
 */
#ifndef HWPMC_COMPAT_H
#define HWPMC_COMPAT_H

#include <linux/binfmts.h>
#include <linux/cgroup.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/ima.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/tracepoint.h>
#include <linux/uprobes.h>
#include <linux/version.h>

/* Kernels that initialize stack variables also initialize these if they lack this attribute. */
#ifndef __uninitialized
#define __uninitialized
#endif

/*
 * Prototypes of tracepoint probes: TP_PROTO with a cookie before it. The type checks in
 * kmod/compat/tracepoint.c fail to compile if a kernel changes one.
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
#define HWPMC_PROBE_SYS_ENTER(name, regs, number)			\
	void name(void *cookie, struct pt_regs *regs, long number)
#define HWPMC_PROBE_SYS_EXIT(name, regs, result)			\
	void name(void *cookie, struct pt_regs *regs, long result)

/* Sets and clears flags of a mapping that is being created. */
static inline void hwpmc_vma_flags(struct vm_area_struct *vma, unsigned long set,
				   unsigned long clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/*
 * Returns the mapping at an address, or NULL. The caller holds the lock of that mapping or
 * the mmap lock.
 */
static inline struct vm_area_struct *hwpmc_vma_at(struct mm_struct *mm, unsigned long at)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
	return mtree_load(&mm->mm_mt, at);
#else
	struct vm_area_struct *vma = find_vma(mm, at);

	return vma && vma->vm_start <= at ? vma : NULL;
#endif
}

/*
 * Returns the path by which a mapped file was opened. A mapping of overlayfs is of a layer's file,
 * whose own path is on a private mount.
 */
static inline const struct path *hwpmc_file_path(const struct file *file)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return file_user_path((struct file *)file);
#else
	return &file->f_path;
#endif
}

/*
 * Lets integrity subsystems measure and appraise a file that was opened for reading, as open(2)
 * does after all other checks. May sleep. Returns 0, or the error with which open(2) fails.
 */
static inline int hwpmc_file_measure(struct file *file)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	return security_file_post_open(file, MAY_READ);
#else
	return ima_file_check(file, MAY_READ);
#endif
}

/* Returns the address and size in bytes of a module's functions. */
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

/* Whether the task was scheduled out for the last time. */
static inline bool hwpmc_task_is_dead(const struct task_struct *task)
{
	return READ_ONCE(task->__state) == TASK_DEAD;
}

/**
 * hwpmc_tracepoint_find - find a kernel tracepoint by name
 * @name: as in include/trace/events/, without the system
 *
 * Context: may sleep. Return: the tracepoint, or NULL.
 */
struct tracepoint *hwpmc_tracepoint_find(const char *name);

/**
 * hwpmc_syscall_names_get - the name of a system call
 * @number: of the system call, for programs of the kernel's own word size
 *
 * Context: any. Return: the name as strace(1) has it, or NULL if there is no such call.
 */
const char *hwpmc_syscall_names_get(unsigned int number);

/* Prototypes of the handlers of a uprobe: where it is, and where its function @function returns. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define HWPMC_UPROBE_ENTRY(name, consumer, regs)				\
	int name(struct uprobe_consumer *consumer, struct pt_regs *regs, __u64 *data)
#define HWPMC_UPROBE_RETURN(name, consumer, function, regs)			\
	int name(struct uprobe_consumer *consumer, unsigned long function,	\
		 struct pt_regs *regs, __u64 *data)
#else
#define HWPMC_UPROBE_ENTRY(name, consumer, regs)				\
	int name(struct uprobe_consumer *consumer, struct pt_regs *regs)
#define HWPMC_UPROBE_RETURN(name, consumer, function, regs)			\
	int name(struct uprobe_consumer *consumer, unsigned long function,	\
		 struct pt_regs *regs)
#endif

/**
 * struct hwpmc_uprobes_place - a probe of the kernel at an offset of a file
 * @consumer: its handlers, set by the caller
 * @inode: of the file; the caller keeps it and its mount
 * @offset: in the file, in bytes
 * @uprobe: since Linux 6.12: what the kernel returned for it
 */
struct hwpmc_uprobes_place {
	struct uprobe_consumer consumer;
	struct inode *inode;
	loff_t offset;
	struct uprobe *uprobe;
};

/** hwpmc_uprobes_register - register the handlers of a place; may sleep. Return: 0 or -errno */
int hwpmc_uprobes_register(struct hwpmc_uprobes_place *place);

/**
 * hwpmc_uprobes_unregister - unregister the handlers of a place
 * @place: a registered place
 *
 * Handlers that were called before may run until hwpmc_uprobes_synchronize() returns. Context: may
 * sleep.
 */
void hwpmc_uprobes_unregister(struct hwpmc_uprobes_place *place);

/** hwpmc_uprobes_synchronize - wait for handlers of places that were unregistered; may sleep */
void hwpmc_uprobes_synchronize(void);

/**
 * hwpmc_pidfd_pid - get the pid of a pidfd
 * @file: an open file
 *
 * Context: any. Return: the pid, for which @file holds the reference, or NULL if @file is
 * not a pidfd.
 */
struct pid *hwpmc_pidfd_pid(struct file *file);

/**
 * hwpmc_dumpable_get - whether a task may be inspected by its own user
 * @task: alive
 * @ns: set to the user namespace in which CAP_SYS_PTRACE overrides the answer
 *
 * Context: RCU held or @task is current; takes a lock that must not be taken with
 * interrupts off. Return: true if it may; false for a task without memory, such as a kernel
 * thread.
 */
bool hwpmc_dumpable_get(struct task_struct *task, struct user_namespace **ns);

/**
 * struct hwpmc_label - the labels that security modules have given to a task
 * @of: the labels; zero without such a module. They can only be compared
 */
struct hwpmc_label {
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	struct lsm_prop of;
#else
	u32 of;
#endif
};

/**
 * hwpmc_label_get - get the label of a task
 * @task: alive
 * @label: set to its label
 *
 * Context: RCU held or @task is current; no raw lock held, since a security module may take
 * locks of its own.
 */
void hwpmc_label_get(struct task_struct *task, struct hwpmc_label *label);

/** hwpmc_label_same - whether two labels are the same; any context */
bool hwpmc_label_same(const struct hwpmc_label *a, const struct hwpmc_label *b);

/**
 * hwpmc_syscore_register - register callbacks for suspend and resume of the machine
 * @suspend: called after the suspend of all devices, before that of the machine
 * @resume: called after the resume of the machine, before that of the devices
 *
 * Both are called on the only CPU that is online, interrupts off. Only one pair can be registered.
 * Context: may sleep.
 */
void hwpmc_syscore_register(void (*suspend)(void), void (*resume)(void));

/** hwpmc_syscore_unregister - unregister the callbacks; may sleep */
void hwpmc_syscore_unregister(void);

/**
 * hwpmc_cgroup_level - how many cgroups a cgroup of version 2 is below the root
 * @id: the cgroup's
 *
 * Context: may sleep. Return: 0 for the root, or -ENOENT if there is no such cgroup in the caller's
 * cgroup namespace.
 */
static inline int hwpmc_cgroup_level(u64 id)
{
#ifdef CONFIG_CGROUPS
	struct cgroup *it = cgroup_get_from_id(id);
	int level = -ENOENT;

	if (!IS_ERR_OR_NULL(it)) {
		level = it->level;
		cgroup_put(it);
	}
	return level;
#else
	return -ENOENT;
#endif
}

/**
 * hwpmc_task_in_cgroup - whether a task is in a cgroup of version 2, or in one below it
 * @task: current
 * @id: the cgroup's
 * @level: its hwpmc_cgroup_level(); by it the ancestor is found without a walk
 *
 * The task's own set of cgroups is freed after a grace period. Context: any, NMI included, where
 * RCU watches; interrupts off.
 */
static inline bool hwpmc_task_in_cgroup(struct task_struct *task, u64 id, int level)
{
#ifdef CONFIG_CGROUPS
	struct cgroup *it = rcu_dereference_raw(task->cgroups)->dfl_cgrp;

	it = cgroup_ancestor(it, level);
	return it && cgroup_id(it) == id;
#else
	return false;
#endif
}

#endif /* HWPMC_COMPAT_H */
