// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the file that a log is to be written to. Called by writer.c for LOG_OPEN, in
 * process context with owner->lock held.
 */
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

	/* Kinds of files that kernel_write() can write to. */
	return (S_ISREG(mode) || S_ISFIFO(mode) || S_ISSOCK(mode)) && file->f_op->write_iter &&
	       !file->f_op->write;
}

/*
 * The owner's own file can be sent over a Unix socket. If that socket were its log, each
 * would hold the other and neither would be freed: the garbage collector of Unix sockets
 * does not see references that this module holds.
 */
static bool hwpmc_output_is_unix(struct file *file)
{
	struct socket *sock = sock_from_file(file);

	return sock && READ_ONCE(sock->ops)->family == AF_UNIX;
}

/*
 * Control files of the kernel: /proc/sys, sysfs, cgroups. A write to one is a command, and
 * may be checked against the writer's rights rather than the opener's.
 */
static bool hwpmc_output_is_control(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	return S_ISREG(inode->i_mode) && inode->i_sb->s_iflags & SB_I_NOEXEC;
}

/**
 * hwpmc_output_get - get the file that a log is to be written to
 * @owner: whose log; owner->lock held
 * @fd: the caller's descriptor
 * @out: set to the file, referenced; not valid after an error
 *
 * O_DIRECT is refused: on a file it needs aligned writes, on a pipe it makes packets.
 *
 * Context: may sleep. Return: 0, -EBADF, or -EINVAL if it cannot be a log.
 */
int hwpmc_output_get(struct hwpmc_owner *owner, int fd, struct file **out)
{
	struct file *file = fget(fd);
	int err = 0;

	if (!file || !(file->f_mode & FMODE_WRITE))
		err = hwpmc_fail(owner, -EBADF, "file descriptor %d is not open for writing", fd);
	else if (!hwpmc_output_takes(file))
		err = hwpmc_fail(owner, -EINVAL, "a log goes to a file, a pipe or a socket");
	else if (hwpmc_output_is_control(file))
		err = hwpmc_fail(owner, -EINVAL, "a log cannot go to a control file of the kernel: open a regular file, a pipe or a socket");
	else if (file->f_flags & O_DIRECT)
		err = hwpmc_fail(owner, -EINVAL, "a log cannot be written with O_DIRECT, since records are not aligned: open its file without it");
	else if (hwpmc_output_is_unix(file))
		err = hwpmc_fail(owner, -EINVAL, "a log cannot go to a Unix socket: use a pipe, or TCP");
	if (err && file)
		fput(file);
	*out = file;
	return err;
}
