// SPDX-License-Identifier: GPL-2.0-only
#include <sys/syscall.h>
#include <unistd.h>

#include "run/pidfd.h"

int pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}
