/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The generic netlink family "hwpmc": what is allocated on this machine, for programs that watch
 * and do not count. docs/netlink/hwpmc.yaml describes the messages; tests/check-netlink compares it
 * with this file.
 */
#ifndef _UAPI_LINUX_HWPMC_NETLINK_H
#define _UAPI_LINUX_HWPMC_NETLINK_H

#define HWPMC_GENL_NAME		"hwpmc"
#define HWPMC_GENL_VERSION	1

/**
 * enum hwpmc_nl_cmd - commands of the family
 * @HWPMC_NL_CMD_PMCS: dump the PMCs that the caller may know about, a message for each
 *
 * A dump has no attributes in its request. Its messages have NLM_F_DUMP_INTR if a PMC was
 * allocated or released meanwhile: repeat the dump for a list of one instant. If PMCs were left
 * out, the last message has HWPMC_NL_PMC_HIDDEN and nothing else.
 */
enum hwpmc_nl_cmd {
	HWPMC_NL_CMD_PMCS = 1,
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
 * enum hwpmc_nl_pmc - attributes of a message of HWPMC_NL_CMD_PMCS
 * @HWPMC_NL_PMC_PAD: alignment; no value
 * @HWPMC_NL_PMC_SERIAL: u64: number of the PMC; no other PMC has it until the module is unloaded
 * @HWPMC_NL_PMC_ID: u32: its id in the owner's file
 * @HWPMC_NL_PMC_PID: u32: process that opened the file, in the caller's PID namespace
 * @HWPMC_NL_PMC_UID: u32: user of that process, in the caller's user namespace
 * @HWPMC_NL_PMC_COMM: string: name of that process at open(2)
 * @HWPMC_NL_PMC_CLASS: u32: HWPMC_CLASS_*
 * @HWPMC_NL_PMC_ROW: u32: the row, as in HWPMC_IOC_PMC_INFO
 * @HWPMC_NL_PMC_MODE: u32: HWPMC_MODE_*
 * @HWPMC_NL_PMC_CPU: s32: its CPU, -1 if it follows tasks
 * @HWPMC_NL_PMC_FLAGS: u32: HWPMC_F_*
 * @HWPMC_NL_PMC_CAPS: u64: HWPMC_CAP_*
 * @HWPMC_NL_PMC_EVENT: u64: the event, as it was allocated
 * @HWPMC_NL_PMC_STATE: u32: enum hwpmc_nl_state
 * @HWPMC_NL_PMC_THREADS: u32: living threads that it follows; 0 for a CPU's
 * @HWPMC_NL_PMC_AGE: u64: time since it was allocated, sleep of the machine included, in ns
 * @HWPMC_NL_PMC_RECORDED: u64: samples recorded; only of a PMC that samples
 * @HWPMC_NL_PMC_LOST: u64: samples lost; likewise
 * @HWPMC_NL_PMC_OWNER: u64: number of the open file; no other file has it until the module is
 *	unloaded
 * @HWPMC_NL_PMC_EXITED: u32: 1 if the process that opened the file is reaped, so that its pid may
 *	be another's by now; else 0
 * @HWPMC_NL_PMC_TARGETS: u32: processes and threads that were attached and not detached
 * @HWPMC_NL_PMC_TARGET: u32: pid of the first of them, in the caller's PID namespace; 0: not
 *	visible there. It may be reaped, see HWPMC_NL_PMC_TARGET_COMM
 * @HWPMC_NL_PMC_TARGET_COMM: string: its name; only of one that is not reaped
 * @HWPMC_NL_PMC_HIDDEN: u32: PMCs that the caller may not know about; only in the last message
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
};

#endif /* _UAPI_LINUX_HWPMC_NETLINK_H */
