// SPDX-License-Identifier: GPL-2.0-only
/* read(2) and poll(2) of rings, without a mapping and without a log. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>

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
	check(read(fd, buffer, sizeof(buffer)) == -1 && errno == EAGAIN, "read of empty rings fails with EAGAIN");
	check(read(fd, buffer, 0) == 0, "read of 0 bytes returns 0");
	check(poll(&p, 1, 0) == 0, "poll of empty rings returns nothing");
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EBUSY,
	      "mmap of rings that are read fails with EBUSY");
	dev_log_write(fd, 1, "a text");
	check(poll(&p, 1, 0) == 0, "poll returns nothing below the watermark");
	check(read(fd, buffer, 8) == -1 && errno == EMSGSIZE, "read with no room for one record fails with EMSGSIZE");
	n = read(fd, buffer, sizeof(buffer));
	log_summary_add(&s, buffer, n > 0 ? n : 0);
	check(s.whole && s.records == 2 && s.text && s.first,
	      "read below the watermark returns INITIALIZE and the record");
	id = dev_sampler(fd, -1, EV_INSTRUCTIONS, 10000, HWPMC_CAP_USER, 0);
	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	for (int i = 0; i < 100 && poll(&p, 1, 0) == 0; i++)
		spin(1);
	check(poll(&p, 1, 0) == 1 && p.revents == POLLIN, "poll returns POLLIN above the watermark");
	dev_stop(fd, id);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		log_summary_add(&s, buffer, n);
	check(s.whole && s.types[HWPMC_LOG_SAMPLE] == dev_sampled(fd, id, -1).recorded,
	      "read returns all samples that were recorded: %lu", s.types[HWPMC_LOG_SAMPLE]);
	close(fd);
}

static void *write_later(void *arg)
{
	/* Real time: the reader blocks meanwhile. */
	usleep(300000);
	dev_log_write(*(const int *)arg, 1, "a text");
	return NULL;
}

/* A read blocks until there is a record. */
static void blocking_read(void)
{
	struct log_summary s = { 0 };
	char buffer[256];
	int fd = dev_open();
	pthread_t writer;
	double begin;
	ssize_t n;

	if (dev_rings(fd, 65536))
		die("rings: %s", dev_sentence(fd));
	begin = seconds();
	if (pthread_create(&writer, NULL, write_later, &fd))
		die("a thread");
	n = read(fd, buffer, sizeof(buffer));
	check(seconds() - begin > 0.25, "read blocks while the rings are empty");
	log_summary_add(&s, buffer, n > 0 ? n : 0);
	check(s.whole && s.records == 2 && s.text && s.first,
	      "a blocked read returns INITIALIZE and the record");
	pthread_join(writer, NULL);
	close(fd);
}

/*
 * The bytes that read(2) returns are a log. It describes a PMC that was allocated before the rings.
 */
static void stream(void)
{
	static char buffer[1 << 16];
	int fd = dev_open(), to = open("/tmp/stream", O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint32_t id = dev_sampler(fd, -1, EV_INSTRUCTIONS, 100000, HWPMC_CAP_USER, 0);
	struct log_summary s = { 0 };
	ssize_t n;

	if (dev_attach(fd, id, 0, 0) || dev_rings(fd, 65536) || dev_start(fd, id))
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
	      s.types[HWPMC_LOG_SAMPLE] > 1, "stream: read returns a log with %lu samples",
	      s.types[HWPMC_LOG_SAMPLE]);
	check(s.types[HWPMC_LOG_ALLOCATE] == 1 && s.allocate.h.id == id &&
	      s.types[HWPMC_LOG_ATTACH] == 1 && s.attach.h.id == id && s.attach.pid == getpid(),
	      "stream: the log has ALLOCATE and ATTACH of the older PMC");
	check(!system("pmctl script /tmp/stream >/tmp/stream.txt 2>/dev/null && head -n 1 /tmp/stream.txt | grep -q ' INITIALIZE ' && grep -q ' SAMPLE ' /tmp/stream.txt"),
	      "stream: pmctl script reads the log");
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
