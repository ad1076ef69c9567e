// SPDX-License-Identifier: GPL-2.0-only
/* Child processes that do what they are told; see any.h. Orders are single letters. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "any.h"

/* Where a program that was started as a puppet finds its pipes. */
#define ORDERS	60
#define ANSWERS	61

static void *puppet_idle(void *arg)
{
	*(pid_t *)arg = syscall(SYS_gettid);
	for (;;)
		pause();
	return NULL;
}

static pid_t puppet_new_thread(void)
{
	static pid_t tid;
	pthread_t thread;

	tid = 0;
	if (pthread_create(&thread, NULL, puppet_idle, &tid))
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
	if (write(ANSWERS, &value, sizeof(value)) != sizeof(value))
		_exit(1);
}

static int puppet_change(char what)
{
	uid_t uid = getuid();
	gid_t gid = getgid();

	switch (what) {
	case 'd':
		return setresgid(gid, gid, gid) || setresuid(uid, uid, uid) ? -errno : 0;
	case 'u':
		return unshare(CLONE_NEWUSER) ? -errno : 0;
	case 'n':
		return prctl(PR_SET_DUMPABLE, 0) ? -errno : 0;
	}
	return -EINVAL;
}

static void puppet_exec_now(const char *path)
{
	execl(path, path, "puppet", NULL);
	answer(-errno);
}

static void puppet_obey(void)
{
	char path[256];
	uint16_t len;
	char order;

	while (read_all(ORDERS, &order, 1)) {
		switch (order) {
		case 's':
			spin(1);
			answer(0);
			break;
		case 't':
			answer(puppet_new_thread());
			break;
		case 'd':
		case 'u':
		case 'n':
			answer(puppet_change(order));
			break;
		case 'e':
			if (!read_all(ORDERS, &len, sizeof(len)) || len >= sizeof(path) ||
			    !read_all(ORDERS, path, len))
				_exit(1);
			path[len] = '\0';
			puppet_exec_now(path);
			break;
		default:
			_exit(0);
		}
	}
	_exit(0);
}

void puppet_main(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], "puppet"))
		return;
	alarm(60 * PATIENCE);
	answer(getpid());
	puppet_obey();
}

static bool puppet_answer(struct puppet *p, pid_t *value)
{
	return read_all(p->from, value, sizeof(*value));
}

static struct puppet puppet_start(const char *path, void (*first)(void *arg), void *arg)
{
	int orders[2], answers[2];
	struct puppet p;
	pid_t value;

	if (pipe2(orders, O_CLOEXEC) || pipe2(answers, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	p.pid = fork_tied();
	if (!p.pid) {
		dup2(orders[0], ORDERS);
		dup2(answers[1], ANSWERS);
		/* Only the parent's ends keep the pipes open. */
		close(orders[0]);
		close(orders[1]);
		close(answers[0]);
		close(answers[1]);
		if (first)
			first(arg);
		if (path) {
			puppet_exec_now(path);
			_exit(1);
		}
		answer(getpid());
		puppet_obey();
	}
	close(orders[0]);
	close(answers[1]);
	p.to = orders[1];
	p.from = answers[0];
	if (!puppet_answer(&p, &value) || value < 0)
		die("a child did not start: %s", strerror(-value));
	return p;
}

struct puppet puppet_make(void (*first)(void *arg), void *arg)
{
	return puppet_start(NULL, first, arg);
}

struct puppet puppet_exec(const char *path, void (*first)(void *arg), void *arg)
{
	return puppet_start(path, first, arg);
}

static bool puppet_order(struct puppet *p, const void *order, size_t size, pid_t *value)
{
	return write(p->to, order, size) == (ssize_t)size && puppet_answer(p, value);
}

bool puppet_spin(struct puppet *p)
{
	pid_t value = -1;

	return puppet_order(p, "s", 1, &value) && !value;
}

int puppet_do(struct puppet *p, char what)
{
	pid_t value = -EPIPE;

	puppet_order(p, &what, 1, &value);
	return value;
}

bool puppet_tell_become(struct puppet *p, const char *path)
{
	uint16_t len = strlen(path);
	char order[300] = "e";
	ssize_t size = 1 + sizeof(len) + len;

	memcpy(order + 1, &len, sizeof(len));
	memcpy(order + 1 + sizeof(len), path, len);
	return write(p->to, order, size) == size;
}

bool puppet_told(struct puppet *p)
{
	pid_t value = -1;

	return puppet_answer(p, &value) && value > 0;
}

bool puppet_become(struct puppet *p, const char *path)
{
	return puppet_tell_become(p, path) && puppet_told(p);
}

pid_t puppet_thread(struct puppet *p)
{
	pid_t value = -1;

	return puppet_order(p, "t", 1, &value) ? value : -1;
}

void puppet_exit(struct puppet *p)
{
	pid_t value;

	if (write(p->to, "x", 1) == 1)
		puppet_answer(p, &value);	/* end of file: it is on its way out */
}

void puppet_reap(struct puppet *p)
{
	kill(p->pid, SIGKILL);
	reap(p->pid);
	close(p->to);
	close(p->from);
}
