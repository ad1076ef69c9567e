// SPDX-License-Identifier: GPL-2.0-only
/* hwpmc's part of the benchmark of slopes. */
#include "slope.h"

#define MOST	32

static int dev;
static uint32_t ids[MOST];
static pid_t target;

static uint32_t allocate(int fd, unsigned int index, uint32_t flags)
{
	bool hardware = index < SLOPE_HARDWARE;
	int64_t id = dev_allocate(fd, hardware ? dev_class() : HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1,
				  hardware ? EV_INSTRUCTIONS : HWPMC_SOFT_SWITCHES, 0, flags);

	if (id < 0)
		die("allocate: %s", dev_sentence(fd));
	return id;
}

static void attach(int fd, uint32_t id, pid_t pid)
{
	if (dev_attach(fd, id, pid, 0))
		die("attach: %s", dev_sentence(fd));
}

static void hwpmc_follow(unsigned int count, pid_t pid)
{
	dev = dev_open();
	for (unsigned int i = 0; i < count; i++) {
		ids[i] = allocate(dev, i, HWPMC_F_DESCENDANTS);
		attach(dev, ids[i], pid);
	}
	if (dev_ids(dev, HWPMC_IOC_START, ids, count))
		die("start: %s", dev_sentence(dev));
}

static void hwpmc_unfollow(void)
{
	close(dev);
}

static void hwpmc_prepare(void)
{
	dev = dev_open();
	ids[0] = allocate(dev, 0, 0);
}

static void hwpmc_attach(pid_t pid, const pid_t *tids, unsigned int count)
{
	(void)tids;
	(void)count;
	target = pid;
	attach(dev, ids[0], pid);
}

static void hwpmc_start(void)
{
	if (dev_start(dev, ids[0]))
		die("start: %s", dev_sentence(dev));
}

static void hwpmc_stop(void)
{
	if (dev_stop(dev, ids[0]))
		die("stop: %s", dev_sentence(dev));
}

static void hwpmc_detach(void)
{
	if (dev_detach(dev, ids[0], target, 0))
		die("detach: %s", dev_sentence(dev));
}

static void hwpmc_read(void)
{
	if (dev_value(dev, ids[0]))
		die("threads that sleep have counted");
}

static int hwpmc_other(pid_t pid)
{
	int fd = dev_open();
	uint32_t id = allocate(fd, 0, 0);

	attach(fd, id, pid);
	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	return fd;
}

const struct slope slope_hwpmc = {
	.name		= "hwpmc",
	.follow		= hwpmc_follow,
	.unfollow	= hwpmc_unfollow,
	.prepare	= hwpmc_prepare,
	.attach		= hwpmc_attach,
	.start		= hwpmc_start,
	.read		= hwpmc_read,
	.stop		= hwpmc_stop,
	.detach		= hwpmc_detach,
	.other		= hwpmc_other,
};
