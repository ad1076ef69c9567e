// SPDX-License-Identifier: GPL-2.0-only
/* epoll wakes the reader of a mapped ring each time the ring fills to its watermark. */
#define _GNU_SOURCE
#include <sys/epoll.h>

#include "exact.h"
#include "ring.h"

#define RING	(64 * 1024)

static void write_some(int fd, const struct ring_one *one, uint64_t up_to)
{
	/*
	 * With its header and NUL the record has 1024 bytes: the watermark is a multiple of that.
	 */
	static char text[1024 - sizeof(struct hwpmc_log_user) - 1];
	struct hwpmc_log_write write = { .length = sizeof(text), .text = (uintptr_t)text };

	while (one->header->head - one->tail->tail < up_to)
		if (dev_call(fd, HWPMC_IOC_LOG_WRITE, &write, sizeof(write)))
			die("write: %s", dev_sentence(fd));
}

/* How long to wait for a wake-up that must happen, in ms. */
#define WANTED		(500 * PATIENCE)
/*
 * Time limit for a wake-up that must not happen: the writer's irq_work runs at the next tick at the
 * latest.
 */
#define UNWANTED	50

static bool woken(int epoll, int ms)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, ms) == 1;
}

/* A reader that consumed more than the watermark is woken at the watermark again. */
static void watermark(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int fd = dev_open(), epoll = epoll_create1(0);
	struct ring_map map;
	struct ring_one *one;

	if (epoll < 0)
		die("epoll: %s", strerror(errno));
	pin(0, 0);
	ring_open(&map, fd, RING);
	one = &map.cpus[0];
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		die("epoll: %s", strerror(errno));
	for (int i = 0; i < 5; i++) {
		write_some(fd, one, RING / 2 - 2048);
		check(!woken(epoll, UNWANTED), "round %d: below the watermark epoll does not wake", i);
		write_some(fd, one, RING / 2);
		check(woken(epoll, WANTED), "round %d: at the watermark epoll wakes", i);
		check(!woken(epoll, UNWANTED), "round %d: it wakes once", i);
		write_some(fd, one, RING / 2 + 3000);
		one->tail->tail = one->header->head;
	}
	ring_close(&map);
	close(epoll);
	close(fd);
}

int main(void)
{
	time_limit(60);
	watermark();
	return result();
}
