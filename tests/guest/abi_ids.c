// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every call refuses ids that are forged, released or of another file; a call with a list of
 * ids changes all of them or none.
 */
#include "test_class.h"

#define MAX	64
#define VALUE	0x123456789abcULL

static int fd, foreign;
static uint32_t pmc;		/* of this file: stopped, with the value VALUE */
static uint32_t theirs;		/* of the other file: stopped, with the value VALUE */

struct op {
	const char *name;
	int (*call)(uint32_t id);
};

static int op_caps(uint32_t id)
{
	struct hwpmc_caps caps;

	return dev_caps(fd, id, &caps);
}

static int op_release(uint32_t id)
{
	return dev_release(fd, id);
}

static int op_attach(uint32_t id)
{
	return dev_attach(fd, id, 0, 0);
}

static int op_detach(uint32_t id)
{
	return dev_detach(fd, id, 0, 0);
}

static int op_start(uint32_t id)
{
	return dev_start(fd, id);
}

static int op_stop(uint32_t id)
{
	return dev_stop(fd, id);
}

static int op_read(uint32_t id)
{
	uint64_t value;

	return dev_rw(fd, HWPMC_RW_OLD, &id, 1, &value);
}

static int op_write(uint32_t id)
{
	return dev_write(fd, id, 1);
}

static int op_set_count(uint32_t id)
{
	return dev_set_count(fd, id, 1);
}

static int op_sampled(uint32_t id)
{
	struct hwpmc_sampled sampled = { .id = id, .cpu = -1 };

	return dev_call(fd, HWPMC_IOC_SAMPLED, &sampled, sizeof(sampled));
}

static const struct op ops[] = {
	{ "CAPS", op_caps }, { "RELEASE", op_release }, { "ATTACH", op_attach },
	{ "DETACH", op_detach }, { "START", op_start }, { "STOP", op_stop },
	{ "READ", op_read }, { "WRITE", op_write }, { "SET_COUNT", op_set_count },
	{ "SAMPLED", op_sampled },
};

/* A stopped PMC without a target, with the value VALUE. */
static uint32_t stopped(int owner)
{
	int64_t id = class_allocate(owner, HWPMC_MODE_TC, -1, 0);

	if (id < 0 || dev_start(owner, id) || dev_stop(owner, id) || dev_detach(owner, id, 0, 0) ||
	    dev_write(owner, id, VALUE))
		die("a stopped PMC: %s", dev_sentence(owner));
	return id;
}

static bool unchanged(void)
{
	return dev_value(fd, pmc) == VALUE && dev_value(foreign, theirs) == VALUE &&
	       dev_detach(fd, pmc, 0, 0) == -ESRCH && dev_detach(foreign, theirs, 0, 0) == -ESRCH &&
	       dev_stats(fd).pmcs == 2;
}

static void one_op(const struct op *op)
{
	uint32_t gone = stopped(fd), again, wrong = 0;
	unsigned int bit, serial;

	refused(fd, op->call(0), ENOENT, "id 0x0", "%s of id 0", op->name);
	refused(fd, op->call(~0U), ENOENT, "0xffffffff", "%s of id ~0", op->name);
	dev_release(fd, gone);
	for (bit = 0; bit < 32; bit++)
		wrong |= (op->call(pmc ^ 1U << bit) != -ENOENT) << bit;
	check(!wrong, "%s of an id with any bit flipped fails with ENOENT; not so: 0x%x", op->name, wrong);
	/* Ids with the same index and other serial numbers. */
	for (serial = 0, wrong = 0; serial < 4096; serial++) {
		uint32_t id = serial << 20 | (pmc & 0xfffff);

		wrong += id != pmc && op->call(id) != -ENOENT;
	}
	check(!wrong, "%s of the id's index with another serial fails with ENOENT; not so: %u", op->name,
	      wrong);
	refused(fd, op->call(gone), ENOENT, NULL, "%s of a released id", op->name);
	again = class_pmc(fd, 0);
	refused(fd, op->call(gone), ENOENT, NULL, "%s of a released id whose index is used again",
		op->name);
	dev_release(fd, again);
	refused(fd, op->call(theirs), ENOENT, NULL, "%s of an id of another file", op->name);
	check(unchanged(), "%s of wrong ids changes nothing", op->name);
}

static int list_call(unsigned long cmd, const uint32_t *ids, uint32_t count, uint32_t *failed)
{
	struct hwpmc_ids args = { .count = count, .failed = 4711, .ids = (uintptr_t)ids };
	int err = dev_call(fd, cmd, &args, sizeof(args));

	*failed = args.failed;
	return err;
}

static int list_rw(uint32_t flags, const uint32_t *ids, uint32_t count, uint64_t *values,
		   uint32_t *failed)
{
	struct hwpmc_rw rw = {
		.flags = flags, .count = count, .failed = 4711,
		.ids = (uintptr_t)ids, .values = (uintptr_t)values,
	};
	int err = dev_call(fd, HWPMC_IOC_RW, &rw, sizeof(rw));

	*failed = rw.failed;
	return err;
}

static bool runs(uint32_t id)
{
	return dev_set_count(fd, id, 0) == -EBUSY;
}

static bool never_started(uint32_t id)
{
	return dev_stop(fd, id) == -EINVAL;
}

static void wrong_lists(void)
{
	static const struct { const char *name; unsigned long cmd;
	} calls[] = {
		{ "RELEASE", HWPMC_IOC_RELEASE },
		{ "START", HWPMC_IOC_START },
		{ "STOP", HWPMC_IOC_STOP },
	};
	uint32_t a = class_pmc(fd, 0), b = class_pmc(fd, 0), failed;
	uint32_t bad[3] = { a, b, 0 }, twice[3] = { a, b, a };
	uint64_t values[3];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		const char *name = calls[i].name;
		unsigned long cmd = calls[i].cmd;

		refused(fd, list_call(cmd, bad, 0, &failed), EINVAL, "empty", "%s of no id", name);
		refused(fd, list_call(cmd, bad, ~0U, &failed), ENOENT, "more ids",
			"%s of 2^32-1 ids", name);
		refused(fd, list_call(cmd, bad, 1U << 30, &failed), ENOENT, "more ids",
			"%s of 2^30 ids", name);
		refused(fd, list_call(cmd, bad, 9, &failed), ENOENT, "more ids",
			"%s of more ids than PMCs", name);
		refused(fd, list_call(cmd, bad, 3, &failed), ENOENT, "id 0x0",
			"%s of two PMCs and a forged id", name);
		check(failed == 2, "%s reports the index of a forged id: %u", name, failed);
		refused(fd, list_call(cmd, twice, 3, &failed), EINVAL, "twice",
			"%s of an id twice", name);
		check(failed == 2, "%s reports the index of an id that is there twice: %u", name, failed);
		check(never_started(a) && never_started(b), "%s changes nothing when it fails", name);
	}
	refused(fd, list_rw(HWPMC_RW_OLD, bad, 0, values, &failed), EINVAL, "empty",
		"READ of no id");
	refused(fd, list_rw(HWPMC_RW_OLD, bad, ~0U, values, &failed), ENOENT, NULL,
		"READ of 2^32-1 ids");
	refused(fd, list_rw(HWPMC_RW_OLD, bad, 3, values, &failed), ENOENT, NULL,
		"READ of two and a forged id");
	check(failed == 2, "READ reports the index of a forged id: %u", failed);
	refused(fd, list_rw(HWPMC_RW_OLD, twice, 3, values, &failed), EINVAL, "twice",
		"READ of an id twice");
	check(failed == 2, "READ reports the index of an id that is there twice: %u", failed);
	memset(values, 0x11, sizeof(values));
	refused(fd, list_rw(HWPMC_RW_NEW, bad, 3, values, &failed), ENOENT, NULL,
		"WRITE of two and a forged id");
	refused(fd, list_rw(HWPMC_RW_NEW, twice, 3, values, &failed), EINVAL, "twice",
		"WRITE of an id twice");
	check(!dev_value(fd, a) && !dev_value(fd, b), "WRITE changes nothing when it fails");
	dev_ids(fd, HWPMC_IOC_RELEASE, bad, 2);
}

static void all_or_nothing(void)
{
	uint32_t a = class_pmc(fd, 0), b = class_pmc(fd, 0), failed;
	uint32_t log = class_pmc(fd, HWPMC_F_LOG_PROCEXIT);
	uint32_t list[3] = { a, b, log };
	uint64_t values[3] = { 7, 8, 9 };

	refused(fd, list_call(HWPMC_IOC_START, list, 3, &failed), EBADFD, "log",
		"START of two PMCs, and one that logs without a log");
	check(failed == 2 && never_started(a) && never_started(b),
	      "START reports the third (%u) and starts none", failed);
	check(dev_detach(fd, a, 0, 0) == -ESRCH && dev_detach(fd, b, 0, 0) == -ESRCH,
	      "START attaches none when it fails");
	check(!list_call(HWPMC_IOC_START, list, 2, &failed) && runs(a) && runs(b), "START of two PMCs");

	list[1] = log;
	refused(fd, list_call(HWPMC_IOC_STOP, list, 2, &failed), EINVAL, "never started",
		"STOP of a running PMC and one that was never started");
	check(failed == 1 && runs(a), "STOP reports the second (%u), and the first still runs", failed);
	dev_stop(fd, b);
	list[0] = b;
	list[1] = a;
	refused(fd, list_rw(HWPMC_RW_NEW, list, 2, values, &failed), EBUSY, "runs",
		"WRITE of a stopped and a running PMC");
	check(failed == 1 && dev_value(fd, b) != 7,
	      "WRITE reports the second (%u) and writes none", failed);
	dev_stop(fd, a);
	check(!list_rw(HWPMC_RW_NEW, list, 2, values, &failed) && dev_value(fd, b) == 7 &&
	      dev_value(fd, a) == 8,
	      "WRITE of two PMCs");
	values[0] = 70;
	values[1] = 80;
	check(!list_rw(HWPMC_RW_OLD | HWPMC_RW_NEW, list, 2, values, &failed) && values[0] == 7 &&
	      values[1] == 8 && dev_value(fd, b) == 70 && dev_value(fd, a) == 80,
	      "RW with OLD and NEW of two PMCs");

	list[2] = 0;
	refused(fd, list_call(HWPMC_IOC_RELEASE, list, 3, &failed), ENOENT, NULL,
		"RELEASE of two and a forged id");
	check(failed == 2 && dev_value(fd, a) == 80 && dev_value(fd, b) == 70,
	      "RELEASE releases none when it fails");
	list[2] = log;
	check(!list_call(HWPMC_IOC_RELEASE, list, 3, &failed) && dev_stats(fd).pmcs == 2,
	      "RELEASE of three PMCs");
}

/* START cannot attach the second of two PMCs to the caller: it attaches neither. */
static void start_half_way(void)
{
	uint32_t first = class_pmc(fd, 0), second = class_pmc(fd, 0), list[2] = { first, second },
		 failed;
	struct hwpmc_caps mine, other;
	uint32_t ids[MAX];
	unsigned int n, i;

	dev_caps(fd, second, &mine);
	n = class_allocate_all(foreign, HWPMC_MODE_TC, -1, ids, MAX);
	for (i = 0; i < n; i++)
		if (!dev_caps(foreign, ids[i], &other) && other.row == mine.row)
			break;
	if (i == n || dev_attach(foreign, ids[i], 0, 0))
		die("a PMC of another owner on row %u: %s", mine.row, dev_sentence(foreign));
	refused(fd, list_call(HWPMC_IOC_START, list, 2, &failed), EBUSY, "row",
		"START of two PMCs while another owner holds the second's row in the caller");
	check(failed == 1, "that START reports the second: %u", failed);
	check(never_started(first) && dev_detach(fd, first, 0, 0) == -ESRCH,
	      "that START leaves the first unattached");
	dev_ids(foreign, HWPMC_IOC_RELEASE, ids, n);
	check(!list_call(HWPMC_IOC_START, list, 2, &failed),
	      "START of both when the row is free");
	dev_ids(fd, HWPMC_IOC_RELEASE, list, 2);
}

static int64_t one_of_many(int cpu)
{
	int64_t id = class_allocate(fd, HWPMC_MODE_SC, cpu, 0);

	/*
	 * A machine may have few rows, each of which only one PMC can use. If they are all in use,
	 * use a shareable row.
	 */
	return id > 0 ? id : dev_allocate(fd, HWPMC_CLASS_TSC, HWPMC_MODE_SC, cpu, 0, 0, 0);
}

/* More ids than a call handles without allocating memory. */
static void many(void)
{
	uint32_t ids[10], failed, keep;
	uint64_t values[10];
	unsigned int n, i;

	for (n = 0; n < ARRAY_SIZE(ids); n++) {
		int64_t id = one_of_many(n % 2);

		if (id < 0)
			break;
		ids[n] = id;
	}
	if (!check(n == ARRAY_SIZE(ids), "%u system-wide PMCs on two CPUs", n))
		return;
	check(!list_call(HWPMC_IOC_START, ids, n, &failed) && runs(ids[0]) && runs(ids[n - 1]),
	      "START of %u", n);
	check(!list_rw(HWPMC_RW_OLD, ids, n, values, &failed), "READ of %u", n);
	check(!list_call(HWPMC_IOC_STOP, ids, n, &failed) && !runs(ids[0]) && !runs(ids[n - 1]),
	      "STOP of %u", n);
	for (i = 0; i < n; i++)
		values[i] = i * 1000;
	check(!list_rw(HWPMC_RW_NEW, ids, n, values, &failed), "WRITE of %u", n);
	memset(values, 0xff, sizeof(values));
	list_rw(HWPMC_RW_OLD, ids, n, values, &failed);
	for (i = 0; i < n && values[i] == i * 1000; i++)
		;
	check(i == n, "READ returns each PMC's own value");

	keep = ids[n - 1];
	ids[n - 1] = 0;
	refused(fd, list_call(HWPMC_IOC_RELEASE, ids, n, &failed), ENOENT, NULL,
		"RELEASE of many, the last forged");
	check(failed == n - 1 && dev_value(fd, ids[0]) == 0 &&
	      dev_value(fd, keep) == (n - 1) * 1000,
	      "that RELEASE reports it (%u) and releases none", failed);
	ids[n - 1] = ids[3];
	refused(fd, list_call(HWPMC_IOC_RELEASE, ids, n, &failed), EINVAL, "twice",
		"RELEASE of many, one twice");
	check(failed == n - 1, "that RELEASE reports it: %u", failed);
	ids[n - 1] = keep;
	check(!list_call(HWPMC_IOC_RELEASE, ids, n, &failed) && dev_stats(fd).pmcs == 2,
	      "RELEASE of %u", n);
}

/* The module does not reuse an id soon. */
static void reuse(void)
{
	uint32_t first = class_pmc(fd, 0), id, i;

	dev_release(fd, first);
	for (i = 0; i < 1000; i++) {
		id = class_pmc(fd, 0);
		dev_release(fd, id);
		if (id == first || !id)
			break;
	}
	check(i == 1000, "an id is not reused within 1000 allocations");
}

int main(void)
{
	size_t i;

	fd = class_open(60);
	foreign = dev_open();
	pmc = stopped(fd);
	theirs = stopped(foreign);
	if (theirs == pmc) {
		/* The same id refers to another PMC in the other file. */
		uint32_t next = stopped(foreign);

		dev_release(foreign, theirs);
		theirs = next;
	}
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		one_op(&ops[i]);
	wrong_lists();
	all_or_nothing();
	start_half_way();
	many();
	reuse();
	return result();
}
