// SPDX-License-Identifier: GPL-2.0-only
/* The cost of reading samples, and how often their reader is woken. */
#include <sys/wait.h>

#include "bench.h"

#define PERIOD		20000
#define WAKEUP		16384
#define TENS		10

/* Measures reading a ring that was filled before. */
static void drain(const struct backend *b)
{
	const struct sampling how = { .period = PERIOD };
	struct drained sum = {};
	uint64_t took;

	b->sample_open(&how, 0);
	spin(1);
	/* This faults in the pages of the ring, before the reading is measured. */
	b->sample_drain(&sum);
	spin(8);
	b->sample_stop();
	memset(&sum, 0, sizeof(sum));
	took = now();
	b->sample_drain(&sum);
	took = now() - took;
	if (!sum.samples)
		die("no samples were read");
	print("ring-record", (double)took / sum.samples);
	print("ring-byte", (double)took / sum.bytes);
	print("ring-size", (double)sum.bytes / sum.samples);
	b->sample_close();
}

static pid_t fork_spinner(int begin)
{
	pid_t pid = fork();
	char c;

	if (pid)
		return pid;
	if (read(begin, &c, 1) == 1)
		spin(TENS);
	_exit(0);
}

/*
 * Reads samples of another task on this CPU: sleeps while it runs, and reads when woken up. Returns
 * the time that the task and the reader take together.
 */
static uint64_t wait_and_drain(const struct backend *b, const struct sampling *how,
			       struct drained *sum, unsigned long *wakeups)
{
	int begin[2];
	uint64_t took;
	pid_t pid;

	if (pipe(begin))
		die("pipe: %s", strerror(errno));
	pid = fork_spinner(begin[0]);
	b->sample_open(how, pid);
	/* Wait until the PMC is attached. */
	usleep(700000);
	took = now();
	if (write(begin[1], "x", 1) != 1)
		die("pipe: %s", strerror(errno));
	while (b->sample_wait()) {
		++*wakeups;
		b->sample_drain(sum);
	}
	waitpid(pid, NULL, 0);
	took = now() - took;
	b->sample_drain(sum);
	b->sample_close();
	close(begin[0]);
	close(begin[1]);
	return took;
}

static void wake(const struct backend *b)
{
	struct sampling how = { .period = PERIOD, .wakeup = WAKEUP };
	struct drained sum = {}, none = {};
	unsigned long wakeups = 0, others = 0;
	uint64_t with = wait_and_drain(b, &how, &sum, &wakeups), without;

	how.period = 0;
	without = wait_and_drain(b, &how, &none, &others);
	if (!wakeups)
		die("%lu samples, and their reader was not woken", sum.samples);
	print("wake-samples", (double)sum.samples / wakeups);
	print("wake-second", wakeups * 1e9 / with);
	print("wake-whole", ((double)with - without) / sum.samples);
}

void bench_ring(const struct backend *b)
{
	drain(b);
	wake(b);
}
