/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file that a log is written to. Used by writer.c, whose thread is its only user.
 */
#ifndef HWPMC_SINK_H
#define HWPMC_SINK_H

#include <linux/fs.h>
#include <linux/types.h>

struct mem_cgroup;

/**
 * struct hwpmc_sink - the file of a log
 * @file: a regular file, a pipe or a socket
 * @pos: position in @file; not used for pipes and sockets
 * @limit: RLIMIT_FSIZE of the caller of LOG_OPEN
 * @memcg: its memory cgroup, or NULL
 * @partial: bytes of an incomplete record at the end, after an error
 * @last: bytes of the last complete record, or 0 if nothing may be written over it
 * @full: a write failed, and not because of a signal
 * @nonblocking: the device is closed: write to a pipe or socket only when it has room
 * @stalled: a pipe or socket had no room since
 */
struct hwpmc_sink {
	struct file *file;
	loff_t pos;
	u64 limit;
	struct mem_cgroup *memcg;
	size_t partial;
	u32 last;
	bool full;
	bool nonblocking;
	bool stalled;
};

void hwpmc_sink_init(struct hwpmc_sink *sink, struct file *file);
void hwpmc_sink_exit(struct hwpmc_sink *sink);
bool hwpmc_sink_ready(const struct hwpmc_sink *sink);
size_t hwpmc_sink_step(const struct hwpmc_sink *sink);
size_t hwpmc_sink_write(struct hwpmc_sink *sink, const void *from, size_t size, int *error);
bool hwpmc_sink_rewind(struct hwpmc_sink *sink, u32 *length, u64 *dropped);
void hwpmc_sink_move(struct hwpmc_sink *sink);

#endif /* HWPMC_SINK_H */
