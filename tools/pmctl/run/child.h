/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CHILD_H
#define PMCTL_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/**
 * struct child - the program to run, from fork to its end
 * @pid: its process id; 0 if there is none
 * @pidfd: readable when it has exited; -1 if this kernel has no pidfds
 * @gate: pipe to the child: a byte makes it exec, closing it makes it exit
 * @status_pipe: pipe from the child: 0 when it waits at the gate, an errno if exec fails;
 *	exec closes it
 * @reaped: @status and @usage are valid
 * @status: as from wait(2)
 * @usage: as from wait4(2)
 */
struct child {
	pid_t pid;
	int pidfd;
	int gate;
	int status_pipe;
	bool reaped;
	int status;
	struct rusage usage;
};

/*
 * Forks. When this returns, the child waits at the gate. 0, or -1 with errno. @output: its standard
 * output; -1: the same as pmctl's.
 */
int child_fork(struct child *child, char **argv, int output);

/* Opens the gate. 0; or the errno of exec, and the child is reaped. */
int child_exec(struct child *child);

/* Reaps it if it has exited; with @wait waits for that. True once it is reaped. */
bool child_reap(struct child *child, bool wait);

/*
 * Sends SIGTERM if it has not exited, and waits for its end for up to @grace_ms (-1: without
 * limit) or until the descriptor @signals is readable.
 */
void child_end(struct child *child, int signals, int grace_ms);

/* Its exit status as in a shell: that of exit(3), or 128 + the signal. */
int child_result(const struct child *child);

/* The exit status for an exec that failed: 126 or 127. */
int child_exec_result(int error);

void child_close(struct child *child);

/* A descriptor that is readable when process @pid has exited, or -1. */
int child_pidfd(pid_t pid);

#endif
