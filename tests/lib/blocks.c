// SPDX-License-Identifier: GPL-2.0-only
/* Functions in which the calling thread blocks; see blocks.h. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "blocks.h"
#include "child.h"
#include "cpu.h"
#include "test.h"

/* Bytes of code: none of the three functions is longer. */
#define CODE_MOST	512

const char *const block_names[BLOCK_COUNT] = { "block_sleep", "block_wait", "block_read" };

static void (*const functions[BLOCK_COUNT])(uint64_t us) = { block_sleep, block_wait, block_read };

/*
 * Pipes of @owner to and from its child. @owner writes the time to wait to @request; the child
 * waits, and then writes to the pipe from which @owner reads @reply.
 */
static struct {
	pid_t owner;
	int request, reply;
} pipes;

/* Makes a system call without libc, whose functions may have no frame. */
static inline __attribute__((always_inline)) long raw_call(long number, long a, long b, long c,
							   long d)
{
#ifdef __x86_64__
	register long r10 asm("r10") = d;
	long result;

	asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) :
		     "rcx", "r11", "memory");
	return result;
#else
	register long x8 asm("x8") = number;
	register long x0 asm("x0") = a;
	register long x1 asm("x1") = b;
	register long x2 asm("x2") = c;
	register long x3 asm("x3") = d;

	asm volatile("svc 0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3), "r"(x8) : "memory");
	return x0;
#endif
}

static struct timespec time_of(uint64_t us)
{
	return (struct timespec){ us / 1000000, us % 1000000 * 1000 };
}

__attribute__((noinline)) void block_sleep(uint64_t us)
{
	struct timespec ts = time_of(us);

	raw_call(SYS_nanosleep, (long)&ts, 0, 0, 0);
}

__attribute__((noinline)) void block_wait(uint64_t us)
{
	struct timespec ts = time_of(us);
	uint32_t word = 0;

	raw_call(SYS_futex, (long)&word, FUTEX_WAIT_PRIVATE, 0, (long)&ts);
}

static void serve_reads(int in, int out)
{
	uint64_t us;
	struct timespec ts;

	while (read(in, &us, sizeof(us)) == sizeof(us)) {
		ts = time_of(us);
		nanosleep(&ts, NULL);
		if (write(out, &us, sizeof(us)) != sizeof(us))
			break;
	}
	_exit(0);
}

static void open_pipes(void)
{
	int request[2], reply[2];

	if (pipes.owner == getpid())
		return;
	if (pipe2(request, O_CLOEXEC) || pipe2(reply, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	pipes.owner = getpid();
	pipes.request = request[1];
	pipes.reply = reply[0];
	if (!fork_tied()) {
		close(request[1]);
		serve_reads(request[0], reply[1]);
	}
	close(request[0]);
	close(reply[1]);
}

__attribute__((noinline)) void block_read(uint64_t us)
{
	uint64_t answer = 0;

	raw_call(SYS_write, pipes.request, (long)&us, sizeof(us), 0);
	raw_call(SYS_read, pipes.reply, (long)&answer, sizeof(answer), 0);
}

uint64_t block_clock(void)
{
	return clock_ns(CLOCK_MONOTONIC) - clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t block(enum block how, uint64_t us, unsigned int times)
{
	uint64_t begun;

	if (how == BLOCK_READ)
		open_pipes();
	begun = block_clock();
	while (times--)
		functions[how](us);
	return block_clock() - begun;
}

bool block_agrees(uint64_t got, uint64_t want)
{
	uint64_t apart = got > want ? got - want : want - got;

	return got && apart <= want / 100;
}

enum block block_at(uint64_t pc)
{
	uint64_t nearest = CODE_MOST;
	enum block found = BLOCK_COUNT;

	for (int how = 0; how < BLOCK_COUNT; how++) {
		if (pc - (uintptr_t)functions[how] >= nearest)
			continue;
		nearest = pc - (uintptr_t)functions[how];
		found = how;
	}
	return found;
}
