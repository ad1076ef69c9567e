// SPDX-License-Identifier: GPL-2.0-only
/* Invalid parameters of sampling PMCs and of rings are refused with a reason. */
#include "test_class.h"
#include "exact.h"
#include "ring.h"

#define PERIOD	100000

static void allocations(int fd)
{
	const struct hwpmc_allocate usual = {
		.class_id = dev_class(), .mode = HWPMC_MODE_TS, .cpu = -1,
		.caps = HWPMC_CAP_USER, .event = EV_INSTRUCTIONS, .count = PERIOD,
	};
	struct hwpmc_allocate a = usual;

	a.count = 10;
	refused(fd, dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)), EINVAL, "mincount",
		"ALLOCATE with a period of 10");
	a.count = 1ULL << 63;
	refused(fd, dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)), EINVAL, NULL,
		"ALLOCATE with a period of 2^63");
	a = usual;
	a.count = 20000000;
	a.flags = HWPMC_F_FREQUENCY;
	refused(fd, dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)), EINVAL, "max_samples", "ALLOCATE with a frequency of 20 MHz");
	a = usual;
	a.user_stack = 12;
	refused(fd, dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)), EINVAL, "user_stack",
		"ALLOCATE with 12 bytes of stack");
}

/* SET_COUNT, SAMPLED and START of a sampling PMC. */
static void counts(int fd)
{
	struct hwpmc_set_count set = {
		.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER, 0), .count = 10,
	};
	struct hwpmc_sampled s = { .id = set.id, .cpu = sysconf(_SC_NPROCESSORS_CONF) };

	refused(fd, dev_call(fd, HWPMC_IOC_SET_COUNT, &set, sizeof(set)), EINVAL, "mincount",
		"SET_COUNT to 10");
	set.count = 1ULL << 63;
	refused(fd, dev_call(fd, HWPMC_IOC_SET_COUNT, &set, sizeof(set)), EINVAL, NULL,
		"SET_COUNT to 2^63");
	refused(fd, dev_call(fd, HWPMC_IOC_SAMPLED, &s, sizeof(s)), EINVAL, "cpu",
		"SAMPLED of an impossible CPU");
	s.cpu = -2;
	refused(fd, dev_call(fd, HWPMC_IOC_SAMPLED, &s, sizeof(s)), EINVAL, "cpu",
		"SAMPLED of cpu -2");
	refused(fd, dev_start(fd, set.id), EBADFD, "rings", "START of a sampling PMC without rings");
	check(!dev_release(fd, set.id), "release");
	s.id = counter(fd, -1, 0);
	s.cpu = -1;
	refused(fd, dev_call(fd, HWPMC_IOC_SAMPLED, &s, sizeof(s)), EINVAL, "counts",
		"SAMPLED of a counting PMC");
	check(!dev_release(fd, s.id), "release");
}

static void rings(int fd)
{
	static const struct { uint64_t size, watermark; const char *says; } all[] = {
		{ 2048, 0, "power of two" }, { 12288, 0, "power of two" },
		{ 1ULL << 31, 0, "power of two" }, { 1ULL << 63, 0, "power of two" },
		{ 65536, 65537, "watermark" }, { 65536, ~0ULL, "watermark" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++) {
		struct hwpmc_ring made = {
			.data_size = all[i].size, .watermark = all[i].watermark,
		};

		refused(fd, dev_call(fd, HWPMC_IOC_RING, &made, sizeof(made)), EINVAL, all[i].says,
			"RING of %llu bytes with a watermark of %llu",
			(unsigned long long)all[i].size, (unsigned long long)all[i].watermark);
	}
}

int main(void)
{
	int fd = dev_open();

	time_limit(60);
	allocations(fd);
	counts(fd);
	rings(fd);
	close(fd);
	return result();
}
