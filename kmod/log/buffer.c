// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of rings: allocated for an owner, charged to its user, freed. buffer_mmap.c maps it,
 * reader.c reads it.
 *
 * Called by the RING and LOG_OPEN ioctls and when the device's file is closed, in process context.
 * hwpmc_buffer_wake_nmi() runs wherever records are written.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <hwpmc_arch_inline.h>

#include "../base/defer.h"
#include "../base/owner.h"
#include "../base/param.h"
#include "../base/stat.h"
#include "../compat/compat.h"
#include "charge.h"
#include "log.h"
#include "ring.h"

#define HWPMC_RING_MAX		SZ_1G

static struct hwpmc_param ring_kb = {
	.value = 512, .least = PAGE_SIZE / SZ_1K, .most = HWPMC_RING_MAX / SZ_1K,
};
module_param_cb(ring_kb, &hwpmc_param_ops, &ring_kb, 0644);
MODULE_PARM_DESC(ring_kb,
		 "default size of a CPU's ring, in KiB; smaller rings if the user may not have as much memory (default 512, a page..1048576)");

/* The largest size, at most the parameter ring_kb, of which current's user may have rings. */
static u64 hwpmc_buffer_fitting(void)
{
	u64 size = roundup_pow_of_two((u64)READ_ONCE(ring_kb.value) * SZ_1K);
	unsigned long room = hwpmc_charge_room() / num_possible_cpus();

	while (size > PAGE_SIZE && hwpmc_buffer_stride(size) >> PAGE_SHIFT > room)
		size /= 2;
	return size;
}

/**
 * hwpmc_buffer_sizes - replace sizes of 0 by the defaults
 * @size: of each CPU's data, in bytes; 0 becomes the module parameter ring_kb, or less if
 *	current's user may not have as much memory
 * @watermark: in bytes; 0 becomes half of @size
 *
 * First waits until the memory of the user's closed files is free. Context: may sleep.
 */
void hwpmc_buffer_sizes(u64 *size, u64 *watermark)
{
	hwpmc_charge_wait();
	if (!*size)
		*size = hwpmc_buffer_fitting();
	if (!*watermark)
		*watermark = *size / 2;
}

/* The time after a wake-up in which the watermark does not cause another one. */
#define HWPMC_BUFFER_HOLDOFF	(100 * NSEC_PER_USEC)

/*
 * Overflows are deferred, so events of probes in the functions that this calls are skipped: their
 * records would wake the waiters again.
 */
static void hwpmc_buffer_wake_now(struct hwpmc_buffer *buffer)
{
	unsigned long flags;

	local_irq_save(flags);
	hwpmc_defer_begin();
	WRITE_ONCE(buffer->woken_lost, READ_ONCE(buffer->ring.header->lost));
	wake_up_all(&buffer->owner->waiters);
	/* In a work item, since sending SIGIO takes locks that are held with interrupts on. */
	if (READ_ONCE(buffer->owner->async))
		hwpmc_owner_notify(buffer->owner);
	hwpmc_defer_end();
	local_irq_restore(flags);
}

static void hwpmc_buffer_wake(struct irq_work *work)
{
	struct hwpmc_buffer *buffer = container_of(work, struct hwpmc_buffer, wake);

	hwpmc_buffer_wake_now(buffer);
	WRITE_ONCE(buffer->in_holdoff, true);
	hrtimer_start(&buffer->holdoff, ns_to_ktime(HWPMC_BUFFER_HOLDOFF),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* Whether the unread records reach the watermark, and waiters were not woken for them before. */
static bool hwpmc_buffer_reached(struct hwpmc_buffer *buffer)
{
	u64 used = hwpmc_ring_used(&buffer->ring), head = READ_ONCE(buffer->ring.header->head);
	u64 since = head - READ_ONCE(buffer->woken), watermark = buffer->owner->rings->watermark;

	if (used < watermark || (since <= used && used - since >= watermark))
		return false;
	WRITE_ONCE(buffer->woken, head);
	return true;
}

static enum hrtimer_restart hwpmc_buffer_holdoff_end(struct hrtimer *timer)
{
	struct hwpmc_buffer *buffer = container_of(timer, struct hwpmc_buffer, holdoff);

	WRITE_ONCE(buffer->in_holdoff, false);
	/*
	 * An NMI after the store wakes waiters itself. The records of an NMI before the store are
	 * seen here.
	 */
	barrier();
	if (!hwpmc_buffer_reached(buffer) &&
	    READ_ONCE(buffer->ring.header->lost) == buffer->woken_lost)
		return HRTIMER_NORESTART;
	hwpmc_buffer_wake_now(buffer);
	WRITE_ONCE(buffer->in_holdoff, true);
	hrtimer_forward_now(timer, ns_to_ktime(HWPMC_BUFFER_HOLDOFF));
	return HRTIMER_RESTART;
}

/**
 * hwpmc_buffer_wake_nmi - wake waiters if the unread records reach the watermark
 * @buffer: of this CPU
 *
 * Wakes them once each time the watermark is reached, and not again before the records of the last
 * wake-up were read. For HWPMC_BUFFER_HOLDOFF after a wake-up a timer does that instead: if a
 * function that ends an interrupt is probed, the interrupt of each wake-up would write a record
 * that causes the next wake-up. Context: any, NMI included, on the ring's CPU.
 */
void hwpmc_buffer_wake_nmi(struct hwpmc_buffer *buffer)
{
	if (!READ_ONCE(buffer->in_holdoff) && hwpmc_buffer_reached(buffer))
		irq_work_queue(&buffer->wake);
}

/**
 * hwpmc_buffer_wake_lost_nmi - wake waiters because a record was lost
 * @buffer: of this CPU
 *
 * As hwpmc_buffer_wake_nmi(), but also below the watermark.
 */
void hwpmc_buffer_wake_lost_nmi(struct hwpmc_buffer *buffer)
{
	if (!READ_ONCE(buffer->in_holdoff))
		irq_work_queue(&buffer->wake);
}

static struct hwpmc_buffer *hwpmc_buffer_new(struct hwpmc_owner *owner, u64 size, int cpu)
{
	struct hwpmc_buffer *buffer;
	int node = cpu_to_node(cpu);

	buffer = kzalloc_node(sizeof(*buffer), GFP_KERNEL_ACCOUNT, node);
	if (!buffer)
		return NULL;
	buffer->area = vzalloc_node(hwpmc_buffer_stride(size), node);
	if (!buffer->area) {
		kfree(buffer);
		return NULL;
	}
	buffer->owner = owner;
	init_irq_work(&buffer->wake, hwpmc_buffer_wake);
	hwpmc_hrtimer_setup(&buffer->holdoff, hwpmc_buffer_holdoff_end, CLOCK_MONOTONIC,
			    HRTIMER_MODE_REL_PINNED_HARD);
	hwpmc_ring_init(&buffer->ring, buffer->area + PAGE_SIZE, buffer->area,
			buffer->area + 2 * PAGE_SIZE, size, cpu);
	return buffer;
}

static void hwpmc_buffer_free(struct hwpmc_buffer *buffer)
{
	if (!buffer)
		return;
	vfree(buffer->area);
	kfree(buffer);
}

static int hwpmc_rings_charge(struct hwpmc_owner *owner, struct hwpmc_rings *rings)
{
	unsigned long pages = num_possible_cpus() * (rings->stride >> PAGE_SHIFT);
	int err = hwpmc_charge_add(&rings->charge, pages);

	if (err == -ENOMEM)
		return hwpmc_fail(owner, err, "out of memory; try again");
	if (err)
		return hwpmc_fail(owner, err,
				  "rings of %lu KiB are more than the %lu KiB that you may have: ask for smaller ones, or raise ulimit -l or the parameter mlock_kb",
				  pages << (PAGE_SHIFT - 10),
				  hwpmc_charge_room() << (PAGE_SHIFT - 10));
	return 0;
}

static void hwpmc_rings_free(struct hwpmc_rings *rings)
{
	unsigned int cpu;

	for (cpu = 0; cpu < rings->count; cpu++)
		hwpmc_buffer_free(rings->buffers[cpu]);
	hwpmc_charge_drop(&rings->charge);
	kvfree(rings);
}

static int hwpmc_rings_fill(struct hwpmc_owner *owner, struct hwpmc_rings *rings)
{
	int cpu, err = hwpmc_rings_charge(owner, rings);

	if (err)
		return err;
	for_each_possible_cpu(cpu) {
		rings->buffers[cpu] = hwpmc_buffer_new(owner, rings->size, cpu);
		if (!rings->buffers[cpu])
			return hwpmc_fail(owner, -ENOMEM,
					  "out of memory for rings of %llu KiB a CPU; ask for smaller ones",
					  rings->size / SZ_1K);
	}
	return 0;
}

static int hwpmc_buffer_check(struct hwpmc_owner *owner, u64 size, u64 watermark)
{
	if (owner->rings)
		return hwpmc_fail(owner, -EBUSY, "this open file already has rings: open the device again for others");
	if (!is_power_of_2(size) || size < PAGE_SIZE || size > HWPMC_RING_MAX)
		return hwpmc_fail(owner, -EINVAL,
				  "a ring's size is a power of two from %lu to %lu bytes; %llu is not",
				  PAGE_SIZE, (unsigned long)HWPMC_RING_MAX, size);
	if (watermark > size)
		return hwpmc_fail(owner, -EINVAL, "a watermark above the ring's size is never reached: ask for a smaller one");
	return 0;
}

/**
 * hwpmc_buffer_create - create the rings of an owner
 * @owner: whose rings; owner->lock held
 * @size: of each CPU's data, in bytes; 0 for the default
 * @watermark: in bytes; 0 for half of @size
 * @reader: the only reader; HWPMC_READER_NONE: the first one that reads
 *
 * Context: may sleep. Return: 0, or an error of HWPMC_IOC_RING.
 */
int hwpmc_buffer_create(struct hwpmc_owner *owner, u64 size, u64 watermark,
			enum hwpmc_reader reader)
{
	struct hwpmc_rings *rings;
	int err;

	hwpmc_buffer_sizes(&size, &watermark);
	hwpmc_stat_inc(HWPMC_STAT_BUFFER_REQUESTS);
	err = hwpmc_buffer_check(owner, size, watermark);
	if (err)
		goto fail;
	rings = kvzalloc(struct_size(rings, buffers, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!rings) {
		err = hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
		goto fail;
	}
	rings->count = nr_cpu_ids;
	rings->size = size;
	rings->watermark = watermark;
	rings->stride = hwpmc_buffer_stride(size);
	mutex_init(&rings->mapping);
	rings->made = ktime_get_mono_fast_ns();
	err = hwpmc_rings_fill(owner, rings);
	if (err) {
		hwpmc_rings_free(rings);
		goto fail;
	}
	hwpmc_reader_claim(rings, reader);
	/* Release: probes and mmap(2) must find it complete. */
	smp_store_release(&owner->rings, rings);
	hwpmc_loggers_add(owner);
	rings->listed = true;
	return 0;
fail:
	hwpmc_stat_inc(HWPMC_STAT_BUFFER_FAILURES);
	return err;
}

/**
 * hwpmc_buffer_end - stop all writers of an owner's rings
 * @owner: its file is closed and its PMCs are released; it may have no rings
 *
 * Waits for a grace period. Context: may sleep.
 */
void hwpmc_buffer_end(struct hwpmc_owner *owner)
{
	struct hwpmc_rings *rings = owner->rings;

	if (!rings || !rings->listed)
		return;
	hwpmc_loggers_remove(owner);
	synchronize_rcu();
	rings->listed = false;
}

/**
 * hwpmc_buffer_destroy - free the rings of an owner, if it has any
 * @owner: whose file is closed; its PMCs are released, and its log has ended
 *
 * Context: may sleep.
 */
void hwpmc_buffer_destroy(struct hwpmc_owner *owner)
{
	struct hwpmc_rings *rings = owner->rings;
	unsigned int cpu;

	if (!rings)
		return;
	hwpmc_buffer_end(owner);
	for (cpu = 0; cpu < rings->count; cpu++)
		if (rings->buffers[cpu]) {
			irq_work_sync(&rings->buffers[cpu]->wake);
			hrtimer_cancel(&rings->buffers[cpu]->holdoff);
		}
	cancel_work_sync(&owner->notify);
	hwpmc_rings_free(rings);
}
