// SPDX-License-Identifier: GPL-2.0-only
/*
 * A target's exec: an ordinary exec changes nothing. After the exec of a program that the owner may
 * not follow, the target is lost, and its count is kept.
 */
#include <linux/capability.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "cpu.h"
#include "file.h"
#include "test_class.h"

#define USER	1000

#define PLAIN		"/tmp/exec-plain"
#define SETUID		"/tmp/exec-setuid"
#define SETUID_OWN	"/tmp/exec-setuid-own"	/* set-uid to the user that runs it */
#define SETGID		"/tmp/exec-setgid"
#define UNREADABLE	"/tmp/exec-unreadable"
#define FILECAPS	"/tmp/exec-filecaps"

static bool have_filecaps;

/* Returns a running PMC, attached to a new child of the same user, which it has already counted. */
static uint32_t following(struct agent *p, uint32_t flags)
{
	uint32_t id = class_pmc(user_fd, flags);

	*p = agent_start(NULL, NULL);
	if (dev_attach(user_fd, id, p->pid, 0) || dev_start(user_fd, id) || !agent_spin(p))
		die("following a child: %s", dev_sentence(user_fd));
	return id;
}

static void keeps(const char *who, const char *path, const char *what)
{
	struct agent p;
	uint32_t id = following(&p, 0);
	uint64_t before = dev_value(user_fd, id), after;

	check(agent_exec(&p, path) && agent_spin(&p), "(%s: a target executes %s)", who, what);
	after = dev_value(user_fd, id);
	check(after > before && !dev_hung_up(user_fd),
	      "%s continues to count the target: %llu, %llu", who,
	      (unsigned long long)before, (unsigned long long)after);
	check(!dev_stop(user_fd, id) && !dev_start(user_fd, id), "%s may STOP and START the PMC", who);
	dev_release(user_fd, id);
	agent_reap(&p);
}

static void loses(const char *who, const char *path, const char *what)
{
	struct hwpmc_target_value list[4];
	struct agent p;
	uint32_t id = following(&p, 0), count = 4;
	uint64_t before = dev_value(user_fd, id), after, later, value;

	check(agent_exec(&p, path), "(%s: a target executes %s)", who, what);
	check(dev_hung_up(user_fd), "%s gets POLLHUP for the lost target", who);
	after = dev_value(user_fd, id);
	check(after >= before && before > 0, "%s keeps the lost target's count: %llu, %llu", who,
	      (unsigned long long)before, (unsigned long long)after);
	agent_spin(&p);
	later = dev_value(user_fd, id);
	check(later == after, "%s no longer counts the lost target: %llu", who, (unsigned long long)later);
	check(!dev_targets(user_fd, id, &value, list, &count) && count == 1 &&
	      list[0].flags == HWPMC_TARGET_GONE && list[0].value == value,
	      "%s: READ returns the lost target with HWPMC_TARGET_GONE", who);
	check(!dev_stop(user_fd, id), "%s: STOP", who);
	refused(user_fd, dev_start(user_fd, id), ESRCH, "gone", "%s: START", who);
	check(!dev_detach(user_fd, id, p.pid, 0), "%s: DETACH of the lost target", who);
	refused(user_fd, dev_attach(user_fd, id, p.pid, 0), EPERM, NULL, "%s: ATTACH to the lost target", who);
	dev_release(user_fd, id);
	agent_reap(&p);
}

static void parts(const char *who, uint32_t id, uint64_t gone, unsigned int of)
{
	struct hwpmc_target_value list[4];
	uint32_t count = 4;
	uint64_t value, sum = 0;
	bool lost = false;
	unsigned int i;

	if (dev_targets(user_fd, id, &value, list, &count) || count > 4)
		die("%s: %s", who, dev_sentence(user_fd));
	for (i = 0; i < count; i++) {
		sum += list[i].value;
		lost |= list[i].flags == HWPMC_TARGET_GONE && list[i].value == gone;
	}
	check(lost && count == of && sum == value, "%s: one of %u per-target values is the lost target's", who,
	      of);
}

/* Lets another owner hold the PMC's row in one of the target's threads. Returns that owner. */
static int row_taken(uint32_t id, pid_t tid)
{
	struct hwpmc_caps mine, got;
	int foreign = dev_open();
	uint32_t ids[64];
	unsigned int n = class_allocate_all(foreign, HWPMC_MODE_TC, -1, ids, ARRAY_SIZE(ids)), i;

	dev_caps(user_fd, id, &mine);
	for (i = 0; i < n; i++)
		if (!dev_caps(foreign, ids[i], &got) && got.row == mine.row)
			break;
	if (i == n || dev_attach(foreign, ids[i], tid, HWPMC_ATTACH_TID))
		die("holding the row: %s", dev_sentence(foreign));
	return foreign;
}

/* ATTACH with a structure in a page that is read-only. */
static int attach_read_only(uint32_t id, pid_t pid)
{
	size_t size = sysconf(_SC_PAGESIZE);
	struct hwpmc_attach *args = mmap(NULL, size, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err;

	if (args == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	*args = (struct hwpmc_attach){ .size = sizeof(*args), .id = id, .pid = pid };
	if (mprotect(args, size, PROT_READ))
		die("mprotect: %s", strerror(errno));
	err = ioctl(user_fd, HWPMC_IOC_ATTACH, args) ? -errno : 0;
	munmap(args, size);
	return err;
}

/*
 * After another exec the lost target is an ordinary process: the sentence of START says to attach
 * again, and ATTACH succeeds.
 */
static void regains(const char *who, uint32_t flags)
{
	struct agent p;
	uint32_t id = following(&p, flags);
	uint64_t gone, after;
	int foreign;

	check(agent_exec(&p, UNREADABLE) && dev_hung_up(user_fd),
	      "(%s: its target executes a program of mode 0111)", who);
	dev_stop(user_fd, id);
	gone = dev_value(user_fd, id);
	refused(user_fd, dev_attach(user_fd, id, p.pid, 0), EPERM, "not dumpable", "%s: ATTACH now",
		who);
	parts(who, id, gone, 1);
	check(agent_exec(&p, PLAIN), "(%s: and then an ordinary one)", who);
	refused(user_fd, dev_start(user_fd, id), ESRCH, "attach", "%s: START", who);
	foreign = row_taken(id, flags & HWPMC_F_THREAD ? p.pid : agent_thread(&p));
	refused(user_fd, dev_attach(user_fd, id, p.pid, 0), EBUSY, "row", "%s: ATTACH while another owner holds the row", who);
	check(dev_hung_up(user_fd), "%s: a refused ATTACH attaches nothing", who);
	parts(who, id, gone, 1);
	close(foreign);
	refused_silent(attach_read_only(id, p.pid), EFAULT, "%s: ATTACH from a read-only page", who);
	check(dev_hung_up(user_fd), "%s: that attaches nothing, too", who);
	parts(who, id, gone, 1);
	check(!dev_attach(user_fd, id, p.pid, 0), "%s: ATTACH without a DETACH before", who);
	check(!dev_hung_up(user_fd) && dev_value(user_fd, id) == gone,
	      "%s: the target is attached again, at %llu", who,
	      (unsigned long long)gone);
	refused(user_fd, dev_attach(user_fd, id, p.pid, 0), EEXIST, "already", "%s: ATTACH for a second time", who);
	check(!dev_start(user_fd, id) && agent_spin(&p) && !dev_stop(user_fd, id), "%s: the PMC runs again",
	      who);
	after = dev_value(user_fd, id);
	check(after > gone, "%s: the PMC continues to count: %llu, %llu", who, (unsigned long long)gone,
	      (unsigned long long)after);
	parts(who, id, gone, flags & HWPMC_F_THREAD ? 2 : 3);
	check(!dev_detach(user_fd, id, p.pid, 0) && dev_value(user_fd, id) == after,
	      "%s: DETACH removes the old and the new attachment", who);
	refused(user_fd, dev_detach(user_fd, id, p.pid, 0), ESRCH, "target", "%s: a second DETACH", who);
	dev_release(user_fd, id);
	agent_reap(&p);
}

static void unprivileged(void *arg)
{
	keeps(arg, PLAIN, "an ordinary program");
	keeps(arg, SETUID_OWN, "a program set-user-ID to its own user");
	loses(arg, SETUID, "a set-user-ID program");
	loses(arg, SETGID, "a set-group-ID program");
	loses(arg, UNREADABLE, "a program of mode 0111");
	if (have_filecaps)
		loses(arg, FILECAPS, "a program with file capabilities");
	else
		skip("file capabilities: this kernel's tmpfs has none");
	regains("again", 0);
	regains("again, one thread", HWPMC_F_THREAD);
}

/* With fs.suid_dumpable=1 these programs are dumpable, so their ids or capabilities decide. */
static void dumpable(void *arg)
{
	loses(arg, SETUID, "a dumpable set-user-ID program");
	loses(arg, SETGID, "a dumpable set-group-ID program");
	if (have_filecaps)
		loses(arg, FILECAPS, "a dumpable program with file capabilities");
}

static void privileged(void *arg)
{
	keeps(arg, PLAIN, "an ordinary program");
	keeps(arg, SETUID, "a set-user-ID program");
	keeps(arg, SETGID, "a set-group-ID program");
	keeps(arg, UNREADABLE, "a program of mode 0111");
	if (have_filecaps)
		keeps(arg, FILECAPS, "a program with file capabilities");
}

static void as_plain_user(void *arg)
{
	(void)arg;
	become(USER, 0);
}

/* A user's task that this user and root both follow. */
struct both {
	pid_t pid;
	int ready[2], go[2];
};

static void users_half(void *arg)
{
	const struct both *b = arg;
	uint32_t id = class_pmc(user_fd, 0);
	uint64_t value;
	char byte = 1;

	check(!dev_attach(user_fd, id, b->pid, 0) && !dev_start(user_fd, id),
	      "both: the user follows its task");
	if (write(b->ready[1], &byte, 1) != 1 || read(b->go[0], &byte, 1) != 1)
		die("both");
	value = dev_value(user_fd, id);
	check(dev_hung_up(user_fd) && value > 0, "both: the user loses the target, and keeps %llu",
	      (unsigned long long)value);
}

static void both(int fd)
{
	struct agent p = agent_start(as_plain_user, NULL);
	struct both b = { .pid = p.pid };
	uint32_t ids[2];
	uint64_t before, after;
	char byte = 1;
	pid_t child;

	if (pipe(b.ready) || pipe(b.go))
		die("pipe");
	child = fork_tied();
	if (!child) {
		become(USER, 0);
		user_fd = dev_open();
		users_half(&b);
		exit(result());
	}
	if (read(b.ready[0], &byte, 1) != 1)
		die("both");
	/* The user holds this row in the task, so the second PMC gets another row. */
	ids[0] = class_pmc(fd, 0);
	ids[1] = class_pmc(fd, 0);
	if (dev_attach(fd, ids[1], p.pid, 0))
		die("both: %s", dev_sentence(fd));
	dev_start(fd, ids[1]);
	agent_spin(&p);
	before = dev_value(fd, ids[1]);
	check(agent_exec(&p, SETUID) && agent_spin(&p),
	      "(both: the task executes a set-user-ID program)");
	after = dev_value(fd, ids[1]);
	check(after > before, "both: root continues to count: %llu, %llu", (unsigned long long)before,
	      (unsigned long long)after);
	if (write(b.go[1], &byte, 1) != 1)
		die("both");
	check(!reap(child), "both: the user's cases pass");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2);
	agent_reap(&p);
}

/* In a tree, only the task that may not be followed is lost. */
static void tree(void *arg)
{
	uint32_t id = class_pmc(user_fd, HWPMC_F_DESCENDANTS);
	struct agent a, b;
	uint64_t before, after;

	(void)arg;
	if (dev_attach(user_fd, id, 0, 0) || dev_start(user_fd, id))
		die("tree: %s", dev_sentence(user_fd));
	a = agent_start(NULL, NULL);
	b = agent_start(NULL, NULL);
	agent_spin(&b);
	check(agent_exec(&b, SETUID), "(a tree: one child executes a set-user-ID program)");
	check(!dev_hung_up(user_fd), "a tree: its other tasks are still followed");
	refused(user_fd, dev_attach(user_fd, id, b.pid, 0), EBUSY, NULL, "a tree: ATTACH while the PMC runs");
	before = dev_value(user_fd, id);
	agent_spin(&a);
	after = dev_value(user_fd, id);
	check(after > before, "a tree: the other tasks are counted: %llu, %llu", (unsigned long long)before,
	      (unsigned long long)after);
	dev_stop(user_fd, id);
	refused(user_fd, dev_attach(user_fd, id, b.pid, 0), EPERM, NULL,
		"a tree: ATTACH to that child");
	agent_reap(&a);
	agent_reap(&b);
	dev_release(user_fd, id);
}

/* A stopped PMC loses its target, too. */
static void stopped(void *arg)
{
	struct agent p;
	uint32_t id = following(&p, 0);
	uint64_t before;

	(void)arg;
	dev_stop(user_fd, id);
	before = dev_value(user_fd, id);
	check(agent_exec(&p, SETUID),
	      "(a target of a stopped PMC executes a set-user-ID program)");
	check(dev_hung_up(user_fd), "stopped: POLLHUP for the lost target");
	refused(user_fd, dev_start(user_fd, id), ESRCH, "gone", "stopped: START");
	check(dev_value(user_fd, id) == before, "stopped: the lost target's count does not change: %llu",
	      (unsigned long long)before);
	dev_release(user_fd, id);
	agent_reap(&p);
}

#define IN_BETWEEN	49

/*
 * ATTACH while the task executes a set-user-ID program: an ATTACH before the exec succeeds, and the
 * exec then loses the target; an ATTACH after the exec is refused. Some calls hit the middle of the
 * exec.
 */
static void in_between(void *arg)
{
	unsigned int i, early = 0, late = 0, wrong = 0;
	uint32_t id = class_pmc(user_fd, 0);
	char last[256] = "none";
	double takes = 0.005;

	(void)arg;
	for (i = 0; i < IN_BETWEEN; i++) {
		struct agent p = agent_start(NULL, NULL);
		double then = seconds(), until = then + takes * (i * 7 % IN_BETWEEN) / IN_BETWEEN;
		int err;

		agent_exec_begin(&p, SETUID);
		if (i % 8 == 0) {
			if (!agent_exec_end(&p))
				die("in between");
			takes = seconds() - then;
			agent_reap(&p);
			continue;
		}
		while (seconds() < until)
			;
		err = dev_attach(user_fd, id, p.pid, 0);
		if (!agent_exec_end(&p))
			die("in between");
		if (err == -EPERM) {
			late++;
		} else if (!err && dev_hung_up(user_fd)) {
			early++;
		} else {
			wrong++;
			snprintf(last, sizeof(last), "%s", err ? dev_sentence(user_fd) : "no POLLHUP");
		}
		if (!err)
			dev_detach(user_fd, id, p.pid, 0);
		agent_reap(&p);
	}
	check(!wrong,
	      "ATTACH during exec of a set-user-ID program: %u before, %u after; wrong: %u, the last: %s",
	      early, late, wrong, last);
	dev_release(user_fd, id);
}

int main(int argc, char **argv)
{
	int fd;

	agent_main(argc, argv);
	fd = class_open(90);
	file_copy_program(PLAIN, 0, 0755);
	file_copy_program(SETUID, 0, 04755);
	file_copy_program(SETUID_OWN, USER, 04755);
	file_copy_program(SETGID, 0, 02755);
	file_copy_program(UNREADABLE, 0, 0111);
	file_copy_program(FILECAPS, 0, 0755);
	have_filecaps = file_set_capability(FILECAPS, CAP_NET_RAW);
	as_user("unprivileged", USER, 0, unprivileged, "an unprivileged owner");
	file_set("/proc/sys/fs/suid_dumpable", "1");
	as_user("dumpable", USER, 0, dumpable, "an unprivileged owner");
	file_set("/proc/sys/fs/suid_dumpable", "0");
	as_user("CAP_SYS_PTRACE", USER, 1 << CAP_SYS_PTRACE, privileged,
		"an owner with CAP_SYS_PTRACE");
	user_fd = dev_open();
	privileged("root");
	both(fd);
	as_user("a tree", USER, 0, tree, NULL);
	as_user("stopped", USER, 0, stopped, NULL);
	as_user("in between", USER, 0, in_between, NULL);
	return result();
}
