// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples a child, and reads the records from the rings with hwpmc_ring.h while it runs. Prints the
 * number of events that the samples represent, the share of one function, and the number of lost
 * records.
 *
 *	cc $(pkg-config --cflags hwpmc) -o sample sample.c
 *	./sample
 */
#include <poll.h>
#include <sys/wait.h>

#include <hwpmc_ring.h>

#include "common.h"

#define PERIOD	100000

/*
 * busy() is in a section of its own, and the linker provides the addresses of its start and end.
 * The program counts the samples between them.
 */
extern const char __start_hot[], __stop_hot[];

static __attribute__((noinline, section("hot"))) void busy(void)
{
	for (volatile unsigned long i = 0; i < 10000000; i++)
		;
}

/* The results. A sample may represent several periods, if its interrupt was late. */
struct summary {
	unsigned long samples;
	unsigned long long events;
	unsigned long long in_busy;
	unsigned long lost;
};

static void take(const struct hwpmc_log_header *record, struct summary *sum)
{
	if (record->type == HWPMC_LOG_SAMPLE) {
		/*
		 * The record may omit fields that its reader can fill in: the period, and fields
		 * that are 0.
		 */
		struct hwpmc_log_sample room;
		const struct hwpmc_log_sample *sample = hwpmc_sample_whole(record, PERIOD, &room);

		sum->samples++;
		sum->events += sample->period;
		if (sample->pc >= POINTER(__start_hot) && sample->pc < POINTER(__stop_hot))
			sum->in_busy += sample->period;
	} else if (record->type == HWPMC_LOG_DROP) {
		sum->lost += ((const struct hwpmc_log_drop *)record)->lost;
	}
}

static void read_ring(struct hwpmc_ring_reader *ring, struct summary *sum)
{
	const struct hwpmc_log_header *record;

	hwpmc_ring_begin(ring);
	while ((record = hwpmc_ring_next(ring)))
		take(record, sum);
	hwpmc_ring_end(ring);
}

/* Maps the ring of each CPU, except of CPU numbers that are not possible. */
static struct hwpmc_ring_reader *map_rings(int fd, struct hwpmc_ring *made)
{
	struct hwpmc_ring_reader *rings;

	call(fd, HWPMC_IOC_RING, made, sizeof(*made));
	rings = calloc(made->rings, sizeof(*rings));
	if (!rings)
		err(1, "the rings");
	for (__u32 cpu = 0; cpu < made->rings; cpu++)
		if (hwpmc_ring_map(&rings[cpu], fd, made, cpu) && errno != EINVAL)
			err(1, "the ring of CPU %u", cpu);
	return rings;
}

/* Returns a child that waits until a byte is written to @start. */
static pid_t make_child(int *start)
{
	char go;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		if (read(ends[0], &go, 1) == 1)
			busy();
		_exit(0);
	}
	close(ends[0]);
	*start = ends[1];
	return pid;
}

int main(void)
{
	int fd = open_device(), start;
	struct event event = find_event(fd);
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	struct hwpmc_ring made = { .data_size = 0 };
	struct hwpmc_ring_reader *rings = map_rings(fd, &made);
	__u32 id = allocate(fd, event, HWPMC_MODE_TS, 0, PERIOD);
	struct hwpmc_attach attach = { .id = id, .pid = make_child(&start) };
	struct hwpmc_log flush = { .fd = 0 };
	struct summary sum = { .samples = 0 };

	call(fd, HWPMC_IOC_ATTACH, &attach, sizeof(attach));
	call_ids(fd, HWPMC_IOC_START, &id, 1);
	if (write(start, "", 1) != 1)
		err(1, "write");
	/*
	 * POLLIN: a ring is half full. POLLHUP: the child has exited. In both cases read all
	 * records.
	 */
	do {
		if (poll(&wait, 1, -1) < 0)
			err(1, "poll");
		/* Makes the module write DROP records for all losses. */
		if (wait.revents & POLLHUP)
			call(fd, HWPMC_IOC_LOG_FLUSH, &flush, sizeof(flush));
		for (__u32 cpu = 0; cpu < made.rings; cpu++)
			if (rings[cpu].data)
				read_ring(&rings[cpu], &sum);
	} while (!(wait.revents & POLLHUP));
	waitpid(attach.pid, NULL, 0);
	printf("%lu samples of %llu %s, %llu of these in busy(), %lu records lost\n", sum.samples,
	       sum.events, event.name, sum.in_busy, sum.lost);
	free(rings);
	return 0;
}
