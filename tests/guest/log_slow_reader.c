// SPDX-License-Identifier: GPL-2.0-only
/* The reader of a log does not read, reads late, or exits: no call blocks forever. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "exact.h"
#include "ring.h"
#include "log_summary.h"
#include "blocked_call.h"

static void fill(int pipe)
{
	static const char junk[4096];

	for (size_t n = sizeof(junk); n; n /= 2)
		while (write(pipe, junk, n) > 0)
			;
}

static int close_log(int fd)
{
	return dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0);
}

/* A log whose CLOSE record does not fit: the task that waits for room is killed. */
static int begin_closing(int ends[2])
{
	int fd = dev_open();
	pid_t pid;

	if (pipe2(ends, O_NONBLOCK))
		die("a pipe: %s", strerror(errno));
	if (dev_log(fd, HWPMC_IOC_LOG_OPEN, ends[1]) || dev_flush(fd))
		die("a log: %s", dev_sentence(fd));
	fill(ends[1]);
	pid = fork();
	if (!pid)
		_exit(close_log(fd) ? 1 : 0);
	if (pid < 0 || !SOON(task_state(pid) == 'D'))
		die("LOG_CLOSE of a full log does not block");
	kill(pid, SIGKILL);
	check(SOON(waitpid(pid, NULL, WNOHANG) == pid), "a task that blocks in LOG_CLOSE of a full log can be killed");
	return fd;
}

/* The next LOG_CLOSE succeeds when there is room. */
static void closing(void)
{
	static char junk[1 << 20];
	int ends[2], fd = begin_closing(ends), err;

	while (read(ends[0], junk, sizeof(junk)) > 0)
		;
	err = close_log(fd);
	check(!err, "LOG_CLOSE succeeds when the reader made room: %d", err);
	err = close_log(fd);
	check(err == -EINVAL, "LOG_CLOSE of a closed log fails with EINVAL: %d", err);
	close(fd);
	close(ends[0]);
	close(ends[1]);
}

/* The next LOG_CLOSE also succeeds if no reader makes room. */
static void leaving(int other)
{
	int ends[2], fd = begin_closing(ends);

	close(fd);
	check(SOON(dev_stats(other).owners == 1), "close() of a file with a full log ends the owner");
	close(ends[0]);
	close(ends[1]);
}

/*
 * Calls close() before the log's thread runs, while it starts, and after that: the length of the
 * sleep varies.
 */
static void killing(int other)
{
	int ends[2];

	if (pipe(ends) || fcntl(ends[1], F_SETFL, O_NONBLOCK))
		die("a pipe: %s", strerror(errno));
	fill(ends[1]);
	if (fcntl(ends[1], F_SETFL, 0))
		die("blocking: %s", strerror(errno));
	for (int i = 0; i < 100; i++) {
		int fd = dev_open();

		if (dev_log(fd, HWPMC_IOC_LOG_OPEN, ends[1]))
			die("a log: %s", dev_sentence(fd));
		if (i % 2)
			usleep(i * 20);
		close(fd);
	}
	check(SOON(dev_stats(other).owners == 1),
	      "all owners end after 100 closes of logs that wait for their reader");
	close(ends[0]);
	close(ends[1]);
}

/* Results of poll(2) and read(2). A thread makes the calls because they might block. */
struct answer {
	int fd;
	int polled;
	int read;
	int error;
	bool done;
};

static void *ask(void *arg)
{
	struct answer *a = arg;
	struct pollfd p = { .fd = a->fd, .events = POLLIN };
	char buffer[256];

	a->polled = poll(&p, 1, 0);
	a->read = read(a->fd, buffer, sizeof(buffer));
	a->error = errno;
	__atomic_store_n(&a->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Another process that shares the file waits for the flush, but can be killed. */
static void waiting_behind(int fd)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		dev_log_write(fd, 2, "too late");
		_exit(0);
	}
	if (!SOON(task_state(pid) == 'D'))
		die("the other call does not block");
	kill(pid, SIGKILL);
	check(SOON(waitpid(pid, NULL, WNOHANG) == pid), "a task that waits for another task's flush can be killed");
}

/* While a flush waits for its reader, other calls of the file return. */
static void answering(void)
{
	struct blocked_call w = { .call = dev_flush, .fd = dev_open() };
	struct answer a = { .fd = w.fd };
	pthread_t asker;
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe2(ends, O_NONBLOCK))
		die("a pipe: %s", strerror(errno));
	if (dev_log(w.fd, HWPMC_IOC_LOG_OPEN, ends[1]) || dev_flush(w.fd))
		die("a log: %s", dev_sentence(w.fd));
	fill(ends[1]);
	if (fcntl(ends[1], F_SETFL, 0) || dev_log_write(w.fd, 1, "too much"))
		die("a record: %s", dev_sentence(w.fd));
	blocked_call_begin(&w);
	if (pthread_create(&asker, NULL, ask, &a))
		die("a thread");
	check(SOON(__atomic_load_n(&a.done, __ATOMIC_ACQUIRE)),
	      "poll and read return while a flush waits");
	waiting_behind(w.fd);
	check(task_state(w.tid) == 'D', "the flush still waits after these");
	close(ends[0]);
	pthread_join(w.thread, NULL);
	pthread_join(asker, NULL);
	check(w.err == -EPIPE, "the flush fails with EPIPE when the reader exits: %d", w.err);
	check(a.polled == 0 && a.read == -1 && a.error == EBUSY, "poll returns nothing and read fails with EBUSY meanwhile: %d, %d, error %d",
	      a.polled, a.read, a.error);
	close(ends[1]);
	close(w.fd);
}

/* A log that is closed while its rings are full reports the losses before CLOSE. */
static void losing(void)
{
	static char text[1000], buffer[1 << 20];
	struct blocked_call w = { .call = close_log, .fd = dev_open() };
	struct log_summary summary = { 0 };
	uint64_t lost = 0;
	size_t size = 0;
	int ends[2];
	ssize_t n;

	memset(text, 'x', sizeof(text) - 1);
	if (pipe(ends) || dev_rings(w.fd, 16384) || dev_log(w.fd, HWPMC_IOC_LOG_OPEN, ends[1]))
		die("a log: %s", dev_sentence(w.fd));
	/*
	 * Only the log holds the write end of the pipe: when the log is closed, the reader sees the
	 * end of file.
	 */
	close(ends[1]);
	while (lost < 300) {
		if (dev_log_write(w.fd, 1, text) != -ENOSPC)
			continue;
		lost++;
		usleep(1000);
	}
	blocked_call_begin(&w);
	while ((n = read(ends[0], buffer + size, sizeof(buffer) - size)) > 0)
		size += n;
	pthread_join(w.thread, NULL);
	log_summary_add(&summary, buffer, size);
	check(!w.err && summary.whole && summary.last && summary.lost == lost,
	      "LOG_CLOSE with full rings returns %d and reports all losses: %llu lost, %llu reported", w.err, (unsigned long long)lost,
	      (unsigned long long)summary.lost);
	close(ends[0]);
	close(w.fd);
}

int main(void)
{
	int other = dev_open();

	time_limit(60);
	closing();
	leaving(other);
	killing(other);
	close(other);
	answering();
	losing();
	return result();
}
