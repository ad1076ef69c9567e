// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <pthread.h>
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
