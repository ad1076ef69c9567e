// SPDX-License-Identifier: GPL-2.0-only
/*
 * While the kernel registers a probe in a file, and waits for the mmap lock of a process that maps
 * that file, a close of another file of the device does not wait, and a process that waits for
 * another probe can be killed.
 *
 * The mapping process changes its mappings in a loop on CPU 1, until a real-time process preempts
 * it there while it holds its mmap lock.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "blocked_call.h"
#include "child.h"
#include "cpu.h"
#include "file.h"
#include "probe.h"
#include "test.h"

#define COPY	"/tmp/probe_stall"
#define AREA	(64UL << 20)

/* The function that is probed, in a copy of this program. */
static PROBED int called(int value)
{
	return value + 1;
}

static uint64_t offset;		/* of that function in the file */
static int copy;		/* file descriptor of the copy */

/* Copies this program to a file that only mapper() maps. Returns its descriptor. */
static int copy_program(void)
{
	int from = probe_file(called, &offset);
	int to = open(COPY, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	char buffer[65536];
	ssize_t n;

	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, n) != n)
			die(COPY ": %s", strerror(errno));
	close(from);
	return to;
}

/*
 * Starts a process that maps the copy, and changes the protection of a large area in a loop: each
 * mprotect(2) holds the mmap lock for a long time.
 */
static pid_t mapper(void)
{
	volatile bool *mapped = shared(sizeof(*mapped));
	pid_t pid = fork_tied();
	char *area;

	if (pid) {
		while (!*mapped)
			nap(10);
		return pid;
	}
	pin(0, 1);
	area = small_pages(AREA);
	if (mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, copy, offset & -getpagesize()) ==
	    MAP_FAILED)
		die("mmap: %s", strerror(errno));
	memset(area, 1, AREA);
	*mapped = true;
	for (;;)
		if (mprotect(area, AREA, PROT_READ) || mprotect(area, AREA, PROT_READ | PROT_WRITE))
			die("mprotect: %s", strerror(errno));
}

/* Starts a real-time process that occupies CPU 1. */
static pid_t hog(void)
{
	struct sched_param param = { .sched_priority = 50 };
	pid_t pid = fork_tied();

	if (pid)
		return pid;
	pin(0, 1);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("SCHED_FIFO: %s", strerror(errno));
	for (;;)
		;
}

/* Whether a process holds its mmap lock for longer than its mprotect(2) takes. */
static bool holds_lock(pid_t pid)
{
	pid_t reader = fork_tied();
	char path[64], buffer[4096];
	int fd;

	if (!reader) {
		pin(0, 0);
		snprintf(path, sizeof(path), "/proc/%d/maps", pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		while (read(fd, buffer, sizeof(buffer)) > 0)
			;
		_exit(0);
	}
	for (int i = 0; i < 100; i++) {
		if (waitpid(reader, NULL, WNOHANG) == reader)
			return false;
		usleep(10000);
	}
	kill(reader, SIGKILL);
	reap(reader);
	return true;
}

/* Preempts @pid while it holds its mmap lock. Returns the process that occupies its CPU. */
static pid_t stop_with_lock(pid_t pid)
{
	for (int i = 0; i < 50; i++) {
		pid_t it = hog();

		nap(100);
		if (holds_lock(pid))
			return it;
		kill(it, SIGKILL);
		reap(it);
		usleep(1000 * (i % 7));
	}
	die("the process never holds the lock of its memory");
}

/* A child with a PMC of a probe that calls a function when it gets a byte, and then exits. */
struct child {
	pid_t pid;
	int go;
};

static struct child child_new(void (*fn)(int fd))
{
	int ready[2], go[2], fd;
	struct child it;
	char byte = 0;

	if (pipe(ready) || pipe(go))
		die("pipe: %s", strerror(errno));
	it.go = go[1];
	it.pid = fork_tied();
	if (!it.pid) {
		pin(0, 0);
		fd = dev_open();
		probe_count(fd, "kprobe:" PROBE_FUNCTION, 0);
		if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
			die("pipe: %s", strerror(errno));
		fn(fd);
		_exit(0);
	}
	if (read(ready[0], &byte, 1) != 1)
		die("a child failed");
	return it;
}

static void begin(const struct child *it)
{
	if (write(it->go, "", 1) != 1)
		die("pipe: %s", strerror(errno));
}

static bool ended(const struct child *it)
{
	return waitpid(it->pid, NULL, WNOHANG) == it->pid;
}

static void close_it(int fd)
{
	close(fd);
}

static void allocate_another(int fd)
{
	probe_allocate(fd, "kprobe:" PROBE_FUNCTION ":return", HWPMC_MODE_TC, -1, 0);
}

static int allocate_in_copy(int fd)
{
	char name[64];
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = HWPMC_MODE_TC, .cpu = -1,
		.name = (uintptr_t)name, .file = copy,
	};

	snprintf(name, sizeof(name), "uprobe:%#" PRIx64 ":entry", offset);
	a.name_length = strlen(name);
	return dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));
}

int main(void)
{
	struct child closes, asks;
	struct blocked_call probes = { .call = allocate_in_copy };
	pid_t maps, spins;
	bool registered;

	time_limit(120);
	pin(0, 0);
	/* No limit on real-time processes, so that the hog keeps the CPU. */
	file_set("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	probes.fd = dev_open();
	copy = copy_program();
	maps = mapper();
	/* The children are created before the blocked call: meanwhile fork(2) would wait, too. */
	closes = child_new(close_it);
	asks = child_new(allocate_another);
	spins = stop_with_lock(maps);
	blocked_call_begin(&probes);
	begin(&asks);
	check(SOON(task_state(asks.pid) == 'D'), "a process that allocates another probe waits");
	kill(asks.pid, SIGKILL);
	check(SOON(ended(&asks)), "and can be killed");
	begin(&closes);
	check(SOON(ended(&closes)), "close of a file with a probe does not wait");
	/* The thread may run briefly between two waits, so its state would not show this. */
	registered = !pthread_tryjoin_np(probes.thread, NULL);
	check(!registered, "(the probe is still not registered)");
	kill(spins, SIGKILL);
	if (!registered)
		pthread_join(probes.thread, NULL);
	check(!probes.err, "the probe is registered after the process continues: %s",
	      strerror(-probes.err));
	kill(maps, SIGKILL);
	reap(maps);
	reap(spins);
	file_set("/proc/sys/kernel/sched_rt_runtime_us", "950000");
	close(probes.fd);
	unlink(COPY);
	return result();
}
