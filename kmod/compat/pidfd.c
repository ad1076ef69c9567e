// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gets the pid of a pidfd; the kernel's pidfd_pid() is not exported to modules. Called by
 * ATTACH and DETACH, in process context.
 */
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/pid.h>
#include <linux/string.h>

#include "compat.h"

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
/* pidfds have a file system of their own, with the pid in the inode. */
struct pid *hwpmc_pidfd_pid(struct file *file)
{
	struct inode *inode = file_inode(file);

	return inode->i_sb->s_magic == PID_FS_MAGIC ? inode->i_private : NULL;
}
#else
/* A pidfd has an anonymous inode. Only the kernel names these, and this name is pidfd's. */
struct pid *hwpmc_pidfd_pid(struct file *file)
{
	if (file_inode(file)->i_sb->s_magic != ANON_INODE_FS_MAGIC ||
	    strcmp(file->f_path.dentry->d_name.name, "[pidfd]"))
		return NULL;
	return file->private_data;
}
#endif
