// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/memory.h"
#include "base/signals.h"
#include "run/child.h"

/*
 * The path at which execvp() will find @name, or NULL if no search is needed. The parent searches,
 * since the child may make only async-signal-safe calls.
 */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");
	char *copy, *rest, *directory, *found = NULL;

	if (strchr(name, '/') || !path)
		return NULL;
	copy = xstrdup(path);
	for (rest = copy; !found && (directory = strsep(&rest, ":"));) {
		found = xasprintf("%s/%s", *directory ? directory : ".", name);
		if (!access(found, X_OK))
			break;
		free(found);
		found = NULL;
	}
	free(copy);
	return found;
}

/* Runs in the child. Only async-signal-safe calls are allowed here. */
static void run(int gate, int status_pipe, const char *found, char **argv)
{
	int error = 0;
	ssize_t got;
	char go;

	/* Report that we wait at the gate. */
	if (write(status_pipe, &error, sizeof(error)) != sizeof(error))
		_exit(EXIT_OWN);
	do {
		got = read(gate, &go, 1);
	} while (got < 0 && errno == EINTR);
	/* pmctl closed the gate or exited. */
	if (got != 1)
		_exit(EXIT_OWN);
	if (found)
		execv(found, argv);
	/* Needed for a directory, for a script without #!, and for a path that was not searched. */
	execvp(argv[0], argv);
	error = errno;
	while (write(status_pipe, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(child_exec_result(error));
}

/* Reads what the child reports: 0 or an errno. -1: it exited or has called exec. */
static int read_status(int status_pipe)
{
	int error;
	ssize_t got;

	do {
		got = read(status_pipe, &error, sizeof(error));
	} while (got < 0 && errno == EINTR);
	return got == sizeof(error) ? error : -1;
}

static void close_both(const int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

static int open_pipes(int gate[2], int status_pipe[2])
{
	if (pipe2(gate, O_CLOEXEC))
		return -1;
	if (!pipe2(status_pipe, O_CLOEXEC))
		return 0;
	close_both(gate);
	return -1;
}

int child_fork(struct child *child, char **argv, int output)
{
	int gate[2], status_pipe[2];
	char *found;

	memset(child, 0, sizeof(*child));
	if (open_pipes(gate, status_pipe))
		return -1;
	found = find_program(argv[0]);
	child->pid = fork();
	if (!child->pid) {
		close(gate[1]);
		if (output >= 0)
			dup2(output, STDOUT_FILENO);
		signals_restore();
		run(gate[0], status_pipe[1], found, argv);
	}
	free(found);
	if (child->pid < 0) {
		close_both(gate);
		close_both(status_pipe);
		child->pid = 0;
		return -1;
	}
	close(gate[0]);
	close(status_pipe[1]);
	child->gate = gate[1];
	child->status_pipe = status_pipe[0];
	child->pidfd = child_pidfd(child->pid);
	read_status(child->status_pipe);
	return 0;
}

int child_exec(struct child *child)
{
	int error;

	while (write(child->gate, "", 1) < 0 && errno == EINTR)
		;
	close(child->gate);
	child->gate = -1;
	error = read_status(child->status_pipe);
	close(child->status_pipe);
	child->status_pipe = -1;
	if (error < 0)
		return 0;
	child_reap(child, true);
	return error;
}

bool child_reap(struct child *child, bool wait)
{
	pid_t got;

	if (child->reaped || !child->pid)
		return child->reaped;
	do {
		got = wait4(child->pid, &child->status, wait ? 0 : WNOHANG, &child->usage);
	} while (got < 0 && errno == EINTR);
	child->reaped = got == child->pid;
	return child->reaped;
}

void child_end(struct child *child, int signals, int grace_ms)
{
	struct pollfd ready[] = {
		{ .fd = child->pidfd, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};

	if (!child->pid || child_reap(child, false))
		return;
	kill(child->pid, SIGTERM);
	poll(ready, 2, grace_ms);
	child_reap(child, false);
}

int child_result(const struct child *child)
{
	if (WIFSIGNALED(child->status))
		return 128 + WTERMSIG(child->status);
	return WEXITSTATUS(child->status);
}

int child_exec_result(int error)
{
	return error == ENOENT || error == ENOTDIR ? EXIT_NOPROG : EXIT_NOEXEC;
}

void child_close(struct child *child)
{
	if (!child->pid)
		return;
	if (child->pidfd >= 0)
		close(child->pidfd);
	if (child->gate > 0)
		close(child->gate);
	if (child->status_pipe > 0)
		close(child->status_pipe);
	memset(child, 0, sizeof(*child));
}

int child_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}
