// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs: the kernel's writer into files and pipes, and the records of PMCs and
 * processes there. What was flushed is in the file whatever happens.
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

static struct log_summary log_summary_file(const char *path, pid_t child)
{
	struct log_summary s = { .child = child };
	int fd = open(path, O_RDONLY);
	struct stat st;
	char *at;

	if (fd < 0 || fstat(fd, &st))
		die("%s: %s", path, strerror(errno));
	at = malloc(st.st_size + 1);
	if (read(fd, at, st.st_size) != st.st_size)
		die("%s: %s", path, strerror(errno));
	log_summary_add(&s, at, st.st_size);
	free(at);
	close(fd);
	return s;
}

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

/* What can be written to, but would not keep it. */
static void no_logs(void)
{
	int fd = dev_open(), ends[2];

	check(is_no_log(fd, open("/proc/sys/kernel/domainname", O_WRONLY)), "/proc/sys: %s",
	      dev_sentence(fd));
	check(is_no_log(fd, open("/sys/module/hwpmc/parameters/ring_kb", O_WRONLY)), "/sys: %s",
	      dev_sentence(fd));
	if (pipe2(ends, O_DIRECT))
		die("pipe2: %s", strerror(errno));
	check(is_no_log(fd, ends[1]), "O_DIRECT: %s", dev_sentence(fd));
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

	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, 99) == -EBADF, "no descriptor: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, only) == -EBADF, "a read-only one: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, null) == -EINVAL, "/dev/null: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, fd) == -EINVAL, "the device itself: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -EINVAL, "close without a log: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0) == -EINVAL, "flush without rings: %s",
	      dev_sentence(fd));
	check(dev_log_write(fd, 1, "x") == -EINVAL, "a record without rings: %s", dev_sentence(fd));
	ring_open(&map, fd, 16384);
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, to) == -EBUSY, "mapped rings: %s", dev_sentence(fd));
	check(dev_call(fd, HWPMC_IOC_LOG_WRITE, &w, sizeof(w)) == -EINVAL, "4097 bytes: %s",
	      dev_sentence(fd));
	w.length--;
	check(!dev_call(fd, HWPMC_IOC_LOG_WRITE, &w, sizeof(w)) &&
	      ring_drain(&map, nothing, NULL) == 1, "4096 bytes are not too long, 4097 were no record");
	ring_close(&map);
	close(to);
	unlink("/tmp/refused.log");
	close(null);
	close(fd);
}

/* What a log says of its one PMC, whenever that was allocated and attached. */
static bool told_of(const struct log_summary *s, uint32_t id)
{
	const struct hwpmc_log_allocate *a = &s->allocate;

	return s->types[HWPMC_LOG_ALLOCATE] == 1 && s->types[HWPMC_LOG_ATTACH] == 1 &&
	       a->h.id == id && a->class_id == dev_class() && a->mode == HWPMC_MODE_TS &&
	       a->flags == HWPMC_F_DESCENDANTS && (a->caps & HWPMC_CAP_USER) &&
	       a->event == EV_INSTRUCTIONS && a->count == PERIOD && a->target_cpu == -1 &&
	       s->attach.h.id == id && s->attach.pid == getpid() && !s->attach.tid;
}

/* From its first record to its last, with the samples between. */
static bool pmctl_reads(const char *path)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "pmctl script %s >/tmp/script 2>/dev/null && head -n 1 /tmp/script | grep -q ' INITIALIZE ' && tail -n 1 /tmp/script | grep -q ' CLOSE' && grep -q ' SAMPLE ' /tmp/script",
		 path);
	return !system(command);
}

/* A log of a process and its child; closed, opened again, and read. */
static void file(void)
{
	static const char path[] = "/tmp/sample.log";
	int fd = dev_open(), to = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint32_t id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER,
				  HWPMC_F_DESCENDANTS);
	struct log_summary s;
	int status;
	pid_t child;

	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, to), "open: %s", dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, to) == -EBUSY, "open twice: %s", dev_sentence(fd));
	check(!dev_start(fd, id), "start");
	check(!dev_log_write(fd, 3, "a text"), "a record of one's own");
	child = fork();
	if (!child) {
		execl("/proc/self/exe", "log_records", "child", NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	spin(5);
	check(!dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0), "flush");
	s = log_summary_file(path, child);
	check(s.whole && s.first && s.cookies == 1 << 3 && s.text, "it is there after the flush");
	check(s.types[HWPMC_LOG_SAMPLE] > 5, "%lu samples", s.types[HWPMC_LOG_SAMPLE]);
	check(s.types[HWPMC_LOG_PROCESS] == 1 && s.types[HWPMC_LOG_MAP_IN] > 1,
	      "what was there at the start: %lu process, %lu maps",
	      s.types[HWPMC_LOG_PROCESS], s.types[HWPMC_LOG_MAP_IN]);
	check(told_of(&s, id), "a PMC from before the log: %lu told of, %lu attached",
	      s.types[HWPMC_LOG_ALLOCATE], s.types[HWPMC_LOG_ATTACH]);
	check(s.child_fork && s.child_exec && s.child_map && s.child_exit,
	      "the child: fork %d, exec %d, its program and build-id %d, exit %d", s.child_fork,
	      s.child_exec, s.child_map, s.child_exit);
	check(s.child_thread && s.child_thread_exit && s.child_name,
	      "its thread: begin %d, end %d; its name: %d", s.child_thread, s.child_thread_exit,
	      s.child_name);
	check(!dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0), "close");
	check(dev_stop(fd, id) == 0, "which stopped the PMC");
	s = log_summary_file(path, child);
	check(s.whole && s.last, "CLOSE comes last");
	check(pmctl_reads(path), "pmctl reads it");

	check(!ftruncate(to, 0) && lseek(to, 0, SEEK_SET) == 0 &&
	      !dev_log(fd, HWPMC_IOC_LOG_OPEN, to) && !dev_log_write(fd, 4, "again") &&
	      !dev_detach(fd, id, 0, 0) && !dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0),
	      "open, write, detach and close again: %s", dev_sentence(fd));
	s = log_summary_file(path, 0);
	check(s.whole && s.first && s.last && s.cookies == 1 << 4, "a second log: %lu records",
	      s.records);
	check(told_of(&s, id), "which tells of the PMC again: %lu, %lu attached",
	      s.types[HWPMC_LOG_ALLOCATE], s.types[HWPMC_LOG_ATTACH]);
	check(s.types[HWPMC_LOG_DETACH] == 1 && s.detach.h.id == id &&
	      s.detach.pid == getpid() && !s.detach.tid, "and of what was detached");
	close(to);
	close(fd);
	unlink(path);
}

/* Two logs in one file, and nobody seeks in between. */
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
	      "a log behind another: %lu begin, %lu end", s.types[HWPMC_LOG_INITIALIZE],
	      s.types[HWPMC_LOG_CLOSE]);
	close(to);
	close(fd);
	unlink(path);
}

/* The owner dies by SIGKILL, and gave no other sign: what it flushed is there. */
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
		/* Less than what wakes the writer by itself. */
		for (int i = 0; i < 100; i++)
			if (dev_log_write(fd, 5, text))
				_exit(1);
		if (dev_log_write(fd, 5, "a text") || dev_flush(fd))
			_exit(1);
		raise(SIGKILL);
	}
	check(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
	      WTERMSIG(status) == SIGKILL, "died: status %#x", status);
	s = log_summary_file(path, 0);
	check(s.whole && s.first && s.types[HWPMC_LOG_USER] == 101 && s.text && !s.last,
	      "died: %lu records, what it flushed among them", s.records);
	unlink(path);
}

/* The signal with the error; others tell of records that wait. */
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
#define FULL_RING	131072	/* which is full, too, before all of them are there */

/* What a device that was full did not take is in the next log; what it did is not. */
static void after_full(int fd)
{
	static const char path[] = "/tmp/after.log";
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	struct log_summary before, s;
	uint64_t lost;

	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, to) && !dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0),
	      "full: another log: %s", dev_sentence(fd));
	before = log_summary_file("/tmp/full/log", 0);
	s = log_summary_file(path, 0);
	lost = before.lost + s.lost;
	check(s.whole && s.first && s.last && before.types[HWPMC_LOG_USER] > 100 &&
	      before.types[HWPMC_LOG_USER] + s.types[HWPMC_LOG_USER] + lost == FULL_TEXTS,
	      "full: of %u records %lu are in it whole, %lu in the next log, %llu were lost",
	      FULL_TEXTS, before.types[HWPMC_LOG_USER], s.types[HWPMC_LOG_USER],
	      (unsigned long long)lost);
	close(to);
	unlink(path);
}

/* A device that is full: the error stays until the log is closed. */
static void full(void)
{
	struct hwpmc_ring ring = { .data_size = FULL_RING };
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
	check(!dev_call(fd, HWPMC_IOC_RING, &ring, sizeof(ring)) &&
	      !dev_log(fd, HWPMC_IOC_LOG_OPEN, to), "full: open");
	for (i = 0; i < FULL_TEXTS; i++)
		dev_log_write(fd, 1, FULL_TEXT);
	err = dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0);
	check(err == -ENOSPC, "full: flush: %s", dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0) == -ENOSPC, "full: it stays");
	check(poll(&p, 1, 0) == 1 && (p.revents & POLLERR), "full: poll tells");
	check(signalled(fd, &set), "full: and a signal");
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -ENOSPC, "full: close tells");
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -EINVAL, "full: and closed it");
	after_full(fd);
	close(to);
	close(fd);
	umount("/tmp/full");
}

/* RLIMIT_FSIZE of whoever opened it, as it was then; for files alone. */
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
	check(!dev_flush(fd) && !fstat(to, &st) && st.st_size > 8000, "limited: below the limit");
	for (i = 0; i < 2000; i++)
		dev_log_write(fd, 1, "some text that takes room until there is too much of it");
	check(dev_flush(fd) == -EFBIG, "limited: flush: %s", dev_sentence(fd));
	check(!fstat(to, &st) && st.st_size == 65536, "limited: up to the limit: %lld",
	      (long long)st.st_size);
	check(dev_flush(fd) == -EFBIG, "limited: it stays");
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -EFBIG, "limited: close tells");
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
	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, ends[1]), "pipe: open");
	close(ends[0]);
	dev_log_write(fd, 1, "into nothing");
	check(dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0) == -EPIPE, "pipe: flush: %s", dev_sentence(fd));
	close(ends[1]);
	close(fd);
}

/* The last record meets what the others did not: no signal comes of it. */
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
	      "pipe: its end is an error of LOG_CLOSE, and no signal: status %#x", status);
}

/* The thread that writes this program's log, by its name. */
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

/* By root, who does not know what it is: nobody waits for it, and it can be closed. */
static void killed(void)
{
	int fd = dev_open(), to = open("/tmp/killed.log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	pid_t writer;

	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, to), "killed: open");
	check(!dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0), "killed: flush");
	writer = writer_of_this();
	check(!kill(writer, SIGKILL), "killed: the writer, %d", writer);
	usleep(300000);
	check(dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0) == -EIO, "killed: who flushes is told: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -EIO, "killed: and who closes: %s",
	      dev_sentence(fd));
	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, to) && !dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0),
	      "killed: another log is opened and closed");
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
	died();
	full();
	limited();
	broken_pipe();
	broken_at_end();
	killed();
	return result();
}
