// SPDX-License-Identifier: GPL-2.0-only
/* Sockets that listen for notices; see heard.h. */
#define _GNU_SOURCE
#include "genl.h"
#include "heard.h"
#include "test.h"

uint16_t heard_family;

void heard_init(void)
{
	int sk = genl_socket();

	heard_family = genl_family(sk);
	close(sk);
}

int heard_listen(int sk)
{
	int err = genl_send(sk, heard_family, NLM_F_ACK, HWPMC_NL_CMD_LISTEN, NULL, 0);

	return err ? err : genl_receive(sk, NULL, NULL);
}

int heard_listener(void)
{
	int sk = genl_socket();
	int err = heard_listen(sk);

	if (err)
		die("LISTEN: %s, '%s'", strerror(-err), genl_sentence());
	return sk;
}

static void hear(const struct nlmsghdr *msg, void *arg)
{
	struct heard *heard = arg;
	uint32_t what = genl_u32(msg, HWPMC_NL_PMC_WHAT);
	uint64_t time = genl_u64(msg, HWPMC_NL_PMC_TIME);

	if (genl_command(msg) == HWPMC_NL_CMD_WAKE) {
		heard->wakes++;
		return;
	}
	if (what >= HEARD_KINDS)
		die("notice %u", what);
	heard->all++;
	heard->of[what]++;
	heard->count[what] += genl_u64(msg, HWPMC_NL_PMC_COUNT);
	heard->disorder |= time < heard->last;
	heard->last = time;
	heard->cpu = (int32_t)genl_u32(msg, HWPMC_NL_PMC_CPU);
	if (genl_value(msg, HWPMC_NL_PMC_PID))
		heard->pid = genl_u32(msg, HWPMC_NL_PMC_PID);
	heard->theirs += heard->whose && genl_u32(msg, HWPMC_NL_PMC_PID) == heard->whose;
	if (genl_value(msg, HWPMC_NL_PMC_ID))
		heard->id = genl_u32(msg, HWPMC_NL_PMC_ID);
	if (genl_value(msg, HWPMC_NL_PMC_TARGET))
		heard->target = genl_u32(msg, HWPMC_NL_PMC_TARGET);
}

int heard_read_of(int sk, struct heard *heard, uint32_t whose)
{
	*heard = (struct heard){ .whose = whose };
	return genl_dump(sk, heard_family, HWPMC_NL_CMD_NOTICES, hear, heard);
}

int heard_read(int sk, struct heard *heard)
{
	return heard_read_of(sk, heard, 0);
}
