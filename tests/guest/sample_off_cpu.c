// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of off-CPU time represent the time exactly, and have the stacks of the place where the
 * thread left the CPU. Invalid requests, and requests without the privilege, are refused.
 */
#include <linux/hwpmc_log.h>

#include <sys/stat.h>

#include "blocks.h"
#include "exact.h"
#include "ring.h"
#include "symbol.h"
#include "test_class.h"

#define BOTH	(HWPMC_CAP_USER | HWPMC_CAP_SYSTEM)
#define CHAINS	(HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN)
#define PERIOD	1000000		/* ns */
#define USER	1000
#define STACK	1024

/* Each of the three functions blocks 3 times for 100 ms. */
#define BLOCK_US	100000
#define BLOCKS		3

static int64_t allocate(int fd, int cpu, uint64_t period, uint64_t caps, uint32_t flags)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_SOFT, .event = HWPMC_SOFT_OFF_CPU, .cpu = cpu, .caps = caps,
		.mode = cpu < 0 ? HWPMC_MODE_TS : HWPMC_MODE_SS, .count = period, .flags = flags,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	return err ? err : (int64_t)a.id;
}

static uint32_t sampler(int fd, uint64_t period, uint64_t caps, uint32_t flags)
{
	int64_t id = allocate(fd, -1, period, caps, flags | HWPMC_F_THREAD);

	if (id < 0)
		die("allocate: %s", dev_sentence(fd));
	return id;
}

static void refusals(int fd)
{
	refused(fd, allocate(fd, 0, PERIOD, 0, 0), EINVAL, "off-CPU time is that of tasks",
		"ALLOCATE of a CPU's off-CPU time");
	refused(fd, allocate(fd, -1, 100, 0, HWPMC_F_FREQUENCY), EINVAL, "by a period",
		"ALLOCATE with a frequency");
	refused(fd, allocate(fd, -1, PERIOD, 0, HWPMC_F_LOG_PROCCSW), EINVAL, "LOG_PROCCSW",
		"ALLOCATE with SWITCH records");
	refused(fd, allocate(fd, -1, 9999, 0, 0), EINVAL, "10000",
		"ALLOCATE with a period of less than 10 us");
}

/* A range of the kernel's code. */
struct range {
	uint64_t start, end;
};

/*
 * A chain begins in one of the scheduler's functions. It has no address in the module, unless the
 * thread was switched out in an ioctl.
 */
static struct range scheduler[2], module;

static bool is_in(const struct range *range, uint64_t pc)
{
	return pc - range->start < range->end - range->start;
}

struct seen {
	uint32_t id;
	unsigned long all, user, kernel, scheduler, module, stacks, own;
	uint64_t events[BLOCK_COUNT + 1];
	uint64_t least;
};

static const uint64_t *chain_of(const struct hwpmc_log_sample *sample)
{
	return (const uint64_t *)((const char *)sample + sample->chain_offset);
}

static bool is_in_scheduler(uint64_t pc)
{
	return is_in(&scheduler[0], pc) || is_in(&scheduler[1], pc);
}

static bool has_frame_of_module(const struct hwpmc_log_sample *sample)
{
	const uint64_t *chain = chain_of(sample);

	for (unsigned int i = 0; i < sample->chain_kernel; i++)
		if (is_in(&module, chain[i]))
			return true;
	return false;
}

static void look(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	struct seen *seen = arg;
	uint64_t pc;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != seen->id)
		return;
	pc = sample->chain_user ? chain_of(sample)[sample->chain_kernel] : sample->pc;
	if (record->flags & HWPMC_SAMPLE_USER)
		pc = sample->pc;
	seen->all++;
	seen->user += !!(record->flags & HWPMC_SAMPLE_USER);
	seen->kernel += sample->chain_kernel > 2 && sample->pc >> 63;
	seen->scheduler += is_in_scheduler(sample->pc);
	seen->module += block_at(pc) < BLOCK_COUNT && has_frame_of_module(sample);
	seen->stacks += sample->regs && sample->stack_size == STACK;
	seen->events[block_at(pc)] += sample->period;
	if (!seen->least || sample->period < seen->least)
		seen->least = sample->period;
}

static bool all_agree(const struct seen *seen, const uint64_t want[BLOCK_COUNT])
{
	for (int how = 0; how < BLOCK_COUNT; how++)
		if (!block_agrees(seen->events[how], want[how]))
			return false;
	return true;
}

/* Samples blocks of each kind. The samples in each function must represent its off-CPU time. */
static void run_blocks(int fd, struct ring_map *map, struct seen *seen, const char *whose)
{
	uint64_t want[BLOCK_COUNT] = { 1, 1, 1 };

	/* Opens the pipes. */
	block(BLOCK_READ, 0, 0);
	for (int i = 0; i < BLOCK_TRIES && !all_agree(seen, want); i++) {
		*seen = (struct seen){ .id = seen->id };
		if (dev_start(fd, seen->id))
			die("start: %s", dev_sentence(fd));
		for (int how = 0; how < BLOCK_COUNT; how++)
			want[how] = block(how, BLOCK_US, BLOCKS);
		if (dev_stop(fd, seen->id))
			die("stop: %s", dev_sentence(fd));
		ring_drain(map, look, seen);
	}
	for (int how = 0; how < BLOCK_COUNT; how++)
		check(block_agrees(seen->events[how], want[how]),
		      "%s%s: samples represent %llu of %llu ns", whose, block_names[how],
		      (unsigned long long)seen->events[how], (unsigned long long)want[how]);
}

/* The samples represent the PMC's value, except less than a period. */
static void accounts(int fd, uint32_t id, uint64_t period, const char *name)
{
	struct hwpmc_sampled s = dev_sampled(fd, id, -1);
	uint64_t value = dev_value(fd, id);

	check(s.events <= value && value - s.events < period,
	      "%s: %llu samples represent %llu of %llu ns", name, (unsigned long long)s.taken,
	      (unsigned long long)s.events, (unsigned long long)value);
}

static void places(int fd, struct ring_map *map)
{
	struct seen seen = { .id = sampler(fd, PERIOD, BOTH, CHAINS) };

	run_blocks(fd, map, &seen, "");
	check(seen.all >= BLOCK_COUNT * BLOCKS && seen.kernel == seen.all && !seen.user,
	      "%lu of %lu samples have a stack of the kernel", seen.kernel, seen.all);
	check(seen.scheduler == seen.all, "%lu of %lu begin in the scheduler", seen.scheduler, seen.all);
	check(!seen.module, "%lu of the samples of blocks have functions of the module", seen.module);
	accounts(fd, seen.id, PERIOD, "long blocks");
	dev_release(fd, seen.id);
}

/* Only some short blocks are sampled, in proportion to their time. */
static void short_blocks(int fd, struct ring_map *map)
{
	const uint64_t period = 20 * PERIOD;
	struct seen seen = { .id = sampler(fd, period, BOTH, CHAINS) };
	uint64_t want[2] = { 0, 0 };
	unsigned long long all;

	if (dev_start(fd, seen.id))
		die("start: %s", dev_sentence(fd));
	for (int i = 0; i < 100; i++) {
		want[0] += block(BLOCK_SLEEP, 2000, 1);
		want[1] += block(BLOCK_WAIT, 6000, 1);
	}
	if (dev_stop(fd, seen.id))
		die("stop: %s", dev_sentence(fd));
	ring_drain(map, look, &seen);
	all = seen.events[0] + seen.events[1] + seen.events[2] + seen.events[BLOCK_COUNT];
	check(seen.least >= period && seen.all <= all / period,
	      "short blocks: %lu samples, each represents at least a period", seen.all);
	/* There are about 40 samples, a quarter of which is expected in block_sleep(). */
	check(seen.events[0] * 4 > want[0] && seen.events[0] < want[0] * 3 &&
	      seen.events[1] * 2 > want[1], "short blocks: %llu of %llu ns, and %llu of %llu",
	      (unsigned long long)seen.events[0], (unsigned long long)want[0],
	      (unsigned long long)seen.events[1], (unsigned long long)want[1]);
	accounts(fd, seen.id, period, "short blocks");
	dev_release(fd, seen.id);
}

static void copies(int fd, struct ring_map *map)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_SOFT, .event = HWPMC_SOFT_OFF_CPU, .cpu = -1, .caps = BOTH,
		.mode = HWPMC_MODE_TS, .count = PERIOD, .flags = HWPMC_F_THREAD | CHAINS,
		.user_stack = STACK,
	};
	struct seen seen = {};

	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("allocate: %s", dev_sentence(fd));
	seen.id = a.id;
	if (dev_start(fd, seen.id))
		die("start: %s", dev_sentence(fd));
	block(BLOCK_SLEEP, BLOCK_US, BLOCKS);
	if (dev_stop(fd, seen.id))
		die("stop: %s", dev_sentence(fd));
	ring_drain(map, look, &seen);
	check(seen.all >= BLOCKS && seen.stacks == seen.all, "%lu of %lu samples have a copy of the user stack",
	      seen.stacks, seen.all);
	dev_release(fd, seen.id);
}

/* Without a privilege, samples have the place of user mode only. */
static void user_rights(void *arg)
{
	struct hwpmc_caps caps = {};
	struct seen seen = {};
	struct ring_map map;

	(void)arg;
	refused(user_fd, allocate(user_fd, -1, PERIOD, BOTH, 0), EPERM, "CAP_PERFMON",
		"a user's ALLOCATE with places in the kernel");
	ring_open(&map, user_fd, 64 * 1024);
	seen.id = sampler(user_fd, PERIOD, 0, CHAINS);
	check(!dev_caps(user_fd, seen.id, &caps) && (caps.caps & BOTH) == HWPMC_CAP_USER,
	      "a user's ALLOCATE with no mode samples user mode only: caps 0x%llx", caps.caps);
	run_blocks(user_fd, &map, &seen, "a user's ");
	check(seen.all && seen.user == seen.all && !seen.kernel,
	      "a user's %lu samples have places in user mode only: %lu", seen.all, seen.user);
	ring_close(&map);
}

static struct range function(const char *name)
{
	uint64_t start = kernel_symbol(name);

	return (struct range){ start, kernel_symbol_end(start) };
}

static void find_kernel(void)
{
	FILE *f = fopen("/proc/modules", "re");
	unsigned long long at, size;
	char line[512];

	scheduler[0] = function("__schedule");
	scheduler[1] = function("schedule");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "hwpmc %llu %*s %*s %*s %llx", &size, &at) == 2)
			module = (struct range){ at, at + size };
	if (!f || !module.start)
		die("/proc/modules has no address of the module");
	fclose(f);
}

int main(void)
{
	int fd = dev_open();
	struct ring_map map;

	time_limit(120);
	find_kernel();
	ring_open(&map, fd, 1024 * 1024);
	refusals(fd);
	places(fd, &map);
	short_blocks(fd, &map);
	copies(fd, &map);
	/* If an earlier program has reloaded the module, only root can open the device. */
	if (chmod("/dev/hwpmc", 0666))
		die("chmod: %s", strerror(errno));
	as_user("user", USER, 0, user_rights, NULL);
	chmod("/dev/hwpmc", 0660);
	ring_close(&map);
	close(fd);
	return result();
}
