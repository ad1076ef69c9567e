/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family: kmod/netlink/. Used by main.c. It reads, and changes nothing.
 */
#ifndef HWPMC_NETLINK_INTERNAL_H
#define HWPMC_NETLINK_INTERNAL_H

#include <net/genetlink.h>

extern struct genl_family hwpmc_family;

/* kmod/netlink/family.c */
int hwpmc_family_init(void);
void hwpmc_family_exit(void);

/* kmod/netlink/dump.c */
int hwpmc_dump_pmcs(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* HWPMC_NETLINK_INTERNAL_H */
