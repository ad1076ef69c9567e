// SPDX-License-Identifier: GPL-2.0-only
/* perf_event's counters: a group, which is its usual use. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <hwpmc_user.h>

#include "bench.h"
#include "perf_ring.h"

static int fds[8];
static unsigned int fd_count;
static const struct perf_event_mmap_page *pages[8];
static uint64_t values[16];
static struct perf_event_mmap_page *header;
static const unsigned char *data;
static bool chains;

static int open_one(struct perf_event_attr *attr, pid_t pid, int group)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_RAW;
	fd = syscall(SYS_perf_event_open, attr, pid, -1, group, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		die("perf_event_open: %s", strerror(errno));
	return fd;
}

static void perf_open(unsigned int count, pid_t pid)
{
	struct perf_event_attr attr = {
		.config = EV_INSTRUCTIONS,
		.read_format = PERF_FORMAT_GROUP,
	};

	for (fd_count = 0; fd_count < count; fd_count++)
		fds[fd_count] = open_one(&attr, pid, fd_count ? fds[0] : -1);
}

static void perf_read(void)
{
	if (read(fds[0], values, sizeof(values)) < 0)
		die("read: %s", strerror(errno));
}

static void perf_close(void)
{
	while (fd_count) {
		fd_count--;
		if (pages[fd_count])
			munmap((void *)pages[fd_count], sysconf(_SC_PAGESIZE));
		pages[fd_count] = NULL;
		close(fds[fd_count]);
	}
}

static void map_pages(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		pages[i] = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fds[i], 0);
		if (pages[i] == MAP_FAILED)
			die("a page cannot be mapped: %s", strerror(errno));
	}
}

#ifdef __x86_64__
static void perf_open_page(unsigned int count, pid_t pid)
{
	perf_open(count, pid);
	map_pages(count);
}

static uint64_t counter(uint32_t index)
{
	return __builtin_ia32_rdpmc(index - 1);
}
#else
/* Off by default; a bit of each event requests it. */
static bool perf_open_direct(unsigned int count)
{
	struct perf_event_attr attr = { .config = EV_INSTRUCTIONS, .config1 = 2 };
	int fd = open("/proc/sys/kernel/perf_user_access", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	dprintf(fd, "1");
	close(fd);
	for (fd_count = 0; fd_count < count; fd_count++)
		fds[fd_count] = open_one(&attr, 0, -1);
	map_pages(count);
	return pages[0]->cap_user_rdpmc && pages[0]->index;
}

static uint64_t counter(uint32_t index)
{
	return hwpmc_user_counter(index);
}
#endif

/*
 * As perf_event_open(2) documents it: the count in the page, plus the counter's events since then.
 */
static uint64_t read_one(const struct perf_event_mmap_page *page)
{
	uint32_t seq, index;
	uint64_t count;

	do {
		seq = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		count = page->offset;
		index = page->index;
		if (page->cap_user_rdpmc && index) {
			int unused = 64 - page->pmc_width;

			count += (int64_t)(counter(index) << unused) >> unused;
		}
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != seq);
	return count;
}

static void perf_read_page(unsigned int times)
{
	while (times--)
		for (unsigned int i = 0; i < fd_count; i++)
			values[i] = read_one(pages[i]);
}

/* A chain begins with the sample's own place, which hwpmc's chain does not repeat. */
static void perf_sample_open(const struct sampling *how, pid_t pid)
{
	struct perf_event_attr attr = {
		.config = EV_INSTRUCTIONS,
		.sample_period = how->period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | (how->frames ? PERF_SAMPLE_CALLCHAIN : 0),
		.sample_max_stack = how->frames ? how->frames + 1 : 0,
		.exclude_kernel = !how->kernel,
		.exclude_callchain_kernel = !how->kernel,
		.exclude_callchain_user = how->kernel,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = how->wakeup,
	};

	chains = how->frames;
	fds[0] = open_one(&attr, pid, -1);
	header = mmap(NULL, perf_ring_map_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
	if (header == MAP_FAILED)
		die("the ring cannot be mapped: %s", strerror(errno));
	data = (const unsigned char *)header + header->data_offset;
}

static void perf_sample_stop(void)
{
	if (ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0))
		die("disable: %s", strerror(errno));
}

static bool perf_sample_wait(void)
{
	struct pollfd fd = { .fd = fds[0], .events = POLLIN };

	return poll(&fd, 1, -1) == 1 && !(fd.revents & POLLHUP);
}

/* In the order of the bits of sample_type; the chain has its length and context markers. */
struct sample {
	struct perf_event_header h;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t chain_length;
	uint64_t chain[];
};

static void add(const struct perf_event_header *record, struct drained *sum)
{
	const struct sample *sample = (const void *)record;

	if (record->type != PERF_RECORD_SAMPLE)
		return;
	sum->samples++;
	/* Do not count the context marker and the sample's own address. */
	if (chains)
		sum->frames += sample->chain_length - 2;
	sum->places += sample->ip;
}

static void perf_sample_drain(struct drained *sum)
{
	uint64_t head = __atomic_load_n(&header->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = header->data_tail;

	sum->bytes += head - at;
	while (at != head) {
		const struct perf_event_header *record = perf_ring_record(data, at);

		add(record, sum);
		at += record->size;
	}
	__atomic_store_n(&header->data_tail, at, __ATOMIC_RELEASE);
}

static void perf_sample_close(void)
{
	munmap(header, perf_ring_map_size());
	close(fds[0]);
}

const struct backend backend_perf = {
	.name		= "perf",
	.open		= perf_open,
	.read		= perf_read,
#ifdef __x86_64__
	.open_page	= perf_open_page,
	.read_page	= perf_read_page,
#else
	.open_direct	= perf_open_direct,
	.read_direct	= perf_read_page,
#endif
	.close		= perf_close,
	.sample_open	= perf_sample_open,
	.sample_stop	= perf_sample_stop,
	.sample_wait	= perf_sample_wait,
	.sample_drain	= perf_sample_drain,
	.sample_close	= perf_sample_close,
	.session	= &session_perf,
};
