// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dispatch of ioctls: the table of calls, and the copy of their structures. Called by cdev.c, in
 * process context; the functions of the table are in kmod/call/.
 */
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "base/owner.h"
#include "base/stat.h"
#include "call/call.h"
#include "compat/compat.h"
#include "hwpmc.h"
#include "main.h"

/**
 * struct hwpmc_call - one ioctl
 * @min: size in bytes of the structure in the first release
 * @size: size in bytes of the structure now
 * @flags: flags that are accepted; HWPMC_FLAGS_ALL: the call has no flags, or checks them itself
 * @fn: handles the call with owner->lock held, see call/call.h. After an error the structure is
 *	copied back too, since it may have fields that explain the error
 * @fast: NULL, or a function that is tried before @fn, also with owner->lock held. It copies the
 *	structure in itself, and returns false if the call might be refused; then @fn is called
 */
struct hwpmc_call {
	u32 min;
	u32 size;
	u32 flags;
	int (*fn)(struct hwpmc_owner *owner, union hwpmc_args *args);
	bool (*fast)(struct hwpmc_owner *owner, void __user *arg);
};

#define HWPMC_FLAGS_ALL		(~0U)
#define HWPMC_CALL(cmd, member, flags_, fn_, ...)				\
	HWPMC_CALL_FROM(sizeof(((union hwpmc_args *)0)->member), cmd, member, flags_, fn_, \
			##__VA_ARGS__)
#define HWPMC_CALL_FROM(min_, cmd, member, flags_, fn_, ...)			\
	[_IOC_NR(cmd)] = {							\
		.min = (min_),							\
		.size = sizeof(((union hwpmc_args *)0)->member),		\
		.flags = (flags_), .fn = (fn_), ##__VA_ARGS__			\
	}

static const struct hwpmc_call hwpmc_calls[] = {
	HWPMC_CALL(HWPMC_IOC_VERSION, version, 0, hwpmc_info_version_ioctl),
	HWPMC_CALL(HWPMC_IOC_CPU_INFO, cpu_info, 0, hwpmc_info_cpu_ioctl),
	HWPMC_CALL(HWPMC_IOC_PMC_INFO, pmc_info, 0, hwpmc_info_rows_ioctl),
	HWPMC_CALL_FROM(offsetof(struct hwpmc_stats, probes), HWPMC_IOC_STATS, stats, 0,
			hwpmc_info_stats_ioctl),
	HWPMC_CALL(HWPMC_IOC_CAPS, caps, 0, hwpmc_info_caps_ioctl),
	HWPMC_CALL(HWPMC_IOC_ADMIN, admin, HWPMC_ADMIN_FORCE, hwpmc_admin_row_ioctl),
	HWPMC_CALL_FROM(offsetof(struct hwpmc_allocate, config), HWPMC_IOC_ALLOCATE, allocate,
			HWPMC_FLAGS_ALL, hwpmc_allocate_ioctl),
	HWPMC_CALL(HWPMC_IOC_RELEASE, ids, 0, hwpmc_release_ioctl),
	HWPMC_CALL(HWPMC_IOC_ATTACH, attach, HWPMC_ATTACH_TID | HWPMC_ATTACH_PIDFD,
		   hwpmc_follow_attach_ioctl),
	HWPMC_CALL(HWPMC_IOC_DETACH, attach,
		   HWPMC_ATTACH_TID | HWPMC_ATTACH_PIDFD | HWPMC_ATTACH_TARGET,
		   hwpmc_follow_detach_ioctl),
	HWPMC_CALL(HWPMC_IOC_START, ids, 0, hwpmc_run_start_ioctl),
	HWPMC_CALL(HWPMC_IOC_STOP, ids, 0, hwpmc_run_stop_ioctl),
	HWPMC_CALL(HWPMC_IOC_RW, rw,
		   HWPMC_RW_OLD | HWPMC_RW_NEW | HWPMC_RW_STALE | HWPMC_RW_TIME,
		   hwpmc_value_rw_ioctl, .fast = hwpmc_value_read_few),
	HWPMC_CALL(HWPMC_IOC_SET_COUNT, set_count, 0, hwpmc_value_set_count_ioctl),
	HWPMC_CALL(HWPMC_IOC_RING, ring, 0, hwpmc_logging_ring_ioctl),
	HWPMC_CALL_FROM(offsetof(struct hwpmc_sampled, skipped), HWPMC_IOC_SAMPLED, sampled, 0,
			hwpmc_info_sampled_ioctl),
	HWPMC_CALL(HWPMC_IOC_LOG_OPEN, log, 0, hwpmc_logging_open_ioctl),
	HWPMC_CALL(HWPMC_IOC_LOG_FLUSH, log, 0, hwpmc_logging_flush_ioctl),
	HWPMC_CALL(HWPMC_IOC_LOG_CLOSE, log, 0, hwpmc_logging_close_ioctl),
	HWPMC_CALL(HWPMC_IOC_LOG_WRITE, log_write, 0, hwpmc_logging_write_ioctl),
	HWPMC_CALL(HWPMC_IOC_GROUP, group, 0, hwpmc_group_make_ioctl),
	HWPMC_CALL(HWPMC_IOC_GROUP_FREE, group, 0, hwpmc_group_free_ioctl),
	HWPMC_CALL(HWPMC_IOC_GROUP_READ, group_read, HWPMC_RW_STALE | HWPMC_RW_TIME,
		   hwpmc_group_read_ioctl, .fast = hwpmc_group_read_own),
	HWPMC_CALL(HWPMC_IOC_USER_READ, user_read, 0, hwpmc_user_read_ioctl),
	HWPMC_CALL(HWPMC_IOC_EVENTS, events, 0, hwpmc_events_ioctl),
	HWPMC_CALL(HWPMC_IOC_MAP_FD, map_fd, HWPMC_ATTACH_PIDFD, hwpmc_map_fd_ioctl),
};

static int hwpmc_call_copy_in(struct hwpmc_owner *owner, const struct hwpmc_call *call,
			      union hwpmc_args *args, void __user *user)
{
	u32 size;
	int err;

	if (get_user(size, (u32 __user *)user))
		return hwpmc_fail_copy(owner);
	if (size < call->min)
		return hwpmc_fail(owner, -EINVAL, "the structure is %u bytes; set its size to at least %u",
				  size, call->min);
	/* copy_struct_from_user() checks the tail byte by byte: limit the time that takes. */
	if (size > PAGE_SIZE)
		return hwpmc_fail(owner, -E2BIG, "the structure is %u bytes; set its size to at most %lu",
				  size, PAGE_SIZE);
	err = copy_struct_from_user(args, call->size, user, size);
	if (err == -E2BIG)
		return hwpmc_fail(owner, err,
				  "the structure sets fields that this module does not have: load a newer module");
	if (err)
		return hwpmc_fail_copy(owner);
	/* Another thread may have changed the size since get_user(). */
	args->head.size = size;
	if (args->head.flags & ~call->flags)
		return hwpmc_fail(owner, -EOPNOTSUPP, "unknown flags 0x%x",
				  args->head.flags & ~call->flags);
	return 0;
}

/*
 * Writes the sentence of a failed call to the address in its head. The head is read again, since
 * a structure that was refused may not have been copied in. A fault here leaves the error as it is.
 * Not inline, for the same reason as hwpmc_call_run().
 */
static noinline void hwpmc_call_explain(struct hwpmc_owner *owner,
					struct hwpmc_head __user *user)
{
	size_t length = strlen(owner->sentence) + 1;
	struct hwpmc_head head;
	char __user *to;

	if (copy_from_user(&head, user, sizeof(head)) || head.size < sizeof(head) ||
	    !head.error_text)
		return;
	to = u64_to_user_ptr(head.error_text);
	if (head.error_size && head.error_size < length &&
	    (copy_to_user(to, owner->sentence, head.error_size - 1) ||
	     put_user('\0', to + head.error_size - 1)))
		return;
	if (head.error_size >= length && copy_to_user(to, owner->sentence, length))
		return;
	put_user(length, &user->error_length);
}

/* Not inline, since a fast call does not need its stack. */
static noinline int hwpmc_call_run(struct hwpmc_owner *owner, const struct hwpmc_call *call,
				   void __user *user)
{
	/*
	 * Not initialised: clearing the union would cost more than the rest of this function.
	 * Copying in fills @call->size bytes, and a call uses no others.
	 */
	union hwpmc_args args __uninitialized;
	int err = hwpmc_call_copy_in(owner, call, &args, user);

	if (err)
		return err;
	owner->args = user;
	err = call->fn(owner, &args);
	if (!err)
		return 0;
	/* HWPMC_REPLY, or an error, which a failed copy does not replace. */
	if (!copy_to_user(user, &args, min(args.head.size, call->size)) || err < 0)
		return min(err, 0);
	return hwpmc_fail_copy(owner);
}

/**
 * hwpmc_ioctl - handle an ioctl of /dev/hwpmc
 * @file: the open file
 * @cmd: one of HWPMC_IOC_*
 * @arg: user address of the call's structure
 *
 * Context: process, may sleep; takes owner->lock. Return: 0, -ENOTTY for a number that is not a
 * call, -EINTR if a fatal signal ended the wait for the lock, or the error of the call.
 */
long hwpmc_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct hwpmc_owner *owner = file->private_data;
	unsigned int nr = _IOC_NR(cmd);
	const struct hwpmc_call *call;
	int err = 0;

	/*
	 * Refuse aliases of the number: they would bypass a seccomp filter that refuses the number.
	 */
	if (cmd != _IO(HWPMC_IOC_MAGIC, nr) || nr >= ARRAY_SIZE(hwpmc_calls))
		return -ENOTTY;
	nr = array_index_nospec(nr, ARRAY_SIZE(hwpmc_calls));
	call = &hwpmc_calls[nr];
	if (!call->fn)
		return -ENOTTY;
	/*
	 * Killable: another call may hold the lock for as long as a write to the log takes. Trying
	 * first takes fewer instructions, since a lock that may sleep also checks for rescheduling.
	 */
	if (!mutex_trylock(&owner->lock) && mutex_lock_killable(&owner->lock))
		return -EINTR;
	if (!call->fast || !call->fast(owner, (void __user *)arg))
		err = hwpmc_call_run(owner, call, (void __user *)arg);
	if (err)
		hwpmc_call_explain(owner, (void __user *)arg);
	mutex_unlock(&owner->lock);
	hwpmc_stat_inc(HWPMC_STAT_CALLS);
	if (err)
		hwpmc_stat_inc(HWPMC_STAT_CALLS_FAILED);
	return err;
}
