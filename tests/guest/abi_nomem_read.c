// SPDX-License-Identifier: GPL-2.0-only
/* As abi_nomem, for pages that programs read, and groups. */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "fail.h"
#include "fail_call.h"
#include "fail_pmcs.h"
#include "test_class.h"

static int fd;

/* --- Pages */

/* Two PMCs that follow a thread of the caller, for one page. */
static struct hwpmc_user_read made;

static void two_followed(void)
{
	while (pmcs.count < 2) {
		pmcs.ids[pmcs.count] = class_pmc(fd, HWPMC_F_THREAD);
		if (dev_attach(fd, pmcs.ids[pmcs.count++], 0, 0))
			die("attach: %s", dev_sentence(fd));
	}
}

static int user_read_call(void)
{
	made = (struct hwpmc_user_read) {
		.size = sizeof(made), .count = pmcs.count, .ids = (uintptr_t)pmcs.ids,
	};
	return fail_ioctl(fd, HWPMC_IOC_USER_READ, &made);
}

/* A PMC that has a page cannot be written. */
static bool user_read_done(int err)
{
	bool ok = true;
	unsigned int i;

	for (i = 0; i < pmcs.count; i++)
		ok &= dev_write(fd, pmcs.ids[i], 5) == (err ? 0 : -EPERM);
	return pmcs_release_all() && ok;
}

static void with_page(void)
{
	two_followed();
	if (user_read_call())
		die("USER_READ: %s", dev_sentence(fd));
}

/* The address has no page table, so that the mapping allocates one. */
#define FAR	((void *)0x200000000000)

static int map_call(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	void *at = mmap(FAR, size, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, (off_t)made.offset);

	return at == MAP_FAILED ? -errno : 0;
}

static bool map_done(int err)
{
	const struct hwpmc_user_page *page = FAR;
	bool ok = err || page->counts[1].id == pmcs.ids[1];

	if (!err)
		munmap(FAR, sysconf(_SC_PAGESIZE));
	return pmcs_release_all() && ok;
}

/* --- Groups. Each try has a file of its own, whose table of groups is empty. */

#define TABLE	8	/* groups for which a table has room at first */

static int other;
static uint32_t pair[2];
static uint64_t groups[TABLE + 1], values[2];
static unsigned int made_groups;

static void pair_runs(void)
{
	unsigned int i;

	other = dev_open();
	made_groups = 0;
	for (i = 0; i < ARRAY_SIZE(pair); i++) {
		pair[i] = class_pmc(other, HWPMC_F_THREAD);
		if (dev_attach(other, pair[i], (int)syscall(SYS_gettid), HWPMC_ATTACH_TID))
			die("attach: %s", dev_sentence(other));
	}
	if (dev_ids(other, HWPMC_IOC_START, pair, ARRAY_SIZE(pair)))
		die("start: %s", dev_sentence(other));
}

static int group_call(void)
{
	struct hwpmc_group a = {
		.size = sizeof(a), .count = ARRAY_SIZE(pair), .ids = (uintptr_t)pair,
	};
	int err = fail_ioctl(other, HWPMC_IOC_GROUP, &a);

	if (!err)
		groups[made_groups++] = a.group;
	return err;
}

static void full_table(void)
{
	pair_runs();
	while (made_groups < TABLE)
		if (group_call())
			die("group: %s", dev_sentence(other));
}

static int read_group(uint64_t group, uint32_t flags)
{
	struct hwpmc_group_read a = {
		.size = sizeof(a), .flags = flags, .group = group, .values = (uintptr_t)values,
	};

	memset(values, 0xff, sizeof(values));
	return fail_ioctl(other, HWPMC_IOC_GROUP_READ, &a);
}

/* Whether each group can be read, and the next one gets the place after the last of them. */
static bool groups_are_right(void)
{
	unsigned int i, before = made_groups;
	bool ok = true;

	for (i = 0; i < before; i++)
		ok &= !read_group(groups[i], 0) && values[1] != UINT64_MAX;
	return ok && !group_call() && (uint32_t)groups[before] == before + 1;
}

static bool group_done(int err)
{
	bool ok = made_groups % TABLE == !err && (made_groups > TABLE || groups_are_right());

	close(other);
	return ok;
}

static void one_group(void)
{
	pair_runs();
	if (group_call())
		die("group: %s", dev_sentence(other));
}

static int own_read_call(void)
{
	return read_group(groups[0], 0);
}

static int timed_read_call(void)
{
	return read_group(groups[0], HWPMC_RW_TIME);
}

static bool read_done(int err)
{
	bool ok = (err || values[1] != UINT64_MAX) && groups_are_right();

	close(other);
	return ok;
}

static int free_call(void)
{
	struct hwpmc_group a = { .size = sizeof(a), .group = groups[0] };

	return fail_ioctl(other, HWPMC_IOC_GROUP_FREE, &a);
}

static bool free_done(int err)
{
	bool ok = read_group(groups[0], 0) == (err ? 0 : -ENOENT);

	close(other);
	return ok;
}

static const struct fail_call calls[] = {
	{ "USER_READ of two", HWPMC_IOC_USER_READ, true, two_followed, user_read_call, user_read_done },
	{ "mmap of their page", 0, true, with_page, map_call, map_done },
	{ "GROUP", HWPMC_IOC_GROUP, true, pair_runs, group_call, group_done },
	{ "GROUP after as many as the table has", HWPMC_IOC_GROUP, true, full_table, group_call, group_done },
	{ "GROUP_READ of the caller's own", HWPMC_IOC_GROUP_READ, true, one_group, own_read_call, read_done },
	{ "GROUP_READ with the time", HWPMC_IOC_GROUP_READ, true, one_group, timed_read_call, read_done },
	{ "GROUP_FREE", HWPMC_IOC_GROUP_FREE, true, one_group, free_call, free_done },
};

int main(void)
{
	fd = class_open(120);
	pmcs_init(fd);
	if (fail_open())
		fail_calls(fd, calls, ARRAY_SIZE(calls));
	return result();
}
