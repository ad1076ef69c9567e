// SPDX-License-Identifier: GPL-2.0-only
/*
 * The family "hwpmc" and its commands; the messages are in uapi/linux/hwpmc_netlink.h. Called by
 * main.c at load and unload.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <uapi/linux/hwpmc_netlink.h>

#include "netlink.h"

/* Set when the init of the module can no longer fail. */
static bool hwpmc_family_opened;

/**
 * hwpmc_family_start - begin a dump of any command
 * @cb: the dump
 *
 * An unfinished dump references the module for as long as its reader does not continue. If a
 * module's init fails, the kernel frees the module in spite of such references. So no dump begins
 * before init can no longer fail. Context: process. Return: 0 or -EAGAIN.
 */
int hwpmc_family_start(struct netlink_callback *cb)
{
	return READ_ONCE(hwpmc_family_opened) ? 0 : -EAGAIN;
}

/* Requests have no attributes. Without a policy the kernel would ignore attributes. */
static const struct nla_policy hwpmc_family_policy[] = {
	[1] = { .type = NLA_REJECT, .reject_message = "this request has no attributes" },
};

static const struct genl_ops hwpmc_family_ops[] = {
	{
		.cmd	= HWPMC_NL_CMD_PMCS,
		.start	= hwpmc_family_start,
		.dumpit	= hwpmc_pmcs_dump,
	},
	{
		.cmd	= HWPMC_NL_CMD_LISTEN,
		.doit	= hwpmc_listen,
	},
	{
		.cmd	= HWPMC_NL_CMD_NOTICES,
		.start	= hwpmc_listen_start,
		.dumpit	= hwpmc_listen_notices,
	},
	{
		.cmd	= HWPMC_NL_CMD_OWNERS,
		.start	= hwpmc_family_start,
		.dumpit	= hwpmc_owners_dump,
	},
	{
		.cmd	= HWPMC_NL_CMD_CPUS,
		.start	= hwpmc_family_start,
		.dumpit	= hwpmc_facts_cpus,
	},
	{
		.cmd	= HWPMC_NL_CMD_CLASSES,
		.start	= hwpmc_family_start,
		.dumpit	= hwpmc_facts_classes,
	},
	{
		.cmd	= HWPMC_NL_CMD_ROWS,
		.start	= hwpmc_family_start,
		.dumpit	= hwpmc_facts_rows,
	},
	{
		.cmd	= HWPMC_NL_CMD_STATISTICS,
		.start	= hwpmc_family_start,
		.dumpit	= hwpmc_facts_statistics,
	},
	{
		.cmd	= HWPMC_NL_CMD_TARGETS,
		.start	= hwpmc_family_start,
		.dumpit	= hwpmc_targets_dump,
	},
};

/*
 * In every network namespace: the reply depends on the caller's user and PID namespace, so a
 * container without a network can see its own PMCs. The operations have locks of their own, so they
 * do not hold the lock of all families.
 */
struct genl_family hwpmc_family __ro_after_init = {
	.name		= HWPMC_GENL_NAME,
	.version	= HWPMC_GENL_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.ops		= hwpmc_family_ops,
	.n_ops		= ARRAY_SIZE(hwpmc_family_ops),
	.resv_start_op	= HWPMC_NL_CMD_PMCS,
	.policy		= hwpmc_family_policy,
	.maxattr	= ARRAY_SIZE(hwpmc_family_policy) - 1,
};

/** hwpmc_family_init - register the family; may sleep; 0 or a negative errno */
int __init hwpmc_family_init(void)
{
	int err = hwpmc_listen_init();

	if (err)
		return err;
	err = genl_register_family(&hwpmc_family);
	if (err)
		hwpmc_listen_exit();
	return err;
}

/** hwpmc_family_open - allow dumps: the init of the module can no longer fail */
void hwpmc_family_open(void)
{
	WRITE_ONCE(hwpmc_family_opened, true);
}

/** hwpmc_family_exit - remove the family; on return no call of it runs; may sleep */
void hwpmc_family_exit(void)
{
	genl_unregister_family(&hwpmc_family);
	hwpmc_listen_exit();
}
