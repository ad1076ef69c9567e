// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/terminal.h"

#define WIDTH_MAX	10000

static bool no_pager;
static pid_t pager;
/* Standard output and standard error before the pager; -1: unchanged. */
static int found[] = { -1, -1 };
/* The width of the terminal, since the pager has replaced standard output. */
static int width_before;

int terminal_width(void)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	long width;

	if (pager)
		return width_before;
	if (!isatty(STDOUT_FILENO))
		return 0;
	if (text && !number_parse(text, 1, WIDTH_MAX, &width))
		return (int)width;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

static bool is_in_path(const char *program)
{
	const char *path = getenv("PATH");
	char *copy = xstrdup(path ? path : ""), *rest = copy, *directory, *file;
	bool there = false;

	while (!there && (directory = strsep(&rest, ":"))) {
		file = xasprintf("%s/%s", *directory ? directory : ".", program);
		there = !access(file, X_OK);
		free(file);
	}
	free(copy);
	return there;
}

/* Returns the command that starts the pager; NULL: no pager. */
static const char *pager_command(void)
{
	const char *command = getenv("PMCTL_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		return is_in_path("less") ? "less" : NULL;
	return *command && strcmp(command, "cat") ? command : NULL;
}

static void run_pager(const char *command, int input)
{
	dup2(input, STDIN_FILENO);
	signal(SIGPIPE, SIG_DFL);
	/*
	 * The same options as in git: less exits by itself if everything fits on the screen, and
	 * leaves the screen as it is.
	 */
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

/* Makes @fd write to the pager. */
static int redirect(int fd, int pipe)
{
	int before = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (before >= 0)
		dup2(pipe, fd);
	return before;
}

void terminal_page(void)
{
	const char *command = pager_command();
	int ends[2];

	if (no_pager || pager || !command || !isatty(STDOUT_FILENO) || pipe2(ends, O_CLOEXEC))
		return;
	width_before = terminal_width();
	fflush(stdout);
	pager = fork();
	if (!pager)
		run_pager(command, ends[0]);
	if (pager > 0) {
		found[0] = redirect(STDOUT_FILENO, ends[1]);
		if (isatty(STDERR_FILENO))
			found[1] = redirect(STDERR_FILENO, ends[1]);
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
	} else {
		pager = 0;
	}
	close(ends[0]);
	close(ends[1]);
}

void terminal_no_pager(void)
{
	no_pager = true;
}

void terminal_end(void)
{
	static const int fds[] = { STDOUT_FILENO, STDERR_FILENO };
	int status;

	if (!pager)
		return;
	fflush(stdout);
	for (unsigned int i = 0; i < 2; i++) {
		if (found[i] < 0)
			continue;
		dup2(found[i], fds[i]);
		close(found[i]);
		found[i] = -1;
	}
	while (waitpid(pager, &status, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}
