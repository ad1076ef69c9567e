// SPDX-License-Identifier: GPL-2.0-only
/* Signals to pmctl report while it reads a log, and afterwards. */
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "base/memory.h"
#include "check.h"
#include "report_log.h"

static pid_t start(int in, int err, int count, const char **words)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	/* A background job of a shell ignores SIGINT, and report would continue to ignore it. */
	signal(SIGINT, SIG_DFL);
	/* Ends a report that hangs, by another signal. */
	alarm(20);
	if (dup2(in, STDIN_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0 ||
	    !freopen(out_path, "w", stdout))
		_exit(99);
	_exit(cmd_report(count, (char **)words));
}

/* The signal that ended it, or 0. */
static int wait_death(pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void read_line(int fd)
{
	char byte = 0;

	while (byte != '\n' && read(fd, &byte, 1) == 1)
		;
}

static void read_pipe(int fd, char *text, size_t size)
{
	ssize_t got;
	size_t used = 0;

	while ((got = read(fd, text + used, size - used - 1)) > 0)
		used += (size_t)got;
	text[used] = '\0';
}

/* The note that the log has no end is printed after reading; writing the FIFO then blocks. */
static void after_reading(void)
{
	char directory[] = "/tmp/pmctl-interrupt-XXXXXX", *fifo, rest[512];
	int err[2];
	pid_t pid;

	if (!mkdtemp(directory) || pipe2(err, O_CLOEXEC))
		abort();
	fifo = xasprintf("%s/picture.svg", directory);
	mkfifo(fifo, 0600);
	cut_log(sizeof(struct hwpmc_log_header));
	pid = start(STDIN_FILENO, err[1], 5,
		    (const char *[]){ "report", "-i", log_path, "--flamegraph", fifo, NULL });
	close(err[1]);
	read_line(err[0]);
	kill(pid, SIGTERM);
	check(wait_death(pid) == SIGTERM, "SIGTERM behind the log's end");
	read_pipe(err[0], rest, sizeof(rest));
	check_text(rest, "", "ends it on the spot");
	close(err[0]);
	unlink(fifo);
	rmdir(directory);
	free(fifo);
	write_log(put_log);
}

static void feed(int fd, const void *bytes, size_t size)
{
	int left = 1;

	if (write(fd, bytes, size) != (ssize_t)size)
		abort();
	while (left && !ioctl(fd, FIONREAD, &left))
		poll(NULL, 0, 1);
}

/* Signals are handled after INITIALIZE was read: the rest is written after that. */
static void while_reading(void)
{
	const size_t first = sizeof(struct hwpmc_log_initialize);
	unsigned char *bytes;
	int in[2], err[2];
	char said[512];
	size_t size;
	pid_t pid;

	bytes = sample_log(put_log, false, &size);
	if (pipe2(in, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		abort();
	pid = start(in[0], err[1], 5,
		    (const char *[]){ "report", "-i", "-", "-s", "symbol", NULL });
	close(err[1]);
	feed(in[1], bytes, first);
	feed(in[1], bytes + first, size - first);
	kill(pid, SIGINT);
	check(wait_death(pid) == SIGINT, "SIGINT before the log's end");
	read_pipe(err[0], said, sizeof(said));
	check(strstr(said, "interrupted: the report covers what was read so far"), "and a note says so");
	free(printed);
	printed = contents(out_path);
	check(says("70.00%  [k] leaf"), "and what was read is shown");
	close(in[0]);
	close(in[1]);
	close(err[0]);
	free(bytes);
}

int main(void)
{
	report_begin();
	after_reading();
	while_reading();
	report_end();
	return check_result();
}
