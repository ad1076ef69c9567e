// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/terminal.h"

static sigset_t found_mask;
static struct sigaction found_pipe, found_child;

/* A signal that nohup(1) ignored stays ignored. */
static void add_unless_ignored(sigset_t *set, int number)
{
	struct sigaction found;

	if (!sigaction(number, NULL, &found) && found.sa_handler != SIG_IGN)
		sigaddset(set, number);
}

int signals_open(bool snapshots)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, usual = { .sa_handler = SIG_DFL };
	sigset_t ours;

	sigemptyset(&ours);
	/*
	 * These are handled even if they are ignored: shells without job control ignore them for
	 * background jobs.
	 */
	sigaddset(&ours, SIGINT);
	add_unless_ignored(&ours, SIGTERM);
	add_unless_ignored(&ours, SIGHUP);
	sigaddset(&ours, SIGCHLD);
	if (snapshots)
		sigaddset(&ours, SIGUSR2);
	sigprocmask(SIG_BLOCK, &ours, &found_mask);
	sigaction(SIGPIPE, &ignore, &found_pipe);
	/* If SIGCHLD was ignored, the kernel would reap our children before wait4(). */
	sigaction(SIGCHLD, &usual, &found_child);
	return signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
}

void signals_restore(void)
{
	sigaction(SIGPIPE, &found_pipe, NULL);
	sigaction(SIGCHLD, &found_child, NULL);
	sigprocmask(SIG_SETMASK, &found_mask, NULL);
}

void signals_die(int number)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };
	sigset_t only;

	fflush(NULL);
	terminal_end();
	sigaction(number, &usual, NULL);
	sigemptyset(&only);
	sigaddset(&only, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	_exit(128 + number);
}
