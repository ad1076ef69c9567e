// SPDX-License-Identifier: GPL-2.0-only
/* Probes by perf_event_open(2), as perf stat and perf record use it. */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "perf_ring.h"
#include "probe.h"

#define MOST	8
#define IS_MARKER(entry)	((entry) >= (uint64_t)PERF_CONTEXT_MAX)

static int fds[MOST];
static struct perf_event_mmap_page *header;
static const unsigned char *data;
static struct traced total;

static uint64_t number_in(const char *path)
{
	unsigned long long number;
	FILE *f = fopen(path, "re");

	if (!f || fscanf(f, "%llu", &number) != 1)
		die("%s: %s", path, strerror(errno));
	fclose(f);
	return number;
}

static uint64_t tracepoint_number(const char *point)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", point);
	return number_in(path);
}

int trace_event_open(const struct tracing *how, struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->disabled = 1;
	if (how->point) {
		attr->type = PERF_TYPE_TRACEPOINT;
		attr->config = tracepoint_number(how->point);
	} else if (how->function) {
		attr->type = number_in("/sys/bus/event_source/devices/kprobe/type");
		attr->kprobe_func = (uintptr_t)how->function;
	} else {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_CPU_CLOCK;
	}
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		die("%s: perf_event_open: %s", how->key, strerror(errno));
	return fd;
}

/* The fields that perf record requests for a tracepoint. */
static struct perf_event_attr attr_of(const struct tracing *how)
{
	struct perf_event_attr attr = {};

	if (!how->samples)
		return attr;
	attr.sample_period = how->tick ? how->tick : 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			   PERF_SAMPLE_PERIOD | (how->frames ? PERF_SAMPLE_CALLCHAIN : 0) |
			   (how->tick ? 0 : PERF_SAMPLE_RAW);
	return attr;
}

static void map_ring(void)
{
	header = mmap(NULL, perf_ring_map_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
	if (header == MAP_FAILED)
		die("the ring cannot be mapped: %s", strerror(errno));
	data = (const unsigned char *)header + header->data_offset;
}

static bool perf_trace_open(const struct tracing *how)
{
	/* perf's clock has no ticks if it only counts. */
	if (how->raw || how->stopped || how->throttled || (how->tick && !how->samples))
		return false;
	memset(&total, 0, sizeof(total));
	for (unsigned int i = 0; i < how->count; i++) {
		struct perf_event_attr attr = attr_of(how);

		fds[i] = trace_event_open(how, &attr, how->whole_cpu ? -1 : 0,
					  how->whole_cpu ? 0 : -1);
		if (how->samples && !i)
			map_ring();
		if (how->samples && i && ioctl(fds[i], PERF_EVENT_IOC_SET_OUTPUT, fds[0]))
			die("the ring cannot be shared: %s", strerror(errno));
	}
	for (unsigned int i = 0; i < how->count; i++)
		if (ioctl(fds[i], PERF_EVENT_IOC_ENABLE, 0))
			die("enable: %s", strerror(errno));
	return true;
}

/* In the order of the bits of sample_type; the chain has its length and context markers. */
struct traced_sample {
	struct perf_event_header h;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t period;
	uint64_t chain_length;
	uint64_t chain[];
};

/* Does not count the markers and the event's own address, which hwpmc's chain does not repeat. */
static uint64_t frames_of(const struct traced_sample *sample)
{
	uint64_t frames = 0;

	for (uint64_t i = 0; i < sample->chain_length; i++)
		frames += !IS_MARKER(sample->chain[i]);
	return frames - 1;
}

static void add(const struct tracing *how, const struct perf_event_header *record)
{
	/* In a LOST record the number of lost records follows the header and the id. */
	const uint64_t *lost = (const uint64_t *)(record + 1) + 1;

	if (record->type == PERF_RECORD_LOST)
		total.lost += *lost;
	if (record->type == PERF_RECORD_THROTTLE)
		total.throttled++;
	if (record->type != PERF_RECORD_SAMPLE)
		return;
	total.events++;
	if (how->frames)
		total.frames += frames_of((const void *)record);
}

static void drain_ring(const struct tracing *how)
{
	uint64_t head = __atomic_load_n(&header->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = header->data_tail;

	while (at != head) {
		const struct perf_event_header *record = perf_ring_record(data, at);

		add(how, record);
		at += record->size;
	}
	__atomic_store_n(&header->data_tail, at, __ATOMIC_RELEASE);
}

static void perf_trace_drain(const struct tracing *how, struct traced *sum)
{
	if (how->samples)
		drain_ring(how);
	else if (read(fds[0], &total.events, sizeof(total.events)) < 0)
		die("read: %s", strerror(errno));
	*sum = total;
}

static void perf_trace_close(const struct tracing *how)
{
	if (how->samples)
		munmap(header, perf_ring_map_size());
	for (unsigned int i = how->count; i--;)
		close(fds[i]);
}

const struct tracer tracer_perf = {
	.name	= "perf",
	.open	= perf_trace_open,
	.drain	= perf_trace_drain,
	.close	= perf_trace_close,
};
