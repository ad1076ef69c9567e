// SPDX-License-Identifier: GPL-2.0-only
/*
 * "user_idle [DIVISOR]": a thread reads its own counters in user mode while its CPU enters and leaves
 * deep idle, in which the PMU loses its registers: while the thread sleeps, or in a call of its own.
 * Needs busy.ko in the working directory, and a kernel with CONFIG_CPU_PM: the debug kernels have
 * none.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "exact.h"
#include "own.h"
#include "param.h"

#define SIX	6
#define LOSE	"/sys/module/busy/parameters/lose"

static int fd, lose;
static unsigned int rows;

/* Makes the calling thread's CPU enter and leave deep idle. */
static void lose_pmu(void)
{
	if (pwrite(lose, "1", 1, 0) != 1)
		die("%s: %s", LOSE, strerror(errno));
}

/**
 * struct pauses - what a thread reads before and after each pause
 * @times: number of pauses
 * @retried: pauses that are not among @times: a switch of the thread made it repeat a reading
 * @wrong: differences over a pause that were not those of the first pause, of all six counters
 * @calls: reads for which the page had no counter
 * @dirty: pauses after which a counter contained events of others, or its value from before idle
 * @worst: the most events that a counter contained
 * @off: a difference of @wrong, minus that of the first pause
 */
struct pauses {
	uint64_t times, retried, wrong, calls, dirty, worst;
	int64_t off;
};

/* Returns whether the reading was not repeated, so that it took the usual number of instructions. */
static bool read_six(const struct own *own, struct pauses *p, __u64 *values)
{
	__u32 seq = own_seq(own);

	p->calls += !hwpmc_user_any(own->reader.page, 0, SIX, values);
	return own_seq(own) == seq;
}

/*
 * Returns in @took the events of each counter from before @pause to after it. Not inlined, since
 * copies by the compiler would differ.
 */
static __attribute__((__noinline__)) void read_around(const struct own *own, struct pauses *p,
						      void (*pause)(void), __u64 *took)
{
	__u64 before[SIX], after[SIX];
	bool once, again;
	unsigned int i;

	do {
		once = read_six(own, p, before);
		pause();
		again = !read_six(own, p, after) || !once;
		p->retried += again;
	} while (again);
	for (i = 0; i < SIX; i++)
		took[i] = after[i] - before[i];
}

/* @pause always executes the same number of instructions. The first reads cause page faults. */
static void read_all(struct pauses *p, void (*pause)(void))
{
	__u64 first[SIX], took[SIX];
	unsigned int row;
	struct own own;
	uint64_t i;

	own_open(&own, fd, SIX);
	for (i = 0; i < 3; i++)
		read_around(&own, p, pause, first);
	for (i = 0; i < p->times; i++) {
		read_around(&own, p, pause, took);
		for (row = 0; row < SIX; row++) {
			if (took[row] == first[row])
				continue;
			p->wrong++;
			p->off = (int64_t)(took[row] - first[row]);
		}
		pause();
		p->dirty += !own_clean(rows, &p->worst);
	}
	read_six(&own, p, took);
	check(dev_value(fd, own.ids[0]) - took[0] < 2000, "at the end READ returns the same count");
	own_close(&own);
}

static void report(const struct pauses *p, const char *when)
{
	check(!p->wrong, "the PMU loses its registers %llu times %s: the same instructions give the same difference, except for %llu (by %lld)",
	      (unsigned long long)p->times, when, (unsigned long long)p->wrong, (long long)p->off);
	check(p->retried <= 3 + p->times / 200, "a switch made the thread repeat few of the readings: %llu",
	      (unsigned long long)p->retried);
	check(!p->calls, "each read is from a counter; %llu make a call", (unsigned long long)p->calls);
	check(!p->dirty, "no counter has more than the thread executed: %llu at most; %llu times one has",
	      (unsigned long long)p->worst, (unsigned long long)p->dirty);
}

static int ask[2], answer[2];
static uint64_t permitted;

/* A thread on the CPU of the reader, which sleeps meanwhile. This thread may read no counter. */
static void *lose_for_other(void *arg)
{
	char byte;

	while (read(ask[0], &byte, 1) == 1) {
		lose_pmu();
		permitted += !own_raw_faults();
		if (write(answer[1], &byte, 1) != 1)
			die("pipe: %s", strerror(errno));
	}
	return arg;
}

static void sleep_meanwhile(void)
{
	char byte = 0;

	if (write(ask[1], &byte, 1) != 1 || read(answer[0], &byte, 1) != 1)
		die("pipe: %s", strerror(errno));
}

static void asleep(void)
{
	struct pauses p = { .times = scaled(2000) };
	pthread_t thread;

	if (pipe2(ask, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	if (pthread_create(&thread, NULL, lose_for_other, NULL))
		die("thread: %s", strerror(errno));
	read_all(&p, sleep_meanwhile);
	close(ask[1]);
	pthread_join(thread, NULL);
	report(&p, "while the thread sleeps");
	check(!permitted, "another thread that runs meanwhile may read no counter; %llu times it can",
	      (unsigned long long)permitted);
}

static void in_a_call(void)
{
	struct pauses p = { .times = scaled(2000) };

	read_all(&p, lose_pmu);
	report(&p, "in a call of the thread");
}

int main(int argc, char **argv)
{
	scale_down(argc, argv);
	if (!OWN_READS) {
		skip("reads in user mode: not on this architecture");
		return result();
	}
	time_limit(300);
	fd = dev_open();
	rows = dev_class_info()->rows;
	if (system("insmod busy.ko"))
		die("busy.ko cannot be loaded");
	lose = open(LOSE, O_WRONLY | O_CLOEXEC);
	if (lose < 0)
		die("%s: %s", LOSE, strerror(errno));
	param_set("user_reads", 1);
	pin(0, 0);
	in_a_call();
	asleep();
	param_set("user_reads", 0);
	close(lose);
	if (system("rmmod busy"))
		die("busy.ko cannot be unloaded");
	return result();
}
