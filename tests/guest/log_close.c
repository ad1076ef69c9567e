// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device is closed while a log is open, by exit or by SIGKILL: each record from before is in
 * the log, or is counted in its last record, and the close takes a bounded time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "exact.h"
#include "log_summary.h"
#include "param.h"
#include "ring.h"
#include "test_class.h"

#define PERIOD		1000000		/* so long that no sample is throttled */
#define TENS		30

static const char path[] = "/tmp/close.log";

static uint64_t now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

static int create(const char *name)
{
	int to = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (to < 0)
		die("%s: %s", name, strerror(errno));
	return to;
}

/* Waits until the owner of this file is the only one. */
static bool gone(int fd)
{
	return SOON(dev_stats(fd).owners == 1);
}

/* Samples 20 M instructions and exits, without a flush. */
static void sample_and_end(bool killed)
{
	int fd = dev_open(), to = create(path);
	uint32_t id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER, 0);

	if (dev_log(fd, HWPMC_IOC_LOG_OPEN, to) || dev_start(fd, id))
		_exit(1);
	spin(TENS);
	if (killed)
		raise(SIGKILL);
	_exit(0);
}

static void sampled(bool killed)
{
	const char *how = killed ? "SIGKILL" : "exit";
	unsigned long least = TENS * SPIN_UNIT / PERIOD;
	int other = dev_open(), status;
	struct log_summary s;
	pid_t child = fork_tied();

	if (!child)
		sample_and_end(killed);
	check(waitpid(child, &status, 0) == child && (killed ? WIFSIGNALED(status) : !status),
	      "%s: the owner ends: status %#x", how, status);
	s = log_summary_file(path, 0);
	check(s.whole && s.first && s.last && !s.unwritten,
	      "%s: the log is complete, CLOSE is the last record and counts %llu lost", how,
	      (unsigned long long)s.unwritten);
	check(s.types[HWPMC_LOG_SAMPLE] + s.samples_lost + s.lost >= least &&
	      s.types[HWPMC_LOG_SAMPLE] > least / 2,
	      "%s: of at least %lu samples %lu are in the log, %llu are reported lost", how, least,
	      s.types[HWPMC_LOG_SAMPLE], (unsigned long long)(s.samples_lost + s.lost));
	check(gone(other), "%s: the owner is freed", how);
	close(other);
	unlink(path);
}

/* Writes texts until @lost of them are lost. Returns the number of the others. */
static unsigned long fill(int fd, unsigned long lost)
{
	unsigned long kept = 0;

	while (lost) {
		if (dev_log_write(fd, 1, "some text that takes room") == -ENOSPC)
			lost--;
		else
			kept++;
	}
	return kept;
}

/* The losses of a full ring are reported although nothing is written after them. */
static void lossy(void)
{
	int other = dev_open(), fd = dev_open(), to = create(path);
	struct log_summary s;
	unsigned long kept;

	if (dev_rings(fd, 4096))
		die("rings: %s", dev_sentence(fd));
	kept = fill(fd, 50);
	if (dev_log(fd, HWPMC_IOC_LOG_OPEN, to))
		die("a log: %s", dev_sentence(fd));
	close(fd);
	check(gone(other), "full ring: close ends the owner");
	s = log_summary_file(path, 0);
	check(s.whole && s.last && s.types[HWPMC_LOG_USER] == kept && s.lost == 50 && !s.unwritten,
	      "full ring: %lu of %lu records are in the log, DROP reports %llu, CLOSE %llu",
	      s.types[HWPMC_LOG_USER], kept, (unsigned long long)s.lost,
	      (unsigned long long)s.unwritten);
	close(to);
	close(other);
	unlink(path);
}

#define FULL	"/tmp/full/close.log"

/* A full disk: the last record has the number of records that are not in the log. */
static void full(void)
{
	int other = dev_open(), fd, to;
	struct log_summary s;
	uint64_t begun;
	unsigned int i;

	mkdir("/tmp/full", 0700);
	if (mount("none", "/tmp/full", "tmpfs", 0, "size=64k"))
		die("mount: %s", strerror(errno));
	to = create(FULL);
	fd = dev_open();
	if (dev_rings(fd, 262144) || dev_log(fd, HWPMC_IOC_LOG_OPEN, to))
		die("full: %s", dev_sentence(fd));
	for (i = 0; i < 2000; i++)
		dev_log_write(fd, 1, "some text that takes room until there is none on the device");
	begun = now_ms();
	close(fd);
	check(now_ms() - begun < 2000 * PATIENCE && gone(other), "full disk: close takes %llu ms",
	      (unsigned long long)(now_ms() - begun));
	s = log_summary_file(FULL, 0);
	check(s.whole && s.first && s.last && s.types[HWPMC_LOG_USER] > 100 && s.unwritten &&
	      s.types[HWPMC_LOG_USER] + s.lost + s.unwritten == 2000,
	      "full disk: of 2000 records %lu are in the log, CLOSE counts %llu",
	      s.types[HWPMC_LOG_USER], (unsigned long long)(s.lost + s.unwritten));
	close(to);
	close(other);
	umount("/tmp/full");
}

/* An owner exits with a log to a pipe that has no room. Returns how long that took, in ms. */
static uint64_t exit_stalled(int to)
{
	int ready[2], status;
	uint64_t begun;
	pid_t child;
	char byte;

	if (pipe(ready))
		die("pipe: %s", strerror(errno));
	child = fork_tied();
	if (!child) {
		int fd = dev_open();

		if (dev_rings(fd, 262144) || dev_log(fd, HWPMC_IOC_LOG_OPEN, to))
			_exit(1);
		fill(fd, 100);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(2);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		die("stalled: the owner failed");
	close(ready[0]);
	begun = now_ms();
	kill(child, SIGKILL);
	if (waitpid(child, &status, 0) != child)
		die("waitpid: %s", strerror(errno));
	return now_ms() - begun;
}

/* Nobody reads the pipe: the exit does not wait, and the owner is freed after drain_ms. */
static void stalled(void)
{
	int other = dev_open(), ends[2];
	uint64_t took, begun;

	if (pipe(ends))
		die("pipe: %s", strerror(errno));
	begun = now_ms();
	took = exit_stalled(ends[1]);
	check(took < 500 * PATIENCE, "stalled pipe: the killed owner exits in %llu ms",
	      (unsigned long long)took);
	check(gone(other), "stalled pipe: the owner is freed after %llu ms",
	      (unsigned long long)(now_ms() - begun));
	close(ends[0]);
	close(ends[1]);
	close(other);
}

/* The reader resumes after the owner was killed: it gets all records. */
static void resumed(void)
{
	static char log[4 << 20];
	int other = dev_open(), ends[2];
	struct log_summary s = { 0 };
	size_t size = 0;
	ssize_t n;

	param_set("drain_ms", 10000 * PATIENCE);
	if (pipe(ends))
		die("pipe: %s", strerror(errno));
	exit_stalled(ends[1]);
	close(ends[1]);
	while ((n = read(ends[0], log + size, sizeof(log) - size)) > 0)
		size += n;
	log_summary_add(&s, log, size);
	check(s.whole && s.first && s.last && s.types[HWPMC_LOG_USER] > 1000 && s.lost == 100 &&
	      !s.unwritten,
	      "slow reader: it gets %lu records, %llu reported lost, and CLOSE",
	      s.types[HWPMC_LOG_USER], (unsigned long long)s.lost);
	check(gone(other), "slow reader: the owner is freed");
	param_set("drain_ms", 2000);
	close(ends[0]);
	close(other);
}

int main(void)
{
	time_limit(120);
	sampled(false);
	sampled(true);
	lossy();
	full();
	stalled();
	resumed();
	return result();
}
