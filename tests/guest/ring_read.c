// SPDX-License-Identifier: GPL-2.0-only
/* The rings by read(2) and poll(2), without a mapping and without a log. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "test_class.h"
#include "exact.h"
#include "ring.h"
#include "log_summary.h"

static void read_and_poll(void)
{
	static char buffer[1 << 16];
	struct hwpmc_ring ring = { .data_size = 65536, .watermark = 4096 };
	int fd = dev_open();
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct log_summary s = { 0 };
	uint32_t id;
	ssize_t n;

	if (dev_call(fd, HWPMC_IOC_RING, &ring, sizeof(ring)))
		die("rings: %s", dev_sentence(fd));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	check(read(fd, buffer, sizeof(buffer)) == -1 && errno == EAGAIN, "read: nothing there yet");
	check(read(fd, buffer, 0) == 0, "read: nothing of nothing");
	check(poll(&p, 1, 0) == 0, "poll: nor does it say so");
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EBUSY,
	      "what is read is not mapped besides");
	dev_log_write(fd, 1, "a text");
	check(poll(&p, 1, 0) == 0, "poll: below the watermark");
	check(read(fd, buffer, 8) == -1 && errno == EINVAL, "read: no room for one record");
	n = read(fd, buffer, sizeof(buffer));
	log_summary_add(&s, buffer, n > 0 ? n : 0);
	check(s.whole && s.records == 2 && s.text && s.first,
	      "read: it comes all the same, behind what begins a log");
	id = dev_sampler(fd, -1, EV_INSTRUCTIONS, 10000, HWPMC_CAP_USER, 0);
	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	for (int i = 0; i < 100 && poll(&p, 1, 0) == 0; i++)
		spin(1);
	check(poll(&p, 1, 0) == 1 && p.revents == POLLIN, "poll: above the watermark");
	dev_stop(fd, id);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		log_summary_add(&s, buffer, n);
	check(s.whole && s.types[HWPMC_LOG_SAMPLE] == dev_sampled(fd, id, -1).recorded,
	      "read: %lu samples, all that were recorded", s.types[HWPMC_LOG_SAMPLE]);
	close(fd);
}

static void *write_later(void *arg)
{
	usleep(300000);
	dev_log_write(*(const int *)arg, 1, "a text");
	return NULL;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* A read that waits, until there is something to read. */
static void blocking_read(void)
{
	struct hwpmc_ring ring = { .data_size = 65536 };
	struct log_summary s = { 0 };
	char buffer[256];
	int fd = dev_open();
	pthread_t writer;
	double begin;
	ssize_t n;

	if (dev_call(fd, HWPMC_IOC_RING, &ring, sizeof(ring)))
		die("rings: %s", dev_sentence(fd));
	begin = now();
	if (pthread_create(&writer, NULL, write_later, &fd))
		die("a thread");
	n = read(fd, buffer, sizeof(buffer));
	check(now() - begin > 0.25, "read: waits");
	log_summary_add(&s, buffer, n > 0 ? n : 0);
	check(s.whole && s.records == 2 && s.text && s.first,
	      "read: and comes back with the record, the first of a log");
	pthread_join(writer, NULL);
	close(fd);
}

/* What read(2) gives is a log: as one file, with a PMC from before the rings. */
static void stream(void)
{
	static char buffer[1 << 16];
	struct hwpmc_ring ring = { .data_size = 65536 };
	int fd = dev_open(), to = open("/tmp/stream", O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint32_t id = dev_sampler(fd, -1, EV_INSTRUCTIONS, 100000, HWPMC_CAP_USER, 0);
	struct log_summary s = { 0 };
	ssize_t n;

	if (dev_attach(fd, id, 0, 0) || dev_call(fd, HWPMC_IOC_RING, &ring, sizeof(ring)) ||
	    dev_start(fd, id))
		die("stream: %s", dev_sentence(fd));
	spin(1);
	dev_stop(fd, id);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	while ((n = read(fd, buffer, 4096)) > 0)
		if (write(to, buffer, n) != n)
			die("/tmp/stream: %s", strerror(errno));
	n = pread(to, buffer, sizeof(buffer), 0);
	log_summary_add(&s, buffer, n > 0 ? n : 0);
	check(s.whole && s.first && s.types[HWPMC_LOG_INITIALIZE] == 1 &&
	      s.types[HWPMC_LOG_SAMPLE] > 1, "stream: a log of %lu samples",
	      s.types[HWPMC_LOG_SAMPLE]);
	check(s.types[HWPMC_LOG_ALLOCATE] == 1 && s.allocate.h.id == id &&
	      s.types[HWPMC_LOG_ATTACH] == 1 && s.attach.h.id == id && s.attach.pid == getpid(),
	      "stream: it tells of its PMC");
	check(!system("pmctl script /tmp/stream >/tmp/stream.txt 2>/dev/null && head -n 1 /tmp/stream.txt | grep -q ' INITIALIZE ' && grep -q ' SAMPLE ' /tmp/stream.txt"),
	      "stream: pmctl reads it");
	close(to);
	close(fd);
}

int main(void)
{
	time_limit(200);
	read_and_poll();
	blocking_read();
	stream();
	return result();
}
