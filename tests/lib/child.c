// SPDX-License-Identifier: GPL-2.0-only
/* Children of a test, and the users that they become; see child.h. */
#define _GNU_SOURCE
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "child.h"
#include "test.h"

int user_fd;
static unsigned int limit;	/* seconds */

static void out_of_time(int sig)
{
	static const char text[] = "not ok - the program ends within its time limit\n";

	(void)sig;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(1);
}

void time_limit(unsigned int seconds)
{
	limit = seconds * PATIENCE;
	signal(SIGALRM, out_of_time);
	alarm(limit);
}

pid_t fork_tied(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Returns 0 if the process is in another PID namespace. */
	if (getppid() && getppid() != parent)
		_exit(1);
	alarm(limit);
	return 0;
}

int reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1000;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void in_child(const char *what, void (*fn)(void *arg), void *arg)
{
	bool failed_before = result();
	pid_t pid = fork_tied();
	int status;

	if (!pid) {
		fn(arg);
		exit(result());
	}
	status = reap(pid);
	/* The child's number of failures includes those from before the fork. */
	if (status && !(status == 1 && failed_before))
		check(false, "%s: the child ended with %d", what, status);
}

void in_pid_namespace(const char *what, void (*fn)(void *arg), void *arg)
{
	pid_t pid = fork_tied();

	/* unshare() applies to the children of the caller, which stays outside. */
	if (!pid) {
		if (unshare(CLONE_NEWPID))
			die("unshare: %s", strerror(errno));
		in_child(what, fn, arg);
		exit(result());
	}
	check(!reap(pid), "%s: its cases pass", what);
}

static bool only_caps(uint64_t caps)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	return !syscall(SYS_capset, &head, data);
}

void become(uid_t uid, uint64_t caps)
{
	gid_t groups[] = { GROUP_HWPMC };

	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(1, groups) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid) || !only_caps(caps) || prctl(PR_SET_DUMPABLE, 1))
		die("becoming user %u: %s", uid, strerror(errno));
}

struct user_fn {
	uid_t uid;
	uint64_t caps;
	void (*fn)(void *arg);
	void *arg;
};

static void user_fn(void *arg)
{
	const struct user_fn *u = arg;

	become(u->uid, u->caps);
	user_fd = dev_open();
	u->fn(u->arg);
}

void as_user(const char *what, uid_t uid, uint64_t caps, void (*fn)(void *arg), void *arg)
{
	struct user_fn u = { uid, caps, fn, arg };

	in_child(what, user_fn, &u);
}
