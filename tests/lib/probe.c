// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "probe.h"
#include "test.h"

int64_t probe_allocate(int fd, const char *name, uint32_t mode, int cpu, uint32_t flags)
{
	struct hwpmc_allocate a = {
		.flags = flags, .class_id = HWPMC_CLASS_PROBE, .mode = mode, .cpu = cpu,
		.name = (uintptr_t)name, .name_length = strlen(name),
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	return err ? err : (int64_t)a.id;
}

uint32_t probe_count(int fd, const char *name, uint32_t flags)
{
	int64_t id = probe_allocate(fd, name, HWPMC_MODE_TC, -1, flags);

	if (id < 0)
		die("%s: %s: %s", name, strerror(-id), dev_sentence(fd));
	return id;
}

void probe_refused(int fd, const char *name, int file, int error)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = HWPMC_MODE_TC, .cpu = -1,
		.name = (uintptr_t)name, .name_length = strlen(name), .file = file,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	check(err == -error && strcmp(dev_sentence(fd), NO_SENTENCE), "'%s' is refused (%s): %s",
	      name, strerror(error), err ? dev_sentence(fd) : "it is accepted");
}

int probe_file(const void *function, uint64_t *offset)
{
	uint64_t at = (uintptr_t)function, start, end, from;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], path[256];
	int file = -1;

	while (maps && file < 0 && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %255s", &start,
			   &end, &from, path) != 4 || at < start || at >= end)
			continue;
		*offset = at - start + from;
		file = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (file < 0)
		die("no file is mapped at %p", function);
	fclose(maps);
	return file;
}

int64_t probe_allocate_at(int fd, const void *function, const char *end, uint32_t mode, int cpu,
			  uint32_t flags)
{
	char name[64];
	uint64_t offset;
	int err, file = probe_file(function, &offset);
	struct hwpmc_allocate a = {
		.flags = flags, .class_id = HWPMC_CLASS_PROBE, .mode = mode, .cpu = cpu,
		.name = (uintptr_t)name, .file = file,
	};

	snprintf(name, sizeof(name), "uprobe:%#" PRIx64 ":%s", offset, end);
	a.name_length = (uint32_t)strlen(name);
	err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));
	close(file);
	return err ? err : (int64_t)a.id;
}

uint64_t probe_skipped(int fd, uint32_t id)
{
	struct hwpmc_sampled sampled = { .id = id, .cpu = -1 };
	int err = dev_call(fd, HWPMC_IOC_SAMPLED, &sampled, sizeof(sampled));

	if (err)
		die("skipped: %s: %s", strerror(-err), dev_sentence(fd));
	return sampled.skipped;
}

void probe_call(unsigned long times)
{
	while (times--)
		syscall(SYS_getpriority, PRIO_PROCESS, 0);
}

static void *probe_thread(void *times)
{
	probe_call(*(unsigned long *)times);
	return NULL;
}

void probe_call_in_threads(unsigned long times)
{
	pthread_t threads[PROBE_THREADS];

	for (int i = 0; i < PROBE_THREADS; i++)
		if (pthread_create(&threads[i], NULL, probe_thread, &times))
			die("pthread_create");
	for (int i = 0; i < PROBE_THREADS; i++)
		pthread_join(threads[i], NULL);
}

void probe_values(int fd, const uint32_t *ids, size_t count, unsigned long times, uint64_t *values)
{
	if (dev_ids(fd, HWPMC_IOC_START, ids, count))
		die("start: %s", dev_sentence(fd));
	probe_call_in_threads(times);
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, count) || dev_read(fd, ids, count, values))
		die("stop: %s", dev_sentence(fd));
}
