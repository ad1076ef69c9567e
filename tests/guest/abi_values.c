// SPDX-License-Identifier: GPL-2.0-only
/* RW and SET_COUNT: values, times and parts that are written and read, and every refusal. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "cpu.h"
#include "test_class.h"

static int fd;

static int rw(struct hwpmc_rw *args)
{
	return dev_call(fd, HWPMC_IOC_RW, args, sizeof(*args));
}

static void write_read(uint32_t id, const char *what)
{
	static const uint64_t values[] = {
		0, 1, 0xffffffffULL, 0x100000000ULL, 0x123456789abcdef0ULL, 1ULL << 63, ~0ULL,
	};
	unsigned int wrong = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		wrong |= (dev_write(fd, id, values[i]) || dev_value(fd, id) != values[i]) << i;
	check(!wrong, "%s: READ returns all 64 bits that WRITE wrote (0x%x)", what, wrong);
	wrong = 0;
	for (i = 0; i < ARRAY_SIZE(values); i++)
		wrong |= (dev_set_count(fd, id, values[i]) || dev_value(fd, id) != values[i]) << i;
	check(!wrong, "%s: READ returns all 64 bits that SET_COUNT set (0x%x)", what, wrong);
}

/*
 * A count wider than the hardware counter continues from the written value, and wraps at 64 bits.
 */
static void continues(uint32_t id, const char *what)
{
	uint64_t from = 0x7fffffffffffff00ULL, value;

	dev_write(fd, id, from);
	dev_start(fd, id);
	spin(1);
	dev_stop(fd, id);
	value = dev_value(fd, id);
	check(value - from > 0 && value - from < 1ULL << 40,
	      "%s: from 0x%llx it counts on by %llu", what, (unsigned long long)from,
	      (unsigned long long)(value - from));
	dev_write(fd, id, -1ULL);
	dev_start(fd, id);
	spin(1);
	dev_stop(fd, id);
	value = dev_value(fd, id);
	check(value < 1ULL << 40, "%s: from 2^64 - 1 it wraps to 0, to %llu", what,
	      (unsigned long long)value);
}

static void exchange(uint32_t id)
{
	uint64_t value = 0x1111222233334444ULL;

	dev_write(fd, id, 0x5555666677778888ULL);
	check(!dev_rw(fd, HWPMC_RW_OLD | HWPMC_RW_NEW, &id, 1, &value) &&
	      value == 0x5555666677778888ULL && dev_value(fd, id) == 0x1111222233334444ULL,
	      "RW with OLD and NEW exchanges");
	value = 5;
	check(!dev_rw(fd, HWPMC_RW_NEW, &id, 1, &value) && value == 5,
	      "RW with NEW alone does not write to the caller");
	check(!dev_rw(fd, HWPMC_RW_OLD | HWPMC_RW_STALE, &id, 1, &value) && value == 5,
	      "RW with STALE reads a stopped PMC");
	value = 6;
	check(!dev_rw(fd, HWPMC_RW_OLD | HWPMC_RW_NEW | HWPMC_RW_STALE, &id, 1, &value) &&
	      value == 5 && dev_value(fd, id) == 6,
	      "RW with OLD, NEW and STALE exchanges");
}

static void refusals(void)
{
	uint32_t id = class_pmc(fd, 0);
	struct hwpmc_rw args = { .count = 1, .ids = (uintptr_t)&id };
	uint64_t value = 3;
	int err;

	args.values = (uintptr_t)&value;
	refused(fd, rw(&args), EINVAL, "neither", "RW with neither OLD nor NEW");
	args.flags = HWPMC_RW_STALE;
	refused(fd, rw(&args), EINVAL, "neither", "RW with STALE alone");
	dev_start(fd, id);
	err = dev_write(fd, id, 9);
	refused(fd, err, EBUSY, "stop it", "WRITE of a running PMC");
	err = dev_rw(fd, HWPMC_RW_OLD | HWPMC_RW_NEW, &id, 1, &value);
	refused(fd, err, EBUSY, "stop it", "RW with OLD and NEW of a running PMC");
	check(value == 3, "a refused exchange reads nothing");
	err = dev_set_count(fd, id, 9);
	refused(fd, err, EBUSY, "stop it", "SET_COUNT of a running PMC");
	dev_stop(fd, id);
	check(!dev_write(fd, id, 9) && dev_value(fd, id) == 9, "WRITE of a stopped PMC");
	dev_release(fd, id);
}

/* Without a switch or overflow in between, a stale read returns the value of the last read. */
static void stale(void)
{
	uint32_t id = class_pmc(fd, 0);
	uint64_t fresh, old, again;
	bool same = false, ordered = true;
	unsigned int i;

	dev_start(fd, id);
	for (i = 0; i < 50; i++) {
		dev_rw(fd, HWPMC_RW_OLD, &id, 1, &fresh);
		dev_rw(fd, HWPMC_RW_OLD | HWPMC_RW_STALE, &id, 1, &old);
		dev_rw(fd, HWPMC_RW_OLD, &id, 1, &again);
		same |= old == fresh;
		ordered &= fresh <= old && old <= again && fresh < again;
	}
	check(ordered, "fresh reads grow, a stale one is between them");
	check(same, "a stale read returns the last read value");
	dev_release(fd, id);
}

/* One read has what a program needs to compute rates and the use of a CPU. */
static void time_of_reading(void)
{
	uint32_t ids[2] = { class_pmc(fd, 0) };
	uint64_t values[2][2], before, after;
	struct hwpmc_rw args = {
		.flags = HWPMC_RW_OLD | HWPMC_RW_TIME, .count = 2, .ids = (uintptr_t)ids,
		.values = (uintptr_t)values[0],
	};
	struct hwpmc_rw last;

	ids[1] = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_CLOCK, 0, 0);
	dev_ids(fd, HWPMC_IOC_START, ids, 2);
	before = clock_ns(CLOCK_MONOTONIC);
	if (rw(&args))
		die("RW with TIME: %s", dev_sentence(fd));
	after = clock_ns(CLOCK_MONOTONIC);
	check(args.time >= before && args.time <= after, "TIME returns when the values were read");
	last = args;
	last.values = (uintptr_t)values[1];
	usleep(100000);
	spin(1);
	rw(&last);
	check(values[1][1] > values[0][1] &&
	      values[1][1] - values[0][1] + 90000000 < last.time - args.time,
	      "the clock of the thread is the time it was on a CPU: %llu of %llu ns",
	      (unsigned long long)(values[1][1] - values[0][1]),
	      (unsigned long long)(last.time - args.time));
	last.time = 4711;
	last.flags = HWPMC_RW_OLD;
	check(!rw(&last) && last.time == 4711, "without TIME the field is not written");
	last.flags = HWPMC_RW_NEW | HWPMC_RW_TIME;
	refused(fd, rw(&last), EINVAL, "OLD", "RW with TIME and without OLD");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2);
}

static void times(void)
{
	uint32_t id = class_pmc(fd, 0);
	struct hwpmc_times t[3];
	uint64_t value;
	struct hwpmc_rw args = {
		.flags = HWPMC_RW_OLD,
		.count = 1,
		.ids = (uintptr_t)&id,
		.values = (uintptr_t)&value,
		.times = (uintptr_t)&t[0], .times_size = sizeof(t[0]),
	};

	rw(&args);
	check(!t[0].enabled && !t[0].running, "times of a PMC that never ran are 0");
	dev_start(fd, id);
	usleep(30000);
	rw(&args);
	check(t[0].enabled > 25000000 && t[0].running == t[0].enabled,
	      "times grow while the PMC runs: %llu, %llu ns", (unsigned long long)t[0].enabled,
	      (unsigned long long)t[0].running);
	dev_stop(fd, id);
	args.times = (uintptr_t)&t[1];
	rw(&args);
	usleep(30000);
	args.times = (uintptr_t)&t[2];
	rw(&args);
	check(t[1].enabled >= t[0].enabled && t[2].enabled == t[1].enabled,
	      "times do not grow while the PMC is stopped: %llu", (unsigned long long)t[2].enabled);
	dev_start(fd, id);
	usleep(30000);
	dev_stop(fd, id);
	rw(&args);
	check(t[2].enabled > t[1].enabled + 25000000, "times add up over STOP and START: %llu",
	      (unsigned long long)t[2].enabled);
	dev_release(fd, id);
}

static void parts(void)
{
	uint32_t id = class_pmc(fd, 0), count = 8, i;
	struct agent a = agent_start(NULL, NULL), b = agent_start(NULL, NULL);
	struct hwpmc_target_value list[8];
	uint64_t value, sum = 0;
	unsigned int base = 0, living = 0, gone = 0;
	int err;

	dev_write(fd, id, 1000);
	dev_attach(fd, id, a.pid, 0);
	dev_attach(fd, id, b.pid, 0);
	dev_start(fd, id);
	agent_spin(&a);
	agent_spin(&b);
	agent_reap(&b);
	usleep(100000);
	err = dev_targets(fd, id, &value, list, &count);
	for (i = 0; !err && i < count; i++) {
		sum += list[i].value;
		base += list[i].flags == HWPMC_TARGET_BASE && list[i].value == 1000;
		living += !list[i].flags && list[i].pid == a.pid && list[i].tid == a.pid;
		gone += list[i].flags == HWPMC_TARGET_GONE && list[i].value;
	}
	check(!err && count == 3 && base == 1 && living == 1 && gone == 1,
	      "parts are the written value, a running thread and an exited one (%u)", count);
	check(sum == value, "the parts sum up to the value: %llu, %llu", (unsigned long long)sum,
	      (unsigned long long)value);

	for (i = 0; i < 3; i++) {
		memset(list, 0x55, sizeof(list));
		count = i;
		err = dev_targets(fd, id, &value, list, &count);
		refused(fd, err, ENOSPC, "room", "READ with room for %u of 3 parts", i);
		check(count == 3 && list[0].id == 0x55555555,
		      "READ with too little room returns the number and writes no part: %u", count);
	}
	count = ~0U;
	check(!dev_targets(fd, id, &value, list, &count) && count == 3,
	      "READ with room for 2^32 - 1 parts");
	agent_reap(&a);
	dev_release(fd, id);
}

/* With targets RW writes the values to its structure. */
static void readonly(void)
{
	struct hwpmc_rw *args =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct hwpmc_target_value list[4];
	uint32_t id = class_pmc(fd, 0);
	uint64_t value = 0;
	int err;

	*args = (struct hwpmc_rw) {
		.size = sizeof(*args), .flags = HWPMC_RW_OLD, .count = 1, .ids = (uintptr_t)&id,
		.values = (uintptr_t)&value, .targets = (uintptr_t)list, .target_count = 4,
		.target_size = sizeof(list[0]),
	};
	mprotect(args, 4096, PROT_READ);
	err = ioctl(fd, HWPMC_IOC_RW, args) ? -errno : 0;
	refused_silent(err, EFAULT, "READ of parts from a structure that is read-only");
	munmap(args, 4096);
	dev_release(fd, id);
}

/*
 * The module has a separate function for reads with OLD alone; reads with OLD and TIME use the
 * general one.
 */
static void between(const uint32_t *ids, uint32_t count, const char *what)
{
	uint64_t before[3], values[3] = {}, after[3], when;
	struct hwpmc_rw args = {
		.flags = HWPMC_RW_OLD | HWPMC_RW_TIME, .count = count, .ids = (uintptr_t)ids,
		.values = (uintptr_t)before,
	};
	bool right = true;

	if (rw(&args))
		die("RW with TIME: %s", dev_sentence(fd));
	when = args.time;
	args.flags = HWPMC_RW_OLD;
	args.values = (uintptr_t)values;
	right &= !rw(&args) && args.time == when;
	args.flags |= HWPMC_RW_TIME;
	args.values = (uintptr_t)after;
	if (rw(&args))
		die("RW with TIME: %s", dev_sentence(fd));
	for (uint32_t i = 0; i < count; i++)
		right &= before[i] <= values[i] && values[i] <= after[i] && values[i];
	check(right && args.time > when, "READ of %s: %llu <= %llu <= %llu", what,
	      (unsigned long long)before[0], (unsigned long long)values[0],
	      (unsigned long long)after[0]);
}

static void refused_list(struct hwpmc_rw args, int error, const char *sentence, uint32_t failed,
			 const char *what)
{
	refused(fd, rw(&args), error, sentence, "READ of running PMCs of the caller: %s", what);
	check(args.failed == failed, "%s: the index of the id that was refused: %u", what, args.failed);
}

/* Lists of running PMCs that count the caller alone, which are read in the fewest instructions. */
static void own_lists(void)
{
	uint32_t ids[] = { class_pmc(fd, 0), class_pmc(fd, 0), class_pmc(fd, 0) };
	const uint32_t twice[] = { ids[0], ids[1], ids[0] }, unknown[] = { ids[0], 0x7fff0001 };
	uint64_t values[3], sums[3];
	struct hwpmc_rw args = {
		.flags = HWPMC_RW_OLD, .count = 3, .ids = (uintptr_t)ids, .values = (uintptr_t)values,
	}, wrong = args;
	struct agent child;

	if (dev_ids(fd, HWPMC_IOC_START, ids, 3))
		die("START: %s", dev_sentence(fd));
	between(ids, 3, "three PMCs of the caller");
	between(ids + 1, 1, "one of them");
	wrong.ids = (uintptr_t)twice;
	refused_list(wrong, EINVAL, "twice", 2, "an id twice");
	wrong.ids = (uintptr_t)unknown;
	wrong.count = 2;
	refused_list(wrong, ENOENT, "0x7fff0001", 1, "an unknown id");
	wrong = args;
	wrong.count = 0;
	refused_list(wrong, EINVAL, "empty", 0, "no id");
	wrong = args;
	wrong.ids = 0;
	refused_list(wrong, EFAULT, NULL, 0, "ids at NULL");
	wrong = args;
	wrong.values = 0;
	refused_list(wrong, EFAULT, NULL, 0, "values at NULL");
	wrong = args;
	wrong.reserved = 1;
	refused_list(wrong, EINVAL, "reserved", 0, "a reserved field");
	dev_ids(fd, HWPMC_IOC_STOP, ids, 3);
	child = agent_start(NULL, NULL);
	if (dev_attach(fd, ids[0], child.pid, 0) || dev_ids(fd, HWPMC_IOC_START, ids, 3))
		die("a second target: %s", dev_sentence(fd));
	agent_spin(&child);
	between(ids, 3, "three PMCs, one of which counts another process, too");
	dev_ids(fd, HWPMC_IOC_STOP, ids, 3);
	/* A read with STALE sums up the counts of all targets. */
	check(!dev_read(fd, ids, 3, values) &&
	      !dev_rw(fd, HWPMC_RW_OLD | HWPMC_RW_STALE, ids, 3, sums) &&
	      !memcmp(values, sums, sizeof(sums)), "and that process is in the value: %llu of %llu",
	      (unsigned long long)values[0], (unsigned long long)sums[0]);
	agent_reap(&child);
	check(!dev_read(fd, ids, 3, values) && !memcmp(values, sums, sizeof(sums)),
	      "also when it has ended: %llu", (unsigned long long)values[0]);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 3);
}

static void on_every_cpu(void)
{
	int64_t id = class_allocate(fd, HWPMC_MODE_SC, 1, 0);
	uint32_t count = 4, one = id;
	struct hwpmc_target_value list[4];
	uint64_t value;

	write_read(id, "system-wide");
	pin(0, 1);
	continues(id, "system-wide");
	pin(0, -1);
	check(!dev_targets(fd, one, &value, list, &count) && count >= 1 && !list[count - 1].pid &&
	      !list[count - 1].tid, "a system-wide PMC has parts without a task: %u", count);
	dev_release(fd, id);
}

int main(int argc, char **argv)
{
	uint32_t id;

	agent_main(argc, argv);
	fd = class_open(60);
	id = class_pmc(fd, 0);
	write_read(id, "virtual, never started");
	dev_start(fd, id);
	dev_stop(fd, id);
	write_read(id, "virtual, stopped");
	continues(id, "virtual");
	exchange(id);
	dev_release(fd, id);
	refusals();
	stale();
	time_of_reading();
	times();
	parts();
	readonly();
	own_lists();
	on_every_cpu();
	check(!dev_stats(fd).pmcs, "no PMC is left");
	return result();
}
