/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * hwpmc - the rings for samples and other records, and the records in them
 *
 * A ring belongs to an owner (an open file of /dev/hwpmc) and a CPU. Its parts
 * are mapped from the device at the offsets that HWPMC_IOC_RING gives:
 *
 *   offset + 0               tail page, struct hwpmc_ring_tail: the reader's,
 *                            mapped PROT_READ | PROT_WRITE
 *   offset + header_offset   header page, struct hwpmc_ring_header, and behind it
 *   offset + data_offset     the data; both mapped PROT_READ
 *
 * head and tail are numbers of bytes since the ring was made. Their place in the
 * data is the remainder by data_size, a power of two. A reader reads what lies
 * between tail and head, and then moves its tail:
 *
 *   kernel                              reader
 *
 *   load tail, acquire          (A)     load head, acquire             (C)
 *   store records                       load records
 *   store head, release         (B)     store tail, release            (D)
 *
 * B pairs with C: every record before head is complete. D pairs with A: a record
 * was read before its place is used again.
 *
 * A record never wraps: where one would, a PAD record fills the data's end. A
 * record that finds no room is lost and counted. As soon as there is room, a DROP
 * record reports how many were lost, for each PMC. The kernel reads only the tail, and treats an
 * impossible tail as a full ring.
 *
 * A log (a file, a pipe, a TCP socket: HWPMC_IOC_LOG_OPEN, read(2), pmctl record)
 * consists of the same records, one after the other. It starts with INITIALIZE and ends
 * with CLOSE, also if the device is closed; what read(2) returns has no CLOSE. The
 * records of one ring are in order of time. Those of different CPUs must be sorted.
 *
 * ALLOCATE and ATTACH records describe an id. They are written when it is allocated and attached,
 * if there are rings already, and again for all ids at HWPMC_IOC_RING and HWPMC_IOC_LOG_OPEN. So
 * they may occur more than once, with the same content. If the rings were not empty at LOG_OPEN,
 * they may follow records of that id.
 *
 * The length and the place of every record are multiples of 8 bytes. A reader skips
 * types that it does not know. A structure may grow at its end, before its variable
 * part. So the variable part is found by its offset, never by the structure's size.
 */
#ifndef _UAPI_LINUX_HWPMC_LOG_H
#define _UAPI_LINUX_HWPMC_LOG_H

#include <linux/types.h>

/** HWPMC_LOG_MAGIC - first field of INITIALIZE: "HWPMCLOG", little-endian */
#define HWPMC_LOG_MAGIC		0x474f4c434d505748ULL
/** HWPMC_LOG_MAJOR - raised when an old reader would misunderstand a record */
#define HWPMC_LOG_MAJOR		2
#define HWPMC_LOG_MINOR		0
#define HWPMC_LOG_VERSION	((HWPMC_LOG_MAJOR << 16) | HWPMC_LOG_MINOR)

/** HWPMC_LOG_RECORD_MAX - maximum length of a record, in bytes */
#define HWPMC_LOG_RECORD_MAX	(128 * 1024)

/* Maximum size of a build-id, in bytes: linkers write 8 to 20 */
#define HWPMC_BUILD_ID_MAX	32

/**
 * struct hwpmc_ring_tail - the page that the reader writes
 * @tail: bytes that were read
 */
struct hwpmc_ring_tail {
	__u64 tail;
};

/**
 * struct hwpmc_ring_header - the page that the kernel writes
 * @head: bytes that were written
 * @data_size: of the data, in bytes; a power of two
 * @version: HWPMC_LOG_VERSION
 * @cpu: whose ring this is
 * @records: records that were written, without PADs
 * @lost: records that found no room
 * @reported: of these, how many DROP records reported
 */
struct hwpmc_ring_header {
	__u64 head;
	__u64 data_size;
	__u32 version;
	__u32 cpu;
	__u64 records;
	__u64 lost;
	__u64 reported;
};

/**
 * enum hwpmc_log_type - kinds of records
 * @HWPMC_LOG_PAD: fills the data up to its end; only its first 8 bytes are written
 * @HWPMC_LOG_INITIALIZE: begins a log
 * @HWPMC_LOG_CLOSE: ends a log
 * @HWPMC_LOG_ALLOCATE: a PMC was allocated
 * @HWPMC_LOG_ATTACH: a PMC was attached
 * @HWPMC_LOG_DETACH: a PMC was detached
 * @HWPMC_LOG_SAMPLE: a PMC reached its period
 * @HWPMC_LOG_DROP: records were lost
 * @HWPMC_LOG_THROTTLE: throttling of a PMC that samples too fast begins or ends
 * @HWPMC_LOG_SWITCH: what a PMC counted in a thread since its last switch-out
 * @HWPMC_LOG_VALUE: what a PMC counted in a thread until it exited
 * @HWPMC_LOG_PROCESS: a process or thread that exists already
 * @HWPMC_LOG_FORK: a process or thread was created
 * @HWPMC_LOG_EXIT: a process or thread exited
 * @HWPMC_LOG_EXEC: a process executed another program
 * @HWPMC_LOG_COMM: a thread changed its name
 * @HWPMC_LOG_MAP_IN: code was mapped
 * @HWPMC_LOG_MAP_OUT: code was unmapped
 * @HWPMC_LOG_USER: HWPMC_IOC_LOG_WRITE
 * @HWPMC_LOG_PROBE: a PMC of class PROBE reached its period
 * @HWPMC_LOG_BUILD_ID: of a mapped file; written by pmctl, not by the kernel
 * @HWPMC_LOG_SYSTEM: the machine that was recorded; written by pmctl, not by the kernel
 * @HWPMC_LOG_EVENT: a PMC's name; written by pmctl, not by the kernel
 * @HWPMC_LOG_KSYM: a kernel symbol; written by pmctl, not by the kernel
 * @HWPMC_LOG_COMPRESSED: other records, as one zstd frame; written by pmctl
 */
enum hwpmc_log_type {
	HWPMC_LOG_PAD		= 0,
	HWPMC_LOG_INITIALIZE	= 1,
	HWPMC_LOG_CLOSE		= 2,
	HWPMC_LOG_ALLOCATE	= 3,
	HWPMC_LOG_ATTACH	= 4,
	HWPMC_LOG_DETACH	= 5,
	HWPMC_LOG_SAMPLE	= 6,
	HWPMC_LOG_DROP		= 7,
	HWPMC_LOG_THROTTLE	= 8,
	HWPMC_LOG_SWITCH	= 9,
	HWPMC_LOG_VALUE		= 10,
	HWPMC_LOG_PROCESS	= 11,
	HWPMC_LOG_FORK		= 12,
	HWPMC_LOG_EXIT		= 13,
	HWPMC_LOG_EXEC		= 14,
	HWPMC_LOG_COMM		= 15,
	HWPMC_LOG_MAP_IN	= 16,
	HWPMC_LOG_MAP_OUT	= 17,
	HWPMC_LOG_USER		= 18,
	HWPMC_LOG_PROBE		= 19,
	HWPMC_LOG_BUILD_ID	= 0x100,
	HWPMC_LOG_SYSTEM	= 0x101,
	HWPMC_LOG_EVENT		= 0x102,
	HWPMC_LOG_KSYM		= 0x103,
	HWPMC_LOG_COMPRESSED	= 0x104,
};

/**
 * struct hwpmc_log_header - begins every record
 * @type: enum hwpmc_log_type
 * @flags: of this type
 * @length: of the whole record, in bytes; a multiple of 8, at least 8
 * @time: CLOCK_MONOTONIC, in ns (a PAD record has neither this nor the next fields)
 * @cpu: the CPU that wrote it
 * @id: the PMC that it is about; 0: none
 */
struct hwpmc_log_header {
	__u16 type;
	__u16 flags;
	__u32 length;
	__u64 time;
	__u32 cpu;
	__u32 id;
};

/**
 * struct hwpmc_log_initialize - HWPMC_LOG_INITIALIZE
 * @h: see struct hwpmc_log_header
 * @magic: HWPMC_LOG_MAGIC
 * @version: HWPMC_LOG_VERSION
 * @cpus: CPU numbers are below this
 * @cpuid: as in struct hwpmc_cpu_info
 * @realtime: CLOCK_REALTIME at @h.time, in ns
 * @machine: AUDIT_ARCH_* of linux/audit.h; the log's byte order is that of this field
 * @reserved: 0
 */
struct hwpmc_log_initialize {
	struct hwpmc_log_header h;
	__u64 magic;
	__u32 version;
	__u32 cpus;
	__u64 cpuid;
	__u64 realtime;
	__u32 machine;
	__u32 reserved;
};

/**
 * struct hwpmc_log_close - HWPMC_LOG_CLOSE
 * @h: see struct hwpmc_log_header
 * @lost: records that are missing in this log and that no DROP record reports. It is not 0 only if
 *	the device was closed while the log was open and not all records could be written: the file
 *	was full, or the time limit was reached (the module's parameter drain_ms). pmctl and older
 *	modules write a record without this field: it is 0 then
 */
struct hwpmc_log_close {
	struct hwpmc_log_header h;
	__u64 lost;
};

/* flags of ALLOCATE: none. @h.id is the new PMC */
struct hwpmc_log_allocate {
	struct hwpmc_log_header h;
	__u32 class_id;
	__u32 mode;
	__u32 flags;		/* HWPMC_F_* */
	__s32 target_cpu;	/* of a system-wide PMC, or -1 */
	__u64 caps;		/* HWPMC_CAP_* */
	__u64 event;
	__u64 count;		/* period, frequency or start value when it was allocated */
	__u32 row;
	__u32 reserved;		/* 0 */
};

/**
 * struct hwpmc_log_attach - HWPMC_LOG_ATTACH, HWPMC_LOG_DETACH
 * @h: see struct hwpmc_log_header
 * @pid: process, in the owner's PID namespace, as everywhere in a log; -1: not visible
 *	there, or that of a single thread that is gone
 * @tid: the thread, if the target is a single thread, likewise; else 0
 *
 * The PROCESS record of @pid has its name and the path of what it runs, its MAP_IN records have
 * all of its code. PROCESS is written when a PMC with targets starts, MAP_IN when one that
 * samples does.
 */
struct hwpmc_log_attach {
	struct hwpmc_log_header h;
	__s32 pid;
	__s32 tid;
};

/*
 * Flag of DETACH: process @pid, a target or a descendant of one, executed a program that the owner
 * may not follow, and is lost. poll(2) returns EPOLLIN for this record at once.
 */
#define HWPMC_DETACH_LOST	(1U << 0)

/* flags of SAMPLE */
#define HWPMC_SAMPLE_USER	(1U << 0)	/* taken in user mode */
#define HWPMC_SAMPLE_LATE	(1U << 1)	/* found at a switch, stop or read: pc is there */
#define HWPMC_SAMPLE_CUT	(1U << 2)	/* the chain is cut off, or left out */
#define HWPMC_SAMPLE_COMPAT	(1U << 3)	/* 32-bit user registers and frames */

/**
 * struct hwpmc_log_sample - HWPMC_LOG_SAMPLE
 * @h: see struct hwpmc_log_header
 * @pid: process; 0: the idle task; -1: not visible in the owner's PID namespace
 * @tid: thread; likewise
 * @pc: the address that was interrupted
 * @period: events that this sample stands for
 * @chain_offset: of the call chain, from the record's start; 0: none, as in all
 *	samples of a PMC that is throttled when it stops or its thread is scheduled out.
 *	The chain is an array of __u64: @chain_kernel return addresses in the kernel, then
 *	@chain_user in user mode, innermost first. @pc is not repeated. But if the chain
 *	begins in the other mode than that of @pc, it begins with the address at which
 *	that mode was left. A sample taken during entry to or exit from the kernel has only @pc of
 *	user mode, since the registers are being saved or restored
 * @chain_kernel: see above
 * @chain_user: see above
 * @regs_offset: of the user's registers, array of __u64, in the order of the
 *	architecture's DWARF numbers: x0-x30, sp, pc on arm64; rax, rdx, rcx, rbx,
 *	rsi, rdi, rbp, rsp, r8-r15, rip on x86; 0: none
 * @regs: how many registers
 * @stack_offset: of the copy of the user's stack, from its stack pointer up; 0: none
 * @stack_size: of that copy, in bytes
 *
 * Most records are shorter than the structure: they end after @pc, with 40 bytes, or after @period,
 * with 48. A @period that is left out is the count of the PMC's ALLOCATE record; the other fields
 * are 0. hwpmc_sample_whole() of hwpmc_ring.h fills them in.
 */
struct hwpmc_log_sample {
	struct hwpmc_log_header h;
	__s32 pid;
	__s32 tid;
	__u64 pc;
	__u64 period;
	__u16 chain_offset;
	__u16 chain_kernel;
	__u16 chain_user;
	__u16 regs_offset;
	__u16 regs;
	__u16 stack_offset;
	__u32 stack_size;
};

/* flags of PROBE, beside those of SAMPLE */
#define HWPMC_PROBE_RETURN	(1U << 8)	/* retval is what the call or function returned */
#define HWPMC_PROBE_ERROR	(1U << 9)	/* retval is a system call's error, negative */
#define HWPMC_PROBE_CUT		(1U << 10)	/* the string is longer than what was copied */

/**
 * struct hwpmc_log_probe - HWPMC_LOG_PROBE
 * @sample: as in SAMPLE. @sample.pc is the place of the probe: the function of a kprobe or uprobe,
 *	the code that called a tracepoint, user mode of a system call. There are no registers and
 *	no stack copy
 * @retval: with HWPMC_PROBE_RETURN
 * @args_offset: of the arguments, an array of __u64, from the record's start; 0: none. The caller
 *	of ALLOCATE chose their number: the module cannot find out how many the probe has, and those
 *	beyond are random. The upper bits of an argument narrower than 64 bits may be random, too
 * @args: number of arguments
 * @comm_offset: of the thread's name, char[16], NUL-terminated; 0: none
 * @string_offset: of the string that an argument is the address of, NUL-terminated; 0: none was
 *	requested, or nothing of it could be read
 */
struct hwpmc_log_probe {
	struct hwpmc_log_sample sample;
	__u64 retval;
	__u16 args_offset;
	__u16 args;
	__u16 comm_offset;
	__u16 string_offset;
};

/**
 * struct hwpmc_log_drop - HWPMC_LOG_DROP
 * @h: see struct hwpmc_log_header
 * @lost: records of PMC @h.id (or, if that is 0, of no PMC or of a PMC that was released later)
 *	that found no room on @h.cpu since the last such record
 * @first: time of the first of them, in ns
 * @last: time of the last of them, in ns
 * @events: events that the lost samples stood for
 * @throttled: class PROBE: of @lost, how many were not taken because the PMC was throttled. Their
 *	@first is when that began, and their @last when it was reported
 */
struct hwpmc_log_drop {
	struct hwpmc_log_header h;
	__u64 lost;
	__u64 first;
	__u64 last;
	__u64 events;
	__u64 throttled;
};

/* flags of THROTTLE */
#define HWPMC_THROTTLE_ON	(1U << 0)	/* throttling begins; else it ends */

/**
 * struct hwpmc_log_throttle - HWPMC_LOG_THROTTLE
 * @h: see struct hwpmc_log_header
 * @period: of the PMC. While throttled it keeps counting; its next sample stands for all
 *	events since. No record of class PROBE stands for them: DROP records report them
 *
 * Throttling concerns one thread of the PMC, or its CPU. Another CPU may write the record of its
 * end. There is no such record if the thread exits or the PMC stops first.
 */
struct hwpmc_log_throttle {
	struct hwpmc_log_header h;
	__u64 period;
};

/**
 * struct hwpmc_log_value - HWPMC_LOG_SWITCH, HWPMC_LOG_VALUE
 * @h: see struct hwpmc_log_header
 * @pid: process
 * @tid: thread
 * @value: events that the PMC counted in the thread. SWITCH (HWPMC_F_LOG_PROCCSW): since the
 *	thread was scheduled in, until it was scheduled out or the PMC stopped. VALUE
 *	(HWPMC_F_LOG_PROCEXIT): since it was attached, of a thread that exits while the PMC
 *	runs; written when the thread leaves its CPU for the last time, or when the PMC
 *	stops or is detached before that. wait(2) and pthread_join(3) may return before it is
 *	written
 */
struct hwpmc_log_value {
	struct hwpmc_log_header h;
	__s32 pid;
	__s32 tid;
	__u64 value;
};

/* flags of PROCESS, FORK, EXIT */
#define HWPMC_TASK_THREAD	(1U << 0)	/* a thread of @pid other than its first */

/**
 * struct hwpmc_log_task - HWPMC_LOG_PROCESS, HWPMC_LOG_FORK, HWPMC_LOG_EXIT, HWPMC_LOG_COMM
 * @h: see struct hwpmc_log_header
 * @pid: process
 * @tid: thread
 * @parent_pid: FORK: the process that forked; else 0
 * @parent_tid: FORK: the thread that forked; else 0
 * @comm: name of the thread
 */
struct hwpmc_log_task {
	struct hwpmc_log_header h;
	__s32 pid;
	__s32 tid;
	__s32 parent_pid;
	__s32 parent_tid;
	char comm[16];
};

/**
 * struct hwpmc_log_process - HWPMC_LOG_PROCESS of a process's first thread
 * @task: see struct hwpmc_log_task
 * @path_offset: of the path of the file that it executes, NUL-terminated
 * @reserved: 0
 *
 * The record ends with @task if that file is not known, as in a kernel thread.
 */
struct hwpmc_log_process {
	struct hwpmc_log_task task;
	__u32 path_offset;
	__u32 reserved;
};

/**
 * struct hwpmc_log_exec - HWPMC_LOG_EXEC: all earlier maps of @pid are gone
 * @h: see struct hwpmc_log_header
 * @pid: process
 * @tid: thread, which is the process's first from now on
 * @comm: its new name
 * @path_offset: of the program's path, as it was named, NUL-terminated
 * @reserved: 0
 * @entry: address at which the program begins, also if its interpreter runs first; 0: not known.
 *	The first version of this record had no such field: the path began in its place
 *
 * The MAP_IN records that follow have the addresses at which it was loaded: one record of the
 * program and, if it is linked dynamically, one of its interpreter (ld-linux...).
 */
struct hwpmc_log_exec {
	struct hwpmc_log_header h;
	__s32 pid;
	__s32 tid;
	char comm[16];
	__u32 path_offset;
	__u32 reserved;
	__u64 entry;
};

/* flags of MAP_IN */
#define HWPMC_MAP_EXISTS	(1U << 0)	/* a module that was loaded before sampling began */

/**
 * struct hwpmc_log_map - HWPMC_LOG_MAP_IN, HWPMC_LOG_MAP_OUT
 * @h: see struct hwpmc_log_header
 * @pid: process; -1: the kernel, for a module that was loaded or unloaded, or is loaded when
 *	sampling begins, in the logs of owners that sample kernel mode
 * @prot: PROT_* of linux/mman.h
 * @start: first address
 * @size: in bytes
 * @file_offset: of @start in the file, in bytes
 * @inode: of the file; 0: none
 * @dev_major: of its device
 * @dev_minor: likewise
 * @path_offset: of the file's path, NUL-terminated ("[vdso]", "//anon" if there
 *	is no file, "[name]" for a module); 0 in MAP_OUT
 * @build_id_size: of @build_id, in bytes; 0: not known, for instance because the file's page
 *	was not in memory, or for a module: while it is loaded,
 *	/sys/module/NAME/notes/.note.gnu.build-id has its build-id
 * @build_id: of the file, as the linker wrote it
 *
 * A mapping replaces earlier ones at the same addresses, also without a MAP_OUT.
 */
struct hwpmc_log_map {
	struct hwpmc_log_header h;
	__s32 pid;
	__u32 prot;
	__u64 start;
	__u64 size;
	__u64 file_offset;
	__u64 inode;
	__u32 dev_major;
	__u32 dev_minor;
	__u32 path_offset;
	__u32 build_id_size;
	__u8 build_id[HWPMC_BUILD_ID_MAX];
};

/* HWPMC_LOG_USER: the owner's number and text, NUL-terminated */
struct hwpmc_log_user {
	struct hwpmc_log_header h;
	__u32 cookie;
	__u32 text_offset;	/* 0 none */
};

/*
 * HWPMC_LOG_BUILD_ID: of the file at @path_offset, as mapped by MAP_IN records; or of the kernel,
 * whose path is "[kernel]"
 */
struct hwpmc_log_build_id {
	struct hwpmc_log_header h;
	__u32 path_offset;
	__u32 size;		/* of @build_id, in bytes */
	__u8 build_id[HWPMC_BUILD_ID_MAX];
};

/* HWPMC_LOG_SYSTEM: texts, NUL-terminated */
struct hwpmc_log_system {
	struct hwpmc_log_header h;
	__u32 release_offset;	/* uname -r */
	__u32 machine_offset;	/* uname -m */
	__u32 host_offset;	/* uname -n */
	__u32 command_offset;	/* how it was recorded */
};

/* HWPMC_LOG_EVENT: what the user called PMC @h.id; text, NUL-terminated */
struct hwpmc_log_event {
	struct hwpmc_log_header h;
	__u32 name_offset;
	__u32 reserved;
};

/*
 * HWPMC_LOG_KSYM: kernel text from @start to the next such record's start. A log has the symbols of
 * the addresses in its samples, and the next symbol after each. A record may be later in the log
 * than @h.time.
 */
struct hwpmc_log_ksym {
	struct hwpmc_log_header h;
	__u64 start;
	__u32 name_offset;	/* "name", or "name [module]" */
	__u32 reserved;
};

/* HWPMC_LOG_COMPRESSED: one zstd frame of whole records */
struct hwpmc_log_compressed {
	struct hwpmc_log_header h;
	__u64 size;		/* of the records, in bytes */
	__u32 frame_offset;
	__u32 frame_size;
};

#endif /* _UAPI_LINUX_HWPMC_LOG_H */
