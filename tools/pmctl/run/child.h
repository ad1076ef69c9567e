/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CHILD_H
#define PMCTL_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/**
 * struct child - the program to count, from fork to its end
 * @pid: of it, 0 if there is none
 * @pidfd: readable when it has ended; -1 if this kernel has no pidfds
 * @gate: a byte lets the child exec; closing it makes it exit
 * @status_pipe: the child says here that it waits at the gate, and the errno when exec
 *	fails; exec closes it
 * @reaped: @status and @usage are valid
 * @status: as wait(2) gives it
 * @usage: what it and the children it waited for used
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
 * Forks; when this returns the child waits at the gate. 0, or -1 and errno.
 * @output: what shall be its standard output, -1: the same as ours.
 */
int child_fork(struct child *child, char **argv, int output);

/* Lets it exec. 0; or the errno of exec, and the child is reaped. */
int child_exec(struct child *child);

/* Reaps it if it has ended; @wait: waits for that. True once it is reaped. */
bool child_reap(struct child *child, bool wait);

/*
 * Asks it to end, if it has not ended, and waits for that: @grace_ms at most (-1:
 * for ever), and not when a signal comes on the descriptor @signals.
 */
void child_end(struct child *child, int signals, int grace_ms);

/* What the shell would call its end: its exit status, or 128 + the signal. */
int child_result(const struct child *child);

/* The same for an exec that failed: 126 or 127. */
int child_exec_result(int error);

void child_close(struct child *child);

/* A descriptor that is readable when process @pid has ended, or -1. */
int child_pidfd(pid_t pid);

#endif
