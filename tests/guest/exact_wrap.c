// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that wrap. What is written to a PMC presets its hardware counter
 * too, so one written 2^width - M wraps after M events.
 *
 * "exact_wrap wide" is for a machine whose counters are as wide as that.
 */
#include "exact.h"

#define ROWS_MAX	8

static unsigned int rows;	/* event counters that are looked at */
static uint64_t top;		/* 2^width of one; 0: 64 bits */

static void write_to(int fd, uint32_t id, uint64_t value)
{
	if (dev_write(fd, id, value))
		die("write: %s", dev_sentence(fd));
}

static void preset(int fd, uint64_t start, unsigned int tens, const char *name)
{
	uint32_t id = counter(fd, -1, 0);

	write_to(fd, id, start);
	check(dev_value(fd, id) == start, "reads what was written: %llu",
	      (unsigned long long)start);
	dev_start(fd, id);
	spin(tens);
	dev_stop(fd, id);
	check_exact(dev_value(fd, id), start + tens * SPIN_UNIT, name);
	dev_release(fd, id);
}

static void by_set_count(int fd)
{
	struct hwpmc_set_count set = { .count = top - SPIN_UNIT / 2 };
	uint32_t id = counter(fd, -1, 0);

	set.id = id;
	check(!dev_call(fd, HWPMC_IOC_SET_COUNT, &set, sizeof(set)), "set count");
	dev_start(fd, id);
	spin(1);
	check_exact(dev_value(fd, id), set.count + SPIN_UNIT, "the wrap after SET_COUNT");
	dev_release(fd, id);
}

static void by_allocate(int fd)
{
	struct hwpmc_allocate a = {
		.class_id = dev_class(), .mode = HWPMC_MODE_TC, .cpu = -1,
		.caps = HWPMC_CAP_USER, .event = EV_INSTRUCTIONS, .count = top - SPIN_UNIT / 2,
	};

	check(!dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)), "allocate with a start value");
	dev_start(fd, a.id);
	spin(1);
	check_exact(dev_value(fd, a.id), a.count + SPIN_UNIT, "the wrap after ALLOCATE's count");
	dev_release(fd, a.id);
}

/* Wherever the wrap falls: in user mode, in a call, at a switch, at a read. */
static void everywhere(int fd)
{
	const unsigned int times = scaled(500);
	const uint64_t rounds = 10000;
	uint32_t id = counter(fd, -1, 0);
	uint64_t worst = 0, step, off, interrupts = dev_stats(fd).intr_processed;
	unsigned int i;

	for (i = 0; i < times; i++) {
		step = i < times / 2 ? i : i * (2 * rounds / times);
		write_to(fd, id, top - step);
		dev_start(fd, id);
		run(rounds);
		if (i & 1)
			nap(0);
		dev_stop(fd, id);
		off = dev_value(fd, id) - (top - step) - 2 * rounds;
		if (off > worst)
			worst = off;
	}
	check(worst < 1000, "%u wraps at as many places: at most %llu off", times,
	      (unsigned long long)worst);
	interrupts = dev_stats(fd).intr_processed - interrupts;
	check(interrupts >= times / 2, "and they were wraps: %llu interrupts",
	      (unsigned long long)interrupts);
	dev_release(fd, id);
}

/* Read all the time while it wraps: never back, never ahead. */
static void read_across(int fd)
{
	const unsigned int readings = scaled(10000);
	uint32_t id = counter(fd, -1, 0);
	uint64_t start = top - 200 * readings, last = start, value = start;
	unsigned int i;
	bool ok = true;

	write_to(fd, id, start);
	dev_start(fd, id);
	for (i = 0; i < readings; i++) {
		run(200);
		value = dev_value(fd, id);
		ok = ok && value - last >= 400 && value - last < 800;
		last = value;
	}
	check(ok, "%u readings across a wrap: each 400 to 800 more", readings);
	check(value > top, "and it did wrap: %llu", (unsigned long long)(value - top));
	dev_release(fd, id);
}

/*
 * Rows and, where that is one with 64 bits of its own, the cycle counter,
 * wrapping one by one.
 */
static void all_rows(int fd)
{
	const bool cycles = dev_class() == HWPMC_CLASS_ARMV8;
	const unsigned int all = rows + cycles;
	struct hwpmc_allocate a = {
		.class_id = dev_class(), .mode = HWPMC_MODE_TC, .cpu = -1,
		.caps = HWPMC_CAP_USER,
	};
	uint32_t ids[ROWS_MAX + 1];
	uint64_t starts[ROWS_MAX + 1], values[ROWS_MAX + 1];
	struct hwpmc_stats before = dev_stats(fd), after;
	unsigned int i;

	for (i = 0; i < all; i++) {
		a.event = i == rows ? EV_CYCLES : EV_INSTRUCTIONS;
		starts[i] = i == rows ? 0ULL - 3 * SPIN_UNIT : top - (i + 1) * SPIN_UNIT;
		a.count = starts[i];
		if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
			die("allocate: %s", dev_sentence(fd));
		ids[i] = a.id;
	}
	if (dev_ids(fd, HWPMC_IOC_START, ids, all))
		die("start: %s", dev_sentence(fd));
	spin(10);
	check(!dev_read(fd, ids, all, values), "all rows at once");
	after = dev_stats(fd);
	for (i = 0; i < all; i++)
		check_exact(values[i], starts[i] + 10 * SPIN_UNIT,
			    i == rows ? "the cycle counter wraps at 2^64" : "one of all rows wraps");
	check(after.intr_processed > before.intr_processed,
	      "%llu overflow interrupts came meanwhile",
	      (unsigned long long)(after.intr_processed - before.intr_processed));
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, all);
}

/* Two servers that are at work at the same time. */
static void ping_pong(struct server s[2], uint64_t times, uint64_t rounds)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		s[i] = (struct server){ .times = times, .rounds = rounds * (i + 1) };
	server_open(&s[0]);
	server_open(&s[1]);
}

static void ping_pong_do(struct server s[2])
{
	uint64_t i;

	for (i = 0; i < 2; i++)
		worker_begin(&s[i].worker);
	for (i = 0; i < s[0].times; i++) {
		if (write(s[0].in[1], "", 1) != 1)
			die("a server is gone");
		server_do(&s[1]);
	}
	for (i = 0; i < 2; i++)
		worker_wait(&s[i].worker);
}

/* One counter runs through both: its wrap belongs to the one that was on. */
static void shared_by_targets(int fd)
{
	const uint64_t times = scaled(2000), turn = 2000;
	const uint64_t want[2] = { SERVE_COST(times, turn), SERVE_COST(times, 2 * turn) };
	uint32_t id = counter(fd, -1, 0), count;
	struct hwpmc_target_value list[4];
	struct server s[2];
	uint64_t value, start = top - (want[0] + want[1]) / 2;
	unsigned int i;

	ping_pong(s, times, turn);
	write_to(fd, id, start);
	for (i = 0; i < 2; i++)
		check(!dev_attach(fd, id, s[i].worker.pid, 0), "attach to a player");
	dev_start(fd, id);
	ping_pong_do(s);
	count = ARRAY_SIZE(list);
	if (dev_targets(fd, id, &value, list, &count) || count != 3)
		die("expected two targets and a base");
	check_exact(value, start + want[0] + want[1], "two targets, many switches, one wrap");
	check(list[0].flags == HWPMC_TARGET_BASE && list[0].value == start,
	      "what was written is the base");
	check_exact(list[1].value, want[0], "the first one's part");
	check_exact(list[2].value, want[1], "the second one's part");
	for (i = 0; i < 2; i++)
		server_close(&s[i]);
	dev_release(fd, id);
}

/*
 * The counter runs on while somebody runs who is no target: the test itself. A
 * wrap in that time belongs to nobody. In kernel mode, too, so that the wrap
 * may fall anywhere in the switch, where interrupts are off: then how much
 * there is to count is not known, but a wrap more or less shows.
 */
static void of_no_target(int fd, uint32_t caps, unsigned int times, unsigned int range)
{
	struct server server = { .times = 2 * times, .rounds = 1000 };
	int64_t id = dev_allocate(fd, dev_class(), HWPMC_MODE_TC, -1, EV_INSTRUCTIONS,
				  caps, 0);
	uint64_t cost = SERVE_COST(2, server.rounds), start, most = 0, value;
	unsigned int i;

	if (id < 0)
		die("allocate: %s", dev_sentence(fd));
	server_open(&server);
	dev_attach(fd, id, server.worker.pid, 0);
	worker_begin(&server.worker);
	for (i = 0; i < times; i++) {
		start = top - i * range / times;
		write_to(fd, id, start);
		dev_start(fd, id);
		server_do(&server);
		run(1000);
		server_do(&server);
		dev_stop(fd, id);
		value = dev_value(fd, id) - start - cost + 20;
		most = value > most ? value : most;
	}
	worker_wait(&server.worker);
	check(most < (caps & HWPMC_CAP_SYSTEM ? top / 2 : 100),
	      "%u wraps in the time of a target or of nobody, %s: at most %lld more", times,
	      caps & HWPMC_CAP_SYSTEM ? "in kernel mode too" : "in user mode",
	      (long long)most - 20);
	server_close(&server);
	dev_release(fd, id);
}

/*
 * Two owners with all rows each, so that every row is in use by both, preset
 * differently: a switch between their targets programs the row again.
 */
static void row_of_two_owners(void)
{
	const uint64_t times = scaled(2000), turn = 2000;
	uint32_t ids[2][ROWS_MAX];
	uint64_t starts[2], values[ROWS_MAX], want;
	int fds[2] = { dev_open(), dev_open() };
	struct server s[2];
	unsigned int i, row;
	bool ok;

	ping_pong(s, times, turn);
	for (i = 0; i < 2; i++) {
		starts[i] = top - 1000 * (i + 1);
		for (row = 0; row < rows; row++) {
			ids[i][row] = counter(fds[i], -1, 0);
			write_to(fds[i], ids[i][row], starts[i]);
			if (dev_attach(fds[i], ids[i][row], s[i].worker.pid, 0))
				die("attach: %s", dev_sentence(fds[i]));
		}
		if (dev_ids(fds[i], HWPMC_IOC_START, ids[i], rows))
			die("start: %s", dev_sentence(fds[i]));
	}
	ping_pong_do(s);
	for (i = 0; i < 2; i++) {
		if (dev_read(fds[i], ids[i], rows, values))
			die("read: %s", dev_sentence(fds[i]));
		want = starts[i] + SERVE_COST(times, (i + 1) * turn);
		ok = true;
		for (row = 1; row < rows; row++)
			ok = ok && values[row] == values[0];
		check_exact(values[0], want, "rows of two owners, wrapping at every switch");
		check(ok, "and all %u rows count the same", rows);
		server_close(&s[i]);
		close(fds[i]);
	}
}

/* Long enough for every counter to wrap by itself, and for one of them twice. */
static void long_run(int fd)
{
	static const char *const names[] = {
		"4.35 G from 0", "4.35 G with two wraps", "4.35 G on cpu 0", "4.35 G on cpu 0, two wraps",
	};
	uint64_t values[4], starts[4] = { 0, top - SPIN_UNIT, 0, top - SPIN_UNIT };
	uint32_t ids[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		ids[i] = counter(fd, i < 2 ? -1 : 0, 0);
		write_to(fd, ids[i], starts[i]);
	}
	dev_ids(fd, HWPMC_IOC_START, ids, 4);
	spin(435);
	dev_read(fd, ids, 4, values);
	for (i = 0; i < 4; i++)
		check_exact(values[i], starts[i] + 435 * SPIN_UNIT, names[i]);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 4);
}

/* The event counters: on arm64 the cycle counter is beside them. */
static unsigned int event_rows(void)
{
	unsigned int n = dev_class_info()->rows - (dev_class() == HWPMC_CLASS_ARMV8);

	return n < ROWS_MAX ? n : ROWS_MAX;
}

static int narrow(int fd)
{
	preset(fd, top - 10, 2, "from 2^width - 10");
	preset(fd, top - SPIN_UNIT, 2, "the wrap in the middle");
	preset(fd, 5 * top - SPIN_UNIT, 2, "the wrap in the middle, from above 2^width");
	preset(fd, -10ULL, 2, "from 2^64 - 10");
	preset(fd, 123456789, 2, "from some other value");
	by_set_count(fd);
	by_allocate(fd);
	everywhere(fd);
	read_across(fd);
	all_rows(fd);
	shared_by_targets(fd);
	of_no_target(fd, HWPMC_CAP_USER, scaled(200), 12000);
	of_no_target(fd, HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, scaled(5000), 40000);
	row_of_two_owners();
	/*
	 * 2^40 instructions take too long. And a short run leaves this out: it costs 4.35 G
	 * instructions whatever the argument is, and the wraps above are the same but preset.
	 */
	if (top == 1ULL << 32 && scaled(2) == 2)
		long_run(fd);
	return result();
}

/* No part of a count is anywhere but in the counter. */
static int wide(int fd)
{
	preset(fd, -10ULL, 2, "from 2^64 - 10");
	preset(fd, -SPIN_UNIT, 2, "the wrap in the middle");
	preset(fd, (1ULL << 32) - SPIN_UNIT, 2, "no wrap at 2^32");
	by_set_count(fd);
	by_allocate(fd);
	return result();
}

int main(int argc, char **argv)
{
	const bool is_wide = argc > 1 && !strcmp(argv[1], "wide");
	unsigned int width;
	uint32_t id;
	int fd;

	time_limit(60);
	if (!is_wide)
		scale_down(argc, argv);
	fd = dev_open();
	id = counter(fd, -1, 0);
	width = width_of(fd, id);
	dev_release(fd, id);
	rows = event_rows();
	check(is_wide ? width == 64 : width >= 32 && width <= 48, "%u counters, %u bits wide", rows,
	      width);
	top = width < 64 ? 1ULL << width : 0;
	return is_wide ? wide(fd) : narrow(fd);
}
