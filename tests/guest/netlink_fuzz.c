// SPDX-License-Identifier: GPL-2.0-only
/*
 * "netlink_fuzz MESSAGES": the netlink family receives random requests, from sockets that listen,
 * dump, stop reading and are closed at any time, while PMCs are allocated and released. Afterwards
 * nothing is left of them.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/socket.h>

#include "child.h"
#include "genl.h"
#include "test.h"

#define SOCKETS	8

static uint64_t state = 0x9e3779b97f4a7c15;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32) % below;
}

/* Writes attributes, most of them invalid. Returns their size. */
static uint32_t attributes(char *at, uint32_t room)
{
	uint32_t used = 0;

	while (draw(3) && room - used >= 64) {
		struct nlattr *nla = (void *)(at + used);
		uint32_t size = draw(32);

		nla->nla_type = (uint16_t)(draw(4) ? draw(4) : draw(65536));
		/* Sometimes longer than the room, or shorter than an attribute's header. */
		nla->nla_len = (uint16_t)(draw(8) ? NLA_HDRLEN + size : draw(65536));
		for (uint32_t i = 0; i < size; i++)
			at[used + NLA_HDRLEN + i] = (char)(draw(2) ? draw(256) : 0);
		used += NLA_HDRLEN + NLA_ALIGN(size);
	}
	return used;
}

static void send_one(int sk, uint16_t family)
{
	static const uint16_t flags[] = { 0, NLM_F_ACK, NLM_F_DUMP, NLM_F_DUMP | NLM_F_ACK,
					  NLM_F_ROOT, NLM_F_ECHO };
	char msg[1024] = { 0 };
	struct nlmsghdr *head = (void *)msg;
	struct genlmsghdr *genl = NLMSG_DATA(head);
	uint32_t size;

	genl->cmd = (uint8_t)(draw(4) ? 1 + draw(10) : draw(256));
	genl->version = (uint8_t)(draw(4) ? 1 : draw(256));
	genl->reserved = (uint16_t)(draw(8) ? 0 : draw(65536));
	size = GENL_HEADS + attributes(msg + GENL_HEADS, sizeof(msg) - GENL_HEADS);
	head->nlmsg_type = family;
	head->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | (draw(8) ? flags[draw(6)] : draw(65536)));
	head->nlmsg_seq = draw(65536);
	head->nlmsg_len = draw(8) ? size : draw(2 * size);
	send(sk, msg, draw(16) ? size : draw(size + 1), MSG_DONTWAIT);
}

static void drain(int sk)
{
	static char buffer[65536];

	while (recv(sk, buffer, sizeof(buffer), MSG_DONTWAIT) > 0)
		;
}

/* Allocates and releases PMCs of one file. */
static void act(void)
{
	int fd = dev_open();

	for (unsigned int i = 0; i < 8; i++)
		dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, 0, 0, 0);
	close(fd);
}

static void count(const struct nlmsghdr *msg, void *arg)
{
	(void)msg;
	++*(unsigned int *)arg;
}

int main(int argc, char **argv)
{
	unsigned long messages = argc > 1 ? strtoul(argv[1], NULL, 0) : 10000;
	int sockets[SOCKETS], sk = genl_socket();
	uint16_t family = genl_family(sk);
	unsigned int left = 0;
	pid_t pid;

	time_limit(3600);
	pid = fork_tied();
	if (!pid)
		for (;;)
			act();
	for (unsigned int i = 0; i < SOCKETS; i++)
		sockets[i] = genl_socket();
	for (unsigned long i = 0; i < messages; i++) {
		int *one = &sockets[draw(SOCKETS)];

		send_one(*one, family);
		if (!draw(4))
			drain(*one);
		/* The kernel waits for a grace period. */
		if (!draw(256)) {
			close(*one);
			*one = genl_socket();
		}
	}
	kill(pid, SIGKILL);
	reap(pid);
	for (unsigned int i = 0; i < SOCKETS; i++)
		close(sockets[i]);
	check(!genl_dump(sk, family, HWPMC_NL_CMD_PMCS, count, &left) && !left,
	      "after %lu random messages a dump is complete: %u PMCs", messages, left);
	check(genl_dump(sk, family, HWPMC_NL_CMD_NOTICES, NULL, NULL) == -ENOTCONN,
	      "and this socket does not listen");
	return result();
}
