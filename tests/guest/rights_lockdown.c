// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel lockdown in mode confidentiality: sampling the kernel is refused; counting, and sampling
 * user mode, are allowed. The mode cannot be left, so this is the last program of a machine.
 */
#include <fcntl.h>
#include <sys/mount.h>

#include "test_class.h"
#include "exact.h"

#define LOCKDOWN	"/sys/kernel/security/lockdown"

static const uint32_t both = HWPMC_CAP_USER | HWPMC_CAP_SYSTEM;

static bool lock_down(const char *level)
{
	int file = open(LOCKDOWN, O_WRONLY | O_CLOEXEC);
	bool ok = file >= 0 && write(file, level, strlen(level)) == (ssize_t)strlen(level);

	if (file >= 0)
		close(file);
	return ok;
}

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
	if (!lock_down("integrity"))
		die("lockdown: %s", strerror(errno));
	nothing_refused(fd, "in mode integrity");
	if (!lock_down("confidentiality"))
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
	return result();
}
