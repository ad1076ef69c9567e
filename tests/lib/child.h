/* SPDX-License-Identifier: GPL-2.0-only */
/* Children of a test, and the users that they become. */
#ifndef HWPMC_TEST_CHILD_H
#define HWPMC_TEST_CHILD_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Print a "not ok" line and end the program when main() has not returned by then.
 * The children of fork_tied() have the same limit. Taken PATIENCE times.
 */
void time_limit(unsigned int seconds);

/* fork() that survives no parent; dies if it cannot. */
pid_t fork_tied(void);
/* Exit status of a child, or -signal. */
int reap(pid_t pid);
/* Run @fn in a child, which may print cases; a case of its own if that fails. */
void in_child(const char *what, void (*fn)(void *arg), void *arg);

/*
 * Become a user of the group hwpmc (uid and gid alike), without capabilities but
 * those of @caps (1 << CAP_*); the process stays dumpable. Dies if it cannot.
 */
void become(uid_t uid, uint64_t caps);
/* in_child(), as that user and with a device of its own in @user_fd. */
void as_user(const char *what, uid_t uid, uint64_t caps, void (*fn)(void *arg), void *arg);
extern int user_fd;

#endif /* HWPMC_TEST_CHILD_H */
