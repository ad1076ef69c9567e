// SPDX-License-Identifier: GPL-2.0-only
/* ATTACH to a process with a thousand threads, and DETACH: only hwpmc has such a call. */
#include "slope.h"

static int dev;
static uint32_t id;

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
	return dev_attach(dev, id, pid, 0);
}

static int do_start(pid_t pid)
{
	(void)pid;
	return dev_start(dev, id);
}

static int do_stop(pid_t pid)
{
	(void)pid;
	return dev_stop(dev, id);
}

static int do_detach(pid_t pid)
{
	return dev_detach(dev, id, pid, 0);
}

void bench_thousand(const struct backend *b)
{
	pid_t pid = fork_threads(THREADS);
	int64_t got;

	(void)b;
	dev = dev_open();
	got = dev_allocate(dev, dev_class(), HWPMC_MODE_TC, -1, EV_INSTRUCTIONS, 0, 0);
	if (got < 0)
		die("allocate: %s", dev_sentence(dev));
	id = got;
	print("attach-1000", timed(do_attach, pid));
	print("start-1000", timed(do_start, pid));
	print("stop-1000", timed(do_stop, pid));
	print("detach-1000", timed(do_detach, pid));
	close(dev);
	end_threads(pid);
	print("bytes-thread", slab("hwpmc_thread", "object_size"));
	print("bytes-link", slab("hwpmc_link", "object_size"));
	print("bytes-pmc", slab("hwpmc_pmc", "object_size"));
}
