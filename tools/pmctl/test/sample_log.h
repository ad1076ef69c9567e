/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_TEST_SAMPLE_LOG_H
#define PMCTL_TEST_SAMPLE_LOG_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/hwpmc_log.h>

#include "base/clock.h"
#include "log/log_build.h"
#include "log/log_write.h"

/* Logs for tests, in memory, with a record of every type. */

static struct log_build sample_build;

static inline void put_sample_task(struct log_writer *log, unsigned int type, int pid, int parent,
				   const char *comm, uint64_t time)
{
	struct hwpmc_log_task *task = log_build(&sample_build, type, sizeof(*task), time);

	task->pid = pid;
	task->tid = pid;
	task->parent_pid = parent;
	task->parent_tid = parent;
	strncpy(task->comm, comm, sizeof(task->comm) - 1);
	log_write_records(log, task, sample_build.length);
}

static inline void put_sample_exec(struct log_writer *log, int pid, const char *path, uint64_t time)
{
	struct hwpmc_log_exec *exec = log_build(&sample_build, HWPMC_LOG_EXEC, sizeof(*exec), time);

	exec->pid = pid;
	exec->tid = pid;
	memcpy(exec->comm, "prog", 5);
	exec->path_offset = log_build_text(&sample_build, path);
	log_write_records(log, exec, sample_build.length);
}

#define SAMPLE_MAP_OFFSET	0x1000	/* offset in the file */

static inline void put_sample_map(struct log_writer *log, unsigned int type, int pid,
				  uint64_t start, uint64_t size, const char *path, uint64_t time)
{
	struct hwpmc_log_map *map = log_build(&sample_build, type, sizeof(*map), time);

	map->pid = pid;
	map->prot = PROT_READ | PROT_EXEC;
	map->start = start;
	map->size = size;
	map->file_offset = SAMPLE_MAP_OFFSET;
	map->inode = 7;
	map->dev_major = 8;
	map->dev_minor = 1;
	if (*path)
		map->path_offset = log_build_text(&sample_build, path);
	log_write_records(log, map, sample_build.length);
}

static inline void put_sample(struct log_writer *log, int cpu, int pid, uint64_t pc, uint64_t time)
{
	static const uint64_t chain[] = { 0xffff800010001000, 0x400100, 0x400200 };
	static const uint64_t regs[34] = { 1, 2, 3 };
	static const char stack[64] = "a stack";
	struct hwpmc_log_sample *sample = log_build(&sample_build, HWPMC_LOG_SAMPLE,
						    sizeof(*sample), time);

	sample->h.id = 1;
	sample->h.cpu = (__u32)cpu;
	sample->h.flags = HWPMC_SAMPLE_USER;
	sample->pid = pid;
	sample->tid = pid;
	sample->period = 1000;
	sample->pc = pc;
	sample->chain_kernel = 1;
	sample->chain_user = 2;
	sample->chain_offset = (__u16)log_build_bytes(&sample_build, chain, sizeof(chain));
	sample->regs = 34;
	sample->regs_offset = (__u16)log_build_bytes(&sample_build, regs, sizeof(regs));
	sample->stack_size = sizeof(stack);
	sample->stack_offset = (__u16)log_build_bytes(&sample_build, stack, sizeof(stack));
	log_write_records(log, sample, sample_build.length);
}

static inline void put_sample_probe(struct log_writer *log, uint64_t time)
{
	static const uint64_t args[] = { 0x11, 0x22 };
	static const char comm[16] = "prog";
	struct hwpmc_log_probe *probe = log_build(&sample_build, HWPMC_LOG_PROBE, sizeof(*probe),
						  time);

	probe->sample.h.id = 1;
	probe->sample.h.flags = HWPMC_PROBE_RETURN | HWPMC_PROBE_ERROR;
	probe->sample.pid = 100;
	probe->sample.tid = 100;
	probe->sample.period = 1;
	probe->sample.pc = 0xffff800010001000;
	probe->retval = (uint64_t)-2;
	probe->args = 2;
	probe->args_offset = (__u16)log_build_bytes(&sample_build, args, sizeof(args));
	probe->comm_offset = (__u16)log_build_bytes(&sample_build, comm, sizeof(comm));
	log_write_records(log, probe, sample_build.length);
}

/* A record of a type without a variable part. */
static inline void put_sample_plain(struct log_writer *log, unsigned int type, size_t size,
				    uint64_t time)
{
	log_build(&sample_build, type, size, time);
	log_write_records(log, sample_build.words, sample_build.length);
}

static inline void put_sample_user(struct log_writer *log, uint64_t time)
{
	struct hwpmc_log_user *user = log_build(&sample_build, HWPMC_LOG_USER, sizeof(*user), time);

	user->cookie = 42;
	user->text_offset = log_build_text(&sample_build, "half time");
	log_write_records(log, user, sample_build.length);
}

/* A record of every type, and among them a PAD and an unknown type. */
static inline void put_sample_log(struct log_writer *log)
{
	uint64_t t = (uint64_t)1 << 40;

	log_write_initialize(log, 4, 0x41009999);
	log_write_system(log, "pmctl record -- prog");
	log_write_event(log, 1, "cycles");
	log_write_ksym(log, (uint64_t)clock_now(), 0xffff800010000000, "stext");
	log_write_ksym(log, (uint64_t)clock_now(), 0xffff800010002000, "do_it [mod]");
	put_sample_plain(log, HWPMC_LOG_ALLOCATE, sizeof(struct hwpmc_log_allocate), t);
	put_sample_plain(log, HWPMC_LOG_ATTACH, sizeof(struct hwpmc_log_attach), t + 1);
	put_sample_plain(log, HWPMC_LOG_PAD, 24, 0);
	put_sample_task(log, HWPMC_LOG_PROCESS, 100, 0, "sh", t + 2);
	put_sample_map(log, HWPMC_LOG_MAP_IN, 100, 0x400000, 0x10000, "/bin/sh", t + 3);
	put_sample_task(log, HWPMC_LOG_FORK, 101, 100, "sh", t + 4);
	put_sample_exec(log, 101, "/bin/prog", t + 5);
	put_sample_task(log, HWPMC_LOG_COMM, 101, 0, "prog2", t + 6);
	put_sample_plain(log, 0x7000, 40, t + 7);
	put_sample(log, 0, 100, 0x400010, t + 8);
	put_sample_plain(log, HWPMC_LOG_DROP, sizeof(struct hwpmc_log_drop), t + 9);
	put_sample_plain(log, HWPMC_LOG_THROTTLE, sizeof(struct hwpmc_log_throttle), t + 10);
	put_sample_plain(log, HWPMC_LOG_SWITCH, sizeof(struct hwpmc_log_value), t + 11);
	put_sample_plain(log, HWPMC_LOG_VALUE, sizeof(struct hwpmc_log_value), t + 12);
	put_sample_user(log, t + 13);
	put_sample_map(log, HWPMC_LOG_MAP_OUT, 100, 0x400000, 0x1000, "", t + 14);
	put_sample_task(log, HWPMC_LOG_EXIT, 101, 0, "prog2", t + 15);
	put_sample_plain(log, HWPMC_LOG_DETACH, sizeof(struct hwpmc_log_attach), t + 16);
	put_sample_probe(log, t + 17);
	log_write_build_id(log, "/bin/sh", "0123456789abcdef0123", 20);
}

#define SAMPLE_LOG_RECORDS	24	/* records that a reader returns, including CLOSE */

/* The bytes of a log that @put writes; free() them. */
static inline unsigned char *sample_log(void (*put)(struct log_writer *log), bool compress,
					size_t *size)
{
	char path[] = "/tmp/pmctl-log-XXXXXX";
	int fd = mkstemp(path);
	struct log_writer log;
	unsigned char *bytes;
	struct stat status;

	log_write_open(&log, path, compress);
	put(&log);
	log_write_close(&log);
	unlink(path);
	fstat(fd, &status);
	*size = (size_t)status.st_size;
	bytes = malloc(*size);
	if (pread(fd, bytes, *size, 0) != (ssize_t)*size)
		abort();
	close(fd);
	return bytes;
}

/* A descriptor to read @bytes from. */
static inline int sample_fd(const void *bytes, size_t size)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	if (write(fd, bytes, size) != (ssize_t)size)
		abort();
	lseek(fd, 0, SEEK_SET);
	return fd;
}

#endif
