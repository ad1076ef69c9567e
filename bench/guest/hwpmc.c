// SPDX-License-Identifier: GPL-2.0-only
/* hwpmc's counters. */
#include <fcntl.h>
#include <poll.h>

#include <hwpmc_ring.h>
#include <hwpmc_user.h>

#include "bench.h"

static int dev = -1;
static uint32_t ids[8];
static unsigned int id_count;
static uint64_t values[8];
static struct hwpmc_group_read group;	/* group 0: there is none */
static struct hwpmc_ring_reader ring;
static struct hwpmc_user_reader page;

static uint32_t allocate(struct hwpmc_allocate a)
{
	a.class_id = dev_class();
	a.cpu = -1;
	if (dev_call(dev, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("allocate: %s", dev_sentence(dev));
	return a.id;
}

static void attach(unsigned int count, pid_t pid)
{
	for (unsigned int i = 0; i < count; i++)
		if (dev_attach(dev, ids[i], pid, 0))
			die("attach: %s", dev_sentence(dev));
}

static void start(unsigned int count)
{
	if (dev_ids(dev, HWPMC_IOC_START, ids, count))
		die("start: %s", dev_sentence(dev));
}

static void prepare(unsigned int count, pid_t pid, uint32_t flags)
{
	dev = dev_open();
	for (id_count = 0; id_count < count; id_count++)
		ids[id_count] = allocate((struct hwpmc_allocate){
			.mode = HWPMC_MODE_TC, .event = EV_INSTRUCTIONS, .flags = flags,
		});
	attach(count, pid);
}

static void hwpmc_open(unsigned int count, pid_t pid)
{
	prepare(count, pid, 0);
	start(count);
}

static void hwpmc_open_page(unsigned int count, pid_t pid)
{
	prepare(count, pid, HWPMC_F_THREAD);
	if (hwpmc_user_map(&page, dev, ids, count))
		die("the page cannot be mapped: %s", strerror(errno));
	start(count);
}

static void hwpmc_read_page(unsigned int times)
{
	__u64 counts[8], ticks;

	for (unsigned int i = 0; i < times; i++)
		hwpmc_user_last(&page, counts, &ticks);
}

static void write_parameter(const char *path, unsigned int value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || dprintf(fd, "%u", value) < 0)
		die("%s: %s", path, strerror(errno));
	close(fd);
}

static bool hwpmc_open_direct(unsigned int count)
{
	write_parameter("/sys/module/hwpmc/parameters/user_reads", 1);
	prepare(count, 0, HWPMC_F_THREAD | HWPMC_F_DIRECT);
	if (hwpmc_user_map(&page, dev, ids, count))
		die("the page cannot be mapped: %s", strerror(errno));
	start(count);
	return page.page->counts[0].index;
}

static void hwpmc_read_direct(unsigned int times)
{
	__u64 counts[8];

	if (id_count == 1) {
		for (unsigned int i = 0; i < times; i++)
			hwpmc_user_self_one(&page, 0, counts);
		return;
	}
	for (unsigned int i = 0; i < times; i++)
		hwpmc_user_self(&page, counts);
}

static void hwpmc_prepare(void)
{
	struct hwpmc_group made = { .count = id_count, .ids = (uintptr_t)ids };

	if (dev_call(dev, HWPMC_IOC_GROUP, &made, sizeof(made)))
		die("group: %s", dev_sentence(dev));
	group = (struct hwpmc_group_read){
		.size = sizeof(group), .group = made.group, .values = (uintptr_t)values,
	};
}

static void hwpmc_read(void)
{
	if (group.group) {
		if (ioctl(dev, HWPMC_IOC_GROUP_READ, &group))
			die("read of a group: %s", strerror(errno));
		return;
	}
	if (dev_read(dev, ids, id_count, values))
		die("read: %s", dev_sentence(dev));
}

static void hwpmc_close(void)
{
	group.group = 0;
	/* The mapping would keep the file open. */
	hwpmc_user_unmap(&page);
	close(dev);
}

static void limit_chains(unsigned int frames)
{
	write_parameter("/sys/module/hwpmc/parameters/callchaindepth", frames);
}

static void make_ring(const struct sampling *how)
{
	struct hwpmc_ring made = { .data_size = RING_SIZE, .watermark = how->wakeup };

	if (dev_call(dev, HWPMC_IOC_RING, &made, sizeof(made)))
		die("rings: %s", dev_sentence(dev));
	if (hwpmc_ring_map(&ring, dev, &made, 0))
		die("the ring cannot be mapped: %s", strerror(errno));
}

static void hwpmc_sample_open(const struct sampling *how, pid_t pid)
{
	struct hwpmc_allocate a = {
		.mode = how->period ? HWPMC_MODE_TS : HWPMC_MODE_TC,
		.caps = HWPMC_CAP_USER | (how->kernel ? HWPMC_CAP_SYSTEM : 0),
		.flags = how->frames ? HWPMC_F_CALLCHAIN : 0,
		.event = EV_INSTRUCTIONS,
		.count = how->period,
	};

	dev = dev_open();
	if (how->frames)
		limit_chains(how->frames);
	make_ring(how);
	ids[0] = allocate(a);
	attach(1, pid);
	start(1);
}

static void hwpmc_sample_stop(void)
{
	if (dev_stop(dev, ids[0]))
		die("stop: %s", dev_sentence(dev));
}

static bool hwpmc_sample_wait(void)
{
	struct pollfd fd = { .fd = dev, .events = POLLIN };

	return poll(&fd, 1, -1) == 1 && !(fd.revents & POLLHUP);
}

static void hwpmc_sample_drain(struct drained *sum)
{
	const struct hwpmc_log_header *record;
	/* A local copy, which the compiler can keep in registers, like those of perf's reader. */
	struct hwpmc_ring_reader local = ring;

	sum->bytes += hwpmc_ring_begin(&local);
	while ((record = hwpmc_ring_next(&local))) {
		const struct hwpmc_log_sample *sample = (const void *)record;

		if (record->type != HWPMC_LOG_SAMPLE)
			continue;
		sum->samples++;
		/* A record without a chain may end before these fields. */
		if (record->length >= sizeof(*sample))
			sum->frames += sample->chain_kernel + sample->chain_user;
		sum->places += sample->pc;
	}
	hwpmc_ring_end(&local);
	ring = local;
}

static void hwpmc_sample_close(void)
{
	hwpmc_ring_unmap(&ring);
	close(dev);
}

const struct backend backend_hwpmc = {
	.name		= "hwpmc",
	.open		= hwpmc_open,
	.read		= hwpmc_read,
	.prepare	= hwpmc_prepare,
	.open_page	= hwpmc_open_page,
	.read_page	= hwpmc_read_page,
	.open_direct	= hwpmc_open_direct,
	.read_direct	= hwpmc_read_direct,
	.close		= hwpmc_close,
	.sample_open	= hwpmc_sample_open,
	.sample_stop	= hwpmc_sample_stop,
	.sample_wait	= hwpmc_sample_wait,
	.sample_drain	= hwpmc_sample_drain,
	.sample_close	= hwpmc_sample_close,
	.session	= &session_hwpmc,
};
