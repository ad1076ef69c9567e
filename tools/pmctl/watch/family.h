/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's generic netlink family, by libnl: see linux/hwpmc_netlink.h. */
#ifndef PMCTL_FAMILY_H
#define PMCTL_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <netlink/attr.h>

struct nl_sock;

/**
 * struct family - a connection to the module
 * @socket: the socket
 * @id: number of the family
 * @awake: there are unread notices
 */
struct family {
	struct nl_sock *socket;
	int id;
	bool awake;
};

/* A message: its command, and its attributes by type; NULL for those that it does not have. */
typedef void (*family_take_fn)(unsigned int command, struct nlattr **attrs, void *context);

/* Attribute types are below this. */
#define FAMILY_ATTRS	64

/* 0, or -1 after a message on standard error. */
int family_open(struct family *family);
void family_close(struct family *family);

/*
 * Calls @take for each message of a command's dump. 0; 1 if the list changed meanwhile, so that it
 * may have gaps; -1 after a message on standard error.
 */
int family_dump(struct family *family, unsigned int command, family_take_fn take, void *context);

/*
 * Starts to listen: family_dump() of HWPMC_NL_CMD_NOTICES then returns the notices. 0, or -1 after
 * a message on standard error.
 */
int family_listen(struct family *family);
/* Waits until there are notices. 0, or -1 after a message on standard error. */
int family_wait(struct family *family);

/* The value of an attribute; 0 or "" if the message does not have it. */
uint32_t family_u32(struct nlattr **attrs, unsigned int type);
uint64_t family_u64(struct nlattr **attrs, unsigned int type);
const char *family_text(struct nlattr **attrs, unsigned int type);

#endif
