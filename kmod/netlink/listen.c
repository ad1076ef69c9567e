// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listeners: sockets that get notices (base/notice.h). Netlink calls this in process context; the
 * code that posts a notice calls hwpmc_listen_wake(), in any context but NMI.
 *
 * A multicast group would deliver every notice to every member: the kernel does not check the
 * rights of a socket's owner. So a listener has its own queue, with the notices that it may see,
 * and reads them by a dump, which checks its rights again. An empty WAKE message is sent when the
 * queue gets its first notice. If another socket has the port number by then, it receives only that
 * message. A listener that does not read gets no further message.
 *
 * A listener ends with its socket, or with the module:
 *
 *	netlink_release()			unload
 *	the port is free			the family is unregistered: no dump runs
 *	the socket is dead			lock
 *	notifier: lock				  wake all, remove them from the lists
 *	  remove dead sockets			  wait for posting code; free them
 *	unlock					unlock
 *	wait for posting code; free it		unregister the notifier: waits for those that run
 *	drop the reference to the socket
 *
 * So a socket in the list is valid, and no new socket at its address is in the list. A dump holds
 * the socket's file, and until it has ended a reference to the module.
 *
 * What else may run while a listener ends:
 *
 *	posting code	is under RCU: a listener is freed a grace period after it left the list
 *	the wake-up	the notifier waits for it before it frees the listener; until then the
 *			socket and its network namespace exist. If the socket dies after the
 *			check of SOCK_DEAD, no socket gets the message, or another socket that
 *			has the port now, to which an empty message discloses nothing
 *	netns exit	a network namespace ends after its last socket, which holds a reference
 *	CPU hotplug	posts from the CPU's thread; the work items of a CPU that is offline run on
 *			another one
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include <uapi/linux/hwpmc_netlink.h>

#include "../base/notice.h"
#include "../base/param.h"
#include "netlink.h"

static struct hwpmc_param max_listeners = { .value = 64, .least = 1, .most = 1048576 };
module_param_cb(max_listeners, &hwpmc_param_ops, &max_listeners, 0644);
MODULE_PARM_DESC(max_listeners,
		 "sockets of one user that may listen for notices (default 64, 1..1048576)");

/* The delay of the next attempt to send WAKE after an allocation failed. */
#define HWPMC_LISTEN_RETRY	(HZ / 10)

/**
 * struct hwpmc_listening - a socket that listens
 * @listener: its queue
 * @node: in hwpmc_listen_list
 * @socket: the socket
 * @port: its port number
 * @wake: sends a WAKE message
 */
struct hwpmc_listening {
	struct hwpmc_listener listener;
	struct list_head node;
	struct sock *socket;
	u32 port;
	struct delayed_work wake;
};

/* Guards the list. Of the module's locks hwpmc_users_lock and a listener's are taken under it. */
static DEFINE_MUTEX(hwpmc_listen_lock);
static LIST_HEAD(hwpmc_listen_list);

static void hwpmc_listen_wake(struct hwpmc_listener *listener)
{
	schedule_delayed_work(&container_of(listener, struct hwpmc_listening, listener)->wake, 0);
}

/* If the socket has no room, netlink makes it report ENOBUFS, which wakes the reader as well. */
static void hwpmc_listen_send(struct work_struct *work)
{
	struct hwpmc_listening *it = container_of(to_delayed_work(work), struct hwpmc_listening,
						  wake);
	struct sk_buff *skb = genlmsg_new(0, GFP_KERNEL);
	void *message;

	if (!skb) {
		schedule_delayed_work(&it->wake, HWPMC_LISTEN_RETRY);
		return;
	}
	message = genlmsg_put(skb, 0, 0, &hwpmc_family, 0, HWPMC_NL_CMD_WAKE);
	if (!message || sock_flag(it->socket, SOCK_DEAD)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, message);
	genlmsg_unicast(sock_net(it->socket), skb, it->port);
}

static struct hwpmc_listening *hwpmc_listen_find(const struct sock *socket)
{
	struct hwpmc_listening *it;

	lockdep_assert_held(&hwpmc_listen_lock);
	list_for_each_entry(it, &hwpmc_listen_list, node)
		if (it->socket == socket)
			return it;
	return NULL;
}

/* Returns the number of listening sockets that a user opened. */
static unsigned int hwpmc_listen_count(kuid_t uid)
{
	struct hwpmc_listening *it;
	unsigned int count = 0;

	lockdep_assert_held(&hwpmc_listen_lock);
	list_for_each_entry(it, &hwpmc_listen_list, node)
		count += uid_eq(it->listener.opener->fsuid, uid);
	return count;
}

static void hwpmc_listen_free(struct hwpmc_listening *it)
{
	cancel_delayed_work_sync(&it->wake);
	hwpmc_notice_free(&it->listener);
	kfree(it);
}

static struct hwpmc_listening *hwpmc_listen_new(struct sk_buff *skb, struct genl_info *info,
						const struct hwpmc_viewer *viewer)
{
	struct hwpmc_listening *it = kzalloc(sizeof(*it), GFP_KERNEL_ACCOUNT);

	if (!it)
		return NULL;
	it->listener.opener = viewer->opener;
	it->listener.perfmon = viewer->perfmon;
	it->listener.wake = hwpmc_listen_wake;
	it->socket = NETLINK_CB(skb).sk;
	it->port = info->snd_portid;
	INIT_DELAYED_WORK(&it->wake, hwpmc_listen_send);
	if (!hwpmc_notice_init(&it->listener))
		return it;
	kfree(it);
	return NULL;
}

/* Adds @it, unless the user has too many or the socket listens already. */
static int hwpmc_listen_add(struct hwpmc_listening *it, struct netlink_ext_ack *extack)
{
	int err = 0;

	mutex_lock(&hwpmc_listen_lock);
	if (hwpmc_listen_find(it->socket)) {
		NL_SET_ERR_MSG(extack, "this socket listens already; open another");
		err = -EALREADY;
	} else if (hwpmc_listen_count(it->listener.opener->fsuid) >=
		   READ_ONCE(max_listeners.value)) {
		NL_SET_ERR_MSG(extack, "this user has too many listeners: the module's parameter max_listeners");
		err = -EMFILE;
	} else {
		list_add_tail(&it->node, &hwpmc_listen_list);
		hwpmc_notice_add(&it->listener);
	}
	mutex_unlock(&hwpmc_listen_lock);
	return err;
}

/**
 * hwpmc_listen - HWPMC_NL_CMD_LISTEN: begin to listen on a socket
 * @skb: the request
 * @info: likewise
 *
 * Context: process; may sleep. Return: 0, -ENOMEM, -EALREADY or -EMFILE.
 */
int hwpmc_listen(struct sk_buff *skb, struct genl_info *info)
{
	struct hwpmc_listening *it = NULL;
	struct hwpmc_viewer viewer;
	int err;

	if (hwpmc_view_get(&viewer, skb))
		it = hwpmc_listen_new(skb, info, &viewer);
	if (!it) {
		NL_SET_ERR_MSG(info->extack, "out of memory; try again");
		return -ENOMEM;
	}
	err = hwpmc_listen_add(it, info->extack);
	if (err)
		hwpmc_listen_free(it);
	return err;
}

/* Frees the listeners in @list, which are in no other list any more. May sleep. */
static void hwpmc_listen_end(struct list_head *list)
{
	struct hwpmc_listening *it, *next;

	if (list_empty(list))
		return;
	/* Posting code may be using them. */
	synchronize_rcu();
	list_for_each_entry_safe(it, next, list, node)
		hwpmc_listen_free(it);
}

/*
 * Called when a socket was closed. Removes closed sockets only: a new socket that listens may have
 * the same port by now.
 */
static int hwpmc_listen_closed(struct notifier_block *nb, unsigned long action, void *data)
{
	const struct netlink_notify *closed = data;
	struct hwpmc_listening *it, *next;
	LIST_HEAD(dead);

	if (action != NETLINK_URELEASE || closed->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	mutex_lock(&hwpmc_listen_lock);
	list_for_each_entry_safe(it, next, &hwpmc_listen_list, node) {
		if (it->port != closed->portid || sock_net(it->socket) != closed->net ||
		    !sock_flag(it->socket, SOCK_DEAD))
			continue;
		hwpmc_notice_del(&it->listener);
		list_move(&it->node, &dead);
	}
	mutex_unlock(&hwpmc_listen_lock);
	hwpmc_listen_end(&dead);
	return NOTIFY_DONE;
}

static struct notifier_block hwpmc_listen_block = { .notifier_call = hwpmc_listen_closed };

/**
 * hwpmc_listen_start - begin a dump of HWPMC_NL_CMD_NOTICES
 * @cb: the dump; args[0] is set to the listener, which is valid as long as its socket is open, and
 *	args[1] to where the dump ends
 *
 * Without a listener the dump fails; at this point the kernel cannot return a sentence. Context:
 * process. Return: as hwpmc_family_start().
 */
int hwpmc_listen_start(struct netlink_callback *cb)
{
	int err = hwpmc_family_start(cb);
	struct hwpmc_listening *it;

	if (err)
		return err;
	mutex_lock(&hwpmc_listen_lock);
	it = hwpmc_listen_find(NETLINK_CB(cb->skb).sk);
	mutex_unlock(&hwpmc_listen_lock);
	cb->args[0] = (unsigned long)it;
	if (it)
		cb->args[1] = hwpmc_notice_begin(&it->listener);
	return 0;
}

static int hwpmc_listen_put_pmc(struct sk_buff *skb, const struct hwpmc_notice *notice)
{
	return nla_put_u64_64bit(skb, HWPMC_NL_PMC_SERIAL, notice->serial, HWPMC_NL_PMC_PAD) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_ID, notice->id) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_CLASS, notice->class) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_ROW, notice->row) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_MODE, notice->mode) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_FLAGS, notice->flags) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_CAPS, notice->caps, HWPMC_NL_PMC_PAD) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_EVENT, notice->event, HWPMC_NL_PMC_PAD);
}

static int hwpmc_listen_put(struct sk_buff *skb, const struct hwpmc_notice *notice)
{
	if (nla_put_u32(skb, HWPMC_NL_PMC_WHAT, notice->what) ||
	    nla_put_u64_64bit(skb, HWPMC_NL_PMC_TIME, notice->time, HWPMC_NL_PMC_PAD) ||
	    nla_put_u64_64bit(skb, HWPMC_NL_PMC_COUNT, notice->count, HWPMC_NL_PMC_PAD) ||
	    nla_put_s32(skb, HWPMC_NL_PMC_CPU, notice->cpu))
		return -EMSGSIZE;
	if (notice->pid &&
	    hwpmc_view_put_process(skb, notice->file, notice->pid, notice->uid, notice->comm))
		return -EMSGSIZE;
	if (notice->serial && hwpmc_listen_put_pmc(skb, notice))
		return -EMSGSIZE;
	return hwpmc_view_put_target(skb, notice->target);
}

static int hwpmc_listen_message(struct sk_buff *skb, struct netlink_callback *cb,
				const struct hwpmc_notice *notice)
{
	void *message = hwpmc_dump_begin(skb, cb, HWPMC_NL_CMD_NOTICES);

	return message ? hwpmc_dump_end(skb, message, hwpmc_listen_put(skb, notice)) : -EMSGSIZE;
}

/**
 * hwpmc_listen_notices - the next messages of HWPMC_NL_CMD_NOTICES
 * @skb: where they are put
 * @cb: the dump
 *
 * Netlink runs one dump of a socket at a time, so a queue has one reader. Context: process; may
 * sleep. Return: number of bytes; 0 at the end, when the listener is armed.
 */
int hwpmc_listen_notices(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct hwpmc_listening *it = (struct hwpmc_listening *)cb->args[0];
	const struct hwpmc_notice *notice;
	struct hwpmc_listener *listener;
	struct hwpmc_viewer viewer;

	if (!it) {
		NL_SET_ERR_MSG(cb->extack,
			       "this socket does not listen; send HWPMC_NL_CMD_LISTEN first");
		return -ENOTCONN;
	}
	if (!hwpmc_view_get(&viewer, cb->skb))
		return 0;
	listener = &it->listener;
	if (cb->args[2])
		return 0;
	while (listener->tail != (unsigned int)cb->args[1]) {
		notice = hwpmc_notice_peek(listener);
		/* The socket may have been passed to another process. */
		if ((!notice->pid || hwpmc_view_sees(&viewer, notice->uid, notice->pid)) &&
		    hwpmc_listen_message(skb, cb, notice))
			return skb->len;
		hwpmc_notice_pop(listener);
	}
	/*
	 * Notices posted since the dump began are for the next dump; otherwise the dump might never
	 * end.
	 */
	cb->args[2] = 1;
	if (!hwpmc_notice_arm(listener))
		hwpmc_listen_wake(listener);
	return skb->len;
}

/** hwpmc_listen_init - called before the family is registered; 0 or a negative errno */
int __init hwpmc_listen_init(void)
{
	return netlink_register_notifier(&hwpmc_listen_block);
}

/**
 * hwpmc_listen_exit - end all listeners, after the family was unregistered
 *
 * They are woken, and their next request fails with ENOENT. Context: may sleep.
 */
void hwpmc_listen_exit(void)
{
	struct hwpmc_listening *it;
	LIST_HEAD(left);

	mutex_lock(&hwpmc_listen_lock);
	list_for_each_entry(it, &hwpmc_listen_list, node) {
		schedule_delayed_work(&it->wake, 0);
		flush_delayed_work(&it->wake);
		hwpmc_notice_del(&it->listener);
	}
	list_splice_init(&hwpmc_listen_list, &left);
	/* With the lock held: until then sockets that are being closed are not freed. */
	hwpmc_listen_end(&left);
	mutex_unlock(&hwpmc_listen_lock);
	netlink_unregister_notifier(&hwpmc_listen_block);
}
