// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads of logs. RLIMIT_NPROC does not count them; max_files limits them: each open file may have
 * one, and so may a closed file whose log is still being written. A user at this limit does not
 * prevent another user from opening a log or creating a process.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "child.h"
#include "cpu.h"
#include "param.h"
#include "ring.h"
#include "test.h"

#define FILES	8

/* Whether the process of a directory of /proc is the thread of a log. */
static bool is_log(const char *pid)
{
	char path[300], comm[32] = "";
	bool found;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	found = fgets(comm, sizeof(comm), file) && !strncmp(comm, "hwpmc/", 6);
	fclose(file);
	return found;
}

static unsigned int log_threads(void)
{
	DIR *proc = opendir("/proc");
	unsigned int count = 0;
	struct dirent *entry;

	if (!proc)
		die("/proc: %s", strerror(errno));
	while ((entry = readdir(proc)))
		count += *entry->d_name >= '1' && *entry->d_name <= '9' && is_log(entry->d_name);
	closedir(proc);
	return count;
}

/* A pipe without room, which nobody reads: a log there cannot be written. */
static int full_pipe(void)
{
	static char byte;
	int ends[2];

	if (pipe(ends))
		die("pipe: %s", strerror(errno));
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	while (write(ends[1], &byte, 1) == 1)
		;
	fcntl(ends[1], F_SETFL, 0);
	return ends[1];
}

static int open_with_log(void)
{
	int fd = open("/dev/hwpmc", O_RDWR | O_CLOEXEC), pipe;

	if (fd < 0)
		return -errno;
	pipe = full_pipe();
	if (dev_rings(fd, 4096) || dev_log(fd, HWPMC_IOC_LOG_OPEN, pipe))
		die("a log: %s", dev_sentence(fd));
	if (dev_log(fd, HWPMC_IOC_LOG_OPEN, pipe) != -EBUSY)
		check(false, "a file has one log at a time");
	close(pipe);
	return fd;
}

/* A user opens as many logs as permitted, closes all of them, and at once tries to open more. */
static void fill(int ready, int go)
{
	int fds[FILES], again = 0;
	unsigned int left;
	char byte = 0;

	become(1000, 0);
	for (int i = 0; i < FILES; i++)
		fds[i] = open_with_log();
	check(fds[FILES - 1] >= 0 && open_with_log() == -EMFILE,
	      "max_files=%d: the open(2) after that of so many logs fails", FILES);
	check(log_threads() == FILES, "each has a thread: %u", log_threads());
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		die("a pipe: %s", strerror(errno));
	for (int i = 0; i < FILES; i++)
		close(fds[i]);
	left = log_threads();
	check(left == FILES, "closed logs that cannot be written keep their threads for a while: %u",
	      left);
	for (int i = 0; i < FILES; i++) {
		int fd = open("/dev/hwpmc", O_RDWR | O_CLOEXEC);

		again += fd >= 0;
		close(fd);
	}
	check(!again, "and their places: open(2) succeeds %d times", again);
	check(SOON(!log_threads()), "until drain_ms is over: %u threads", log_threads());
	exit(result());
}

/* Another user at the same time, whose RLIMIT_NPROC permits no further process. */
static void another(void *arg)
{
	const struct rlimit one = { 1, 1 };
	int file = open("/tmp/isolation_logs", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	(void)arg;
	check(!dev_log(user_fd, HWPMC_IOC_LOG_OPEN, file) &&
	      !dev_log(user_fd, HWPMC_IOC_LOG_CLOSE, 0),
	      "another user has a log beside them: %s", dev_sentence(user_fd));
	setrlimit(RLIMIT_NPROC, &one);
	check(fork() < 0 && errno == EAGAIN, "one that may have one process has no other");
	check(!dev_log(user_fd, HWPMC_IOC_LOG_OPEN, file), "but a log: its thread is the kernel's");
	unlink("/tmp/isolation_logs");
}

int main(void)
{
	uint64_t files = param_get("max_files"), drain = param_get("drain_ms");
	int ready[2], go[2];
	char byte = 0;
	pid_t pid;

	time_limit(60);
	if (pipe(ready) || pipe(go))
		die("a pipe: %s", strerror(errno));
	param_set("max_files", FILES);
	param_set("drain_ms", 3000);
	fflush(stdout);
	pid = fork_tied();
	if (!pid)
		fill(ready[1], go[0]);
	if (read(ready[0], &byte, 1) != 1)
		die("the other user: %d", reap(pid));
	as_user("another user", 1001, 0, another, NULL);
	if (write(go[1], &byte, 1) != 1)
		die("a pipe: %s", strerror(errno));
	check(!reap(pid), "the user with many logs ends");
	param_set("max_files", files);
	param_set("drain_ms", drain);
	return result();
}
