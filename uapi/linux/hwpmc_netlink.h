/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The generic netlink family "hwpmc": what is allocated on this machine, for programs that watch
 * without counting. docs/netlink/hwpmc.yaml describes the messages; tests/check-netlink compares it
 * with this file.
 */
#ifndef _UAPI_LINUX_HWPMC_NETLINK_H
#define _UAPI_LINUX_HWPMC_NETLINK_H

#define HWPMC_GENL_NAME		"hwpmc"
#define HWPMC_GENL_VERSION	1

/**
 * enum hwpmc_nl_cmd - commands of the family
 * @HWPMC_NL_CMD_PMCS: dump the PMCs that the caller may see, a message for each
 * @HWPMC_NL_CMD_LISTEN: listen on this socket for notices: what happens to PMCs and their owners
 *	that the caller may see, and to the machine. Fails with EALREADY if the socket
 *	listens, and with EMFILE if the user has as many listeners as the module's parameter
 *	max_listeners allows
 * @HWPMC_NL_CMD_NOTICES: dump the notices that wait for this socket, each once; ENOTCONN without
 *	LISTEN. A notice has WHAT, TIME, COUNT and CPU, the attributes of a process if it is about
 *	an owner, those of a PMC if it is about one, and TARGET
 * @HWPMC_NL_CMD_WAKE: sent to a socket that listens, without attributes: there are notices
 * @HWPMC_NL_CMD_OWNERS: dump the open files of the device that the caller may see, a message
 *	for each: OWNER, the attributes of its process, and in COUNT the number of its PMCs
 * @HWPMC_NL_CMD_CPUS: dump the CPUs
 * @HWPMC_NL_CMD_CLASSES: dump the classes
 * @HWPMC_NL_CMD_ROWS: dump the rows of each CPU
 * @HWPMC_NL_CMD_STATISTICS: dump the module's statistics, a message for each
 * @HWPMC_NL_CMD_TARGETS: dump the targets of the PMCs that the caller may see, a message for
 *	each that was attached and not detached: SERIAL, OWNER and ID of the PMC, HANDLE, SINGLE,
 *	TARGET and TARGET_COMM
 *
 * A listener sends NOTICES after LISTEN, and again after each WAKE, also one that it receives
 * before the end of a dump, and after recv(2) failed with ENOBUFS. After a WAKE no other one is
 * sent until the next dump, so a socket that is not read does not fill up. Up to 1023 notices wait
 * for each socket. Those that one user causes take at most half of the room that others leave. A
 * notice, HWPMC_NL_WHAT_LOST, has the number of those that were lost. ENOENT in reply to a request:
 * the module was unloaded.
 *
 * Requests have no attributes. A dump leaves out what was added after it began, so it always ends.
 * The messages of PMCS have NLM_F_DUMP_INTR if a PMC was allocated or
 * released meanwhile, those of TARGETS also if a target was attached or detached: repeat the dump
 * for a list of one instant. If PMCs or owners were left out, the last message has
 * HWPMC_NL_PMC_HIDDEN and nothing else. CPUS, CLASSES, ROWS and STATISTICS name no process, and
 * everybody may read them: their attributes are enum hwpmc_nl_machine.
 */
enum hwpmc_nl_cmd {
	HWPMC_NL_CMD_PMCS = 1,
	HWPMC_NL_CMD_LISTEN = 2,
	HWPMC_NL_CMD_NOTICES = 3,
	HWPMC_NL_CMD_WAKE = 4,
	HWPMC_NL_CMD_OWNERS = 5,
	HWPMC_NL_CMD_CPUS = 6,
	HWPMC_NL_CMD_CLASSES = 7,
	HWPMC_NL_CMD_ROWS = 8,
	HWPMC_NL_CMD_STATISTICS = 9,
	HWPMC_NL_CMD_TARGETS = 10,
};

/**
 * enum hwpmc_nl_what - what a notice is about
 * @HWPMC_NL_WHAT_LOST: as many notices as COUNT were lost before the next one
 * @HWPMC_NL_WHAT_OPEN: the device was opened
 * @HWPMC_NL_WHAT_CLOSE: its file was closed, with as many PMCs as COUNT left, which are released
 * @HWPMC_NL_WHAT_ALLOCATE: a PMC was allocated
 * @HWPMC_NL_WHAT_RELEASE: as many PMCs as COUNT are released by a call; the first is described.
 *	Their last STOP, THROTTLE and DROP may follow
 * @HWPMC_NL_WHAT_ATTACH: a PMC was attached to TARGET
 * @HWPMC_NL_WHAT_DETACH: it was detached from TARGET
 * @HWPMC_NL_WHAT_START: as many PMCs as COUNT were started together; the first is described
 * @HWPMC_NL_WHAT_STOP: as many were stopped together; the first is described
 * @HWPMC_NL_WHAT_ENDED: PMCs of the file had targets, and the last living thread of these has ended
 * @HWPMC_NL_WHAT_EVICT: an administrator ended the PMC; never before its ALLOCATE
 * @HWPMC_NL_WHAT_THROTTLE: the PMC was throttled as often as COUNT since the last such notice
 * @HWPMC_NL_WHAT_DROP: the PMC lost as many samples as COUNT since the last such notice
 * @HWPMC_NL_WHAT_CLAIM: the module claimed the PMU, and still has it
 * @HWPMC_NL_WHAT_UNCLAIM: it released the PMU, and does not have it
 * @HWPMC_NL_WHAT_REFUSE: since the last such notice it could not claim the PMU for as many PMCs of
 *	the file as COUNT, since perf or another driver uses it
 * @HWPMC_NL_WHAT_ONLINE: a CPU went online
 * @HWPMC_NL_WHAT_OFFLINE: a CPU went offline
 *
 * THROTTLE and DROP of a PMC, REFUSE of a file, and CLAIM or UNCLAIM are posted ten times a second
 * at most, so up to a tenth of a second late. The rest is posted when the PMC is released or the
 * file closed. If the PMU is claimed and released within that time, neither is posted. What is
 * allocated with HWPMC_F_TRY causes no notice.
 */
enum hwpmc_nl_what {
	HWPMC_NL_WHAT_LOST = 0,
	HWPMC_NL_WHAT_OPEN = 1,
	HWPMC_NL_WHAT_CLOSE = 2,
	HWPMC_NL_WHAT_ALLOCATE = 3,
	HWPMC_NL_WHAT_RELEASE = 4,
	HWPMC_NL_WHAT_ATTACH = 5,
	HWPMC_NL_WHAT_DETACH = 6,
	HWPMC_NL_WHAT_START = 7,
	HWPMC_NL_WHAT_STOP = 8,
	HWPMC_NL_WHAT_ENDED = 9,
	HWPMC_NL_WHAT_EVICT = 10,
	HWPMC_NL_WHAT_THROTTLE = 11,
	HWPMC_NL_WHAT_DROP = 12,
	HWPMC_NL_WHAT_CLAIM = 13,
	HWPMC_NL_WHAT_UNCLAIM = 14,
	HWPMC_NL_WHAT_REFUSE = 15,
	HWPMC_NL_WHAT_ONLINE = 16,
	HWPMC_NL_WHAT_OFFLINE = 17,
};

/**
 * enum hwpmc_nl_state - states of a PMC
 * @HWPMC_NL_STATE_ALLOCATED: it was not started yet
 * @HWPMC_NL_STATE_RUNNING: it was started, and not stopped
 * @HWPMC_NL_STATE_STOPPED: it was stopped
 * @HWPMC_NL_STATE_EVICTED: an administrator ended it, and its owner has not released it yet
 */
enum hwpmc_nl_state {
	HWPMC_NL_STATE_ALLOCATED = 0,
	HWPMC_NL_STATE_RUNNING = 1,
	HWPMC_NL_STATE_STOPPED = 2,
	HWPMC_NL_STATE_EVICTED = 3,
};

/**
 * enum hwpmc_nl_pmc - attributes of a message of HWPMC_NL_CMD_PMCS, _NOTICES, _OWNERS or _TARGETS
 * @HWPMC_NL_PMC_PAD: alignment; no value
 * @HWPMC_NL_PMC_SERIAL: u64: number of the PMC; no other PMC has it until the module is unloaded
 * @HWPMC_NL_PMC_ID: u32: its id in the owner's file
 * @HWPMC_NL_PMC_PID: u32: process that opened the file, in the caller's PID namespace
 * @HWPMC_NL_PMC_UID: u32: user of that process, in the caller's user namespace
 * @HWPMC_NL_PMC_COMM: string: name of that process at open(2)
 * @HWPMC_NL_PMC_CLASS: u32: HWPMC_CLASS_*
 * @HWPMC_NL_PMC_ROW: u32: the row, as in HWPMC_IOC_PMC_INFO
 * @HWPMC_NL_PMC_MODE: u32: HWPMC_MODE_*
 * @HWPMC_NL_PMC_CPU: s32: its CPU, or the one that a notice is about; -1 if it follows tasks
 * @HWPMC_NL_PMC_FLAGS: u32: HWPMC_F_*
 * @HWPMC_NL_PMC_CAPS: u64: HWPMC_CAP_*
 * @HWPMC_NL_PMC_EVENT: u64: the event, as it was allocated
 * @HWPMC_NL_PMC_STATE: u32: enum hwpmc_nl_state
 * @HWPMC_NL_PMC_THREADS: u32: living threads that it follows; 0 for a CPU's
 * @HWPMC_NL_PMC_AGE: u64: time since it was allocated, sleep of the machine included, in ns
 * @HWPMC_NL_PMC_RECORDED: u64: samples recorded; only of a PMC that samples
 * @HWPMC_NL_PMC_LOST: u64: samples that found no room in the ring; only of a PMC that samples.
 *	Samples that were not taken because of throttling are not among them
 * @HWPMC_NL_PMC_OWNER: u64: number of the open file; no other file has it until the module is
 *	unloaded
 * @HWPMC_NL_PMC_EXITED: u32: 1 if the process that opened the file is reaped, so that its pid may
 *	be another's by now; else 0
 * @HWPMC_NL_PMC_TARGETS: u32: processes and threads that were attached and not detached
 * @HWPMC_NL_PMC_TARGET: u32: pid of the first of them, or of the one that the message is about, in
 *	the caller's PID namespace; 0: not visible there. It may be reaped, see
 *	HWPMC_NL_PMC_TARGET_COMM
 * @HWPMC_NL_PMC_TARGET_COMM: string: its name; only of one that is not reaped
 * @HWPMC_NL_PMC_HIDDEN: u32: PMCs, or owners, that the caller may not know about; only in the last
 *	message
 * @HWPMC_NL_PMC_WHAT: u32: enum hwpmc_nl_what
 * @HWPMC_NL_PMC_TIME: u64: when the notice was queued for this socket, by the boot-time clock, in
 *	ns; of one socket in this order
 * @HWPMC_NL_PMC_COUNT: u64: see enum hwpmc_nl_what and HWPMC_NL_CMD_OWNERS
 * @HWPMC_NL_PMC_HANDLE: u64: handle of TARGET, as HWPMC_IOC_ATTACH returned it
 * @HWPMC_NL_PMC_SINGLE: u32: 1 if only the thread TARGET is followed, 0 if the process is
 */
enum hwpmc_nl_pmc {
	HWPMC_NL_PMC_PAD = 1,
	HWPMC_NL_PMC_SERIAL = 2,
	HWPMC_NL_PMC_ID = 3,
	HWPMC_NL_PMC_PID = 4,
	HWPMC_NL_PMC_UID = 5,
	HWPMC_NL_PMC_COMM = 6,
	HWPMC_NL_PMC_CLASS = 7,
	HWPMC_NL_PMC_ROW = 8,
	HWPMC_NL_PMC_MODE = 9,
	HWPMC_NL_PMC_CPU = 10,
	HWPMC_NL_PMC_FLAGS = 11,
	HWPMC_NL_PMC_CAPS = 12,
	HWPMC_NL_PMC_EVENT = 13,
	HWPMC_NL_PMC_STATE = 14,
	HWPMC_NL_PMC_THREADS = 15,
	HWPMC_NL_PMC_AGE = 16,
	HWPMC_NL_PMC_RECORDED = 17,
	HWPMC_NL_PMC_LOST = 18,
	HWPMC_NL_PMC_OWNER = 19,
	HWPMC_NL_PMC_EXITED = 20,
	HWPMC_NL_PMC_TARGETS = 21,
	HWPMC_NL_PMC_TARGET = 22,
	HWPMC_NL_PMC_TARGET_COMM = 23,
	HWPMC_NL_PMC_HIDDEN = 24,
	HWPMC_NL_PMC_WHAT = 25,
	HWPMC_NL_PMC_TIME = 26,
	HWPMC_NL_PMC_COUNT = 27,
	HWPMC_NL_PMC_HANDLE = 28,
	HWPMC_NL_PMC_SINGLE = 29,
};

/**
 * enum hwpmc_nl_machine - attributes of a message of HWPMC_NL_CMD_CPUS, _CLASSES, _ROWS and
 *	_STATISTICS
 * @HWPMC_NL_MACHINE_PAD: alignment; no value
 * @HWPMC_NL_MACHINE_CPU: u32: number of the CPU
 * @HWPMC_NL_MACHINE_CPUID: u64: its id, as in HWPMC_IOC_PMC_INFO
 * @HWPMC_NL_MACHINE_ONLINE: u32: 1 if it is online, else 0
 * @HWPMC_NL_MACHINE_CLASS: u32: HWPMC_CLASS_*
 * @HWPMC_NL_MACHINE_NAME: string: of the class, the row or the statistic: of a statistic that of
 *	its field in struct hwpmc_stats, with - instead of _
 * @HWPMC_NL_MACHINE_ROWS: u32: number of rows of the class
 * @HWPMC_NL_MACHINE_FIRST_ROW: u32: number of the first of them
 * @HWPMC_NL_MACHINE_WIDTH: u32: of the row, or of the widest of the class, in bits
 * @HWPMC_NL_MACHINE_CAPS: u64: HWPMC_CAP_* of the class
 * @HWPMC_NL_MACHINE_ROW: u32: number of the row
 * @HWPMC_NL_MACHINE_ENABLED: u32: 1 if it may be used on that CPU, else 0
 * @HWPMC_NL_MACHINE_DISPOSITION: u32: HWPMC_ROW_*
 * @HWPMC_NL_MACHINE_HOLDERS: u32: number of PMCs that hold it on that CPU
 * @HWPMC_NL_MACHINE_VALUE: u64: of the statistic: the sum over all CPUs since the module was
 *	loaded
 *
 * CPUS have CPU, CPUID and ONLINE; CLASSES have CLASS, NAME, ROWS, FIRST_ROW, WIDTH and CAPS; ROWS
 * have CPU, ROW, CLASS, NAME, WIDTH, ENABLED, DISPOSITION and HOLDERS; STATISTICS have NAME and
 * VALUE.
 */
enum hwpmc_nl_machine {
	HWPMC_NL_MACHINE_PAD = 1,
	HWPMC_NL_MACHINE_CPU = 2,
	HWPMC_NL_MACHINE_CPUID = 3,
	HWPMC_NL_MACHINE_ONLINE = 4,
	HWPMC_NL_MACHINE_CLASS = 5,
	HWPMC_NL_MACHINE_NAME = 6,
	HWPMC_NL_MACHINE_ROWS = 7,
	HWPMC_NL_MACHINE_FIRST_ROW = 8,
	HWPMC_NL_MACHINE_WIDTH = 9,
	HWPMC_NL_MACHINE_CAPS = 10,
	HWPMC_NL_MACHINE_ROW = 11,
	HWPMC_NL_MACHINE_ENABLED = 12,
	HWPMC_NL_MACHINE_DISPOSITION = 13,
	HWPMC_NL_MACHINE_HOLDERS = 14,
	HWPMC_NL_MACHINE_VALUE = 15,
};

#endif /* _UAPI_LINUX_HWPMC_NETLINK_H */
