// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records about a PMC, written to its owner's rings: ALLOCATE, ATTACH, DETACH, SWITCH, VALUE.
 * Called by call/, task/attach.c and task/target.c in process context, by the probe of exec
 * (task/life.c) with raw spinlocks held, and by period.c for the counts of threads, at context
 * switches among others.
 */
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "../log/log.h"
#include "link.h"
#include "pid.h"
#include "pmc.h"

/**
 * hwpmc_emit_allocate - write an ALLOCATE record, if the owner has rings
 * @pmc: the PMC; its id is published
 *
 * Context: process, owner->lock held.
 */
void hwpmc_emit_allocate(const struct hwpmc_pmc *pmc)
{
	struct hwpmc_log_allocate record = {
		.class_id = pmc->class->id,
		.mode = pmc->mode,
		.flags = pmc->flags,
		.caps = pmc->caps,
		.event = pmc->event,
		.count = pmc->first_count,
		.target_cpu = pmc->cpu,
		.row = pmc->row,
	};

	if (pmc->owner->rings)
		hwpmc_record_put(pmc->owner, &record, sizeof(record), HWPMC_LOG_ALLOCATE, pmc->id);
}

/**
 * hwpmc_emit_attach - write an ATTACH or DETACH record, if the owner has rings
 * @pmc: a virtual PMC
 * @pid: the target: a process, or a thread if @single
 * @single: only the thread @pid is followed
 * @type: HWPMC_LOG_ATTACH or HWPMC_LOG_DETACH
 *
 * The record's pid is -1 if the target is not visible in the owner's PID namespace, or if it is
 * a single thread that is gone. Context: process, owner->lock held.
 */
void hwpmc_emit_attach(const struct hwpmc_pmc *pmc, struct pid *pid, bool single, u16 type)
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

/**
 * hwpmc_emit_lost - write a DETACH record for a target that exec ended, since it may not be
 * followed
 * @link: the PMC and the thread, which is current
 *
 * Readers are woken: the owner may have other targets, and then nothing else reports it.
 * Context: interrupts off; the locks of the context and of the owner may be held.
 */
void hwpmc_emit_lost(const struct hwpmc_link *link)
{
	struct hwpmc_owner *owner = link->pmc->owner;
	struct hwpmc_log_attach record = { .h.flags = HWPMC_DETACH_LOST };

	/* Pairs with the release in hwpmc_buffer_create(). */
	if (!smp_load_acquire(&owner->rings))
		return;
	hwpmc_pid_numbers(owner, link->thread, &record.pid, &record.tid);
	if (!link->target->single)
		record.tid = 0;
	hwpmc_record_put(owner, &record, sizeof(record), HWPMC_LOG_DETACH, link->pmc->id);
	hwpmc_reader_wake(owner);
}

/**
 * hwpmc_emit_value - write a SWITCH or VALUE record: what a PMC counted in a thread
 * @link: the PMC and the thread, which is current or exiting; the owner has rings, since the PMC
 *	was started
 * @value: in events
 * @type: HWPMC_LOG_SWITCH or HWPMC_LOG_VALUE
 *
 * Context: interrupts off; the owner's link_lock or the runqueue's lock may be held.
 */
void hwpmc_emit_value(const struct hwpmc_link *link, u64 value, u16 type)
{
	struct hwpmc_log_value record = { .value = value };

	hwpmc_pid_numbers(link->pmc->owner, link->thread, &record.pid, &record.tid);
	hwpmc_record_put(link->pmc->owner, &record, sizeof(record), type, link->pmc->id);
}
