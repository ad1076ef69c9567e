// SPDX-License-Identifier: GPL-2.0-only
/* The memory of a log file is charged to the cgroup of the task that opened the log. */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "exact.h"
#include "ring.h"

#define TOP	"/tmp/cgroup"
#define OURS	TOP "/log"
#define TEXTS	1000

static void put(const char *path, const char *text)
{
	int f = open(path, O_WRONLY);

	if (f < 0 || write(f, text, strlen(text)) != (ssize_t)strlen(text))
		die("%s: %s", path, strerror(errno));
	close(f);
}

/* Bytes of tmpfs files that are charged to the cgroup. */
static unsigned long long charged(void)
{
	FILE *f = fopen(OURS "/memory.stat", "r");
	unsigned long long bytes = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "shmem %llu", &bytes) == 1)
			break;
	if (!f)
		die("memory.stat: %s", strerror(errno));
	fclose(f);
	return bytes;
}

int main(void)
{
	static const char path[] = "/tmp/charged.log";
	static char text[4000];
	int fd, to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	unsigned long long before, after;
	struct stat st;
	bool all;

	time_limit(60);
	mkdir(TOP, 0755);
	if (mount("none", TOP, "cgroup2", 0, NULL))
		die("cgroup2: %s", strerror(errno));
	put(TOP "/cgroup.subtree_control", "+memory");
	if (mkdir(OURS, 0755))
		die("a cgroup: %s", strerror(errno));
	put(OURS "/cgroup.procs", "0");
	fd = dev_open();
	if (dev_log(fd, HWPMC_IOC_LOG_OPEN, to))
		die("a log: %s", dev_sentence(fd));
	/* The records are written from another cgroup. */
	put(TOP "/cgroup.procs", "0");
	before = charged();
	memset(text, 'x', sizeof(text) - 1);
	for (int i = 0; i < TEXTS; i++)
		if (dev_log_write(fd, 1, text) || (i % 20 == 19 && dev_flush(fd)))
			die("a record: %s", dev_sentence(fd));
	check(!fstat(to, &st) && st.st_size > TEXTS * 4000LL, "all records are in the file: %lld bytes",
	      (long long)st.st_size);
	/* Each CPU batches charges for about two seconds. */
	all = SOON((after = charged()) - before >= TEXTS * 4000ULL);
	check(all, "the opener's cgroup is charged: %llu bytes before, %llu after", before, after);
	check(!dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0), "LOG_CLOSE: %s", dev_sentence(fd));
	close(fd);
	close(to);
	unlink(path);
	check(!rmdir(OURS), "the cgroup can be removed afterwards");
	umount(TOP);
	return result();
}
