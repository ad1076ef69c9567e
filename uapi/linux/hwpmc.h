/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * hwpmc - the CPU's performance counters behind /dev/hwpmc
 *
 * Every argument structure starts with its size in bytes, set by the caller.
 * The module accepts a structure that is longer than its own if the rest is zero (E2BIG otherwise),
 * and refuses one that is shorter than the first published version (EINVAL). The same layout serves
 * 32-bit and 64-bit callers: pointers are passed as __u64.
 *
 * The size of an entry is set beside every array of structures, a multiple of 8 from 8 to
 * 4096 (EINVAL otherwise). If the caller's entries are larger than this module's, the rest of each
 * is set to 0; if they are smaller, only their size is written. So such structures may grow at
 * their end, too.
 *
 * Every call returns 0, or -1 with errno set. A call that fails also writes a sentence that says
 * what was wrong and what to do about it, if the structure's head has room for it: see struct
 * hwpmc_head. These errors are common to all calls:
 *
 *   EFAULT      a pointer does not point to memory of the caller
 *   EINVAL      the structure is too short, or a reserved field is not 0
 *   E2BIG       the structure is longer than this module's and the rest is not zero, or it is
 *               longer than a page
 *   EOPNOTSUPP  a flag that this module does not have
 *   ENOTTY      no such call; there is no sentence
 *   ECANCELED   an administrator ended the PMC (ADMIN with FORCE), or another driver took the PMU:
 *               release it
 *   EINTR       the caller was killed while it waited for another thread's call;
 *               there is no sentence
 *   ENOENT      a number that names no PMC of this file
 *
 * open(2) of the device fails with EMFILE if the user has as many files open as the module's
 * parameter max_files allows. Further parameters (max_pmcs, max_rows, max_links) limit what one
 * user may have in all its files, unless the file was opened with CAP_SYS_RESOURCE.
 *
 * The comment of each structure lists the further errors of its calls. tests/check-manual compares
 * them with the code, and with the page hwpmc(4).
 *
 * A handle ("id") is valid for the open file that allocated it and no other. Each file
 * numbers its PMCs from 1.
 *
 * The other calls of the file:
 *
 *   poll(2)   POLLIN: a ring holds as many bytes as its watermark, or a DETACH record of a
 *             target that was lost; after POLLHUP, or after a loss that no DROP record has
 *             reported yet, any record.
 *             POLLHUP: PMCs had targets, none of these has a living thread, and no PMC of
 *             the file samples a whole CPU, so that no record comes without a further call.
 *             It ends when a target is attached. POLLERR: the log could not be written, until
 *             LOG_CLOSE; or an administrator ended PMCs of the file, until they are released.
 *   SIGIO     with O_ASYNC, for the events of poll(2): POLL_IN, POLL_HUP, POLL_ERR
 *   read(2)   whole records, as in a log, the first of which is INITIALIZE, of each CPU in turn.
 *             If there are no records, it waits, or fails with EAGAIN if the file is O_NONBLOCK;
 *             records below the watermark are returned after a tenth of a second. 0: POLLHUP, and
 *             all is read. EBADFD: no rings; EBUSY: the rings are mapped, or written to a log;
 *             EFAULT: the buffer is not the caller's memory; EINTR: a signal; EMSGSIZE: the next
 *             record is longer than the buffer. HWPMC_LOG_RECORD_MAX is enough. A record that a
 *             failed read did not return is returned by the next one.
 *   mmap(2)   of rings, see linux/hwpmc_log.h, and of the pages of USER_READ; MAP_SHARED only. A
 *             mapping holds the file: its PMCs live until the last descriptor is closed and
 *             the last mapping is gone. A child does not inherit it. ENXIO: no rings; EBUSY:
 *             the rings are read by read(2), or written to a log; EINVAL: no ring or page is
 *             at this offset or of this size; EPERM: writable, except a ring's tail page, or
 *             executable.
 *   close(2)  the last one releases all that was allocated by the file
 */
#ifndef _UAPI_LINUX_HWPMC_H
#define _UAPI_LINUX_HWPMC_H

#include <linux/ioctl.h>
#include <linux/types.h>

/** HWPMC_ABI_MAJOR - raised when an old client would misunderstand a result */
#define HWPMC_ABI_MAJOR		2
/** HWPMC_ABI_MINOR - raised when something was added */
#define HWPMC_ABI_MINOR		1

#define HWPMC_NAME_MAX		32
#define HWPMC_RELEASE_MAX	64
#define HWPMC_SENTENCE_MAX	248

/**
 * enum hwpmc_class_id - kinds of counters
 * @HWPMC_CLASS_TSC: the time-stamp counter of x86; the event is 0; its row is shareable. It
 *	counts user and kernel mode together
 * @HWPMC_CLASS_IAF: Intel fixed-function counters; the event is the counter's number, which is
 *	that of its row: 0 instructions, 1 core cycles, 2 reference cycles, 3 top-down slots
 * @HWPMC_CLASS_IAP: Intel programmable counters; the event is the selection register as perf's
 *	raw events give it: event and unit mask in bits 0-15, edge 18, any 21 (system-wide only),
 *	inv 23, cmask 24-31. config[0] is the value of the further register that an
 *	offcore response, load latency or frontend event needs; two PMCs must agree on it
 * @HWPMC_CLASS_AMD: AMD core counters; the event as perf's raw events give it: event in bits 0-7
 *	and 32-35, unit mask 8-15, edge 18, inv 23, cmask 24-31
 * @HWPMC_CLASS_ARMV8: PMUv3; the event is the architecture's number (0x08 instructions, 0x11
 *	cycles), in bits 0-15; row 0 is the cycle counter, row N+1 is event counter N
 * @HWPMC_CLASS_SOFT: software events, enum hwpmc_soft_event; its rows are shareable
 * @HWPMC_CLASS_MOCK: counters that exist only in tests
 * @HWPMC_CLASS_PROBE: places in the kernel and in programs, found by name: see
 *	struct hwpmc_allocate. It has no rows
 */
enum hwpmc_class_id {
	HWPMC_CLASS_TSC		= 1,
	HWPMC_CLASS_IAF		= 2,
	HWPMC_CLASS_IAP		= 3,
	HWPMC_CLASS_AMD		= 4,
	HWPMC_CLASS_ARMV8	= 5,
	HWPMC_CLASS_SOFT	= 6,
	HWPMC_CLASS_MOCK	= 7,
	HWPMC_CLASS_PROBE	= 8,
};

/**
 * enum hwpmc_soft_event - events of class SOFT; each has a row of its own, of the same number
 * @HWPMC_SOFT_CLOCK: time in ns: of a task, on a CPU; of a CPU, all time except suspend
 * @HWPMC_SOFT_SWITCHES: times that a task left a CPU, as getrusage(2) counts ru_nvcsw and ru_nivcsw
 * @HWPMC_SOFT_FAULTS: page faults of a task, of both kinds
 * @HWPMC_SOFT_FAULTS_MINOR: page faults without input from a file or device, as getrusage(2)
 *	counts ru_minflt
 * @HWPMC_SOFT_FAULTS_MAJOR: page faults with such input, as it counts ru_majflt
 * @HWPMC_SOFT_MIGRATIONS: times that a task was moved to another CPU, whether it ran or not. A move
 *	of a task that is not on a CPU is counted when the task is next on one, unless a PMC of the
 *	task is started, stopped, attached or detached between these
 * @HWPMC_SOFT_OFF_CPU: time in ns that a task was off the CPU, blocked or waiting for a CPU. It is
 *	added when the task is next on a CPU, if the PMC runs then: all of it, or the part since
 *	START, ATTACH or, with HWPMC_F_ENABLE_ON_EXEC, exec. A new task's wait for its first CPU is
 *	not counted
 *
 * None needs a PMU, and none distinguishes user and kernel mode when it counts. All except the
 * clock are for tasks only.
 *
 * The clock and off-CPU time sample, too, with periods from 10 us. With HWPMC_CAP_USER alone, which
 * needs no privilege, time in the kernel counts as well, and its samples have the address at which
 * user mode was left.
 *
 * A sample of off-CPU time is taken when the task is on a CPU again, and has the place where it
 * left the CPU: in the kernel, unless with HWPMC_CAP_USER alone. A time that is not shorter than
 * the period is a sample, which represents exactly that time. Shorter ones add up, and one of them
 * is a sample at each period. HWPMC_F_FREQUENCY, HWPMC_F_LOG_PROCCSW and HWPMC_F_LOG_PROCEXIT
 * cannot be combined with it (EINVAL).
 */
enum hwpmc_soft_event {
	HWPMC_SOFT_CLOCK	= 0,
	HWPMC_SOFT_SWITCHES	= 1,
	HWPMC_SOFT_FAULTS	= 2,
	HWPMC_SOFT_FAULTS_MINOR	= 3,
	HWPMC_SOFT_FAULTS_MAJOR	= 4,
	HWPMC_SOFT_MIGRATIONS	= 5,
	HWPMC_SOFT_OFF_CPU	= 6,
};

/**
 * enum hwpmc_mode - what a PMC follows, and how
 * @HWPMC_MODE_SS: system-wide sampling: one CPU, overflow interrupts
 * @HWPMC_MODE_SC: system-wide counting: one CPU
 * @HWPMC_MODE_TS: virtual sampling: follows tasks
 * @HWPMC_MODE_TC: virtual counting: follows tasks
 */
enum hwpmc_mode {
	HWPMC_MODE_SS		= 1,
	HWPMC_MODE_SC		= 2,
	HWPMC_MODE_TS		= 3,
	HWPMC_MODE_TC		= 4,
};

/* Capabilities: of a class (what it can do), of a PMC (what was requested). */
#define HWPMC_CAP_INTERRUPT	(1ULL << 0)	/* interrupts on overflow */
#define HWPMC_CAP_USER		(1ULL << 1)	/* counts in user mode */
#define HWPMC_CAP_SYSTEM	(1ULL << 2)	/* counts in kernel mode */
#define HWPMC_CAP_EDGE		(1ULL << 3)	/* counts edges */
#define HWPMC_CAP_THRESHOLD	(1ULL << 4)	/* compares with a threshold */
#define HWPMC_CAP_READ		(1ULL << 5)	/* the counter can be read */
#define HWPMC_CAP_WRITE		(1ULL << 6)	/* the counter can be set */
#define HWPMC_CAP_INVERT	(1ULL << 7)	/* inverts the threshold's sense */
#define HWPMC_CAP_QUALIFIER	(1ULL << 8)	/* takes an event qualifier */
#define HWPMC_CAP_PRECISE	(1ULL << 9)	/* precise sampling */
#define HWPMC_CAP_TAGGING	(1ULL << 10)	/* tags operations */
#define HWPMC_CAP_SYSWIDE	(1ULL << 11)	/* counts for more than one CPU */

/* Flags of a PMC, given to HWPMC_IOC_ALLOCATE. */
#define HWPMC_F_DESCENDANTS	(1U << 0)	/* also children of targets, living and future */
#define HWPMC_F_LOG_PROCCSW	(1U << 1)	/* log a count at every switch-out */
#define HWPMC_F_LOG_PROCEXIT	(1U << 2)	/* log a count at every exit */
#define HWPMC_F_CALLCHAIN	(1U << 3)	/* samples carry a call chain */
#define HWPMC_F_USERCALLCHAIN	(1U << 4)	/* also user mode's, in kernel samples */
#define HWPMC_F_THREAD		(1U << 5)	/* targets are single threads */
#define HWPMC_F_TRY		(1U << 6)	/* check everything, allocate nothing; id is 0 */
#define HWPMC_F_FREQUENCY	(1U << 7)	/* count is samples per second, per thread or CPU */
#define HWPMC_F_COMM		(1U << 8)	/* PROBE records have the thread's name */
#define HWPMC_F_ENABLE_ON_EXEC	(1U << 9)	/* a thread counts from its next exec on */
#define HWPMC_F_DIRECT		(1U << 10)	/* its thread may read the counter, see USER_READ */

/*
 * Process and thread ids that calls return and records have. They are those of the caller's PID
 * namespace; in records, of the PID namespace of the process that opened the file.
 */
#define HWPMC_PID_NONE		0	/* there is none; in records also the idle task */
#define HWPMC_PID_HIDDEN	(-1)	/* there is one, but it is not visible to the reader */

/* Dispositions of a row. */
#define HWPMC_ROW_FREE		0
#define HWPMC_ROW_THREAD	1	/* used by virtual PMCs */
#define HWPMC_ROW_STANDALONE	2	/* used by system PMCs */
#define HWPMC_ROW_ABSENT	3	/* this CPU does not have it */

/* The row of a PMC of class PROBE, which has none */
#define HWPMC_ROW_NONE		0xffffffffU

/**
 * struct hwpmc_head - the fields with which every argument structure begins
 * @size: in: of the structure, in bytes
 * @flags: in: of the call; 0 where the call has none
 * @error_text: in: pointer to room for a sentence, or 0 for none
 * @error_size: in: size of that room, in bytes; HWPMC_SENTENCE_MAX is enough for any
 * @error_length: out, if the call failed and @error_text is not 0: length of the sentence, in
 *	bytes, with its NUL; the sentence is cut if that is more than @error_size
 *
 * The sentence says why this call failed and what to do about it. It is written, with a NUL,
 * before the call returns, so threads that share a file do not read each other's sentences. Nothing
 * is written after a success, ENOTTY or EINTR (unless the call's comment says so), or if the head
 * or the room cannot be accessed: set @error_length to 0 before the call to notice that.
 */
struct hwpmc_head {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
};

/**
 * struct hwpmc_version - HWPMC_IOC_VERSION
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @abi: in: the client's ABI, HWPMC_ABI(major, minor); out: the module's
 * @reserved: must be 0
 * @release: out: the module's release, a NUL-terminated string
 *
 * Errors: EPROTO the client's major is newer than the module's.
 */
struct hwpmc_version {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u32 abi;
	__u32 reserved;
	char release[HWPMC_RELEASE_MAX];
};

#define HWPMC_ABI(major, minor)	(((major) << 16) | (minor))

/**
 * struct hwpmc_class_info - one class of counters
 * @class_id: enum hwpmc_class_id
 * @rows: how many rows it has
 * @first_row: number of its first row; its rows are consecutive
 * @width: of its widest counter, in bits
 * @caps: HWPMC_CAP_* that it supports
 * @name: "ARMV8", "TSC", ...
 */
struct hwpmc_class_info {
	__u32 class_id;
	__u32 rows;
	__u32 first_row;
	__u32 width;
	__u64 caps;
	char name[HWPMC_NAME_MAX];
};

/**
 * struct hwpmc_cpu_info - HWPMC_IOC_CPU_INFO
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @cpuid: out: MIDR_EL1 on arm64; family << 16 | model << 8 | stepping on x86. Of a hybrid
 *	machine that of one CPU: PMC_INFO returns each CPU's
 * @cpus_possible: out: CPU numbers are below this
 * @cpus_online: out: how many are online now
 * @rows: out: how many rows there are, of all classes
 * @classes: in: size of @class_list, in entries; out: how many classes there are
 * @class_list: in: pointer to an array of struct hwpmc_class_info, or 0
 * @class_size: in: size of an entry of @class_list, in bytes
 * @reserved: must be 0
 * @vendor: out: "ARM", "GenuineIntel", ...
 * @pmu: out: what counts: "PMUv3", "TSC only", ...
 * @problem: out: why hardware counters are not available now; empty if they are
 *
 * On x86 this call reserves a counter for an instant to find @problem, unless a hardware
 * counter is allocated here. If perf holds no counter yet, and opens an event on another CPU
 * at that instant, perf's event is refused (EBUSY).
 *
 * Errors: ENOSPC there are more classes than room (@classes has their number).
 */
struct hwpmc_cpu_info {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u64 cpuid;
	__u32 cpus_possible;
	__u32 cpus_online;
	__u32 rows;
	__u32 classes;
	__u64 class_list;
	__u32 class_size;
	__u32 reserved;
	char vendor[HWPMC_NAME_MAX];
	char pmu[HWPMC_NAME_MAX];
	char problem[HWPMC_SENTENCE_MAX];
};

/**
 * struct hwpmc_row_info - one row of one CPU
 * @name: "cycles counter", "event counter 0", ...
 * @class_id: enum hwpmc_class_id
 * @enabled: 1 if the row may be used, 0 if an administrator disabled it on this CPU, or the CPU
 *	does not have it: then @disposition is HWPMC_ROW_ABSENT
 * @disposition: HWPMC_ROW_*
 * @width: of this counter, in bits
 * @pid: of a holder; HWPMC_PID_NONE; or HWPMC_PID_HIDDEN if it is outside of the caller's PID
 *	namespace, or another user's and the caller is not privileged. What is not
 *	visible is not described: all fields from @mode on are 0
 * @holders: how many PMCs hold the row (virtual PMCs of different owners share)
 * @mode: enum hwpmc_mode of the PMC of @pid; 0: none
 * @flags: HWPMC_F_* of that PMC
 * @event: of that PMC
 * @count: of that PMC: its start value if it counts; if it samples its period in events, or with
 *	HWPMC_F_FREQUENCY its samples per second
 * @comm: command name of the holder; empty if not visible
 */
struct hwpmc_row_info {
	char name[HWPMC_NAME_MAX];
	__u32 class_id;
	__u32 enabled;
	__u32 disposition;
	__u32 width;
	__s32 pid;
	__u32 holders;
	__u32 mode;
	__u32 flags;
	__u64 event;
	__u64 count;
	char comm[16];
};

/**
 * struct hwpmc_pmc_info - HWPMC_IOC_PMC_INFO
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @cpu: in: which CPU
 * @rows: in: size of @row_list, in entries; out: how many rows there are
 * @row_list: in: pointer to an array of struct hwpmc_row_info
 * @row_size: in: size of an entry of @row_list, in bytes
 * @reserved: must be 0
 * @cpuid: out: of this CPU, as in struct hwpmc_cpu_info; the CPUs of a hybrid machine differ
 *
 * Errors: EINVAL no such CPU; ENXIO it is offline; ENOSPC there are more
 * rows than room.
 */
struct hwpmc_pmc_info {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u32 cpu;
	__u32 rows;
	__u64 row_list;
	__u32 row_size;
	__u32 reserved;
	__u64 cpuid;
};

/**
 * struct hwpmc_stats - HWPMC_IOC_STATS: sums over all CPUs since the module was loaded
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @intr_processed: how often overflows of rows of one class were served; an interrupt that finds
 *	rows of two classes counts twice, and the timer of SOFT's CLOCK event counts, too
 * @intr_ignored: overflow interrupts that found no overflow of the module's counters
 * @intr_ring_full: samples of all kinds that found no room in the ring
 * @calls: ioctl calls
 * @calls_failed: of these, how many failed
 * @buffer_requests: how often rings were requested, by RING or by LOG_OPEN of a file without rings
 * @buffer_failures: of these, how many were refused
 * @log_sweeps: passes of the log writer
 * @throttles: how often a PMC was throttled
 * @chain_merges: always 0: chains are taken in the interrupt, not merged into a sample later
 * @chain_drops: always 0, for the same reason
 * @fork_failures: children that could not inherit for lack of memory
 * @threads: tasks that have a thread record now
 * @hooking: of these, how many are not hooked yet, since they wait for a CPU
 * @switch_probe: 1 while the sched_switch probe is registered, else 0
 * @owners: files open now, and closed ones whose log has a write in progress
 * @pmcs: PMCs allocated now
 * @owner_fork_failures: of @fork_failures, those of the caller's PMCs
 * @ring_used: memory of all rings of the caller's user, in bytes
 * @ring_room: memory that the user may have for more rings, in bytes: what is left of the
 *	parameter mlock_kb for each online CPU, and of RLIMIT_MEMLOCK; U64_MAX with CAP_IPC_LOCK
 * @owner_exec_losses: how often a PMC of the caller lost a task that executed a program
 *	which may not be followed
 * @probes: probes that are in the kernel now; they remain for a moment after their last PMC
 * @probe_skipped: events of probes that were not counted, since they occurred while the module
 *	itself was at work on that CPU, or where RCU does not protect the kernel (entering idle)
 * @pmu_claims: how often the PMU was claimed: by a PMC that needs it when no other PMC does
 * @pmu_refusals: how often that failed with EBUSY, since perf used it or KVM gives it to guests
 */
struct hwpmc_stats {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u64 intr_processed;
	__u64 intr_ignored;
	__u64 intr_ring_full;
	__u64 calls;
	__u64 calls_failed;
	__u64 buffer_requests;
	__u64 buffer_failures;
	__u64 log_sweeps;
	__u64 throttles;
	__u64 chain_merges;
	__u64 chain_drops;
	__u64 fork_failures;
	__u64 threads;
	__u64 hooking;
	__u64 switch_probe;
	__u64 owners;
	__u64 pmcs;
	__u64 owner_fork_failures;
	__u64 ring_used;
	__u64 ring_room;
	__u64 owner_exec_losses;
	__u64 probes;
	__u64 probe_skipped;
	__u64 pmu_claims;
	__u64 pmu_refusals;
};

/**
 * struct hwpmc_caps - HWPMC_IOC_CAPS
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @id: in: which PMC
 * @class_id: out: enum hwpmc_class_id
 * @row: out: the row it holds
 * @width: out: of its hardware counter, in bits
 * @caps: out: HWPMC_CAP_*
 */
struct hwpmc_caps {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u32 id;
	__u32 class_id;
	__u32 row;
	__u32 width;
	__u64 caps;
};

/**
 * struct hwpmc_admin - HWPMC_IOC_ADMIN: disable a row on a CPU, or enable it again
 * @size: of this structure, in bytes
 * @flags: HWPMC_ADMIN_FORCE, or 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @cpu: which CPU
 * @row: which row
 * @state: HWPMC_ADMIN_FREE or HWPMC_ADMIN_DISABLED
 * @reserved: must be 0
 *
 * With HWPMC_ADMIN_FORCE the PMCs that hold the row, virtual ones and those of this CPU, are
 * ended first, whatever file they are of. When the call returns, they count on no CPU and do not
 * hold the row. Their owners are notified by POLLERR (and SIGIO), until they have released them;
 * every call for such an id except RELEASE fails with ECANCELED.
 *
 * Errors: EPERM without CAP_PERFMON, with FORCE without CAP_SYS_ADMIN; EINVAL no such CPU,
 * row or state; ENXIO the CPU is offline; EBUSY without FORCE: virtual PMCs use the row, or
 * a PMC holds it on this CPU.
 */
struct hwpmc_admin {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u32 cpu;
	__u32 row;
	__u32 state;
	__u32 reserved;
};

#define HWPMC_ADMIN_FREE	0
#define HWPMC_ADMIN_DISABLED	1

#define HWPMC_ADMIN_FORCE	(1U << 0)	/* flag: end the PMCs that hold the row */

/**
 * enum hwpmc_filter_field - what a filter compares
 * @HWPMC_FILTER_ARG: an argument of the event. It is 0 where the event has no arguments, as at the
 *	return of a function; an argument that the event does not have is random
 * @HWPMC_FILTER_RETVAL: what was returned; 0 if the event is not a return
 * @HWPMC_FILTER_PID: the process, as PROBE records have it
 * @HWPMC_FILTER_TID: the thread, likewise
 * @HWPMC_FILTER_COMM: the thread's name
 * @HWPMC_FILTER_CGROUP: the thread's cgroup of version 2, or one above it: a thread in a cgroup
 *	below this one is in this one, too. A cgroup's id is the number of its directory's inode
 */
enum hwpmc_filter_field {
	HWPMC_FILTER_ARG	= 1,
	HWPMC_FILTER_RETVAL	= 2,
	HWPMC_FILTER_PID	= 3,
	HWPMC_FILTER_TID	= 4,
	HWPMC_FILTER_COMM	= 5,
	HWPMC_FILTER_CGROUP	= 6,
};

/**
 * enum hwpmc_filter_op - how the filter compares the field
 * @HWPMC_FILTER_EQ: it is equal
 * @HWPMC_FILTER_NE: it is not equal
 * @HWPMC_FILTER_LT: it is less, both with a sign
 * @HWPMC_FILTER_GT: it is greater, both with a sign
 * @HWPMC_FILTER_BELOW: it is less, both without a sign
 * @HWPMC_FILTER_ABOVE: it is greater, both without a sign
 * @HWPMC_FILTER_BITS: it has at least one of the bits
 */
enum hwpmc_filter_op {
	HWPMC_FILTER_EQ		= 0,
	HWPMC_FILTER_NE		= 1,
	HWPMC_FILTER_LT		= 2,
	HWPMC_FILTER_GT		= 3,
	HWPMC_FILTER_BELOW	= 4,
	HWPMC_FILTER_ABOVE	= 5,
	HWPMC_FILTER_BITS	= 6,
};

/**
 * struct hwpmc_filter - a condition on events of class PROBE
 * @field: enum hwpmc_filter_field
 * @op: enum hwpmc_filter_op; of COMM and CGROUP only EQ and NE
 * @arg: ARG: which argument, from 0; else 0
 * @bytes: how many of the lowest bytes are compared: 1, 2, 4 or 8; COMM, CGROUP: 0. The bytes of an
 *	argument beyond those of its type may be random
 * @value: the value to compare with; CGROUP: its id; COMM: 0
 * @comm: COMM: the name to compare with, NUL-terminated; else 0
 */
struct hwpmc_filter {
	__u32 field;
	__u32 op;
	__u32 arg;
	__u32 bytes;
	__u64 value;
	char comm[16];
};

/**
 * struct hwpmc_allocate - HWPMC_IOC_ALLOCATE
 * @size: of this structure, in bytes
 * @flags: HWPMC_F_*
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @class_id: enum hwpmc_class_id
 * @mode: enum hwpmc_mode
 * @cpu: the CPU of a system-wide PMC; 0 or -1 for a virtual one, which has none
 * @user_stack: samples carry the user's registers and this many bytes of its
 *	stack, a multiple of 8 up to HWPMC_USER_STACK_MAX; 0: neither
 * @caps: HWPMC_CAP_*; neither USER nor SYSTEM means user mode, and kernel mode too if the caller
 *	may count there: HWPMC_IOC_CAPS returns which
 * @event: the event's number in this class
 * @count: start value if it counts, period in events if it samples; with
 *	HWPMC_F_FREQUENCY samples per second
 * @id: out: the handle
 * @row: out: the row that was granted
 * @config: class-specific, see the class; must be 0 where unused. A structure may end before it
 * @name: class PROBE: pointer to the name of the event; else 0. A structure may end before it
 * @name_length: of @name, in bytes, at most HWPMC_PROBE_NAME_MAX; a NUL may follow, and is not
 *	counted
 * @args: sampling modes of class PROBE: how many arguments a PROBE record has, at most
 *	HWPMC_PROBE_ARGS_MAX; else 0
 * @file: names of class PROBE that begin with "uprobe:": a regular file that is open for reading;
 *	else 0. A structure may end before it
 * @filters: class PROBE: number of conditions; an event is counted and sampled only if it meets all
 *	of them; at most HWPMC_FILTERS_MAX. A structure may end before it
 * @filter_list: pointer to as many struct hwpmc_filter; ignored without any
 * @filter_size: size of an entry of @filter_list, in bytes; ignored without any
 * @string: sampling modes of class PROBE: which argument, from 1 to HWPMC_PROBE_ARGS_MAX, is the
 *	address of a string that PROBE records have a copy of; HWPMC_PROBE_STRING_RETVAL: what is
 *	returned is; 0: none
 *
 * The sampling modes imply HWPMC_CAP_INTERRUPT.
 *
 * Names of class PROBE. @event and @config are 0, and so are HWPMC_F_FREQUENCY and @user_stack.
 * Every period from 1 is allowed. It counts what occurs on the CPU, or in the thread, whether in
 * user or kernel mode; HWPMC_IOC_EVENTS lists names.
 *
 *   syscall:NAME:entry		the system call begins; its arguments are the call's. Calls of
 *   syscall:NAME:return	32-bit programs do not count, since they have other numbers.
 *				NAME is as strace(1) has it, or "*" for every call
 *   tracepoint:NAME		a tracepoint of the kernel; its arguments are those that the kernel
 *				passes to it, not those that tracefs shows
 *   tracepoint:SYSTEM:NAME	the same, or one of a module, as tracefs has it
 *   kprobe:SYMBOL:entry	a function of the kernel or a module begins; its arguments are the
 *				function's. ":entry" may be left out
 *   kprobe:SYMBOL+OFFSET	the instruction at that offset, in bytes
 *   kprobe:SYMBOL:return	the function returns; it has no arguments
 *   uprobe:OFFSET:entry	a program calls the function that begins at OFFSET of @file, in
 *				bytes; its arguments are the function's
 *   uprobe:OFFSET		a program, in user mode, reaches the instruction at that offset
 *   uprobe:OFFSET:return	the function that begins there returns; it has no arguments
 *   profile:UNIT:N		a timer of each CPU expires. UNIT is hz: N times a second; or
 *				ms or us: every N of these, from 100 us to an hour
 *   interval:UNIT:N		a timer of one CPU expires; of another one when that is offline
 *
 * A probe of a file (uprobe) puts a breakpoint into the memory of every process that maps @file
 * there as code, now and later, whatever the PMC follows: it costs all of them an exception for
 * each event, or three with the return. @file may be closed after the call, but the file system
 * cannot be unmounted before the probe is removed, which is the module's parameter probes_linger
 * after the last PMC of it was released. The kernel does not report the return of a frame that is
 * left by longjmp(3), an exec or an exit. It does not report those beyond 64 unfinished calls of a
 * thread, either. Returns of both kinds are not counted as skipped.
 *
 * A string (@string) is copied when the event occurs, up to HWPMC_PROBE_STRING_MAX bytes, as far as
 * it is in memory: no page is read for it. Where a system call begins, a string of the program's
 * file may not be in memory yet; where it returns, it is. An address that a system call or a
 * program (uprobe) passes is one of user mode; any other may be one of the kernel, too.
 *
 * With HWPMC_F_ENABLE_ON_EXEC a thread that was attached counts nothing before it executes a
 * program, whether the PMC runs or not. It counts from the point in exec where its memory is that
 * of the new program, and so the rest of exec in kernel mode, too. The threads and processes that
 * it creates inherit this state. The times of a reading are still those between START and STOP.
 *
 * Errors: EINVAL bad mode or CPU, virtual with a CPU above 0, system-wide without one;
 * DESCENDANTS, THREAD, ENABLE_ON_EXEC, DIRECT or process-log flags on a system-wide PMC, THREAD
 * with DESCENDANTS; DIRECT without THREAD or in a sampling mode; CALLCHAIN, USERCALLCHAIN,
 * FREQUENCY or @user_stack in a counting mode, a @user_stack that is no multiple of 8 or too
 * large; a period below the module's parameter mincount or above S64_MAX, a frequency of 0 or
 * above its parameter max_samples; an event this class or this CPU cannot count, reserved
 * register bits; @name, @args, @string or HWPMC_F_COMM with another class than PROBE; ENODEV
 * no such class here, or hardware counters cannot be used (@problem of struct hwpmc_cpu_info);
 * EOPNOTSUPP @caps not supported, or no sampling; EBUSY no free row (the sentence names the
 * holders), the PMC would count a CPU and a thread reads its counters in user mode (USER_READ), the
 * same user has as many PMCs on a shareable row as the module's parameter
 * max_shared allows, or as many PMCs or rows as max_pmcs or max_rows allow, perf holds
 * the PMU, the machine is shutting down, or the file has used up its ids; ENXIO the CPU is
 * offline, or perf's driver has no PMU for some CPUs; EPERM system-wide or in kernel mode
 * without CAP_PERFMON, or samples of a kernel that is locked down for confidentiality; ENOMEM
 * no memory. Class PROBE: EPERM without CAP_PERFMON, or a kprobe under that lockdown; EINVAL a
 * name that names no probe, too many @args, or a wrong @string; ENOENT nothing has that name, or no
 * cgroup with the id of a filter in the caller's cgroup namespace; EOPNOTSUPP this kernel cannot
 * probe there; of a file: EBADF @file is not open for reading, EINVAL it is no regular file, or has
 * no instruction at OFFSET; EINVAL a filter that is wrong, or too many. Where the kernel does not
 * register the probes that the module itself needs, the call fails with the kernel's error.
 */
struct hwpmc_allocate {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u32 class_id;
	__u32 mode;
	__s32 cpu;
	__u32 user_stack;
	__u64 caps;
	__u64 event;
	__u64 count;
	__u32 id;
	__u32 row;
	__u64 config[2];
	__u64 name;
	__u32 name_length;
	__u32 args;
	__s32 file;
	__u32 filters;
	__u64 filter_list;
	__u32 filter_size;
	__u32 string;
};

#define HWPMC_USER_STACK_MAX	65528U
#define HWPMC_PROBE_NAME_MAX	4096U
#define HWPMC_PROBE_ARGS_MAX	10U
#define HWPMC_FILTERS_MAX	8U
#define HWPMC_PROBE_STRING_RETVAL	255U
#define HWPMC_PROBE_STRING_MAX	256U	/* bytes of the copy, with its NUL */

/**
 * struct hwpmc_ids - HWPMC_IOC_RELEASE, HWPMC_IOC_START, HWPMC_IOC_STOP
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @count: how many ids, at least 1
 * @failed: out: index of the id that made the call fail
 * @ids: pointer to @count ids, each a __u32
 *
 * All or nothing: if one id is refused, nothing changes.
 *
 * RELEASE is allowed in any state. When it returns, the PMC is on no CPU.
 * START succeeds if the PMC runs already. A virtual PMC that was never attached is
 * attached to the caller's process first, with HWPMC_F_THREAD to the calling thread.
 * STOP succeeds if the PMC is stopped already.
 * START and STOP take effect on every CPU before they return.
 *
 * Errors of RELEASE, START and STOP: EINVAL no id, or an id twice; ENOMEM no memory, with more
 * than 8 ids.
 * Errors of START: ESRCH all its targets are gone, or the caller's process exits; ENXIO its CPU
 * is offline; EBADFD it needs a ring or a log and has none: a PMC that samples, or has
 * HWPMC_F_LOG_PROCCSW or HWPMC_F_LOG_PROCEXIT; ENOMEM no memory; EBUSY, EINTR as ATTACH, of a PMC
 * that START attaches.
 * Errors of STOP: EINVAL it was never started.
 */
struct hwpmc_ids {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u32 count;
	__u32 failed;
	__u64 ids;
};

/**
 * struct hwpmc_attach - HWPMC_IOC_ATTACH, HWPMC_IOC_DETACH
 * @size: of this structure, in bytes
 * @flags: HWPMC_ATTACH_*
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @id: which PMC
 * @pid: process id in the caller's PID namespace (0: the caller's process);
 *	with HWPMC_ATTACH_TID, or if the PMC has HWPMC_F_THREAD, a thread id (0: the calling
 *	thread); with
 *	HWPMC_ATTACH_PIDFD a pidfd; with HWPMC_ATTACH_TARGET 0
 * @left_out: out: ATTACH: how many descendants were left out
 * @reserved: must be 0
 * @target: ATTACH: out: the target's handle; DETACH: in: with HWPMC_ATTACH_TARGET the handle
 *	of the target, else 0
 *
 * A handle names a target of a PMC, also when its process is reaped. No other target of this
 * file ever gets the same. A target that is attached again after it was lost keeps its handle.
 * The entries of struct hwpmc_target_value have it, also of a target that START attached.
 *
 * ATTACH takes every thread of the process, living and future; with
 * HWPMC_F_DESCENDANTS also every living descendant, except those of which a thread may not
 * be followed (EPERM, below): these threads are left out. If it fails, nothing is attached.
 * A target, or a descendant of one, is lost when it executes a program that the owner may not
 * follow. It can be attached again after it has executed one that the owner may follow, and keeps
 * its counts. While one of its threads or descendants lives or is not reaped, it must be detached
 * (DETACH) first.
 * Errors of ATTACH: EINVAL system-wide PMC, or HWPMC_ATTACH_TID and the PMC has
 * HWPMC_F_DESCENDANTS; EBUSY the PMC runs, its row is taken in that target,
 * or one of the target's threads is followed by as many PMCs of the same user on
 * shareable rows as the module's parameter max_followers allows (max_recorders, for those
 * that log its switches or exit), or the user's PMCs follow as many threads as max_links
 * allows; EEXIST attached already; ESRCH the target is gone or
 * exits; EPERM without CAP_SYS_PTRACE: the target is another user's, has capabilities
 * that the caller lacks, or is not dumpable, or that is so for the opener of the device;
 * or, without CAP_PERFMON, the PMC copies stacks (user_stack) and the target has another
 * security label than the caller; or the PMC has a page (USER_READ); ENOMEM no memory; EBADF not
 * a pidfd; EINTR the caller was killed meanwhile.
 *
 * DETACH is allowed in any state. What was counted stays in the PMC's value. A process that is
 * reaped has no number, so its target is detached by a pidfd or by its handle; until then it
 * takes memory and an entry of each reading by target.
 * Errors of DETACH: EINVAL as with ATTACH, a @pid besides a handle, or a @target without
 * HWPMC_ATTACH_TARGET; ESRCH not a target, or no such process; EBADF not a pidfd; EOPNOTSUPP
 * HWPMC_ATTACH_TARGET with another flag.
 */
struct hwpmc_attach {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u32 id;
	__s32 pid;
	__u32 left_out;
	__u32 reserved;
	__u64 target;
};

#define HWPMC_ATTACH_TID	(1U << 0)	/* pid is a thread: that one only */
#define HWPMC_ATTACH_PIDFD	(1U << 1)	/* pid is a pidfd */
#define HWPMC_ATTACH_TARGET	(1U << 2)	/* DETACH: target is its handle */

/**
 * struct hwpmc_times - for how long a PMC counted
 * @enabled: nanoseconds between its STARTs and STOPs
 * @running: of these, nanoseconds in which it had its counter: @enabled without
 *	the time that a system-wide PMC's CPU was offline. A PMC is never multiplexed.
 */
struct hwpmc_times {
	__u64 enabled;
	__u64 running;
};

/**
 * struct hwpmc_target_value - what one target added to a PMC
 * @id: the PMC
 * @flags: HWPMC_TARGET_*
 * @pid: process id; HWPMC_PID_HIDDEN, or HWPMC_PID_NONE for an entry without a process
 * @tid: thread id, likewise; HWPMC_PID_NONE for an entry that is not one thread
 * @value: events
 * @target: handle of the target, see struct hwpmc_attach; of a descendant, that of the target it
 *	descends from; 0: the entry belongs to no target
 *
 * There is one entry for each living thread; one for each attached target, with the
 * sum of its threads and descendants that exited (TARGET_GONE); and one (TARGET_BASE)
 * for what was written into the PMC and what detached targets counted. Entries with a
 * value of 0 are left out, except those of living threads. The sum of all entries is
 * the PMC's value.
 */
struct hwpmc_target_value {
	__u32 id;
	__u32 flags;
	__s32 pid;
	__s32 tid;
	__u64 value;
	__u64 target;
};

#define HWPMC_TARGET_GONE	(1U << 0)
#define HWPMC_TARGET_BASE	(1U << 1)

/**
 * struct hwpmc_rw - HWPMC_IOC_RW: read, write, or both
 * @size: of this structure, in bytes
 * @flags: HWPMC_RW_*
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @count: how many ids, at least 1
 * @failed: out: index of the id that made the call fail
 * @ids: pointer to @count ids, each a __u32
 * @values: pointer to @count __u64: new values in (NEW), old values out (OLD)
 * @times: pointer to @count struct hwpmc_times, or 0
 * @targets: pointer to struct hwpmc_target_value entries, or 0
 * @target_count: in: size of @targets, in entries; out: how many entries there are
 * @target_size: in: size of an entry of @targets, in bytes
 * @times_size: in: size of an entry of @times, in bytes
 * @reserved: must be 0
 * @time: out, with TIME: when the values were read, by CLOCK_MONOTONIC, in ns
 *
 * OLD reads. The values are current: counts of what runs on a CPU now are added first,
 * unless STALE is given. For every thread the values of all ids are of one instant, also
 * for inherited threads and children. (Class PROBE: except for events that occur meanwhile, if
 * these never pause for the time of a reading.)
 * TIME also reads a clock. A rate is a difference of values divided by the difference of @time. The
 * time that a thread or target was on a CPU is the value of a PMC of class SOFT, event CLOCK, in
 * the same list and attached to the same target. As in records, the time is that of the host: a
 * program in a time namespace adds the offset of monotonic in /proc/self/timens_offsets.
 * NEW writes, after reading. A value is 64 bits wide, whatever the counter's width.
 * Errors: EINVAL neither OLD nor NEW, TIME without OLD, no id, or an id twice; EBUSY NEW while
 * running; EPERM NEW of a PMC that has a page (USER_READ); ENOSPC there are more entries than room
 * (@target_count has their number); ENOMEM no memory, with @targets or more than 8 ids.
 */
struct hwpmc_rw {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u32 count;
	__u32 failed;
	__u64 ids;
	__u64 values;
	__u64 times;
	__u64 targets;
	__u32 target_count;
	__u32 target_size;
	__u32 times_size;
	__u32 reserved;
	__u64 time;
};

#define HWPMC_RW_OLD		(1U << 0)
#define HWPMC_RW_NEW		(1U << 1)
#define HWPMC_RW_STALE		(1U << 2)
#define HWPMC_RW_TIME		(1U << 3)	/* return the time of the reading */

/**
 * struct hwpmc_set_count - HWPMC_IOC_SET_COUNT
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @id: which PMC
 * @reserved: must be 0
 * @count: start value if it counts, period in events if it samples; with
 *	HWPMC_F_FREQUENCY samples per second
 *
 * It replaces the value of a PMC that counts; the counts of its targets are discarded.
 * Errors: EBUSY the PMC runs; EPERM it has a page (USER_READ); EINVAL a period or a frequency that
 * ALLOCATE refuses.
 */
struct hwpmc_set_count {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u32 id;
	__u32 reserved;
	__u64 count;
};

/**
 * struct hwpmc_ring - HWPMC_IOC_RING: make the rings for samples and other records
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @data_size: in: room for records in each CPU's ring, in bytes: a power of two,
 *	at least a page; 0: the module's parameter ring_kb, or the largest size that the caller
 *	may have if that is smaller; out: the actual size
 * @watermark: in: poll() reports a ring that holds at least this many bytes; 0: half of
 *	@data_size; out: the actual value
 * @rings: out: there is one for each CPU number below this
 * @header_offset: out: of a ring's header page from its tail page, in bytes
 * @data_offset: out: of a ring's data from its tail page
 * @reserved: must be 0
 * @stride: out: ring N is mapped at the offset N * @stride of the device
 *
 * Rings live as long as the file: to get other rings, open the device again.
 *
 * Errors: EBUSY there are rings already; EINVAL a wrong @data_size or @watermark; EPERM
 * more memory than the user may have (@ring_room of struct hwpmc_stats); ENOMEM no memory.
 */
struct hwpmc_ring {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u64 data_size;
	__u64 watermark;
	__u32 rings;
	__u32 header_offset;
	__u32 data_offset;
	__u32 reserved;
	__u64 stride;
};

/**
 * struct hwpmc_sampled - HWPMC_IOC_SAMPLED: how many samples a PMC took and lost on a CPU
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @id: which PMC
 * @cpu: which CPU; -1: the sum over all
 * @taken: samples that were due
 * @recorded: of these, how many were written into the ring
 * @lost: of these, how many were lost because the ring was full, or make up @throttled
 * @reported: of @lost, how many DROP records reported
 * @throttles: how often it was throttled
 * @events: events that its samples stand for
 * @skipped: class PROBE: events that were skipped on the CPU since the probe was registered in the
 *	kernel, perhaps before the PMC was allocated; see @probe_skipped of struct hwpmc_stats
 * @throttled: class PROBE: of @lost, how many were not taken because the PMC was throttled. A PMC
 *	of another class takes one sample for all events of that time instead
 *
 * @taken is @recorded + @lost, at any time. For a probe that only counts, all but @skipped are 0.
 * Errors: EINVAL it neither samples nor is of class PROBE, or no such CPU.
 */
struct hwpmc_sampled {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u32 id;
	__s32 cpu;
	__u64 taken;
	__u64 recorded;
	__u64 lost;
	__u64 reported;
	__u64 throttles;
	__u64 events;
	__u64 skipped;
	__u64 throttled;
};

/**
 * struct hwpmc_log - HWPMC_IOC_LOG_OPEN, HWPMC_IOC_LOG_FLUSH, HWPMC_IOC_LOG_CLOSE
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @fd: LOG_OPEN: a file, pipe or socket (but no Unix socket) open for writing;
 *	other calls: must be 0
 * @reserved: must be 0
 *
 * LOG_OPEN makes the kernel write the rings' records into @fd, and makes rings of the default size
 * if there are none. A log in a file begins at the file's position and moves the position to its
 * end. The log's memory is charged to the caller's memory cgroup, and a file does not grow beyond
 * the caller's RLIMIT_FSIZE; both are those at the time of the call. If LOG_OPEN fails, nothing
 * changes.
 * LOG_FLUSH returns when all that was recorded before has been written. Without a log it only
 * writes DROP records of lost records into the rings.
 * LOG_CLOSE stops the PMCs that sample or log, flushes, and ends the log with a CLOSE
 * record. The caller itself writes nothing, so it gets no SIGPIPE or SIGXFSZ.
 * If the device is closed while a log is open, also by exit or SIGKILL, the PMCs are released
 * and what was recorded is written, followed by CLOSE, for as long as the module's parameter
 * drain_ms allows. CLOSE has the number of records that are not in the log by then. It is
 * missing if the log ends within a record that cannot be overwritten: in a pipe, a socket or a
 * file with O_APPEND. close(2) waits for this at most a second, and not at all for a pipe or
 * socket without room. The rest (the rings, the log's file, and so the module's use count) is
 * released when the last write ends; a signal ends it when the time is over, unless it waits
 * for a file system that is frozen or has no server (FUSE, NFS). Until then the owner is
 * counted (struct hwpmc_stats) and its rings stay charged.
 *
 * Errors of LOG_OPEN: EAGAIN, ENOMEM no process id or no memory for the log's thread or the
 * rings; EBADF @fd is not open for writing; EBUSY a log is open, or the rings are mapped;
 * EINVAL not a file, pipe or socket; a file of the kernel's own (/proc/sys, /sys,
 * cgroups); opened with O_DIRECT; or a Unix socket, since a socket that holds the log's own device
 * file would never be closed; EPERM as RING; EINTR the caller was killed meanwhile.
 * Errors of LOG_FLUSH and LOG_CLOSE: EINTR the caller was killed while it waited (another process
 * that shares the file may call again); the error of a failed write (ENOSPC, EPIPE, EFBIG, ...),
 * until the log is closed. Records that were not written completely by then are in the next log, or
 * counted as lost.
 * Errors of LOG_FLUSH: EINVAL no rings.
 * Errors of LOG_CLOSE: EINVAL no log.
 */
struct hwpmc_log {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__s32 fd;
	__u32 reserved;
};

/**
 * struct hwpmc_log_write - HWPMC_IOC_LOG_WRITE: write a record with the caller's text
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @cookie: any number
 * @length: of @text, in bytes, at most 4096
 * @text: pointer to a text; ignored if @length is 0
 *
 * Errors: EINVAL no rings, or a text longer than allowed, or than a ring of this size can
 * hold; ENOSPC the ring was full; ENOMEM no memory.
 */
struct hwpmc_log_write {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u32 cookie;
	__u32 length;
	__u64 text;
};

/**
 * struct hwpmc_group - HWPMC_IOC_GROUP, HWPMC_IOC_GROUP_FREE: PMCs that are often read together
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @count: GROUP: in: how many ids, at least 1; GROUP_FREE: must be 0
 * @failed: GROUP: out: index of the id that made the call fail
 * @ids: GROUP: in: pointer to @count ids, each a __u32; GROUP_FREE: must be 0
 * @group: the group's handle; GROUP: out, GROUP_FREE: in
 *
 * GROUP looks the ids up once, for any number of GROUP_READs. A handle is used again only after
 * 2^32 other groups of this file. A group ends by GROUP_FREE, which leaves its PMCs as they are, or
 * when one of its PMCs is released. A PMC may be in several groups.
 *
 * Errors of GROUP: EINVAL no id, or an id twice; EBUSY all groups of the file together would have
 * more than 16 ids for each PMC of the file; ENOMEM no memory.
 * Errors of GROUP_FREE: ENOENT no such group, or it has ended.
 */
struct hwpmc_group {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u32 count;
	__u32 failed;
	__u64 ids;
	__u64 group;
};

/**
 * struct hwpmc_group_read - HWPMC_IOC_GROUP_READ: read the PMCs of a group
 * @size: of this structure, in bytes
 * @flags: HWPMC_RW_STALE, HWPMC_RW_TIME
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @group: the group's handle
 * @values: pointer to as many __u64 as the group has ids: the values, out, in the order of the ids
 * @time: out, with TIME: when the values were read, by CLOCK_MONOTONIC, in ns
 *
 * The values, and the flags, are those of HWPMC_IOC_RW. It costs the least if each PMC of the group
 * counts the calling thread and nobody else, no flag is set, and the structure has the size of the
 * module's own.
 * Errors: ENOENT no such group, or it has ended.
 */
struct hwpmc_group_read {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u64 group;
	__u64 values;
	__u64 time;
};

/**
 * struct hwpmc_user_read - HWPMC_IOC_USER_READ: a page with the counts of a thread
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @count: how many ids, 1 to HWPMC_USER_MAX
 * @failed: out: index of the id that made the call fail
 * @ids: pointer to @count ids, each a __u32
 * @offset: out: the page is mapped from this offset of the device
 *
 * Makes a page of struct hwpmc_user_page with an entry for each id, in the order of the list.
 * Programs map it (mmap(2) of one page, PROT_READ, MAP_SHARED) and read counts without a system
 * call; uapi/hwpmc_user.h does. A child does not inherit the mapping. The page has the counts of
 * the PMCs as long as they exist, and stays mapped when they are released.
 *
 * All PMCs count (HWPMC_MODE_TC), and each has one target, the same single thread (HWPMC_F_THREAD
 * or HWPMC_ATTACH_TID), the caller's own or another one. They may neither be attached to another
 * target afterwards nor be written (RW with NEW, SET_COUNT): EPERM.
 *
 * If all have HWPMC_F_DIRECT, the thread is the caller, the module's parameter user_reads is 1, and
 * no PMC counts a CPU on counters that user mode could read, then the thread may read its counters
 * in user mode (on arm64): see @index of struct hwpmc_user_count. Otherwise the call succeeds as
 * well, and @index is 0; hwpmc_user_self() of uapi/hwpmc_user.h then makes a call. The permission
 * holds from START until the PMCs are released or detached, an administrator ends one, or the
 * thread executes a program. A read after that gets SIGILL: no other thread may release the PMCs
 * while this one reads. As long as the PMCs exist, one that counts a CPU cannot be allocated on
 * such counters (EBUSY).
 *
 * Errors: EINVAL no id, more than HWPMC_USER_MAX, or an id twice; a PMC that samples, counts a CPU,
 * has no target, several ones, or a whole process; targets that differ. EBUSY a PMC runs: stop it
 * first. EEXIST a PMC has a page already. ESRCH the target is gone. ENOMEM no memory.
 */
struct hwpmc_user_read {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u32 count;
	__u32 failed;
	__u64 ids;
	__u64 offset;
};

/* How many PMCs a page has room for */
#define HWPMC_USER_MAX		63U

/**
 * enum hwpmc_user_state - whether the count of an entry of the page may still change
 * @HWPMC_USER_STOPPED: not started yet, or stopped
 * @HWPMC_USER_RUNNING: started
 * @HWPMC_USER_GONE: its thread exited and was reaped, executed a program that may not be followed,
 *	or was detached: the value is final
 * @HWPMC_USER_ENDED: an administrator ended the PMC: the value is final
 * @HWPMC_USER_RELEASED: the PMC was released: the value is final, and @id is no longer valid
 */
enum hwpmc_user_state {
	HWPMC_USER_STOPPED	= 0,
	HWPMC_USER_RUNNING	= 1,
	HWPMC_USER_GONE		= 2,
	HWPMC_USER_ENDED	= 3,
	HWPMC_USER_RELEASED	= 4,
};

/**
 * struct hwpmc_user_count - the count of one PMC, in the page
 * @value: events up to the time of the page
 * @id: the PMC
 * @state: enum hwpmc_user_state
 * @offset: see @index
 * @flip: likewise
 * @index: the counter that has the count while the thread runs; 0: none, use RW. The count is
 *	@offset + (counter ^ @flip), of one @seq. arm64: 1 to 31 is PMEVCNTR<index - 1>_EL0, 32 is
 *	PMCCNTR_EL0. Only the thread itself may read it: others get SIGILL, or another counter
 * @width: of the counter, in bits; 0: the thread cannot read it
 * @reserved: 0
 */
struct hwpmc_user_count {
	__u64 value;
	__u32 id;
	__u32 state;
	__u64 offset;
	__u64 flip;
	__u32 index;
	__u32 width;
	__u64 reserved[3];
};

/**
 * struct hwpmc_user_page - the page of HWPMC_IOC_USER_READ; the kernel writes it
 * @seq: odd while the kernel writes values
 * @count: number of entries
 * @ticks: when the values were written, in ticks of the CPU's clock that programs can read: the
 *	time-stamp counter of x86, CNTVCT_EL0 of arm64
 * @ticks_khz: ticks in a millisecond
 * @reserved: 0
 * @counts: the entries
 *
 * The values are those at the last time that the thread was scheduled out, or that its counters
 * were read on its CPU: by RW without STALE, by START or STOP, or by another process's call. So
 * they are exact up to @ticks, those of all entries of the same instant, and never decrease. What
 * the thread did since then is not in them. @state and the values are not of one instant: after
 * another @state than RUNNING was read, the value that is read next is the final one, or that of
 * the stop.
 *
 *	kernel				reader
 *
 *	seq + 1				load seq, acquire; odd: again	(C)
 *	write barrier		(A)	load values and ticks
 *	store values and ticks		read barrier			(D)
 *	store seq + 2, release	(B)	load seq; changed: again
 *
 * B and C: a reader that loads the new number loads the new values. A and D: a reader that loaded a
 * new value finds that the number changed.
 */
struct hwpmc_user_page {
	__u32 seq;
	__u32 count;
	__u64 ticks;
	__u64 ticks_khz;
	__u64 reserved[5];
	struct hwpmc_user_count counts[HWPMC_USER_MAX];
};

/**
 * struct hwpmc_events - HWPMC_IOC_EVENTS: the names of probes
 * @size: of this structure, in bytes
 * @flags: none yet; must be 0
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @pattern: pointer to a pattern which whole names must match, with ``*``, ``?`` and ``[...]`` as
 *	in a shell
 * @pattern_length: of @pattern, in bytes, at most 256; 0: all names
 * @count: out: how many names match
 * @names: pointer to room for the names, each ended by a NUL; or 0
 * @names_size: in: of that room, in bytes; out: of all names, with their NULs
 *
 * The names of class PROBE that ALLOCATE accepts, of system calls and of the kernel's tracepoints.
 * Functions and the tracepoints of modules are not listed: their names are in /proc/kallsyms, and
 * below events/ of tracefs.
 *
 * Errors: EINVAL a pattern that is too long; ENOSPC there are more names than room (@names_size has
 * the size of all); ENOMEM no memory.
 */
struct hwpmc_events {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__u64 pattern;
	__u32 pattern_length;
	__u32 count;
	__u64 names;
	__u64 names_size;
};

/**
 * struct hwpmc_map_fd - HWPMC_IOC_MAP_FD: open the file of which a process has mapped code
 * @size: of this structure, in bytes
 * @flags: HWPMC_ATTACH_PIDFD
 * @error_text: see struct hwpmc_head
 * @error_size: see struct hwpmc_head
 * @error_length: see struct hwpmc_head
 * @pid: process id in the caller's PID namespace (0: the caller's process); with
 *	HWPMC_ATTACH_PIDFD a pidfd
 * @fd: out: a new descriptor of the file, for reading only, closed by exec; -1 if the call failed
 * @address: in the memory of the process; in a record, that of an instruction
 * @start: out: first address of the mapping
 * @length: out: of the mapping, in bytes
 * @offset: out: of its first byte in the file
 *
 * The byte at @address is that at @offset + @address - @start of the file. The file is the one that
 * was mapped, also if it was deleted, if another has its name by now, if it never had a name
 * (memfd_create(2)), or if the caller cannot reach it by a path, since the process has another
 * mount namespace or root directory. It is opened with the caller's credentials, and the
 * permissions of the directories above it are not checked: see docs/rights.md. Its position is the
 * descriptor's own. Only regular files are opened, of mappings that may be executed. If the process
 * executes a program meanwhile, rights and mappings are both those of the old program or both those
 * of the new one.
 *
 * Errors: EACCES the caller may not read the file; EBADF not a pidfd; EINTR a signal ended the wait
 * for the process or for the file system; EMFILE, ENFILE the limit of open files of the caller or
 * of the system is reached; ENOENT no executable mapping of a file is at @address: nothing, memory
 * without a file, data, [vdso], a device, or memory that the kernel shares (shmget(2), /dev/zero);
 * ENOMEM no memory; EPERM the process may not be followed, as with ATTACH; ESRCH there is no such
 * process, or it has exited; and the further errors of open(2).
 */
struct hwpmc_map_fd {
	__u32 size;
	__u32 flags;
	__u64 error_text;
	__u32 error_size;
	__u32 error_length;
	__s32 pid;
	__s32 fd;
	__u64 address;
	__u64 start;
	__u64 length;
	__u64 offset;
};

/*
 * Calls. The argument of each is a pointer to its structure. The numbers have neither size nor
 * direction in them, so that they stay the same when structures grow, and filters of system calls
 * (seccomp) can name them. 0x0e is not used.
 * Block 0xE8 is free in the kernel's Documentation/userspace-api/ioctl/ioctl-number.rst.
 */
#define HWPMC_IOC_MAGIC		0xE8
#define HWPMC_IOC_VERSION	_IO(HWPMC_IOC_MAGIC, 0x00)
#define HWPMC_IOC_CPU_INFO	_IO(HWPMC_IOC_MAGIC, 0x01)
#define HWPMC_IOC_PMC_INFO	_IO(HWPMC_IOC_MAGIC, 0x02)
#define HWPMC_IOC_STATS		_IO(HWPMC_IOC_MAGIC, 0x03)
#define HWPMC_IOC_CAPS		_IO(HWPMC_IOC_MAGIC, 0x04)
#define HWPMC_IOC_ADMIN		_IO(HWPMC_IOC_MAGIC, 0x05)
#define HWPMC_IOC_ALLOCATE	_IO(HWPMC_IOC_MAGIC, 0x06)
#define HWPMC_IOC_RELEASE	_IO(HWPMC_IOC_MAGIC, 0x07)
#define HWPMC_IOC_ATTACH	_IO(HWPMC_IOC_MAGIC, 0x08)
#define HWPMC_IOC_DETACH	_IO(HWPMC_IOC_MAGIC, 0x09)
#define HWPMC_IOC_START		_IO(HWPMC_IOC_MAGIC, 0x0a)
#define HWPMC_IOC_STOP		_IO(HWPMC_IOC_MAGIC, 0x0b)
#define HWPMC_IOC_RW		_IO(HWPMC_IOC_MAGIC, 0x0c)
#define HWPMC_IOC_SET_COUNT	_IO(HWPMC_IOC_MAGIC, 0x0d)
#define HWPMC_IOC_RING		_IO(HWPMC_IOC_MAGIC, 0x0f)
#define HWPMC_IOC_SAMPLED	_IO(HWPMC_IOC_MAGIC, 0x10)
#define HWPMC_IOC_LOG_OPEN	_IO(HWPMC_IOC_MAGIC, 0x11)
#define HWPMC_IOC_LOG_FLUSH	_IO(HWPMC_IOC_MAGIC, 0x12)
#define HWPMC_IOC_LOG_CLOSE	_IO(HWPMC_IOC_MAGIC, 0x13)
#define HWPMC_IOC_LOG_WRITE	_IO(HWPMC_IOC_MAGIC, 0x14)
#define HWPMC_IOC_GROUP		_IO(HWPMC_IOC_MAGIC, 0x15)
#define HWPMC_IOC_GROUP_READ	_IO(HWPMC_IOC_MAGIC, 0x16)
#define HWPMC_IOC_GROUP_FREE	_IO(HWPMC_IOC_MAGIC, 0x17)
#define HWPMC_IOC_USER_READ	_IO(HWPMC_IOC_MAGIC, 0x18)
#define HWPMC_IOC_EVENTS	_IO(HWPMC_IOC_MAGIC, 0x19)
#define HWPMC_IOC_MAP_FD	_IO(HWPMC_IOC_MAGIC, 0x1a)

#endif /* _UAPI_LINUX_HWPMC_H */
