// SPDX-License-Identifier: GPL-2.0-only
/* Two tasks on one CPU that wake each other through pipes; see pingpong.h. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/wait.h>

#include "cpu.h"
#include "median.h"
#include "pingpong.h"
#include "test.h"

#define WARM_UP	100
#define BURSTS	5
#define ROUNDS	40	/* of a burst: most bursts contain no timer tick */

static void pong(int in, int out)
{
	char c;

	while (read(in, &c, 1) == 1)
		if (write(out, &c, 1) != 1)
			break;
	_exit(0);
}

static void rounds(int out, int in, unsigned int count)
{
	char c = 0;

	while (count--)
		if (write(out, &c, 1) != 1 || read(in, &c, 1) != 1)
			die("ping-pong: %s", strerror(errno));
}

/*
 * Sets SCHED_FIFO. With SCHED_OTHER the tasks' earlier run times decide whether a wake-up preempts,
 * which changes the cost of a switch by up to 8 %.
 */
static void set_fifo(void)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("sched_setscheduler: %s", strerror(errno));
}

void ping_pong_open(struct ping_pong *pp)
{
	int there[2], back[2];

	set_fifo();
	if (pipe(there) || pipe(back))
		die("pipe: %s", strerror(errno));
	pp->pid = fork();
	if (!pp->pid) {
		close(there[1]);
		close(back[0]);
		pong(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	pp->out = there[1];
	pp->in = back[0];
	rounds(pp->out, pp->in, 100);
}

void ping_pong_rounds(struct ping_pong *pp, unsigned int count)
{
	rounds(pp->out, pp->in, count);
}

double ping_pong_measure(struct ping_pong *pp)
{
	double bursts[BURSTS];
	uint64_t start;

	rounds(pp->out, pp->in, WARM_UP);
	for (int i = 0; i < BURSTS; i++) {
		start = clock_ns(CLOCK_MONOTONIC);
		rounds(pp->out, pp->in, ROUNDS);
		bursts[i] = (double)(clock_ns(CLOCK_MONOTONIC) - start) / (2 * ROUNDS);
	}
	return median(bursts, BURSTS);
}

unsigned int ping_pong_switches(void)
{
	return 2 * (WARM_UP + BURSTS * ROUNDS);
}

void ping_pong_close(struct ping_pong *pp)
{
	close(pp->out);
	close(pp->in);
	waitpid(pp->pid, NULL, 0);
}

void warm_up(void)
{
	usleep(700000);
}
