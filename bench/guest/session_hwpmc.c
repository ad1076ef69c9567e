// SPDX-License-Identifier: GPL-2.0-only
/* A whole measurement by hwpmc: one open file, and one call for all PMCs where that is possible. */
#include "bench.h"

#define CPUS_MAX	32

static int dev;
static uint32_t ids[SESSION_EVENTS * CPUS_MAX];
static uint64_t values[SESSION_EVENTS * CPUS_MAX];
static unsigned int count;

static void allocate(struct session *s, uint32_t mode, int cpu)
{
	int64_t id = dev_allocate(dev, dev_class(), mode, cpu, EV_INSTRUCTIONS, 0, 0);

	if (id < 0)
		die("allocate: %s", dev_sentence(dev));
	ids[count++] = (uint32_t)id;
	s->calls++;
}

static void session_open(struct session *s)
{
	unsigned int cpu, i;

	dev = dev_open();
	s->calls++;
	s->fds++;
	count = 0;
	for (i = 0; s->pid && i < SESSION_EVENTS; i++) {
		allocate(s, HWPMC_MODE_TC, -1);
		if (dev_attach(dev, ids[i], s->pid, 0))
			die("attach: %s", dev_sentence(dev));
		s->calls++;
	}
	for (cpu = 0; !s->pid && cpu < s->count && cpu < CPUS_MAX; cpu++)
		for (i = 0; i < SESSION_EVENTS; i++)
			allocate(s, HWPMC_MODE_SC, (int)cpu);
}

static void session_start(struct session *s)
{
	if (dev_ids(dev, HWPMC_IOC_START, ids, count))
		die("start: %s", dev_sentence(dev));
	s->calls++;
}

static void session_read(struct session *s)
{
	if (dev_read(dev, ids, count, values))
		die("read: %s", dev_sentence(dev));
	s->calls++;
}

static void session_close(struct session *s)
{
	close(dev);
	s->calls++;
}

const struct session_ops session_hwpmc = {
	.open = session_open, .start = session_start, .read = session_read, .close = session_close,
};
