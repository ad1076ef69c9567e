// SPDX-License-Identifier: GPL-2.0-only
/*
 * MAP_FD opens the file of which a process has mapped code. Called by kmod/ioctl.c, in process
 * context with owner->lock held; may sleep.
 *
 * Exec changes a process's memory and its rights, both with exec_update_lock held. So under this
 * lock the checked rights belong to the referenced memory. A later exec gives the process other
 * memory, which is not used.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/stat.h>
#include <linux/uaccess.h>

#include "../base/owner.h"
#include "../base/rights.h"
#include "../compat/compat.h"
#include "../task/task.h"
#include "call.h"

static int hwpmc_map_fd_gone(struct hwpmc_owner *owner)
{
	return hwpmc_fail(owner, -ESRCH, "the process has exited");
}

static int hwpmc_map_fd_killed(struct hwpmc_owner *owner)
{
	return hwpmc_fail(owner, -EINTR, "interrupted while waiting for the process");
}

static int hwpmc_map_fd_none(struct hwpmc_owner *owner, const struct hwpmc_map_fd *args)
{
	return hwpmc_fail(owner, -ENOENT, "no executable mapping of a file is at 0x%llx",
			  args->address);
}

/*
 * Sets @mm to the memory that the threads of a process share, referenced, or to NULL if none has
 * any. Each thread must be permitted, as by ATTACH. The first thread may have exited before others.
 * exec_update_lock of the process is held.
 */
static int hwpmc_map_fd_share(struct hwpmc_owner *owner, struct task_struct *leader,
			      struct mm_struct **mm)
{
	const char *why = NULL;
	struct hwpmc_rights caller;
	struct task_struct *task;
	bool lives = false;

	*mm = NULL;
	hwpmc_rights_take(&caller, current_cred());
	rcu_read_lock();
	for_each_thread(leader, task) {
		if (hwpmc_task_exits(task))
			continue;
		lives = true;
		why = hwpmc_rights_refusal(owner, &caller, task, false);
		if (why)
			break;
		if (!*mm)
			*mm = get_task_mm(task);
	}
	rcu_read_unlock();
	hwpmc_rights_drop(&caller);
	if (why)
		return hwpmc_fail(owner, -EPERM, "no permission to follow pid %d: %s",
				  task_tgid_vnr(leader), why);
	return lives ? 0 : hwpmc_map_fd_gone(owner);
}

/* The memory of a process that may be followed; referenced, or an error after hwpmc_fail(). */
static struct mm_struct *hwpmc_map_fd_memory(struct hwpmc_owner *owner, struct task_struct *leader,
					     const struct hwpmc_map_fd *args)
{
	struct mm_struct *mm;
	int err;

	if (down_read_killable(&leader->signal->exec_update_lock))
		return ERR_PTR(hwpmc_map_fd_killed(owner));
	err = hwpmc_map_fd_share(owner, leader, &mm);
	up_read(&leader->signal->exec_update_lock);
	/* Outside of that lock, since this may free the memory. */
	if (err && mm)
		mmput(mm);
	if (!err && !mm)
		err = READ_ONCE(leader->flags) & PF_KTHREAD ? hwpmc_map_fd_none(owner, args) :
							      hwpmc_map_fd_gone(owner);
	return err ? ERR_PTR(err) : mm;
}

/*
 * Whether a mapping belongs to the file of a program or library. The kernel's internal files of
 * shared memory (shmget(2), /dev/zero) have no path, and opening them has no permission check.
 * Opening a device may have side effects.
 */
static bool hwpmc_map_fd_is_code(const struct vm_area_struct *vma)
{
	const struct inode *inode = vma->vm_file ? file_inode(vma->vm_file) : NULL;

	return inode && (vma->vm_flags & VM_EXEC) && S_ISREG(inode->i_mode) && !IS_PRIVATE(inode);
}

/* The file that is mapped, as the process opened it; referenced, or an error after hwpmc_fail(). */
static struct file *hwpmc_map_fd_mapped(struct hwpmc_owner *owner, struct mm_struct *mm,
					struct hwpmc_map_fd *args)
{
	const struct vm_area_struct *vma;
	struct file *file = NULL;

	if (mmap_read_lock_killable(mm))
		return ERR_PTR(hwpmc_map_fd_killed(owner));
	vma = hwpmc_vma_at(mm, args->address);
	if (vma && hwpmc_map_fd_is_code(vma)) {
		file = get_file(vma->vm_file);
		args->start = vma->vm_start;
		args->length = vma->vm_end - vma->vm_start;
		args->offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	}
	mmap_read_unlock(mm);
	return file ?: ERR_PTR(hwpmc_map_fd_none(owner, args));
}

static struct file *hwpmc_map_fd_look_up(struct hwpmc_owner *owner, struct hwpmc_map_fd *args)
{
	struct task_struct *leader;
	struct mm_struct *mm;
	struct file *file;
	struct pid *pid;

	pid = hwpmc_follow_pid(owner, args->pid, args->flags, false);
	if (!pid)
		return ERR_PTR(-owner->error);
	leader = get_pid_task(pid, PIDTYPE_TGID);
	put_pid(pid);
	if (!leader)
		return ERR_PTR(hwpmc_map_fd_gone(owner));
	mm = hwpmc_map_fd_memory(owner, leader, args);
	put_task_struct(leader);
	if (IS_ERR(mm))
		return ERR_CAST(mm);
	file = hwpmc_map_fd_mapped(owner, mm, args);
	mmput(mm);
	return file;
}

/* Some errors of opening a file are internal to the kernel. */
static int hwpmc_map_fd_errno(int err)
{
	switch (err) {
	case -ERESTARTSYS:
	case -ERESTARTNOINTR:
	case -ERESTARTNOHAND:
		return -EINTR;
	case -EOPENSTALE:
		return -ESTALE;
	default:
		return err;
	}
}

/*
 * Opens a file again, by the caller's rights to read it. The process's own descriptor is not
 * passed on: it may be writable, and shares the file position. Returns a file, or an error after
 * hwpmc_fail().
 */
static struct file *hwpmc_map_fd_open(struct hwpmc_owner *owner, const struct file *mapped)
{
	const struct path *path = hwpmc_file_path(mapped);
	int err = path_permission(path, MAY_READ);
	struct file *file;

	if (err)
		return ERR_PTR(hwpmc_fail(owner, hwpmc_map_fd_errno(err),
					  "the caller may not read the file that is mapped there"));
	file = dentry_open(path, O_RDONLY | O_LARGEFILE, current_cred());
	err = PTR_ERR_OR_ZERO(file);
	if (!err)
		err = hwpmc_file_measure(file);
	if (!err)
		return file;
	if (!IS_ERR(file))
		fput(file);
	err = hwpmc_map_fd_errno(err);
	return ERR_PTR(hwpmc_fail(owner, err,
				  "the file that is mapped there cannot be opened: error %d", -err));
}

/*
 * The reply is copied out before the descriptor exists, so that no descriptor is left if that
 * fails.
 */
static int hwpmc_map_fd_give(struct hwpmc_owner *owner, struct hwpmc_map_fd *args,
			     const struct file *mapped)
{
	int err, fd = get_unused_fd_flags(O_CLOEXEC);
	struct file *file;

	if (fd < 0)
		return hwpmc_fail(owner, fd, "no file descriptor is free: close some, or raise ulimit -n");
	file = hwpmc_map_fd_open(owner, mapped);
	if (IS_ERR(file)) {
		err = PTR_ERR(file);
		goto put_fd;
	}
	args->fd = fd;
	if (copy_to_user(owner->args, args, sizeof(*args))) {
		args->fd = -1;
		err = hwpmc_fail_copy(owner);
		goto put_file;
	}
	fd_install(fd, file);
	return 0;

put_file:
	fput(file);
put_fd:
	put_unused_fd(fd);
	return err;
}

int hwpmc_map_fd_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_map_fd *map_fd = &args->map_fd;
	struct file *mapped;
	int err;

	map_fd->fd = -1;
	map_fd->start = 0;
	map_fd->length = 0;
	map_fd->offset = 0;
	mapped = hwpmc_map_fd_look_up(owner, map_fd);
	if (IS_ERR(mapped))
		return PTR_ERR(mapped);
	err = hwpmc_map_fd_give(owner, map_fd, mapped);
	fput(mapped);
	return err;
}
