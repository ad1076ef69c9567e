/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The index of the module's headers, its lock order, and declarations for every part of kmod/.
 * docs/architecture.md is the map.
 *
 * The headers, by part. Calls and includes go one way, from the top of this list to its end
 * (tests/check-house):
 *
 *	main.h			the top: main.c, cdev.c, ioctl.c, hotplug.c, yield.c
 *	netlink/netlink.h	the generic netlink family: dumps, and notices for listeners
 *	call/call.h		one function for each ioctl, and what they share
 *	probe/probe.h		probes, and their providers
 *	task/task.h		thread records, the context switch, probes of process life
 *	task/hook.h		hooking: a thread record's notifier in its task's list
 *	task/target.h		attach and detach
 *	task/attach.h		an attach in progress
 *	task/descent.h		the descendants of a process
 *	task/adopt.h		new tasks of an attach that is in progress
 *	task/process.h		records of processes, mappings and modules
 *	pmc/pmc.h		an allocated counter: its life, state and value
 *	pmc/announce.h		notices about PMCs
 *	pmc/id.h		ids of PMCs, and the look-up
 *	pmc/registry.h		the PMCs of all owners
 *	pmc/row.h		classes and rows of the machine, and the PMU
 *	pmc/row_holders.h	who holds a row
 *	pmc/context.h		contexts: the counters of a thread, or of a CPU; the state of a CPU
 *	pmc/link.h		links (one PMC in one context) and targets
 *	pmc/walk.h		walks along many links
 *	pmc/fire.h		events of probes
 *	pmc/fire_plain.h	events that are only counted
 *	pmc/filter.h		conditions that an event of a probe must meet
 *	pmc/string.h		strings that arguments of an event point to
 *	pmc/page.h		pages with the values of PMCs that programs read
 *	pmc/direct.h		threads that read their counters in user mode
 *	pmc/off_cpu.h		time that a thread is off its CPU, as samples
 *	pmc/period.h		when a sample is due
 *	pmc/period_due.h	taking the samples that are due
 *	pmc/sample.h		taking one sample
 *	pmc/throttle.h		the limit of the time that a CPU spends on samples
 *	pmc/window.h		the windows in which that time is measured
 *	pmc/trace.h		the module's own tracepoints
 *	pmc/sampler.h		counts of samples
 *	pmc/pid.h		pid and tid of a task in records
 *	log/log.h		rings of an owner, records, the log's writer
 *	log/ring.h		the producer side of one ring
 *	log/sink.h		the file that a log is written to
 *	log/writer.h		the thread that writes a log
 *	log/charge.h		memory of rings, charged to users
 *	base/notice.h		notices and their listeners
 *	base/owner.h		an owner: an open file of /dev/hwpmc, and its errors
 *	base/machine.h		the machine, as arch/ describes it
 *	base/rights.h		permission checks
 *	base/user.h		the limits of a user over all its files
 *	base/defer.h		deferral of overflow interrupts
 *	base/now.h		the time of samples
 *	base/stat.h		statistics
 *	base/param.h		module parameters with bounds
 *	compat/compat.h		differences between kernels
 *
 * How a count is kept: a PMC has a link for each context that it counts in. A context is a thread,
 * or a CPU for system-wide PMCs. It has a slot for each row; the class folds the row's counter into
 * the slot. A link remembers the slot's sum from when it began to count.
 *
 * Lock order; while a lock is held, only those after it in this list are taken:
 *
 *	owner->lock		mutex: an owner's PMCs; every ioctl holds it
 *	hwpmc_maps_lock,	mutexes, never two of them at once: registration of probes, which
 *	hwpmc_probes_lock,	takes locks of the kernel, among them that of the chain of module
 *	hwpmc_hook_lock		notifiers. The kernel calls yield.c with that one held
 *	hwpmc_rows_lock		mutex: holders of rows, and the claim of the PMU
 *	cpus_read_lock()	of the kernel
 *	hwpmc_context.lock	a thread's, then the one of this CPU's own context: the list of
 *				links, and what a resync changes of them
 *	owner->link_lock	lists of links and targets of the owner's PMCs, and their sums
 *	hwpmc_hook_list_lock,	never two of them at once: records that polls visit (hook_poll.c);
 *	hwpmc_thread_locks,	a bucket of the table of threads (thread.c);
 *	hwpmc_fire_locks,	a bucket of the table of probes' links (fire.c);
 *	a task's pi_lock	of the kernel: the task is not woken (hook.c)
 *
 * - From hwpmc_context.lock on they are raw spinlocks, taken with interrupts off, each for a
 *   bounded number of steps. No code holds the locks of two owners or of two threads.
 *   Walks of a thread's links that need only the owners' locks run under RCU.
 * - No cross-call is made under a raw spinlock, since other CPUs spin for it with interrupts off.
 * - They are taken in interrupts, but never under a runqueue's lock: code that holds them notifies
 *   owners, and this wakes a worker, which takes a runqueue's lock. So sched_out and the
 *   sched_switch probe, which run with the runqueue locked, take no lock.
 * - An NMI takes no lock, see base/defer.h; nor does an event of a probe, see pmc/fire.c.
 * - hwpmc_provider_lock (probe/provider.c) is taken in process context under owner->lock, for as
 *   long as the kernel takes to register a probe. RELEASE and close(2) do not take it. Under it
 *   locks of the kernel's text and tracepoints, cpus_read_lock(), and the mmap locks of processes
 *   that map a probed file are taken.
 * - MAP_FD (call/map_fd.c) takes exec_update_lock of another process, then the lock of its memory,
 *   then opens a file, each under owner->lock, which no code takes under any of these.
 * - hwpmc_users_lock (base/user.c) is taken in process context, at open and close of a file, and
 *   when a listener begins or ends.
 * - hwpmc_listener.lock (base/notice.c) may be taken under any of these, and no other lock of the
 *   module under it. hwpmc_listen_lock (netlink/listen.c) is taken in process context, with no
 *   other lock held; of the module's locks only hwpmc_users_lock and hwpmc_listener.lock are taken
 *   under it.
 * - hwpmc_announce_lock (pmc/announce.c), hwpmc_adopt_lock (task/adopt.c), the locks of the tables
 *   of PMCs (pmc/registry.c), of owners (base/owner.c) and of an owner's pages (pmc/page.c),
 *   hwpmc_loggers_lock and hwpmc_charge_lock are taken in process context, also under owner->lock;
 *   rings->mapping is taken by mmap(2), under the mmap lock of the caller's memory. Of the module's
 *   locks only hwpmc_listener.lock is taken under one of them. mmap(2) does not take owner->lock:
 *   ioctls hold it during page faults, which take the mmap lock.
 */
#ifndef HWPMC_H
#define HWPMC_H

#include <linux/cpumask.h>
#include <linux/nospec.h>
#include <linux/types.h>

/**
 * hwpmc_cpu_exists - whether a number that a caller passed is that of a possible CPU
 * @cpu: the number; on success it is safe as an index, in speculation too
 *
 * Context: any. Return: true if the CPU is possible, whether online or not.
 */
static inline bool hwpmc_cpu_exists(u32 *cpu)
{
	if (*cpu >= nr_cpu_ids)
		return false;
	*cpu = array_index_nospec(*cpu, nr_cpu_ids);
	return cpu_possible(*cpu);
}

/* Most classes that a machine can have: the size of arrays by class. */
#define HWPMC_MAX_CLASSES	8
/* Most rows of all classes: an encoding has a mask of 64 rows of its class. */
#define HWPMC_MAX_ROWS		(64 * HWPMC_MAX_CLASSES)

#endif /* HWPMC_H */
