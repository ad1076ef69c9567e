// SPDX-License-Identifier: GPL-2.0-only
/*
 * "probe_log [WRITES]": each write of a log to its file is an event of the probes that the log
 * records. The log does not fill up by itself, its PMCs stop, and it has all records that were not
 * reported as lost.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "log_summary.h"
#include "probe.h"
#include "ring.h"
#include "test.h"

#define LOG	"/tmp/probe_log"
#define OTHER	"/tmp/probe_log.other"

/*
 * While only the log writes, each of its writes causes some events, and a timer wakes the log's
 * thread every 100 us at most: in QEMU the log grows by 16 MiB in a second. Without that pause it
 * would grow by more.
 */
#define IDLE_MOST	(128UL << 20)

/* Events of each write to a file; those that this kernel does not have are left out. */
static const char *const names[] = {
	"kprobe:vfs_write", "kprobe:vfs_write:return", "kprobe:kernel_write",
	"kprobe:kernel_write:return", "kprobe:__kernel_write_iter", "kprobe:generic_file_write_iter",
	"kprobe:generic_perform_write", "kprobe:shmem_write_begin", "kprobe:shmem_write_end",
	"kprobe:__wake_up", "kprobe:try_to_wake_up:return", "tracepoint:sched_switch",
	"tracepoint:writeback_dirty_folio", "syscall:write:entry",
};

#define MOST	(2 * ARRAY_SIZE(names))

/* A file of the device with a log, and sampling PMCs on both CPUs. */
struct logging {
	int fd;
	uint32_t ids[MOST];
	unsigned int count;
	unsigned int places;
};

static int64_t sampler(int fd, const char *name, int cpu)
{
	struct hwpmc_allocate a = {
		.flags = HWPMC_F_CALLCHAIN | HWPMC_F_COMM, .class_id = HWPMC_CLASS_PROBE,
		.mode = HWPMC_MODE_SS, .cpu = cpu, .name = (uintptr_t)name,
		.name_length = strlen(name), .count = 1, .args = 3,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	return err ? err : (int64_t)a.id;
}

/* @watermark: the bytes in a ring at which the log is written. */
static void begin(struct logging *it, uint64_t watermark)
{
	struct hwpmc_ring ring = { .data_size = 262144, .watermark = watermark };
	int to = open(LOG, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	*it = (struct logging) { .fd = dev_open() };
	if (to < 0 || dev_call(it->fd, HWPMC_IOC_RING, &ring, sizeof(ring)) ||
	    dev_log(it->fd, HWPMC_IOC_LOG_OPEN, to))
		die("log: %s", dev_sentence(it->fd));
	close(to);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int64_t first = sampler(it->fd, names[i], 0), second;

		if (first < 0)
			continue;
		second = sampler(it->fd, names[i], 1);
		if (second < 0)
			die("%s: %s", names[i], dev_sentence(it->fd));
		it->ids[it->count++] = first;
		it->ids[it->count++] = second;
		it->places++;
	}
	if (dev_ids(it->fd, HWPMC_IOC_START, it->ids, it->count))
		die("start: %s", dev_sentence(it->fd));
}

/* The events of all PMCs equal the records of the file and the losses that it reports. */
static void end(struct logging *it, const char *how)
{
	uint64_t values[MOST], events = 0;
	struct log_summary s;

	if (dev_ids(it->fd, HWPMC_IOC_STOP, it->ids, it->count) ||
	    dev_read(it->fd, it->ids, it->count, values))
		die("stop: %s", dev_sentence(it->fd));
	check(!dev_log(it->fd, HWPMC_IOC_LOG_FLUSH, 0) && !dev_log(it->fd, HWPMC_IOC_LOG_CLOSE, 0),
	      "%s: the log is flushed and closed", how);
	for (unsigned int i = 0; i < it->count; i++)
		events += values[i];
	s = log_summary_file(LOG, 0);
	check(s.whole && s.first && s.last && events &&
	      s.types[HWPMC_LOG_PROBE] + s.samples_lost == events,
	      "%s: %llu events of %u places: %lu records in the log, and %llu reported as lost", how,
	      (unsigned long long)events, it->places, s.types[HWPMC_LOG_PROBE],
	      (unsigned long long)s.samples_lost);
	close(it->fd);
	unlink(LOG);
}

/* The program writes to another file meanwhile. */
static void writes(unsigned int count)
{
	const uint64_t word = 1;
	struct logging it;
	int file = open(OTHER, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	begin(&it, 4096);
	while (count--)
		if (pwrite(file, &word, sizeof(word), 0) != sizeof(word))
			die("write: %s", strerror(errno));
	end(&it, "beside a program that writes");
	close(file);
	unlink(OTHER);
}

/* Only the log itself writes: each write makes the records that the next one writes. */
static void alone(void)
{
	struct logging it;
	struct stat file;

	begin(&it, 1);
	/* Real time: only the log may cause events meanwhile. */
	sleep(1);
	if (stat(LOG, &file))
		die(LOG ": %s", strerror(errno));
	check(file.st_size < (off_t)IDLE_MOST, "alone: the log has %lld bytes after a second",
	      (long long)file.st_size);
	end(&it, "alone");
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? strtoul(argv[1], NULL, 0) : 3000;

	alarm(60 * PATIENCE);
	writes(count);
	alone();
	return result();
}
