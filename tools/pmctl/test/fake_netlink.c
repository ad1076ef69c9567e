// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fake netlink family for LD_PRELOAD: this file answers the messages of sockets of generic
 * netlink. The family "hwpmc" has these PMCs, of users 0 and 65534 (nobody):
 *
 *	812 make: cycles:u, counted in process 813 (cc1) and its children
 *	1044 pmctl: instructions, sampled on CPUs 0 to 3 and 6: five PMCs
 *	1050 a<ESC>b: event 0x1b of class MOCK, attached to 7 processes; the first has ended, the
 *		others are threads of cc1, from 1060 on
 *	1051 old: task-clock, never started; its opener is reaped
 *
 * A listening socket is woken at once, and gets nine notices about make, the machine and a loss. It
 * is woken a second time, and then its request is refused, as if the module had been unloaded.
 *
 * FAKE_NO_FAMILY: there is none. FAKE_PMCS=0: nothing is allocated. FAKE_HIDDEN=N: N more PMCs
 * cannot be seen. FAKE_INTERRUPTED=N: the list changes during the first N dumps.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/genetlink.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <linux/hwpmc.h>
#include <linux/hwpmc_netlink.h>

#define FAMILY	42
#define QUEUE	64

int socket(int domain, int type, int protocol);
int bind(int fd, const struct sockaddr *address, socklen_t size);
int getsockname(int fd, struct sockaddr *address, socklen_t *size);
ssize_t sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t recvmsg(int fd, struct msghdr *msg, int flags);

static int fake_fd = -1;
static struct nl_msg *queue[QUEUE];
static unsigned int first, last;
static const struct nlmsghdr *request;

/* The other functions of the system for descriptors that are not ours. */
#define REAL(name)	((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

int socket(int domain, int type, int protocol)
{
	int pair[2];

	if (domain != AF_NETLINK || protocol != NETLINK_GENERIC)
		return REAL(socket)(domain, type, protocol);
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	fake_fd = pair[0];
	return fake_fd;
}

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
	return fd == fake_fd ? 0 : REAL(bind)(fd, address, size);
}

int getsockname(int fd, struct sockaddr *address, socklen_t *size)
{
	const struct sockaddr_nl name = { .nl_family = AF_NETLINK, .nl_pid = 4711 };

	if (fd != fake_fd)
		return REAL(getsockname)(fd, address, size);
	memcpy(address, &name, sizeof(name));
	*size = sizeof(name);
	return 0;
}

static struct nl_msg *message(int type, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (last == QUEUE)
		abort();
	nlmsg_put(msg, request->nlmsg_pid, request->nlmsg_seq, type, 0, flags);
	queue[last++] = msg;
	return msg;
}

/* The end of a dump; or an acknowledgment, positive or not. */
static void end(int type, int error)
{
	struct nl_msg *msg = message(type, type == NLMSG_DONE ? NLM_F_MULTI : 0);
	const struct nlmsgerr answer = { .error = error, .msg = *request };

	nlmsg_append(msg, (void *)&answer, type == NLMSG_DONE ? sizeof(error) : sizeof(answer), 0);
}

static struct nl_msg *genl(unsigned int command, int flags)
{
	struct nl_msg *msg = message(FAMILY, flags);
	const struct genlmsghdr head = { .cmd = (__u8)command, .version = HWPMC_GENL_VERSION };

	nlmsg_append(msg, (void *)&head, sizeof(head), 0);
	return msg;
}

static void answer_family(void)
{
	struct nl_msg *msg;

	if (getenv("FAKE_NO_FAMILY")) {
		end(NLMSG_ERROR, -ENOENT);
		return;
	}
	msg = genl(CTRL_CMD_NEWFAMILY, 0);
	nlmsg_hdr(msg)->nlmsg_type = GENL_ID_CTRL;
	nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, FAMILY);
	nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, HWPMC_GENL_NAME);
	end(NLMSG_ERROR, 0);
}

static int dump_flags(void)
{
	static unsigned int dumps;
	const char *text = getenv("FAKE_INTERRUPTED");

	return text && dumps++ / 8 < (unsigned int)atoi(text) ? NLM_F_MULTI | NLM_F_DUMP_INTR :
								NLM_F_MULTI;
}

static void put_u64(struct nl_msg *msg, int type, uint64_t value)
{
	nla_put(msg, type, sizeof(value), &value);
}

struct fake_pmc {
	unsigned int pid, uid, class_id, mode, flags, state, targets, target, threads, exited;
	int cpu;
	const char *comm, *target_comm;
	uint64_t caps, event, seconds, recorded, lost;
};

static void put(const struct fake_pmc *pmc, unsigned int owner, unsigned int serial)
{
	struct nl_msg *msg = genl(HWPMC_NL_CMD_PMCS, dump_flags());

	put_u64(msg, HWPMC_NL_PMC_SERIAL, serial);
	put_u64(msg, HWPMC_NL_PMC_OWNER, owner);
	nla_put_u32(msg, HWPMC_NL_PMC_ID, 0x10001);
	nla_put_u32(msg, HWPMC_NL_PMC_PID, pmc->pid);
	nla_put_u32(msg, HWPMC_NL_PMC_EXITED, pmc->exited);
	nla_put_u32(msg, HWPMC_NL_PMC_UID, pmc->uid);
	nla_put_string(msg, HWPMC_NL_PMC_COMM, pmc->comm);
	nla_put_u32(msg, HWPMC_NL_PMC_CLASS, pmc->class_id);
	nla_put_u32(msg, HWPMC_NL_PMC_ROW, 1);
	nla_put_u32(msg, HWPMC_NL_PMC_MODE, pmc->mode);
	nla_put_s32(msg, HWPMC_NL_PMC_CPU, pmc->cpu);
	nla_put_u32(msg, HWPMC_NL_PMC_FLAGS, pmc->flags);
	put_u64(msg, HWPMC_NL_PMC_CAPS, pmc->caps);
	put_u64(msg, HWPMC_NL_PMC_EVENT, pmc->event);
	nla_put_u32(msg, HWPMC_NL_PMC_STATE, pmc->state);
	nla_put_u32(msg, HWPMC_NL_PMC_TARGETS, pmc->targets);
	nla_put_u32(msg, HWPMC_NL_PMC_THREADS, pmc->threads);
	if (pmc->targets)
		nla_put_u32(msg, HWPMC_NL_PMC_TARGET, pmc->target);
	if (pmc->target_comm)
		nla_put_string(msg, HWPMC_NL_PMC_TARGET_COMM, pmc->target_comm);
	put_u64(msg, HWPMC_NL_PMC_AGE, pmc->seconds * 1000000000ULL);
	if (pmc->mode == HWPMC_MODE_SS || pmc->mode == HWPMC_MODE_TS) {
		put_u64(msg, HWPMC_NL_PMC_RECORDED, pmc->recorded);
		put_u64(msg, HWPMC_NL_PMC_LOST, pmc->lost);
	}
}

static const struct fake_pmc make = {
	.pid = 812, .comm = "make", .class_id = HWPMC_CLASS_ARMV8, .event = 0x11,
	.caps = HWPMC_CAP_USER, .mode = HWPMC_MODE_TC, .cpu = -1, .flags = HWPMC_F_DESCENDANTS,
	.state = HWPMC_NL_STATE_RUNNING, .targets = 1, .target = 813, .target_comm = "cc1",
	.threads = 12, .seconds = 185,
}, pmctl = {
	.pid = 1044, .uid = 65534, .comm = "pmctl", .class_id = HWPMC_CLASS_ARMV8, .event = 0x08,
	.caps = HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, .mode = HWPMC_MODE_SS,
	.state = HWPMC_NL_STATE_RUNNING, .seconds = 12, .recorded = 1000000, .lost = 3,
}, escape = {
	.pid = 1050, .comm = "a\033b", .class_id = HWPMC_CLASS_MOCK, .event = 0x1b,
	.mode = HWPMC_MODE_TC, .cpu = -1, .state = HWPMC_NL_STATE_RUNNING, .targets = 7,
	.target = 1049, .seconds = 3720,
}, old = {
	.pid = 1051, .comm = "old", .class_id = HWPMC_CLASS_SOFT, .mode = HWPMC_MODE_TC, .cpu = -1,
	.exited = 1, .seconds = 273600,
};

static void answer_pmcs(void)
{
	static const int cpus[] = { 2, 0, 1, 3, 6 };
	const char *some = getenv("FAKE_PMCS"), *hidden = getenv("FAKE_HIDDEN");

	if (!some || strcmp(some, "0")) {
		for (unsigned int i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
			struct fake_pmc pmc = pmctl;

			pmc.cpu = cpus[i];
			put(&pmc, 1, 1 + i);
		}
		put(&make, 2, 10);
		put(&old, 4, 11);
		put(&escape, 3, 12);
	}
	if (hidden)
		nla_put_u32(genl(HWPMC_NL_CMD_PMCS, NLM_F_MULTI), HWPMC_NL_PMC_HIDDEN,
			    (uint32_t)atoi(hidden));
	end(NLMSG_DONE, 0);
}

static void put_target(unsigned int serial, unsigned int handle, unsigned int pid, const char *comm,
		       unsigned int single)
{
	struct nl_msg *msg = genl(HWPMC_NL_CMD_TARGETS, NLM_F_MULTI);

	put_u64(msg, HWPMC_NL_PMC_SERIAL, serial);
	put_u64(msg, HWPMC_NL_PMC_HANDLE, handle);
	nla_put_u32(msg, HWPMC_NL_PMC_SINGLE, single);
	nla_put_u32(msg, HWPMC_NL_PMC_TARGET, pid);
	if (comm)
		nla_put_string(msg, HWPMC_NL_PMC_TARGET_COMM, comm);
}

static void answer_targets(void)
{
	put_target(10, 1, make.target, make.target_comm, 0);
	put_target(12, 1, escape.target, NULL, 0);
	for (unsigned int i = 0; i < 6; i++)
		put_target(12, 2 + i, 1060 + i, "cc1", 1);
	/* The target of a PMC that was allocated after the list was read. */
	put_target(13, 1, 1, "init", 0);
	end(NLMSG_DONE, 0);
}

static struct nl_msg *notice(unsigned int what, uint64_t count, const struct fake_pmc *pmc)
{
	struct nl_msg *msg = genl(HWPMC_NL_CMD_NOTICES, NLM_F_MULTI);

	nla_put_u32(msg, HWPMC_NL_PMC_WHAT, what);
	put_u64(msg, HWPMC_NL_PMC_TIME, 1000000000);
	put_u64(msg, HWPMC_NL_PMC_COUNT, count);
	nla_put_s32(msg, HWPMC_NL_PMC_CPU, pmc ? pmc->cpu : 3);
	if (!pmc)
		return msg;
	nla_put_u32(msg, HWPMC_NL_PMC_PID, pmc->pid);
	nla_put_u32(msg, HWPMC_NL_PMC_UID, pmc->uid);
	nla_put_string(msg, HWPMC_NL_PMC_COMM, pmc->comm);
	if (what == HWPMC_NL_WHAT_OPEN || what == HWPMC_NL_WHAT_REFUSE)
		return msg;
	put_u64(msg, HWPMC_NL_PMC_SERIAL, 1);
	nla_put_u32(msg, HWPMC_NL_PMC_CLASS, pmc->class_id);
	nla_put_u32(msg, HWPMC_NL_PMC_MODE, pmc->mode);
	put_u64(msg, HWPMC_NL_PMC_CAPS, pmc->caps);
	put_u64(msg, HWPMC_NL_PMC_EVENT, pmc->event);
	return msg;
}

static void answer_notices(void)
{
	static bool done;
	struct nl_msg *msg;

	if (done || first < last) {
		end(NLMSG_ERROR, first < last ? -EBUSY : -ENOENT);
		return;
	}
	done = true;
	genl(HWPMC_NL_CMD_WAKE, 0);
	notice(HWPMC_NL_WHAT_OPEN, 0, &make);
	notice(HWPMC_NL_WHAT_ALLOCATE, 1, &pmctl);
	msg = notice(HWPMC_NL_WHAT_ATTACH, 1, &make);
	nla_put_u32(msg, HWPMC_NL_PMC_TARGET, 813);
	nla_put_string(msg, HWPMC_NL_PMC_TARGET_COMM, "cc1");
	notice(HWPMC_NL_WHAT_START, 6, &make);
	notice(HWPMC_NL_WHAT_START, 1, &make);
	notice(HWPMC_NL_WHAT_DROP, 345, &pmctl);
	notice(HWPMC_NL_WHAT_CLAIM, 0, NULL);
	notice(HWPMC_NL_WHAT_REFUSE, 3, &make);
	notice(HWPMC_NL_WHAT_OFFLINE, 0, NULL);
	notice(HWPMC_NL_WHAT_LOST, 2, NULL);
	end(NLMSG_DONE, 0);
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	const struct genlmsghdr *head;

	if (fd != fake_fd)
		return REAL(sendmsg)(fd, msg, flags);
	request = msg->msg_iov->iov_base;
	head = nlmsg_data(request);
	if (request->nlmsg_type == GENL_ID_CTRL)
		answer_family();
	else if (head->cmd == HWPMC_NL_CMD_PMCS)
		answer_pmcs();
	else if (head->cmd == HWPMC_NL_CMD_TARGETS)
		answer_targets();
	else if (head->cmd == HWPMC_NL_CMD_LISTEN)
		end(NLMSG_ERROR, 0);
	else if (head->cmd == HWPMC_NL_CMD_NOTICES)
		answer_notices();
	else
		end(NLMSG_ERROR, -EOPNOTSUPP);
	return (ssize_t)msg->msg_iov->iov_len;
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	const struct sockaddr_nl name = { .nl_family = AF_NETLINK };
	struct nl_msg *next = first < last ? queue[first] : NULL;
	size_t length, room = msg->msg_iov->iov_len;

	if (fd != fake_fd)
		return REAL(recvmsg)(fd, msg, flags);
	if (!next) {
		errno = EAGAIN;
		return -1;
	}
	length = nlmsg_hdr(next)->nlmsg_len;
	memcpy(msg->msg_iov->iov_base, nlmsg_hdr(next), length < room ? length : room);
	memcpy(msg->msg_name, &name, sizeof(name));
	msg->msg_namelen = sizeof(name);
	msg->msg_controllen = 0;
	msg->msg_flags = length > room ? MSG_TRUNC : 0;
	if (flags & MSG_PEEK)
		return (ssize_t)length;
	nlmsg_free(next);
	if (++first == last)
		first = 0, last = 0;
	return (ssize_t)length;
}
