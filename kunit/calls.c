// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_calls: what every ioctl does with sizes, flags, tails and addresses
 * (kmod/ioctl.c), through hwpmc_ioctl() itself.
 * Run by kunit/run.c in KUnit's thread; the memory of user space is kunit/caller.h's.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "../kmod/base/owner.h"
#include "../kmod/base/stat.h"
#include "../kmod/hwpmc.h"
#include "caller.h"
#include "fixture.h"

#define CALLS_WORD	(sizeof(struct hwpmc_head) / sizeof(u32))

/*
 * One ioctl, and what it returns for a structure that is all zeros except for its size and @word,
 * the 32-bit word behind the head. @first: size without the fields that may be omitted.
 * @flagged: what it returns with a flag that it accepts, if that differs.
 */
static const struct calls_ioctl {
	const char *name;
	unsigned int cmd;
	u32 size;
	u32 first;
	int result;
	int flagged;
	u32 word;
} calls_table[] = {
#define CALL(name_, type, result_, ...) \
	{ .name = #name_, .cmd = HWPMC_IOC_##name_, .size = sizeof(struct hwpmc_##type), \
	  .result = (result_), ##__VA_ARGS__ }
	CALL(VERSION, version, 0),
	CALL(CPU_INFO, cpu_info, 0),
	CALL(PMC_INFO, pmc_info, -EINVAL),
	CALL(STATS, stats, 0, .first = offsetof(struct hwpmc_stats, probes)),
	CALL(CAPS, caps, -ENOENT),
	CALL(ADMIN, admin, 0),
	CALL(ALLOCATE, allocate, -ENODEV, .first = offsetof(struct hwpmc_allocate, config)),
	CALL(RELEASE, ids, -EINVAL),
	CALL(ATTACH, attach, -ENOENT),
	CALL(DETACH, attach, -ENOENT),
	CALL(START, ids, -EINVAL),
	CALL(STOP, ids, -EINVAL),
	CALL(RW, rw, -EINVAL),
	CALL(SET_COUNT, set_count, -ENOENT),
	CALL(RING, ring, -EINVAL, .word = 1),
	CALL(SAMPLED, sampled, -ENOENT, .first = offsetof(struct hwpmc_sampled, skipped)),
	CALL(LOG_OPEN, log, -EBADF, .word = -1),
	CALL(LOG_FLUSH, log, -EINVAL),
	CALL(LOG_CLOSE, log, -EINVAL),
	CALL(LOG_WRITE, log_write, -EINVAL),
	CALL(GROUP, group, -EINVAL),
	CALL(GROUP_READ, group_read, -ENOENT),
	CALL(GROUP_FREE, group, -ENOENT),
	CALL(USER_READ, user_read, -EINVAL),
	CALL(EVENTS, events, 0),
	CALL(MAP_FD, map_fd, -ENOENT, .flagged = -EBADF),
#undef CALL
};

/* The flags that an ioctl accepts; an undefined one is refused with EOPNOTSUPP. */
static u32 calls_defined_flags(unsigned int cmd)
{
	switch (cmd) {
	case HWPMC_IOC_ADMIN:
		return HWPMC_ADMIN_FORCE;
	case HWPMC_IOC_ALLOCATE:
		return GENMASK(10, 0);
	case HWPMC_IOC_ATTACH:
		return GENMASK(1, 0);
	case HWPMC_IOC_DETACH:
		return GENMASK(2, 0);
	case HWPMC_IOC_RW:
		return GENMASK(3, 0);
	case HWPMC_IOC_MAP_FD:
		return HWPMC_ATTACH_PIDFD;
	case HWPMC_IOC_GROUP_READ:
		return HWPMC_RW_STALE | HWPMC_RW_TIME;
	}
	return 0;
}

static void calls_ioctl_name(const struct calls_ioctl *it, char *desc)
{
	strscpy(desc, it->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(calls_ioctl, calls_table, calls_ioctl_name);

/* The table above lists every ioctl of the module; any other number is refused with ENOTTY. */
static void calls_table_complete(struct kunit *test)
{
	unsigned int nr, i = 0;

	/* In the order of their numbers. */
	for (nr = 0; nr < 256; nr++) {
		if (i < ARRAY_SIZE(calls_table) && nr == _IOC_NR(calls_table[i].cmd)) {
			KUNIT_EXPECT_EQ(test, 0, calls_table[i++].size % 8);
			continue;
		}
		KUNIT_EXPECT_EQ(test, -ENOTTY,
				caller_ioctl_at(test, _IO(HWPMC_IOC_MAGIC, nr),
						caller_addr(CALLER_WRITABLE)));
	}
	KUNIT_EXPECT_EQ(test, i, ARRAY_SIZE(calls_table));
	for (nr = 0; nr < ARRAY_SIZE(calls_table); nr++)
		KUNIT_EXPECT_EQ(test, -ENOTTY,
				caller_ioctl_at(test, _IO(HWPMC_IOC_MAGIC + 1, nr),
						caller_addr(CALLER_WRITABLE)));
	KUNIT_EXPECT_EQ(test, -ENOTTY, caller_ioctl_at(test, 0, caller_addr(CALLER_WRITABLE)));
	KUNIT_EXPECT_EQ(test, -ENOTTY,
			caller_ioctl_at(test, U32_MAX, caller_addr(CALLER_WRITABLE)));
}

static void calls_short_struct_refused(struct kunit *test)
{
	const struct calls_ioctl *it = test->param_value;
	u32 *data = kunit_kzalloc(test, it->size, GFP_KERNEL);
	u32 size;

	KUNIT_ASSERT_NOT_NULL(test, data);
	for (size = 0; size < (it->first ? it->first : it->size); size++) {
		memset(data, 0, it->size);
		data[0] = size;
		KUNIT_EXPECT_EQ(test, -EINVAL, caller_ioctl(test, it->cmd, data, it->size));
		KUNIT_EXPECT_TRUE(test, caller_error_contains(test, "the structure is"));
		/* A refused structure is not written. */
		KUNIT_EXPECT_EQ(test, size, data[0]);
		KUNIT_EXPECT_FALSE(test, memchr_inv(data + 1, 0, it->size - 4));
	}
}

static void calls_exact_size_accepted(struct kunit *test)
{
	const struct calls_ioctl *it = test->param_value;
	u32 *data = kunit_kzalloc(test, it->size + 8, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, data);
	data[0] = it->size;
	data[CALLS_WORD] = it->word;
	/* The 8 bytes behind the structure must not be written. */
	memset((char *)data + it->size, 0xa5, 8);
	KUNIT_EXPECT_EQ(test, it->result, caller_ioctl(test, it->cmd, data, it->size + 8));
	KUNIT_EXPECT_EQ(test, it->size, data[0]);
	KUNIT_EXPECT_FALSE(test, memchr_inv((char *)data + it->size, 0xa5, 8));
	/* No other direction or size in the number selects the ioctl. */
	memset(data, 0, it->size);
	data[0] = it->size;
	data[CALLS_WORD] = it->word;
	KUNIT_EXPECT_EQ(test, -ENOTTY,
			caller_ioctl(test, _IOC(_IOC_READ | _IOC_WRITE, HWPMC_IOC_MAGIC,
						_IOC_NR(it->cmd), it->size), data, it->size));
}

static void calls_zero_tail_accepted(struct kunit *test)
{
	const struct calls_ioctl *it = test->param_value;
	static const u32 tails[] = { 1, 4, 8, 1024, PAGE_SIZE - 1 };
	u8 *data = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	unsigned int i;
	u32 size;

	KUNIT_ASSERT_NOT_NULL(test, data);
	for (i = 0; i < ARRAY_SIZE(tails); i++) {
		size = min_t(u32, it->size + tails[i], PAGE_SIZE);
		memset(data, 0, PAGE_SIZE);
		*(u32 *)data = size;
		((u32 *)data)[CALLS_WORD] = it->word;
		KUNIT_EXPECT_EQ(test, it->result, caller_ioctl(test, it->cmd, data, PAGE_SIZE));
		KUNIT_EXPECT_EQ(test, size, *(u32 *)data);
		KUNIT_EXPECT_FALSE(test, memchr_inv(data + it->size, 0, PAGE_SIZE - it->size));
	}
}

static void calls_nonzero_tail_refused(struct kunit *test)
{
	const struct calls_ioctl *it = test->param_value;
	u8 *data = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, data);
	for (i = 0; i < 16; i++) {
		memset(data, 0, PAGE_SIZE);
		*(u32 *)data = it->size + 16;
		((u32 *)data)[CALLS_WORD] = it->word;
		data[it->size + i] = 1;
		KUNIT_EXPECT_EQ(test, -E2BIG, caller_ioctl(test, it->cmd, data, PAGE_SIZE));
		/* The byte is ignored if it is beyond the size given. */
		*(u32 *)data = it->size + i;
		KUNIT_EXPECT_EQ(test, it->result, caller_ioctl(test, it->cmd, data, PAGE_SIZE));
	}
}

static void calls_undefined_flags_refused(struct kunit *test)
{
	const struct calls_ioctl *it = test->param_value;
	u32 *data = kunit_kzalloc(test, it->size, GFP_KERNEL);
	unsigned int bit;
	long ret;

	KUNIT_ASSERT_NOT_NULL(test, data);
	for (bit = 0; bit < 32; bit++) {
		bool known = calls_defined_flags(it->cmd) & BIT(bit);

		memset(data, 0, it->size);
		data[0] = it->size;
		data[1] = BIT(bit);
		data[CALLS_WORD] = it->word;
		ret = caller_ioctl(test, it->cmd, data, it->size);
		KUNIT_EXPECT_EQ_MSG(test, known ? it->flagged ?: it->result : -EOPNOTSUPP, ret,
				    "bit %u", bit);
	}
}

static void calls_bad_address_refused(struct kunit *test)
{
	const struct calls_ioctl *it = test->param_value;
	u32 *data = kunit_kzalloc(test, it->size, GFP_KERNEL);
	const unsigned long bad[] = {
		0, 8, caller_addr(CALLER_UNMAPPED), (unsigned long)data, PAGE_OFFSET, -PAGE_SIZE,
		-8UL, TASK_SIZE_MAX,
	};
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, data);
	data[0] = it->size;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EFAULT, caller_ioctl_at(test, it->cmd, bad[i]),
				    "address %lx", bad[i]);
}

/* Reserved fields must be 0. */
static void calls_reserved_fields_refused(struct kunit *test)
{
	struct hwpmc_version version = { .size = sizeof(version), .reserved = 1 };
	struct hwpmc_admin admin = { .size = sizeof(admin), .reserved = 1 };
	struct hwpmc_rw rw = { .size = sizeof(rw), .reserved = 1 };
	struct hwpmc_set_count set_count = { .size = sizeof(set_count), .reserved = 1 };

	KUNIT_EXPECT_EQ(test, -EINVAL,
			caller_ioctl(test, HWPMC_IOC_VERSION, &version, sizeof(version)));
	KUNIT_EXPECT_TRUE(test, caller_error_contains(test, "reserved"));
	KUNIT_EXPECT_EQ(test, -EINVAL, caller_ioctl(test, HWPMC_IOC_ADMIN, &admin, sizeof(admin)));
	KUNIT_EXPECT_TRUE(test, caller_error_contains(test, "reserved"));
	KUNIT_EXPECT_EQ(test, -EINVAL, caller_ioctl(test, HWPMC_IOC_RW, &rw, sizeof(rw)));
	KUNIT_EXPECT_TRUE(test, caller_error_contains(test, "reserved"));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			caller_ioctl(test, HWPMC_IOC_SET_COUNT, &set_count, sizeof(set_count)));
	KUNIT_EXPECT_TRUE(test, caller_error_contains(test, "reserved"));
}

/* An unmapped address in a field of a structure; a failed RELEASE releases nothing. */
static void calls_bad_inner_address_refused(struct kunit *test)
{
	const u64 nowhere = caller_addr(CALLER_UNMAPPED);
	struct hwpmc_cpu_info cpu = {
		.size = sizeof(cpu), .classes = 64, .class_list = nowhere, .class_size = 8,
	};
	struct hwpmc_pmc_info rows = {
		.size = sizeof(rows), .rows = 999, .row_list = nowhere, .row_size = 8,
	};
	struct hwpmc_ids ids = { .size = sizeof(ids), .count = 1, .ids = nowhere };
	struct hwpmc_allocate allocate = caller_request;
	struct hwpmc_rw rw = {
		.size = sizeof(rw), .count = 1, .flags = HWPMC_RW_OLD, .ids = caller_addr(2048),
	};
	struct fixture *fx = test->priv;

	KUNIT_EXPECT_EQ(test, -EFAULT, caller_ioctl(test, HWPMC_IOC_CPU_INFO, &cpu, sizeof(cpu)));
	KUNIT_EXPECT_EQ(test, -EFAULT, caller_ioctl(test, HWPMC_IOC_PMC_INFO, &rows, sizeof(rows)));
	KUNIT_EXPECT_EQ(test, -EFAULT, caller_ioctl(test, HWPMC_IOC_START, &ids, sizeof(ids)));
	KUNIT_EXPECT_EQ(test, -EFAULT, caller_ioctl(test, HWPMC_IOC_STOP, &ids, sizeof(ids)));
	KUNIT_EXPECT_EQ(test, -EFAULT, caller_ioctl(test, HWPMC_IOC_RELEASE, &ids, sizeof(ids)));

	KUNIT_ASSERT_EQ(test, 0,
			caller_ioctl(test, HWPMC_IOC_ALLOCATE, &allocate, sizeof(allocate)));
	KUNIT_EXPECT_EQ(test, 1, fx->owners[0]->used);
	caller_write(test, 2048, &allocate.id, sizeof(allocate.id));
	rw.values = nowhere;
	KUNIT_EXPECT_EQ(test, -EFAULT, caller_ioctl(test, HWPMC_IOC_RW, &rw, sizeof(rw)));
	rw.flags = HWPMC_RW_NEW;
	KUNIT_EXPECT_EQ(test, -EFAULT, caller_ioctl(test, HWPMC_IOC_RW, &rw, sizeof(rw)));
	rw.flags = HWPMC_RW_OLD;
	rw.values = caller_addr(2056);
	KUNIT_EXPECT_EQ(test, 0, caller_ioctl(test, HWPMC_IOC_RW, &rw, sizeof(rw)));
	rw.times_size = sizeof(struct hwpmc_times);
	rw.times = nowhere;
	KUNIT_EXPECT_EQ(test, -EFAULT, caller_ioctl(test, HWPMC_IOC_RW, &rw, sizeof(rw)));
	rw.times = 0;
	ids.ids = caller_addr(2048);
	ids.count = 2;
	caller_write(test, 2052, &allocate.id, sizeof(allocate.id));
	KUNIT_EXPECT_EQ(test, -EINVAL, caller_ioctl(test, HWPMC_IOC_RELEASE, &ids, sizeof(ids)));
	KUNIT_EXPECT_EQ(test, 1, ids.failed);
	KUNIT_EXPECT_EQ(test, 1, fx->owners[0]->used);
	ids.count = 1;
	KUNIT_EXPECT_EQ(test, 0, caller_ioctl(test, HWPMC_IOC_RELEASE, &ids, sizeof(ids)));
	KUNIT_EXPECT_EQ(test, -ENOENT, caller_ioctl(test, HWPMC_IOC_RELEASE, &ids, sizeof(ids)));
	KUNIT_EXPECT_EQ(test, 0, fx->owners[0]->used);
}

/* If the answer of ALLOCATE cannot be written, the PMC is released again. */
static void calls_undone_if_answer_faults(struct kunit *test)
{
	struct fixture *fx = test->priv;
	u64 pmcs = hwpmc_stat_sum(HWPMC_STAT_PMCS);

	KUNIT_EXPECT_EQ(test, -EFAULT,
			caller_ioctl_at(test, HWPMC_IOC_ALLOCATE, caller_addr(CALLER_READONLY)));
	KUNIT_EXPECT_EQ(test, 0, fx->owners[0]->used);
	KUNIT_EXPECT_EQ(test, 0, fixture_held(fx, 0));
	KUNIT_EXPECT_EQ(test, pmcs, hwpmc_stat_sum(HWPMC_STAT_PMCS));
}

/* No uninitialized or stale byte of the kernel is copied out with an answer. */
static void calls_no_kernel_memory_leaked(struct kunit *test)
{
	struct hwpmc_ids ids = { .size = sizeof(ids), .error_size = 64 };
	struct hwpmc_version *version = kunit_kzalloc(test, sizeof(*version), GFP_KERNEL);
	char text[128];
	size_t len;

	KUNIT_ASSERT_NOT_NULL(test, version);
	/* Only the bytes that the message needs are written to the buffer for it. */
	memset(text, 0xa5, sizeof(text));
	caller_write(test, 1024, text, sizeof(text));
	ids.error_text = caller_addr(1024);
	KUNIT_EXPECT_EQ(test, -EINVAL, caller_ioctl(test, HWPMC_IOC_START, &ids, sizeof(ids)));
	caller_read(test, 1024, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, "the list of ids is empty", text);
	len = strlen(text) + 1;
	KUNIT_EXPECT_EQ(test, len, ids.error_length);
	KUNIT_EXPECT_FALSE(test, memchr_inv(text + len, 0xa5, sizeof(text) - len));

	version->size = sizeof(*version);
	KUNIT_EXPECT_EQ(test, 0, caller_ioctl(test, HWPMC_IOC_VERSION, version, sizeof(*version)));
	KUNIT_EXPECT_EQ(test, HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR), version->abi);
	KUNIT_EXPECT_STREQ(test, HWPMC_RELEASE, version->release);
	len = strlen(version->release);
	KUNIT_EXPECT_FALSE(test, memchr_inv(version->release + len, 0,
					    sizeof(version->release) - len));
}

static void calls_newer_abi_major_refused(struct kunit *test)
{
	struct hwpmc_version version = { .size = sizeof(version) };

	version.abi = HWPMC_ABI(HWPMC_ABI_MAJOR + 1, 0);
	KUNIT_EXPECT_EQ(test, -EPROTO,
			caller_ioctl(test, HWPMC_IOC_VERSION, &version, sizeof(version)));
	version.abi = HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR + 1);
	KUNIT_EXPECT_EQ(test, 0, caller_ioctl(test, HWPMC_IOC_VERSION, &version, sizeof(version)));
}

static struct kunit_case calls_cases[] = {
	KUNIT_CASE(calls_table_complete),
	KUNIT_CASE_PARAM(calls_short_struct_refused, calls_ioctl_gen_params),
	KUNIT_CASE_PARAM(calls_exact_size_accepted, calls_ioctl_gen_params),
	KUNIT_CASE_PARAM(calls_zero_tail_accepted, calls_ioctl_gen_params),
	KUNIT_CASE_PARAM(calls_nonzero_tail_refused, calls_ioctl_gen_params),
	KUNIT_CASE_PARAM(calls_undefined_flags_refused, calls_ioctl_gen_params),
	KUNIT_CASE_PARAM(calls_bad_address_refused, calls_ioctl_gen_params),
	KUNIT_CASE(calls_reserved_fields_refused),
	KUNIT_CASE(calls_bad_inner_address_refused),
	KUNIT_CASE(calls_undone_if_answer_faults),
	KUNIT_CASE(calls_no_kernel_memory_leaked),
	KUNIT_CASE(calls_newer_abi_major_refused),
	{}
};

struct kunit_suite hwpmc_calls_suite = {
	.name		= "hwpmc_calls",
	.suite_init	= caller_suite_init,
	.suite_exit	= caller_suite_exit,
	.init		= fixture_init,
	.exit		= fixture_exit,
	.test_cases	= calls_cases,
};
