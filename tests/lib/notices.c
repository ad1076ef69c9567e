// SPDX-License-Identifier: GPL-2.0-only
/* Sockets that listen for notices; see notices.h. */
#define _GNU_SOURCE
#include "genl.h"
#include "notices.h"
#include "test.h"

uint16_t notices_family;

void notices_init(void)
{
	int sk = genl_socket();

	notices_family = genl_family(sk);
	close(sk);
}

int notices_listen(int sk)
{
	int err = genl_send(sk, notices_family, NLM_F_ACK, HWPMC_NL_CMD_LISTEN, NULL, 0);

	return err ? err : genl_receive(sk, NULL, NULL);
}

int notices_listener(void)
{
	int sk = genl_socket();
	int err = notices_listen(sk);

	if (err)
		die("LISTEN: %s, '%s'", strerror(-err), genl_sentence());
	return sk;
}

static void add_notice(const struct nlmsghdr *msg, void *arg)
{
	struct notices *notices = arg;
	uint32_t what = genl_u32(msg, HWPMC_NL_PMC_WHAT);
	uint64_t time = genl_u64(msg, HWPMC_NL_PMC_TIME);

	if (genl_command(msg) == HWPMC_NL_CMD_WAKE) {
		notices->wakes++;
		return;
	}
	if (what >= NOTICES_KINDS)
		die("notice %u", what);
	notices->all++;
	notices->of[what]++;
	notices->count[what] += genl_u64(msg, HWPMC_NL_PMC_COUNT);
	notices->disorder |= time < notices->last;
	notices->last = time;
	notices->cpu = (int32_t)genl_u32(msg, HWPMC_NL_PMC_CPU);
	if (genl_value(msg, HWPMC_NL_PMC_PID))
		notices->pid = genl_u32(msg, HWPMC_NL_PMC_PID);
	notices->theirs += notices->whose && genl_u32(msg, HWPMC_NL_PMC_PID) == notices->whose;
	if (genl_value(msg, HWPMC_NL_PMC_ID))
		notices->id = genl_u32(msg, HWPMC_NL_PMC_ID);
	if (genl_value(msg, HWPMC_NL_PMC_TARGET))
		notices->target = genl_u32(msg, HWPMC_NL_PMC_TARGET);
}

int notices_read_of(int sk, struct notices *notices, uint32_t whose)
{
	*notices = (struct notices){ .whose = whose };
	return genl_dump(sk, notices_family, HWPMC_NL_CMD_NOTICES, add_notice, notices);
}

int notices_read(int sk, struct notices *notices)
{
	return notices_read_of(sk, notices, 0);
}
