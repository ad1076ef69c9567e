// SPDX-License-Identifier: GPL-2.0-only
/*
 * What counting costs, in the guest: "bench hwpmc|perf|none". Prints lines
 * "KEY VALUE". Under icount a nanosecond of guest time is an instruction.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "../../tests/lib/pingpong.h"
#include "../../tests/lib/test.h"

#define SETUPS	12		/* fresh pairs of tasks: memory layout differs */
#define READS	2000
#define THREADS	1000

/* How counters are had: from us or from perf. */
struct backend {
	const char *name;
	void (*open)(unsigned int count, pid_t pid);	/* attach to @pid, and start */
	void (*read)(void);				/* all of them, by one call */
	void (*close)(void);
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void print(const char *key, double value)
{
	printf("%s %.1f\n", key, value);
	fflush(stdout);
}

/* hwpmc */

static int dev = -1;
static uint32_t ids[8];
static unsigned int id_count;
static uint64_t values[16];

static void hwpmc_allocate(unsigned int count)
{
	dev = dev_open();
	for (id_count = 0; id_count < count; id_count++) {
		int64_t id = dev_allocate(dev, HWPMC_CLASS_ARMV8, HWPMC_MODE_TC, -1,
					  EV_INSTRUCTIONS, 0, 0);

		if (id < 0)
			die("allocate: %s", dev_sentence(dev));
		ids[id_count] = id;
	}
}

static void hwpmc_open(unsigned int count, pid_t pid)
{
	hwpmc_allocate(count);
	for (unsigned int i = 0; i < count; i++)
		if (dev_attach(dev, ids[i], pid, 0))
			die("attach: %s", dev_sentence(dev));
	if (dev_ids(dev, HWPMC_IOC_START, ids, count))
		die("start: %s", dev_sentence(dev));
}

static void hwpmc_read(void)
{
	dev_read(dev, ids, id_count, values);
}

static void hwpmc_close(void)
{
	close(dev);
}

/* perf_event: a group, as its users have it */

static int perf_fds[8];
static unsigned int perf_count;

static int perf_open_one(pid_t pid, int group)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = EV_INSTRUCTIONS,
		.read_format = PERF_FORMAT_GROUP,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, -1, group, 0);

	if (fd < 0)
		die("perf_event_open: %s", strerror(errno));
	return fd;
}

static void perf_open(unsigned int count, pid_t pid)
{
	for (perf_count = 0; perf_count < count; perf_count++)
		perf_fds[perf_count] = perf_open_one(pid, perf_count ? perf_fds[0] : -1);
}

static void perf_read(void)
{
	if (read(perf_fds[0], values, sizeof(values)) < 0)
		die("read: %s", strerror(errno));
}

static void perf_close(void)
{
	while (perf_count)
		close(perf_fds[--perf_count]);
}

static const struct backend backends[] = {
	{ "hwpmc", hwpmc_open, hwpmc_read, hwpmc_close },
	{ "perf", perf_open, perf_read, perf_close },
};

/* What @count counters of @pid add to a switch of @pp's. */
static double added(struct ping_pong *pp, const struct backend *b, unsigned int count, pid_t pid)
{
	double before = ping_pong_measure(pp), with;

	b->open(count, pid);
	settle();
	with = ping_pong_measure(pp);
	b->close();
	settle();
	return with - before;
}

static pid_t fork_sleeper(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	return pid;
}

/* Interleaved, so that what drifts meets all alike. */
static void bench_switch(const struct backend *b)
{
	double none = 0, one = 0, six = 0, other = 0;

	for (int i = 0; i < SETUPS; i++) {
		struct ping_pong pp;
		pid_t sleeper;

		ping_pong_open(&pp);
		settle();
		none += ping_pong_measure(&pp) / SETUPS;
		if (b) {
			one += added(&pp, b, 1, pp.pid) / SETUPS;
			six += added(&pp, b, 6, pp.pid) / SETUPS;
			sleeper = fork_sleeper();
			other += added(&pp, b, 1, sleeper) / SETUPS;
			kill(sleeper, SIGKILL);
			waitpid(sleeper, NULL, 0);
		}
		ping_pong_close(&pp);
	}
	print("switch", none);
	if (!b)
		return;
	print("switch-1", one);
	print("switch-6", six);
	print("switch-other", other);
}

static void bench_read(const struct backend *b)
{
	uint64_t start;

	start = now();
	for (int i = 0; i < READS; i++)
		syscall(SYS_getppid);
	print("null-call", (double)(now() - start) / READS);
	start = now();
	for (int i = 0; i < READS; i++)
		ioctl(0, _IO(0, 0), 0);
	print("null-ioctl", (double)(now() - start) / READS);
	for (unsigned int count = 1; count <= 6; count += 5) {
		char key[16];

		b->open(count, 0);
		b->read();
		start = now();
		for (int i = 0; i < READS; i++)
			b->read();
		snprintf(key, sizeof(key), "read-%u", count);
		print(key, (double)(now() - start) / READS);
		b->close();
	}
}

static void *sleep_for_ever(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static pid_t thousand(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		die("pipe: %s", strerror(errno));
	pid = fork();
	if (pid) {
		if (read(ready[0], &c, 1) != 1)
			die("the threads did not come up");
		usleep(100000);
		return pid;
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (int i = 1; i < THREADS; i++)
		if (pthread_create(&thread, &attr, sleep_for_ever, NULL))
			_exit(1);
	if (write(ready[1], "x", 1) != 1)
		_exit(1);
	sleep_for_ever(NULL);
	return 0;
}

static long slab(const char *name, const char *what)
{
	char path[128];
	long value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/%s", name, what);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%ld", &value) != 1)
		value = 0;
	if (f)
		fclose(f);
	return value;
}

static double timed(int (*fn)(pid_t pid), pid_t pid)
{
	uint64_t start = now();

	if (fn(pid))
		die("a thousand threads: %s", dev_sentence(dev));
	return now() - start;
}

static int do_attach(pid_t pid)
{
	return dev_attach(dev, ids[0], pid, 0);
}

static int do_start(pid_t pid)
{
	(void)pid;
	return dev_start(dev, ids[0]);
}

static int do_stop(pid_t pid)
{
	(void)pid;
	return dev_stop(dev, ids[0]);
}

static int do_detach(pid_t pid)
{
	return dev_detach(dev, ids[0], pid, 0);
}

/* What only hwpmc has in one call. */
static void bench_thousand(void)
{
	pid_t pid = thousand();

	hwpmc_allocate(1);
	print("attach-1000", timed(do_attach, pid));
	print("start-1000", timed(do_start, pid));
	print("stop-1000", timed(do_stop, pid));
	print("detach-1000", timed(do_detach, pid));
	hwpmc_close();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	print("bytes-thread", slab("hwpmc_thread", "object_size"));
	print("bytes-link", slab("hwpmc_link", "object_size"));
	print("bytes-pmc", slab("hwpmc_pmc", "object_size"));
}

int main(int argc, char **argv)
{
	const struct backend *b = NULL;

	stay_on_cpu(0);
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(backends); i++)
		if (!strcmp(argv[1], backends[i].name))
			b = &backends[i];
	bench_switch(b);
	if (b)
		bench_read(b);
	if (b == &backends[0])
		bench_thousand();
	return 0;
}
