/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What holds for the whole module. Calls and includes go one way, from the top of this list
 * to its end (tests/check-house). Structures, and what works on them, are in headers of each
 * part:
 *
 *	main.h			the top: main.c, cdev.c, ioctl.c, hotplug.c
 *	call/call.h		the calls, and what they share
 *	task/task.h		threads that are followed, their hooks, and the switch
 *	task/target.h		attaching and detaching
 *	task/process.h		records of processes, mappings and modules
 *	pmc/pmc.h		an allocated counter
 *	pmc/id.h		its handle
 *	pmc/row.h		what the machine has
 *	pmc/context.h		what counts together: a thread, or a CPU
 *	pmc/link.h		one counter in one context; a target
 *	pmc/walk.h		walks along many links
 *	pmc/period.h		when a sample is due
 *	pmc/throttle.h		how much of a CPU goes into samples
 *	pmc/sampler.h		taking a sample, and counts of samples
 *	log/log.h		rings and records
 *	base/owner.h		an open file of /dev/hwpmc, and its errors
 *	base/rights.h		who may count what
 *	base/defer.h		overflows that are deferred
 *	base/stat.h		statistics
 *	base/param.h		parameters with bounds
 *	compat/compat.h		differences between kernels
 *
 * Lock order: owner->lock, then hwpmc_rows_lock, then one of hwpmc_maps_lock,
 * hwpmc_probes_lock and hwpmc_hook_lock (under each, probes are registered, which
 * takes locks of the kernel's), then cpus_read_lock(), then hwpmc_link_lock; the
 * last is raw, taken with interrupts off, also in interrupts, and never under a
 * runqueue's lock: sched_out and the sched_switch probe take no lock at all. No
 * cross-call is made under it. hwpmc_loggers_lock is taken under owner->lock, and
 * nothing under it; rings->mapping under the lock of a process's memory, and nothing of
 * ours under it.
 *
 * A count's way: a PMC has links, one for each context it counts in; a context
 * (a thread, or a CPU for system-wide PMCs) has one slot a row, into which the
 * class folds; a link remembers where the slot stood when it came.
 */
#ifndef HWPMC_H
#define HWPMC_H

#include <linux/cpumask.h>
#include <linux/nospec.h>
#include <linux/types.h>

/**
 * hwpmc_cpu_exists - whether a caller's number is that of a CPU that can be
 * @cpu: the number; where the answer is yes it is one in speculation, too
 */
static inline bool hwpmc_cpu_exists(u32 *cpu)
{
	if (*cpu >= nr_cpu_ids)
		return false;
	*cpu = array_index_nospec(*cpu, nr_cpu_ids);
	return cpu_possible(*cpu);
}

/* Kinds of counters one machine has at once; known when it is compiled. */
#define HWPMC_MAX_CLASSES	8

#endif /* HWPMC_H */
