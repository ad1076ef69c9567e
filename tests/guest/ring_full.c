// SPDX-License-Identifier: GPL-2.0-only
/* A full ring: its header counts losses at once, and poll(2) wakes a waiting reader. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "exact.h"
#include "ring.h"

#define SIZE		4096
#define TEXT		"so long that records do not divide the ring."

static int fd;

static int put_text(const char *text, uint32_t length)
{
	struct hwpmc_log_write w = { .cookie = 1, .length = length, .text = (uintptr_t)text };

	return dev_call(fd, HWPMC_IOC_LOG_WRITE, &w, sizeof(w));
}

/* Writes a USER record. */
static int put(void)
{
	return put_text(TEXT, strlen(TEXT));
}

/* A record that would not fit into an empty ring fails and is not counted as lost. */
static void too_long(const struct ring_map *map)
{
	const struct hwpmc_ring_header *header = map->cpus[0].header;
	static const char text[SIZE];

	check(put_text(text, SIZE) == -EINVAL && !header->lost, "LOG_WRITE of a record longer than the ring fails: %s",
	      dev_sentence(fd));
}

static unsigned int fill(void)
{
	unsigned int done = 0;

	while (!put())
		done++;
	return done;
}

static void *wait_readable(void *arg)
{
	struct pollfd it = { .fd = fd, .events = POLLIN };

	*(bool *)arg = poll(&it, 1, 5000 * PATIENCE) == 1 && it.revents & POLLIN;
	return NULL;
}

/* Number of USER records, and of lost records. */
struct seen {
	unsigned int own;
	uint64_t lost;
};

static void see(const struct hwpmc_log_header *record, void *arg)
{
	struct seen *seen = arg;

	seen->own += record->type == HWPMC_LOG_USER;
	if (record->type == HWPMC_LOG_DROP)
		seen->lost += ((const struct hwpmc_log_drop *)record)->lost;
}

static void one_round(struct ring_map *map, const char *name)
{
	const struct hwpmc_ring_header *header = map->cpus[0].header;
	uint64_t lost = header->lost, waiting;
	struct seen seen = { 0 };
	unsigned int done;
	bool woken = false;
	pthread_t thread;

	pthread_create(&thread, NULL, wait_readable, &woken);
	/* Usually the thread is in poll() by then; the case also holds if it is not. */
	usleep(100000);
	done = fill();
	check(header->lost == lost + 1, "%s: the header counts the first loss: %llu", name,
	      (unsigned long long)(header->lost - lost));
	waiting = header->head - map->cpus[0].tail->tail;
	check(waiting && waiting < map->made.watermark,
	      "%s: the full ring holds less than the watermark: %llu bytes", name, (unsigned long long)waiting);
	pthread_join(thread, NULL);
	check(woken, "%s: a full ring wakes poll() below the watermark", name);
	put();
	put();
	ring_drain(map, see, &seen);
	check(!dev_flush(fd), "%s: LOG_FLUSH of the ring", name);
	ring_drain(map, see, &seen);
	check(seen.own == done && seen.lost == 3, "%s: the ring has %u of %u records, and reports %llu lost", name, seen.own,
	      done, (unsigned long long)seen.lost);
	check(header->lost == header->reported, "%s: all losses are reported", name);
}

/* Whether the signal is pending, or arrives within @limit seconds. */
static bool signalled(siginfo_t *info, time_t limit)
{
	const struct timespec time = { .tv_sec = limit };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	return sigtimedwait(&set, info, &time) == SIGRTMIN;
}

/* With O_ASYNC a signal is sent once each time the ring fills to its watermark. */
static void by_signal(struct ring_map *map)
{
	uint64_t half = map->made.watermark / 2;
	const struct hwpmc_ring_header *header = map->cpus[0].header;
	struct seen seen = { 0 };
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	if (sigprocmask(SIG_BLOCK, &set, NULL) || fcntl(fd, F_SETOWN, getpid()) ||
	    fcntl(fd, F_SETSIG, SIGRTMIN) || fcntl(fd, F_SETFL, O_ASYNC))
		die("O_ASYNC: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		ring_drain(map, see, &seen);
		while (header->head - map->cpus[0].tail->tail < half)
			put();
		check(!signalled(&info, 0), "O_ASYNC sends no signal below the watermark");
		while (header->head - map->cpus[0].tail->tail < map->made.watermark)
			put();
		check(signalled(&info, 5 * PATIENCE) && info.si_code == POLL_IN && info.si_fd == fd &&
		      info.si_band & POLLIN, "O_ASYNC sends POLL_IN of the file at the watermark");
		put();
		check(!signalled(&info, 0), "O_ASYNC sends no second signal while the ring is not read");
	}
	fcntl(fd, F_SETFL, 0);
}

/* Another file: the watermark of its rings is less than their size, so that they reach it. */
static void signals(void)
{
	struct hwpmc_ring made = { .data_size = SIZE, .watermark = SIZE / 2 };
	struct ring_map map = { 0 };

	fd = dev_open();
	if (dev_call(fd, HWPMC_IOC_RING, &made, sizeof(made)))
		die("rings: %s", dev_sentence(fd));
	ring_map_again(&map, fd, &made);
	by_signal(&map);
	ring_close(&map);
	close(fd);
}

int main(void)
{
	struct hwpmc_ring made = { .data_size = SIZE, .watermark = SIZE };
	struct ring_map map;
	struct pollfd it;

	time_limit(60);
	pin(0, 0);
	fd = dev_open();
	if (dev_call(fd, HWPMC_IOC_RING, &made, sizeof(made)))
		die("rings: %s", dev_sentence(fd));
	ring_map_again(&map, fd, &made);
	too_long(&map);
	one_round(&map, "first");
	it = (struct pollfd){ .fd = fd, .events = POLLIN };
	check(!poll(&it, 1, 0), "poll() does not wake for an empty ring");
	one_round(&map, "again");
	ring_close(&map);
	close(fd);
	signals();
	return result();
}
