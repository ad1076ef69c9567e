// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks of one user with different labels of a security module (AppArmor) may be counted and
 * sampled, but their registers and stacks are copied only with CAP_PERFMON.
 */
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "file.h"
#include "test_class.h"

#define USER	1000
#define PLAIN	"/tmp/rights-label-plain"
#define POLICY	"/sys/kernel/security/apparmor/policy/namespaces/" AGENT_NAMESPACE

/* A sampling PMC that copies @stack bytes of the user's stack. */
static uint32_t sampler(uint32_t stack, uint32_t flags)
{
	struct hwpmc_allocate a = {
		.class_id = test_class.class_id, .mode = HWPMC_MODE_TS, .cpu = -1, .flags = flags,
		.caps = HWPMC_CAP_USER, .event = test_class.event, .count = 1000000,
		.user_stack = stack,
	};

	if (dev_call(user_fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("a sampler: %s", dev_sentence(user_fd));
	return a.id;
}

/* A target executes a program without a change of its label, and then one with it. */
static void label_changes(const char *who, uint32_t stack, bool kept)
{
	struct agent p = agent_start(NULL, NULL);
	uint32_t id = sampler(stack, 0);

	check(!dev_attach(user_fd, id, p.pid, 0), "%s, %u bytes of stack: ATTACH to a child", who, stack);
	check(agent_exec(&p, PLAIN) && !dev_hung_up(user_fd),
	      "%s: the child executes a program and is kept", who);
	check(!agent_do(&p, 'o') && agent_exec(&p, PLAIN) && dev_hung_up(user_fd) == !kept,
	      "%s, %u bytes of stack: the child changes its label by exec, and is %s", who, stack,
	      kept ? "kept" : "lost");
	dev_release(user_fd, id);
	agent_reap(&p);
}

static void plain(void *arg)
{
	struct agent same = agent_start(NULL, NULL), other = agent_start(NULL, NULL);
	uint32_t counts = class_pmc(user_fd, 0), samples = sampler(0, 0), copies = sampler(512, 0);

	(void)arg;
	check(!agent_do(&other, 'l'), "(a child changes its label)");
	check(!dev_attach(user_fd, counts, other.pid, 0), "ATTACH of a counting PMC to a task with another label");
	check(!dev_attach(user_fd, samples, other.pid, 0), "ATTACH of a sampling PMC to that task");
	refused(user_fd, dev_attach(user_fd, copies, other.pid, 0), EPERM, "label|CAP_PERFMON",
		"ATTACH of a PMC that copies the user's stack to that task");
	check(!dev_attach(user_fd, copies, same.pid, 0),
	      "ATTACH of a PMC that copies the user's stack to a task with the same label");
	check(!dev_attach(user_fd, copies, 0, 0), "ATTACH of a PMC that copies the user's stack to the caller");
	agent_reap(&same);
	agent_reap(&other);
	dev_release(user_fd, counts);
	dev_release(user_fd, samples);
	dev_release(user_fd, copies);
	label_changes("a user", 0, true);
	label_changes("a user", 512, false);
}

static void perfmon(void *arg)
{
	struct agent other = agent_start(NULL, NULL);
	uint32_t copies = sampler(512, 0);

	(void)arg;
	check(!agent_do(&other, 'l') && !dev_attach(user_fd, copies, other.pid, 0),
	      "CAP_PERFMON: ATTACH of a PMC that copies the stack to a task with another label");
	agent_reap(&other);
	dev_release(user_fd, copies);
	label_changes("CAP_PERFMON", 512, true);
}

int main(int argc, char **argv)
{
	agent_main(argc, argv);
	close(class_open(60));
	file_copy_program(PLAIN, 0, 0755);
	mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL);
	if (test_class.class_id == HWPMC_CLASS_MOCK || (mkdir(POLICY, 0755) && errno != EEXIST)) {
		skip("labels: class MOCK does not sample, or this kernel has no AppArmor: %s", strerror(errno));
		return result();
	}
	as_user("labels", USER, 0, plain, NULL);
	as_user("labels with CAP_PERFMON", USER, 1ULL << CAP_PERFMON, perfmon, NULL);
	rmdir(POLICY);
	return result();
}
