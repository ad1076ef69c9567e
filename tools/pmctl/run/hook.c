// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/signals.h"
#include "run/hook.h"

int hook_run(const char *option, const char *command)
{
	int status = 0;
	pid_t pid;

	if (!command)
		return 0;
	pid = fork();
	if (!pid) {
		signals_restore();
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(EXIT_NOPROG);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		error("cannot start a process: %s", strerror(errno));
	else if (WIFSIGNALED(status))
		error("%s '%s' was ended by signal %d", option, command, WTERMSIG(status));
	else if (status)
		error("%s '%s' ended with status %d", option, command, WEXITSTATUS(status));
	return pid < 0 || status ? -1 : 0;
}
