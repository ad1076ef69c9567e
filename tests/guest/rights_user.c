// SPDX-License-Identifier: GPL-2.0-only
/* An unprivileged user may count its own processes in user mode within limits, and nothing else. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "file.h"
#include "param.h"
#include "probe.h"
#include "ring.h"
#include "test_class.h"

#define USER	1000
#define OTHER	1001

/* Copies of this program. */
#define PLAIN	"/tmp/rights-plain"
#define SETUID	"/tmp/rights-setuid"
#define SETGID	"/tmp/rights-setgid"

static struct agent others, roots;	/* started before the cases */

static void as_uid(void *arg)
{
	become(*(uid_t *)arg, 0);
}

static void own(void *arg)
{
	uint32_t id = class_pmc(user_fd, 0), tree = class_pmc(user_fd, HWPMC_F_DESCENDANTS);
	struct agent p = agent_start(NULL, NULL);
	uint64_t value;

	(void)arg;
	check(!dev_start(user_fd, id), "START of a user on itself");
	spin(1);
	value = dev_value(user_fd, id);
	check(value > 0, "a user counts itself in user mode: %llu", (unsigned long long)value);
	dev_stop(user_fd, id);
	check(!dev_attach(user_fd, id, p.pid, 0), "ATTACH of a user to its child");
	check(!dev_attach(user_fd, tree, 0, 0), "ATTACH of a user to its tree of processes");
	check(!dev_detach(user_fd, id, p.pid, 0), "DETACH of a user from its child");
	agent_reap(&p);
	p = agent_start_program(PLAIN, NULL, NULL);
	check(!dev_attach(user_fd, id, p.pid, 0), "ATTACH of a user to a program that it started");
	agent_reap(&p);
}

static void kernel_mode(void *arg)
{
	struct hwpmc_caps caps = {};
	int64_t id;

	(void)arg;
	if (test_class.class_id != HWPMC_CLASS_ARMV8) {
		skip("kernel mode: class MOCK has no restriction");
		return;
	}
	refused(user_fd,
		dev_allocate(user_fd, test_class.class_id, HWPMC_MODE_TC, -1, test_class.event,
			     HWPMC_CAP_SYSTEM, 0),
		EPERM, "CAP_PERFMON", "ALLOCATE in kernel mode");
	refused(user_fd, dev_allocate(user_fd, test_class.class_id, HWPMC_MODE_TC, -1, test_class.event,
				      HWPMC_CAP_SYSTEM | HWPMC_CAP_USER, 0),
		EPERM, "CAP_PERFMON", "ALLOCATE in both modes");
	id = dev_allocate(user_fd, test_class.class_id, HWPMC_MODE_TC, -1, test_class.event, 0, 0);
	if (id > 0)
		dev_caps(user_fd, id, &caps);
	check(id > 0 && (caps.caps & HWPMC_CAP_USER) &&
	      !(caps.caps & HWPMC_CAP_SYSTEM),
	      "ALLOCATE with no mode counts user mode only: caps 0x%llx", caps.caps);
	dev_release(user_fd, id);
	refused(user_fd,
		dev_allocate(user_fd, test_class.class_id, HWPMC_MODE_TC, -1, test_class.event, HWPMC_CAP_SYSTEM,
			     HWPMC_F_TRY),
		EPERM, "CAP_PERFMON", "ALLOCATE with TRY in kernel mode");
}

static void system_wide(void *arg)
{
	(void)arg;
	refused(user_fd, class_allocate(user_fd, HWPMC_MODE_SC, 0, 0), EPERM, "unprivileged_syspmcs",
		"ALLOCATE system-wide");
	refused(user_fd, class_allocate(user_fd, HWPMC_MODE_SC, 0, HWPMC_F_TRY), EPERM, "CAP_PERFMON",
		"ALLOCATE with TRY system-wide");
	refused(user_fd,
		dev_allocate(user_fd, test_class.class_id, HWPMC_MODE_SC, 1, test_class.event, HWPMC_CAP_SYSTEM,
			     0),
		EPERM, "CAP_PERFMON", "ALLOCATE system-wide in kernel mode");
	refused(user_fd, dev_admin(user_fd, 0, test_class.first, HWPMC_ADMIN_DISABLED), EPERM,
		"CAP_PERFMON", "ADMIN");
	refused(user_fd, dev_admin(user_fd, 99, 99, 99), EPERM, "CAP_PERFMON",
		"ADMIN of a row that does not exist");
}

/*
 * Probes of the kernel are refused even if the PMC would count only the caller: every process
 * executes such a probe.
 */
static void probes(void *arg)
{
	static const char *const names[] = {
		"syscall:getpriority:entry", "tracepoint:sched_switch",
		("kprobe:" PROBE_FUNCTION),
		"profile:hz:10", "interval:ms:100",
	};
	size_t i;

	(void)arg;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		refused(user_fd, probe_allocate(user_fd, names[i], HWPMC_MODE_TC, -1, 0), EPERM, "CAP_PERFMON",
			"ALLOCATE of %s", names[i]);
}

/* Each ATTACH is refused and attaches nothing. */
static void not_followed(uint32_t id, pid_t pid, const char *what)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0);

	refused(user_fd, dev_attach(user_fd, id, pid, 0), EPERM, NULL, "ATTACH to %s", what);
	refused(user_fd, dev_attach(user_fd, id, pid, HWPMC_ATTACH_TID), EPERM, NULL,
		"ATTACH to a thread of %s", what);
	refused(user_fd, dev_attach(user_fd, id, pidfd, HWPMC_ATTACH_PIDFD), EPERM, NULL,
		"ATTACH to %s by pidfd", what);
	refused(user_fd, dev_detach(user_fd, id, pid, 0), ESRCH, NULL, "DETACH of %s", what);
	close(pidfd);
}

static void undumpable(void *arg)
{
	(void)arg;
	prctl(PR_SET_DUMPABLE, 0);
}

static void foreign(void *arg)
{
	uint32_t id = class_pmc(user_fd, 0);
	struct agent p;

	(void)arg;
	not_followed(id, others.pid, "another user's process");
	not_followed(id, roots.pid, "root's process");
	not_followed(id, 1, "init");
	not_followed(id, 2, "a kernel thread");

	p = agent_start_program(SETUID, NULL, NULL);
	not_followed(id, p.pid, "a set-user-id program that it started");
	check(!agent_do(&p, 'd'), "(it changes back to its user's ids)");
	not_followed(id, p.pid, "a set-user-id program that gave up its rights");
	agent_reap(&p);
	p = agent_start_program(SETUID, NULL, NULL);
	check(!agent_do(&p, 'k'), "(it drops all rights except its saved user id)");
	not_followed(id, p.pid, "a set-user-id program that can become root again");
	agent_reap(&p);
	p = agent_start_program(SETGID, NULL, NULL);
	not_followed(id, p.pid, "a set-group-id program that it started");
	agent_reap(&p);
	p = agent_start(undumpable, NULL);
	not_followed(id, p.pid, "a child that is not dumpable");
	agent_reap(&p);
	p = agent_start(NULL, NULL);
	check(!agent_do(&p, 'n'), "(a child becomes not dumpable)");
	not_followed(id, p.pid, "that child");
	agent_reap(&p);
}

static int attach_tree(uint32_t id, struct hwpmc_attach *a)
{
	*a = (struct hwpmc_attach) { .id = id, .left_out = 99 };
	return dev_call(user_fd, HWPMC_IOC_ATTACH, a, sizeof(*a));
}

/*
 * ATTACH leaves out descendants that may not be followed. A descendant that executes a set-id
 * program later is lost.
 */
static void tree(void *arg)
{
	uint32_t id = class_pmc(user_fd, HWPMC_F_DESCENDANTS), count = 8, i, seen = 0;
	struct agent plain = agent_start(NULL, NULL), set = agent_start_program(SETUID, NULL, NULL);
	uint64_t before = dev_stats(user_fd).owner_exec_losses, value;
	struct hwpmc_target_value list[8];
	struct hwpmc_attach a;
	int err = attach_tree(id, &a);

	(void)arg;
	check(!err && a.left_out == 1,
	      "ATTACH to a tree with a set-id program leaves out that program: %d, %u", err, a.left_out);
	check(!dev_start(user_fd, id) && agent_spin(&plain) && agent_spin(&set), "(the tree runs)");
	if (dev_targets(user_fd, id, &value, list, &count))
		die("a tree: %s", dev_sentence(user_fd));
	for (i = 0; i < count; i++) {
		seen += list[i].pid == plain.pid && list[i].value > 0;
		seen += 100 * (list[i].pid == set.pid);
	}
	check(seen == 1, "the tree's other child is counted, and the set-id program is not: %u", seen);
	check(dev_stats(user_fd).owner_exec_losses == before, "none is counted as lost");
	check(agent_exec(&plain, SETUID) && dev_stats(user_fd).owner_exec_losses == before + 1,
	      "a child that executes a set-id program later is counted as lost");
	check(!dev_stop(user_fd, id) && !dev_detach(user_fd, id, 0, 0), "DETACH of the tree");
	err = attach_tree(id, &a);
	check(!err && a.left_out == 2, "ATTACH to the tree again leaves out both: %d, %u", err, a.left_out);
	dev_detach(user_fd, id, 0, 0);
	refused(user_fd, dev_attach(user_fd, id, set.pid, 0), EPERM, NULL,
		"ATTACH to the set-id program by its pid");
	agent_reap(&set);
	agent_reap(&plain);
	err = attach_tree(id, &a);
	check(!err && !a.left_out, "ATTACH to the tree without them leaves out none: %d, %u", err,
	      a.left_out);
	dev_release(user_fd, id);
}

static void same_uid_other_gid(void *arg)
{
	(void)arg;
	if (setgroups(0, NULL) || setresgid(OTHER, OTHER, OTHER) || setresuid(USER, USER, USER) ||
	    prctl(PR_SET_DUMPABLE, 1))
		_exit(1);
}

static void other_group(void *arg)
{
	not_followed(class_pmc(user_fd, 0), *(pid_t *)arg, "a process of its uid and another gid");
}

static void outside_group(void *arg)
{
	int fd;

	(void)arg;
	if (setgroups(0, NULL) || setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		die("nobody: %s", strerror(errno));
	fd = open("/dev/hwpmc", O_RDWR);
	check(fd < 0 && errno == EACCES, "open of the device fails with EACCES for a user outside of the group");
}

/* Records of system-wide sampling contain other users' processes. */
static void system_wide_samples(void)
{
	struct hwpmc_allocate a = {
		.class_id = test_class.class_id, .mode = HWPMC_MODE_SS, .cpu = 0, .caps = HWPMC_CAP_USER,
		.event = test_class.event, .count = 10000000,
	};

	if (test_class.class_id == HWPMC_CLASS_MOCK) {
		skip("unprivileged_syspmcs=1: class MOCK does not sample");
		return;
	}
	refused(user_fd, dev_call(user_fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)), EPERM, "CAP_PERFMON",
		"unprivileged_syspmcs=1: ALLOCATE system-wide sampling");
}

static void allowed(void *arg)
{
	int64_t id = class_allocate(user_fd, HWPMC_MODE_SC, 0, 0), both;
	uint64_t value;

	(void)arg;
	check(id > 0 && !dev_start(user_fd, id),
	      "unprivileged_syspmcs=1: ALLOCATE system-wide counting succeeds");
	usleep(20000);
	value = dev_value(user_fd, id);
	check(!dev_stop(user_fd, id), "unprivileged_syspmcs=1: system-wide counting counts: %llu", (unsigned long long)value);
	both = dev_allocate(user_fd, test_class.class_id, HWPMC_MODE_SC, 1, test_class.event,
			    HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, 0);
	check(both > 0, "unprivileged_syspmcs=1: ALLOCATE system-wide in kernel mode succeeds");
	refused(user_fd, dev_admin(user_fd, 0, test_class.first, HWPMC_ADMIN_DISABLED), EPERM, "CAP_PERFMON",
		"unprivileged_syspmcs=1: ADMIN");
	system_wide_samples();
	if (test_class.class_id == HWPMC_CLASS_ARMV8)
		refused(user_fd, dev_allocate(user_fd, test_class.class_id, HWPMC_MODE_TC, -1, test_class.event,
					      HWPMC_CAP_SYSTEM, 0), EPERM, "CAP_PERFMON",
			"unprivileged_syspmcs=1: ALLOCATE of a task in kernel mode");
	not_followed(class_pmc(user_fd, 0), others.pid, "another user's process");
}

/* A file that root opened gives another user no more rights than it has itself. */
static void passed_on(void *arg)
{
	int fd = *(int *)arg;
	uint32_t id;

	become(USER, 0);
	id = class_pmc(fd, 0);
	refused(fd, class_allocate(fd, HWPMC_MODE_SC, 0, 0), EPERM, NULL,
		"root's open file: ALLOCATE system-wide");
	refused(fd, dev_attach(fd, id, others.pid, 0), EPERM, NULL,
		"root's open file: ATTACH to another user's process");
	refused(fd, dev_attach(fd, id, roots.pid, 0), EPERM, NULL,
		"root's open file: ATTACH to root's process");
	refused(fd, dev_admin(fd, 0, test_class.first, 1), EPERM, NULL, "root's open file: ADMIN");
	check(!dev_attach(fd, id, 0, 0), "root's open file: ATTACH to the caller");
}

static void row_taken(void *arg)
{
	uint32_t id = class_pmc(user_fd, 0);

	refused(user_fd, dev_attach(user_fd, id, *(pid_t *)arg, 0), EBUSY, "another user",
		"ATTACH to its own process in which root holds the row");
	check(!strstr(dev_sentence(user_fd), "held by pid"), "that reason does not name root's process");
}

/* Root holds every row in a user's process. */
static void rows_taken(int fd)
{
	uid_t user = USER;
	struct agent p = agent_start(as_uid, &user);
	uint32_t ids[64];
	unsigned int n = class_allocate_all(fd, HWPMC_MODE_TC, -1, ids, ARRAY_SIZE(ids)), i;

	for (i = 0; i < n; i++)
		if (dev_attach(fd, ids[i], p.pid, 0))
			die("holding the rows: %s", dev_sentence(fd));
	as_user("rows held", USER, 0, row_taken, &p.pid);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, n);
	agent_reap(&p);
}

/* Rings count as locked memory of the user, for all its files together. */
static void memlock(void *arg)
{
	const uint64_t size = 65536, page = sysconf(_SC_PAGESIZE);
	const uint64_t one = test_class.cpus * (size + 2 * page);
	struct rlimit limit = { .rlim_cur = one + one / 2, .rlim_max = one + one / 2 };
	int first = dev_open(), second = dev_open(), third = dev_open(), last = dev_open();
	int pipes[2];
	struct hwpmc_log log = { 0 };

	(void)arg;
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || pipe(pipes))
		die("limit: %s", strerror(errno));
	check(!dev_rings(first, size), "RING within RLIMIT_MEMLOCK succeeds");
	refused(second, dev_rings(second, size), EPERM, "ulimit -l",
		"RING of the same size in another file");
	log.fd = pipes[1];
	check(!dev_rings(second, size / 4) && !dev_rings(last, page),
	      "RINGs of smaller sizes succeed");
	refused(third, dev_call(third, HWPMC_IOC_LOG_OPEN, &log, sizeof(log)), EPERM,
		"ulimit -l", "LOG_OPEN without room for the smallest rings");
	close(last);
	check(!dev_call(third, HWPMC_IOC_LOG_OPEN, &log, sizeof(log)),
	      "LOG_OPEN creates rings of the size that fits: %s", dev_sentence(third));
	close(third);
	third = dev_open();
	close(first);
	close(second);
	check(!dev_rings(third, size), "RING succeeds after another file was closed");
	close(third);
}

int main(int argc, char **argv)
{
	uid_t other = OTHER;
	struct agent p;
	int fd;

	agent_main(argc, argv);
	fd = class_open(60);
	file_copy_program(PLAIN, 0, 0755);
	file_copy_program(SETUID, 0, 04755);
	file_copy_program(SETGID, 0, 02755);
	others = agent_start(as_uid, &other);
	roots = agent_start(NULL, NULL);
	as_user("own processes", USER, 0, own, NULL);
	as_user("kernel mode", USER, 0, kernel_mode, NULL);
	as_user("system-wide", USER, 0, system_wide, NULL);
	as_user("probes", USER, 0, probes, NULL);
	as_user("foreign processes", USER, 0, foreign, NULL);
	as_user("a tree", USER, 0, tree, NULL);
	/* Without the allowance of mlock_kb only RLIMIT_MEMLOCK permits rings. */
	param_set("mlock_kb", 0);
	as_user("locked memory", USER, 0, memlock, NULL);
	param_set("mlock_kb", 528);
	p = agent_start(same_uid_other_gid, NULL);
	as_user("another group", USER, 0, other_group, &p.pid);
	agent_reap(&p);
	rows_taken(fd);
	in_child("outside of the group", outside_group, NULL);
	in_child("root's file", passed_on, &fd);
	param_set("unprivileged_syspmcs", 1);
	as_user("the parameter", USER, 0, allowed, NULL);
	param_set("unprivileged_syspmcs", 0);
	as_user("without the parameter", USER, 0, system_wide, NULL);
	agent_reap(&others);
	agent_reap(&roots);
	return result();
}
