// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device /dev/hwpmc and its file operations: open creates an owner, the last close releases
 * all that it allocated. Called by the kernel in process context; ioctls are in ioctl.c.
 */
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/wait.h>

#include "base/notice.h"
#include "base/owner.h"
#include "call/call.h"
#include "hwpmc.h"
#include "log/log.h"
#include "main.h"
#include "pmc/page.h"

static int hwpmc_open(struct inode *inode, struct file *file)
{
	struct hwpmc_owner *owner = hwpmc_owner_create(file, hwpmc_notify_work);

	if (IS_ERR(owner))
		return PTR_ERR(owner);
	file->private_data = owner;
	hwpmc_notice_owner(owner, HWPMC_NL_WHAT_OPEN, 0);
	return nonseekable_open(inode, file);
}

static int hwpmc_release(struct inode *inode, struct file *file)
{
	hwpmc_release_owner(file->private_data);
	return 0;
}

/*
 * read(2): complete records; 0 if no target is left and all records were read. Waiters are woken
 * when a ring reaches its watermark. Records below it are returned after at most a tenth of a
 * second.
 */
static ssize_t hwpmc_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	struct hwpmc_owner *owner = file->private_data;
	ssize_t n;

	if (!size)
		return 0;
	for (;;) {
		long left;

		n = hwpmc_reader_read(owner, to, size);
		if (n)
			return n;
		/* Read again: records may have been written before the hang-up. */
		if (hwpmc_owner_hung_up(owner))
			return hwpmc_reader_read(owner, to, size);
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		left = wait_event_interruptible_timeout(owner->waiters,
							hwpmc_reader_ready(owner, false) ||
							hwpmc_owner_hung_up(owner), HZ / 10);
		if (left < 0)
			return left;
	}
}

/* Called under the mmap lock, so it must not take owner->lock: see hwpmc.h. */
static int hwpmc_mmap(struct file *file, struct vm_area_struct *vma)
{
	if ((u64)vma->vm_pgoff << PAGE_SHIFT >= HWPMC_PAGE_PLACE)
		return hwpmc_page_mmap(file->private_data, vma);
	return hwpmc_buffer_mmap(file->private_data, vma);
}

static __poll_t hwpmc_poll(struct file *file, poll_table *wait)
{
	return hwpmc_notify_poll(file->private_data, wait);
}

/* O_ASYNC: request SIGIO; hwpmc_notify_work() sends it for the events that wake poll(2). */
static int hwpmc_fasync(int fd, struct file *file, int on)
{
	struct hwpmc_owner *owner = file->private_data;

	return fasync_helper(fd, file, on, &owner->async);
}

static const struct file_operations hwpmc_fops = {
	.owner		= THIS_MODULE,
	.open		= hwpmc_open,
	.release	= hwpmc_release,
	.read		= hwpmc_read,
	.mmap		= hwpmc_mmap,
	.poll		= hwpmc_poll,
	.fasync		= hwpmc_fasync,
	.unlocked_ioctl	= hwpmc_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

/* Mode 0660: only root can open it until udev sets group hwpmc (docs/dist/60-hwpmc.rules). */
static struct miscdevice hwpmc_device = {
	.minor		= MISC_DYNAMIC_MINOR,
	.name		= "hwpmc",
	.fops		= &hwpmc_fops,
	.mode		= 0660,
};

/** hwpmc_cdev_init - create the device; may sleep; 0 or a negative errno */
int __init hwpmc_cdev_init(void)
{
	return misc_register(&hwpmc_device);
}

/** hwpmc_cdev_exit - remove the device; no file is open; may sleep */
void hwpmc_cdev_exit(void)
{
	misc_deregister(&hwpmc_device);
}
