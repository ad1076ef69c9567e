// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pids that calls accept and return in PID namespaces. User namespaces give no rights outside.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "file.h"
#include "test_class.h"
#include "ring.h"

#define USER	1000
#define OTHER	1001
#define PLAIN	"/tmp/ns-plain"

static struct agent others, users, roots;
static int users_pidfd;

static void as_uid(void *arg)
{
	become(*(uid_t *)arg, 0);
}

/* ATTACH and DETACH records, and those of tasks without a pid in this namespace. */
struct targets {
	unsigned int all, no_pid, no_tid, whole;
};

static void see_target(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_attach *it = (const void *)record;
	struct targets *seen = arg;

	if (record->type != HWPMC_LOG_ATTACH && record->type != HWPMC_LOG_DETACH)
		return;
	seen->all++;
	seen->no_pid += it->pid == HWPMC_PID_HIDDEN;
	seen->no_tid += it->tid == HWPMC_PID_HIDDEN;
	seen->whole += !it->tid;
}

/* ATTACH to a target outside, by pidfd: it refers to the same process in every namespace. */
static void target_outside(int fd)
{
	uint32_t id = class_pmc(fd, 0);
	struct hwpmc_target_value part = {};
	struct targets seen = { 0 };
	struct ring_map map;
	uint64_t value;
	uint32_t count;

	ring_open(&map, fd, 65536);
	for (uint32_t flags = 0; flags <= HWPMC_ATTACH_TID; flags += HWPMC_ATTACH_TID) {
		const char *what = flags ? "one thread" : "the process";

		check(!dev_attach(fd, id, users_pidfd, flags | HWPMC_ATTACH_PIDFD),
		      "ATTACH by pidfd to a target outside of the namespace: %s", what);
		count = 1;
		check(!dev_targets(fd, id, &value, &part, &count) && count == 1 &&
		      part.pid == HWPMC_PID_HIDDEN && part.tid == HWPMC_PID_HIDDEN && part.target,
		      "per-target values have HIDDEN for its pid and tid, and its handle: %d, %d", part.pid,
		      part.tid);
		check(!dev_detach(fd, id, users_pidfd, flags | HWPMC_ATTACH_PIDFD), "DETACH: %s", what);
	}
	ring_drain(&map, see_target, &seen);
	check(seen.all == 4 && seen.no_pid == 4 && seen.no_tid == 2 && seen.whole == 2,
	      "of %u records of a target outside %u have pid -1, and %u tid -1",
	      seen.all, seen.no_pid, seen.no_tid);
	ring_close(&map);
	dev_release(fd, id);
}

static bool not_described(const struct hwpmc_row_info *row)
{
	return !row->comm[0] && !row->mode && !row->flags && !row->event && !row->count &&
	       row->holders == 1;
}

/* A PMC of @outer, a file opened outside, holds the row of @id in process @p. */
static void row_taken_outside(int fd, int outer, uint32_t id, struct agent *p)
{
	struct hwpmc_caps mine, got;
	uint32_t ids[64];
	unsigned int n = class_allocate_all(outer, HWPMC_MODE_TC, -1, ids, ARRAY_SIZE(ids)), i;

	dev_stop(fd, id);
	dev_detach(fd, id, p->pid, 0);
	dev_caps(fd, id, &mine);
	for (i = 0; i < n; i++)
		if (!dev_caps(outer, ids[i], &got) && got.row == mine.row)
			break;
	if (i == n || dev_attach(outer, ids[i], p->pid, 0))
		die("holding the row outside: %s", dev_sentence(outer));
	refused(fd, dev_attach(fd, id, p->pid, 0), EBUSY, "outside",
		"ATTACH to a task in which a PMC outside holds the row");
	check(!strstr(dev_sentence(fd), "rights_ns"), "that reason does not name the holder, either");
	dev_ids(outer, HWPMC_IOC_RELEASE, ids, n);
}

static void map_fd(int fd, const struct agent *p)
{
	struct hwpmc_map_fd map;

	check(!close(dev_map_fd(fd, 1, 0, map_fd, &map)), "MAP_FD of pid 1 of the namespace");
	check(!close(dev_map_fd(fd, p->pid, 0, map_fd, &map)),
	      "MAP_FD of a child by its pid in the namespace");
	refused(fd, dev_map_fd(fd, users.pid, 0, map_fd, &map), ESRCH, NULL, "MAP_FD of a pid from outside");
	check(!close(dev_map_fd(fd, users_pidfd, HWPMC_ATTACH_PIDFD, map_fd, &map)),
	      "MAP_FD by pidfd of a process outside of the namespace");
}

/* Process 1 of a PID namespace, running as root. */
static void inside(void *arg)
{
	int outer = *(int *)arg, fd = dev_open();
	struct agent p = agent_start(NULL, NULL);
	uint32_t id = class_pmc(fd, 0), count = 8, i, seen = 0;
	struct hwpmc_target_value list[8];
	struct hwpmc_row_info row = {};
	uint64_t value;
	uint32_t ids[64];
	unsigned int n;

	check(getpid() == 1 && p.pid < 10, "(in a PID namespace: pid %d, a child is %d)", getpid(),
	      p.pid);
	check(!dev_attach(fd, id, 1, 0), "ATTACH to pid 1 of the namespace");
	refused(fd, dev_attach(fd, id, 0, 0), EEXIST, "pid 1 ", "ATTACH to pid 1, which is the caller, for a second time");
	check(!dev_attach(fd, id, p.pid, 0), "ATTACH to a child by its pid in the namespace");
	refused(fd, dev_attach(fd, id, users.pid, 0), ESRCH, NULL, "ATTACH to a pid from outside");
	map_fd(fd, &p);
	check(!dev_start(fd, id) && agent_spin(&p), "(counting)");
	check(!dev_targets(fd, id, &value, list, &count), "READ returns per-target values: %u", count);
	for (i = 0; i < count; i++)
		seen += (list[i].pid == 1 && list[i].tid == 1) ||
			(list[i].pid == p.pid && list[i].tid == p.pid);
	check(count == 2 && seen == 2, "per-target values have the namespace's pids");
	for (i = 0; i < test_class.rows; i++) {
		row = dev_row_info(fd, 0, test_class.first + i);
		if (row.holders && row.pid == 1)
			break;
	}
	check(i < test_class.rows && row.pid == 1, "PMC_INFO returns the namespace's pid of a holder in it: %d", row.pid);
	for (i = 0; i < test_class.rows; i++) {
		row = dev_row_info(fd, 1, test_class.first + i);
		if (row.disposition == HWPMC_ROW_STANDALONE)
			break;
	}
	check(i < test_class.rows && row.pid == HWPMC_PID_HIDDEN && not_described(&row),
	      "PMC_INFO returns HIDDEN for a holder outside, and nothing of its PMC: %d (%.16s)", row.pid,
	      row.comm);
	refused(fd, dev_admin(fd, 1, test_class.first + i, HWPMC_ADMIN_DISABLED), EBUSY, "outside",
		"ADMIN of a row that a PMC outside holds");
	check(!strstr(dev_sentence(fd), "rights_ns"), "that reason does not name the holder outside");
	row_taken_outside(fd, outer, id, &p);
	dev_release(fd, id);
	target_outside(fd);
	n = class_allocate_all(fd, HWPMC_MODE_SC, 1, ids, 64);
	refused(fd, class_allocate(fd, HWPMC_MODE_SC, 1, 0), EBUSY, "pid 1 |outside", "ALLOCATE with no row free");
	check(!strstr(dev_sentence(fd), "pid 0"), "that reason names no holder outside");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, n);
	id = class_pmc(outer, 0);
	check(!dev_attach(outer, id, p.pid, 0),
	      "a file that was opened outside takes pids of the caller's namespace");
	dev_release(outer, id);
	agent_reap(&p);
}

/* Records of tasks, and those of tasks without a pid in this namespace. */
struct counts {
	unsigned long all, foreign;
};

static void count(const struct hwpmc_log_header *record, void *arg)
{
	struct counts *counts = arg;

	switch (record->type) {
	case HWPMC_LOG_PROCESS:
	case HWPMC_LOG_FORK:
	case HWPMC_LOG_EXIT:
	case HWPMC_LOG_EXEC:
	case HWPMC_LOG_COMM:
		counts->all++;
		counts->foreign += ((const struct hwpmc_log_task *)record)->pid <= 0;
	}
}

/* Process 1 of a PID namespace samples a whole CPU while processes outside fork and exit. */
static void samples(void *arg)
{
	struct counts counts = { 0 };
	int fd = dev_open();
	struct ring_map map;
	uint32_t id;

	(void)arg;
	ring_open(&map, fd, 256 * 1024);
	id = dev_sampler(fd, 0, test_class.event, 10000000, HWPMC_CAP_USER, 0);
	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork_tied();

		if (!pid)
			_exit(0);
		reap(pid);
		usleep(20000);
		ring_drain(&map, count, &counts);
	}
	check(counts.all >= 40 && !counts.foreign,
	      "system-wide samples in a PID namespace: %lu records of tasks, %lu of tasks outside",
	      counts.all, counts.foreign);
	ring_close(&map);
}

/* Starts a process whose children exec and exit, one after the other. */
static pid_t bustle(void)
{
	pid_t pid = fork_tied();

	while (!pid) {
		pid_t child = fork_tied();

		if (!child)
			execl("/proc/self/exe", "rights_ns", "nothing", NULL);
		reap(child);
	}
	return pid;
}

/* Holds a row. PMC_INFO reports it outside of the PID namespace. */
static void hold_inside(void *arg)
{
	(void)arg;
	class_pmc(dev_open(), 0);
}

/* Process 1 of a PID namespace, running as the user that holds a row outside. */
static void same_user_inside(void *arg)
{
	struct hwpmc_row_info row = {};
	uint32_t i;
	int fd;

	(void)arg;
	become(USER, 0);
	fd = dev_open();
	for (i = 0; i < test_class.rows; i++) {
		row = dev_row_info(fd, 0, test_class.first + i);
		if (row.disposition == HWPMC_ROW_THREAD)
			break;
	}
	check(i < test_class.rows && row.pid == HWPMC_PID_HIDDEN && not_described(&row),
	      "PMC_INFO does not describe a PMC that the same user holds outside: %d (%.16s)", row.pid,
	      row.comm);
}

static void hold_as_user(void *arg)
{
	become(USER, 0);
	hold_inside(arg);
}

static void same_user(void)
{
	struct agent holder = agent_start(hold_as_user, NULL);
	pid_t pid = fork_tied();

	if (!pid) {
		if (unshare(CLONE_NEWPID))
			die("unshare: %s", strerror(errno));
		in_child("a user in a PID namespace", same_user_inside, NULL);
		exit(result());
	}
	check(!reap(pid), "a user in two PID namespaces");
	agent_reap(&holder);
}

static void pid_namespaces(int fd)
{
	int64_t held = class_allocate(fd, HWPMC_MODE_SC, 1, 0);
	struct hwpmc_row_info row = {};
	struct agent p;
	pid_t pid;
	uint32_t i;

	in_pid_namespace("in a PID namespace", inside, &fd);
	pid = fork_tied();
	if (!pid) {
		if (unshare(CLONE_NEWPID))
			die("unshare: %s", strerror(errno));
		p = agent_start(hold_inside, NULL);
		for (i = 0; i < test_class.rows; i++) {
			row = dev_row_info(fd, 0, test_class.first + i);
			if (row.disposition == HWPMC_ROW_THREAD)
				break;
		}
		check(i < test_class.rows && row.pid == p.pid && p.pid > 1,
		      "PMC_INFO outside returns the outer pid of a holder in a PID namespace: %d",
		      row.pid);
		agent_reap(&p);
		exit(result());
	}
	check(!reap(pid), "a holder in a PID namespace");
	if (test_class.class_id == HWPMC_CLASS_MOCK) {
		skip("samples in a PID namespace: class MOCK does not sample");
	} else {
		pid_t others_run = bustle();

		in_pid_namespace("samples in a PID namespace", samples, NULL);
		kill(others_run, SIGKILL);
		reap(others_run);
	}
	dev_release(fd, held);
}

static void map(const char *file, unsigned int inner, unsigned int outer)
{
	char line[64];
	int fd = open(file, O_WRONLY),
	    len = snprintf(line, sizeof(line), "%u %u 1\n", inner, outer);

	if (fd < 0 || write(fd, line, len) != len)
		die("%s: %s", file, strerror(errno));
	close(fd);
}

/* Becomes root of a new user namespace. */
static void enter_userns(void)
{
	uid_t uid = getuid();
	gid_t gid = getgid();
	int fd;

	if (unshare(CLONE_NEWUSER))
		die("unshare: %s", strerror(errno));
	fd = open("/proc/self/setgroups", O_WRONLY);
	if (fd < 0 || write(fd, "deny", 4) != 4)
		die("setgroups: %s", strerror(errno));
	close(fd);
	map("/proc/self/uid_map", 0, uid);
	map("/proc/self/gid_map", 0, gid);
	check(!getuid() && !getgid(), "(user %u is root of a user namespace)", uid);
}

static void no_rights(int fd, const char *who)
{
	uint32_t id = class_pmc(fd, 0);
	struct agent p = agent_start(NULL, NULL);

	if (test_class.class_id == HWPMC_CLASS_ARMV8)
		refused(fd,
			dev_allocate(fd, test_class.class_id, HWPMC_MODE_TC, -1, test_class.event,
				     HWPMC_CAP_SYSTEM, 0),
			EPERM, NULL, "%s: ALLOCATE in kernel mode", who);
	refused(fd, class_allocate(fd, HWPMC_MODE_SC, 0, 0), EPERM, NULL, "%s: ALLOCATE system-wide", who);
	refused(fd, dev_admin(fd, 0, test_class.first, 1), EPERM, NULL, "%s: ADMIN", who);
	refused(fd, dev_attach(fd, id, others.pid, 0), EPERM, NULL,
		"%s: ATTACH to a process of user 1001 outside", who);
	refused(fd, dev_attach(fd, id, users.pid, 0), EPERM, NULL,
		"%s: ATTACH to a process of user 1000 outside", who);
	refused(fd, dev_attach(fd, id, roots.pid, 0), EPERM, NULL, "%s: ATTACH to root's process outside",
		who);
	refused(fd, dev_attach(fd, id, 1, 0), EPERM, NULL, "%s: ATTACH to init", who);
	check(!dev_attach(fd, id, 0, 0), "%s: ATTACH to the caller", who);
	check(!dev_attach(fd, id, p.pid, 0), "%s: ATTACH to a child in the namespace", who);
	dev_detach(fd, id, p.pid, 0);
	agent_do(&p, 'n');
	refused(fd, dev_attach(fd, id, p.pid, 0), EPERM, NULL,
		"%s: ATTACH to a child that is not dumpable, with memory from outside", who);
	agent_exec(&p, PLAIN);
	agent_do(&p, 'n');
	check(!dev_attach(fd, id, p.pid, 0),
	      "%s: ATTACH to a child that is not dumpable, with memory of the namespace", who);
	agent_reap(&p);
	dev_release(fd, id);
}

static void user_root(void *arg)
{
	struct hwpmc_row_info row;

	enter_userns();
	no_rights(user_fd, arg);
	user_fd = dev_open();
	no_rights(user_fd, "a file opened in the namespace");
	row = dev_row_info(user_fd, 1, test_class.first);
	check(row.pid == HWPMC_PID_HIDDEN && !row.comm[0], "PMC_INFO in the namespace does not return root's holder: %d", row.pid);
}

static void root_root(void *arg)
{
	enter_userns();
	no_rights(dev_open(), arg);
}

/* A target that enters a user namespace still belongs to the same user. */
static void target_enters(void *arg)
{
	uint32_t id = class_pmc(user_fd, 0);
	struct agent p = agent_start(NULL, NULL);
	uint64_t before, after;

	if (dev_attach(user_fd, id, p.pid, 0) || dev_start(user_fd, id))
		die("target: %s", dev_sentence(user_fd));
	check(!agent_do(&p, 'u') && agent_spin(&p), "(a target enters a user namespace)");
	before = dev_value(user_fd, id);
	check(agent_exec(&p, arg) && agent_spin(&p), "(the target executes a program there)");
	after = dev_value(user_fd, id);
	check(after > before, "the owner outside continues to count the target: %llu, %llu",
	      (unsigned long long)before, (unsigned long long)after);
	check(!dev_stop(user_fd, id) && !dev_detach(user_fd, id, p.pid, 0) &&
	      !dev_attach(user_fd, id, p.pid, 0),
	      "the owner outside may attach to the target again");
	dev_release(user_fd, id);
	agent_reap(&p);
}

int main(int argc, char **argv)
{
	uid_t user = USER, other = OTHER;
	int64_t held;
	int fd;

	if (argc > 1 && !strcmp(argv[1], "nothing"))
		return 0;
	agent_main(argc, argv);
	fd = class_open(60);
	file_copy_program(PLAIN, 0, 0755);
	others = agent_start(as_uid, &other);
	users = agent_start(as_uid, &user);
	roots = agent_start(NULL, NULL);
	users_pidfd = syscall(SYS_pidfd_open, users.pid, 0);
	same_user();
	pid_namespaces(fd);
	held = class_allocate(fd, HWPMC_MODE_SC, 1, 0);
	as_user("a user namespace", USER, 0, user_root, "root of user 1000's namespace");
	in_child("root's user namespace", root_root, "root of root's namespace");
	as_user("a target's user namespace", USER, 0, target_enters, PLAIN);
	dev_release(fd, held);
	return result();
}
