// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers probes of files. Linux 6.12 returns an object for each and unregisters in two steps;
 * before, a probe was found by its file and offset. Called by kmod/probe/, in process context.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/uprobes.h>

#include "compat.h"

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
int hwpmc_uprobes_register(struct hwpmc_uprobes_place *place)
{
	place->uprobe = uprobe_register(place->inode, place->offset, 0, &place->consumer);
	return PTR_ERR_OR_ZERO(place->uprobe);
}

void hwpmc_uprobes_unregister(struct hwpmc_uprobes_place *place)
{
	uprobe_unregister_nosync(place->uprobe, &place->consumer);
}

void hwpmc_uprobes_synchronize(void)
{
	uprobe_unregister_sync();
}
#else
int hwpmc_uprobes_register(struct hwpmc_uprobes_place *place)
{
	return uprobe_register(place->inode, place->offset, &place->consumer);
}

/* The kernel holds a lock while it calls handlers, and waits for it here. */
void hwpmc_uprobes_unregister(struct hwpmc_uprobes_place *place)
{
	uprobe_unregister(place->inode, place->offset, &place->consumer);
}

void hwpmc_uprobes_synchronize(void)
{
}
#endif
