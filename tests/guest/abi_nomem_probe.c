// SPDX-License-Identifier: GPL-2.0-only
/*
 * "abi_nomem_probe [STEP LATER]": as abi_nomem.c, of the calls for probes: ALLOCATE of each provider,
 * which registers it with the kernel, with conditions and with samples; START, ATTACH and RELEASE of
 * PMCs that use them. With STEP and LATER only some of the failures of each: see fail_every(). The
 * kernel allocates about 290 instances of a kretprobe.
 */
#include <inttypes.h>

#include "test_class.h"
#include "fail.h"
#include "fail_call.h"
#include "fail_pmcs.h"
#include "param.h"
#include "probe.h"

#define FILTER(field_, value_)	{ .field = HWPMC_FILTER_##field_, .bytes = 4, .value = (value_) }

static const struct hwpmc_filter conditions[] = {
	FILTER(ARG, 1), FILTER(PID, 2), { .field = HWPMC_FILTER_COMM, .comm = "one" },
};

static int fd;

/* probes_linger is 1 (ms): an unused probe is removed, and the call registers it again. */
static void no_probe(void)
{
	if (!SOON(!dev_stats(fd).probes))
		die("a probe remains");
}

static int allocate(struct hwpmc_allocate *a, const char *name)
{
	a->class_id = HWPMC_CLASS_PROBE;
	a->name = (uintptr_t)name;
	a->name_length = strlen(name);
	return pmcs_allocate(fd, a);
}

static int counter(const char *name, int file)
{
	struct hwpmc_allocate a = { .mode = HWPMC_MODE_TC, .cpu = -1, .file = file };

	return allocate(&a, name);
}

static int syscall_call(void)
{
	return counter("syscall:read:entry", 0);
}

static int all_syscalls_call(void)
{
	return counter("syscall:*:return", 0);
}

static int kernel_tracepoint_call(void)
{
	return counter("tracepoint:sched_switch", 0);
}

static int tracepoint_call(void)
{
	return counter("tracepoint:sched:sched_switch", 0);
}

static int kprobe_call(void)
{
	return counter("kprobe:vfs_read", 0);
}

static int kretprobe_call(void)
{
	return counter("kprobe:vfs_read:return", 0);
}

static int profile_call(void)
{
	return counter("profile:hz:99", 0);
}

static int interval_call(void)
{
	return counter("interval:ms:100", 0);
}

static char entry[64], returns[64];
static int program;	/* file descriptor of the program with the probed function */

static int uprobe_call(void)
{
	return counter(entry, program);
}

static int uretprobe_call(void)
{
	return counter(returns, program);
}

static int filtered_call(void)
{
	struct hwpmc_allocate a = {
		.mode = HWPMC_MODE_TC, .cpu = -1, .filters = ARRAY_SIZE(conditions),
		.filter_list = (uintptr_t)conditions, .filter_size = sizeof(conditions[0]),
	};

	return allocate(&a, "syscall:read:entry");
}

static int sampled_call(void)
{
	struct hwpmc_allocate a = {
		.mode = HWPMC_MODE_TS, .cpu = -1, .count = 1, .args = 6, .string = 2,
		.flags = HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN | HWPMC_F_COMM,
	};

	return allocate(&a, "syscall:openat:entry");
}

static int sampled_cpu_call(void)
{
	struct hwpmc_allocate a = { .mode = HWPMC_MODE_SS, .cpu = 1, .count = 1, .args = 2 };

	return allocate(&a, "tracepoint:sched_switch");
}

static int try_call(void)
{
	struct hwpmc_allocate a = { .mode = HWPMC_MODE_TC, .cpu = -1, .flags = HWPMC_F_TRY };
	int err = allocate(&a, "kprobe:vfs_read:return");

	/* It returns no PMC. */
	pmcs.count = 0;
	return err;
}

static bool try_done(int err)
{
	(void)err;
	return true;
}

static void two(void)
{
	if (counter("syscall:read:entry", 0) || counter("syscall:read:return", 0))
		die("two: %s", dev_sentence(fd));
}

static void tree(void)
{
	struct hwpmc_allocate a = { .mode = HWPMC_MODE_TC, .cpu = -1, .flags = HWPMC_F_DESCENDANTS };

	if (allocate(&a, "syscall:read:entry"))
		die("tree: %s", dev_sentence(fd));
}

static void two_run(void)
{
	two();
	if (pmcs_start())
		die("start: %s", dev_sentence(fd));
}

static const struct fail_call calls[] = {
	{ "ALLOCATE of a system call", HWPMC_IOC_ALLOCATE, false, no_probe, syscall_call,
	  pmcs_allocate_done },
	{ "ALLOCATE of all returns", HWPMC_IOC_ALLOCATE, false, no_probe, all_syscalls_call,
	  pmcs_allocate_done },
	{ "ALLOCATE of a tracepoint of the kernel", HWPMC_IOC_ALLOCATE, false, no_probe,
	  kernel_tracepoint_call, pmcs_allocate_done },
	{ "ALLOCATE of a tracepoint", HWPMC_IOC_ALLOCATE, false, no_probe, tracepoint_call,
	  pmcs_allocate_done },
	{ "ALLOCATE of a kprobe", HWPMC_IOC_ALLOCATE, false, no_probe, kprobe_call,
	  pmcs_allocate_done },
	{ "ALLOCATE of a kretprobe", HWPMC_IOC_ALLOCATE, false, no_probe, kretprobe_call,
	  pmcs_allocate_done },
	{ "ALLOCATE of a uprobe", HWPMC_IOC_ALLOCATE, false, no_probe, uprobe_call,
	  pmcs_allocate_done },
	{ "ALLOCATE of a uretprobe", HWPMC_IOC_ALLOCATE, false, no_probe, uretprobe_call,
	  pmcs_allocate_done },
	{ "ALLOCATE of ticks on each CPU", HWPMC_IOC_ALLOCATE, false, no_probe, profile_call,
	  pmcs_allocate_done },
	{ "ALLOCATE of ticks on one CPU", HWPMC_IOC_ALLOCATE, false, no_probe, interval_call,
	  pmcs_allocate_done },
	{ "ALLOCATE with conditions", HWPMC_IOC_ALLOCATE, false, no_probe, filtered_call,
	  pmcs_allocate_done },
	{ "ALLOCATE with samples and a string", HWPMC_IOC_ALLOCATE, false, no_probe, sampled_call,
	  pmcs_allocate_done },
	{ "ALLOCATE with samples of a CPU", HWPMC_IOC_ALLOCATE, false, no_probe, sampled_cpu_call,
	  pmcs_allocate_done },
	{ "ALLOCATE with TRY", HWPMC_IOC_ALLOCATE, false, no_probe, try_call, try_done },
	{ "START of two probes that attaches the caller", HWPMC_IOC_START, true, two, pmcs_start,
	  pmcs_start_done },
	{ "ATTACH of a probe to many threads", HWPMC_IOC_ATTACH, true, tree, pmcs_attach,
	  pmcs_attach_done },
	{ "RELEASE of two probes that run", HWPMC_IOC_RELEASE, true, two_run, pmcs_release,
	  pmcs_release_done },
};

int main(int argc, char **argv)
{
	uint64_t offset;

	agent_main(argc, argv);
	if (argc > 2)
		fail_every(strtoul(argv[1], NULL, 0), strtoul(argv[2], NULL, 0));
	fd = class_open(120);
	param_set("probes_linger", 1);
	pmcs_init(fd);
	if (!fail_open())
		return result();
	program = probe_file(no_probe, &offset);
	snprintf(entry, sizeof(entry), "uprobe:%#" PRIx64 ":entry", offset);
	snprintf(returns, sizeof(returns), "uprobe:%#" PRIx64 ":return", offset);
	pmcs_start_target();
	fail_calls(fd, calls, ARRAY_SIZE(calls));
	agent_reap(&pmcs.target);
	return result();
}
