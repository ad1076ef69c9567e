// SPDX-License-Identifier: GPL-2.0-only
/*
 * "exact_wrap [DIVISOR]": counts are exact when the hardware counter wraps. A WRITE to a PMC
 * presets the hardware counter too: after 2^width - M it wraps after M events.
 *
 * "exact_wrap wide" is for a machine with 64-bit counters.
 */
#include "exact.h"

#define ROWS_MAX	8

static unsigned int rows;	/* number of event counters that are tested */
static uint64_t top;		/* 2^width of a counter; 0 means 64 bits */

static void write_to(int fd, uint32_t id, uint64_t value)
{
	if (dev_write(fd, id, value))
		die("write: %s", dev_sentence(fd));
}

static void preset(int fd, uint64_t start, unsigned int tens, const char *name)
{
	uint32_t id = counter(fd, -1, 0);

	write_to(fd, id, start);
	check(dev_value(fd, id) == start, "READ returns what was written: %llu",
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
	check(!dev_call(fd, HWPMC_IOC_SET_COUNT, &set, sizeof(set)), "SET_COUNT");
	dev_start(fd, id);
	spin(1);
	check_exact(dev_value(fd, id), set.count + SPIN_UNIT, "count over a wrap after SET_COUNT");
	dev_release(fd, id);
}

static void by_allocate(int fd)
{
	struct hwpmc_allocate a = {
		.class_id = dev_class(), .mode = HWPMC_MODE_TC, .cpu = -1,
		.caps = HWPMC_CAP_USER, .event = EV_INSTRUCTIONS, .count = top - SPIN_UNIT / 2,
	};

	check(!dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)), "ALLOCATE with a start value");
	dev_start(fd, a.id);
	spin(1);
	check_exact(dev_value(fd, a.id), a.count + SPIN_UNIT, "count over a wrap after ALLOCATE");
	dev_release(fd, a.id);
}

/* The wrap occurs in user mode, in a call, at a switch or at a read. */
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
	check(worst < 1000, "%u wraps at different places are exact: at most %llu off", times,
	      (unsigned long long)worst);
	interrupts = dev_stats(fd).intr_processed - interrupts;
	check(interrupts >= times / 2, "at least half of the wraps interrupt: %llu",
	      (unsigned long long)interrupts);
	dev_release(fd, id);
}

/* Reads around a wrap never decrease, and never jump. */
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
	check(ok, "%u reads across a wrap return 400 to 800 more each", readings);
	check(value > top, "the counter that is read wraps: %llu", (unsigned long long)(value - top));
	dev_release(fd, id);
}

/*
 * All rows wrap one after another, and so does the cycle counter where it has 64 bits of its own.
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
	check(!dev_read(fd, ids, all, values), "READ of all rows");
	after = dev_stats(fd);
	for (i = 0; i < all; i++)
		check_exact(values[i], starts[i] + 10 * SPIN_UNIT,
			    i == rows ? "the cycle counter over its wrap at 2^64" : "a row over its wrap, with all rows in use");
	check(after.intr_processed > before.intr_processed,
	      "wraps of all rows interrupt: %llu",
	      (unsigned long long)(after.intr_processed - before.intr_processed));
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, all);
}

/* Two servers that serve alternately. */
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

/* One counter counts for both tasks: its wrap belongs to the task that ran. */
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
		check(!dev_attach(fd, id, s[i].worker.pid, 0), "ATTACH to a server");
	dev_start(fd, id);
	ping_pong_do(s);
	count = ARRAY_SIZE(list);
	if (dev_targets(fd, id, &value, list, &count) || count != 3)
		die("expected two targets and a base");
	check_exact(value, start + want[0] + want[1], "two targets over one wrap");
	check(list[0].flags == HWPMC_TARGET_BASE && list[0].value == start,
	      "the value from WRITE is the base of two targets");
	check_exact(list[1].value, want[0], "the first target's part over one wrap");
	check_exact(list[2].value, want[1], "the second target's part over one wrap");
	for (i = 0; i < 2; i++)
		server_close(&s[i]);
	dev_release(fd, id);
}

/*
 * The counter continues while a task runs that is no target: the test itself. A wrap in that time
 * belongs to no target. With kernel mode the wrap may also occur anywhere in the switch, where
 * interrupts are off: the expected count is then unknown, but a lost wrap is detected.
 */
static void of_no_target(int fd, uint64_t caps, unsigned int times, unsigned int range)
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
	      "%u wraps while a target or another task runs, %s: at most %lld more", times,
	      caps & HWPMC_CAP_SYSTEM ? "in both modes" : "in user mode",
	      (long long)most - 20);
	server_close(&server);
	dev_release(fd, id);
}

/*
 * Two owners with all rows each, preset differently: a switch between their targets
 * programs the row again.
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
		check_exact(values[0], want, "rows of two owners that wrap at every switch");
		check(ok, "all %u rows of an owner count the same", rows);
		server_close(&s[i]);
		close(fds[i]);
	}
}

/* Every counter wraps without a preset, one of them twice. */
static void long_run(int fd)
{
	static const char *const names[] = {
		"4.35 G of a task from 0", "4.35 G of a task over two wraps", "4.35 G of cpu 0 from 0",
		"4.35 G of cpu 0 over two wraps",
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

/* The event counters: on arm64 the cycle counter is a row, too. */
static unsigned int event_rows(void)
{
	unsigned int n = dev_class_info()->rows - (dev_class() == HWPMC_CLASS_ARMV8);

	return n < ROWS_MAX ? n : ROWS_MAX;
}

static int narrow(int fd)
{
	preset(fd, top - 10, 2, "count from 2^width - 10");
	preset(fd, top - SPIN_UNIT, 2, "count over a wrap in the middle");
	preset(fd, 5 * top - SPIN_UNIT, 2, "count over a wrap in the middle, from above 2^width");
	preset(fd, -10ULL, 2, "count from 2^64 - 10");
	preset(fd, 123456789, 2, "count from 123456789");
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
	 * With wider counters this case would take too long: 2^40 instructions. Short runs skip
	 * it, too: it always executes 4.35 G instructions, and differs from the cases above only
	 * in that the counters have no preset.
	 */
	if (top == 1ULL << 32 && scaled(2) == 2)
		long_run(fd);
	return result();
}

/* The whole count is in the hardware counter. */
static int wide(int fd)
{
	preset(fd, -10ULL, 2, "count from 2^64 - 10");
	preset(fd, -SPIN_UNIT, 2, "count over a wrap in the middle");
	preset(fd, (1ULL << 32) - SPIN_UNIT, 2, "count over 2^32 without a wrap");
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
	check(is_wide ? width == 64 : width >= 32 && width <= 48, "there are %u counters of %u bits", rows,
	      width);
	top = width < 64 ? 1ULL << width : 0;
	return is_wide ? wide(fd) : narrow(fd);
}
