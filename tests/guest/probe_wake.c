// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes at the end of an interrupt, sampled with a watermark of one record and a reader that reads
 * each record at once: the interrupt that wakes the reader is such an event, too. If each event
 * caused the next, the CPU would execute nothing else.
 */
#define _GNU_SOURCE
#include <sched.h>

#include "exact.h"
#include "probe.h"
#include "ring.h"

/* The time of a measurement in ms; the argument of "probe_wake [DIVISOR]" divides it. */
#define SPAN_MS		((unsigned int)scaled(300))
/* A timer wakes every 100 us, and an irq_work once in between. */
#define WAKES_MOST	(2 * SPAN_MS * 10)

/*
 * CPU 1 makes more than 1 / STEPS_LEAST of the steps that it makes alone; in an endless chain of
 * events it would make none. The number of steps in real time depends on the host's load, so this
 * needs a machine whose clock counts instructions (-icount).
 */
#define STEPS_LEAST	5

/* x86: QEMU runs one CPU at a time, so only the number of events reveals an endless chain. */
#ifdef __x86_64__
#define CPUS_IN_TURN	true
#else
#define CPUS_IN_TURN	false
#endif

/* Writes a record at intervals: most of these probes have no event until a record is written. */
#define FIRST		"profile:ms:10"

static const char *const names[] = {
	"kprobe:irq_exit_rcu", "kprobe:__wake_up", "kprobe:irq_work_run",
#ifdef __x86_64__
	"tracepoint:irq_work_exit", "tracepoint:irq_work_entry",
#else
	"tracepoint:ipi_exit", "tracepoint:ipi_entry",
#endif
};

static volatile uint64_t *progress;

static void spin_there(void *arg)
{
	(void)arg;
	pin(0, 1);
	spin_on(progress);
}

/* A hostile reader leaves room for a DROP record, but for no PROBE record: each event is lost. */
#define SIZE		(1 << 16)
#define ROOM_FOR_DROP	120

/*
 * The reader: consumes all records for SPAN_MS. @hostile: see above. If QEMU runs one CPU at a time
 * (-icount), it lets the other CPU run after each read.
 */
static void read_all(struct ring_one *one, bool hostile)
{
	double end = seconds() + SPAN_MS / 1000.0;

	while (seconds() < end) {
		one->tail->tail = __atomic_load_n(&one->header->head, __ATOMIC_ACQUIRE) -
				  (hostile ? SIZE - ROOM_FOR_DROP : 0);
		yield_cpu();
	}
}

/* The steps of the program on CPU 1 while the reader reads. */
static uint64_t steps(struct ring_one *one, bool hostile)
{
	uint64_t before = *progress;

	read_all(one, hostile);
	return *progress - before;
}

/* Samples each event of a probe on CPU 1. @hostile: with the largest records. */
static uint32_t sampling(int fd, const char *name, bool hostile)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = HWPMC_MODE_SS, .cpu = 1, .count = 1,
		.name = (uintptr_t)name, .name_length = strlen(name),
		.args = hostile ? 10 : 0, .flags = hostile ? HWPMC_F_COMM : 0,
	};

	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("%s: %s", name, dev_sentence(fd));
	return a.id;
}

static void sampled(const char *name, bool hostile)
{
	struct hwpmc_ring made = { .data_size = SIZE, .watermark = 8 };
	struct ring_map map = { 0 };
	uint64_t alone, beside;
	struct hwpmc_sampled s;
	int fd = dev_open();
	uint32_t ids[2];

	if (dev_call(fd, HWPMC_IOC_RING, &made, sizeof(made)))
		die("rings: %s", dev_sentence(fd));
	ring_map_again(&map, fd, &made);
	ids[0] = sampling(fd, name, hostile);
	ids[1] = sampling(fd, FIRST, false);
	alone = steps(&map.cpus[1], hostile);
	if (dev_ids(fd, HWPMC_IOC_START, ids, ARRAY_SIZE(ids)))
		die("%s: %s", name, dev_sentence(fd));
	beside = steps(&map.cpus[1], hostile);
	check(!dev_ids(fd, HWPMC_IOC_STOP, ids, ARRAY_SIZE(ids)), "%s: STOP", name);
	s = dev_sampled(fd, ids[0], 1);
	if (CPUS_IN_TURN)
		skip("%s: the steps of CPU 1: in QEMU each timer of the CPU ends its turn", name);
	else
		check(beside > alone / STEPS_LEAST, "%s: CPU 1 makes %llu steps, alone %llu", name,
		      (unsigned long long)beside, (unsigned long long)alone);
	/* Events within the wake-up itself are skipped. */
	check(s.taken + s.skipped > 0 && s.taken < WAKES_MOST * 2,
	      "%s: %llu events in %u ms, %llu skipped", name, (unsigned long long)s.taken, SPAN_MS,
	      (unsigned long long)s.skipped);
	ring_close(&map);
	close(fd);
}

int main(int argc, char **argv)
{
	struct worker worker;

	scale_down(argc, argv);
	time_limit(120);
	progress = shared(sizeof(*progress));
	worker = worker_start(spin_there, NULL);
	worker_begin(&worker);
	pin(0, 0);
	while (!*progress)
		nap(1);
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		sampled(names[i], false);
	sampled(names[0], true);
	worker_end(&worker);
	return result();
}
