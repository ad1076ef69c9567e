// SPDX-License-Identifier: GPL-2.0-only
/* What single capabilities are worth, and root without any. */
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "any.h"

#define USER	1000
#define OTHER	1001
#define SETUID	"/tmp/rights-caps-setuid"

#define CAP(name)	(1ULL << CAP_##name)

static struct puppet others, roots, set, hidden;

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

static int64_t kernel_mode(void)
{
	return dev_allocate(any_fd, any.class_id, HWPMC_MODE_TC, -1, any.event,
			    HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, 0);
}

static void may_count(const char *who)
{
	int64_t id = kernel_mode(), sys;

	check(id > 0, "%s: kernel mode", who);
	dev_release(any_fd, id);
	sys = any_allocate(any_fd, HWPMC_MODE_SC, 0, 0);
	check(sys > 0 && !dev_start(any_fd, sys), "%s: system-wide", who);
	dev_release(any_fd, sys);
	check(!any_admin(any_fd, 0, any.first, HWPMC_ADMIN_DISABLED) &&
	      !any_admin(any_fd, 0, any.first, HWPMC_ADMIN_FREE), "%s: ADMIN", who);
}

static void may_not_count(const char *who)
{
	if (any.class_id == HWPMC_CLASS_ARMV8)
		refused(any_fd, kernel_mode(), EPERM, "CAP_PERFMON", "%s: kernel mode", who);
	refused(any_fd, any_allocate(any_fd, HWPMC_MODE_SC, 0, 0), EPERM, "CAP_PERFMON",
		"%s: system-wide", who);
	refused(any_fd, any_admin(any_fd, 0, any.first, HWPMC_ADMIN_DISABLED), EPERM, "CAP_PERFMON",
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
	uint32_t id = any_pmc(any_fd, 0);
	struct task list[5];
	size_t i;

	tasks(list);
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		check(!dev_attach(any_fd, id, list[i].pid, 0), "%s: ATTACH to %s", who,
		      list[i].what);
		dev_detach(any_fd, id, list[i].pid, 0);
	}
	check(!dev_attach(any_fd, id, others.pid, 0) && !dev_start(any_fd, id),
	      "%s: START on another user's", who);
	dev_release(any_fd, id);
}

static void may_not_follow(const char *who)
{
	uint32_t id = any_pmc(any_fd, 0);
	struct task list[5];
	size_t i;

	tasks(list);
	for (i = 0; i < ARRAY_SIZE(list); i++)
		refused(any_fd, dev_attach(any_fd, id, list[i].pid, 0), EPERM, NULL,
			"%s: ATTACH to %s", who, list[i].what);
	check(!dev_attach(any_fd, id, 0, 0), "%s: ATTACH to oneself", who);
	dev_release(any_fd, id);
}

static void perfmon(void *arg)
{
	struct hwpmc_row_info row;

	may_count(arg);
	may_not_follow(arg);
	row = any_row(any_fd, 1, any.first);
	check(row.pid == getppid() && row.comm[0], "%s: PMC_INFO shows root's holder: pid %d (%s)",
	      (char *)arg, row.pid, row.comm);
}

static void trace(void *arg)
{
	struct hwpmc_row_info row = any_row(any_fd, 1, any.first);

	may_not_count(arg);
	may_follow(arg);
	check(row.pid == -2 && !row.comm[0], "%s: PMC_INFO does not show root's holder: pid %d",
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

/* Root's ids, but no capability: what is root's own, in user mode. */
static void bare_root(void *arg)
{
	uint32_t id;

	may_not_count(arg);
	id = any_pmc(any_fd, 0);
	check(!dev_attach(any_fd, id, roots.pid, 0), "%s: ATTACH to root's process", (char *)arg);
	refused(any_fd, dev_attach(any_fd, id, others.pid, 0), EPERM, NULL,
		"%s: ATTACH to a user's", (char *)arg);
	refused(any_fd, dev_attach(any_fd, id, hidden.pid, 0), EPERM, NULL,
		"%s: ATTACH to one that is not dumpable", (char *)arg);
}

/* Rights are those of the caller now, not of who opened. */
static void dropped(void *arg)
{
	int64_t before = any_allocate(any_fd, HWPMC_MODE_SC, 0, 0);

	check(before > 0, "%s: system-wide before", (char *)arg);
	become(USER, 0);
	may_not_count(arg);
	may_not_follow(arg);
	check(!dev_start(any_fd, before) && !dev_stop(any_fd, before) &&
	      !dev_release(any_fd, before),
	      "%s: what was granted stays", (char *)arg);
}

int main(int argc, char **argv)
{
	char cmd[128];
	int64_t held;
	int fd;

	puppet_main(argc, argv);
	fd = any_open(60);
	snprintf(cmd, sizeof(cmd), "cp /proc/%d/exe " SETUID, getpid());
	if (system(cmd) || chmod(SETUID, 04755))
		die("%s", SETUID);
	others = puppet_make(as_other, NULL);
	roots = puppet_make(NULL, NULL);
	set = puppet_exec(SETUID, as_user_first, NULL);
	hidden = puppet_make(as_hidden, NULL);
	held = any_allocate(fd, HWPMC_MODE_SC, 1, 0);
	check(held > 0, "(root holds a row of cpu 1)");
	as_user("no capability", USER, 0, none, "no capability");
	as_user("CAP_PERFMON", USER, CAP(PERFMON), perfmon, "CAP_PERFMON");
	as_user("CAP_SYS_PTRACE", USER, CAP(SYS_PTRACE), trace, "CAP_SYS_PTRACE");
	as_user("CAP_SYS_ADMIN", USER, CAP(SYS_ADMIN), admin, "CAP_SYS_ADMIN");
	as_user("every other one", USER,
		~(CAP(PERFMON) | CAP(SYS_PTRACE) | CAP(SYS_ADMIN)) & ((1ULL << 41) - 1), none,
		"every other capability");
	as_user("root without any", 0, 0, bare_root, "root without capabilities");
	as_user("dropped after open", 0, (1ULL << 41) - 1, dropped, "dropped after open");
	return result();
}
