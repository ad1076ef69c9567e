// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs to files and pipes: the records of PMCs and processes, errors of the file; and flushed
 * records, which are in the file whatever happens next.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "test_class.h"
#include "exact.h"
#include "ring.h"
#include "log_summary.h"

#define PERIOD	100000
#define FLUSHES	3

static void nothing(const struct hwpmc_log_header *record, void *arg)
{
	(void)record;
	(void)arg;
}

static bool is_no_log(int fd, int to)
{
	int err = to < 0 ? -errno : dev_log(fd, HWPMC_IOC_LOG_OPEN, to);

	if (!err)
		dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0);
	close(to);
	return err == -EINVAL;
}

/* Files that accept writes but do not store them. */
static void no_logs(void)
{
	int fd = dev_open(), ends[2];

	check(is_no_log(fd, open("/proc/sys/kernel/domainname", O_WRONLY)), "LOG_OPEN of a file of /proc/sys fails: %s",
	      dev_sentence(fd));
	check(is_no_log(fd, open("/sys/module/hwpmc/parameters/ring_kb", O_WRONLY)), "LOG_OPEN of a file of /sys fails: %s",
	      dev_sentence(fd));
	if (pipe2(ends, O_DIRECT))
		die("pipe2: %s", strerror(errno));
	check(is_no_log(fd, ends[1]), "LOG_OPEN of a pipe with O_DIRECT fails: %s", dev_sentence(fd));
	close(ends[0]);
	close(fd);
}

static void refusals(void)
{
	int fd = dev_open(), null = open("/dev/null", O_WRONLY);
	int only = open("/proc/self/exe", O_RDONLY);
	int to = open("/tmp/refused.log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	static char text[4097];
	struct hwpmc_log_write w = { .length = sizeof(text), .text = (uintptr_t)text };
	struct ring_map map;

	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, 99) == -EBADF, "LOG_OPEN of a closed descriptor fails with EBADF: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, only) == -EBADF, "LOG_OPEN of a read-only file fails with EBADF: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, null) == -EINVAL, "LOG_OPEN of /dev/null fails with EINVAL: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, fd) == -EINVAL, "LOG_OPEN of the device itself fails with EINVAL: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -EINVAL, "LOG_CLOSE without a log fails with EINVAL: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0) == -EINVAL, "LOG_FLUSH without rings fails with EINVAL: %s",
	      dev_sentence(fd));
	check(dev_log_write(fd, 1, "x") == -EINVAL, "LOG_WRITE without rings fails with EINVAL: %s", dev_sentence(fd));
	ring_open(&map, fd, 16384);
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, to) == -EBUSY, "LOG_OPEN with mapped rings fails with EBUSY: %s", dev_sentence(fd));
	check(dev_call(fd, HWPMC_IOC_LOG_WRITE, &w, sizeof(w)) == -EINVAL, "LOG_WRITE of 4097 bytes fails with EINVAL: %s",
	      dev_sentence(fd));
	w.length--;
	check(!dev_call(fd, HWPMC_IOC_LOG_WRITE, &w, sizeof(w)) &&
	      ring_drain(&map, nothing, NULL) == 1, "LOG_WRITE of 4096 bytes makes the only record");
	ring_close(&map);
	close(to);
	unlink("/tmp/refused.log");
	close(null);
	close(fd);
}

/* The log describes its one PMC, no matter when that was allocated and attached. */
static bool described(const struct log_summary *s, uint32_t id)
{
	const struct hwpmc_log_allocate *a = &s->allocate;

	return s->types[HWPMC_LOG_ALLOCATE] == 1 && s->types[HWPMC_LOG_ATTACH] == 1 &&
	       a->h.id == id && a->class_id == dev_class() && a->mode == HWPMC_MODE_TS &&
	       a->flags == HWPMC_F_DESCENDANTS && (a->caps & HWPMC_CAP_USER) &&
	       a->event == EV_INSTRUCTIONS && a->count == PERIOD && a->target_cpu == -1 &&
	       s->attach.h.id == id && s->attach.pid == getpid() && !s->attach.tid;
}

/* pmctl script prints the first record, samples, and the last record. */
static bool pmctl_reads(const char *path)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "pmctl script %s >/tmp/script 2>/dev/null && head -n 1 /tmp/script | grep -q ' INITIALIZE ' && tail -n 1 /tmp/script | grep -q ' CLOSE' && grep -q ' SAMPLE ' /tmp/script",
		 path);
	return !system(command);
}

/* A log of a process and its child is closed, opened again, and read. */
static void file(void)
{
	static const char path[] = "/tmp/sample.log";
	int fd = dev_open(), to = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint32_t id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER,
				  HWPMC_F_DESCENDANTS);
	struct log_summary s;
	int status;
	pid_t child;

	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, to), "LOG_OPEN: %s", dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, to) == -EBUSY, "LOG_OPEN of a second log fails with EBUSY: %s", dev_sentence(fd));
	check(!dev_start(fd, id), "start");
	check(!dev_log_write(fd, 3, "a text"), "LOG_WRITE of a record");
	child = fork();
	if (!child) {
		execl("/proc/self/exe", "log_records", "child", NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	spin(5);
	check(!dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0), "flush");
	s = log_summary_file(path, child);
	check(s.whole && s.first && s.cookies == 1 << 3 && s.text, "a record is in the file after LOG_FLUSH");
	check(s.types[HWPMC_LOG_SAMPLE] > 5, "samples are in the file: %lu", s.types[HWPMC_LOG_SAMPLE]);
	check(s.types[HWPMC_LOG_PROCESS] == 1 && s.types[HWPMC_LOG_MAP_IN] > 1,
	      "the log describes the process at its start: %lu PROCESS, %lu MAP_IN",
	      s.types[HWPMC_LOG_PROCESS], s.types[HWPMC_LOG_MAP_IN]);
	check(described(&s, id), "the log describes a PMC from before it: %lu ALLOCATE, %lu ATTACH",
	      s.types[HWPMC_LOG_ALLOCATE], s.types[HWPMC_LOG_ATTACH]);
	check(s.child_fork && s.child_exec && s.child_map && s.child_exit,
	      "records of the child: FORK %d, EXEC %d, MAP_IN with build-id %d, EXIT %d", s.child_fork,
	      s.child_exec, s.child_map, s.child_exit);
	check(s.child_thread && s.child_thread_exit && s.child_name,
	      "records of the child's thread: FORK %d, EXIT %d; COMM %d", s.child_thread, s.child_thread_exit,
	      s.child_name);
	check(!dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0), "close");
	check(dev_stop(fd, id) == 0, "the PMC can be stopped");
	s = log_summary_file(path, child);
	check(s.whole && s.last, "CLOSE is the last record");
	check(pmctl_reads(path), "pmctl script reads the log");

	check(!ftruncate(to, 0) && lseek(to, 0, SEEK_SET) == 0 &&
	      !dev_log(fd, HWPMC_IOC_LOG_OPEN, to) && !dev_log_write(fd, 4, "again") &&
	      !dev_detach(fd, id, 0, 0) && !dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0),
	      "a second log is opened, written and closed: %s", dev_sentence(fd));
	s = log_summary_file(path, 0);
	check(s.whole && s.first && s.last && s.cookies == 1 << 4, "the second log is complete: %lu records",
	      s.records);
	check(described(&s, id), "the second log describes the PMC: %lu ALLOCATE, %lu ATTACH",
	      s.types[HWPMC_LOG_ALLOCATE], s.types[HWPMC_LOG_ATTACH]);
	check(s.types[HWPMC_LOG_DETACH] == 1 && s.detach.h.id == id &&
	      s.detach.pid == getpid() && !s.detach.tid, "the second log has DETACH");
	close(to);
	close(fd);
	unlink(path);
}

/* Two logs in one file, one after the other, without a seek in between. */
static void behind(void)
{
	static const char path[] = "/tmp/behind.log";
	int fd = dev_open(), to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	struct log_summary s;

	for (int i = 0; i < 2; i++)
		if (dev_log(fd, HWPMC_IOC_LOG_OPEN, to) || dev_log_write(fd, i, "a text") ||
		    dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0))
			die("behind: %s", dev_sentence(fd));
	s = log_summary_file(path, 0);
	check(s.whole && s.first && s.last && s.cookies == 3 &&
	      s.types[HWPMC_LOG_INITIALIZE] == 2 && s.types[HWPMC_LOG_CLOSE] == 2,
	      "a second log is appended to the file: %lu INITIALIZE, %lu CLOSE", s.types[HWPMC_LOG_INITIALIZE],
	      s.types[HWPMC_LOG_CLOSE]);
	close(to);
	close(fd);
	unlink(path);
}

/* The owner is killed by SIGKILL: what it flushed is in the file. */
static void died(void)
{
	static const char path[] = "/tmp/died.log";
	struct log_summary s;
	int status;
	pid_t child = fork_tied();

	if (!child) {
		int fd = dev_open(), to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		static char text[2000];

		memset(text, 'x', sizeof(text) - 1);
		if (dev_log(fd, HWPMC_IOC_LOG_OPEN, to))
			_exit(1);
		/* Less than the watermark, which would wake the log's writer. */
		for (int i = 0; i < 100; i++)
			if (dev_log_write(fd, 5, text))
				_exit(1);
		if (dev_log_write(fd, 5, "a text") || dev_flush(fd))
			_exit(1);
		raise(SIGKILL);
	}
	check(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
	      WTERMSIG(status) == SIGKILL, "killed owner: status %#x", status);
	s = log_summary_file(path, 0);
	check(s.whole && s.first && s.types[HWPMC_LOG_USER] == 101 && s.text && s.last,
	      "killed owner: the file has what it flushed, %lu records", s.records);
	unlink(path);
}

/*
 * When a flush returns, the file has all earlier records. The writer also sweeps the rings every
 * 100 ms: the flushes are made while it waits, so that nothing else makes it write.
 */
static void flushed(void)
{
	static const char path[] = "/tmp/flushed.log";
	int fd = dev_open(), to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	unsigned long written = 0;
	struct log_summary s;

	if (to < 0 || dev_log(fd, HWPMC_IOC_LOG_OPEN, to) || dev_flush(fd))
		die("a log: %s", dev_sentence(fd));
	for (unsigned long texts = 1; texts <= FLUSHES; texts++) {
		usleep(160000);
		if (dev_log_write(fd, 5, "a text") || dev_flush(fd))
			die("a text: %s", dev_sentence(fd));
		s = log_summary_file(path, 0);
		written += s.whole && s.first && s.types[HWPMC_LOG_USER] == texts;
	}
	check(written == FLUSHES,
	      "LOG_FLUSH, %u times: the file has the record when it returns, %lu times", FLUSHES,
	      written);
	close(fd);
	close(to);
	unlink(path);
}

/* Waits for the signal of the error; other signals report records to read. */
static bool signalled(int fd, const sigset_t *set)
{
	struct timespec limit = { .tv_sec = 10 * PATIENCE };
	siginfo_t info;

	while (sigtimedwait(set, &info, &limit) > 0)
		if (info.si_code == POLL_ERR)
			return info.si_fd == fd;
	return false;
}

#define FULL_TEXT	"some text that takes room until there is none on the device"
#define FULL_TEXTS	3000
#define FULL_RING	131072	/* becomes full before all records are written */

/* Records that a full device did not accept are in the next log; those that it accepted are not. */
static void after_full(int fd)
{
	static const char path[] = "/tmp/after.log";
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	struct log_summary before, s;
	uint64_t lost;

	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, to) && !dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0),
	      "full: another log can be opened: %s", dev_sentence(fd));
	before = log_summary_file("/tmp/full/log", 0);
	s = log_summary_file(path, 0);
	lost = before.lost + s.lost;
	check(s.whole && s.first && s.last && before.types[HWPMC_LOG_USER] > 100 &&
	      before.types[HWPMC_LOG_USER] + s.types[HWPMC_LOG_USER] + lost == FULL_TEXTS,
	      "full: of %u records %lu are in the first log, %lu in the next, %llu are lost",
	      FULL_TEXTS, before.types[HWPMC_LOG_USER], s.types[HWPMC_LOG_USER],
	      (unsigned long long)lost);
	close(to);
	unlink(path);
}

/* The error of a full device stays until the log is closed. */
static void full(void)
{
	int fd = dev_open(), to, err, i;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	if (sigprocmask(SIG_BLOCK, &set, NULL) || fcntl(fd, F_SETOWN, getpid()) ||
	    fcntl(fd, F_SETSIG, SIGRTMIN) || fcntl(fd, F_SETFL, O_ASYNC))
		die("full: a signal: %s", strerror(errno));
	mkdir("/tmp/full", 0700);
	if (mount("none", "/tmp/full", "tmpfs", 0, "size=64k"))
		die("mount: %s", strerror(errno));
	to = open("/tmp/full/log", O_WRONLY | O_CREAT, 0600);
	check(!dev_rings(fd, FULL_RING) && !dev_log(fd, HWPMC_IOC_LOG_OPEN, to), "full: LOG_OPEN");
	for (i = 0; i < FULL_TEXTS; i++)
		dev_log_write(fd, 1, FULL_TEXT);
	err = dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0);
	check(err == -ENOSPC, "full: LOG_FLUSH fails with ENOSPC: %s", dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0) == -ENOSPC, "full: LOG_FLUSH fails with ENOSPC again");
	check(poll(&p, 1, 0) == 1 && (p.revents & POLLERR), "full: poll returns POLLERR");
	check(signalled(fd, &set), "full: a signal is sent");
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -ENOSPC, "full: LOG_CLOSE fails with ENOSPC");
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -EINVAL, "full: the log is closed then");
	after_full(fd);
	close(to);
	close(fd);
	umount("/tmp/full");
}

/* RLIMIT_FSIZE of the task that opened the log limits its file. */
static void limited(void)
{
	static const char path[] = "/tmp/limited.log";
	struct rlimit before, limit;
	int fd = dev_open(), to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), i;
	struct stat st;

	if (getrlimit(RLIMIT_FSIZE, &before))
		die("getrlimit: %s", strerror(errno));
	limit = (struct rlimit){ .rlim_cur = 65536, .rlim_max = before.rlim_max };
	if (setrlimit(RLIMIT_FSIZE, &limit) || dev_log(fd, HWPMC_IOC_LOG_OPEN, to) ||
	    setrlimit(RLIMIT_FSIZE, &before))
		die("limited: %s", dev_sentence(fd));
	for (i = 0; i < 100; i++)
		dev_log_write(fd, 1, "some text that takes room until there is too much of it");
	check(!dev_flush(fd) && !fstat(to, &st) && st.st_size > 8000, "RLIMIT_FSIZE: records below the limit are written");
	for (i = 0; i < 2000; i++)
		dev_log_write(fd, 1, "some text that takes room until there is too much of it");
	check(dev_flush(fd) == -EFBIG, "RLIMIT_FSIZE: LOG_FLUSH fails with EFBIG: %s", dev_sentence(fd));
	check(!fstat(to, &st) && st.st_size == 65536, "RLIMIT_FSIZE: the file ends at the limit: %lld",
	      (long long)st.st_size);
	check(dev_flush(fd) == -EFBIG, "RLIMIT_FSIZE: LOG_FLUSH fails with EFBIG again");
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -EFBIG, "RLIMIT_FSIZE: LOG_CLOSE fails with EFBIG");
	close(to);
	close(fd);
	unlink(path);
}

static void broken_pipe(void)
{
	int fd = dev_open(), ends[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe(ends))
		die("pipe: %s", strerror(errno));
	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, ends[1]), "pipe: LOG_OPEN");
	close(ends[0]);
	dev_log_write(fd, 1, "into nothing");
	check(dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0) == -EPIPE, "pipe: LOG_FLUSH without a reader fails with EPIPE: %s", dev_sentence(fd));
	close(ends[1]);
	close(fd);
}

/* The CLOSE record is the first to hit EPIPE: that sends no SIGPIPE. */
static void broken_at_end(void)
{
	int ends[2], status;
	pid_t child = fork_tied();

	if (!child) {
		int fd = dev_open();

		signal(SIGPIPE, SIG_DFL);
		if (pipe(ends) || dev_log(fd, HWPMC_IOC_LOG_OPEN, ends[1]) || dev_flush(fd))
			_exit(1);
		close(ends[0]);
		_exit(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -EPIPE ? 0 : 2);
	}
	check(waitpid(child, &status, 0) == child && !status,
	      "pipe: LOG_CLOSE without a reader fails and sends no signal: status %#x", status);
}

/* Finds the thread that writes this program's log, by its name. */
static pid_t writer_of_this(void)
{
	char command[96], line[32] = "";
	FILE *f;

	snprintf(command, sizeof(command), "grep -lx hwpmc/%d /proc/[0-9]*/comm", getpid());
	f = popen(command, "r");
	if (!f || !fgets(line, sizeof(line), f))
		die("there is no thread hwpmc/%d", getpid());
	pclose(f);
	return atoi(line + strlen("/proc/"));
}

/* Root kills the log's thread: no call blocks, and LOG_CLOSE succeeds. */
static void killed(void)
{
	int fd = dev_open(), to = open("/tmp/killed.log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	pid_t writer;

	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, to), "killed thread: LOG_OPEN");
	check(!dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0), "killed thread: LOG_FLUSH before");
	writer = writer_of_this();
	check(!kill(writer, SIGKILL), "killed thread: SIGKILL is sent to %d", writer);
	check(SOON(dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0) == -EIO), "killed thread: LOG_FLUSH fails with EIO: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -EIO, "killed thread: LOG_CLOSE fails with EIO: %s",
	      dev_sentence(fd));
	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, to) && !dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0),
	      "killed thread: another log is opened and closed");
	close(to);
	close(fd);
}

static void *do_nothing(void *arg)
{
	return arg;
}

/* The child of file(). */
static int child_of_file(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, do_nothing, NULL) || pthread_join(thread, NULL) ||
	       prctl(PR_SET_NAME, "renamed");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "child"))
		return child_of_file();
	time_limit(200);
	refusals();
	no_logs();
	file();
	behind();
	flushed();
	died();
	full();
	limited();
	broken_pipe();
	broken_at_end();
	killed();
	return result();
}
