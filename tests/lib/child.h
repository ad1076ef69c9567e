/* SPDX-License-Identifier: GPL-2.0-only */
/* Children of a test, and the users that they become. */
#ifndef HWPMC_TEST_CHILD_H
#define HWPMC_TEST_CHILD_H

#include <stdint.h>
#include <sys/types.h>

/* The group whose users may open the device (tests/vm/guest/etc/group). */
#define GROUP_HWPMC	900

/*
 * Prints a "not ok" line and ends the program if main() has not returned after this time. The
 * children of fork_tied() have the same limit. It is multiplied by PATIENCE.
 */
void time_limit(unsigned int seconds);

/* fork() of a child that is killed when its parent exits, and has the parent's time limit. */
pid_t fork_tied(void);
/* Waits for a child. Returns its exit status, or -signal. */
int reap(pid_t pid);
/*
 * Runs @fn in a child, which may print cases. If the child fails otherwise, that is a failed case.
 */
void in_child(const char *what, void (*fn)(void *arg), void *arg);
/* The same in a PID namespace of its own, in which the child is process 1. */
void in_pid_namespace(const char *what, void (*fn)(void *arg), void *arg);

/*
 * Changes to a user in the group hwpmc (uid and gid are equal) whose only capabilities are @caps (1
 * << CAP_*). The process stays dumpable.
 */
void become(uid_t uid, uint64_t caps);
/* As in_child(), but as that user, with a file of the device in @user_fd. */
void as_user(const char *what, uid_t uid, uint64_t caps, void (*fn)(void *arg), void *arg);
extern int user_fd;

#endif /* HWPMC_TEST_CHILD_H */
