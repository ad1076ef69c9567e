// SPDX-License-Identifier: GPL-2.0-only
/*
 * GROUP, GROUP_READ, GROUP_FREE: a group returns the same values as a READ of its ids, on each of
 * the module's paths. GROUP_FREE frees it, and so does the release of any of its PMCs. Also every
 * refusal.
 */
#include <signal.h>
#include <sys/mman.h>

#include "cpu.h"
#include "test_class.h"

#define PMCS	2
#define LIMIT	16	/* ids in groups that a file may have for each of its PMCs */

static int fd;
static uint32_t ids[PMCS];

static int64_t make(int file, const uint32_t *list, uint32_t count)
{
	struct hwpmc_group group = { .count = count, .ids = (uintptr_t)list };
	int err = dev_call(file, HWPMC_IOC_GROUP, &group, sizeof(group));

	return err ? err : (int64_t)group.group;
}

static int end(int file, uint64_t handle)
{
	struct hwpmc_group group = { .group = handle };

	return dev_call(file, HWPMC_IOC_GROUP_FREE, &group, sizeof(group));
}

static int read_group(int file, uint64_t handle, uint32_t flags, uint64_t *values, uint64_t *when)
{
	struct hwpmc_group_read read = {
		.flags = flags, .group = handle, .values = (uintptr_t)values,
		.time = when ? *when : 0,
	};
	int err = dev_call(file, HWPMC_IOC_GROUP_READ, &read, sizeof(read));

	if (when)
		*when = read.time;
	return err;
}

static int64_t must_make(const uint32_t *list, uint32_t count)
{
	int64_t group = make(fd, list, count);

	if (group <= 0)
		die("GROUP: %s", dev_sentence(fd));
	return group;
}

/* For PMCs that count, GROUP_READ returns values between those of an RW before and one after it. */
static void between(int64_t group, const char *what)
{
	uint64_t before[PMCS], values[PMCS] = {}, after[PMCS];
	bool right = true;
	int err;

	if (dev_read(fd, ids, PMCS, before))
		die("RW: %s", dev_sentence(fd));
	err = read_group(fd, group, 0, values, NULL);
	if (dev_read(fd, ids, PMCS, after))
		die("RW: %s", dev_sentence(fd));
	for (int i = 0; i < PMCS; i++)
		right &= before[i] <= values[i] && values[i] <= after[i] && values[i];
	check(!err && right, "GROUP_READ %s returns what RW does: %llu <= %llu <= %llu (%d)", what,
	      (unsigned long long)before[0], (unsigned long long)values[0],
	      (unsigned long long)after[0], err);
}

/* GROUP_READ returns the values of stopped PMCs in the order of the group's ids. */
static void same_when_stopped(void)
{
	const uint32_t turned[PMCS] = { ids[1], ids[0] };
	int64_t group = must_make(ids, PMCS), other = must_make(turned, PMCS);
	uint64_t want[PMCS] = { 111, 222 }, values[PMCS] = {}, back[PMCS] = {};

	for (int i = 0; i < PMCS; i++)
		if (dev_write(fd, ids[i], want[i]))
			die("write: %s", dev_sentence(fd));
	check(!read_group(fd, group, 0, values, NULL) && !memcmp(values, want, sizeof(want)),
	      "GROUP_READ returns the values in the order of the ids: %llu, %llu",
	      (unsigned long long)values[0], (unsigned long long)values[1]);
	check(!read_group(fd, other, 0, back, NULL) && back[0] == want[1] && back[1] == want[0],
	      "another group of the same PMCs has its own order: %llu, %llu",
	      (unsigned long long)back[0], (unsigned long long)back[1]);
	check(!read_group(fd, group, HWPMC_RW_STALE, values, NULL) && values[1] == want[1],
	      "GROUP_READ with STALE: %llu", (unsigned long long)values[1]);
	check(!end(fd, group) && !end(fd, other), "GROUP_FREE of both");
}

static void counts(void)
{
	int64_t group = must_make(ids, PMCS);
	pid_t child;

	if (dev_ids(fd, HWPMC_IOC_START, ids, PMCS))
		die("START: %s", dev_sentence(fd));
	between(group, "of PMCs that count the caller alone");
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, PMCS))
		die("STOP: %s", dev_sentence(fd));
	/* With another target the module sums up the values on its other path. */
	child = fork_tied();
	if (!child)
		for (;;)
			;
	if (dev_attach(fd, ids[1], child, 0) || dev_ids(fd, HWPMC_IOC_START, ids, PMCS))
		die("another target: %s", dev_sentence(fd));
	between(group, "of PMCs that count another process, too");
	dev_ids(fd, HWPMC_IOC_STOP, ids, PMCS);
	dev_detach(fd, ids[1], child, 0);
	kill(child, SIGKILL);
	reap(child);
	end(fd, group);
}

static void times(void)
{
	int64_t group = must_make(ids, PMCS);
	uint64_t values[PMCS], when = 7, begin = clock_ns(CLOCK_MONOTONIC);

	check(!read_group(fd, group, HWPMC_RW_TIME, values, &when) && when >= begin &&
	      when <= clock_ns(CLOCK_MONOTONIC), "GROUP_READ with TIME returns the time");
	when = 7;
	check(!read_group(fd, group, 0, values, &when) && when == 7, "and without it leaves it alone");
	end(fd, group);
}

static void refused_lists(void)
{
	const uint32_t twice[] = { ids[0], ids[0] }, unknown[] = { ids[0], 0x7fff0001 };
	struct hwpmc_group group = { .count = 2, .ids = (uintptr_t)unknown };

	refused(fd, make(fd, ids, 0), EINVAL, "empty", "GROUP of no ids");
	refused(fd, make(fd, twice, 2), EINVAL, "twice", "GROUP of the same id twice");
	refused(fd, make(fd, NULL, 1), EFAULT, NULL, "GROUP of ids at NULL");
	refused(fd, dev_call(fd, HWPMC_IOC_GROUP, &group, sizeof(group)), ENOENT, "0x7fff0001",
		"GROUP with an unknown id");
	check(group.failed == 1, "and the index of that id is returned: %u", group.failed);
}

static void refused_handles(void)
{
	int64_t group = must_make(ids, PMCS), next;
	struct hwpmc_group wrong = { .group = group, .count = 1 };
	uint64_t values[PMCS];
	int other = dev_open();

	refused(fd, read_group(fd, 0, 0, values, NULL), ENOENT, "group", "GROUP_READ of group 0");
	refused(fd, read_group(fd, group + 1, 0, values, NULL), ENOENT, "group",
		"GROUP_READ of an unknown group");
	refused(fd, read_group(fd, group + (1LL << 32), 0, values, NULL), ENOENT, "group",
		"GROUP_READ of the same index with another serial number");
	refused(fd, read_group(fd, -1, 0, values, NULL), ENOENT, "group", "GROUP_READ of group -1");
	refused(other, read_group(other, group, 0, values, NULL), ENOENT, "group",
		"GROUP_READ of another file's group");
	refused(other, end(other, group), ENOENT, "group", "GROUP_FREE of another file's group");
	refused(fd, read_group(fd, group, 0, NULL, NULL), EFAULT, NULL, "GROUP_READ to NULL");
	refused(fd, dev_call(fd, HWPMC_IOC_GROUP_FREE, &wrong, sizeof(wrong)), EINVAL, "reserved",
		"GROUP_FREE with a number of ids");
	check(!end(fd, group), "GROUP_FREE");
	refused(fd, end(fd, group), ENOENT, "group", "GROUP_FREE for a second time");
	refused(fd, read_group(fd, group, 0, values, NULL), ENOENT, "group", "GROUP_READ after GROUP_FREE");
	next = must_make(ids, PMCS);
	check(next != group, "a handle is not used again: %lld after %lld", (long long)next,
	      (long long)group);
	end(fd, next);
	close(other);
}

static void ends_with_a_pmc(void)
{
	uint32_t list[PMCS] = { ids[0], class_pmc(fd, 0) };
	int64_t group = must_make(list, PMCS), other = must_make(ids, PMCS);
	uint64_t values[PMCS];

	check(!read_group(fd, group, 0, values, NULL), "GROUP_READ before RELEASE");
	dev_release(fd, list[1]);
	refused(fd, read_group(fd, group, 0, values, NULL), ENOENT, "released",
		"GROUP_READ after one of the PMCs was released");
	check(!read_group(fd, other, 0, values, NULL), "the other groups are there still");
	end(fd, other);
}

static void limit(void)
{
	int64_t groups[PMCS * LIMIT], more;
	int made = 0;

	while (made < PMCS * LIMIT && (groups[made] = make(fd, ids, 1)) > 0)
		made++;
	check(made == PMCS * LIMIT, "%d PMCs may have %d ids in groups: %d", PMCS, PMCS * LIMIT, made);
	more = make(fd, ids, 1);
	refused(fd, more, EBUSY, "free some", "GROUP with one id more");
	end(fd, groups[0]);
	more = make(fd, ids, 1);
	check(more > 0, "GROUP after GROUP_FREE of another");
	end(fd, more);
	while (--made > 0)
		end(fd, groups[made]);
}

int main(void)
{
	fd = class_open(60);
	for (int i = 0; i < PMCS; i++) {
		ids[i] = class_pmc(fd, 0);
		if (dev_attach(fd, ids[i], 0, 0))
			die("ATTACH: %s", dev_sentence(fd));
	}
	same_when_stopped();
	counts();
	times();
	refused_lists();
	refused_handles();
	ends_with_a_pmc();
	limit();
	return result();
}
