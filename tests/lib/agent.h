/* SPDX-License-Identifier: GPL-2.0-only */
/* A child process that executes commands from its parent. */
#ifndef HWPMC_TEST_AGENT_H
#define HWPMC_TEST_AGENT_H

#include <stdbool.h>
#include <sys/types.h>

/* AppArmor's label of a task that is unconfined, in a policy namespace of its own. */
#define AGENT_NAMESPACE	"hwpmc"
#define AGENT_LABEL	":" AGENT_NAMESPACE "://unconfined"

/**
 * struct agent - a child process that executes commands
 * @pid: the process
 * @to: pipe for commands
 * @from: pipe for replies
 */
struct agent {
	pid_t pid;
	int to;
	int from;
};

/* @first runs in the child before the first command; may be NULL. */
struct agent agent_start(void (*first)(void *arg), void *arg);
/* The same for @path, a copy of this program: the child executes it with the argument "agent". */
struct agent agent_start_program(const char *path, void (*first)(void *arg), void *arg);
/* For main(): executes commands and does not return if the argument is "agent". */
void agent_main(int argc, char **argv);
/* Runs about 10,000,000 user instructions. Returns whether the agent replied. */
bool agent_spin(struct agent *p);
/*
 * The agent changes itself by @what. 'd': drop set-id rights; 'k': drop them and all capabilities,
 * but keep the saved user id, and become dumpable; 'u': unshare the user namespace; 'n': clear
 * dumpable; 'l': change to AppArmor's label AGENT_LABEL; 'o': change to it at the next exec.
 * Returns 0 or -errno.
 */
int agent_do(struct agent *p, char what);
/* Executes the program @path, which executes commands from then on. */
bool agent_exec(struct agent *p, const char *path);
/* agent_exec() in two parts: send the command; wait for its reply. */
bool agent_exec_begin(struct agent *p, const char *path);
bool agent_exec_end(struct agent *p);
/* Creates a thread. Returns its tid. */
pid_t agent_thread(struct agent *p);
/* The agent exits; its process stays a zombie. */
void agent_exit(struct agent *p);
/* Kills the agent if it runs, and reaps it. */
void agent_reap(struct agent *p);

#endif /* HWPMC_TEST_AGENT_H */
