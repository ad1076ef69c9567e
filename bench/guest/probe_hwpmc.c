// SPDX-License-Identifier: GPL-2.0-only
/* Probes by hwpmc: PMCs of class PROBE. */
#include <hwpmc_ring.h>

#include "../../tests/lib/param.h"
#include "probe.h"

#define MOST	8

static int dev = -1;
static uint32_t ids[MOST];
static struct hwpmc_ring_reader ring;
static struct traced total;

static uint32_t allocate(const struct tracing *how)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE,
		.cpu = how->whole_cpu ? 0 : -1,
		.count = how->samples,
		.args = how->args,
		.flags = how->frames ? HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN : 0,
		.name = (uintptr_t)how->name,
		.name_length = strlen(how->name),
	};

	if (how->samples)
		a.mode = how->whole_cpu ? HWPMC_MODE_SS : HWPMC_MODE_TS;
	else
		a.mode = how->whole_cpu ? HWPMC_MODE_SC : HWPMC_MODE_TC;
	if (dev_call(dev, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("%s: %s", how->name, dev_sentence(dev));
	return a.id;
}

static void make_ring(void)
{
	struct hwpmc_ring made = { .data_size = RING_SIZE };

	if (dev_call(dev, HWPMC_IOC_RING, &made, sizeof(made)))
		die("rings: %s", dev_sentence(dev));
	if (hwpmc_ring_map(&ring, dev, &made, 0))
		die("the ring cannot be mapped: %s", strerror(errno));
}

static bool hwpmc_trace_open(const struct tracing *how)
{
	/* 100: no limit. */
	param_set("max_cpu_percent", how->throttled ? 1 : 100);
	param_set("probes_linger", 1);
	memset(&total, 0, sizeof(total));
	dev = dev_open();
	if (how->samples)
		make_ring();
	for (unsigned int i = 0; i < how->count; i++) {
		ids[i] = allocate(how);
		if (!how->whole_cpu && dev_attach(dev, ids[i], 0, 0))
			die("attach: %s", dev_sentence(dev));
	}
	if (!how->stopped && dev_ids(dev, HWPMC_IOC_START, ids, how->count))
		die("start: %s", dev_sentence(dev));
	return true;
}

static void drain_ring(void)
{
	const struct hwpmc_log_header *record;

	hwpmc_ring_begin(&ring);
	while ((record = hwpmc_ring_next(&ring))) {
		const struct hwpmc_log_probe *probe = (const void *)record;

		if (record->type != HWPMC_LOG_PROBE)
			continue;
		total.events++;
		total.frames += probe->sample.chain_kernel + probe->sample.chain_user;
	}
	hwpmc_ring_end(&ring);
}

static void hwpmc_trace_drain(const struct tracing *how, struct traced *sum)
{
	total.lost = 0;
	total.throttled = 0;
	if (how->samples)
		drain_ring();
	else
		total.events = dev_value(dev, ids[0]);
	for (unsigned int i = 0; i < how->count; i++) {
		struct hwpmc_sampled sampled = { .id = ids[i], .cpu = -1 };

		if (dev_call(dev, HWPMC_IOC_SAMPLED, &sampled, sizeof(sampled)))
			die("sampled: %s", dev_sentence(dev));
		total.lost += sampled.lost - sampled.throttled + sampled.skipped;
		total.throttled += sampled.throttled;
	}
	*sum = total;
}

static bool are_removed(void)
{
	int fd = dev_open();
	bool removed = !dev_stats(fd).probes;

	close(fd);
	return removed;
}

static void hwpmc_trace_close(const struct tracing *how)
{
	if (how->samples)
		hwpmc_ring_unmap(&ring);
	close(dev);
	if (!SOON(are_removed()))
		die("%s: the probe is not removed", how->name);
}

const struct tracer tracer_hwpmc = {
	.name	= "hwpmc",
	.open	= hwpmc_trace_open,
	.drain	= hwpmc_trace_drain,
	.close	= hwpmc_trace_close,
};
