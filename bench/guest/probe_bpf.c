// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes by BPF programs that count, of the whole CPU, in two ways:
 *
 *	bpf	the code that bpftrace generates for "@ = count()", according to bpftrace's source:
 *		it looks up the key in a per-CPU hash, and stores the incremented count
 *	lean	as few instructions as possible: it adds to the element of a per-CPU array
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "probe.h"

#define CPUS	64	/* more than the guest has */

static bool lean;
static int map = -1, program = -1, event = -1;

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static void make_map(void)
{
	union bpf_attr attr = {
		.map_type = lean ? BPF_MAP_TYPE_PERCPU_ARRAY : BPF_MAP_TYPE_PERCPU_HASH,
		.key_size = lean ? 4 : 8, .value_size = 8, .max_entries = lean ? 1 : 4096,
	};

	map = bpf(BPF_MAP_CREATE, &attr);
	if (map < 0)
		die("a map of BPF: %s", strerror(errno));
}

#define INSN(operation, to, from, offset, value) \
	{ .code = (operation), .dst_reg = (to), .src_reg = (from), .off = (offset), .imm = (value) }
#define MOVE(to, from)		INSN(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)
#define SET(to, value)		INSN(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value)
#define ADD(to, value)		INSN(BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, value)
#define LOAD(to, at)		INSN(BPF_LDX | BPF_MEM | BPF_DW, to, at, 0, 0)
#define STORE(at, offset, from)	INSN(BPF_STX | BPF_MEM | BPF_DW, at, from, offset, 0)
#define IF_ZERO(what, over)	INSN(BPF_JMP | BPF_JEQ | BPF_K, what, 0, over, 0)
#define CALL(function)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, function)
#define EXIT()			INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* A map's address takes the space of two instructions. */
#define SET_MAP(to, fd)		INSN(BPF_LD | BPF_IMM | BPF_DW, to, BPF_PSEUDO_MAP_FD, 0, fd)
#define SECOND()		INSN(0, 0, 0, 0, 0)

static int load(uint32_t type, const struct bpf_insn *code, size_t count)
{
	static char log[16384];
	union bpf_attr attr = {
		.prog_type = type, .insns = (uintptr_t)code, .insn_cnt = count,
		.license = (uintptr_t)"GPL", .log_buf = (uintptr_t)log, .log_size = sizeof(log),
		.log_level = 1,
	};
	int fd = bpf(BPF_PROG_LOAD, &attr);

	if (fd < 0)
		die("a program of BPF: %s: %s", strerror(errno), log);
	return fd;
}

static int load_lean(uint32_t type)
{
	const struct bpf_insn code[] = {
		SET(BPF_REG_0, 0),
		STORE(BPF_REG_10, -8, BPF_REG_0),
		MOVE(BPF_REG_2, BPF_REG_10),
		ADD(BPF_REG_2, -8),
		SET_MAP(BPF_REG_1, map),
		SECOND(),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_ZERO(BPF_REG_0, 3),
		LOAD(BPF_REG_1, BPF_REG_0),
		ADD(BPF_REG_1, 1),
		STORE(BPF_REG_0, 0, BPF_REG_1),
		SET(BPF_REG_0, 0),
		EXIT(),
	};

	return load(type, code, ARRAY_SIZE(code));
}

static int load_count(uint32_t type)
{
	const struct bpf_insn code[] = {
		SET(BPF_REG_6, 0),
		STORE(BPF_REG_10, -8, BPF_REG_6),
		MOVE(BPF_REG_2, BPF_REG_10),
		ADD(BPF_REG_2, -8),
		SET_MAP(BPF_REG_1, map),
		SECOND(),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_ZERO(BPF_REG_0, 1),
		LOAD(BPF_REG_6, BPF_REG_0),
		ADD(BPF_REG_6, 1),
		STORE(BPF_REG_10, -16, BPF_REG_6),
		MOVE(BPF_REG_2, BPF_REG_10),
		ADD(BPF_REG_2, -8),
		MOVE(BPF_REG_3, BPF_REG_10),
		ADD(BPF_REG_3, -16),
		SET_MAP(BPF_REG_1, map),
		SECOND(),
		SET(BPF_REG_4, BPF_ANY),
		CALL(BPF_FUNC_map_update_elem),
		SET(BPF_REG_0, 0),
		EXIT(),
	};

	return load(type, code, ARRAY_SIZE(code));
}

static uint32_t type_of(const struct tracing *how)
{
	if (how->raw)
		return BPF_PROG_TYPE_RAW_TRACEPOINT;
	if (how->tick)
		return BPF_PROG_TYPE_PERF_EVENT;
	return how->function ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_TRACEPOINT;
}

static int attach_raw(const struct tracing *how)
{
	const char *name = strchr(how->point, '/') + 1;
	union bpf_attr attr = {
		.raw_tracepoint = { .name = (uintptr_t)name, .prog_fd = program },
	};
	int fd = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);

	if (fd < 0)
		die("%s: a raw tracepoint: %s", how->key, strerror(errno));
	return fd;
}

static int attach(const struct tracing *how)
{
	struct perf_event_attr attr = { .sample_period = how->tick ? how->tick : 1 };
	int fd = trace_event_open(how, &attr, -1, 0);

	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		die("%s: a program of BPF cannot be attached: %s", how->key, strerror(errno));
	return fd;
}

static bool bpf_trace_open(const struct tracing *how)
{
	if (how->samples || how->stopped)
		return false;
	make_map();
	program = lean ? load_lean(type_of(how)) : load_count(type_of(how));
	event = how->raw ? attach_raw(how) : attach(how);
	return true;
}

static bool lean_trace_open(const struct tracing *how)
{
	lean = true;
	return bpf_trace_open(how);
}

static void bpf_trace_drain(const struct tracing *how, struct traced *sum)
{
	uint64_t values[CPUS] = {}, key = 0;
	union bpf_attr attr = {
		.map_fd = map, .key = (uintptr_t)&key, .value = (uintptr_t)values,
	};

	(void)how;
	/* The hash has the key since the first event. */
	if (bpf(BPF_MAP_LOOKUP_ELEM, &attr) && errno != ENOENT)
		die("a map of BPF: %s", strerror(errno));
	sum->events = 0;
	for (int i = 0; i < CPUS; i++)
		sum->events += values[i];
}

static void bpf_trace_close(const struct tracing *how)
{
	(void)how;
	close(event);
	close(program);
	close(map);
}

const struct tracer tracer_bpf = {
	.name	= "bpf",
	.open	= bpf_trace_open,
	.drain	= bpf_trace_drain,
	.close	= bpf_trace_close,
};

const struct tracer tracer_lean = {
	.name	= "lean",
	.open	= lean_trace_open,
	.drain	= bpf_trace_drain,
	.close	= bpf_trace_close,
};

/* BPF is used for probes only. */
const struct backend backend_bpf = { .name = "bpf" }, backend_lean = { .name = "lean" };
