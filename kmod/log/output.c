// SPDX-License-Identifier: GPL-2.0-only
/* What a log may go to. */
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/net.h>
#include <linux/socket.h>

#include "../base/owner.h"
#include "log.h"

static bool hwpmc_output_takes(const struct file *file)
{
	umode_t mode = file_inode(file)->i_mode;

	/* What kernel_write() can write to. */
	return (S_ISREG(mode) || S_ISFIFO(mode) || S_ISSOCK(mode)) && file->f_op->write_iter &&
	       !file->f_op->write;
}

/*
 * The owner's own file can be sent to a Unix socket, and would lie there for ever if
 * that were its log: the collector of such files knows of no socket that another holds.
 */
static bool hwpmc_output_is_unix(struct file *file)
{
	struct socket *sock = sock_from_file(file);

	return sock && READ_ONCE(sock->ops)->family == AF_UNIX;
}

/*
 * Switches of the kernel's own: /proc/sys, sysfs, cgroups. What is written there is a
 * command, and may go by who writes it rather than by who opened it.
 */
static bool hwpmc_output_is_switch(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	return S_ISREG(inode->i_mode) && inode->i_sb->s_iflags & SB_I_NOEXEC;
}

/**
 * hwpmc_output_get - what a log is to go to
 * @owner: whose log; its lock is held
 * @fd: the caller's descriptor
 * @out: out: what it stands for, referenced; if it cannot be a log, it is to be ignored
 *
 * Context: may sleep.
 */
int hwpmc_output_get(struct hwpmc_owner *owner, int fd, struct file **out)
{
	struct file *file = fget(fd);
	int err = 0;

	if (!file || !(file->f_mode & FMODE_WRITE))
		err = hwpmc_fail(owner, -EBADF, "file descriptor %d is not open for writing", fd);
	else if (!hwpmc_output_takes(file))
		err = hwpmc_fail(owner, -EINVAL, "a log goes to a file, a pipe or a socket");
	else if (hwpmc_output_is_switch(file))
		err = hwpmc_fail(owner, -EINVAL, "a log goes to a file that keeps it, not to one of the kernel's own");
	else if (file->f_flags & O_DIRECT)
		err = hwpmc_fail(owner, -EINVAL, "a log's records are not aligned, nor are they packets: open its file without O_DIRECT");
	else if (hwpmc_output_is_unix(file))
		err = hwpmc_fail(owner, -EINVAL, "a log cannot go to a Unix socket, which could hold this very file: use a pipe, or TCP");
	if (err && file)
		fput(file);
	*out = file;
	return err;
}
