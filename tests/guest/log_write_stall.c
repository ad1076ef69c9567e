// SPDX-License-Identifier: GPL-2.0-only
/*
 * "log_write_stall [SECONDS]": a log cannot be written for a while, because its reader stalls or
 * its file system does not respond.
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
#include "param.h"
#include "ring.h"
#include "log_summary.h"

/* Two ends of a pipe with a small buffer. */
static void connect_pipe(int ends[2])
{
	if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, 16384) < 0)
		die("a pipe: %s", strerror(errno));
}

/* Two ends of a TCP connection with small buffers. Returns false, with a skip, on a kernel without TCP. */
static bool connect_tcp(int ends[2])
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(to);
	int door = socket(AF_INET, SOCK_STREAM, 0), little = 16384;

	if (door < 0 && errno == EAFNOSUPPORT) {
		skip("stall: a TCP connection: this kernel has no TCP");
		return false;
	}
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
	return true;
}

#define STALL_ROOM	(1 << 20)

static unsigned int stall_s = 10;

/* A log whose reader stalls. */
struct stall {
	const char *kind;	/* pipe or TCP */
	int fd;
	int end;		/* for the reader */
	unsigned long kept, lost;
	struct timespec until;
	pthread_t reader;
	char *log;
	size_t size;
};

/* Writes records until @lost of them are lost. */
static void write_stalled(struct stall *s, unsigned long lost)
{
	while (s->lost < lost) {
		if (dev_log_write(s->fd, 2, "while it stalls") == -ENOSPC)
			s->lost++;
		else
			s->kept++;
	}
}

/* Fills the rings and the pipe or connection. */
static struct stall begin_stall(const char *kind, const int ends[2])
{
	struct stall s = { .kind = kind, .fd = dev_open(), .log = malloc(STALL_ROOM), .end = ends[0] };

	if (dev_rings(s.fd, 16384) || dev_log(s.fd, HWPMC_IOC_LOG_OPEN, ends[1]) ||
	    dev_log_write(s.fd, 1, "before"))
		die("stall: %s", dev_sentence(s.fd));
	/* The log alone holds this end: closing the log closes it. */
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

/* The reader resumes: the log has the records before and after, and the losses between. */
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
	check(!dev_log(s->fd, HWPMC_IOC_LOG_CLOSE, 0), "stall, %s: LOG_CLOSE: %s", s->kind, dev_sentence(s->fd));
	pthread_join(s->reader, NULL);
	log_summary_add(&summary, s->log, s->size);
	apart = summary.times[3] - summary.times[1];
	check(summary.whole && summary.first && summary.last && summary.cookies == 0xe,
	      "stall, %s: the log has records from before, within and after: %#x", s->kind, summary.cookies);
	check(apart >= stall_s * 1000000000ULL, "stall, %s: these are as far apart as the stall is long: %llu ns",
	      s->kind, (unsigned long long)apart);
	check(summary.types[HWPMC_LOG_USER] == s->kept + 1 && summary.lost == s->lost,
	      "stall, %s: %lu of %lu records arrive, %lu are lost and %llu reported lost",
	      s->kind, summary.types[HWPMC_LOG_USER], s->kept + 1, s->lost, (unsigned long long)summary.lost);
	close(s->end);
	close(s->fd);
	free(s->log);
}

/* close(2) does not wait for a stalled reader. */
static void close_stalled(const char *kind, const int ends[2])
{
	int other = dev_open(), fd = dev_open();
	uint64_t owners = dev_stats(other).owners;

	if (dev_rings(fd, 16384) || dev_log(fd, HWPMC_IOC_LOG_OPEN, ends[1]))
		die("stall: %s", dev_sentence(fd));
	while (dev_log_write(fd, 1, "until there is no room") != -ENOSPC)
		;
	close(fd);
	check(SOON(dev_stats(other).owners == owners - 1),
	      "stall, %s: close() ends the owner though the reader stalls", kind);
	close(other);
	close(ends[0]);
	close(ends[1]);
}

/* A thread that writes from a missing page to a file, and so sleeps with the file locked. */
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

/*
 * A file system that does not respond, in an uninterruptible sleep: close(2) does not wait for it,
 * and what the log's thread uses is freed only when the file system responds.
 */
static void stuck(void)
{
	int to = open("/tmp/stuck.log", O_WRONLY | O_CREAT | O_TRUNC, 0600), other = dev_open();
	int before = module_references(), fd = dev_open();
	uint64_t owners = dev_stats(other).owners;
	struct writing w = { .userfault = userfault_open(), .to = to };
	pthread_t closer;
	char waits[96];

	snprintf(waits, sizeof(waits), "grep -q '(hwpmc/%d) D ' /proc/[0-9]*/stat", getpid());
	counter(fd, -1, 0);
	/* The thread holds the file's lock until the page is resolved. */
	if (pthread_create(&w.writer, NULL, write_absent, &w) ||
	    !userfault_pending(&w.userfault, 10000 * PATIENCE))
		die("a thread, and its page");
	if (dev_log(fd, HWPMC_IOC_LOG_OPEN, to) || dev_stats(other).pmcs != 1 ||
	    !SOON(!system(waits)) || pthread_create(&closer, NULL, close_it, &fd))
		die("stuck: %s", dev_sentence(fd));
	check(SOON(!pthread_tryjoin_np(closer, NULL)) && !dev_stats(other).pmcs,
	      "stuck: close() returns and frees the PMC");
	check(!system(waits) && dev_stats(other).owners == owners && module_references() == before + 1,
	      "stuck: the log's thread still waits and holds the owner and the module");
	userfault_resolve(&w.userfault);
	pthread_join(w.writer, NULL);
	check(SOON(dev_stats(other).owners == owners - 1 && module_references() == before),
	      "stuck: these are released when the file system answers");
	close(w.userfault.fd);
	close(other);
}

int main(int argc, char **argv)
{
	struct stall stalls[2];
	unsigned int count = 0;
	int ends[2];

	if (argc > 1)
		stall_s = strtoul(argv[1], NULL, 0);
	time_limit(50 + 2 * stall_s);
	/* The other cases run during the stalls. */
	connect_pipe(ends);
	stalls[count++] = begin_stall("pipe", ends);
	if (connect_tcp(ends))
		stalls[count++] = begin_stall("TCP", ends);
	connect_pipe(ends);
	close_stalled("pipe", ends);
	if (count > 1 && connect_tcp(ends))
		close_stalled("TCP", ends);
	stuck();
	while (count > 0)
		end_stall(&stalls[--count]);
	return result();
}
