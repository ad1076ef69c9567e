// SPDX-License-Identifier: GPL-2.0-only
/* Helpers of the stress programs; see stress.h. */
#include "stress.h"
#include "test.h"

bool check_nothing_left(int fd, const char *after)
{
	struct hwpmc_stats s;
	int tries = 100 * PATIENCE;

	do {
		usleep(50000);
		s = dev_stats(fd);
	} while ((s.pmcs || s.threads || s.owners != 1 || s.switch_probe) && --tries);
	return check(!s.pmcs && !s.threads && s.owners == 1 && !s.switch_probe,
		     "%s the module holds nothing: %llu PMCs, %llu thread records, %llu owners, probe %llu", after,
		     (unsigned long long)s.pmcs, (unsigned long long)s.threads,
		     (unsigned long long)s.owners, (unsigned long long)s.switch_probe);
}

pid_t run_in_child(void (*fn)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid)
		return pid;
	fn();
	_exit(0);
}
