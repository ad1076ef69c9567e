// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_call_states: the errno of each ioctl in each state of a PMC (kmod/call/).
 * Run by kunit/run.c in KUnit's thread; the memory of user space is kunit/caller.h's.
 */
#include "caller.h"
#include "fixture.h"

/* Every ioctl that takes an id returns ENOENT; the ids at offset 2048 hold the same one. */
static void call_states_expect_released(struct kunit *test, u32 id)
{
	struct hwpmc_ids ids = { .size = sizeof(ids), .count = 1, .ids = caller_addr(2048) };
	struct hwpmc_attach attach = { .size = sizeof(attach), .id = id };
	struct hwpmc_set_count set = { .size = sizeof(set), .count = 77, .id = id };
	struct hwpmc_rw rw = {
		.size = sizeof(rw), .count = 1, .flags = HWPMC_RW_OLD,
		.ids = caller_addr(2048), .values = caller_addr(2056),
	};

	KUNIT_EXPECT_EQ(test, -ENOENT, caller_ioctl(test, HWPMC_IOC_START, &ids, sizeof(ids)));
	KUNIT_EXPECT_EQ(test, -ENOENT, caller_ioctl(test, HWPMC_IOC_STOP, &ids, sizeof(ids)));
	KUNIT_EXPECT_EQ(test, -ENOENT, caller_ioctl(test, HWPMC_IOC_RW, &rw, sizeof(rw)));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			caller_ioctl(test, HWPMC_IOC_ATTACH, &attach, sizeof(attach)));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			caller_ioctl(test, HWPMC_IOC_DETACH, &attach, sizeof(attach)));
	KUNIT_EXPECT_EQ(test, -ENOENT, caller_ioctl(test, HWPMC_IOC_SET_COUNT, &set, sizeof(set)));
}

static void call_states_errno_in_each_state(struct kunit *test)
{
	struct hwpmc_allocate allocate = caller_request;
	struct hwpmc_ids ids = { .size = sizeof(ids), .count = 1, .ids = caller_addr(2048) };
	struct hwpmc_attach attach = { .size = sizeof(attach) };
	struct hwpmc_set_count set = { .size = sizeof(set), .count = 77 };
	struct hwpmc_rw rw = {
		.size = sizeof(rw), .count = 1, .flags = HWPMC_RW_NEW,
		.ids = caller_addr(2048), .values = caller_addr(2056),
	};
	u64 value = 42;

	KUNIT_ASSERT_EQ(test, 0,
			caller_ioctl(test, HWPMC_IOC_ALLOCATE, &allocate, sizeof(allocate)));
	attach.id = allocate.id;
	set.id = allocate.id;
	caller_write(test, 2048, &allocate.id, sizeof(allocate.id));
	caller_write(test, 2056, &value, sizeof(value));
	KUNIT_EXPECT_EQ(test, -EINVAL, caller_ioctl(test, HWPMC_IOC_STOP, &ids, sizeof(ids)));
	KUNIT_EXPECT_EQ(test, -ESRCH,
			caller_ioctl(test, HWPMC_IOC_DETACH, &attach, sizeof(attach)));
	KUNIT_EXPECT_EQ(test, 0, caller_ioctl(test, HWPMC_IOC_SET_COUNT, &set, sizeof(set)));
	KUNIT_EXPECT_EQ(test, 0, caller_ioctl(test, HWPMC_IOC_ATTACH, &attach, sizeof(attach)));
	KUNIT_EXPECT_EQ(test, -EEXIST,
			caller_ioctl(test, HWPMC_IOC_ATTACH, &attach, sizeof(attach)));

	KUNIT_EXPECT_EQ(test, 0, caller_ioctl(test, HWPMC_IOC_START, &ids, sizeof(ids)));
	KUNIT_EXPECT_EQ(test, -EBUSY,
			caller_ioctl(test, HWPMC_IOC_ATTACH, &attach, sizeof(attach)));
	KUNIT_EXPECT_EQ(test, -EBUSY, caller_ioctl(test, HWPMC_IOC_SET_COUNT, &set, sizeof(set)));
	KUNIT_EXPECT_EQ(test, -EBUSY, caller_ioctl(test, HWPMC_IOC_RW, &rw, sizeof(rw)));
	rw.flags = HWPMC_RW_OLD | HWPMC_RW_NEW;
	KUNIT_EXPECT_EQ(test, -EBUSY, caller_ioctl(test, HWPMC_IOC_RW, &rw, sizeof(rw)));
	rw.flags = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, caller_ioctl(test, HWPMC_IOC_RW, &rw, sizeof(rw)));

	KUNIT_EXPECT_EQ(test, 0, caller_ioctl(test, HWPMC_IOC_STOP, &ids, sizeof(ids)));
	rw.flags = HWPMC_RW_NEW;
	KUNIT_EXPECT_EQ(test, 0, caller_ioctl(test, HWPMC_IOC_RW, &rw, sizeof(rw)));
	value = 43;
	caller_write(test, 2056, &value, sizeof(value));
	rw.flags = HWPMC_RW_OLD | HWPMC_RW_NEW;
	KUNIT_EXPECT_EQ(test, 0, caller_ioctl(test, HWPMC_IOC_RW, &rw, sizeof(rw)));
	caller_read(test, 2056, &value, sizeof(value));
	KUNIT_EXPECT_EQ(test, 42, value);
	rw.flags = HWPMC_RW_OLD;
	KUNIT_EXPECT_EQ(test, 0, caller_ioctl(test, HWPMC_IOC_RW, &rw, sizeof(rw)));
	caller_read(test, 2056, &value, sizeof(value));
	KUNIT_EXPECT_EQ(test, 43, value);

	KUNIT_EXPECT_EQ(test, 0, caller_ioctl(test, HWPMC_IOC_DETACH, &attach, sizeof(attach)));
	KUNIT_EXPECT_EQ(test, -ESRCH,
			caller_ioctl(test, HWPMC_IOC_DETACH, &attach, sizeof(attach)));
	KUNIT_EXPECT_EQ(test, -ESRCH, caller_ioctl(test, HWPMC_IOC_START, &ids, sizeof(ids)));
	KUNIT_EXPECT_EQ(test, 0, caller_ioctl(test, HWPMC_IOC_RELEASE, &ids, sizeof(ids)));
	call_states_expect_released(test, allocate.id);
}

static struct kunit_case call_states_cases[] = {
	KUNIT_CASE(call_states_errno_in_each_state),
	{}
};

struct kunit_suite hwpmc_call_states_suite = {
	.name		= "hwpmc_call_states",
	.suite_init	= caller_suite_init,
	.suite_exit	= caller_suite_exit,
	.init		= fixture_init,
	.exit		= fixture_exit,
	.test_cases	= call_states_cases,
};
