// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel lockdown in mode confidentiality: sampling the kernel is refused; counting, and sampling
 * user mode, are allowed. Probes of kernel functions are refused, and all samples of probes, and
 * conditions on arguments and results: the count of events that match a condition would reveal a
 * value of the kernel. The mode cannot be left, so this is the last program of a machine.
 */
#include <sys/mount.h>

#include "file.h"
#include "test_class.h"
#include "exact.h"
#include "probe.h"

#define LOCKDOWN	"/sys/kernel/security/lockdown"

static const uint32_t both = HWPMC_CAP_USER | HWPMC_CAP_SYSTEM;

static int allocate(int fd, uint32_t mode, uint64_t caps)
{
	struct hwpmc_allocate a = {
		.class_id = dev_class(), .caps = caps, .mode = mode, .event = EV_INSTRUCTIONS,
		.cpu = mode == HWPMC_MODE_SS || mode == HWPMC_MODE_SC ? 0 : -1, .count = 10000000,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	if (!err)
		dev_release(fd, a.id);
	return err;
}

static void nothing_refused(int fd, const char *when)
{
	check(!allocate(fd, HWPMC_MODE_TS, both) && !allocate(fd, HWPMC_MODE_SS, both) &&
	      !allocate(fd, HWPMC_MODE_TC, both) && !allocate(fd, HWPMC_MODE_SC, both),
	      "%s the kernel can be sampled and counted", when);
}

static void samples_user_by_default(int fd)
{
	struct hwpmc_allocate a = {
		.class_id = dev_class(), .mode = HWPMC_MODE_TS, .event = EV_INSTRUCTIONS,
		.count = 10000000,
	};
	struct hwpmc_caps caps = {};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	dev_caps(fd, a.id, &caps);
	check(!err && (caps.caps & HWPMC_CAP_USER) &&
	      !(caps.caps & HWPMC_CAP_SYSTEM),
	      "confidentiality: a sampler with caps 0 samples user mode only: caps 0x%llx", caps.caps);
	dev_release(fd, a.id);
}

/* What a PMC of a probe requests besides a count */
struct wish {
	uint32_t args;
	uint32_t string;
	const struct hwpmc_filter *filter;
};

static const struct hwpmc_filter of_arg = {
	.field = HWPMC_FILTER_ARG, .op = HWPMC_FILTER_BITS, .bytes = 8, .value = 1,
}, of_result = {
	.field = HWPMC_FILTER_RETVAL, .bytes = 8,
}, of_name = {
	.field = HWPMC_FILTER_COMM, .comm = "init",
};

static PROBED int target(int value)
{
	return value + 1;
}

static int allocate_probe(int fd, const char *name, uint32_t mode, const struct wish *wish)
{
	bool cpu = mode == HWPMC_MODE_SS || mode == HWPMC_MODE_SC;
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = mode, .cpu = cpu ? 0 : -1,
		.name = (uintptr_t)name, .name_length = strlen(name), .args = wish->args,
		.string = wish->string, .filters = !!wish->filter,
		.filter_list = (uintptr_t)wish->filter,
		.filter_size = wish->filter ? sizeof(*wish->filter) : 0,
		.count = mode == HWPMC_MODE_SS || mode == HWPMC_MODE_TS,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	if (!err)
		dev_release(fd, a.id);
	return err;
}

/* What lockdown refuses. */
static const struct {
	const char *name;
	uint32_t mode;
	struct wish wish;
} secrets[] = {
	{ "kprobe:" PROBE_FUNCTION, HWPMC_MODE_TC, {} },
	{ "kprobe:" PROBE_FUNCTION ":return", HWPMC_MODE_SC, {} },
	{ "kprobe:getname_flags", HWPMC_MODE_TS, { .args = 2, .string = 1 } },
	{ "kprobe:vfs_read:return", HWPMC_MODE_TC, { .filter = &of_result } },
	{ "tracepoint:sched_process_exec", HWPMC_MODE_SS, { .args = 3 } },
	{ "tracepoint:sys_enter", HWPMC_MODE_TS, { .string = 1 } },
	{ "tracepoint:sys_enter", HWPMC_MODE_TC, { .filter = &of_arg } },
	{ "tracepoint:sched_switch", HWPMC_MODE_SC, { .filter = &of_arg } },
	{ "syscall:openat:entry", HWPMC_MODE_TS, { .args = 6, .string = 2 } },
	{ "syscall:read:return", HWPMC_MODE_TC, { .filter = &of_result } },
	{ "profile:hz:99", HWPMC_MODE_SS, {} },
};

/* What is allowed at all times. */
static const struct {
	const char *name;
	uint32_t mode;
	struct wish wish;
} counts[] = {
	{ "tracepoint:sched_switch", HWPMC_MODE_SC, {} },
	{ "tracepoint:sys_enter", HWPMC_MODE_TC, { .filter = &of_name } },
	{ "syscall:read:entry", HWPMC_MODE_TC, {} },
	{ "profile:hz:99", HWPMC_MODE_SC, {} },
};

static void probes_allowed(int fd, const char *when)
{
	for (size_t i = 0; i < ARRAY_SIZE(secrets); i++)
		check(!allocate_probe(fd, secrets[i].name, secrets[i].mode, &secrets[i].wish),
		      "%s %s can be probed (case %zu)", when, secrets[i].name, i);
}

static void probes_refused(int fd)
{
	int64_t id;

	for (size_t i = 0; i < ARRAY_SIZE(secrets); i++)
		refused(fd, allocate_probe(fd, secrets[i].name, secrets[i].mode, &secrets[i].wish), EPERM,
			"lockdown", "confidentiality: %s (case %zu)", secrets[i].name, i);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		check(!allocate_probe(fd, counts[i].name, counts[i].mode, &counts[i].wish),
		      "confidentiality: ALLOCATE counting %s succeeds", counts[i].name);
	id = probe_allocate_at(fd, target, "entry", HWPMC_MODE_TC, -1, 0);
	check(id > 0, "confidentiality: ALLOCATE counting a function of a program succeeds");
	refused(fd, probe_allocate_at(fd, target, "entry", HWPMC_MODE_TS, -1, 0), EPERM, "lockdown",
		"confidentiality: ALLOCATE sampling it");
}

int main(void)
{
	int fd = dev_open();

	time_limit(20);
	mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL);
	if (access(LOCKDOWN, W_OK)) {
		skip("lockdown: this kernel has none");
		return result();
	}
	nothing_refused(fd, "without lockdown");
	probes_allowed(fd, "without lockdown");
	/* The probe stays registered: a PMC that is allocated later must be refused, too. */
	probe_count(fd, secrets[0].name, 0);
	if (!file_write(LOCKDOWN, "integrity"))
		die("lockdown: %s", strerror(errno));
	nothing_refused(fd, "in mode integrity");
	probes_allowed(fd, "in mode integrity");
	if (!file_write(LOCKDOWN, "confidentiality"))
		die("lockdown: %s", strerror(errno));
	refused(fd, allocate(fd, HWPMC_MODE_TS, both), EPERM, "lockdown",
		"confidentiality: ALLOCATE sampling a task in kernel mode");
	samples_user_by_default(fd);
	refused(fd, allocate(fd, HWPMC_MODE_SS, HWPMC_CAP_SYSTEM), EPERM, "lockdown",
		"confidentiality: ALLOCATE sampling a CPU in kernel mode");
	check(!allocate(fd, HWPMC_MODE_TS, HWPMC_CAP_USER) &&
	      !allocate(fd, HWPMC_MODE_SS, HWPMC_CAP_USER),
	      "confidentiality: ALLOCATE sampling user mode succeeds");
	check(!allocate(fd, HWPMC_MODE_TC, both) && !allocate(fd, HWPMC_MODE_SC, both),
	      "confidentiality: ALLOCATE counting both modes succeeds");
	probes_refused(fd);
	return result();
}
