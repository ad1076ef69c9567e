// SPDX-License-Identifier: GPL-2.0-only
/* The rights of each single capability, and of root without capabilities. */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "file.h"
#include "test_class.h"

#define USER	1000
#define OTHER	1001
#define SETUID	"/tmp/rights-caps-setuid"
#define PLAIN	"/tmp/rights-caps-plain"

#define CAP(name)	(1ULL << CAP_##name)

static struct agent others, roots, set, hidden, able;

static void as_other(void *arg)
{
	(void)arg;
	become(OTHER, 0);
}

static void as_user_first(void *arg)
{
	(void)arg;
	become(USER, 0);
}

static void as_hidden(void *arg)
{
	(void)arg;
	become(USER, 0);
	prctl(PR_SET_DUMPABLE, 0);
}

/* Makes CAP_NET_RAW an ambient capability of this process, which exec does not drop. */
static void keep_net_raw(void *arg)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { {
		.effective = CAP(NET_RAW), .permitted = CAP(NET_RAW), .inheritable = CAP(NET_RAW),
	} };

	(void)arg;
	if (syscall(SYS_capset, &head, data) ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_RAW, 0, 0))
		die("an ambient capability: %s", strerror(errno));
}

static void as_able(void *arg)
{
	become(USER, CAP(NET_RAW));
	keep_net_raw(arg);
}

static int64_t kernel_mode(void)
{
	return dev_allocate(user_fd, test_class.class_id, HWPMC_MODE_TC, -1, test_class.event,
			    HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, 0);
}

static void may_count(const char *who)
{
	int64_t id = kernel_mode(), sys;

	check(id > 0, "%s: ALLOCATE in kernel mode", who);
	dev_release(user_fd, id);
	sys = class_allocate(user_fd, HWPMC_MODE_SC, 0, 0);
	check(sys > 0 && !dev_start(user_fd, sys), "%s: ALLOCATE system-wide", who);
	dev_release(user_fd, sys);
	check(!dev_admin(user_fd, 0, test_class.first, HWPMC_ADMIN_DISABLED) &&
	      !dev_admin(user_fd, 0, test_class.first, HWPMC_ADMIN_FREE), "%s: ADMIN", who);
}

static void may_not_count(const char *who)
{
	if (test_class.class_id == HWPMC_CLASS_ARMV8)
		refused(user_fd, kernel_mode(), EPERM, "CAP_PERFMON", "%s: ALLOCATE in kernel mode", who);
	refused(user_fd, class_allocate(user_fd, HWPMC_MODE_SC, 0, 0), EPERM, "CAP_PERFMON",
		"%s: ALLOCATE system-wide", who);
	refused(user_fd, dev_admin(user_fd, 0, test_class.first, HWPMC_ADMIN_DISABLED), EPERM, "CAP_PERFMON",
		"%s: ADMIN", who);
}

struct task {
	const char *what;
	pid_t pid;
};

static void tasks(struct task list[5])
{
	list[0] = (struct task) { "another user's process", others.pid };
	list[1] = (struct task) { "root's process", roots.pid };
	list[2] = (struct task) { "a set-id program", set.pid };
	list[3] = (struct task) { "a process that is not dumpable", hidden.pid };
	list[4] = (struct task) { "init", 1 };
}

static void may_follow(const char *who)
{
	uint32_t id = class_pmc(user_fd, 0);
	struct task list[5];
	size_t i;

	tasks(list);
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		check(!dev_attach(user_fd, id, list[i].pid, 0), "%s: ATTACH to %s", who,
		      list[i].what);
		dev_detach(user_fd, id, list[i].pid, 0);
	}
	check(!dev_attach(user_fd, id, others.pid, 0) && !dev_start(user_fd, id),
	      "%s: START on another user's process", who);
	dev_release(user_fd, id);
}

static void may_not_follow(const char *who)
{
	uint32_t id = class_pmc(user_fd, 0);
	struct task list[5];
	size_t i;

	tasks(list);
	for (i = 0; i < ARRAY_SIZE(list); i++)
		refused(user_fd, dev_attach(user_fd, id, list[i].pid, 0), EPERM, NULL,
			"%s: ATTACH to %s", who, list[i].what);
	check(!dev_attach(user_fd, id, 0, 0), "%s: ATTACH to the caller", who);
	dev_release(user_fd, id);
}

static void perfmon(void *arg)
{
	struct hwpmc_row_info row;

	may_count(arg);
	may_not_follow(arg);
	row = dev_row_info(user_fd, 1, test_class.first);
	check(row.pid == getppid() && row.comm[0], "%s: PMC_INFO returns root's holder: pid %d (%s)",
	      (char *)arg, row.pid, row.comm);
}

static void trace(void *arg)
{
	struct hwpmc_row_info row = dev_row_info(user_fd, 1, test_class.first);

	may_not_count(arg);
	may_follow(arg);
	check(row.pid == HWPMC_PID_HIDDEN && !row.comm[0], "%s: PMC_INFO does not return root's holder: pid %d",
	      (char *)arg, row.pid);
}

static void admin(void *arg)
{
	may_count(arg);
	may_not_follow(arg);
}

static void none(void *arg)
{
	may_not_count(arg);
	may_not_follow(arg);
}

/*
 * A process with root's ids and without capabilities may count only processes with the same ids, in
 * user mode.
 */
static void bare_root(void *arg)
{
	struct agent same = agent_start(NULL, NULL);
	uint32_t id;

	may_not_count(arg);
	id = class_pmc(user_fd, 0);
	check(!dev_attach(user_fd, id, same.pid, 0), "%s: ATTACH to a process without capabilities",
	      (char *)arg);
	refused(user_fd, dev_attach(user_fd, id, roots.pid, 0), EPERM, "capabilities",
		"%s: ATTACH to root's process with all capabilities", (char *)arg);
	refused(user_fd, dev_attach(user_fd, id, others.pid, 0), EPERM, NULL,
		"%s: ATTACH to a user's process", (char *)arg);
	refused(user_fd, dev_attach(user_fd, id, hidden.pid, 0), EPERM, NULL,
		"%s: ATTACH to a process that is not dumpable", (char *)arg);
}

static void lacks_capability(void *arg)
{
	refused(user_fd, dev_attach(user_fd, class_pmc(user_fd, 0), able.pid, 0), EPERM, "capabilities",
		"%s: ATTACH to a process of the same user with CAP_NET_RAW", (char *)arg);
}

static void has_capability(void *arg)
{
	struct agent own = agent_start_program(PLAIN, keep_net_raw, NULL);
	uint32_t id = class_pmc(user_fd, 0);
	uint64_t before, after;

	check(!dev_attach(user_fd, id, able.pid, 0), "%s: ATTACH to a process with CAP_NET_RAW",
	      (char *)arg);
	check(!dev_attach(user_fd, id, own.pid, 0) && !dev_start(user_fd, id) &&
	      agent_exec(&own, PLAIN), "(%s: another process with CAP_NET_RAW executes a program)", (char *)arg);
	before = dev_value(user_fd, id);
	agent_spin(&own);
	after = dev_value(user_fd, id);
	check(after > before, "%s: that process is still followed: %llu, %llu", (char *)arg,
	      (unsigned long long)before, (unsigned long long)after);
	agent_reap(&own);
}

/* Returns a descriptor of the device that a user without capabilities opened. */
static int opened_by_user(void)
{
	pid_t pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);

	if (!pid) {
		become(USER, 0);
		_exit(dev_open());
	}
	return reap(pid);
}

/* The opener of the file must have the right to follow the target, whoever attaches it. */
static void opener_lacks_capability(void)
{
	struct agent p = agent_start_program(PLAIN, as_able, NULL);
	int fd = opened_by_user();
	uint32_t id = class_pmc(fd, 0);

	refused(fd, dev_attach(fd, id, p.pid, 0), EPERM, "opener",
		"ATTACH by root of a user's PMC to the user's process with CAP_NET_RAW");
	check(agent_exec(&p, PLAIN), "(that process executes a program and keeps CAP_NET_RAW)");
	refused(fd, dev_attach(fd, id, p.pid, 0), EPERM, "opener", "ATTACH by root after that");
	close(fd);
	agent_reap(&p);
}

/* Rights are those of the caller at the call, not at open(2). */
static void dropped(void *arg)
{
	int64_t before = class_allocate(user_fd, HWPMC_MODE_SC, 0, 0);

	check(before > 0, "%s: ALLOCATE system-wide before", (char *)arg);
	become(USER, 0);
	may_not_count(arg);
	may_not_follow(arg);
	check(!dev_start(user_fd, before) && !dev_stop(user_fd, before) &&
	      !dev_release(user_fd, before),
	      "%s: a PMC that was allocated before can still be used", (char *)arg);
}

int main(int argc, char **argv)
{
	int64_t held;
	int fd;

	agent_main(argc, argv);
	fd = class_open(60);
	file_copy_program(SETUID, 0, 04755);
	file_copy_program(PLAIN, 0, 0755);
	others = agent_start(as_other, NULL);
	roots = agent_start(NULL, NULL);
	set = agent_start_program(SETUID, as_user_first, NULL);
	hidden = agent_start(as_hidden, NULL);
	able = agent_start_program(PLAIN, as_able, NULL);
	held = class_allocate(fd, HWPMC_MODE_SC, 1, 0);
	check(held > 0, "(root holds a row of cpu 1)");
	as_user("no capability", USER, 0, none, "no capability");
	as_user("CAP_PERFMON", USER, CAP(PERFMON), perfmon, "CAP_PERFMON");
	as_user("CAP_SYS_PTRACE", USER, CAP(SYS_PTRACE), trace, "CAP_SYS_PTRACE");
	as_user("CAP_SYS_ADMIN", USER, CAP(SYS_ADMIN), admin, "CAP_SYS_ADMIN");
	as_user("every other", USER,
		~(CAP(PERFMON) | CAP(SYS_PTRACE) | CAP(SYS_ADMIN)) & ((1ULL << 41) - 1), none,
		"every other capability");
	as_user("root without any", 0, 0, bare_root, "root without capabilities");
	as_user("fewer capabilities", USER, 0, lacks_capability, "no capability");
	as_user("same capability", USER, CAP(NET_RAW), has_capability, "CAP_NET_RAW");
	as_user("another capability", USER, CAP(NET_ADMIN), lacks_capability, "CAP_NET_ADMIN");
	opener_lacks_capability();
	as_user("dropped after open", 0, (1ULL << 41) - 1, dropped, "dropped after open");
	return result();
}
