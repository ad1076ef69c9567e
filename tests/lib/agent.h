/* SPDX-License-Identifier: GPL-2.0-only */
/* A child process that executes commands from its parent. */
#ifndef HWPMC_TEST_AGENT_H
#define HWPMC_TEST_AGENT_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct agent - a child process that does what it is told
 * @pid: it
 * @to: orders
 * @from: answers
 */
struct agent {
	pid_t pid;
	int to;
	int from;
};

/* @first runs in the child before it takes orders; may be NULL. */
struct agent agent_start(void (*first)(void *arg), void *arg);
/* The program @path (a copy of this one, started with "agent") takes orders. */
struct agent agent_start_program(const char *path, void (*first)(void *arg), void *arg);
/* For main(): takes orders and never returns if that is what it was started for. */
void agent_main(int argc, char **argv);
/* 10,000,000 user instructions, more or less; -> it answered. */
bool agent_spin(struct agent *p);
/* 'd': drop set-id rights, 'u': enter a user namespace, 'n': be not dumpable. -> 0 or -errno */
int agent_do(struct agent *p, char what);
/* Have it exec @path, which takes orders then. */
bool agent_exec(struct agent *p, const char *path);
/* The same in two parts: the order, and waiting until it is done. */
bool agent_exec_begin(struct agent *p, const char *path);
bool agent_exec_end(struct agent *p);
/* Have it make a thread. -> its tid */
pid_t agent_thread(struct agent *p);
/* Have it exit; not reaped. */
void agent_exit(struct agent *p);
/* End it if it lives, and reap it. */
void agent_reap(struct agent *p);

#endif /* HWPMC_TEST_AGENT_H */
