// SPDX-License-Identifier: GPL-2.0-only
/* The memory that a log takes is charged to the cgroup of whoever opened it. */
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

/* Bytes in files of tmpfs that are charged to it. */
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
	/* Whoever writes records later may be elsewhere. */
	put(TOP "/cgroup.procs", "0");
	before = charged();
	memset(text, 'x', sizeof(text) - 1);
	for (int i = 0; i < TEXTS; i++)
		if (dev_log_write(fd, 1, text) || (i % 20 == 19 && dev_flush(fd)))
			die("a record: %s", dev_sentence(fd));
	check(!fstat(to, &st) && st.st_size > TEXTS * 4000LL, "%lld bytes are written",
	      (long long)st.st_size);
	/* Each CPU keeps some of what it charged to itself, for about two seconds. */
	all = SOON((after = charged()) - before >= TEXTS * 4000ULL);
	check(all, "charged before: %llu, after: %llu", before, after);
	check(!dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0), "close: %s", dev_sentence(fd));
	close(fd);
	close(to);
	unlink(path);
	check(!rmdir(OURS), "nothing holds on to the cgroup");
	umount(TOP);
	return result();
}
