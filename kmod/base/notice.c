// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues notices for the listeners that may see them: see notice.h. A queue has one reader, which
 * netlink/listen.c ensures, and writers in any context but NMI.
 *
 * A reader that finds no notice arms the listener and sleeps. The next post wakes it once:
 *
 *	reader, in hwpmc_notice_arm()		a writer, in hwpmc_notice_queue()
 *	lock					lock
 *	queue empty? armed = true		put into queue
 *	unlock					armed? armed = false, wake
 *						unlock
 *
 * A notice about a user's files is queued only while that user has fewer places in the queue than
 * are free. So a single user gets half of the queue, and each further user half of the rest. Other
 * notices are lost, like those without room. Notices about the machine and about losses have
 * INVALID_UID, which counts as one more user.
 *
 * A notice about an owner is offered to the listeners that may see all users, and to those of the
 * owner's user. Other listeners are not visited, so their number costs the owner nothing.
 */
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "notice.h"
#include "owner.h"
#include "user.h"

unsigned int hwpmc_notice_listeners;
unsigned int hwpmc_notice_perfmons;

/*
 * All listeners, and those that may see all users. Read under RCU; written by netlink/listen.c,
 * one at a time.
 */
static LIST_HEAD(hwpmc_notice_list);
static LIST_HEAD(hwpmc_notice_perfmon);

/* The rules of hwpmc_rights_hide(), for a task other than current. */
static bool hwpmc_notice_concerns(const struct hwpmc_listener *listener,
				  const struct hwpmc_notice *notice)
{
	if (!notice->pid)
		return true;
	if (!listener->perfmon && (!uid_eq(notice->uid, listener->user->uid) ||
				   !uid_eq(notice->uid, listener->opener->fsuid)))
		return false;
	return pid_nr_ns(notice->pid, listener->pid_ns);
}

/*
 * Returns the share of a user in the queue; NULL: it has none. Takes as many steps as there are
 * users.
 */
static struct hwpmc_share *hwpmc_notice_share(struct hwpmc_listener *listener, kuid_t uid)
{
	unsigned int i;

	lockdep_assert_held(&listener->lock);
	for (i = 0; i < listener->users; i++)
		if (uid_eq(listener->shares[i].uid, uid))
			return &listener->shares[i];
	return NULL;
}

static void hwpmc_notice_take_place(struct hwpmc_listener *listener, kuid_t uid)
{
	struct hwpmc_share *share = hwpmc_notice_share(listener, uid);

	if (!share) {
		share = &listener->shares[listener->users++];
		*share = (struct hwpmc_share){ .uid = uid };
	}
	share->places++;
}

static void hwpmc_notice_leave_place(struct hwpmc_listener *listener, kuid_t uid)
{
	struct hwpmc_share *share = hwpmc_notice_share(listener, uid);

	if (!--share->places)
		*share = listener->shares[--listener->users];
}

static void hwpmc_notice_put(struct hwpmc_listener *listener, const struct hwpmc_notice *notice)
{
	struct hwpmc_notice *to = &listener->queue[listener->head % HWPMC_NOTICE_ROOM];

	lockdep_assert_held(&listener->lock);
	*to = *notice;
	/* With the lock held, so that the queue is in the order of these times. */
	to->time = ktime_get_boottime_ns();
	get_pid(to->pid);
	get_pid(to->target);
	hwpmc_notice_take_place(listener, to->uid);
	/* Pairs with hwpmc_notice_peek(). */
	smp_store_release(&listener->head, listener->head + 1);
}

static unsigned int hwpmc_notice_room(struct hwpmc_listener *listener)
{
	lockdep_assert_held(&listener->lock);
	return HWPMC_NOTICE_ROOM - (listener->head - listener->tail);
}

/*
 * Whether a notice may be queued: there is room for it and for a notice that reports losses, and
 * its user has not used up its share.
 */
static bool hwpmc_notice_fits(struct hwpmc_listener *listener, const struct hwpmc_notice *notice)
{
	unsigned int room = hwpmc_notice_room(listener);
	struct hwpmc_share *share;

	if (room < 2 + !!listener->lost)
		return false;
	share = hwpmc_notice_share(listener, notice->uid);
	return !share || share->places < room;
}

/*
 * Reports how many notices were lost, as a notice at the place in the queue where they are missing.
 */
static void hwpmc_notice_put_lost(struct hwpmc_listener *listener)
{
	const struct hwpmc_notice lost = {
		.what = HWPMC_NL_WHAT_LOST,
		.uid = INVALID_UID,
		.cpu = -1,
		.count = listener->lost,
	};

	if (!lost.count)
		return;
	hwpmc_notice_put(listener, &lost);
	listener->lost = 0;
}

/*
 * A notice without room is lost. One place is reserved for a notice with the number of lost ones.
 */
static void hwpmc_notice_queue(struct hwpmc_listener *listener, const struct hwpmc_notice *notice)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&listener->lock, flags);
	if (hwpmc_notice_fits(listener, notice)) {
		hwpmc_notice_put_lost(listener);
		hwpmc_notice_put(listener, notice);
	} else {
		listener->lost++;
	}
	if (listener->armed) {
		listener->armed = false;
		listener->wake(listener);
	}
	raw_spin_unlock_irqrestore(&listener->lock, flags);
}

static void hwpmc_notice_offer(struct hwpmc_listener *listener, const struct hwpmc_notice *notice)
{
	if (hwpmc_notice_concerns(listener, notice))
		hwpmc_notice_queue(listener, notice);
}

/**
 * hwpmc_notice_post - queue a notice about an owner for all listeners that may see the owner
 * @owner: the owner
 * @notice: the fields that describe the owner are set here, and the time of each listener's copy
 *	when it is queued; the caller sets the others
 *
 * Called if hwpmc_notice_wanted_of() returned true. A work item wakes each armed listener, as
 * hwpmc_owner_notify() does, so a task's pi_lock and a runqueue's lock must not be held. Code that
 * runs with these locks, or in an NMI, posts later: see hwpmc_announce_samples_nmi().
 *
 * Context: process, hotplug and interrupts; not NMI. Raw spinlocks of the module may be held; takes
 * those of the listeners, one at a time.
 */
void hwpmc_notice_post(const struct hwpmc_owner *owner, struct hwpmc_notice *notice)
{
	struct hwpmc_listener *listener;

	notice->file = owner->number;
	notice->pid = owner->pid;
	notice->uid = owner->uid;
	memcpy(notice->comm, owner->comm, sizeof(notice->comm));
	rcu_read_lock();
	list_for_each_entry_rcu(listener, &hwpmc_notice_perfmon, of_owners)
		hwpmc_notice_offer(listener, notice);
	list_for_each_entry_rcu(listener, &owner->user->listeners, of_owners)
		hwpmc_notice_offer(listener, notice);
	rcu_read_unlock();
}

void hwpmc_notice_owner_slow(const struct hwpmc_owner *owner, u32 what, u64 count)
{
	struct hwpmc_notice notice = { .what = what, .cpu = -1, .count = count };

	hwpmc_notice_post(owner, &notice);
}

void hwpmc_notice_machine_slow(u32 what, int cpu)
{
	struct hwpmc_notice notice = { .what = what, .uid = INVALID_UID, .cpu = cpu };
	struct hwpmc_listener *listener;

	rcu_read_lock();
	list_for_each_entry_rcu(listener, &hwpmc_notice_list, node)
		hwpmc_notice_offer(listener, &notice);
	rcu_read_unlock();
}

/**
 * hwpmc_notice_init - prepare a listener
 * @listener: @opener, @perfmon and @wake are set, the rest is 0
 *
 * Context: process; may sleep. Return: 0 or -ENOMEM.
 */
int hwpmc_notice_init(struct hwpmc_listener *listener)
{
	listener->queue = kvcalloc(HWPMC_NOTICE_ROOM, sizeof(*listener->queue),
				   GFP_KERNEL_ACCOUNT);
	listener->shares = kvcalloc(HWPMC_NOTICE_ROOM, sizeof(*listener->shares),
				    GFP_KERNEL_ACCOUNT);
	listener->user = hwpmc_user_get(current_fsuid());
	if (!listener->queue || !listener->shares || !listener->user) {
		if (listener->user)
			hwpmc_user_put(listener->user);
		kvfree(listener->queue);
		kvfree(listener->shares);
		return -ENOMEM;
	}
	raw_spin_lock_init(&listener->lock);
	get_cred(listener->opener);
	listener->pid_ns = get_pid_ns(task_active_pid_ns(current));
	return 0;
}

/**
 * hwpmc_notice_free - free what hwpmc_notice_init() allocated
 * @listener: is not in the list
 *
 * Context: process.
 */
void hwpmc_notice_free(struct hwpmc_listener *listener)
{
	while (hwpmc_notice_peek(listener))
		hwpmc_notice_pop(listener);
	put_pid_ns(listener->pid_ns);
	hwpmc_user_put(listener->user);
	put_cred(listener->opener);
	kvfree(listener->shares);
	kvfree(listener->queue);
}

/* The number of listeners in the list of owners' notices that @listener is in, or is added to. */
static unsigned int *hwpmc_notice_count(struct hwpmc_listener *listener)
{
	return listener->perfmon ? &hwpmc_notice_perfmons : &listener->user->listening;
}

/* Add a listener. Context: process; the caller excludes others that add or remove. */
void hwpmc_notice_add(struct hwpmc_listener *listener)
{
	list_add_tail_rcu(&listener->node, &hwpmc_notice_list);
	list_add_tail_rcu(&listener->of_owners, listener->perfmon ? &hwpmc_notice_perfmon :
								   &listener->user->listeners);
	WRITE_ONCE(*hwpmc_notice_count(listener), *hwpmc_notice_count(listener) + 1);
	WRITE_ONCE(hwpmc_notice_listeners, hwpmc_notice_listeners + 1);
}

/* Remove it. It may be used until a grace period has passed. Otherwise as hwpmc_notice_add(). */
void hwpmc_notice_del(struct hwpmc_listener *listener)
{
	list_del_rcu(&listener->node);
	list_del_rcu(&listener->of_owners);
	WRITE_ONCE(*hwpmc_notice_count(listener), *hwpmc_notice_count(listener) - 1);
	WRITE_ONCE(hwpmc_notice_listeners, hwpmc_notice_listeners - 1);
}

/**
 * hwpmc_notice_begin - begin to read
 * @listener: the listener
 *
 * Queues a notice of losses that were not reported. Context: as hwpmc_notice_peek(). Return: the
 * value of @listener->tail after all present notices have been read.
 */
unsigned int hwpmc_notice_begin(struct hwpmc_listener *listener)
{
	unsigned long flags;
	unsigned int end;

	raw_spin_lock_irqsave(&listener->lock, flags);
	if (hwpmc_notice_room(listener))
		hwpmc_notice_put_lost(listener);
	end = listener->head;
	raw_spin_unlock_irqrestore(&listener->lock, flags);
	return end;
}

/**
 * hwpmc_notice_peek - the oldest notice in a listener's queue
 * @listener: the listener
 *
 * Context: process; there is one reader. Return: the notice, valid until hwpmc_notice_pop(), or
 * NULL.
 */
const struct hwpmc_notice *hwpmc_notice_peek(struct hwpmc_listener *listener)
{
	/* Pairs with hwpmc_notice_put(). */
	if (smp_load_acquire(&listener->head) == listener->tail)
		return NULL;
	return &listener->queue[listener->tail % HWPMC_NOTICE_ROOM];
}

/* Remove the notice that hwpmc_notice_peek() returned. Context: as there. */
void hwpmc_notice_pop(struct hwpmc_listener *listener)
{
	struct hwpmc_notice *notice = &listener->queue[listener->tail % HWPMC_NOTICE_ROOM];
	unsigned long flags;

	put_pid(notice->pid);
	put_pid(notice->target);
	raw_spin_lock_irqsave(&listener->lock, flags);
	hwpmc_notice_leave_place(listener, notice->uid);
	listener->tail++;
	raw_spin_unlock_irqrestore(&listener->lock, flags);
}

/**
 * hwpmc_notice_arm - request to be woken by the next notice
 * @listener: the listener
 *
 * Context: as hwpmc_notice_peek(). Return: false if there is a notice already, or a loss to report.
 */
bool hwpmc_notice_arm(struct hwpmc_listener *listener)
{
	unsigned long flags;
	bool empty;

	raw_spin_lock_irqsave(&listener->lock, flags);
	empty = listener->head == listener->tail && !listener->lost;
	listener->armed = empty;
	raw_spin_unlock_irqrestore(&listener->lock, flags);
	return empty;
}
