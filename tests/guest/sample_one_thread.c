// SPDX-License-Identifier: GPL-2.0-only
/*
 * "sample_one_thread [DIVISOR]": samples of one thread match its events and have the correct place
 * and call chain, and every lost sample is reported.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>

#include "test_class.h"
#include "exact.h"
#include "param.h"
#include "ring.h"
#include "symbol.h"

#define PERIOD	100000

/*
 * STRAY: how many of 100 samples may be outside of the loop; the emulated x86 PMU interrupts at the
 * instruction itself. EACH_A_SAMPLE: each interrupt takes one sample.
 */
#ifdef __x86_64__
#define STRAY		0
#define EACH_A_SAMPLE	false
#else
#define STRAY		5
#define EACH_A_SAMPLE	true
#endif

static void mapping(int fd, struct ring_map *map)
{
	struct hwpmc_ring again = { 0 };
	long page = sysconf(_SC_PAGESIZE);
	char one;

	check(mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page) == MAP_FAILED &&
	      errno == EPERM, "mmap of the header for writing fails with EPERM");
	check(mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED &&
	      errno == EPERM, "mmap of the tail and the header for writing fails with EPERM");
	check(mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED && errno == EINVAL,
	      "mmap with MAP_PRIVATE fails with EINVAL");
	check(mmap(NULL, page, PROT_READ, MAP_SHARED, fd, map->made.rings * map->made.stride) ==
	      MAP_FAILED && errno == EINVAL, "mmap after the last ring fails with EINVAL");
	check(mmap(NULL, map->made.stride + page, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED &&
	      errno == EINVAL, "mmap across two rings fails with EINVAL");
	check(mprotect(map->cpus[0].header, page, PROT_READ | PROT_WRITE) && errno == EACCES,
	      "mprotect of the header for writing fails with EACCES");
	refused(fd, dev_call(fd, HWPMC_IOC_RING, &again, sizeof(again)), EBUSY,
		"open the device again", "RING for a second time");
	check(read(fd, &one, 1) == -1 && errno == EBUSY, "read(2) of mapped rings fails with EBUSY");
}

/* Checks a sampler's accounts: samples taken and read, and the events that they represent. */
static void check_accounts(int fd, struct ring_tally *tally, uint64_t value, const char *name)
{
	struct hwpmc_sampled s = dev_sampled(fd, tally->id, -1);
	uint64_t reported_events = tally->events + tally->lost_events;

	check(s.taken == tally->samples + tally->lost && tally->samples == s.recorded &&
	      tally->lost == s.lost && s.reported == s.lost,
	      "%s: samples taken (%llu) are recorded (%llu) and read (%lu) or lost (%llu) and reported (%llu)", name,
	      (unsigned long long)s.taken, (unsigned long long)s.recorded, tally->samples,
	      (unsigned long long)s.lost, (unsigned long long)tally->lost);
	check(reported_events <= value && value - reported_events < PERIOD && reported_events == s.events,
	      "%s: samples represent %llu of %llu events", name, (unsigned long long)reported_events,
	      (unsigned long long)value);
	check(!tally->out_of_order, "%s: records are in order of time", name);
}

/* Each sample that is not late has its own interrupt. */
static void interrupts(const struct ring_tally *tally, uint64_t count, const char *name)
{
	uint64_t samples = tally->samples - tally->late;
	bool each = EACH_A_SAMPLE && !tally->lost && !tally->throttled;

	check(count >= samples && (!each || count == samples),
	      "%s: %llu interrupts for %llu samples", name, (unsigned long long)count,
	      (unsigned long long)samples);
}

static void burst(int fd, struct ring_map *map, const char *name, bool slow, int rounds)
{
	uint32_t id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER, 0);
	uint64_t before = dev_stats(fd).intr_processed, after;
	struct ring_tally tally = { .id = id };

	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	for (int i = 0; i < rounds; i++) {
		spin(1);
		if (!slow)
			ring_drain(map, ring_count, &tally);
	}
	check(!dev_stop(fd, id), "%s: STOP", name);
	after = dev_stats(fd).intr_processed;
	ring_drain(map, ring_count, &tally);
	/* Now the ring has room for a record of the losses. */
	check(!dev_flush(fd), "%s: LOG_FLUSH", name);
	ring_drain(map, ring_count, &tally);
	check_accounts(fd, &tally, dev_value(fd, id), name);
	interrupts(&tally, after - before, name);
	check(slow == !!tally.lost, "%s: samples are lost only without a reader: %llu", name, (unsigned long long)tally.lost);
	check(tally.samples > 10, "%s: there are samples: %lu", name, tally.samples);
	check(!dev_release(fd, id), "%s: RELEASE", name);
}

struct places {
	uint32_t id;
	unsigned long all, spinning, user;
	bool headers;
};

static void place(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	struct places *places = arg;
	uintptr_t begin = (uintptr_t)spin;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != places->id)
		return;
	places->all++;
	places->user += !!(record->flags & HWPMC_SAMPLE_USER);
	places->spinning += sample->pc >= begin && sample->pc < begin + 256;
	places->headers &= sample->pid == getpid() && sample->tid == getpid() &&
			   record->length == sizeof(*sample) && !sample->chain_offset &&
			   !sample->regs_offset && record->time;
}

static void places(int fd, struct ring_map *map)
{
	struct places p = { .headers = true };

	p.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER, 0);
	if (dev_start(fd, p.id))
		die("start: %s", dev_sentence(fd));
	spin(20);
	check(!dev_stop(fd, p.id), "places: STOP");
	ring_drain(map, place, &p);
	check(p.all > 50 && p.spinning * 100 >= p.all * (100 - STRAY) && p.user == p.all,
	      "places: %lu of %lu samples are in the loop", p.spinning, p.all);
	check(p.headers, "places: every sample names the thread");
	dev_release(fd, p.id);
}

#define DEPTH	40
#define LIMIT	8

struct chains {
	uint32_t id;
	unsigned long all, whole;
};

static void chain(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	struct chains *chains = arg;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != chains->id)
		return;
	if (ring_was_throttled(sample))
		return;
	/* All samples are in the loop. */
	if (sample->pc < (uintptr_t)spin || sample->pc >= (uintptr_t)spin + 256)
		return;
	chains->all++;
	chains->whole += sample->chain_offset && !sample->chain_kernel &&
			 sample->chain_user >= DEPTH &&
			 record->length == sample->chain_offset + 8u * sample->chain_user;
}

/* The compiler must not turn this into a loop: each level has a frame. */
__attribute__((noinline))
static int deep(volatile int *levels)
{
	if (--*levels > 0)
		return deep(levels) + 1;
	spin(10);
	return *levels;
}

static void chains(int fd, struct ring_map *map)
{
	struct chains c = { 0 };
	volatile int levels = DEPTH;

	c.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER, HWPMC_F_CALLCHAIN);
	if (dev_start(fd, c.id))
		die("start: %s", dev_sentence(fd));
	deep(&levels);
	check(!dev_stop(fd, c.id), "chains: STOP");
	ring_drain(map, chain, &c);
	check(c.all > 20 && c.whole == c.all, "chains: %lu of %lu are complete", c.whole,
	      c.all);
	dev_release(fd, c.id);
}

#define READ_SIZE	128	/* at least the size in bytes of the C library's read() */

/* Counts of samples in the kernel, by their chains. */
struct both {
	uint32_t id;
	unsigned long kernel, entered, odd, user;
	unsigned long reading, deep;	/* samples in deep_call()'s read(), and those of them with full depth */
	uint64_t entry;			/* address of the kernel's entry for system calls */
};

static void both_chains(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	const uint64_t *chain = (const void *)((const char *)record + sample->chain_offset);
	struct both *b = arg;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != b->id ||
	    record->flags & HWPMC_SAMPLE_USER)
		return;
	b->kernel++;
	if (!sample->chain_offset)
		return;
	for (unsigned int i = 0; i < sample->chain_kernel; i++)
		b->odd += (int64_t)chain[i] >= 0;
	b->entered += sample->chain_kernel &&
		      chain[sample->chain_kernel - 1] - b->entry <
		      KERNEL_ENTRY_SIZE;
	b->user += sample->chain_user > 1;
	if (!sample->chain_user || chain[sample->chain_kernel] - (uintptr_t)read >= READ_SIZE)
		return;
	b->reading++;
	b->deep += sample->chain_user >= DEPTH;
}

/* Like deep(), but the innermost function makes a system call. */
__attribute__((noinline))
static int deep_call(volatile int *levels, int fd, void *buf, size_t size)
{
	if (--*levels > 0)
		return deep_call(levels, fd, buf, size) + 1;
	return *levels + (read(fd, buf, size) == (ssize_t)size);
}

/* Samples in system calls have the kernel's chain up to its entry, and then the user's. */
static void both(int fd, struct ring_map *map)
{
	static char buf[65536];
	int random = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	struct both b = { .entry = kernel_entry() };

	b.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER | HWPMC_CAP_SYSTEM,
			   HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN);
	for (int i = 0; i < 30; i++) {
		volatile int levels = DEPTH;

		/* Reading the rings enters the kernel too, so it is not sampled. */
		if (dev_start(fd, b.id))
			die("start: %s", dev_sentence(fd));
		deep_call(&levels, random, buf, sizeof(buf));
		if (dev_stop(fd, b.id))
			die("stop: %s", dev_sentence(fd));
		ring_drain(map, both_chains, &b);
	}
	/* Samples in interrupts and right after a switch do not end at the entry. */
	check(b.kernel > 20 && b.entered * 100 >= b.kernel * 90 && !b.odd,
	      "both chains: %lu of %lu in the kernel end at its entry", b.entered, b.kernel);
	/* The other samples are in START and STOP, or in interrupts. */
	check(b.user * 100 >= b.kernel * 90 && b.reading > 20 && b.reading * 2 >= b.kernel,
	      "both chains: %lu continue in user mode, %lu in read()", b.user, b.reading);
	check(b.deep == b.reading, "both chains: %lu of those in read() have the full depth", b.deep);
	dev_release(fd, b.id);
	close(random);
}

/* With CALLCHAIN alone, samples in the kernel have no chain of user mode. */
static void kernel_only(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	struct both *b = arg;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != b->id ||
	    record->flags & HWPMC_SAMPLE_USER)
		return;
	b->kernel++;
	b->entered += sample->chain_kernel > 1;
	b->user += !!sample->chain_user;
}

static void one_of_both(int fd, struct ring_map *map)
{
	static char buf[262144];
	int random = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	struct both b = { 0 };

	b.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER | HWPMC_CAP_SYSTEM,
			   HWPMC_F_CALLCHAIN);
	if (dev_start(fd, b.id) || read(random, buf, sizeof(buf)) < 0 || dev_stop(fd, b.id))
		die("start: %s", dev_sentence(fd));
	ring_drain(map, kernel_only, &b);
	check(b.kernel > 5 && b.entered * 100 >= b.kernel * 90 && !b.user,
	      "one chain: %lu of %lu in the kernel have the kernel's chain, %lu have one of user mode", b.entered,
	      b.kernel, b.user);
	dev_release(fd, b.id);
	close(random);
}

struct depths {
	int fd, random;
	uint32_t id;
	struct kernel_ways ways;
	unsigned long all, odd, cut, passing;
};

/*
 * In each mode a chain has at most callchaindepth frames, and a chain with callchaindepth frames is
 * marked as cut.
 */
static void depth(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	bool full = sample->chain_user == LIMIT || sample->chain_kernel == LIMIT;
	struct depths *d = arg;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != d->id || ring_was_throttled(sample))
		return;
	d->all++;
	d->odd += sample->chain_user > LIMIT || sample->chain_kernel > LIMIT ||
		  full != !!(record->flags & HWPMC_SAMPLE_CUT);
	d->cut += sample->chain_user == LIMIT;
	/* In entry and exit code the user's registers are unknown. */
	d->passing += !sample->chain_user && on_kernel_ways(&d->ways, sample->pc);
}

/* Runs in both modes, at the depth of down() only. */
static void run_at_depth(const struct depths *d)
{
	static char buf[262144];

	if (dev_start(d->fd, d->id))
		die("start: %s", dev_sentence(d->fd));
	/* On x86 some samples are in entry and exit code. */
	for (int i = 0; i < 10000; i++)
		getppid();
	spin(4);
	if (read(d->random, buf, sizeof(buf)) < 0)
		die("read: %s", strerror(errno));
	check(!dev_stop(d->fd, d->id), "depths: STOP");
}

/* Like deep(), with more levels than the parameter allows. */
__attribute__((noinline))
static int down(const struct depths *d, volatile int *levels)
{
	if (--*levels > 0)
		return down(d, levels) + 1;
	run_at_depth(d);
	return *levels;
}

static void depths(int fd, struct ring_map *map)
{
	struct depths d = {
		.fd = fd,
		.random = open("/dev/urandom", O_RDONLY | O_CLOEXEC),
		.ways = kernel_ways(),
	};
	uint64_t usual = param_get("callchaindepth");
	volatile int levels = DEPTH;

	param_set("callchaindepth", LIMIT);
	d.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER | HWPMC_CAP_SYSTEM,
			   HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN);
	down(&d, &levels);
	param_set("callchaindepth", usual);
	ring_drain(map, depth, &d);
	check(d.cut > 20 && d.cut + d.passing == d.all && d.passing * 4 < d.all && !d.odd,
	      "depths: of %lu samples %lu are cut at %u frames and %lu are in entry or exit code; %lu are wrong",
	      d.all, d.cut, LIMIT, d.passing, d.odd);
	dev_release(fd, d.id);
	close(d.random);
}

struct periods {
	uint32_t id;
	unsigned long all, odd;
	uint64_t period;
};

static void period(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	struct periods *p = arg;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != p->id)
		return;
	p->all++;
	p->odd += !sample->period || sample->period % p->period;
}

/* SET_COUNT sets the period from the next START on. Invalid periods are refused. */
static void changed(int fd, struct ring_map *map)
{
	static const uint64_t counts[] = { PERIOD, 2 * PERIOD + 3, PERIOD / 2 + 1 };
	struct hwpmc_set_count set = { 0 };
	struct periods p = { 0 };

	p.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER, 0);
	set.id = p.id;
	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++) {
		uint64_t before = dev_value(fd, p.id);

		set.count = counts[i];
		check(!dev_call(fd, HWPMC_IOC_SET_COUNT, &set, sizeof(set)), "period: SET_COUNT to %llu",
		      (unsigned long long)set.count);
		set.count = 10;
		refused(fd, dev_call(fd, HWPMC_IOC_SET_COUNT, &set, sizeof(set)), EINVAL, "mincount",
			"period: SET_COUNT to 10");
		p.period = counts[i];
		p.all = 0;
		if (dev_start(fd, p.id))
			die("start: %s", dev_sentence(fd));
		refused(fd, dev_call(fd, HWPMC_IOC_SET_COUNT, &set, sizeof(set)), EBUSY, NULL,
			"period: SET_COUNT while it runs");
		spin(2);
		check(!dev_stop(fd, p.id), "period: STOP");
		ring_drain(map, period, &p);
		check(p.all && !p.odd && p.all <= (dev_value(fd, p.id) - before) / counts[i],
		      "period: of %lu samples %lu do not represent a multiple of %llu events",
		      p.all, p.odd, (unsigned long long)counts[i]);
	}
	dev_release(fd, p.id);
}

/* A counting PMC counts the same number of events. */
static void beside(int fd, struct ring_map *map)
{
	uint32_t ids[2] = { counter(fd, -1, 0) };
	struct ring_tally tally = { 0 };
	const unsigned int rounds = scaled(50);
	uint64_t values[2];

	tally.id = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD, HWPMC_CAP_USER, 0);
	ids[1] = tally.id;
	if (dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("start: %s", dev_sentence(fd));
	for (unsigned int i = 0; i < rounds; i++) {
		spin(1);
		usleep(100);	/* so that a switch occurs */
		ring_drain(map, ring_count, &tally);
	}
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, 2) || dev_read(fd, ids, 2, values))
		die("stop: %s", dev_sentence(fd));
	ring_drain(map, ring_count, &tally);
	check(values[0] > rounds * SPIN_UNIT / 2 &&
	      tally.events * 1000 / values[0] >= 995 && tally.events * 1000 / values[0] <= 1005,
	      "beside: samples represent %llu events, a counting PMC counts %llu",
	      (unsigned long long)tally.events, (unsigned long long)values[0]);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2);
}

int main(int argc, char **argv)
{
	struct ring_map map;
	int fd = dev_open();

	time_limit(200);
	scale_down(argc, argv);
	/* Room for about 400 samples. */
	ring_open(&map, fd, 16 * 1024);
	mapping(fd, &map);
	burst(fd, &map, "reader", false, scaled(30));
	burst(fd, &map, "no reader", true, scaled(120));
	places(fd, &map);
	chains(fd, &map);
	both(fd, &map);
	one_of_both(fd, &map);
	depths(fd, &map);
	changed(fd, &map);
	beside(fd, &map);
	ring_close(&map);
	close(fd);
	return result();
}
