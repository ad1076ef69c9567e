// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the probe of a name, and has its provider register it with the kernel. All PMCs with the
 * same name share one probe. Called by ALLOCATE and RELEASE in process context, with owner->lock
 * held.
 *
 * A probe whose last PMC is released lingers, as the probes of task/probes.c do, each for its own
 * time. A work item removes those whose time is over, in batches: each removal patches the
 * kernel's text, and one grace period is enough for a batch. At most about HWPMC_PLACES_IDLE linger
 * (concurrent puts may read the same count), so that a user cannot fill memory by allocating and
 * releasing, or with HWPMC_F_TRY.
 *
 * hwpmc_provider_lock is held while the kernel registers or removes a probe. Another process can
 * make this take any time: a probe of a file needs the mmap lock of each process that maps the
 * file. So a task that waits for a probe can be killed, and put takes no lock:
 *
 *	put					get, or the work item
 *
 *	until = a time				lock
 *	users--					get: users++; was 0? idle--
 *	0 now? idle++, queue the work item:	work item: users == 0 and its time is over?
 *	the place may be freed by now		  idle--, remove it, free it
 *						unlock
 *
 * So idle-- may precede its idle++, and then the work item is queued once more than necessary. If
 * the work item is queued already for another time, put does not change that time: a place may
 * linger up to twice its time. At unload no file is open, so no put runs.
 */
#include <linux/atomic.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "../base/owner.h"
#include "../base/stat.h"
#include "../task/task.h"
#include "probe.h"

static const struct hwpmc_provider *const hwpmc_providers[] = {
	&hwpmc_syscall_provider,
	&hwpmc_point_provider,
	&hwpmc_kprobe_provider,
	&hwpmc_uprobe_provider,
	&hwpmc_profile_provider,
	&hwpmc_interval_provider,
};

/* Guards the places and the registration of their probes, which takes locks of the kernel. */
static DEFINE_MUTEX(hwpmc_provider_lock);
static DEFINE_HASHTABLE(hwpmc_places, 10);
static unsigned int hwpmc_place_count;
/* Number of places without users; each put in progress may make it one too small for a moment. */
static atomic_t hwpmc_places_idle = ATOMIC_INIT(0);

/* The number of places without users that may linger. */
#define HWPMC_PLACES_IDLE	64

static void hwpmc_provider_check(struct work_struct *work);
static DECLARE_DELAYED_WORK(hwpmc_provider_work, hwpmc_provider_check);

static u32 hwpmc_place_hash(const char *name)
{
	return jhash(name, strlen(name), 0);
}

static bool hwpmc_place_gone(const struct hwpmc_place *place)
{
	return place->provider->gone && place->provider->gone(place);
}

/*
 * Leaves out a place whose module was unloaded: it remains for its users, and does not fire even if
 * the module is loaded again.
 */
static struct hwpmc_place *hwpmc_place_find(const char *name, const struct inode *inode)
{
	struct hwpmc_place *place;

	hash_for_each_possible(hwpmc_places, place, node, hwpmc_place_hash(name))
		if (place->inode == inode && !strcmp(place->name, name) &&
		    !hwpmc_place_gone(place))
			return place;
	return NULL;
}

/* The inode that programs map: on an overlay it is that of a layer's file. */
static struct inode *hwpmc_place_inode(const struct file *file)
{
	return file ? d_real_inode(file->f_path.dentry) : NULL;
}

/* Free a place that is not in the table, and whose probe does not fire. */
static void hwpmc_place_free(struct hwpmc_place *place)
{
	free_percpu(place->probe.cpu);
	if (place->inode)
		path_put(&place->path);
	kfree(place->name);
	kfree(place);
}

static struct hwpmc_place *hwpmc_place_alloc(const struct hwpmc_provider *provider,
					     const char *name, const struct file *file)
{
	struct hwpmc_place *place = kzalloc(provider->size, GFP_KERNEL_ACCOUNT);

	if (!place)
		return NULL;
	place->provider = provider;
	place->inode = hwpmc_place_inode(file);
	if (file) {
		place->path = file->f_path;
		path_get(&place->path);
	}
	place->name = kstrdup(name, GFP_KERNEL_ACCOUNT);
	place->probe.cpu = alloc_percpu_gfp(struct hwpmc_probe_cpu, GFP_KERNEL_ACCOUNT);
	if (place->name && place->probe.cpu)
		return place;
	hwpmc_place_free(place);
	return NULL;
}

/* Count one more place. Before the first one, prepare for events. */
static int hwpmc_place_count_one(void)
{
	int err = hwpmc_place_count ? 0 : hwpmc_fire_enable();

	if (err)
		return err;
	hwpmc_place_count++;
	hwpmc_stat_inc(HWPMC_STAT_PROBES);
	return 0;
}

static void hwpmc_place_uncount_one(void)
{
	hwpmc_stat_add(HWPMC_STAT_PROBES, -1);
	if (!--hwpmc_place_count)
		hwpmc_fire_disable();
}

/* The provider that @name begins with, or NULL. @rest: set to the part after the colon. */
static const struct hwpmc_provider *hwpmc_provider_find(const char *name, const char **rest)
{
	size_t i, length = strcspn(name, ":");

	*rest = name + length + 1;
	for (i = 0; name[length] && i < ARRAY_SIZE(hwpmc_providers); i++)
		if (strlen(hwpmc_providers[i]->name) == length &&
		    !strncmp(hwpmc_providers[i]->name, name, length))
			return hwpmc_providers[i];
	return NULL;
}

/* Call the provider's @add with a copy of the name. */
static int hwpmc_place_register(struct hwpmc_owner *owner, struct hwpmc_place *place,
				const char *rest)
{
	char *copy = kstrdup(rest, GFP_KERNEL);
	int err;

	if (!copy)
		return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
	err = place->provider->add(owner, place, copy);
	kfree(copy);
	return err;
}

/* Whether a place should be removed: it is unused, and its time is over. */
static bool hwpmc_place_over(const struct hwpmc_place *place)
{
	/* Pairs with hwpmc_provider_put(): the last user has finished using the place. */
	return !atomic_long_read_acquire(&place->users) &&
	       time_after_eq(jiffies, READ_ONCE(place->until));
}

/* Remove up to @most of the places of @provider whose time is over. Returns how many there were. */
static unsigned int hwpmc_provider_sweep(const struct hwpmc_provider *provider, unsigned int most)
{
	struct hwpmc_place *place;
	struct hlist_node *next;
	unsigned int count = 0;
	HLIST_HEAD(removed);
	int bucket;

	hash_for_each_safe(hwpmc_places, bucket, next, place, node) {
		if (count == most || !hwpmc_place_over(place) || place->provider != provider)
			continue;
		provider->remove(place);
		hash_del(&place->node);
		hlist_add_head(&place->node, &removed);
		count++;
	}
	if (!count)
		return 0;
	if (provider->wait)
		provider->wait();
	atomic_sub(count, &hwpmc_places_idle);
	hlist_for_each_entry_safe(place, next, &removed, node) {
		if (provider->put)
			provider->put(place);
		hwpmc_place_free(place);
		hwpmc_place_uncount_one();
	}
	return count;
}

/* Remove up to HWPMC_PLACES_AT_ONCE places. Returns whether there may be more to remove now. */
static bool hwpmc_provider_sweep_all(void)
{
	unsigned int left = HWPMC_PLACES_AT_ONCE;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hwpmc_providers); i++)
		left -= hwpmc_provider_sweep(hwpmc_providers[i], left);
	return !left;
}

static struct hwpmc_place *hwpmc_provider_add(struct hwpmc_owner *owner, const char *name,
					      const struct file *file)
{
	const char *rest;
	const struct hwpmc_provider *provider = hwpmc_provider_find(name, &rest);
	struct hwpmc_place *place;
	int err;

	/* The work item may be late, so remove places here. */
	if (atomic_read(&hwpmc_places_idle) >= 2 * HWPMC_PLACES_IDLE)
		hwpmc_provider_sweep_all();
	place = hwpmc_place_alloc(provider, name, file);
	if (!place)
		return ERR_PTR(hwpmc_fail(owner, -ENOMEM, "out of memory; try again"));
	if (hwpmc_place_count_one()) {
		err = hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
		goto out_place;
	}
	err = hwpmc_place_register(owner, place, rest);
	if (err)
		goto out_count;
	atomic_long_set(&place->users, 1);
	hash_add(hwpmc_places, &place->node, hwpmc_place_hash(name));
	return place;
out_count:
	hwpmc_place_uncount_one();
out_place:
	hwpmc_place_free(place);
	return ERR_PTR(err);
}

static char *hwpmc_provider_copy_name(struct hwpmc_owner *owner, u64 name, u32 length)
{
	char *copy;

	if (!name || !length || length > HWPMC_PROBE_NAME_MAX)
		return ERR_PTR(hwpmc_fail(owner, -EINVAL,
					  "class PROBE needs the name of a probe, of 1 to %u bytes",
					  HWPMC_PROBE_NAME_MAX));
	copy = memdup_user_nul(u64_to_user_ptr(name), length);
	if (PTR_ERR_OR_ZERO(copy) == -EFAULT)
		return ERR_PTR(hwpmc_fail_copy(owner));
	if (IS_ERR(copy))
		return ERR_PTR(hwpmc_fail(owner, -ENOMEM, "out of memory; try again"));
	return copy;
}

/* The file that a probe is in, to be put by fput(); NULL if its provider needs none. */
static struct file *hwpmc_provider_file(struct hwpmc_owner *owner, const char *name, s32 fd)
{
	const char *rest;
	const struct hwpmc_provider *provider = hwpmc_provider_find(name, &rest);
	struct file *file;
	int err;

	if (!provider)
		return ERR_PTR(hwpmc_fail(owner, -EINVAL,
					  "'%.64s' is not the name of a probe; it begins with syscall:, tracepoint:, kprobe:, uprobe:, profile: or interval:",
					  name));
	/* Checked also for a probe that is registered already. */
	if (provider->locked_down && security_locked_down(LOCKDOWN_KPROBES))
		return ERR_PTR(hwpmc_fail(owner, -EPERM,
					  "kernel lockdown (confidentiality) forbids kprobes"));
	if (!provider->in_file)
		return !fd ? NULL : ERR_PTR(hwpmc_fail(owner, -EINVAL,
						       "a file is for uprobe: only"));
	file = fget(fd);
	if (!file)
		return ERR_PTR(hwpmc_fail(owner, -EBADF, "%d is not an open file", fd));
	if (!(file->f_mode & FMODE_READ))
		err = hwpmc_fail(owner, -EBADF, "file %d is not open for reading", fd);
	else if (!S_ISREG(file_inode(file)->i_mode))
		err = hwpmc_fail(owner, -EINVAL, "%d is not a regular file", fd);
	else
		return file;
	fput(file);
	return ERR_PTR(err);
}

/* The place of a name and a file, with one more user. */
static struct hwpmc_place *hwpmc_place_get(struct hwpmc_owner *owner, const char *name,
					   const struct file *file)
{
	struct hwpmc_place *place;

	if (mutex_lock_killable(&hwpmc_provider_lock))
		return ERR_PTR(hwpmc_fail(owner, -EINTR,
					  "interrupted while another probe was registered"));
	place = hwpmc_place_find(name, hwpmc_place_inode(file));
	if (!place)
		place = hwpmc_provider_add(owner, name, file);
	else if (atomic_long_inc_return(&place->users) == 1)
		atomic_dec(&hwpmc_places_idle);
	mutex_unlock(&hwpmc_provider_lock);
	return place;
}

/**
 * hwpmc_provider_get - get the probe of a name, and register it if necessary
 * @owner: whose call it is; owner->lock held
 * @args: name and file
 *
 * Context: may sleep. Return: the probe, to be put by hwpmc_provider_put(), or an error pointer
 * after hwpmc_fail().
 */
struct hwpmc_probe *hwpmc_provider_get(struct hwpmc_owner *owner,
				       const struct hwpmc_allocate *args)
{
	char *copy = hwpmc_provider_copy_name(owner, args->name, args->name_length);
	struct hwpmc_place *place;
	struct file *file;

	if (IS_ERR(copy))
		return ERR_CAST(copy);
	file = hwpmc_provider_file(owner, copy, args->file);
	if (IS_ERR(file)) {
		kfree(copy);
		return ERR_CAST(file);
	}
	place = hwpmc_place_get(owner, copy, file);
	if (file)
		fput(file);
	kfree(copy);
	return IS_ERR(place) ? ERR_CAST(place) : &place->probe;
}

/**
 * hwpmc_provider_put - put a probe; a work item removes it later from the kernel
 * @probe: of a PMC without links
 * @linger: keep it for the time of parameter probes_linger, since it may be used again; false:
 *	remove it as soon as possible
 *
 * Context: process; takes no lock, and does not wait.
 */
void hwpmc_provider_put(struct hwpmc_probe *probe, bool linger)
{
	struct hwpmc_place *place = container_of(probe, struct hwpmc_place, probe);
	unsigned long delay = 0;

	if (linger && atomic_read(&hwpmc_places_idle) < HWPMC_PLACES_IDLE)
		delay = hwpmc_probes_linger();
	WRITE_ONCE(place->until, jiffies + delay);
	/* Orders the use of the place before the count: pairs with hwpmc_place_over(). */
	if (!atomic_long_dec_and_test(&place->users))
		return;
	atomic_inc(&hwpmc_places_idle);
	/* Without a delay the work item runs now, even if it is queued for a later time. */
	if (delay)
		queue_delayed_work(system_wq, &hwpmc_provider_work, delay);
	else
		mod_delayed_work(system_wq, &hwpmc_provider_work, 0);
}

/*
 * The time from now, in jiffies, until the first place is due for removal; MAX_JIFFY_OFFSET
 * without one.
 */
static unsigned long hwpmc_provider_next(void)
{
	unsigned long first = MAX_JIFFY_OFFSET, now = jiffies, until;
	struct hwpmc_place *place;
	int bucket;

	hash_for_each(hwpmc_places, bucket, place, node) {
		if (atomic_long_read_acquire(&place->users))
			continue;
		until = READ_ONCE(place->until);
		first = min(first, time_after(until, now) ? until - now : 0);
	}
	return first;
}

static void hwpmc_provider_check(struct work_struct *work)
{
	unsigned long next;

	mutex_lock(&hwpmc_provider_lock);
	/*
	 * The next batch is removed in another run, since ALLOCATE waits for the lock. A put may
	 * have queued that run for a later time meanwhile: change the time only in this case.
	 */
	if (hwpmc_provider_sweep_all()) {
		mod_delayed_work(system_wq, &hwpmc_provider_work, 1);
	} else {
		next = hwpmc_provider_next();
		if (next != MAX_JIFFY_OFFSET)
			queue_delayed_work(system_wq, &hwpmc_provider_work, next);
	}
	mutex_unlock(&hwpmc_provider_lock);
}

/**
 * hwpmc_provider_names - list the names of all probes that providers can list
 * @fn: called with each; may sleep
 * @arg: its first argument
 *
 * Context: may sleep.
 */
void hwpmc_provider_names(hwpmc_name_fn *fn, void *arg)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hwpmc_providers); i++)
		if (hwpmc_providers[i]->names)
			hwpmc_providers[i]->names(fn, arg);
}

/** hwpmc_provider_exit - remove all probes; called at module unload: no PMC exists; may sleep */
void hwpmc_provider_exit(void)
{
	struct hwpmc_place *place;
	int bucket;

	cancel_delayed_work_sync(&hwpmc_provider_work);
	mutex_lock(&hwpmc_provider_lock);
	hash_for_each(hwpmc_places, bucket, place, node)
		place->until = jiffies;
	while (hwpmc_provider_sweep_all())
		;
	mutex_unlock(&hwpmc_provider_lock);
}
