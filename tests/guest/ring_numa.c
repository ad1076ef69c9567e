// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages of each CPU's ring are on that CPU's node, whichever CPU creates the rings.
 * move_pages(2) without target nodes reports the nodes of mapped pages. Needs
 * tests/vm/run --numa.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/syscall.h>

#include "exact.h"
#include "ring.h"

/* More pages than vmalloc allocates in one batch. */
#define RING	(1024 * 1024)
#define CPUS	64

static unsigned int node_of[CPUS];
static unsigned int cpus;

/* Returns the number of different nodes of the pages. */
static unsigned int look_at_nodes(void)
{
	unsigned int nodes = 0, i;

	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (cpus > CPUS)
		die("%u CPUs are too many for this test", cpus);
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		pin(0, cpu);
		if (getcpu(NULL, &node_of[cpu]))
			die("getcpu: %s", strerror(errno));
		for (i = 0; i < cpu && node_of[i] != node_of[cpu]; i++)
			;
		nodes += i == cpu;
	}
	return nodes;
}

/* Returns how many pages of the @size bytes are on a node other than @node, or an unknown one. */
static unsigned int elsewhere(const void *from, size_t size, int node)
{
	unsigned int page = sysconf(_SC_PAGESIZE), count = size / page, wrong = 0;
	const void *pages[count];
	int where[count];

	for (unsigned int i = 0; i < count; i++)
		pages[i] = (const char *)from + i * page;
	if (syscall(SYS_move_pages, 0, (unsigned long)count, pages, NULL, where, 0))
		die("move_pages: %s", strerror(errno));
	for (unsigned int i = 0; i < count; i++)
		wrong += where[i] != node;
	return wrong;
}

static void made_on(unsigned int maker)
{
	struct ring_map map;
	int fd = dev_open();

	pin(0, maker);
	ring_open(&map, fd, RING);
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		const struct ring_one *one = &map.cpus[cpu];
		size_t rest = map.made.stride - map.made.header_offset;
		unsigned int wrong;

		wrong = elsewhere(one->tail, map.made.header_offset, node_of[cpu]) +
			elsewhere(one->header, rest, node_of[cpu]);
		check(one->header->cpu == cpu && !wrong,
		      "the ring of cpu %u, created on cpu %u, is on its node: %u pages are not on node %u", cpu,
		      maker, wrong, node_of[cpu]);
	}
	ring_close(&map);
	close(fd);
}

int main(void)
{
	time_limit(60);
	if (look_at_nodes() < 2) {
		skip("rings on their nodes: the machine has one node");
		return result();
	}
	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		made_on(cpu);
	return result();
}
