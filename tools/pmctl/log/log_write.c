// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zstd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "log/log_write.h"

/* The records of one write. They fit into one COMPRESSED record even if they do not shrink. */
#define BUFFER	(HWPMC_LOG_RECORD_MAX - 4096)

#if defined(__aarch64__)
#define MACHINE	AUDIT_ARCH_AARCH64
#elif defined(__x86_64__)
#define MACHINE	AUDIT_ARCH_X86_64
#else
#define MACHINE	0
#endif

/* An existing file is truncated by the first write only. */
static int open_file(struct log_writer *writer, const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
	int fd = open(path, flags | O_EXCL, 0666);

	writer->created = fd >= 0;
	writer->old = !writer->created;
	return writer->created ? fd : open(path, flags, 0666);
}

static void begin(struct log_writer *writer, int fd, const char *name, bool compress)
{
	writer->fd = fd;
	writer->name = xstrdup(name);
	writer->buffer = xcalloc(1, BUFFER);
	writer->build = xcalloc(1, sizeof(*writer->build));
	if (!compress)
		return;
	writer->zstd = ZSTD_createCCtx();
	writer->frame = xcalloc(1, sizeof(*writer->frame));
	ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
}

void log_write_begin(struct log_writer *writer, int fd, const char *name, bool compress)
{
	memset(writer, 0, sizeof(*writer));
	begin(writer, fd, name, compress);
}

int log_write_open(struct log_writer *writer, const char *path, bool compress)
{
	bool standard = !strcmp(path, "-");
	int fd;

	memset(writer, 0, sizeof(*writer));
	writer->fd = -1;
	fd = standard ? STDOUT_FILENO : open_file(writer, path);
	if (fd < 0)
		return -1;
	begin(writer, fd, standard ? "standard output" : path, compress);
	return 0;
}

/* Waits for room in a pipe that is non-blocking. */
static bool try_again(struct log_writer *writer)
{
	struct pollfd ready = { .fd = writer->fd, .events = POLLOUT };

	if (errno == EAGAIN)
		poll(&ready, 1, -1);
	return errno == EAGAIN || errno == EINTR;
}

/* EINVAL: a pipe or a device, which cannot be truncated. */
static void empty(struct log_writer *writer)
{
	if (writer->old && ftruncate(writer->fd, 0) && errno != EINVAL && !writer->error)
		writer->error = errno;
	writer->old = false;
}

static void write_now(struct log_writer *writer, const void *data, size_t size)
{
	const char *bytes = data;
	ssize_t done;

	empty(writer);
	while (size && !writer->error) {
		done = write(writer->fd, bytes, size);
		if (done < 0) {
			if (!try_again(writer))
				writer->error = errno;
			continue;
		}
		bytes += done;
		size -= (size_t)done;
		writer->bytes += (uint64_t)done;
	}
}

static void hold(struct log_writer *writer, const void *data, size_t size)
{
	if (size > writer->held_room - writer->held_size) {
		writer->held_room = 2 * (writer->held_size + size);
		writer->held = xrealloc(writer->held, writer->held_room, 1);
	}
	memcpy(writer->held + writer->held_size, data, size);
	writer->held_size += size;
}

static void write_all(struct log_writer *writer, const void *data, size_t size)
{
	if (writer->holds)
		hold(writer, data, size);
	else
		write_now(writer, data, size);
}

void log_write_hold(struct log_writer *writer)
{
	writer->holds = true;
}

void log_write_release(struct log_writer *writer)
{
	writer->holds = false;
	write_now(writer, writer->held, writer->held_size);
	free(writer->held);
	writer->held = NULL;
}

/* Makes the buffer a COMPRESSED record; false if that would not be smaller. */
static bool compress_buffer(struct log_writer *writer)
{
	struct hwpmc_log_compressed *record;
	size_t offset, room, got;

	if (!writer->zstd)
		return false;
	record = log_build(writer->frame, HWPMC_LOG_COMPRESSED, sizeof(*record),
			   (uint64_t)clock_now());
	offset = writer->frame->length;
	room = sizeof(writer->frame->words) - offset;
	got = ZSTD_compress2(writer->zstd, (char *)record + offset, room, writer->buffer,
			     writer->used);
	if (ZSTD_isError(got) || got + offset >= writer->used)
		return false;
	memset((char *)record + offset + got, 0, -got & 7);
	record->h.length = (__u32)(offset + ((got + 7) & ~(size_t)7));
	record->size = writer->used;
	record->frame_offset = (__u32)offset;
	record->frame_size = (__u32)got;
	return true;
}

int log_write_flush(struct log_writer *writer)
{
	if (writer->used && compress_buffer(writer))
		write_all(writer, writer->frame->words, writer->frame->h.length);
	else
		write_all(writer, writer->buffer, writer->used);
	writer->used = 0;
	errno = writer->error;
	return writer->error ? -1 : 0;
}

static void put_one(struct log_writer *writer, const void *record, size_t length)
{
	if (length > BUFFER - writer->used)
		log_write_flush(writer);
	if (length > BUFFER) {
		write_all(writer, record, length);
		return;
	}
	memcpy(writer->buffer + writer->used, record, length);
	writer->used += length;
}

void log_write_records(struct log_writer *writer, const void *records, size_t size)
{
	const unsigned char *bytes = records;
	const struct hwpmc_log_header *record;

	/* One by one, so that each write ends with a complete record. */
	for (; size && !writer->error; size -= record->length, bytes += record->length) {
		record = (const void *)bytes;
		put_one(writer, record, record->length);
	}
}

static void put_built(struct log_writer *writer)
{
	log_write_records(writer, writer->build->words, writer->build->length);
}

/* CLOCK_REALTIME at a CLOCK_MONOTONIC time in the past. */
static uint64_t realtime(uint64_t time)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec -
	       ((uint64_t)clock_now() - time);
}

void log_write_initialize(struct log_writer *writer, unsigned int cpus, uint64_t cpuid)
{
	uint64_t time = writer->start ? writer->start : (uint64_t)clock_now();
	struct hwpmc_log_initialize *start = log_build(writer->build, HWPMC_LOG_INITIALIZE,
						       sizeof(*start), time);

	start->magic = HWPMC_LOG_MAGIC;
	start->version = HWPMC_LOG_VERSION;
	start->cpus = cpus;
	start->cpuid = cpuid;
	start->realtime = realtime(time);
	start->machine = MACHINE;
	/* INITIALIZE is never compressed: a reader recognizes the log by it. */
	log_write_flush(writer);
	write_all(writer, writer->build->words, writer->build->length);
}

void log_write_system(struct log_writer *writer, const char *command)
{
	struct hwpmc_log_system *record = log_build(writer->build, HWPMC_LOG_SYSTEM,
						    sizeof(*record), (uint64_t)clock_now());
	struct utsname name;

	uname(&name);
	record->release_offset = log_build_text(writer->build, name.release);
	record->machine_offset = log_build_text(writer->build, name.machine);
	record->host_offset = log_build_text(writer->build, name.nodename);
	record->command_offset = log_build_text(writer->build, command);
	put_built(writer);
}

void log_write_event(struct log_writer *writer, uint32_t id, const char *name)
{
	struct hwpmc_log_event *record = log_build(writer->build, HWPMC_LOG_EVENT, sizeof(*record),
						   (uint64_t)clock_now());

	record->h.id = id;
	record->name_offset = log_build_text(writer->build, name);
	put_built(writer);
}

void log_write_ksym(struct log_writer *writer, uint64_t time, uint64_t start, const char *name)
{
	struct hwpmc_log_ksym *record = log_build(writer->build, HWPMC_LOG_KSYM, sizeof(*record),
						  time);

	record->start = start;
	record->name_offset = log_build_text(writer->build, name);
	put_built(writer);
}

void log_write_build_id(struct log_writer *writer, const char *path, const void *id, size_t size)
{
	struct hwpmc_log_build_id *record = log_build(writer->build, HWPMC_LOG_BUILD_ID,
						      sizeof(*record), (uint64_t)clock_now());

	if (size > sizeof(record->build_id))
		return;
	record->size = (__u32)size;
	memcpy(record->build_id, id, size);
	record->path_offset = log_build_text(writer->build, path);
	put_built(writer);
}

static void put_close(struct log_writer *writer)
{
	log_build(writer->build, HWPMC_LOG_CLOSE, sizeof(struct hwpmc_log_header),
		  (uint64_t)clock_now());
	put_built(writer);
}

int log_write_close(struct log_writer *writer)
{
	int error;

	if (writer->holds) {
		if (writer->created)
			unlink(writer->name);
	} else {
		put_close(writer);
		log_write_flush(writer);
	}
	/* On NFS a full disk may be reported by close(2) only. */
	if (writer->fd > STDERR_FILENO && close(writer->fd) && !writer->error)
		writer->error = errno;
	error = writer->error;
	ZSTD_freeCCtx(writer->zstd);
	free(writer->name);
	free(writer->buffer);
	free(writer->frame);
	free(writer->held);
	free(writer->build);
	writer->fd = -1;
	errno = error;
	return error ? -1 : 0;
}
