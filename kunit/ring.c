// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_ring: the protocol of a ring (kmod/log/ring.c): padding, a full ring, tails that
 * no correct reader writes, and an interrupt that writes into the ring as well.
 * Run by kunit/run.c in KUnit's thread; ring_storm adds a timer interrupt.
 */
#include <linux/align.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "../kmod/compat/compat.h"
#include "../kmod/log/log.h"
#include "../kmod/log/ring.h"
#include "fixture.h"

#define RING_SIZE	256ULL
#define RING_RECORD	sizeof(struct hwpmc_log_header)

/**
 * struct ring_case - a ring and its reader
 * @buffer: the producer's side, which hwpmc_reader_next() reads
 * @header: page that readers map
 * @tail: written by the reader
 * @data: the ring's data
 * @read: records read, without PADs
 * @pads: PADs read
 * @last: by producer, the number in the last record read
 * @wrong: corrupt, repeated or reordered records read
 */
struct ring_case {
	struct hwpmc_buffer buffer;
	struct hwpmc_ring_header header;
	u64 tail;
	u64 data[RING_SIZE / sizeof(u64)];
	u64 read;
	u64 pads;
	u64 last[4];
	u64 wrong;
};

static struct ring_case *ring_begin(struct kunit *test, u64 at)
{
	struct ring_case *it = kunit_kzalloc(test, sizeof(*it), GFP_KERNEL);
	struct hwpmc_producer *ring;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, it);
	ring = &it->buffer.ring;
	hwpmc_ring_init(ring, &it->header, &it->tail, it->data, RING_SIZE, 7);
	ring->reserved = at;
	it->header.head = at;
	it->tail = at;
	return it;
}

/* A record of producer @id; its time and every word behind the header are @number. */
static void ring_fill(void *to, u32 id, u64 number, u32 length)
{
	struct hwpmc_log_header *record = to;
	u64 *more = (u64 *)(record + 1);

	*record = (struct hwpmc_log_header) {
		.type = HWPMC_LOG_USER, .length = length, .time = number, .id = id,
	};
	for (; (void *)more < to + length; more++)
		*more = number;
}

static bool ring_write(struct ring_case *it, u32 id, u64 number, u32 length)
{
	unsigned long flags;
	void *to;

	local_irq_save(flags);
	to = hwpmc_ring_reserve_nmi(&it->buffer.ring, length);
	if (to)
		ring_fill(to, id, number, length);
	hwpmc_ring_publish_nmi(&it->buffer.ring);
	local_irq_restore(flags);
	return to;
}

static void ring_check(struct ring_case *it, const struct hwpmc_log_header *record)
{
	const u64 *more = (const u64 *)(record + 1);

	if (record->type == HWPMC_LOG_PAD) {
		it->pads++;
		return;
	}
	it->read++;
	if (record->type != HWPMC_LOG_USER || record->id >= ARRAY_SIZE(it->last) ||
	    record->time <= it->last[record->id]) {
		it->wrong++;
		return;
	}
	it->last[record->id] = record->time;
	for (; (const void *)more < (const void *)record + record->length; more++)
		it->wrong += *more != record->time;
}

/* Reads all records as a program does that mapped the ring; C and D are docs/ring.md's barriers. */
static void ring_drain(struct ring_case *it)
{
	/* C */
	u64 head = smp_load_acquire(&it->header.head), at = it->tail;

	while (at != head) {
		u64 place = at & (RING_SIZE - 1);
		const struct hwpmc_log_header *record = (void *)it->data + place;

		if (record->length < 8 || record->length % 8 || record->length > head - at ||
		    place + record->length > RING_SIZE) {
			it->wrong++;
			break;
		}
		ring_check(it, record);
		at += record->length;
	}
	/* D */
	smp_store_release(&it->tail, head);
}

/* Values of head and tail to start from: they are free-running and wrap at 64 bits. */
static const u64 ring_starts[] = { 0, -RING_SIZE, -2 * RING_SIZE - 24, BIT_ULL(63) - 48, -24ULL };

static void ring_start_name(const u64 *start, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "from %#llx", *start);
}

KUNIT_ARRAY_PARAM(ring_start, ring_starts, ring_start_name);

static void ring_one_record(struct kunit *test)
{
	u64 start = *(const u64 *)test->param_value;
	struct ring_case *it = ring_begin(test, start);

	KUNIT_EXPECT_EQ(test, 7U, it->header.cpu);
	KUNIT_EXPECT_EQ(test, RING_SIZE, it->header.data_size);
	ring_write(it, 0, 1, RING_RECORD);
	KUNIT_EXPECT_EQ(test, start + RING_RECORD, it->header.head);
	KUNIT_EXPECT_EQ(test, (u64)RING_RECORD, hwpmc_ring_used(&it->buffer.ring));
	KUNIT_EXPECT_EQ(test, 1ULL, it->header.records);
	ring_drain(it);
	KUNIT_EXPECT_EQ(test, 1ULL, it->last[0]);
	KUNIT_EXPECT_EQ(test, 0ULL, it->wrong);
	KUNIT_EXPECT_EQ(test, 0ULL, hwpmc_ring_used(&it->buffer.ring));
}

/* Records of several lengths wrap around the ring: each is read whole, in order and once. */
static void ring_records_whole_across_wraps(struct kunit *test)
{
	struct ring_case *it = ring_begin(test, *(const u64 *)test->param_value);
	u64 written = 0, full = 0;
	unsigned int i;

	for (i = 1; i <= 1000; i++) {
		bool done;

		done = ring_write(it, 0, i, RING_RECORD + 8 * (i % 12));
		written += done;
		full += !done;
		if (!done || !(i % 5))
			ring_drain(it);
	}
	ring_drain(it);
	KUNIT_EXPECT_EQ(test, written, it->read);
	KUNIT_EXPECT_EQ(test, written, it->header.records);
	KUNIT_EXPECT_EQ(test, 0ULL, it->wrong);
	KUNIT_EXPECT_GT(test, it->pads, 10ULL);
	KUNIT_EXPECT_GT(test, full, 10ULL);
}

/* What was reserved is published with the next call of hwpmc_ring_publish_nmi(), not before. */
static void ring_record_unpublished_is_invisible(struct kunit *test)
{
	u64 start = *(const u64 *)test->param_value;
	struct ring_case *it = ring_begin(test, start);
	struct hwpmc_producer *ring = &it->buffer.ring;
	void *to;

	local_irq_disable();
	to = hwpmc_ring_reserve_nmi(ring, RING_RECORD + 8);
	KUNIT_EXPECT_EQ(test, start, it->header.head);
	ring_drain(it);
	ring_fill(to, 0, 1, RING_RECORD + 8);
	KUNIT_EXPECT_EQ(test, 0ULL, it->read);
	KUNIT_EXPECT_EQ(test, 0ULL, it->header.records);
	hwpmc_ring_publish_nmi(ring);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, ring->reserved, it->header.head);
	ring_drain(it);
	KUNIT_EXPECT_EQ(test, 1ULL, it->read);
	KUNIT_EXPECT_EQ(test, 0ULL, it->wrong);
}

/* The ring fills up to the last byte; a record without room changes nothing. */
static void ring_fills_to_last_byte(struct kunit *test)
{
	u64 start = *(const u64 *)test->param_value;
	struct ring_case *it = ring_begin(test, ALIGN_DOWN(start, RING_SIZE));
	unsigned int i;

	for (i = 1; i <= RING_SIZE / 32; i++)
		KUNIT_EXPECT_TRUE(test, ring_write(it, 0, i, 32));
	KUNIT_EXPECT_FALSE(test, ring_write(it, 0, i, 24));
	KUNIT_EXPECT_EQ(test, RING_SIZE, hwpmc_ring_used(&it->buffer.ring));
	KUNIT_EXPECT_EQ(test, RING_SIZE / 32, it->header.records);
	ring_drain(it);
	KUNIT_EXPECT_EQ(test, RING_SIZE / 32, it->read);
	KUNIT_EXPECT_TRUE(test, ring_write(it, 0, i, 24));
	ring_drain(it);
	KUNIT_EXPECT_EQ(test, 0ULL, it->wrong);
}

/* A PAD of 8 bytes has only the first 8 bytes of a header, and writes nothing behind them. */
static void ring_shortest_pad(struct kunit *test)
{
	struct ring_case *it = ring_begin(test, RING_SIZE - 8);

	it->data[0] = 0x5a;
	KUNIT_EXPECT_TRUE(test, ring_write(it, 0, 1, RING_RECORD));
	KUNIT_EXPECT_EQ(test, RING_SIZE + RING_RECORD, it->header.head);
	ring_drain(it);
	KUNIT_EXPECT_EQ(test, 1ULL, it->pads);
	KUNIT_EXPECT_EQ(test, 1ULL, it->read);
	KUNIT_EXPECT_EQ(test, 0ULL, it->wrong);
}

/*
 * A record longer than the ring is refused. One that needs more room than is left before and
 * behind the end fits after the reader has passed the PAD.
 */
static void ring_long_record_fits_after_pad(struct kunit *test)
{
	struct ring_case *it = ring_begin(test, RING_SIZE / 2 + 8);
	u32 length = RING_SIZE - 8;

	KUNIT_EXPECT_FALSE(test, ring_write(it, 0, 1, RING_SIZE + 8));
	KUNIT_EXPECT_EQ(test, RING_SIZE / 2 + 8, it->header.head);
	KUNIT_EXPECT_FALSE(test, ring_write(it, 0, 1, length));
	/* The PAD was published; a second attempt adds no other. */
	KUNIT_EXPECT_FALSE(test, ring_write(it, 0, 1, length));
	KUNIT_EXPECT_EQ(test, RING_SIZE, it->header.head);
	ring_drain(it);
	KUNIT_EXPECT_EQ(test, 1ULL, it->pads);
	KUNIT_EXPECT_TRUE(test, ring_write(it, 0, 1, length));
	ring_drain(it);
	KUNIT_EXPECT_EQ(test, 1ULL, it->read);
	KUNIT_EXPECT_EQ(test, 0ULL, it->wrong);
}

/* The same with the kernel as reader: it frees the PAD's room although no record follows. */
static void ring_long_record_kernel_reader(struct kunit *test)
{
	struct ring_case *it = ring_begin(test, RING_SIZE / 2 + 8);
	u32 length = RING_SIZE - 8;
	u64 size;

	it->buffer.own_tail = it->tail;
	it->buffer.ring.tail = &it->buffer.own_tail;
	KUNIT_EXPECT_FALSE(test, ring_write(it, 0, 1, length));
	KUNIT_EXPECT_NULL(test, hwpmc_reader_next(&it->buffer, U64_MAX, &size));
	KUNIT_EXPECT_EQ(test, 0ULL, hwpmc_ring_used(&it->buffer.ring));
	KUNIT_EXPECT_TRUE(test, ring_write(it, 0, 1, length));
	KUNIT_EXPECT_PTR_EQ(test, (void *)it->data, hwpmc_reader_next(&it->buffer, U64_MAX, &size));
	KUNIT_EXPECT_EQ(test, (u64)length, size);
	hwpmc_reader_done(&it->buffer, size);
	KUNIT_EXPECT_NULL(test, hwpmc_reader_next(&it->buffer, U64_MAX, &size));
}

/* Tails that no correct reader writes, relative to head. */
static const s64 ring_tails[] = {
	1, 8, RING_SIZE, BIT_ULL(32), S64_MAX, S64_MIN, -(s64)RING_SIZE - 1, -(s64)RING_SIZE - 8,
	-(s64)BIT_ULL(32),
};

static void ring_tail_name(const s64 *tail, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "head %+lld", *tail);
}

KUNIT_ARRAY_PARAM(ring_tail, ring_tails, ring_tail_name);

/* An impossible tail is taken for a full ring; after a possible one is written the ring works. */
static void ring_impossible_tail_is_full(struct kunit *test)
{
	s64 off = *(const s64 *)test->param_value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ring_starts); i++) {
		struct ring_case *it = ring_begin(test, ring_starts[i]);

		it->tail = it->header.head + off;
		KUNIT_EXPECT_FALSE(test, ring_write(it, 0, 1, RING_RECORD));
		KUNIT_EXPECT_EQ(test, ring_starts[i], it->header.head);
		KUNIT_EXPECT_EQ(test, 0ULL, hwpmc_ring_used(&it->buffer.ring));
		it->tail = it->header.head;
		KUNIT_EXPECT_TRUE(test, ring_write(it, 0, 1, RING_RECORD));
		ring_drain(it);
		KUNIT_EXPECT_EQ(test, 1ULL, it->read);
		KUNIT_EXPECT_EQ(test, 0ULL, it->wrong);
	}
}

/**
 * struct ring_storm - a timer interrupt that writes into the ring that the test writes into
 * @timer: fires every 200 us or a little more
 * @it: the ring
 * @number: number of the interrupt's last record
 * @lost: records of the interrupt that found no room
 */
struct ring_storm {
	struct hrtimer timer;
	struct ring_case *it;
	u64 number;
	u64 lost;
};

static enum hrtimer_restart ring_storm_fire(struct hrtimer *timer)
{
	struct ring_storm *storm = container_of(timer, struct ring_storm, timer);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		storm->number++;
		storm->lost += !ring_write(storm->it, 1, storm->number,
					   RING_RECORD + 8 * (storm->number % 5));
	}
	hrtimer_forward_now(timer, ns_to_ktime(200000 + 371 * (storm->number % 101)));
	return HRTIMER_RESTART;
}

/* Two writers that exclude one another: no record is torn, silently lost or out of order. */
static void ring_storm(struct kunit *test)
{
	struct ring_storm *storm = kunit_kzalloc(test, sizeof(*storm), GFP_KERNEL);
	unsigned long end = jiffies + HZ / 2, limit = end + 60 * HZ;
	u64 number = 0, lost = 0, unpublished = 0;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, storm);
	storm->it = ring_begin(test, -RING_SIZE * 64ULL);
	hwpmc_hrtimer_setup(&storm->timer, ring_storm_fire, CLOCK_MONOTONIC,
			    HRTIMER_MODE_REL_PINNED_HARD);
	migrate_disable();
	hrtimer_start(&storm->timer, ns_to_ktime(200000), HRTIMER_MODE_REL_PINNED_HARD);
	/* A slow host may need longer for 100 records of the interrupt. */
	while (time_before(jiffies, end) ||
	       (READ_ONCE(storm->number) <= 100 && time_before(jiffies, limit))) {
		number++;
		lost += !ring_write(storm->it, 0, number, RING_RECORD + 8 * (number % 7));
		local_irq_disable();
		unpublished += storm->it->header.head != storm->it->buffer.ring.reserved;
		local_irq_enable();
		if (!(number % 3))
			ring_drain(storm->it);
		cond_resched();
	}
	hrtimer_cancel(&storm->timer);
	migrate_enable();
	ring_drain(storm->it);
	KUNIT_EXPECT_GT(test, storm->number, 100ULL);
	KUNIT_EXPECT_EQ(test, number + storm->number - lost - storm->lost, storm->it->read);
	KUNIT_EXPECT_EQ(test, storm->it->read, storm->it->header.records);
	KUNIT_EXPECT_EQ(test, 0ULL, unpublished);
	KUNIT_EXPECT_EQ(test, 0ULL, storm->it->wrong);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE_PARAM(ring_one_record, ring_start_gen_params),
	KUNIT_CASE_PARAM(ring_records_whole_across_wraps, ring_start_gen_params),
	KUNIT_CASE_PARAM(ring_record_unpublished_is_invisible, ring_start_gen_params),
	KUNIT_CASE_PARAM(ring_fills_to_last_byte, ring_start_gen_params),
	KUNIT_CASE(ring_shortest_pad),
	KUNIT_CASE(ring_long_record_fits_after_pad),
	KUNIT_CASE(ring_long_record_kernel_reader),
	KUNIT_CASE_PARAM(ring_impossible_tail_is_full, ring_tail_gen_params),
	KUNIT_CASE(ring_storm),
	{}
};

struct kunit_suite hwpmc_ring_suite = {
	.name		= "hwpmc_ring",
	.test_cases	= ring_cases,
};
