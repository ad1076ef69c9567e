/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings and records as the rest of the module uses them. kmod/log/ calls nobody
 * above it but for what struct hwpmc_owner and struct hwpmc_pmc hold.
 */
#ifndef HWPMC_LOG_INTERNAL_H
#define HWPMC_LOG_INTERNAL_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <uapi/linux/hwpmc_log.h>

#include "ring.h"

struct file;
struct hwpmc_link;
struct hwpmc_owner;
struct hwpmc_pmc;
struct hwpmc_thread;
struct pid;
struct pt_regs;
struct task_struct;
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

/**
 * struct hwpmc_sampler_cpu - what became of a PMC's samples on a CPU
 * @recorded: in the ring
 * @lost: not
 * @reported: of these, told by DROP records
 * @throttles: how often throttled
 * @events: all samples stood for
 * @loss: not reported yet
 * @window: in which it sampled last here (hwpmc_window.begin)
 * @taken: its samples there
 *
 * Written on this CPU by one context at a time: see hwpmc_cpu.changing.
 */
struct hwpmc_sampler_cpu {
	u64 recorded;
	u64 lost;
	u64 reported;
	u64 throttles;
	u64 events;
	struct hwpmc_loss loss;
	u64 window;
	unsigned int taken;
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
void hwpmc_record_allocate(const struct hwpmc_pmc *pmc);
void hwpmc_record_attach(const struct hwpmc_pmc *pmc, struct pid *pid, bool single, u16 type);
void hwpmc_record_value(const struct hwpmc_link *link, u64 value, u16 type);
int hwpmc_record_user(struct hwpmc_owner *owner, u32 cookie, const char *text, u32 length);
void hwpmc_record_flush(struct hwpmc_owner *owner);
void hwpmc_record_forget(struct hwpmc_pmc *pmc);

/* kmod/log/sample.c */
int hwpmc_sample_init(void);
void hwpmc_sample_exit(void);
void hwpmc_sample_take_nmi(struct hwpmc_link *link, u64 events, struct pt_regs *regs, bool late,
			   u64 now);
void hwpmc_sample_throttle_nmi(struct hwpmc_link *link, bool on);
bool hwpmc_sample_drop_nmi(struct hwpmc_pmc *pmc, struct hwpmc_buffer *buffer, int cpu, u64 now);
void hwpmc_sample_sum(const struct hwpmc_pmc *pmc, int cpu, struct hwpmc_sampler_cpu *sum);

/* kmod/log/process.c */
void hwpmc_loggers_add(struct hwpmc_owner *owner);
void hwpmc_loggers_remove(struct hwpmc_owner *owner);
typedef void (*hwpmc_process_fn)(struct hwpmc_owner *owner, struct task_struct *task, void *arg);
void hwpmc_process_tell(struct task_struct *task, hwpmc_process_fn write, void *arg);
void hwpmc_process_tell_kernel(void (*write)(struct hwpmc_owner *owner, void *arg), void *arg);
void hwpmc_process_fork(struct task_struct *child);
void hwpmc_process_comm(struct task_struct *task, const char *comm);
void hwpmc_process_exec(struct task_struct *task, const char *path);
void hwpmc_process_exit(struct task_struct *task);
int hwpmc_process_snapshot(struct hwpmc_owner *owner, bool all);

/* kmod/log/build_id.c */
u32 hwpmc_build_id_parse(const void *page, u8 *id);
u32 hwpmc_build_id_find(const struct vm_area_struct *vma, u8 *id);

/* kmod/log/maps.c */
int hwpmc_maps_get(void);
void hwpmc_maps_put(void);
void hwpmc_maps_exec(void);
void hwpmc_maps_tell_out(u64 start, u64 size);
struct hwpmc_map_draft;
struct hwpmc_map_draft *hwpmc_maps_draft(void);
void hwpmc_maps_put_in(struct hwpmc_owner *owner, s32 pid, const struct vm_area_struct *vma,
		       struct hwpmc_map_draft *draft);

/* kmod/log/modules.c */
int hwpmc_modules_register(void);
void hwpmc_modules_unregister(void);

/* kmod/log/begin.c */
void hwpmc_begin_fill(struct hwpmc_log_initialize *record, u64 time);
void hwpmc_begin_tell(struct hwpmc_owner *owner);

/* kmod/log/peer.c */
int hwpmc_peer_get(struct hwpmc_owner *owner, int fd, struct file **out);

/* kmod/log/writer.c */
struct hwpmc_writer;
int hwpmc_writer_open(struct hwpmc_owner *owner, int fd);
int hwpmc_writer_flush(struct hwpmc_owner *owner);
int hwpmc_writer_close(struct hwpmc_owner *owner);
void hwpmc_writer_leave(struct hwpmc_writer *writer);
int hwpmc_writer_error(struct hwpmc_owner *owner);

#endif /* HWPMC_LOG_INTERNAL_H */
