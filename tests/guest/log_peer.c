// SPDX-License-Identifier: GPL-2.0-only
/* Logs and rings whose reader does not read, or reads in time: nobody waits for ever. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <time.h>

#include "exact.h"
#include "ring.h"

#define RING	(64 * 1024)

static void nothing(int sig)
{
	(void)sig;
}

static void fill(int pipe)
{
	static const char junk[4096];

	for (size_t n = sizeof(junk); n; n /= 2)
		while (write(pipe, junk, n) > 0)
			;
}

/* The last record finds no room: the call ends with a signal, and the log with it. */
static void closing(void)
{
	struct sigaction action = { .sa_handler = nothing };
	struct itimerspec soon = { .it_value.tv_nsec = 200000000, .it_interval.tv_nsec = 200000000 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	timer_t timer;
	int fd = dev_open(), ends[2], err;

	if (pipe2(ends, O_NONBLOCK) || sigaction(SIGUSR1, &action, NULL) ||
	    timer_create(CLOCK_MONOTONIC, &event, &timer))
		die("a pipe and a timer: %s", strerror(errno));
	if (dev_log(fd, HWPMC_IOC_LOG_OPEN, ends[1]) || dev_flush(fd))
		die("a log: %s", dev_sentence(fd));
	fill(ends[1]);
	timer_settime(timer, 0, &soon, NULL);
	err = dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0);
	timer_delete(timer);
	check(err == -EAGAIN || err == -EINTR, "closing a log that is full gave %d", err);
	err = dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0);
	check(err == -EINVAL, "closed is closed: %d", err);
	close(fd);
	close(ends[0]);
	close(ends[1]);
}

/* Before the log's thread has begun, while it does, and after. */
static void killing(void)
{
	int ends[2];

	if (pipe(ends) || fcntl(ends[1], F_SETFL, O_NONBLOCK))
		die("a pipe: %s", strerror(errno));
	fill(ends[1]);
	if (fcntl(ends[1], F_SETFL, 0))
		die("blocking: %s", strerror(errno));
	for (int i = 0; i < 100; i++) {
		int fd = dev_open();

		if (dev_log(fd, HWPMC_IOC_LOG_OPEN, ends[1]))
			die("a log: %s", dev_sentence(fd));
		if (i % 2)
			usleep(i * 20);
		close(fd);
	}
	check(true, "closed a hundred times under a log that waits for its peer");
	close(ends[0]);
	close(ends[1]);
}

static void write_some(int fd, const struct ring_one *one, uint64_t up_to)
{
	static char text[1000];
	struct hwpmc_log_write write = { .length = sizeof(text), .text = (uintptr_t)text };

	while (one->header->head - one->tail->tail < up_to)
		if (dev_call(fd, HWPMC_IOC_LOG_WRITE, &write, sizeof(write)))
			die("write: %s", dev_sentence(fd));
}

static bool told(int epoll)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, 500) == 1;
}

/* A reader that took more than the watermark is told at the watermark again. */
static void watermark(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int fd = dev_open(), epoll = epoll_create1(0);
	struct ring_map map;
	struct ring_one *one;
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (epoll < 0 || sched_setaffinity(0, sizeof(cpu), &cpu))
		die("a CPU, and epoll: %s", strerror(errno));
	ring_open(&map, fd, RING);
	one = &map.cpus[0];
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		die("epoll: %s", strerror(errno));
	for (int i = 0; i < 5; i++) {
		write_some(fd, one, RING / 2 - 2048);
		check(!told(epoll), "round %d: below the watermark", i);
		write_some(fd, one, RING / 2);
		check(told(epoll), "round %d: at the watermark", i);
		check(!told(epoll), "round %d: once", i);
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
	closing();
	killing();
	watermark();
	return result();
}
