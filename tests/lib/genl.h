/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The netlink family hwpmc, over plain sockets: a test must be able to send messages that libnl
 * would not send.
 */
#ifndef HWPMC_TEST_GENL_H
#define HWPMC_TEST_GENL_H

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/hwpmc_netlink.h>

#define GENL_HEADS	(NLMSG_HDRLEN + GENL_HDRLEN)

/* Opens a socket of generic netlink. Exits with a failed case on error. */
int genl_socket(void);
/* Returns the number of the family. Exits with a failed case if the family does not exist. */
uint16_t genl_family(int sk);

/* Sends a request with @size bytes of attributes. Returns 0 or -errno. */
int genl_send(int sk, uint16_t family, uint16_t flags, uint8_t cmd, const void *attrs, size_t size);
/* One attribute with a 32-bit value, for genl_send(). */
struct genl_u32_attr {
	struct nlattr head;
	uint32_t value;
};

/*
 * Receives messages until the end of the dump, an error or an acknowledgment, and calls @visit for
 * each. Returns the error, 0 or -errno; -ENOBUFS if the socket lost a message.
 */
int genl_receive(int sk, void (*visit)(const struct nlmsghdr *msg, void *arg), void *arg);
/* The same after a request without attributes. */
int genl_dump(int sk, uint16_t family, uint8_t cmd,
	      void (*visit)(const struct nlmsghdr *msg, void *arg), void *arg);
/* Returns the sentence of the last error message that this program received, or "". */
const char *genl_sentence(void);

/* Return the value of an attribute; NULL, 0 or "" if the message does not have it. */
const void *genl_value(const struct nlmsghdr *msg, unsigned int type);
uint32_t genl_u32(const struct nlmsghdr *msg, unsigned int type);
uint64_t genl_u64(const struct nlmsghdr *msg, unsigned int type);
const char *genl_text(const struct nlmsghdr *msg, unsigned int type);
uint8_t genl_command(const struct nlmsghdr *msg);

#endif /* HWPMC_TEST_GENL_H */
