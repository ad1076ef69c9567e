// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <linux/hwpmc_netlink.h>

#include "base/error.h"
#include "watch/family.h"

static int refuse(int err, const char *what)
{
	if (err == -NLE_OBJ_NOTFOUND)
		error("the module is not loaded; try 'modprobe hwpmc', and 'pmctl doctor' if that fails");
	else
		error("cannot %s by netlink: %s", what, nl_geterror(err));
	return -1;
}

int family_open(struct family *family)
{
	int err = -NLE_NOMEM;

	family->awake = false;
	family->socket = nl_socket_alloc();
	if (!family->socket)
		return refuse(err, "open a socket");
	err = genl_connect(family->socket);
	if (!err) {
		family->id = genl_ctrl_resolve(family->socket, HWPMC_GENL_NAME);
		err = family->id < 0 ? family->id : 0;
	}
	if (!err)
		return 0;
	family_close(family);
	return refuse(err, "reach the module");
}

void family_close(struct family *family)
{
	nl_socket_free(family->socket);
	family->socket = NULL;
}

/* The handler of a dump's messages. */
struct dumping {
	struct family *family;
	family_take_fn take;
	void *context;
	bool ended;
};

static int take_message(struct nl_msg *msg, void *arg)
{
	struct dumping *dumping = arg;
	struct nlmsghdr *head = nlmsg_hdr(msg);
	struct nlattr *attrs[FAMILY_ATTRS];

	if (!genlmsg_valid_hdr(head, 0) || genlmsg_parse(head, 0, attrs, FAMILY_ATTRS - 1, NULL))
		return NL_SKIP;
	if (genlmsg_hdr(head)->cmd == HWPMC_NL_CMD_WAKE)
		dumping->family->awake = true;
	else if (dumping->take)
		dumping->take(genlmsg_hdr(head)->cmd, attrs, dumping->context);
	return NL_OK;
}

static int end(struct nl_msg *msg, void *arg)
{
	(void)msg;
	((struct dumping *)arg)->ended = true;
	return NL_STOP;
}

int family_dump(struct family *family, unsigned int command, family_take_fn take, void *context)
{
	struct dumping dumping = { family, take, context, false };
	int err;

	family->awake = false;
	nl_socket_modify_cb(family->socket, NL_CB_VALID, NL_CB_CUSTOM, take_message, &dumping);
	nl_socket_modify_cb(family->socket, NL_CB_FINISH, NL_CB_CUSTOM, end, &dumping);
	err = genl_send_simple(family->socket, family->id, (int)command, HWPMC_GENL_VERSION,
			       NLM_F_DUMP);
	/* If a WAKE message precedes the dump, the first call of libnl takes only that message. */
	while (err >= 0 && !dumping.ended)
		err = nl_recvmsgs_default(family->socket);
	if (err == -NLE_DUMP_INTR)
		return 1;
	if (err == -NLE_OBJ_NOTFOUND) {
		error("the module was unloaded");
		return -1;
	}
	return err < 0 ? refuse(err, "ask the module") : 0;
}

int family_listen(struct family *family)
{
	int err;

	/* A WAKE message is no answer to a request: its sequence number must not be checked. */
	nl_socket_disable_seq_check(family->socket);
	err = genl_send_simple(family->socket, family->id, HWPMC_NL_CMD_LISTEN, HWPMC_GENL_VERSION,
			       0);
	if (err >= 0)
		err = nl_wait_for_ack(family->socket);
	family->awake = true;
	return err < 0 ? refuse(err, "listen") : 0;
}

int family_wait(struct family *family)
{
	struct dumping dumping = { .family = family };

	nl_socket_modify_cb(family->socket, NL_CB_VALID, NL_CB_CUSTOM, take_message, &dumping);
	while (!family->awake) {
		int err = nl_recvmsgs_default(family->socket);

		/* ENOBUFS: a message was lost, which may have been a WAKE. */
		if (err == -NLE_NOMEM)
			family->awake = true;
		else if (err < 0 && err != -NLE_INTR)
			return refuse(err, "listen");
	}
	return 0;
}

uint32_t family_u32(struct nlattr **attrs, unsigned int type)
{
	return attrs[type] && nla_len(attrs[type]) >= 4 ? nla_get_u32(attrs[type]) : 0;
}

uint64_t family_u64(struct nlattr **attrs, unsigned int type)
{
	return attrs[type] && nla_len(attrs[type]) >= 8 ? nla_get_u64(attrs[type]) : 0;
}

const char *family_text(struct nlattr **attrs, unsigned int type)
{
	const struct nlattr *attr = attrs[type];

	/* Texts of the kernel are terminated by NUL. */
	if (!attr || !nla_len(attr) || ((const char *)nla_data(attr))[nla_len(attr) - 1])
		return "";
	return nla_data(attr);
}
