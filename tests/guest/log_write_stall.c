// SPDX-License-Identifier: GPL-2.0-only
/*
 * "log_write_stall [SECONDS]": a log cannot be written for a while, because its reader stalls
 * or its file system does not answer.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>

#include "userfault.h"
#include "exact.h"
#include "ring.h"
#include "log_summary.h"

/* Two ends of a TCP connection that hold little of what is on its way. */
static void connect_tcp(int ends[2])
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(to);
	int door = socket(AF_INET, SOCK_STREAM, 0), little = 16384;

	ends[1] = socket(AF_INET, SOCK_STREAM, 0);
	if (setsockopt(door, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)) ||
	    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &little, sizeof(little)) ||
	    bind(door, (struct sockaddr *)&to, length) || listen(door, 1) ||
	    getsockname(door, (struct sockaddr *)&to, &length) ||
	    connect(ends[1], (struct sockaddr *)&to, length))
		die("a TCP connection: %s", strerror(errno));
	ends[0] = accept(door, NULL, NULL);
	if (ends[0] < 0)
		die("accept: %s", strerror(errno));
	close(door);
}

#define STALL_ROOM	(1 << 20)

static unsigned int stall_s = 10;

/* A log whose peer does not read for a while. */
struct stall {
	int fd;
	int end;		/* the peer's */
	unsigned long kept, lost;
	struct timespec until;
	pthread_t reader;
	char *log;
	size_t size;
};

/* Until so many are lost. */
static void write_stalled(struct stall *s, unsigned long lost)
{
	while (s->lost < lost) {
		if (dev_log_write(s->fd, 2, "while it stalls") == -ENOSPC)
			s->lost++;
		else
			s->kept++;
	}
}

/* In the rings and in the connection there is no room any more. */
static struct stall begin_stall(void)
{
	struct hwpmc_ring ring = { .data_size = 16384 };
	struct stall s = { .fd = dev_open(), .log = malloc(STALL_ROOM) };
	int ends[2];

	connect_tcp(ends);
	s.end = ends[0];
	if (dev_call(s.fd, HWPMC_IOC_RING, &ring, sizeof(ring)) ||
	    dev_log(s.fd, HWPMC_IOC_LOG_OPEN, ends[1]) || dev_log_write(s.fd, 1, "before"))
		die("stall: %s", dev_sentence(s.fd));
	/* The log's is the last: its end is the connection's. */
	close(ends[1]);
	s.kept = 1;
	write_stalled(&s, 200);
	if (clock_gettime(CLOCK_MONOTONIC, &s.until))
		die("clock_gettime: %s", strerror(errno));
	s.until.tv_sec += stall_s;
	return s;
}

static void *read_stalled(void *arg)
{
	struct stall *s = arg;
	ssize_t n;

	while ((n = read(s->end, s->log + s->size, STALL_ROOM - s->size)) > 0)
		s->size += n;
	return NULL;
}

/* The peer goes on: before, after, and the loss between are there. */
static void end_stall(struct stall *s)
{
	struct log_summary summary = { 0 };
	uint64_t apart;

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &s->until, NULL) == EINTR)
		;
	write_stalled(s, s->lost + 1);
	if (pthread_create(&s->reader, NULL, read_stalled, s))
		die("a thread");
	while (dev_log_write(s->fd, 3, "after") == -ENOSPC) {
		s->lost++;
		usleep(1000);
	}
	check(!dev_log(s->fd, HWPMC_IOC_LOG_CLOSE, 0), "stall: close: %s", dev_sentence(s->fd));
	pthread_join(s->reader, NULL);
	log_summary_add(&summary, s->log, s->size);
	apart = summary.times[3] - summary.times[1];
	check(summary.whole && summary.first && summary.last && summary.cookies == 0xe,
	      "stall: records from before, within and after are there: %#x", summary.cookies);
	check(apart >= stall_s * 1000000000ULL, "stall: %llu ns apart", (unsigned long long)apart);
	check(summary.types[HWPMC_LOG_USER] == s->kept + 1 && summary.lost == s->lost,
	      "stall: %lu records of %lu came, %lu were lost and %llu told",
	      summary.types[HWPMC_LOG_USER], s->kept + 1, s->lost, (unsigned long long)summary.lost);
	close(s->end);
	close(s->fd);
	free(s->log);
}

/* Closed while it stalls: close(2) must not wait for the peer. */
static void close_stalled(void)
{
	struct hwpmc_ring ring = { .data_size = 16384 };
	int other = dev_open(), fd = dev_open(), ends[2];
	uint64_t owners = dev_stats(other).owners;

	connect_tcp(ends);
	if (dev_call(fd, HWPMC_IOC_RING, &ring, sizeof(ring)) ||
	    dev_log(fd, HWPMC_IOC_LOG_OPEN, ends[1]))
		die("stall: %s", dev_sentence(fd));
	while (dev_log_write(fd, 1, "until there is no room") != -ENOSPC)
		;
	close(fd);
	check(SOON(dev_stats(other).owners == owners - 1),
	      "stall: the owner is gone, though the peer does not read");
	close(other);
	close(ends[0]);
	close(ends[1]);
}

/* Who writes a page that is not there to a file, and sleeps. */
struct writing {
	struct userfault userfault;
	int to;
	pthread_t writer;
};

static void *write_absent(void *arg)
{
	const struct writing *w = arg;

	return (void *)write(w->to, w->userfault.page, w->userfault.size);
}

static void *close_it(void *arg)
{
	close(*(int *)arg);
	return NULL;
}

/* How many hold the module: files of the device, and threads of logs. */
static int holders(void)
{
	FILE *f = fopen("/sys/module/hwpmc/refcnt", "r");
	int n;

	if (!f || fscanf(f, "%d", &n) != 1)
		die("/sys/module/hwpmc/refcnt: %s", strerror(errno));
	fclose(f);
	return n;
}

/*
 * A file system that does not answer, and that no signal wakes: nobody waits for it,
 * and what the log's thread still needs stays until it does.
 */
static void stuck(void)
{
	int to = open("/tmp/stuck.log", O_WRONLY | O_CREAT | O_TRUNC, 0600), other = dev_open();
	int before = holders(), fd = dev_open();
	uint64_t owners = dev_stats(other).owners;
	struct writing w = { .userfault = userfault_open(), .to = to };
	pthread_t closer;
	char waits[96];

	snprintf(waits, sizeof(waits), "grep -q '(hwpmc/%d) D ' /proc/[0-9]*/stat", getpid());
	counter(fd, -1, 0);
	/* It writes to the file, and does not come to an end. */
	if (pthread_create(&w.writer, NULL, write_absent, &w) ||
	    !userfault_pending(&w.userfault, 10000 * PATIENCE))
		die("a thread, and its page");
	if (dev_log(fd, HWPMC_IOC_LOG_OPEN, to) || dev_stats(other).pmcs != 1 ||
	    !SOON(!system(waits)) || pthread_create(&closer, NULL, close_it, &fd))
		die("stuck: %s", dev_sentence(fd));
	check(SOON(!pthread_tryjoin_np(closer, NULL)) && !dev_stats(other).pmcs,
	      "stuck: who closes does not wait, and the PMC is free");
	check(!system(waits) && dev_stats(other).owners == owners && holders() == before + 1,
	      "stuck: the log's thread does, with the owner and the module");
	userfault_resolve(&w.userfault);
	pthread_join(w.writer, NULL);
	check(SOON(dev_stats(other).owners == owners - 1 && holders() == before),
	      "stuck: until the file system answers");
	close(w.userfault.fd);
	close(other);
}

int main(int argc, char **argv)
{
	struct stall stall;

	if (argc > 1)
		stall_s = strtoul(argv[1], NULL, 0);
	time_limit(50 + stall_s);
	/* Meanwhile the others. */
	stall = begin_stall();
	close_stalled();
	stuck();
	end_stall(&stall);
	return result();
}
