// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's memory for a user is charged to the user's memory cgroup: the pages of a log's file
 * to that of the task that opened the log, PMCs to that of the task that allocated them.
 */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "exact.h"
#include "file.h"
#include "ring.h"

#define TOP	"/tmp/cgroup"
#define OURS	TOP "/ours"
#define TEXTS	1000
#define PMCS	1000

static void enter(const char *cgroup)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	file_set(path, "0");
}

/* Bytes of one kind that are charged to the cgroup. */
static unsigned long long charged(const char *kind)
{
	FILE *f = fopen(OURS "/memory.stat", "r");
	unsigned long long bytes = 0, number;
	char line[256], name[64];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %llu", name, &number) == 2 && !strcmp(name, kind))
			bytes = number;
	if (!f)
		die("memory.stat: %s", strerror(errno));
	fclose(f);
	return bytes;
}

/* Another cgroup writes the log's records. */
static void log_file(void)
{
	static const char path[] = "/tmp/charged.log";
	static char text[4000];
	int fd, to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	unsigned long long before, after;
	struct stat st;
	bool all;

	enter(OURS);
	fd = dev_open();
	if (dev_log(fd, HWPMC_IOC_LOG_OPEN, to))
		die("a log: %s", dev_sentence(fd));
	enter(TOP);
	before = charged("shmem");
	memset(text, 'x', sizeof(text) - 1);
	for (int i = 0; i < TEXTS; i++)
		if (dev_log_write(fd, 1, text) || (i % 20 == 19 && dev_flush(fd)))
			die("a record: %s", dev_sentence(fd));
	check(!fstat(to, &st) && st.st_size > TEXTS * 4000LL, "all records are in the file: %lld bytes",
	      (long long)st.st_size);
	/* Each CPU batches charges for about two seconds. */
	all = SOON((after = charged("shmem")) >= before + TEXTS * 4000ULL);
	check(all, "the opener's cgroup is charged: %llu bytes before, %llu after", before, after);
	check(!dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0), "LOG_CLOSE: %s", dev_sentence(fd));
	close(fd);
	close(to);
	unlink(path);
}

static void pmcs(void)
{
	unsigned long long before, after, least = PMCS * 256ULL;
	int fd;

	enter(OURS);
	fd = dev_open();
	before = charged("slab_unreclaimable");
	for (int i = 0; i < PMCS; i++)
		dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_CLOCK, 0, 0);
	check(SOON((after = charged("slab_unreclaimable")) >= before + least),
	      "%d PMCs are charged: %llu bytes before, %llu after", PMCS, before, after);
	before = after;
	close(fd);
	check(SOON((after = charged("slab_unreclaimable")) + least <= before),
	      "what is released is not: %llu bytes before, %llu after", before, after);
	enter(TOP);
}

int main(void)
{
	time_limit(60);
	mkdir(TOP, 0755);
	if (mount("none", TOP, "cgroup2", 0, NULL))
		die("cgroup2: %s", strerror(errno));
	file_set(TOP "/cgroup.subtree_control", "+memory");
	if (mkdir(OURS, 0755))
		die("a cgroup: %s", strerror(errno));
	log_file();
	pmcs();
	check(SOON(!rmdir(OURS)), "the cgroup can be removed afterwards");
	umount(TOP);
	return result();
}
