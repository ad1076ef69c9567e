// SPDX-License-Identifier: GPL-2.0-only
/* /dev/hwpmc: open makes an owner, release undoes all that it did. */
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/wait.h>

#include "base/owner.h"
#include "call/call.h"
#include "hwpmc.h"
#include "log/log.h"
#include "main.h"

static int hwpmc_open(struct inode *inode, struct file *file)
{
	struct hwpmc_owner *owner = hwpmc_owner_create(file, hwpmc_notify_work);

	if (!owner)
		return -ENOMEM;
	file->private_data = owner;
	return nonseekable_open(inode, file);
}

static int hwpmc_release(struct inode *inode, struct file *file)
{
	hwpmc_release_owner(file->private_data);
	return 0;
}

/* Whole records. Waits for a watermark, and now and then for anything at all. */
static ssize_t hwpmc_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	struct hwpmc_owner *owner = file->private_data;
	ssize_t n;

	if (!size)
		return 0;
	for (;;) {
		long left;

		n = hwpmc_buffer_read(owner, to, size);
		if (n)
			return n;
		if (hwpmc_owner_hung_up(owner))
			return hwpmc_buffer_read(owner, to, size);
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		left = wait_event_interruptible_timeout(owner->waiters,
							hwpmc_buffer_ready(owner, false) ||
							hwpmc_owner_hung_up(owner), HZ / 10);
		if (left < 0)
			return left;
	}
}

static int hwpmc_mmap(struct file *file, struct vm_area_struct *vma)
{
	return hwpmc_buffer_mmap(file->private_data, vma);
}

static __poll_t hwpmc_poll(struct file *file, poll_table *wait)
{
	return hwpmc_notify_poll(file->private_data, wait);
}

/* SIGIO, for whoever does not poll: on the same occasion. */
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

/* udev gives it to group hwpmc (docs/dist/60-hwpmc.rules): the mode alone lets only root in. */
static struct miscdevice hwpmc_device = {
	.minor		= MISC_DYNAMIC_MINOR,
	.name		= "hwpmc",
	.fops		= &hwpmc_fops,
	.mode		= 0660,
};

int __init hwpmc_cdev_init(void)
{
	return misc_register(&hwpmc_device);
}

void hwpmc_cdev_exit(void)
{
	misc_deregister(&hwpmc_device);
}
