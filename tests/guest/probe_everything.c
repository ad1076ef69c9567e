// SPDX-License-Identifier: GPL-2.0-only
/*
 * "probe_everything [SECONDS]": PMCs on every tracepoint of the kernel and every CPU at once count
 * for that long, and then sample each event with its stacks for as long, under load. The machine
 * keeps running. The records that are read and the losses that are reported add up to the events of
 * each PMC; with the skipped events they add up to the calls, where their number is known.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "cpu.h"
#include "param.h"
#include "probe.h"
#include "ring.h"
#include "test.h"

#define BUSY		3
#define PATTERN		"tracepoint:*"
#define RING_SIZE	(4 << 20)

/* Each call of getpriority(2) is one event of each of these. Their PMCs are allocated first. */
static const char *const known[] = {
	"syscall:getpriority:entry", "syscall:getpriority:return", "kprobe:" PROBE_FUNCTION,
	"kprobe:" PROBE_FUNCTION ":return",
};

#define KNOWN	ARRAY_SIZE(known)

/* A PMC on one CPU, and its records that were read or lost. */
struct one {
	uint32_t id;
	uint64_t read, lost;
};

static int fd;
static unsigned int cpus, count;
static struct one *all;		/* sorted by id; the PMCs of a probe are adjacent */
static uint32_t *ids;

/* Shared with the processes that cause events */
static struct load {
	bool over;
	uint64_t calls[BUSY];
} *load;

/* Makes calls, switches, page faults, pipes, files and forks. Exits after a whole round. */
static void be_busy(unsigned int self)
{
	char byte = 0;
	int pair[2];

	while (!__atomic_load_n(&load->over, __ATOMIC_ACQUIRE)) {
		char *memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0);
		pid_t child;

		for (int i = 0; i < 50; i++)
			syscall(SYS_getpriority, PRIO_PROCESS, 0);
		load->calls[self] += 50;
		memset(memory, 1, 65536);
		munmap(memory, 65536);
		if (pipe(pair) || write(pair[1], &byte, 1) != 1 || read(pair[0], &byte, 1) != 1)
			_exit(1);
		close(pair[0]);
		close(pair[1]);
		close(open("/proc/self/stat", O_RDONLY));
		usleep(50);
		child = fork();
		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	_exit(0);
}

static char *list_names(unsigned int *found)
{
	struct hwpmc_events events = {
		.pattern = (uintptr_t)PATTERN, .pattern_length = sizeof(PATTERN) - 1,
	};

	if (dev_call(fd, HWPMC_IOC_EVENTS, &events, sizeof(events)))
		die("names: %s", dev_sentence(fd));
	events.names = (uintptr_t)calloc(events.names_size, 1);
	if (dev_call(fd, HWPMC_IOC_EVENTS, &events, sizeof(events)))
		die("names: %s", dev_sentence(fd));
	*found = events.count;
	return (char *)(uintptr_t)events.names;
}

/* Allocates a PMC on each CPU. Returns false if the tracepoint or function cannot be probed. */
static bool allocate(const char *name, bool samples)
{
	struct hwpmc_allocate a = {
		.flags = samples ? HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN | HWPMC_F_COMM : 0,
		.class_id = HWPMC_CLASS_PROBE, .mode = samples ? HWPMC_MODE_SS : HWPMC_MODE_SC,
		.name = (uintptr_t)name, .name_length = strlen(name), .count = samples,
		.args = samples ? 4 : 0,
	};

	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		a.cpu = cpu;
		if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a))) {
			printf("# %s: %s\n", name, dev_sentence(fd));
			return false;
		}
		if (count && a.id <= all[count - 1].id)
			die("ids do not grow: %u after %u", a.id, all[count - 1].id);
		ids[count] = a.id;
		all[count++] = (struct one) { .id = a.id };
	}
	return true;
}

static unsigned int allocate_all(bool samples)
{
	unsigned int found, places = 0;
	char *names = list_names(&found);
	const char *name = names;

	count = 0;
	all = calloc((found + KNOWN) * cpus, sizeof(*all));
	ids = calloc((found + KNOWN) * cpus, sizeof(*ids));
	for (size_t i = 0; i < KNOWN; i++)
		if (!allocate(known[i], samples))
			die("%s: %s", known[i], dev_sentence(fd));
	for (unsigned int i = 0; i < found; i++, name += strlen(name) + 1)
		places += allocate(name, samples);
	free(names);
	check(places > 100, "%u of %u tracepoints have PMCs on %u CPUs", places, found, cpus);
	return places;
}

static int by_id(const void *a, const void *b)
{
	const struct one *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void take(const struct hwpmc_log_header *record, void *arg)
{
	const struct one key = { .id = record->id };
	struct one *one;

	(void)arg;
	if (record->type != HWPMC_LOG_PROBE && record->type != HWPMC_LOG_DROP)
		return;
	one = bsearch(&key, all, count, sizeof(*all), by_id);
	if (!one)
		return;
	if (record->type == HWPMC_LOG_PROBE)
		one->read++;
	else
		one->lost += ((const struct hwpmc_log_drop *)record)->lost;
}

/* Starts all PMCs, keeps processes busy for @time seconds, and stops the PMCs. */
static void run(double time, struct ring_map *map)
{
	pid_t busy[BUSY];
	double until;

	memset(load, 0, sizeof(*load));
	if (dev_ids(fd, HWPMC_IOC_START, ids, count))
		die("start: %s", dev_sentence(fd));
	for (int i = 0; i < BUSY; i++) {
		busy[i] = fork();
		if (!busy[i])
			be_busy(i);
	}
	until = seconds() + time;
	while (seconds() < until) {
		if (map)
			ring_drain(map, take, NULL);
		usleep(10000);
	}
	__atomic_store_n(&load->over, true, __ATOMIC_RELEASE);
	for (int i = 0; i < BUSY; i++) {
		int status = -1;

		waitpid(busy[i], &status, 0);
		if (status)
			die("a busy process ended with %#x", status);
	}
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, count))
		die("stop: %s", dev_sentence(fd));
	if (map) {
		ring_drain(map, take, NULL);
		dev_flush(fd);
		ring_drain(map, take, NULL);
	}
}

/* @skipped: the events that were skipped before run(). */
static void check_known(const uint64_t *skipped, const char *how)
{
	uint64_t calls = 0;

	for (int i = 0; i < BUSY; i++)
		calls += load->calls[i];
	for (size_t i = 0; i < KNOWN; i++) {
		uint64_t now = probe_skipped(fd, ids[i * cpus]) - skipped[i], sum = 0;

		for (unsigned int cpu = 0; cpu < cpus; cpu++)
			sum += dev_value(fd, ids[i * cpus + cpu]);
		check(calls && sum + now == calls, "%s: %s: %llu events and %llu skipped, of %llu calls",
		      known[i], how, (unsigned long long)sum, (unsigned long long)now,
		      (unsigned long long)calls);
	}
}

/* For each PMC, the records that were read plus those that were lost are the events it counted. */
static void check_read(void)
{
	uint64_t read = 0, lost = 0;
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < count; i++) {
		uint64_t value = dev_value(fd, all[i].id);

		read += all[i].read;
		lost += all[i].lost;
		if (all[i].read + all[i].lost == value)
			continue;
		if (wrong++ < 10)
			printf("# PMC %u: %llu are read and %llu lost, of %llu\n", i,
			       (unsigned long long)all[i].read, (unsigned long long)all[i].lost,
			       (unsigned long long)value);
	}
	check(!wrong && read, "%llu records are read and %llu reported as lost, which are all events of %u of %u PMCs",
	      (unsigned long long)read, (unsigned long long)lost, count - wrong, count);
}

static void everything(double time, bool samples)
{
	uint64_t skipped[KNOWN], events = 0;
	unsigned int fired = 0;
	struct ring_map map;

	fd = dev_open();
	if (samples)
		ring_open(&map, fd, RING_SIZE);
	allocate_all(samples);
	for (size_t i = 0; i < KNOWN; i++)
		skipped[i] = probe_skipped(fd, ids[i * cpus]);
	run(time, samples ? &map : NULL);
	for (unsigned int i = 0; i < count; i++) {
		uint64_t value = dev_value(fd, ids[i]);

		fired += !!value;
		events += value;
	}
	check(fired > 60, "%s for %.0f s: %llu events of %u PMCs, %llu skipped",
	      samples ? "sampling" : "counting", time, (unsigned long long)events, fired,
	      (unsigned long long)dev_stats(fd).probe_skipped);
	check_known(skipped, samples ? "sampled" : "counted");
	if (samples) {
		check_read();
		ring_close(&map);
	}
	close(fd);
	free(all);
	free(ids);
}

int main(int argc, char **argv)
{
	double time = argc > 1 ? strtod(argv[1], NULL) : 30;
	uint64_t percent = param_get("max_cpu_percent");

	alarm(300 * PATIENCE);
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	load = shared(sizeof(*load));
	param_set("max_cpu_percent", 25);
	everything(time, false);
	everything(time, true);
	param_set("max_cpu_percent", percent);
	fd = dev_open();
	check(SOON(!dev_stats(fd).probes && !dev_stats(fd).pmcs), "no probe and no PMC is left");
	return result();
}
