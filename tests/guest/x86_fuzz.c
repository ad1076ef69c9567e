// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: "x86_fuzz [TRIES [STARTED]]": ALLOCATE with random events and config words. Writing the
 * registers of an allocated PMC does not fault, and only registers of the PMU are written: the
 * emulated PMU (tests/qemu-pmu) counts both.
 */
#define _GNU_SOURCE
#include <fcntl.h>

#include "exact.h"
#include "param.h"
#include "ring.h"

#define WRMSR_OTHER	0x4000f003	/* writes of registers of neither the PMU nor Linux */
#define WRMSR_LAST	0x4000f004	/* the last such register */
#define FAULTS		0x4000f005	/* count of #GP by accesses to the PMU's registers */
#define PERIOD_MIN	1000ULL

static unsigned int cpus;
static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t random_bits(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Returns true once in @n calls, at random. */
static bool now_and_then(unsigned int n)
{
	return (random_bits() >> 11) % n == 0;
}

static uint64_t few_bits(void)
{
	uint64_t bits = 0;

	for (unsigned int n = (random_bits() >> 13) % 4; n; n--)
		bits |= 1ULL << ((random_bits() >> 17) % 64);
	return bits;
}

static uint64_t an_event(void)
{
	switch ((random_bits() >> 9) % 4) {
	case 0:
		return random_bits();
	case 1:
		return (random_bits() & 0xffff) | few_bits();
	case 2:
		return random_bits() & 0xf0000ffff;
	default:
		return (random_bits() & 0xff80ffff) | (now_and_then(2) ? 1 << 21 : 0);
	}
}

/* A period of a sampling PMC, or a start value of a counting one. */
static uint64_t a_count(uint32_t mode)
{
	uint64_t count = now_and_then(2) ? random_bits() : random_bits() >> (random_bits() >> 33) % 64;

	if (mode != HWPMC_MODE_TS && mode != HWPMC_MODE_SS)
		return count;
	/* A period with the highest bit is refused. */
	count >>= 1;
	return count < PERIOD_MIN ? count + PERIOD_MIN : count;
}

static uint32_t a_class(void)
{
	static const uint32_t classes[] = {
		HWPMC_CLASS_IAP, HWPMC_CLASS_IAF, HWPMC_CLASS_AMD, HWPMC_CLASS_TSC,
	};

	return (random_bits() >> 8) % 4 ? dev_class() :
	       now_and_then(8) ? random_bits() : classes[(random_bits() >> 21) % ARRAY_SIZE(classes)];
}

static void make_request(struct hwpmc_allocate *a, bool bad)
{
	*a = (struct hwpmc_allocate){
		.class_id = a_class(), .cpu = -1, .mode = HWPMC_MODE_TC, .event = an_event(),
		.caps = (random_bits() >> 5) & (HWPMC_CAP_USER | HWPMC_CAP_SYSTEM | HWPMC_CAP_EDGE |
					HWPMC_CAP_THRESHOLD | HWPMC_CAP_INVERT),
	};
	if (now_and_then(3)) {
		a->mode = HWPMC_MODE_SC;
		a->cpu = (random_bits() >> 30) % cpus;
	}
	if (now_and_then(4))
		a->mode = a->cpu < 0 ? HWPMC_MODE_TS : HWPMC_MODE_SS;
	if (a->class_id == HWPMC_CLASS_IAF && now_and_then(2))
		a->event &= 7;
	if (a->mode == HWPMC_MODE_TS || a->mode == HWPMC_MODE_SS || now_and_then(2))
		a->count = a_count(a->mode);
	if (now_and_then(bad ? 4 : 16))
		a->config[0] = now_and_then(2) ? random_bits() : few_bits();
	if (!bad)
		return;
	if (now_and_then(16))
		a->config[1] = few_bits();
	if (now_and_then(16))
		a->caps = random_bits();
	if (now_and_then(16))
		a->mode = random_bits() >> 3 & 7;
	if (now_and_then(16))
		a->cpu = random_bits();
	a->flags = now_and_then(32) ? random_bits() : 0;
}

struct machine {
	uint64_t other, faults, last;
};

static bool look(struct machine *m)
{
	char path[32];

	*m = (struct machine){ 0 };
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		uint64_t other, faults;
		int fd;

		snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return false;
		if (pread(fd, &other, 8, WRMSR_OTHER) != 8 ||
		    pread(fd, &m->last, 8, WRMSR_LAST) != 8 || pread(fd, &faults, 8, FAULTS) != 8)
			die("reading registers of cpu %u: %s", cpu, strerror(errno));
		m->other += other;
		m->faults += faults;
		close(fd);
	}
	return true;
}

static void tries(int fd, unsigned long count)
{
	unsigned long granted = 0, odd = 0;
	struct hwpmc_allocate a;
	double begun = seconds();

	for (unsigned long i = 0; i < count; i++) {
		int err;

		make_request(&a, true);
		a.flags |= HWPMC_F_TRY;
		err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));
		granted += !err;
		odd += err && err != -EINVAL && err != -EOPNOTSUPP && err != -ENXIO &&
		       err != -EBUSY && err != -ENOENT && err != -ENODEV;
	}
	check(granted > count / 50 && granted < count && !odd,
	      "%lu random ALLOCATEs, %lu granted, return no unexpected result: %lu, %.1f s", count, granted, odd,
	      seconds() - begun);
}

static bool ran(int fd, uint32_t id)
{
	bool ok = !dev_start(fd, id);

	run(50);
	return !dev_stop(fd, id) && ok;
}

/* Sets another period or value, by RW or by SET_COUNT. */
static bool changed(int fd, const struct hwpmc_allocate *a)
{
	struct hwpmc_set_count set = { .id = a->id, .count = a_count(a->mode) };

	if (now_and_then(2))
		return !dev_write(fd, a->id, random_bits());
	return !dev_call(fd, HWPMC_IOC_SET_COUNT, &set, sizeof(set));
}

static void started(int fd, unsigned long count)
{
	unsigned long done = 0, wrong = 0, tried = 0, sampling = 0;
	double begun = seconds();
	struct hwpmc_allocate a;

	while (done < count && tried < 100 * count) {
		bool ok;

		make_request(&a, false);
		tried++;
		if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
			continue;
		sampling += a.mode == HWPMC_MODE_TS || a.mode == HWPMC_MODE_SS;
		ok = ran(fd, a.id);
		if (now_and_then(4))
			ok = changed(fd, &a) && ran(fd, a.id) && ok;
		if (!ok && !wrong++)
			check(false, "class %u, mode %u, event 0x%llx: %s", a.class_id, a.mode,
			      (unsigned long long)a.event, dev_sentence(fd));
		wrong += dev_release(fd, a.id) != 0;
		done++;
	}
	check(done == count && !wrong, "%lu of %lu random PMCs are started and stopped, %.1f s",
	      done - wrong, count, seconds() - begun);
	check(sampling > count / 8, "at least an eighth are sampling PMCs: %lu", sampling);
}

/* This PMC keeps the PMU reserved and all hooks registered. */
static void keep_hooked(int fd)
{
	if (dev_rings(fd, 65536) ||
	    dev_start(fd, dev_sampler(fd, -1, EV_INSTRUCTIONS, 1ULL << 40, HWPMC_CAP_USER, 0)))
		die("a sampler: %s", dev_sentence(fd));
}

int main(int argc, char **argv)
{
	unsigned long try_count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000;
	unsigned long start_count = argc > 2 ? strtoul(argv[2], NULL, 0) : 20000;
	struct machine before, after;
	int fd = dev_open();
	uint64_t percent = param_get("max_cpu_percent");
	bool msrs;

	time_limit(150);
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	keep_hooked(fd);
	/* A PMC may have a period shorter than an interrupt, so that a CPU would do nothing else. */
	param_set("max_cpu_percent", 25);
	msrs = look(&before);
	if (!msrs)
		skip("this kernel has no /dev/cpu/N/msr: writes of registers are not checked");
	tries(fd, try_count);
	started(fd, start_count);
	param_set("max_cpu_percent", percent);
	if (msrs && look(&after)) {
		check(after.faults == before.faults, "no write of the PMU's registers faults (%llu do)",
		      (unsigned long long)(after.faults - before.faults));
		check(after.other == before.other,
		      "no other register is written (%llu times, the last 0x%llx)",
		      (unsigned long long)(after.other - before.other),
		      (unsigned long long)after.last);
	}
	return result();
}
