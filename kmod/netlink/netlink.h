/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family: kmod/netlink/. Used by main.c. It changes no PMC and no owner.
 */
#ifndef HWPMC_NETLINK_INTERNAL_H
#define HWPMC_NETLINK_INTERNAL_H

#include <linux/types.h>
#include <linux/uidgid.h>
#include <net/genetlink.h>

struct cred;
struct hwpmc_pmc;
struct pid;

extern struct genl_family hwpmc_family;

/**
 * struct hwpmc_viewer - the properties that determine what a caller may see
 * @opener: credentials of the opener of the socket
 * @perfmon: current and the opener of the socket have CAP_PERFMON
 */
struct hwpmc_viewer {
	const struct cred *opener;
	bool perfmon;
};

/* Entries of netlink_callback.args of a dump that leaves out what the caller may not see. */
enum {
	HWPMC_DUMP_DONE,	/* number of the last PMC or owner that is done */
	HWPMC_DUMP_END,		/* number of that at which the dump ends */
	HWPMC_DUMP_HIDDEN,	/* how many the caller may not see; 0 after that was put */
	HWPMC_DUMP_OWN,		/* the first entry for the dump's own use */
};

/*
 * How many PMCs or owners are visited before another task may run. Those that the caller may not
 * see, or that have no targets, add nothing to a message.
 */
#define HWPMC_DUMP_STEPS	64

/**
 * struct hwpmc_dump - a dump that visits the PMCs of all owners
 * @command: HWPMC_NL_CMD_* of its messages
 * @generation: a number that differs after what is dumped changed, not 0; see
 *	hwpmc_registry_generation()
 * @put: puts the messages about a PMC that the caller may see, which is pinned; 0, or -EMSGSIZE if
 *	they do not fit: then it is called again for the rest
 */
struct hwpmc_dump {
	u8 command;
	unsigned int (*generation)(void);
	int (*put)(struct sk_buff *skb, struct netlink_callback *cb, struct hwpmc_pmc *pmc);
};

/* kmod/netlink/family.c */
int hwpmc_family_init(void);
int hwpmc_family_start(struct netlink_callback *cb);
void hwpmc_family_open(void);
void hwpmc_family_exit(void);

/* kmod/netlink/dump.c */
void *hwpmc_dump_begin(struct sk_buff *skb, struct netlink_callback *cb, u8 command);
int hwpmc_dump_end(struct sk_buff *skb, void *message, int err);
void hwpmc_dump_complete(struct sk_buff *skb, struct netlink_callback *cb, u8 command);
int hwpmc_dump_pmcs(struct sk_buff *skb, struct netlink_callback *cb,
		    const struct hwpmc_dump *dump);

/* kmod/netlink/facts.c */
int hwpmc_facts_cpus(struct sk_buff *skb, struct netlink_callback *cb);
int hwpmc_facts_classes(struct sk_buff *skb, struct netlink_callback *cb);
int hwpmc_facts_rows(struct sk_buff *skb, struct netlink_callback *cb);
int hwpmc_facts_statistics(struct sk_buff *skb, struct netlink_callback *cb);

/* kmod/netlink/owners.c */
int hwpmc_owners_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* kmod/netlink/pmcs.c */
int hwpmc_pmcs_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* kmod/netlink/targets.c */
int hwpmc_targets_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* kmod/netlink/listen.c */
int hwpmc_listen(struct sk_buff *skb, struct genl_info *info);
int hwpmc_listen_start(struct netlink_callback *cb);
int hwpmc_listen_notices(struct sk_buff *skb, struct netlink_callback *cb);
int hwpmc_listen_init(void);
void hwpmc_listen_exit(void);

/* kmod/netlink/view.c */
bool hwpmc_view_get(struct hwpmc_viewer *viewer, const struct sk_buff *request);
bool hwpmc_view_sees(const struct hwpmc_viewer *viewer, kuid_t uid, struct pid *pid);
int hwpmc_view_put_process(struct sk_buff *skb, u64 file, struct pid *pid, kuid_t uid,
			   const char *comm);
int hwpmc_view_put_target(struct sk_buff *skb, struct pid *pid);

#endif /* HWPMC_NETLINK_INTERNAL_H */
