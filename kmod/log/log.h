/* SPDX-License-Identifier: GPL-2.0-only */
/* Rings and records as the rest of the module uses them. It knows owners, but no PMCs. */
#ifndef HWPMC_LOG_INTERNAL_H
#define HWPMC_LOG_INTERNAL_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <uapi/linux/hwpmc_log.h>

#include "ring.h"

struct file;
struct poll_table_struct;
struct work_struct;
struct hwpmc_owner;
struct user_struct;
struct vm_area_struct;

/**
 * struct hwpmc_loss - records that found no room since the last DROP record
 * @count: how many
 * @first: when the first was, in ns
 * @last: when the last was
 * @events: that lost samples stood for
 */
struct hwpmc_loss {
	u64 count;
	u64 first;
	u64 last;
	u64 events;
};

/**
 * struct hwpmc_buffer - the ring of one owner and CPU
 * @ring: its producer side
 * @area: tail page, header page, data
 * @own_tail: the tail if the kernel reads
 * @owner: whose
 * @loss: of records that belong to no PMC, or to one that is gone
 * @wake: tells waiters, from contexts that cannot
 * @woken: head when it last did
 */
struct hwpmc_buffer {
	struct hwpmc_producer ring;
	void *area;
	u64 own_tail;
	struct hwpmc_owner *owner;
	struct hwpmc_loss loss;
	struct irq_work wake;
	u64 woken;
};

/* Who moves the tails: decided once, by the first who wants to. */
enum hwpmc_reader { HWPMC_READER_NONE, HWPMC_READER_MAPPED, HWPMC_READER_KERNEL };

/**
 * struct hwpmc_rings - all rings of an owner
 * @count: one for each CPU number below
 * @size: of each one's data
 * @watermark: see struct hwpmc_ring of the uapi
 * @stride: of the device's offsets
 * @reader: enum hwpmc_reader; changed by cmpxchg, once; back by a first mapping that fails
 * @mapping: one is mapped at a time, so that what is first is known
 * @made: when, ktime in ns
 * @begun: read(2) has given INITIALIZE; owner->lock
 * @user: whom the memory is charged to
 * @pages: how much
 * @buffers: by CPU number; NULL where no CPU can be
 *
 * Made once, gone with the owner: whoever can reach the owner can use them.
 */
struct hwpmc_rings {
	unsigned int count;
	u64 size;
	u64 watermark;
	u64 stride;
	enum hwpmc_reader reader;
	struct mutex mapping;	/* of mmap(2) */
	u64 made;
	bool begun;
	struct user_struct *user;
	unsigned long pages;
	struct hwpmc_buffer *buffers[];
};

/* kmod/log/buffer.c */
/* Of one ring in the file, in bytes: the tail's page, the header's, the data. */
static inline u64 hwpmc_buffer_stride(u64 size)
{
	return 2 * PAGE_SIZE + size;
}

void hwpmc_buffer_sizes(u64 *size, u64 *watermark);
int hwpmc_buffer_create(struct hwpmc_owner *owner, u64 size, u64 watermark,
			enum hwpmc_reader reader);
void hwpmc_buffer_destroy(struct hwpmc_owner *owner);
int hwpmc_buffer_claim(struct hwpmc_rings *rings, enum hwpmc_reader reader);
int hwpmc_buffer_mmap(struct hwpmc_owner *owner, struct vm_area_struct *vma);
bool hwpmc_buffer_ready(struct hwpmc_owner *owner, bool any);
void hwpmc_buffer_wake_nmi(struct hwpmc_buffer *buffer);
void *hwpmc_buffer_next(struct hwpmc_buffer *buffer, u64 room, u64 *size);
void hwpmc_buffer_done(struct hwpmc_buffer *buffer, u64 size);
ssize_t hwpmc_buffer_read(struct hwpmc_owner *owner, char __user *to, size_t size);

/* kmod/log/record.c */
void hwpmc_record_loss(struct hwpmc_loss *loss, struct hwpmc_buffer *buffer, u64 now, u64 events);
bool hwpmc_record_drop_nmi(struct hwpmc_buffer *buffer, u32 id, struct hwpmc_loss *loss, u64 now);
void hwpmc_record_lose(struct hwpmc_owner *owner);
void hwpmc_record_lose_nmi(struct hwpmc_buffer *buffer, u64 now);
bool hwpmc_record_or_lose_nmi(struct hwpmc_buffer *buffer, void *record, u16 type, u32 id,
			      u64 now);
void hwpmc_record_put(struct hwpmc_owner *owner, void *record, size_t size, u16 type, u32 id);
int hwpmc_record_user(struct hwpmc_owner *owner, u32 cookie, const char *text, u32 length);
void hwpmc_record_initialize(struct hwpmc_log_initialize *record, u64 time);

/* kmod/log/loggers.c */
extern struct list_head hwpmc_loggers;
void hwpmc_loggers_add(struct hwpmc_owner *owner);
void hwpmc_loggers_remove(struct hwpmc_owner *owner);

/* kmod/log/notify.c */
void hwpmc_notify_work(struct work_struct *work);
__poll_t hwpmc_notify_poll(struct hwpmc_owner *owner, struct poll_table_struct *wait);

/* kmod/log/output.c */
int hwpmc_output_get(struct hwpmc_owner *owner, int fd, struct file **out);

/* kmod/log/writer.c */
struct hwpmc_writer;
int hwpmc_writer_open(struct hwpmc_owner *owner, int fd);
int hwpmc_writer_flush(struct hwpmc_owner *owner);
int hwpmc_writer_close(struct hwpmc_owner *owner, void (*flush)(struct hwpmc_owner *owner));
void hwpmc_writer_abandon(struct hwpmc_writer *writer);
int hwpmc_writer_error(struct hwpmc_owner *owner);

#endif /* HWPMC_LOG_INTERNAL_H */
