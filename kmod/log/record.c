// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records into rings, and the count of those that found no room. A loss is told
 * by a DROP record before the next record of the same kind, or at the latest
 * when the owner flushes.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "../../arch/hwpmc_arch.h"
#include "../pmc/context.h"
#include "../pmc/link.h"
#include "../pmc/owner.h"
#include "../pmc/pmc.h"
#include "log.h"
#include "pid.h"
#include "ring.h"

/**
 * hwpmc_record_nmi - write one record
 * @buffer: of this CPU
 * @record: whole, its header's length set; the rest of the header is set here
 * @type: enum hwpmc_log_type
 * @id: the PMC it is about, or 0
 * @now: when, in ns
 *
 * Return: false if there was no room, which the caller counts. Context: any,
 * preemption off.
 */
static bool hwpmc_record_nmi(struct hwpmc_buffer *buffer, void *record, u16 type, u32 id, u64 now)
{
	struct hwpmc_log_header *header = record;
	void *to;

	header->type = type;
	header->id = id;
	header->cpu = buffer->ring.header->cpu;
	header->time = now;
	hwpmc_ring_enter(&buffer->ring);
	to = hwpmc_ring_reserve_nmi(&buffer->ring, header->length);
	if (to)
		memcpy(to, record, header->length);
	hwpmc_ring_leave_nmi(&buffer->ring);
	hwpmc_buffer_wake_nmi(buffer);
	return to;
}

/*
 * One more that found no room; @buffer's ring is entered. The first is news to readers,
 * however far off their watermark is: what waits may be less, and nothing more comes.
 */
void hwpmc_record_loss(struct hwpmc_loss *loss, struct hwpmc_buffer *buffer, u64 now, u64 events)
{
	local_inc(&buffer->ring.lost);
	if (!loss->count++) {
		loss->first = now;
		irq_work_queue(&buffer->wake);
	}
	loss->last = now;
	loss->events += events;
}

static void hwpmc_record_merge(struct hwpmc_loss *to, const struct hwpmc_loss *loss)
{
	to->first = to->count ? min(to->first, loss->first) : loss->first;
	to->last = max(to->last, loss->last);
	to->count += loss->count;
	to->events += loss->events;
}

/*
 * Tell of @loss, if there is any and there is room. What nests must not touch @loss. @now
 * is no later than what is recorded next: a ring is in order of time.
 */
bool hwpmc_record_drop_nmi(struct hwpmc_buffer *buffer, u32 id, struct hwpmc_loss *loss, u64 now)
{
	struct hwpmc_log_drop record = {
		.h.length = sizeof(record),
		.lost = loss->count,
		.first = loss->first,
		.last = loss->last,
		.events = loss->events,
	};

	if (!loss->count)
		return true;
	if (!hwpmc_record_nmi(buffer, &record, HWPMC_LOG_DROP, id, now))
		return false;
	/* For readers of the header to see now, not with the next record. */
	hwpmc_ring_enter(&buffer->ring);
	local_add(loss->count, &buffer->ring.reported);
	hwpmc_ring_leave_nmi(&buffer->ring);
	*loss = (struct hwpmc_loss){};
	return true;
}

/* A record that is no sample found no room. Context: as hwpmc_record_or_lose_nmi(). */
void hwpmc_record_lose_nmi(struct hwpmc_buffer *buffer, u64 now)
{
	hwpmc_ring_enter(&buffer->ring);
	hwpmc_record_loss(&buffer->loss, buffer, now, 0);
	hwpmc_ring_leave_nmi(&buffer->ring);
}

/**
 * hwpmc_record_or_lose_nmi - write one record that is no sample, or count it as lost
 * @buffer: of this CPU
 * @record: see hwpmc_record_nmi()
 * @type: enum hwpmc_log_type
 * @id: the PMC it is about, or 0
 * @now: when, in ns
 *
 * Return: false if it was lost. Context: interrupts off, the CPU's contexts marked as
 * changing, so that nobody else touches @buffer->loss; maybe NMI.
 */
bool hwpmc_record_or_lose_nmi(struct hwpmc_buffer *buffer, void *record, u16 type, u32 id,
			      u64 now)
{
	if (hwpmc_record_drop_nmi(buffer, 0, &buffer->loss, now) &&
	    hwpmc_record_nmi(buffer, record, type, id, now))
		return true;
	hwpmc_record_lose_nmi(buffer, now);
	return false;
}

/* Something to be told could not be looked at. Context: any but NMI. */
void hwpmc_record_lose(struct hwpmc_owner *owner)
{
	unsigned long flags;

	local_irq_save(flags);
	hwpmc_changing_begin();
	hwpmc_record_lose_nmi(owner->rings->buffers[smp_processor_id()], ktime_get_mono_fast_ns());
	hwpmc_changing_end();
	local_irq_restore(flags);
}

static bool hwpmc_record_try(struct hwpmc_owner *owner, void *record, size_t size, u16 type, u32 id)
{
	struct hwpmc_log_header *header = record;
	struct hwpmc_buffer *buffer;
	unsigned long flags;
	bool done;

	header->length = size;
	local_irq_save(flags);
	hwpmc_changing_begin();
	buffer = owner->rings->buffers[smp_processor_id()];
	done = hwpmc_record_or_lose_nmi(buffer, record, type, id, ktime_get_mono_fast_ns());
	hwpmc_changing_end();
	local_irq_restore(flags);
	return done;
}

/**
 * hwpmc_record_put - write one record, or count that it was lost
 * @owner: which has rings
 * @record: see hwpmc_record_nmi()
 * @size: of it, in bytes
 * @type: enum hwpmc_log_type
 * @id: the PMC it is about, or 0
 *
 * Context: any but NMI.
 */
void hwpmc_record_put(struct hwpmc_owner *owner, void *record, size_t size, u16 type, u32 id)
{
	hwpmc_record_try(owner, record, size, type, id);
}

void hwpmc_record_allocate(const struct hwpmc_pmc *pmc)
{
	struct hwpmc_log_allocate record = {
		.class_id = pmc->class->id,
		.mode = pmc->mode,
		.flags = pmc->flags,
		.caps = pmc->caps,
		.event = pmc->event,
		.count = pmc->count,
		.target_cpu = pmc->cpu,
		.row = pmc->row,
	};

	if (pmc->owner->rings)
		hwpmc_record_put(pmc->owner, &record, sizeof(record), HWPMC_LOG_ALLOCATE, pmc->id);
}

void hwpmc_record_attach(const struct hwpmc_pmc *pmc, struct pid *pid, bool single, u16 type)
{
	struct pid_namespace *ns = pmc->owner->pid_ns;
	struct hwpmc_log_attach record = { .pid = hwpmc_pid_shown(pid_nr_ns(pid, ns)) };
	struct task_struct *task;

	if (!pmc->owner->rings)
		return;
	if (single) {
		record.tid = record.pid;
		rcu_read_lock();
		task = pid_task(pid, PIDTYPE_PID);
		record.pid = hwpmc_pid_shown(task ? task_tgid_nr_ns(task, ns) : 0);
		rcu_read_unlock();
	}
	hwpmc_record_put(pmc->owner, &record, sizeof(record), type, pmc->id);
}

/* Of current, or of a thread that exits. Context: interrupts off, maybe the runqueue's lock. */
void hwpmc_record_value(const struct hwpmc_link *link, u64 value, u16 type)
{
	struct hwpmc_log_value record = { .value = value };

	hwpmc_pid_numbers(link->pmc->owner, link->thread, &record.pid, &record.tid);
	hwpmc_record_put(link->pmc->owner, &record, sizeof(record), type, link->pmc->id);
}

/* @text in kernel memory. Return: -ENOSPC if it was lost, -EMSGSIZE if no ring could hold it. */
int hwpmc_record_user(struct hwpmc_owner *owner, u32 cookie, const char *text, u32 length)
{
	size_t size = ALIGN(sizeof(struct hwpmc_log_user) + length + 1, 8);
	struct hwpmc_log_user *record;
	bool done;

	if (size > owner->rings->size)
		return -EMSGSIZE;
	record = kzalloc(size, GFP_KERNEL);
	if (!record)
		return -ENOMEM;
	record->cookie = cookie;
	if (length) {
		record->text_offset = sizeof(*record);
		memcpy(record + 1, text, length);
	}
	done = hwpmc_record_try(owner, record, size, HWPMC_LOG_USER, 0);
	kfree(record);
	return done ? 0 : -ENOSPC;
}

/* What is told on a CPU, and of whom. */
struct hwpmc_record_telling {
	struct hwpmc_owner *owner;
	struct hwpmc_pmc *pmc;
	int cpu;
};

/* On each ring's CPU; for those that are offline, where nobody writes, from here. */
static void hwpmc_record_on_each_cpu(struct hwpmc_record_telling *it, smp_call_func_t tell)
{
	unsigned long flags;

	cpus_read_lock();
	for_each_possible_cpu(it->cpu) {
		if (cpu_online(it->cpu)) {
			smp_call_function_single(it->cpu, tell, it, 1);
			continue;
		}
		local_irq_save(flags);
		tell(it);
		local_irq_restore(flags);
	}
	cpus_read_unlock();
}

static void hwpmc_record_flush_cpu(void *arg)
{
	const struct hwpmc_record_telling *it = arg;
	struct hwpmc_buffer *buffer = it->owner->rings->buffers[it->cpu];
	unsigned int i;
	u64 now;

	hwpmc_changing_begin();
	now = ktime_get_mono_fast_ns();
	hwpmc_record_drop_nmi(buffer, 0, &buffer->loss, now);
	for (i = 0; i < it->owner->room; i++) {
		struct hwpmc_pmc *pmc = it->owner->pmcs[i];

		if (pmc && pmc->sampled)
			hwpmc_sample_drop_nmi(pmc, buffer, it->cpu, now);
	}
	hwpmc_changing_end();
}

/**
 * hwpmc_record_flush - have all losses told, as far as there is room
 * @owner: which has rings; owner->lock
 *
 * Context: may sleep.
 */
void hwpmc_record_flush(struct hwpmc_owner *owner)
{
	struct hwpmc_record_telling it = { .owner = owner };

	hwpmc_record_on_each_cpu(&it, hwpmc_record_flush_cpu);
}

static void hwpmc_record_forget_cpu(void *arg)
{
	const struct hwpmc_record_telling *it = arg;
	struct hwpmc_buffer *buffer = it->owner->rings->buffers[it->cpu];
	struct hwpmc_loss *loss = &per_cpu_ptr(it->pmc->sampled, it->cpu)->loss;

	hwpmc_changing_begin();
	hwpmc_sample_drop_nmi(it->pmc, buffer, it->cpu, ktime_get_mono_fast_ns());
	if (loss->count)
		hwpmc_record_merge(&buffer->loss, loss);
	hwpmc_changing_end();
}

/**
 * hwpmc_record_forget - a PMC goes, and its losses are told all the same
 * @pmc: samples, and is off every CPU; owner->lock
 *
 * Where there is no room now they become losses of no PMC. Context: may sleep.
 */
void hwpmc_record_forget(struct hwpmc_pmc *pmc)
{
	struct hwpmc_record_telling it = { .owner = pmc->owner, .pmc = pmc };
	struct hwpmc_sampler_cpu sum;

	hwpmc_sample_sum(pmc, -1, &sum);
	if (sum.lost != sum.reported)
		hwpmc_record_on_each_cpu(&it, hwpmc_record_forget_cpu);
}
