// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <sys/socket.h>

#include "genl.h"
#include "test.h"

#define ROOM	65536

static unsigned int sequence;
static char sentence[256];

int genl_socket(void)
{
	int sk = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC), on = 1;

	if (sk < 0)
		die("socket: %s", strerror(errno));
	setsockopt(sk, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(sk, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	return sk;
}

int genl_send(int sk, uint16_t family, uint16_t flags, uint8_t cmd, const void *attrs, size_t size)
{
	char msg[256] = { 0 };
	struct nlmsghdr *head = (void *)msg;
	struct genlmsghdr *genl = (void *)(msg + NLMSG_HDRLEN);

	if (size > sizeof(msg) - GENL_HEADS)
		die("an attribute of %zu bytes", size);
	head->nlmsg_type = family;
	head->nlmsg_flags = NLM_F_REQUEST | flags;
	head->nlmsg_seq = ++sequence;
	head->nlmsg_len = (uint32_t)(GENL_HEADS + size);
	genl->cmd = cmd;
	genl->version = 1;
	if (size)
		memcpy(msg + GENL_HEADS, attrs, size);
	return send(sk, msg, head->nlmsg_len, 0) < 0 ? -errno : 0;
}

/* Finds the attribute of a type among those from @at on. */
static const void *find(const struct nlmsghdr *msg, unsigned int at, unsigned int type)
{
	while (at + NLA_HDRLEN <= msg->nlmsg_len) {
		const struct nlattr *nla = (const void *)((const char *)msg + at);

		if (nla->nla_len < NLA_HDRLEN)
			break;
		if (nla->nla_type == type)
			return (const char *)nla + NLA_HDRLEN;
		at += NLA_ALIGN(nla->nla_len);
	}
	return NULL;
}

static void keep_sentence(const struct nlmsghdr *msg, unsigned int heads)
{
	const char *text = msg->nlmsg_flags & NLM_F_ACK_TLVS ? find(msg, heads, NLMSGERR_ATTR_MSG) :
							       NULL;

	snprintf(sentence, sizeof(sentence), "%s", text ? text : "");
}

static bool is_end(const struct nlmsghdr *msg, int *error)
{
	if (msg->nlmsg_type != NLMSG_ERROR && msg->nlmsg_type != NLMSG_DONE)
		return false;
	*error = *(const int *)NLMSG_DATA(msg);
	if (msg->nlmsg_type == NLMSG_DONE)
		keep_sentence(msg, NLMSG_HDRLEN + sizeof(int));
	else
		keep_sentence(msg, NLMSG_HDRLEN + sizeof(struct nlmsgerr));
	return true;
}

int genl_receive(int sk, void (*visit)(const struct nlmsghdr *msg, void *arg), void *arg)
{
	static char buffer[ROOM];

	for (;;) {
		ssize_t got = recv(sk, buffer, sizeof(buffer), 0);
		const struct nlmsghdr *msg = (const void *)buffer;
		unsigned int left = got > 0 ? (unsigned int)got : 0;
		int error;

		if (got <= 0)
			return got ? -errno : -EPIPE;
		for (; NLMSG_OK(msg, left); msg = NLMSG_NEXT(msg, left)) {
			if (is_end(msg, &error))
				return error;
			if (visit)
				visit(msg, arg);
		}
	}
}

int genl_dump(int sk, uint16_t family, uint8_t cmd,
	      void (*visit)(const struct nlmsghdr *msg, void *arg), void *arg)
{
	int err = genl_send(sk, family, NLM_F_DUMP, cmd, NULL, 0);

	return err ? err : genl_receive(sk, visit, arg);
}

const char *genl_sentence(void)
{
	return sentence;
}

static void keep_family(const struct nlmsghdr *msg, void *arg)
{
	const uint16_t *id = genl_value(msg, CTRL_ATTR_FAMILY_ID);

	*(uint16_t *)arg = id ? *id : 0;
}

uint16_t genl_family(int sk)
{
	struct {
		struct nlattr head;
		char name[8];
	} name = { { NLA_HDRLEN + sizeof(HWPMC_GENL_NAME), CTRL_ATTR_FAMILY_NAME },
		   HWPMC_GENL_NAME };
	uint16_t family = 0;

	genl_send(sk, GENL_ID_CTRL, NLM_F_ACK, CTRL_CMD_GETFAMILY, &name, sizeof(name));
	genl_receive(sk, keep_family, &family);
	if (!family)
		die("there is no family " HWPMC_GENL_NAME);
	return family;
}

const void *genl_value(const struct nlmsghdr *msg, unsigned int type)
{
	return find(msg, GENL_HEADS, type);
}

uint32_t genl_u32(const struct nlmsghdr *msg, unsigned int type)
{
	const uint32_t *at = genl_value(msg, type);

	return at ? *at : 0;
}

uint64_t genl_u64(const struct nlmsghdr *msg, unsigned int type)
{
	const void *at = genl_value(msg, type);
	uint64_t value = 0;

	/* The value is aligned to 4 bytes only. */
	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

const char *genl_text(const struct nlmsghdr *msg, unsigned int type)
{
	const char *at = genl_value(msg, type);

	return at ? at : "";
}

uint8_t genl_command(const struct nlmsghdr *msg)
{
	return ((const struct genlmsghdr *)NLMSG_DATA(msg))->cmd;
}
