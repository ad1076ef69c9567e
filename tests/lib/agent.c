// SPDX-License-Identifier: GPL-2.0-only
/* Child processes that execute commands; see agent.h. Commands are single letters. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "agent.h"
#include "child.h"
#include "test.h"

/* The pipes' descriptors in an agent. */
#define COMMANDS	60
#define REPLIES	61

static void *agent_idle(void *arg)
{
	*(pid_t *)arg = syscall(SYS_gettid);
	for (;;)
		pause();
	return NULL;
}

static pid_t agent_new_thread(void)
{
	static pid_t tid;
	pthread_t thread;

	tid = 0;
	if (pthread_create(&thread, NULL, agent_idle, &tid))
		return -1;
	while (!*(volatile pid_t *)&tid)
		usleep(1000);
	return tid;
}

static bool read_all(int fd, void *buf, size_t size)
{
	char *at = buf;

	while (size) {
		ssize_t n = read(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= n;
	}
	return true;
}

static void answer(pid_t value)
{
	if (write(REPLIES, &value, sizeof(value)) != sizeof(value))
		_exit(1);
}

/*
 * Drops set-id rights and capabilities, and becomes dumpable. Then only the saved user id forbids
 * other processes of the user to follow this one.
 */
static int agent_keep_saved_uid(uid_t uid, gid_t gid)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = {};

	if (setresgid(gid, gid, gid) || setresuid(uid, uid, -1) ||
	    syscall(SYS_capset, &head, none) || prctl(PR_SET_DUMPABLE, 1))
		return -errno;
	return 0;
}

/* Changes to the label AGENT_LABEL of AppArmor, at once or at the next exec. */
static int agent_label(const char *file, const char *how)
{
	char text[64];
	int fd = open(file, O_WRONLY), len, n;

	if (fd < 0)
		return -errno;
	len = snprintf(text, sizeof(text), "%s %s", how, AGENT_LABEL);
	n = write(fd, text, len) == len ? 0 : -errno;
	close(fd);
	return n;
}

static int agent_change(char what)
{
	uid_t uid = getuid();
	gid_t gid = getgid();

	switch (what) {
	case 'd':
		return setresgid(gid, gid, gid) || setresuid(uid, uid, uid) ? -errno : 0;
	case 'k':
		return agent_keep_saved_uid(uid, gid);
	case 'u':
		return unshare(CLONE_NEWUSER) ? -errno : 0;
	case 'n':
		return prctl(PR_SET_DUMPABLE, 0) ? -errno : 0;
	case 'l':
		return agent_label("/proc/self/attr/apparmor/current", "changeprofile");
	case 'o':
		return agent_label("/proc/self/attr/apparmor/exec", "exec");
	}
	return -EINVAL;
}

static void agent_exec_now(const char *path)
{
	execl(path, path, "agent", NULL);
	answer(-errno);
}

static void agent_serve(void)
{
	char path[256];
	uint16_t len;
	char order;

	while (read_all(COMMANDS, &order, 1)) {
		switch (order) {
		case 's':
			spin(1);
			answer(0);
			break;
		case 't':
			answer(agent_new_thread());
			break;
		case 'd':
		case 'k':
		case 'u':
		case 'n':
		case 'l':
		case 'o':
			answer(agent_change(order));
			break;
		case 'e':
			if (!read_all(COMMANDS, &len, sizeof(len)) || len >= sizeof(path) ||
			    !read_all(COMMANDS, path, len))
				_exit(1);
			path[len] = '\0';
			agent_exec_now(path);
			break;
		default:
			_exit(0);
		}
	}
	_exit(0);
}

void agent_main(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], "agent"))
		return;
	alarm(60 * PATIENCE);
	answer(getpid());
	agent_serve();
}

static bool agent_answer(struct agent *p, pid_t *value)
{
	return read_all(p->from, value, sizeof(*value));
}

static struct agent agent_launch(const char *path, void (*first)(void *arg), void *arg)
{
	int orders[2], answers[2];
	struct agent p;
	pid_t value;

	if (pipe2(orders, O_CLOEXEC) || pipe2(answers, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	p.pid = fork_tied();
	if (!p.pid) {
		dup2(orders[0], COMMANDS);
		dup2(answers[1], REPLIES);
		/* Only the parent may hold its ends of the pipes open. */
		close(orders[0]);
		close(orders[1]);
		close(answers[0]);
		close(answers[1]);
		if (first)
			first(arg);
		if (path) {
			agent_exec_now(path);
			_exit(1);
		}
		answer(getpid());
		agent_serve();
	}
	close(orders[0]);
	close(answers[1]);
	p.to = orders[1];
	p.from = answers[0];
	if (!agent_answer(&p, &value) || value < 0)
		die("a child did not start: %s", strerror(-value));
	return p;
}

struct agent agent_start(void (*first)(void *arg), void *arg)
{
	return agent_launch(NULL, first, arg);
}

struct agent agent_start_program(const char *path, void (*first)(void *arg), void *arg)
{
	return agent_launch(path, first, arg);
}

static bool agent_order(struct agent *p, const void *order, size_t size, pid_t *value)
{
	return write(p->to, order, size) == (ssize_t)size && agent_answer(p, value);
}

bool agent_spin(struct agent *p)
{
	pid_t value = -1;

	return agent_order(p, "s", 1, &value) && !value;
}

int agent_do(struct agent *p, char what)
{
	pid_t value = -EPIPE;

	agent_order(p, &what, 1, &value);
	return value;
}

bool agent_exec_begin(struct agent *p, const char *path)
{
	uint16_t len = strlen(path);
	char order[300] = "e";
	ssize_t size = 1 + sizeof(len) + len;

	memcpy(order + 1, &len, sizeof(len));
	memcpy(order + 1 + sizeof(len), path, len);
	return write(p->to, order, size) == size;
}

bool agent_exec_end(struct agent *p)
{
	pid_t value = -1;

	return agent_answer(p, &value) && value > 0;
}

bool agent_exec(struct agent *p, const char *path)
{
	return agent_exec_begin(p, path) && agent_exec_end(p);
}

pid_t agent_thread(struct agent *p)
{
	pid_t value = -1;

	return agent_order(p, "t", 1, &value) ? value : -1;
}

void agent_exit(struct agent *p)
{
	pid_t value;

	if (write(p->to, "x", 1) == 1)
		agent_answer(p, &value);	/* on end of file the agent exits */
}

void agent_reap(struct agent *p)
{
	kill(p->pid, SIGKILL);
	reap(p->pid);
	close(p->to);
	close(p->from);
}
