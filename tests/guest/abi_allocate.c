// SPDX-License-Identifier: GPL-2.0-only
/* ALLOCATE, VERSION, CPU_INFO and PMC_INFO: every refusal has its errno and reason. */
#include "test_class.h"

static int fd;

static struct hwpmc_allocate good(void)
{
	return (struct hwpmc_allocate) {
		.class_id = test_class.class_id, .mode = HWPMC_MODE_TC, .cpu = -1,
		.caps = test_class.caps, .event = test_class.event,
	};
}

static int allocate(struct hwpmc_allocate *a)
{
	return dev_call(fd, HWPMC_IOC_ALLOCATE, a, sizeof(*a));
}

/* @change is the difference from an allocation that succeeds. */
#define REFUSED(want, words, what, change)					\
	do {									\
		struct hwpmc_allocate a = good();				\
		uint64_t pmcs = dev_stats(fd).pmcs;				\
		change;								\
		refused(fd, allocate(&a), want, words, "ALLOCATE with %s", what);	\
		if (a.id || dev_stats(fd).pmcs != pmcs)			\
			check(false, "ALLOCATE with %s leaves no PMC", what);	\
	} while (0)

static void modes(void)
{
	REFUSED(EINVAL, "mode", "mode 0", a.mode = 0);
	REFUSED(EINVAL, "mode", "mode 5", a.mode = 5);
	REFUSED(EINVAL, "mode", "mode ~0", a.mode = ~0U);
	if (test_class.class_id == HWPMC_CLASS_MOCK) {
		REFUSED(EOPNOTSUPP, "sample", "mode SS", a.mode = HWPMC_MODE_SS; a.cpu = 0;
			a.count = 100000);
		REFUSED(EOPNOTSUPP, "sample", "mode TS", a.mode = HWPMC_MODE_TS;
			a.count = 100000);
	} else {
		REFUSED(EINVAL, "period", "mode SS and no period", a.mode = HWPMC_MODE_SS;
			a.cpu = 0);
		REFUSED(EINVAL, "period", "mode TS and no period", a.mode = HWPMC_MODE_TS);
		REFUSED(EINVAL, "frequency", "a frequency of 0", a.mode = HWPMC_MODE_TS;
			a.flags = HWPMC_F_FREQUENCY);
	}
	REFUSED(EINVAL, "sampling", "a user stack and a counting mode", a.user_stack = 64);
	REFUSED(EINVAL, "user_stack", "a user stack that is too large", a.user_stack = 65536);
	REFUSED(EINVAL, "cpu", "a virtual mode and cpu 1", a.cpu = 1);
	REFUSED(EINVAL, "cpu", "a virtual mode and cpu -2", a.cpu = -2);
	REFUSED(EINVAL, "cpu", "a system-wide mode and no cpu", a.mode = HWPMC_MODE_SC);
	REFUSED(EINVAL, "cpu", "a system-wide mode and cpu -2", a.mode = HWPMC_MODE_SC; a.cpu = -2);
	REFUSED(EINVAL, "cpu", "a system-wide mode and a cpu that is too large", a.mode = HWPMC_MODE_SC;
		a.cpu = test_class.cpus);
	REFUSED(EINVAL, "cpu", "a system-wide mode and cpu 2^31-1", a.mode = HWPMC_MODE_SC;
		a.cpu = 0x7fffffff);
}

/* Fields that a program does not set, and which are 0 therefore, are accepted. */
static void zeroed(void)
{
	struct hwpmc_allocate a = {
		.class_id = test_class.class_id, .mode = HWPMC_MODE_TC, .event = test_class.event,
	};
	struct hwpmc_caps caps = {};
	int err = allocate(&a);

	check(!err && a.id && !dev_caps(fd, a.id, &caps),
	      "ALLOCATE of a virtual PMC with cpu 0 and caps 0 succeeds: %d", err);
	if (test_class.class_id == HWPMC_CLASS_ARMV8)
		check((caps.caps & HWPMC_CAP_USER) && (caps.caps & HWPMC_CAP_SYSTEM),
		      "caps 0 of root counts user and kernel mode: 0x%llx", caps.caps);
	dev_release(fd, a.id);
}

static void flags(void)
{
	static const struct { const char *name; uint32_t flag; } virtual_only[] = {
		{ "DESCENDANTS", HWPMC_F_DESCENDANTS }, { "LOG_PROCCSW", HWPMC_F_LOG_PROCCSW },
		{ "LOG_PROCEXIT", HWPMC_F_LOG_PROCEXIT }, { "THREAD", HWPMC_F_THREAD },
		{ "ENABLE_ON_EXEC", HWPMC_F_ENABLE_ON_EXEC }, { "DIRECT", HWPMC_F_DIRECT },
	};
	char what[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(virtual_only); i++) {
		snprintf(what, sizeof(what), "%s and a system-wide mode", virtual_only[i].name);
		REFUSED(EINVAL, "virtual PMCs only", what, a.mode = HWPMC_MODE_SC; a.cpu = 0;
			a.flags = virtual_only[i].flag);
	}
	REFUSED(EINVAL, "THREAD|DESCENDANTS", "THREAD and DESCENDANTS",
		a.flags = HWPMC_F_THREAD | HWPMC_F_DESCENDANTS);
	REFUSED(EINVAL, "THREAD", "DIRECT without THREAD", a.flags = HWPMC_F_DIRECT);
	REFUSED(EINVAL, "sampl", "CALLCHAIN and a counting mode", a.flags = HWPMC_F_CALLCHAIN);
	REFUSED(EINVAL, "sampl", "USERCALLCHAIN and a counting mode", a.flags = HWPMC_F_USERCALLCHAIN);
}

static void events(void)
{
	unsigned int class_id, wrong = 0;

	for (class_id = 0; class_id < 64; class_id++) {
		struct hwpmc_allocate a = good();

		if (class_id == test_class.class_id || class_id == HWPMC_CLASS_TSC ||
		    class_id == HWPMC_CLASS_SOFT || class_id == HWPMC_CLASS_MOCK ||
		    class_id == HWPMC_CLASS_PROBE)
			continue;
		a.class_id = class_id;
		wrong += allocate(&a) != -ENODEV;
	}
	check(!wrong, "ALLOCATE of classes that the machine lacks fails with ENODEV; not so: %u", wrong);
	REFUSED(ENODEV, "class 0", "class 0", a.class_id = 0);
	REFUSED(ENODEV, "class", "class ~0", a.class_id = ~0U);
	REFUSED(ENODEV, "class", "class AMD", a.class_id = HWPMC_CLASS_AMD);
	REFUSED(EINVAL, "event", "an event that the class lacks", a.event = test_class.bad);
	REFUSED(EINVAL, "event", "event 2^63", a.event = 1ULL << 63);
	REFUSED(EINVAL, "event 0x100000000", "an event with bits above the 32nd",
		a.event |= 1ULL << 32;
		a.event &= ~0xffffffffULL);
	REFUSED(EINVAL, NULL, "config[0] set", a.config[0] = 1);
	REFUSED(EINVAL, NULL, "config[1] set", a.config[1] = 1ULL << 63);
	if (test_class.class_id == HWPMC_CLASS_ARMV8) {
		REFUSED(EINVAL, "CHAIN", "event CHAIN", a.event = 0x1e);
		REFUSED(EINVAL, "range", "an event out of the PMU's range", a.event = 0x10000);
		REFUSED(EINVAL, "implement", "an event that the CPU lacks (STALL_FRONTEND)",
			a.event = 0x23);
	}
}

static void caps(void)
{
	static const uint64_t lacking[] = {
		HWPMC_CAP_EDGE, HWPMC_CAP_THRESHOLD, HWPMC_CAP_INVERT, HWPMC_CAP_QUALIFIER,
		HWPMC_CAP_PRECISE, HWPMC_CAP_TAGGING, HWPMC_CAP_SYSWIDE,
	};
	unsigned int bit, wrong = 0;
	struct hwpmc_caps got;
	uint32_t id;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(lacking); i++) {
		struct hwpmc_allocate a = good();

		a.caps |= lacking[i];
		wrong += allocate(&a) != -EOPNOTSUPP;
	}
	check(!wrong, "ALLOCATE with capabilities that the class lacks fails with EOPNOTSUPP; not so: %u", wrong);
	REFUSED(EOPNOTSUPP, "capability", "PRECISE", a.caps |= HWPMC_CAP_PRECISE);
	wrong = 0;
	for (bit = 12; bit < 64; bit++) {
		struct hwpmc_allocate a = good();

		a.caps |= 1ULL << bit;
		wrong += allocate(&a) != -EOPNOTSUPP;
	}
	check(!wrong, "ALLOCATE with unknown capability bits fails with EOPNOTSUPP; not so: %u", wrong);
	REFUSED(EOPNOTSUPP, "0x8000000000000000", "capability bit 63", a.caps |= 1ULL << 63);

	id = class_pmc(fd, 0);
	err = dev_caps(fd, id, &got);
	check(!err && got.class_id == test_class.class_id &&
	      got.row >= test_class.first && got.row < test_class.first + test_class.rows &&
	      (got.width == 32 || got.width == 64) &&
	      (test_class.caps ? got.caps == test_class.caps : got.caps == (HWPMC_CAP_USER | HWPMC_CAP_SYSTEM)),
	      "CAPS returns the PMC's properties: class %u, row %u, %u bits, caps 0x%llx", got.class_id, got.row, got.width,
	      (unsigned long long)got.caps);
	dev_release(fd, id);
}

/* HWPMC_F_TRY returns the same result as ALLOCATE, and allocates nothing. */
static void tries(void)
{
	struct hwpmc_stats before = dev_stats(fd), after;
	struct hwpmc_allocate try = good();
	uint32_t ids[64], n;
	int err;

	try.flags = HWPMC_F_TRY;
	try.id = 77;
	err = allocate(&try);
	after = dev_stats(fd);
	check(!err && !try.id && try.row >= test_class.first && try.row < test_class.first + test_class.rows,
	      "ALLOCATE with TRY returns id 0 and a row: %u, %d", try.row, err);
	check(after.pmcs == before.pmcs && after.threads == before.threads &&
	      class_free_rows(fd, HWPMC_MODE_TC, -1) == test_class.rows, "ALLOCATE with TRY allocates nothing");
	REFUSED(EINVAL, "event", "TRY and an event that the class lacks",
		a.flags = HWPMC_F_TRY; a.event = test_class.bad);
	REFUSED(EINVAL, "cpu", "TRY, a virtual mode and a cpu", a.flags = HWPMC_F_TRY; a.cpu = 1);
	n = class_allocate_all(fd, HWPMC_MODE_TC, -1, ids, ARRAY_SIZE(ids));
	REFUSED(EBUSY, "row", "TRY while no row is free", a.flags = HWPMC_F_TRY);
	dev_release(fd, ids[--n]);
	try = good();
	try.flags = HWPMC_F_TRY;
	err = allocate(&try);
	check(!err, "ALLOCATE with TRY succeeds while one row is free: %d", err);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, n);
}

/* A busy row and an invalid event return different errors and reasons. */
static void told_apart(void)
{
	uint32_t ids[64], n = class_allocate_all(fd, HWPMC_MODE_TC, -1, ids, ARRAY_SIZE(ids));

	REFUSED(EBUSY, "no row is free", "no row free", a.count = 0);
	REFUSED(EINVAL, "event", "no row free and an event that the class lacks", a.event = test_class.bad);
	REFUSED(ENODEV, "class", "no row free and a class that the machine lacks", a.class_id = HWPMC_CLASS_AMD);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, n);
}

static void start_value(uint64_t count)
{
	struct hwpmc_allocate a = good();
	uint64_t value = ~count;
	int err;

	a.count = count;
	err = allocate(&a);
	if (!err) {
		value = dev_value(fd, a.id);
		dev_release(fd, a.id);
	}
	check(!err && a.id && value == count, "READ returns the start value 0x%llx: 0x%llx",
	      (unsigned long long)count, (unsigned long long)value);
}

static void versions(void)
{
	struct hwpmc_version v = { .abi = HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR) };
	int err = dev_call(fd, HWPMC_IOC_VERSION, &v, sizeof(v));

	check(!err && v.abi == HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR) && v.release[0] &&
	      memchr(v.release, 0, sizeof(v.release)),
	      "VERSION returns ABI %u.%u, release %s", v.abi >> 16, v.abi & 0xffff, v.release);
	v.abi = HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR + 7);
	err = dev_call(fd, HWPMC_IOC_VERSION, &v, sizeof(v));
	check(!err && v.abi == HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR),
	      "VERSION accepts a client with a newer minor version");
	v.abi = 0;
	check(!dev_call(fd, HWPMC_IOC_VERSION, &v, sizeof(v)), "VERSION accepts an old client");
	v.abi = HWPMC_ABI(HWPMC_ABI_MAJOR + 1, 0);
	err = dev_call(fd, HWPMC_IOC_VERSION, &v, sizeof(v));
	refused(fd, err, EPROTO, "ABI", "VERSION of a client with a newer major version");
	check(v.abi == HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR),
	      "VERSION returns the module's ABI when it fails");
}

static void cpu_info(void)
{
	struct hwpmc_class_info classes[8];
	struct hwpmc_cpu_info info = {};
	uint32_t i, rows = 0;
	int err = dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info));

	check(!err && info.cpus_possible == test_class.cpus && info.cpus_online &&
	      info.cpus_online <= info.cpus_possible && info.rows == test_class.all &&
	      info.vendor[0] && info.pmu[0],
	      "CPU_INFO returns %s, %s, %u CPUs, %u rows", info.vendor, info.pmu, info.cpus_online,
	      info.rows);
	check(info.classes && (!info.problem[0] || test_class.class_id != HWPMC_CLASS_ARMV8),
	      "CPU_INFO returns %u classes; problem: \"%.248s\"", info.classes, info.problem);

	memset(classes, 0x55, sizeof(classes));
	info.classes = 0;
	info.class_list = (uintptr_t)classes;
	info.class_size = sizeof(classes[0]);
	err = dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info));
	refused(fd, err, ENOSPC, "room", "CPU_INFO with no room for classes");
	check(info.classes && ((char *)classes)[0] == 0x55,
	      "CPU_INFO without room returns the number of classes and writes none");
	err = dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info));
	for (i = 0; i < info.classes; i++) {
		check(classes[i].first_row == rows && classes[i].name[0] &&
		      !classes[i].rows == (classes[i].class_id == HWPMC_CLASS_PROBE) &&
		      classes[i].class_id && classes[i].width && classes[i].caps,
		      "CPU_INFO: class %s has %u rows from %u, of up to %u bits", classes[i].name,
		      classes[i].rows, rows, classes[i].width);
		rows += classes[i].rows;
	}
	check(!err && rows == info.rows && ((char *)&classes[i])[0] == 0x55,
	      "CPU_INFO: all rows belong to a class, and nothing is written after the classes");
}

static void pmc_info(void)
{
	struct hwpmc_cpu_info machine = { 0 };
	struct hwpmc_row_info rows[64];
	struct hwpmc_pmc_info info = {
		.cpu = test_class.cpus, .rows = 64, .row_list = (uintptr_t)rows,
		.row_size = sizeof(rows[0]),
	};

	refused(fd, dev_call(fd, HWPMC_IOC_PMC_INFO, &info, sizeof(info)), EINVAL, "no cpu",
		"PMC_INFO of a cpu that is too large");
	info.cpu = ~0U;
	refused(fd, dev_call(fd, HWPMC_IOC_PMC_INFO, &info, sizeof(info)), EINVAL, "no cpu",
		"PMC_INFO of cpu ~0");
	info.cpu = 0;
	info.rows = test_class.all - 1;
	memset(rows, 0x55, sizeof(rows));
	refused(fd, dev_call(fd, HWPMC_IOC_PMC_INFO, &info, sizeof(info)), ENOSPC, "room",
		"PMC_INFO with room for too few rows");
	check(info.rows == test_class.all && rows[0].name[0] == 0x55,
	      "PMC_INFO with too little room returns the number of rows and writes none");
	check(!dev_call(fd, HWPMC_IOC_PMC_INFO, &info, sizeof(info)) && rows[0].name[0] != 0x55 &&
	      rows[test_class.all].name[0] == 0x55, "PMC_INFO succeeds with exactly enough room");
	check(!dev_call(fd, HWPMC_IOC_CPU_INFO, &machine, sizeof(machine)) && machine.cpuid &&
	      info.cpuid == machine.cpuid, "PMC_INFO returns the CPU's id, 0x%llx",
	      (unsigned long long)info.cpuid);
}

int main(void)
{
	fd = class_open(60);
	versions();
	cpu_info();
	pmc_info();
	modes();
	zeroed();
	flags();
	events();
	caps();
	tries();
	told_apart();
	start_value(0);
	start_value(0xfedcba9876543210ULL);
	return result();
}
