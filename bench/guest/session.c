// SPDX-License-Identifier: GPL-2.0-only
/*
 * A whole measurement: open, allocate, attach, start, read and close of six events, on all CPUs and
 * on the threads of a process.
 */
#include <dirent.h>
#include <sys/resource.h>

#include "slope.h"

/*
 * The results of the first measurement are not printed, because it also allocates memory that the
 * kernel keeps afterwards.
 */
static bool rehearsal;

/* Kernel memory in KiB: objects, per-CPU memory, and areas of vmalloc(). */
static long kernel_memory(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	long sum = 0, kib;
	char line[128], name[32];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%31[^:]: %ld", name, &kib) == 2 &&
		    (!strcmp(name, "Slab") || !strcmp(name, "Percpu") ||
		     !strcmp(name, "VmallocUsed")))
			sum += kib;
	if (f)
		fclose(f);
	return sum;
}

static void show(const char *where, const char *what, double value)
{
	char key[32];

	snprintf(key, sizeof(key), "%s-%s", where, what);
	if (!rehearsal)
		print(key, value);
}

static uint64_t step(void (*fn)(struct session *s), struct session *s, const char *where,
		     const char *what)
{
	uint64_t start = now(), took;

	fn(s);
	took = now() - start;
	show(where, what, took);
	return took;
}

static void measure(const struct session_ops *ops, struct session *s, const char *where)
{
	long before = kernel_memory();
	uint64_t all = step(ops->open, s, where, "open");

	all += step(ops->start, s, where, "start");
	show(where, "kib", kernel_memory() - before);
	all += step(ops->read, s, where, "read");
	all += step(ops->close, s, where, "close");
	show(where, "all", all);
	show(where, "calls", s->calls);
	show(where, "fds", s->fds);
}

static void on_cpus(const struct session_ops *ops)
{
	struct session s = { .count = sysconf(_SC_NPROCESSORS_ONLN) };

	measure(ops, &s, "cpus");
}

static void on_threads(const struct session_ops *ops)
{
	static pid_t tids[THREADS];
	pid_t pid = fork_threads(THREADS);
	struct session s = { .pid = pid, .tids = tids };
	const struct dirent *entry;
	char path[32];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	while (tasks && s.count < THREADS && (entry = readdir(tasks)))
		if (*entry->d_name != '.')
			tids[s.count++] = atoi(entry->d_name);
	if (s.count != THREADS)
		die("%s has %u threads", path, s.count);
	closedir(tasks);
	measure(ops, &s, "threads");
	end_threads(pid);
}

void bench_session(const struct backend *b)
{
	const struct rlimit files = { 8192, 8192 };

	if (setrlimit(RLIMIT_NOFILE, &files))
		die("limit of open files: %s", strerror(errno));
	for (int turn = 0; turn < 2; turn++) {
		rehearsal = !turn;
		on_cpus(b->session);
		on_threads(b->session);
	}
}
