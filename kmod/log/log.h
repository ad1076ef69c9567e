/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations of kmod/log/: rings, records, the writer of logs. Used by the rest of the
 * module. kmod/log/ handles owners, and no PMCs.
 */
#ifndef HWPMC_LOG_INTERNAL_H
#define HWPMC_LOG_INTERNAL_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <uapi/linux/hwpmc_log.h>

#include "charge.h"
#include "ring.h"

struct file;
struct poll_table_struct;
struct work_struct;
struct hwpmc_owner;
struct vm_area_struct;

/**
 * struct hwpmc_loss - records that were lost since the last DROP record
 * @count: records
 * @first: time of the first, in ns
 * @last: time of the last, in ns
 * @events: events that lost samples stand for
 * @throttled: those of @count that were not written because their PMC was throttled
 */
struct hwpmc_loss {
	u64 count;
	u64 first;
	u64 last;
	u64 events;
	u64 throttled;
};

/**
 * struct hwpmc_buffer - the ring of one owner and CPU
 * @ring: its producer side
 * @area: tail page, header page, data
 * @own_tail: the tail if the kernel reads
 * @run: records that the last hwpmc_reader_next() found
 * @last: bytes of the last of these
 * @taken: records that the kernel read
 * @owner: whose ring
 * @loss: lost records that belong to no PMC, or to a PMC that was released
 * @wake: wakes waiters for code that runs where a wake-up is not possible
 * @woken: head at the last wake-up
 * @woken_lost: lost records at the last wake-up
 * @holdoff: expires HWPMC_BUFFER_HOLDOFF after a wake-up
 * @in_holdoff: @holdoff is started: the watermark causes no wake-up until it expires
 * @urgent: head after the last record that readers should read at once
 * @process_event: number of the last event of a process on this CPU that the owner has a record of;
 *	guarded as hwpmc_cpu.process_event
 */
struct hwpmc_buffer {
	struct hwpmc_producer ring;
	void *area;
	u64 own_tail;
	u64 run;
	u32 last;
	u64 taken;
	struct hwpmc_owner *owner;
	struct hwpmc_loss loss;
	struct irq_work wake;
	u64 woken;
	u64 woken_lost;
	struct hrtimer holdoff;
	bool in_holdoff;
	u64 urgent;
	u64 process_event;
};

/* The only reader, which moves the tails: set once, by the first mmap(2), read(2) or LOG_OPEN. */
enum hwpmc_reader { HWPMC_READER_NONE, HWPMC_READER_MAPPED, HWPMC_READER_KERNEL };

/**
 * struct hwpmc_rings - all rings of an owner
 * @count: CPU numbers are below this
 * @size: of each ring's data, in bytes
 * @watermark: see struct hwpmc_ring of the uapi
 * @stride: bytes between two rings in the offsets of the device's file
 * @reader: enum hwpmc_reader; set once by cmpxchg, and reset if the first mapping
 *	fails
 * @mapping: held while a ring is mapped, so that there is one first mapping
 * @made: creation time, ktime in ns
 * @begun: read(2) has returned INITIALIZE; owner->lock
 * @next: the CPU at whose ring the next read(2) begins; owner->lock
 * @listed: the owner is in hwpmc_loggers
 * @charge: the memory, charged to the owner's user
 * @buffers: by CPU number; NULL where no CPU is possible
 *
 * Created once and freed with the owner: code that holds the owner may use them.
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
	unsigned int next;
	bool listed;
	struct hwpmc_charge charge;
	struct hwpmc_buffer *buffers[];
};

/* kmod/log/buffer.c */
/** hwpmc_buffer_stride - size of a ring in the file, in bytes: tail page, header page, data */
static inline u64 hwpmc_buffer_stride(u64 size)
{
	return 2 * PAGE_SIZE + size;
}

void hwpmc_buffer_sizes(u64 *size, u64 *watermark);
int hwpmc_buffer_create(struct hwpmc_owner *owner, u64 size, u64 watermark,
			enum hwpmc_reader reader);
void hwpmc_buffer_end(struct hwpmc_owner *owner);
void hwpmc_buffer_destroy(struct hwpmc_owner *owner);
void hwpmc_buffer_wake_nmi(struct hwpmc_buffer *buffer);
void hwpmc_buffer_wake_lost_nmi(struct hwpmc_buffer *buffer);

/* kmod/log/buffer_mmap.c */
int hwpmc_buffer_mmap(struct hwpmc_owner *owner, struct vm_area_struct *vma);

/* kmod/log/reader.c */
int hwpmc_reader_claim(struct hwpmc_rings *rings, enum hwpmc_reader reader);
bool hwpmc_reader_ready(struct hwpmc_owner *owner, bool any);
void hwpmc_reader_wake(struct hwpmc_owner *owner);
void *hwpmc_reader_next(struct hwpmc_buffer *buffer, u64 room, u64 *size);
void hwpmc_reader_done(struct hwpmc_buffer *buffer, u64 size);
u64 hwpmc_reader_missing(const struct hwpmc_rings *rings);
ssize_t hwpmc_reader_read(struct hwpmc_owner *owner, char __user *to, size_t size);

/* kmod/log/record.c */
void hwpmc_record_loss(struct hwpmc_loss *loss, struct hwpmc_buffer *buffer, u64 now, u64 events);
void hwpmc_record_throttled(struct hwpmc_loss *loss, u64 first, u64 last, u64 count, u64 events);
bool hwpmc_record_drop_nmi(struct hwpmc_buffer *buffer, u32 id, struct hwpmc_loss *loss, u64 now);
void hwpmc_record_lose(struct hwpmc_owner *owner);
void hwpmc_record_lose_nmi(struct hwpmc_buffer *buffer, u64 now);
bool hwpmc_record_or_lose_nmi(struct hwpmc_buffer *buffer, void *record, u16 type, u32 id,
			      u64 now);
void hwpmc_record_put(struct hwpmc_owner *owner, void *record, size_t size, u16 type, u32 id);
int hwpmc_record_user(struct hwpmc_owner *owner, u32 cookie, const char *text, u32 length);
void hwpmc_record_initialize(struct hwpmc_log_initialize *record, u64 time);
bool hwpmc_record_drop_last(const struct hwpmc_buffer *buffer, struct hwpmc_log_drop *record);

/* kmod/log/closing.c */
void hwpmc_closing_add(struct hwpmc_owner *owner);
int hwpmc_closing_init(void);
void hwpmc_closing_exit(void);

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
void hwpmc_writer_drain(struct hwpmc_writer *writer);
int hwpmc_writer_error(struct hwpmc_owner *owner);

#endif /* HWPMC_LOG_INTERNAL_H */
