// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists the PMCs of all owners that the caller may see, by the generic netlink family hwpmc, with
 * libnl. It does not open the device, so users who may not count can run it, too.
 *
 *	cc $(pkg-config --cflags hwpmc libnl-genl-3.0) -o netlink netlink.c \
 *		$(pkg-config --libs libnl-genl-3.0)
 *	./netlink
 */
#include <err.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdio.h>

#include <linux/hwpmc_netlink.h>

/* Unknown attributes of a newer module are ignored. */
#define MOST	HWPMC_NL_PMC_HIDDEN

/* A message of a dump: a PMC, or the number of hidden PMCs. */
static int show(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[MOST + 1];

	(void)arg;
	if (genlmsg_parse(nlmsg_hdr(msg), 0, attrs, MOST, NULL))
		return NL_SKIP;
	if (attrs[HWPMC_NL_PMC_HIDDEN])
		printf("%u more are hidden\n", nla_get_u32(attrs[HWPMC_NL_PMC_HIDDEN]));
	else if (attrs[HWPMC_NL_PMC_PID] && attrs[HWPMC_NL_PMC_COMM] && attrs[HWPMC_NL_PMC_EVENT])
		printf("pid %u (%s): event 0x%llx\n", nla_get_u32(attrs[HWPMC_NL_PMC_PID]),
		       nla_get_string(attrs[HWPMC_NL_PMC_COMM]),
		       (unsigned long long)nla_get_u64(attrs[HWPMC_NL_PMC_EVENT]));
	return NL_OK;
}

int main(void)
{
	struct nl_sock *socket = nl_socket_alloc();
	int family, error;

	if (!socket)
		errx(1, "no memory");
	error = genl_connect(socket);
	if (error)
		errx(1, "netlink: %s", nl_geterror(error));
	family = genl_ctrl_resolve(socket, HWPMC_GENL_NAME);
	if (family < 0)
		errx(1, "is the module loaded? %s", nl_geterror(family));
	nl_socket_modify_cb(socket, NL_CB_VALID, NL_CB_CUSTOM, show, NULL);
	error = genl_send_simple(socket, family, HWPMC_NL_CMD_PMCS, HWPMC_GENL_VERSION, NLM_F_DUMP);
	if (error >= 0)
		error = nl_recvmsgs_default(socket);
	/* A PMC was allocated or released meanwhile: the list is not that of one instant. */
	if (error == -NLE_DUMP_INTR)
		puts("the list changed while it was read");
	else if (error < 0)
		errx(1, "netlink: %s", nl_geterror(error));
	nl_socket_free(socket);
	return 0;
}
