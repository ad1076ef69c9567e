// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may follow whom, as docs/rights.md defines it: one user opens the device, another one calls
 * ATTACH, the target belongs to a third one, and then executes a program. Each row of the table is
 * a case. MAP_FD needs the same rights, and also the right to read the file.
 */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <sched.h>
#include <sys/socket.h>

#include "file.h"
#include "test_class.h"

#define USER	1000
#define OTHER	1001

#define PLAIN		"/tmp/matrix-plain"
#define SETUID		"/tmp/matrix-setuid"
#define SETGID		"/tmp/matrix-setgid"
#define UNREADABLE	"/tmp/matrix-unreadable"
#define FILECAPS	"/tmp/matrix-filecaps"

/**
 * enum who - an opener, a caller or a target
 * @ROOT: uid 0 with all capabilities
 * @U1000: uid 1000 without any
 * @TRACER: uid 1000 with CAP_SYS_PTRACE
 * @U1001: uid 1001 without any
 * @NS: uid 1000, then root of a user namespace of its own
 * @SECRET: uid 1000 without any; not dumpable
 * @SELF: the caller itself, as a target
 */
enum who { ROOT, U1000, TRACER, U1001, NS, SECRET, SELF };

static const char *const names[] = {
	"root", "user 1000", "user 1000 with CAP_SYS_PTRACE", "user 1001",
	"root of user 1000's namespace", "user 1000, not dumpable", "the caller",
};

/**
 * struct row - a row of the table
 * @opener: opens the device
 * @caller: calls ATTACH, with the opener's descriptor
 * @target: is attached
 * @attached: whether ATTACH succeeds; otherwise it fails with EPERM
 * @program: the program that the target executes then; NULL: none
 * @kept: whether the target is followed after that
 */
struct row {
	enum who opener, caller, target;
	bool attached;
	const char *program;
	bool kept;
};

static const struct row rows[] = {
	/* Opener, caller and target are one user. */
	{ U1000,  U1000,  U1000,  true,  PLAIN,      true },
	{ U1000,  U1000,  U1000,  true,  SETUID,     false },
	{ U1000,  U1000,  U1000,  true,  SETGID,     false },
	{ U1000,  U1000,  U1000,  true,  UNREADABLE, false },
	{ U1000,  U1000,  U1000,  true,  FILECAPS,   false },
	{ U1000,  U1000,  SECRET, false, NULL,       false },
	{ U1000,  U1000,  U1001,  false, NULL,       false },
	{ U1000,  U1000,  ROOT,   false, NULL,       false },
	{ U1000,  U1000,  NS,     true,  PLAIN,      true },
	{ U1000,  U1000,  SELF,   true,  NULL,       false },
	{ TRACER, TRACER, U1000,  true,  SETUID,     true },
	{ TRACER, TRACER, U1000,  true,  UNREADABLE, true },
	{ TRACER, TRACER, U1000,  true,  FILECAPS,   true },
	{ TRACER, TRACER, SECRET, true,  PLAIN,      true },
	{ TRACER, TRACER, U1001,  true,  SETUID,     true },
	{ TRACER, TRACER, ROOT,   true,  PLAIN,      true },
	{ ROOT,   ROOT,   U1000,  true,  SETUID,     true },
	{ ROOT,   ROOT,   U1001,  true,  UNREADABLE, true },
	{ ROOT,   ROOT,   NS,     true,  SETUID,     true },
	/* A broker: it opens the device with more rights than the caller has. */
	{ ROOT,   U1000,  U1000,  true,  PLAIN,      true },
	{ ROOT,   U1000,  U1000,  true,  SETUID,     false },
	{ ROOT,   U1000,  U1000,  true,  SETGID,     false },
	{ ROOT,   U1000,  U1000,  true,  UNREADABLE, false },
	{ ROOT,   U1000,  U1000,  true,  FILECAPS,   false },
	{ ROOT,   U1000,  SECRET, false, NULL,       false },
	{ ROOT,   U1000,  U1001,  false, NULL,       false },
	{ ROOT,   U1000,  SELF,   true,  NULL,       false },
	{ ROOT,   TRACER, U1000,  true,  SETUID,     true },
	{ ROOT,   TRACER, U1001,  true,  UNREADABLE, true },
	{ TRACER, U1000,  U1000,  true,  SETUID,     false },
	{ TRACER, U1000,  U1001,  false, NULL,       false },
	{ U1001,  U1000,  U1000,  false, NULL,       false },
	/* The reverse: the caller has more rights than the opener. */
	{ U1000,  ROOT,   U1000,  true,  PLAIN,      true },
	{ U1000,  ROOT,   U1000,  true,  SETUID,     false },
	{ U1000,  ROOT,   SECRET, false, NULL,       false },
	{ U1000,  ROOT,   U1001,  false, NULL,       false },
	{ U1000,  ROOT,   ROOT,   false, NULL,       false },
	{ U1000,  ROOT,   SELF,   true,  NULL,       false },
	{ U1000,  TRACER, U1000,  true,  SETUID,     false },
	{ U1000,  TRACER, U1001,  false, NULL,       false },
	/*
	 * User namespaces: their root has no rights outside, and their creator has all rights
	 * inside.
	 */
	{ NS,     NS,     U1001,  false, NULL,       false },
	{ NS,     NS,     U1000,  false, NULL,       false },
	{ NS,     NS,     SELF,   true,  NULL,       false },
	{ ROOT,   NS,     U1000,  false, NULL,       false },
	{ ROOT,   NS,     ROOT,   false, NULL,       false },
	{ U1000,  NS,     U1000,  false, NULL,       false },
	{ NS,     ROOT,   U1001,  false, NULL,       false },
	{ NS,     ROOT,   ROOT,   false, NULL,       false },
};

static bool have_filecaps;

static void become_who(enum who who)
{
	switch (who) {
	case ROOT:
	case SELF:
		break;
	case TRACER:
		become(USER, 1 << CAP_SYS_PTRACE);
		break;
	case U1001:
		become(OTHER, 0);
		break;
	case NS:
		become(USER, 0);
		if (unshare(CLONE_NEWUSER))
			die("unshare: %s", strerror(errno));
		break;
	default:
		become(USER, 0);
	}
}

static void become_target(void *arg)
{
	become_who(*(const enum who *)arg);
}

static int send_fd(int to, int fd)
{
	char room[CMSG_SPACE(sizeof(fd))] = { 0 }, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = room, .msg_controllen = sizeof(room),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(to, &msg, 0) == 1 ? 0 : -errno;
}

static int receive_fd(int from)
{
	char room[CMSG_SPACE(sizeof(int))] = { 0 }, byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = room, .msg_controllen = sizeof(room),
	};
	int fd;

	if (recvmsg(from, &msg, 0) != 1 || !CMSG_FIRSTHDR(&msg))
		die("no descriptor: %s", strerror(errno));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* Returns a descriptor of the device that @who opened. */
static int open_as(enum who who)
{
	int pair[2], fd;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		die("socketpair: %s", strerror(errno));
	pid = fork_tied();
	if (!pid) {
		become_who(who);
		_exit(send_fd(pair[1], dev_open()) ? 1 : 0);
	}
	fd = receive_fd(pair[0]);
	reap(pid);
	close(pair[0]);
	close(pair[1]);
	return fd;
}

/* @want: 0, or the errno */
static void map_fd(int fd, pid_t pid, int want, const char *what)
{
	struct hwpmc_map_fd map;
	int got = dev_map_fd(fd, pid, 0, map_fd, &map);

	if (want)
		refused(fd, got, want, want == EPERM ? "CAP_SYS_PTRACE" : "read", "%s: MAP_FD",
			what);
	else
		check(!close(got), "%s: MAP_FD succeeds: %d", what, got);
}

/* Returns the result of MAP_FD for a target that is followed: only root can read UNREADABLE. */
static int map_fd_kept(const struct row *row)
{
	return row->caller == ROOT || strcmp(row->program, UNREADABLE) ? 0 : EACCES;
}

static void after_exec(const struct row *row, int fd, uint32_t id, struct agent *p, const char *what)
{
	uint64_t before, after;

	if (!agent_exec(p, row->program))
		die("%s: the target cannot execute %s", what, row->program);
	before = dev_value(fd, id);
	if (!agent_spin(p))
		die("%s: the target does not run", what);
	after = dev_value(fd, id);
	check(row->kept ? after > before && !dev_hung_up(fd) : after == before && dev_hung_up(fd),
	      "%s, which executes %s: is %s: %llu, %llu", what, row->program + strlen("/tmp/matrix-"),
	      row->kept ? "still followed" : "lost", (unsigned long long)before,
	      (unsigned long long)after);
	map_fd(fd, p->pid, row->kept ? map_fd_kept(row) : EPERM, what);
}

/* The arguments of attempt(), which the caller of a row runs. */
struct attempt {
	const struct row *row;
	int fd;
	struct agent target;
};

static void attempt(void *arg)
{
	struct attempt *a = arg;
	const struct row *row = a->row;
	char what[200];
	uint32_t id;
	int err;

	snprintf(what, sizeof(what), "opened by %s, ATTACH by %s to %s", names[row->opener],
		 names[row->caller], names[row->target]);
	become_who(row->caller);
	id = class_pmc(a->fd, 0);
	map_fd(a->fd, row->target == SELF ? 0 : a->target.pid, row->attached ? 0 : EPERM, what);
	err = dev_attach(a->fd, id, row->target == SELF ? 0 : a->target.pid, 0);
	if (!row->attached) {
		refused(a->fd, err, EPERM, "CAP_SYS_PTRACE", "%s", what);
		return;
	}
	check(!err, "%s: succeeds", what);
	if (err || !row->program)
		return;
	if (dev_start(a->fd, id) || !agent_spin(&a->target))
		die("%s: START: %s", what, dev_sentence(a->fd));
	after_exec(row, a->fd, id, &a->target, what);
}

static void one_row(const struct row *row)
{
	enum who target = row->target;
	struct attempt a = {
		.row = row, .fd = open_as(row->opener), .target = agent_start(become_target, &target),
	};

	if (target == SECRET && agent_do(&a.target, 'n'))
		die("a target stays dumpable");
	in_child("a caller", attempt, &a);
	close(a.fd);
	agent_reap(&a.target);
}

int main(int argc, char **argv)
{
	size_t i;

	agent_main(argc, argv);
	close(class_open(240));
	file_copy_program(PLAIN, 0, 0755);
	file_copy_program(SETUID, 0, 04755);
	file_copy_program(SETGID, 0, 02755);
	file_copy_program(UNREADABLE, 0, 0111);
	file_copy_program(FILECAPS, 0, 0755);
	have_filecaps = file_set_capability(FILECAPS, CAP_NET_RAW);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].program && !strcmp(rows[i].program, FILECAPS) && !have_filecaps)
			skip("file capabilities: this kernel's tmpfs has none");
		else
			one_row(&rows[i]);
	}
	return result();
}
