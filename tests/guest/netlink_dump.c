// SPDX-License-Identifier: GPL-2.0-only
/* The dump of PMCs of the generic netlink family: complete, and nothing of other users. */
#define _GNU_SOURCE
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sched.h>
#include <sys/socket.h>

#include <linux/hwpmc_netlink.h>

#include "child.h"
#include "test_class.h"

#define MANY	1000
#define HEADS	(NLMSG_HDRLEN + GENL_HDRLEN)

struct seen {
	unsigned int all, mine;
	int error;
};

static char buffer[65536];
static unsigned int sequence;

static void *value(struct nlmsghdr *msg, unsigned int type)
{
	for (unsigned int at = HEADS; at + NLA_HDRLEN <= msg->nlmsg_len;) {
		struct nlattr *nla = (void *)((char *)msg + at);

		if (nla->nla_type == type)
			return (char *)nla + NLA_HDRLEN;
		at += NLA_ALIGN(nla->nla_len);
	}
	return NULL;
}

/* @name: contents of attribute 1, if it is to have one. */
static int request(int sk, uint16_t family, uint16_t flags, uint8_t cmd, const char *name)
{
	char msg[64] = { 0 };
	struct nlmsghdr *head = (void *)msg;
	struct genlmsghdr *genl = (void *)(msg + NLMSG_HDRLEN);
	struct nlattr *nla = (void *)(msg + HEADS);

	head->nlmsg_type = family;
	head->nlmsg_flags = NLM_F_REQUEST | flags;
	head->nlmsg_seq = ++sequence;
	head->nlmsg_len = HEADS;
	genl->cmd = cmd;
	genl->version = 1;
	if (name) {
		nla->nla_type = CTRL_ATTR_FAMILY_NAME;
		nla->nla_len = NLA_HDRLEN + strlen(name) + 1;
		strcpy(msg + HEADS + NLA_HDRLEN, name);
		head->nlmsg_len += NLA_ALIGN(nla->nla_len);
	}
	return send(sk, msg, head->nlmsg_len, 0) < 0 ? -errno : 0;
}

static struct seen dump_of(int sk, uint16_t family, uint8_t cmd, const char *name)
{
	struct seen seen = { 0 };

	request(sk, family, NLM_F_DUMP, cmd, name);
	for (;;) {
		int left = recv(sk, buffer, sizeof(buffer), 0);
		struct nlmsghdr *msg = (void *)buffer;
		const uint32_t *pid;

		if (left <= 0)
			die("recv: %s", strerror(errno));
		for (; NLMSG_OK(msg, (unsigned int)left); msg = NLMSG_NEXT(msg, left)) {
			if (msg->nlmsg_type == NLMSG_ERROR)
				seen.error = *(int *)NLMSG_DATA(msg);
			if (msg->nlmsg_type == NLMSG_ERROR || msg->nlmsg_type == NLMSG_DONE)
				return seen;
			pid = value(msg, HWPMC_NL_PMC_PID);
			seen.all++;
			seen.mine += pid && *pid == (uint32_t)getpid();
		}
	}
}

static struct seen dump(int sk, uint16_t family)
{
	return dump_of(sk, family, HWPMC_NL_CMD_PMCS, NULL);
}

static int dump_socket(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
}

static int roots_socket;

static void stranger(void *arg)
{
	uint16_t family = *(uint16_t *)arg;
	struct seen seen;

	become(1000, 0);
	seen = dump(dump_socket(), family);
	check(!seen.error && !seen.all, "another user sees none of them: %u", seen.all);
	seen = dump(roots_socket, family);
	check(!seen.error && !seen.all, "nor by a socket that root has opened: %u", seen.all);
}

/* In a PID namespace of its own, as the root of a container without a user namespace is. */
static void contained(void *arg)
{
	struct seen seen = dump(dump_socket(), *(uint16_t *)arg);

	check(!seen.error && !seen.all, "root of a PID namespace sees nothing from outside: %u",
	      seen.all);
}

static void in_pid_namespace(uint16_t *family)
{
	pid_t pid = fork_tied();

	if (!pid) {
		if (unshare(CLONE_NEWPID))
			die("unshare: %s", strerror(errno));
		in_child("root of a PID namespace", contained, family);
		exit(result());
	}
	check(!reap(pid), "PID namespace");
}

static void malformed(int sk, uint16_t family)
{
	struct seen seen = dump_of(sk, family, HWPMC_NL_CMD_PMCS, "an attribute");

	check(seen.error == -EINVAL && !seen.all, "a request with an attribute fails with EINVAL: %s",
	      strerror(-seen.error));
	seen = dump_of(sk, family, 99, NULL);
	check(seen.error == -EOPNOTSUPP, "a command that does not exist fails with EOPNOTSUPP: %s",
	      strerror(-seen.error));
}

int main(void)
{
	int sk = dump_socket(), fd = dev_open();
	uint16_t family, *id;
	struct seen seen;

	time_limit(60);
	request(sk, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY, HWPMC_GENL_NAME);
	if (recv(sk, buffer, sizeof(buffer), 0) <= 0)
		die("recv: %s", strerror(errno));
	id = value((void *)buffer, CTRL_ATTR_FAMILY_ID);
	if (!id)
		die("there is no family " HWPMC_GENL_NAME);
	family = *id;
	seen = dump(sk, family);
	check(!seen.error && !seen.all, "without PMCs the dump is empty");
	for (unsigned int i = 0; i < MANY; i++)
		if (dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0) < 0)
			die("allocating PMC %u: %s", i, dev_sentence(fd));
	seen = dump(sk, family);
	check(!seen.error && seen.all == MANY && seen.mine == MANY,
	      "the dump has each of %u PMCs, and their process: %u, %u", MANY, seen.all, seen.mine);
	roots_socket = sk;
	in_child("a stranger", stranger, &family);
	in_pid_namespace(&family);
	malformed(sk, family);
	close(fd);
	seen = dump(sk, family);
	check(!seen.error && !seen.all, "after close(2) it has none: %u", seen.all);
	return result();
}
