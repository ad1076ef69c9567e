// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile owner whose rings are flooded: its children write random tails, remap and mprotect the
 * pages all the time, and read concurrently. They read only the owner's records, the machine keeps
 * running, and an honest reader's counts are correct afterwards.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>

#include "test_class.h"
#include "exact.h"
#include "ring.h"

#define PERIOD	200000
#define RING	65536
/* Bytes after head that may already be written: records that are not published yet. */
#define AHEAD	(RING / 4)
#define CPUS	8

/* An owner, its rings, and a PMC for each CPU. */
struct side {
	int fd;
	struct hwpmc_ring made;
	uint32_t ids[CPUS];
};

static struct side mapped, copied;	/* read through mmap(2), and by read(2) */
static uint64_t began;
static long page;
static unsigned int cpus;

/* The results of a child; @bad: number of violations; @what: the first of them. */
struct tally {
	volatile uint64_t rounds;
	volatile uint64_t records;
	uint64_t samples[CPUS];
	uint64_t lost[CPUS];
	uint64_t again;
	uint64_t bad;
	char what[96];
};

static struct common {
	volatile bool stop;
	struct tally tails, maps, followers[2], readers[2], heartbeat;
} *common;

static void bad(struct tally *t, const char *what, uint64_t number)
{
	if (!t->bad++)
		snprintf(t->what, sizeof(t->what), "%s %llu", what, (unsigned long long)number);
}

static uint64_t random_number(void)
{
	static uint64_t x;

	if (!x)
		x = clock_ns(CLOCK_MONOTONIC) | 1;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

/* Whether the length is valid: up to the place, up to the period, or all fields and a chain. */
static bool sample_fits(const struct hwpmc_log_sample *sample)
{
	if (sample->h.length == offsetof(struct hwpmc_log_sample, period))
		return true;
	if (!sample->period)
		return false;
	if (sample->h.length == offsetof(struct hwpmc_log_sample, chain_offset))
		return true;
	return !sample->regs_offset && !sample->stack_offset &&
	       sample->h.length == sizeof(*sample) +
				   8u * (sample->chain_kernel + sample->chain_user);
}

/* Checks a complete record of @side. */
static void check_record(const struct side *side, const struct hwpmc_log_header *record,
			 struct tally *t)
{
	unsigned int own = 0;

	t->records++;
	if (!record->type || record->type > HWPMC_LOG_USER)
		bad(t, "type", record->type);
	if (record->cpu >= cpus)
		bad(t, "cpu", record->cpu);
	if (record->time < began || record->time > clock_ns(CLOCK_MONOTONIC))
		bad(t, "time", record->time);
	while (own < cpus && record->id != side->ids[own])
		own++;
	/* PMCs that were released at the start must have no samples. */
	if (record->id && own == cpus && record->type != HWPMC_LOG_ALLOCATE)
		bad(t, "id", record->id);
	if (record->type == HWPMC_LOG_DROP && own < cpus)
		t->lost[own] += ((const struct hwpmc_log_drop *)record)->lost;
	if (record->type != HWPMC_LOG_SAMPLE || own == cpus)
		return;
	t->samples[own]++;
	if (record->cpu != own || !sample_fits((const void *)record))
		bad(t, "a sample of a wrong CPU or length, bytes:", record->length);
}

static struct ring_map own_map(const struct side *side)
{
	struct ring_map map = { 0 };

	ring_map_again(&map, side->fd, &side->made);
	return map;
}

/* Writes random tails, and sometimes one that makes room. */
static void write_tails(struct tally *t)
{
	struct ring_map map = own_map(&mapped);

	for (; !common->stop; t->rounds++) {
		struct ring_one *one = &map.cpus[random_number() % cpus];
		uint64_t head = one->header->head;
		const uint64_t tails[] = {
			head, head - RING, head + 8, head - random_number() % RING, random_number(),
			head - (random_number() % RING & ~7ULL), 0, head,
		};

		one->tail->tail = tails[random_number() % ARRAY_SIZE(tails)];
		/* The rest of the page is unused. */
		((volatile uint64_t *)one->tail)[1 + random_number() % (page / 8 - 1)] = random_number();
		if (t->rounds % 64 == 0)
			usleep(100);
	}
}

static bool refused_with(const void *p, int err)
{
	return p == MAP_FAILED && errno == err;
}

static void attack_tail(struct tally *t, uint64_t at, char *hole)
{
	uint64_t *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, mapped.fd, at);

	if (p == MAP_FAILED)
		die("mmap of a tail: %s", strerror(errno));
	*p = random_number();
	if (mprotect(p, page, PROT_READ) || mprotect(p, page, PROT_READ | PROT_WRITE))
		bad(t, "mprotect of a tail:", errno);
	if (!mprotect(p, page, PROT_READ | PROT_WRITE | PROT_EXEC))
		bad(t, "an executable tail,", 0);
	if (mremap(p, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, hole) != hole)
		die("mremap of a tail: %s", strerror(errno));
	*(uint64_t *)hole = random_number();
	if (!refused_with(mremap(hole, page, 2 * page, MREMAP_MAYMOVE), EFAULT) ||
	    !refused_with(mremap(hole, 0, page, MREMAP_MAYMOVE), EFAULT))
		bad(t, "a tail that grows:", errno);
	madvise(hole, page, MADV_DONTNEED);
}

static void attack_header(struct tally *t, uint64_t at, char *hole, int mem)
{
	size_t size = mapped.made.stride - mapped.made.header_offset;
	uint64_t number = random_number();
	char *p;

	at += mapped.made.header_offset;
	if (!refused_with(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, mapped.fd, at), EPERM))
		bad(t, "a header that is writable:", errno);
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, mapped.fd, at);
	if (p == MAP_FAILED)
		die("mmap of a header: %s", strerror(errno));
	if (!mprotect(p, page, PROT_READ | PROT_WRITE) || pwrite(mem, &number, 8, (uintptr_t)p) == 8)
		bad(t, "a header that was written", 0);
	if (mprotect(p, page, PROT_NONE) || mprotect(p, page, PROT_READ))
		bad(t, "mprotect of a header:", errno);
	number = ((volatile struct hwpmc_ring_header *)p)->data_size;
	/* Move the first page to the hole, and unmap a page in the middle. */
	if (number != RING || mremap(p, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, hole) != hole)
		bad(t, "mremap of a header, or its data_size is", number);
	munmap(p + size / 2 / page * page, page);
	munmap(p, size);
}

static void attack_maps(struct tally *t)
{
	char *hole = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	char byte;

	for (; !common->stop; t->rounds++) {
		uint64_t at = random_number() % cpus * mapped.made.stride;

		attack_tail(t, at, hole);
		attack_header(t, at, hole, mem);
		if (read(mapped.fd, &byte, 1) != -1 || errno != EBUSY)
			bad(t, "read(2) of mapped rings:", errno);
		if (!refused_with(mmap(NULL, page, PROT_READ, MAP_SHARED, copied.fd, 0), EBUSY))
			bad(t, "mmap(2) of rings that are read:", errno);
	}
}

static uint64_t head_of(const struct ring_one *one)
{
	return __atomic_load_n(&one->header->head, __ATOMIC_ACQUIRE);
}

/* Whether the record at @at may have been overwritten while it was read. Tails are random here. */
static bool is_gone(const struct ring_one *one, uint64_t at)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return head_of(one) - at > RING - AHEAD;
}

/* Copies the record of a ring at @at to @copy. Returns its length, or 0 if it was overwritten. */
static uint32_t catch_record(const struct ring_one *one, uint64_t at, char *copy, struct tally *t)
{
	const char *from = one->data + (at & (RING - 1));
	struct hwpmc_log_header record;

	memcpy(&record, from, 8);
	if (is_gone(one, at))
		return 0;
	if (record.length < 8 || record.length % 8 || record.length > RING - (at & (RING - 1))) {
		bad(t, "a record of invalid length", record.length);
		return 0;
	}
	memcpy(copy, from, record.length);
	return is_gone(one, at) ? 0 : record.length;
}

/* Reads up to head, starting from an earlier head. */
static void follow(struct tally *t)
{
	struct ring_map map = own_map(&mapped);
	static char copy[RING] __attribute__((aligned(8)));
	uint64_t at[CPUS];

	for (unsigned int i = 0; i < cpus; i++)
		at[i] = head_of(&map.cpus[i]);
	for (; !common->stop; t->rounds++) {
		const struct ring_one *one = &map.cpus[t->rounds % cpus];
		uint64_t head = head_of(one);
		uint64_t *here = &at[t->rounds % cpus];

		if (head < *here || head % 8)
			bad(t, "head", head);
		while (*here != head) {
			uint32_t length = catch_record(one, *here, copy, t);

			if (!length) {
				t->again++;
				*here = head_of(one);
				break;
			}
			if (((struct hwpmc_log_header *)copy)->type != HWPMC_LOG_PAD)
				check_record(&mapped, (struct hwpmc_log_header *)copy, t);
			*here += length;
		}
		usleep(200);
	}
}

static void check_records(const char *at, ssize_t size, struct tally *t)
{
	while (size > 0) {
		const struct hwpmc_log_header *record = (const void *)at;

		if (size < (ssize_t)sizeof(*record) || record->length < sizeof(*record) ||
		    record->length % 8 || record->length > size) {
			bad(t, "bytes without a valid record after read(2):", size);
			return;
		}
		check_record(&copied, record, t);
		at += record->length;
		size -= record->length;
	}
}

/*
 * Reads into a buffer with room for all or some records, or with unmapped memory behind it: later
 * reads return the other records.
 */
static void read_some(struct tally *t)
{
	size_t size = 4 * RING;
	char *to = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(to + size, page);
	for (; !common->stop; t->rounds++) {
		size_t room = random_number() % 3 ? size : (random_number() % 512 & ~7ULL);
		ssize_t n = read(copied.fd, to + size - room, room + (random_number() & page));

		if (n < 0 && errno != EAGAIN && errno != EMSGSIZE && errno != EFAULT)
			bad(t, "read:", errno);
		check_records(to + size - room, n, t);
		usleep(200);
	}
}

static void heartbeat(struct tally *t)
{
	for (; !common->stop; t->rounds++)
		usleep(1000);
}

static pid_t child(void (*fn)(struct tally *t), struct tally *t)
{
	pid_t pid = fork_tied();

	if (pid)
		return pid;
	fn(t);
	_exit(0);
}

/* Allocates and releases all PMCs @skipped times first, so that the ids differ. */
static void side_open(struct side *side, int skipped)
{
	side->fd = dev_open();
	side->made = (struct hwpmc_ring){ .data_size = RING };
	if (dev_call(side->fd, HWPMC_IOC_RING, &side->made, sizeof(side->made)))
		die("rings: %s", dev_sentence(side->fd));
	for (; skipped >= 0; skipped--) {
		for (unsigned int i = 0; i < cpus; i++)
			side->ids[i] = dev_sampler(side->fd, i, EV_INSTRUCTIONS, PERIOD,
						   HWPMC_CAP_USER | HWPMC_CAP_SYSTEM,
						   HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN);
		if (skipped)
			dev_ids(side->fd, HWPMC_IOC_RELEASE, side->ids, cpus);
	}
}

/* @cmd: HWPMC_IOC_START or STOP */
static void side_call(const struct side *side, unsigned long cmd)
{
	if (dev_ids(side->fd, cmd, side->ids, cpus))
		die("start or stop: %s", dev_sentence(side->fd));
}

static bool enough(void)
{
	const struct tally *f = common->followers, *r = common->readers;

	return common->tails.rounds > scaled(5000) && common->maps.rounds > scaled(40) &&
	       common->heartbeat.rounds > scaled(50) && f[0].records > scaled(300) &&
	       f[1].records > scaled(300) && r[0].records > scaled(300) && r[1].records > scaled(300);
}

static void judge(const char *name, const struct tally *t)
{
	check(!t->bad, "%s: %llu rounds, %llu records, %llu times overwritten, %llu violations%s%s", name,
	      (unsigned long long)t->rounds, (unsigned long long)t->records,
	      (unsigned long long)t->again, (unsigned long long)t->bad, t->bad ? ": " : "", t->what);
}

static void flood(void)
{
	const struct { void (*fn)(struct tally *t); struct tally *t; const char *name; } all[] = {
		{ write_tails, &common->tails, "tails" },
		{ attack_maps, &common->maps, "maps" },
		{ follow, &common->followers[0], "mmap reader 1" },
		{ follow, &common->followers[1], "mmap reader 2" },
		{ read_some, &common->readers[0], "read(2) reader 1" },
		{ read_some, &common->readers[1], "read(2) reader 2" },
		{ heartbeat, &common->heartbeat, "heartbeat" },
	};
	pid_t pids[ARRAY_SIZE(all)];

	side_call(&mapped, HWPMC_IOC_START);
	side_call(&copied, HWPMC_IOC_START);
	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++)
		pids[i] = child(all[i].fn, all[i].t);
	while (!enough())
		spin(1);
	common->stop = true;
	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++)
		if (reap(pids[i]))
			bad(all[i].t, "a child that failed,", 0);
	side_call(&mapped, HWPMC_IOC_STOP);
	side_call(&copied, HWPMC_IOC_STOP);
	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++)
		judge(all[i].name, all[i].t);
}

/* The samples that were taken represent all events, except less than a period. */
static void compare(const struct side *side, unsigned int i, const char *name)
{
	struct hwpmc_sampled s = dev_sampled(side->fd, side->ids[i], -1);
	uint64_t value = dev_value(side->fd, side->ids[i]);

	check(s.reported == s.lost && s.events <= value && value - s.events < PERIOD,
	      "%s, cpu %u: %llu samples recorded, %llu lost, %llu reported represent %llu of %llu events", name, i,
	      (unsigned long long)s.recorded, (unsigned long long)s.lost,
	      (unsigned long long)s.reported, (unsigned long long)s.events, (unsigned long long)value);
}

/* Each recorded sample was read once, by one of the readers or at the end. */
static void close_copied(void)
{
	static struct tally rest;
	static char buffer[4 * RING];
	struct tally *all[] = { &rest, &common->readers[0], &common->readers[1] };
	ssize_t n;

	/* A loss is reported when there is room: the second drain reads that report. */
	for (int i = 0; i < 2; i++) {
		while ((n = read(copied.fd, buffer, sizeof(buffer))) > 0)
			check_records(buffer, n, &rest);
		dev_flush(copied.fd);
	}
	for (unsigned int i = 0; i < cpus; i++) {
		struct hwpmc_sampled s = dev_sampled(copied.fd, copied.ids[i], -1);
		uint64_t samples = 0, lost = 0;

		for (unsigned int j = 0; j < ARRAY_SIZE(all); j++) {
			samples += all[j]->samples[i];
			lost += all[j]->lost[i];
		}
		check(samples == s.recorded && lost == s.lost && !rest.bad,
		      "read(2), cpu %u: the readers got all samples (%llu) and losses (%llu)", i,
		      (unsigned long long)samples, (unsigned long long)lost);
		compare(&copied, i, "read(2)");
	}
}

static void count(const struct hwpmc_log_header *record, void *tally)
{
	check_record(&mapped, record, tally);
}

/* Resets the tails, and checks what an honest reader reads from there on. */
static void close_mapped(void)
{
	struct ring_map map = own_map(&mapped);
	struct hwpmc_sampled before[CPUS];
	struct tally t = { 0 };

	for (unsigned int i = 0; i < cpus; i++)
		map.cpus[i].tail->tail = map.cpus[i].header->head;
	check(!dev_flush(mapped.fd), "mapped: LOG_FLUSH after the flood");
	ring_drain(&map, count, &t);
	memset(&t, 0, sizeof(t));
	for (unsigned int i = 0; i < cpus; i++) {
		compare(&mapped, i, "mapped");
		before[i] = dev_sampled(mapped.fd, mapped.ids[i], -1);
		check(map.cpus[i].header->lost == map.cpus[i].header->reported,
		      "mapped, cpu %u: the header has reported all %llu losses", i,
		      (unsigned long long)map.cpus[i].header->lost);
	}
	side_call(&mapped, HWPMC_IOC_START);
	for (int i = 0; i < 6; i++) {
		pin(0, i % cpus);
		spin(1);
		ring_drain(&map, count, &t);
	}
	pin(0, -1);
	side_call(&mapped, HWPMC_IOC_STOP);
	ring_drain(&map, count, &t);
	dev_flush(mapped.fd);
	ring_drain(&map, count, &t);
	for (unsigned int i = 0; i < cpus; i++) {
		struct hwpmc_sampled s = dev_sampled(mapped.fd, mapped.ids[i], -1);

		check(t.samples[i] && t.samples[i] == s.recorded - before[i].recorded &&
		      t.lost[i] == s.lost - before[i].lost && !t.bad,
		      "honest, cpu %u: all samples are read (%llu) or reported lost (%llu)%s%s", i,
		      (unsigned long long)t.samples[i], (unsigned long long)t.lost[i],
		      t.bad ? ", " : "", t.what);
		compare(&mapped, i, "honest");
	}
	ring_close(&map);
}

int main(int argc, char **argv)
{
	char byte;

	scale_down(argc, argv);
	time_limit(120);
	page = sysconf(_SC_PAGESIZE);
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpus = cpus > CPUS ? CPUS : cpus;
	common = shared(sizeof(*common));
	began = clock_ns(CLOCK_MONOTONIC);
	side_open(&mapped, 0);
	side_open(&copied, 1);
	check(copied.ids[0] != mapped.ids[0], "the two owners have different handles");
	fcntl(copied.fd, F_SETFL, O_NONBLOCK);
	/* The first read(2) or mmap(2) decides how the rings are read. */
	if (read(copied.fd, &byte, 1) >= 0 ||
	    mmap(NULL, page, PROT_READ, MAP_SHARED, mapped.fd, 0) == MAP_FAILED)
		die("read(2) or mmap(2) of the rings: %s", strerror(errno));
	flood();
	close_copied();
	close_mapped();
	return result();
}
