// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_records: the bytes of each record in a ring (kmod/log/record.c, kmod/pmc/emit.c,
 * sample.c). Run by kunit/run.c in KUnit's thread.
 */
#include <linux/align.h>
#include <linux/audit.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../arch/hwpmc_arch.h"
#include "../kmod/base/machine.h"
#include "../kmod/base/owner.h"
#include "../kmod/log/log.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/fire.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/pmc/row.h"
#include "../kmod/pmc/sample.h"
#include "../kmod/pmc/sampler.h"
#include "fixture.h"
#include "records.h"

#define RECORDS_EVENTS	0x123456789a	/* that a sample stands for */
#define RECORDS_RING	65536	/* bytes; holds a PROCESS record of every process */

struct records *records_of(struct kunit *test)
{
	static struct records it;

	return test->priv ? &it : NULL;
}

static int records_create_rings(struct hwpmc_owner *owner)
{
	int cpu, err;

	mutex_lock(&owner->lock);
	err = hwpmc_buffer_create(owner, RECORDS_RING, 0, HWPMC_READER_KERNEL);
	mutex_unlock(&owner->lock);
	/* Fill the ring, as earlier records do: every byte of a new record must be written. */
	for_each_possible_cpu(cpu)
		if (!err)
			memset(owner->rings->buffers[cpu]->ring.data, 0xa5, owner->rings->size);
	return err;
}

int records_init(struct kunit *test)
{
	struct records *it;
	int err = fixture_init(test);

	if (err)
		return err;
	it = records_of(test);
	memset(it, 0, sizeof(*it));
	it->owner = ((struct fixture *)test->priv)->owners[0];
	it->pmc.owner = it->owner;
	it->pmc.id = RECORDS_ID;
	it->pmc.class = &hwpmc_mock_class;
	it->pmc.mode = HWPMC_MODE_TS;
	it->pmc.caps = HWPMC_CAP_USER;
	it->pmc.sampled = alloc_percpu(struct hwpmc_sampler_cpu);
	it->link.pmc = &it->pmc;
	it->link.period = 0x1122334455667788;
	it->before = ktime_get_mono_fast_ns();
	return it->pmc.sampled ? records_create_rings(it->owner) : -ENOMEM;
}

void records_exit(struct kunit *test)
{
	struct records *it = records_of(test);

	if (!it)
		return;
	hwpmc_owner_count_sampler(it->owner, -(int)it->owner->system_samplers);
	free_percpu(it->pmc.sampled);
	fixture_exit(test);
}

u32 records_next(struct kunit *test, u8 *to)
{
	struct records *it = records_of(test);
	int cpu;

	memset(to, 0xee, RECORDS_MAX_LENGTH);
	for_each_possible_cpu(cpu) {
		struct hwpmc_buffer *buffer = it->owner->rings->buffers[cpu];
		u64 size;
		const struct hwpmc_log_header *h = hwpmc_reader_next(buffer, U64_MAX, &size);
		u32 length;

		if (!h)
			continue;
		length = h->length;
		KUNIT_EXPECT_EQ(test, (u32)cpu, h->cpu);
		KUNIT_EXPECT_LE(test, length, size);
		memcpy(to, h, min_t(u32, length, RECORDS_MAX_LENGTH));
		hwpmc_reader_done(buffer, length);
		return length;
	}
	return 0;
}

static void records_put_field(u8 *want, const struct records_field *field)
{
	if (field->size)
		memcpy(want + field->at, &field->value, field->size);
	else
		strcpy(want + field->at, field->text);
}

void records_check(struct kunit *test, const u8 *got, u32 length, u16 type, u16 flags, u32 id,
		   const struct records_field *fields, unsigned int count)
{
	u8 *want = kunit_kzalloc(test, RECORDS_MAX_LENGTH, GFP_KERNEL);
	const struct records_field head[] = {
		{ 0, 2, type }, { 2, 2, flags }, { 4, 4, length }, { 20, 4, id },
	};
	unsigned int i, wrong = 0;
	u64 time;

	KUNIT_ASSERT_NOT_NULL(test, want);
	for (i = 0; i < ARRAY_SIZE(head); i++)
		records_put_field(want, &head[i]);
	for (i = 0; i < count; i++)
		records_put_field(want, &fields[i]);
	/* The time is checked below, the CPU in records_next(). */
	memcpy(&time, got + 8, sizeof(time));
	memcpy(want + 8, got + 8, 12);
	KUNIT_EXPECT_GE(test, time, records_of(test)->before);
	KUNIT_EXPECT_LE(test, time, ktime_get_mono_fast_ns());
	for (i = 0; i < length && !wrong; i++) {
		wrong = want[i] != got[i];
		KUNIT_EXPECT_EQ_MSG(test, want[i], got[i], "byte %u of a record of type %u", i,
				    type);
	}
}

static void records_initialize_bytes(struct kunit *test)
{
	struct hwpmc_log_initialize record;
	u64 now = ktime_get_mono_fast_ns(), realtime = ktime_get_real_ns();
	const struct records_field fields[] = {
		{ 24, 8, 0x474f4c434d505748 }, { 32, 4, 0x20000 }, { 36, 4, nr_cpu_ids },
		{ 40, 8, hwpmc_machine->cpuid }, { 56, 4, HWPMC_AUDIT_ARCH },
	};

	memset(&record, 0xee, sizeof(record));
	hwpmc_record_initialize(&record, now);
	/* The clocks are read one after the other, so they differ a little. */
	KUNIT_EXPECT_LE(test, abs((s64)(record.realtime - realtime)), (s64)NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, now, record.h.time);
	KUNIT_EXPECT_PTR_EQ(test, (void *)&record + 48, (void *)&record.realtime);
	record.realtime = 0;
	record.h.cpu = 0;
	KUNIT_EXPECT_EQ(test, (size_t)64, sizeof(record));
	records_check(test, (void *)&record, 64, 1, 0, 0, fields, ARRAY_SIZE(fields));
}

static void records_allocate_bytes(struct kunit *test)
{
	struct hwpmc_pmc *pmc = &records_of(test)->pmc;

	pmc->flags = HWPMC_F_DESCENDANTS;
	pmc->caps |= BIT_ULL(40);
	pmc->event = 0x1234567890abcdef;
	/* SET_COUNT changed the count; the record has that of ALLOCATE. */
	pmc->first_count = 0xfedcba0987654321;
	pmc->count = 1;
	pmc->cpu = -1;
	pmc->row = 9;
	hwpmc_emit_allocate(pmc);
	RECORDS_EXPECT(test, 72, 3, 0, RECORDS_ID,
		       { 24, 4, HWPMC_CLASS_MOCK }, { 28, 4, HWPMC_MODE_TS },
		       { 32, 4, HWPMC_F_DESCENDANTS }, { 36, 4, -1 },
		       { 40, 8, BIT_ULL(40) | HWPMC_CAP_USER }, { 48, 8, 0x1234567890abcdef },
		       { 56, 8, 0xfedcba0987654321 }, { 64, 4, 9 });
}

static void records_attach_and_detach_bytes(struct kunit *test)
{
	struct hwpmc_pmc *pmc = &records_of(test)->pmc;
	u32 pid = task_tgid_nr(current), tid = task_pid_nr(current);

	hwpmc_emit_attach(pmc, task_pid(current), false, HWPMC_LOG_ATTACH);
	RECORDS_EXPECT(test, 32, 4, 0, RECORDS_ID, { 24, 4, pid });
	hwpmc_emit_attach(pmc, task_pid(current), true, HWPMC_LOG_DETACH);
	RECORDS_EXPECT(test, 32, 5, 0, RECORDS_ID, { 24, 4, pid }, { 28, 4, tid });
}

/* Takes a sample as the overflow interrupt does, for RECORDS_EVENTS events. */
static void records_take_sample(struct kunit *test, struct pt_regs *regs, bool late)
{
	unsigned long flags;

	local_irq_save(flags);
	hwpmc_defer_begin();
	hwpmc_sample_take_nmi(&records_of(test)->link, RECORDS_EVENTS, regs, late,
			      ktime_get_mono_fast_ns());
	hwpmc_defer_end();
	local_irq_restore(flags);
}

/* Registers of user mode; the value of each is its DWARF number plus 1. */
static void records_user_regs(struct pt_regs *regs)
{
	memset(regs, 0, sizeof(*regs));
#ifdef CONFIG_X86
	*regs = (struct pt_regs) {
		.ax = 1, .dx = 2, .cx = 3, .bx = 4, .si = 5, .di = 6, .bp = 7, .sp = 8,
		.r8 = 9, .r9 = 10, .r10 = 11, .r11 = 12, .r12 = 13, .r13 = 14, .r14 = 15,
		.r15 = 16, .ip = 17, .cs = __USER_CS,
	};
#else
	for (unsigned int i = 0; i < 31; i++)
		regs->regs[i] = i + 1;
	regs->sp = 32;
	regs->pc = 33;
#endif
}

static void records_sample_bytes(struct kunit *test)
{
	u32 pid = task_tgid_nr(current), tid = task_pid_nr(current);
	struct pt_regs regs;

	records_user_regs(&regs);
	records_take_sample(test, &regs, false);
	RECORDS_EXPECT(test, 48, 6, HWPMC_SAMPLE_USER, RECORDS_ID,
		       { 24, 4, pid }, { 28, 4, tid }, { 32, 8, HWPMC_ARCH_REGS },
		       { 40, 8, RECORDS_EVENTS });
	/* Later samples take a shorter path, since sampler->plain is set now. */
	records_take_sample(test, &regs, false);
	RECORDS_EXPECT(test, 48, 6, HWPMC_SAMPLE_USER, RECORDS_ID,
		       { 24, 4, pid }, { 28, 4, tid }, { 32, 8, HWPMC_ARCH_REGS },
		       { 40, 8, RECORDS_EVENTS });
	/* A sample in kernel mode of a PMC that counts user mode only has no program counter. */
	records_take_sample(test, NULL, false);
	RECORDS_EXPECT(test, 48, 6, 0, RECORDS_ID,
		       { 24, 4, pid }, { 28, 4, tid }, { 40, 8, RECORDS_EVENTS });
	records_take_sample(test, NULL, true);
	RECORDS_EXPECT(test, 48, 6, HWPMC_SAMPLE_LATE, RECORDS_ID,
		       { 24, 4, pid }, { 28, 4, tid }, { 40, 8, RECORDS_EVENTS });
}

/* A sample omits its period if the ALLOCATE record has the same, also after SET_COUNT. */
static void records_sample_without_period_bytes(struct kunit *test)
{
	u32 pid = task_tgid_nr(current), tid = task_pid_nr(current);
	struct hwpmc_pmc *pmc = &records_of(test)->pmc;
	struct pt_regs regs;

	pmc->first_count = RECORDS_EVENTS;
	pmc->count = 1;
	records_user_regs(&regs);
	records_take_sample(test, &regs, false);
	RECORDS_EXPECT(test, 40, 6, HWPMC_SAMPLE_USER, RECORDS_ID,
		       { 24, 4, pid }, { 28, 4, tid }, { 32, 8, HWPMC_ARCH_REGS });
	pmc->first_count = 1;
	pmc->count = RECORDS_EVENTS;
	records_take_sample(test, &regs, false);
	RECORDS_EXPECT(test, 48, 6, HWPMC_SAMPLE_USER, RECORDS_ID,
		       { 24, 4, pid }, { 28, 4, tid }, { 32, 8, HWPMC_ARCH_REGS },
		       { 40, 8, RECORDS_EVENTS });
}

/* After the sample head: the registers, then the room for the stack, of which 0 bytes are used. */
static void records_sample_with_stack_bytes(struct kunit *test)
{
	struct records_field fields[8 + HWPMC_ARCH_REGS] = {
		{ 24, 4, task_tgid_nr(current) }, { 28, 4, task_pid_nr(current) },
		{ 32, 8, HWPMC_ARCH_REGS }, { 40, 8, RECORDS_EVENTS },
		{ 54, 2, 64 }, { 56, 2, HWPMC_ARCH_REGS }, { 58, 2, 64 + 8 * HWPMC_ARCH_REGS },
	};
	u32 length = 64 + 8 * HWPMC_ARCH_REGS + 128, n = 7, i;
	u8 *got = kunit_kzalloc(test, RECORDS_MAX_LENGTH, GFP_KERNEL);
	struct pt_regs regs;

	KUNIT_ASSERT_NOT_NULL(test, got);
	for (i = 0; i < HWPMC_ARCH_REGS; i++)
		fields[n++] = (struct records_field){ 64 + 8 * i, 8, i + 1 };
	records_of(test)->pmc.user_stack = 128;
	records_user_regs(&regs);
	records_take_sample(test, &regs, false);
	KUNIT_ASSERT_EQ(test, length, records_next(test, got));
	records_check(test, got, length, 6, HWPMC_SAMPLE_USER, RECORDS_ID, fields, n);
}

/* The length of the chain depends on the kernel; the record's fields must be consistent. */
static void records_sample_with_chain_consistent(struct kunit *test)
{
	struct records *it = records_of(test);
	u8 *got = kunit_kzalloc(test, RECORDS_MAX_LENGTH, GFP_KERNEL);
	u16 frames[4];
	u32 length, i;
	u64 at;

	KUNIT_ASSERT_NOT_NULL(test, got);
	it->pmc.flags = HWPMC_F_CALLCHAIN;
	it->pmc.caps = HWPMC_CAP_SYSTEM;
	records_take_sample(test, NULL, false);
	length = records_next(test, got);
	/* Offset of the chain, frames in kernel and user mode, offset of the registers. */
	memcpy(frames, got + 48, sizeof(frames));
	KUNIT_EXPECT_EQ(test, 64, frames[0]);
	KUNIT_EXPECT_GT(test, frames[1], 1);
	KUNIT_EXPECT_EQ(test, 0, frames[2]);
	KUNIT_EXPECT_EQ(test, 0, frames[3]);
	KUNIT_ASSERT_EQ(test, 64U + 8 * frames[1], length);
	/* The program counter, and the chain. */
	for (i = 32; i < length; i = i == 32 ? 64 : i + 8) {
		memcpy(&at, got + i, sizeof(at));
		KUNIT_EXPECT_LT_MSG(test, (s64)at, 0LL, "%#llx is no address of the kernel", at);
	}
}

static void records_throttle_bytes(struct kunit *test)
{
	struct hwpmc_link *link = &records_of(test)->link;
	unsigned int on;

	for (on = 0; on < 2; on++) {
		unsigned long flags;

		local_irq_save(flags);
		hwpmc_defer_begin();
		hwpmc_sampler_throttle_nmi(link, on, ktime_get_mono_fast_ns());
		hwpmc_defer_end();
		local_irq_restore(flags);
		RECORDS_EXPECT(test, 32, 8, on, RECORDS_ID, { 24, 8, 0x1122334455667788 });
	}
}

static void records_drop_bytes(struct kunit *test)
{
	struct hwpmc_loss loss = { .count = 3, .first = 0x1111111111, .last = 0x2222222222,
				   .events = 0x3333333333, .throttled = 2 };
	struct hwpmc_owner *owner = records_of(test)->owner;
	struct hwpmc_buffer *buffer;
	unsigned long flags;
	u64 reported, lost;
	bool logged;

	local_irq_save(flags);
	hwpmc_defer_begin();
	buffer = owner->rings->buffers[smp_processor_id()];
	reported = buffer->ring.header->reported;
	lost = buffer->ring.header->lost;
	logged = hwpmc_record_drop_nmi(buffer, RECORDS_ID, &loss, ktime_get_mono_fast_ns());
	hwpmc_defer_end();
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, logged);
	KUNIT_EXPECT_EQ(test, reported + 3, READ_ONCE(buffer->ring.header->reported));
	/* Throttled samples count as lost when they are reported; others when they are lost. */
	KUNIT_EXPECT_EQ(test, lost + 2, READ_ONCE(buffer->ring.header->lost));
	KUNIT_EXPECT_EQ(test, 0ULL,
			loss.count | loss.first | loss.last | loss.events | loss.throttled);
	RECORDS_EXPECT(test, 64, 7, 0, RECORDS_ID, { 24, 8, 3 }, { 32, 8, 0x1111111111 },
		       { 40, 8, 0x2222222222 }, { 48, 8, 0x3333333333 },
		       { 56, 8, 2 });
}

/* A DROP record is written before the sample that follows the loss, with the same time. */
static void records_drop_before_sample(struct kunit *test)
{
	struct records *it = records_of(test);
	struct hwpmc_log_header *got = kunit_kzalloc(test, RECORDS_MAX_LENGTH, GFP_KERNEL);
	unsigned long flags;

	KUNIT_ASSERT_NOT_NULL(test, got);
	local_irq_save(flags);
	hwpmc_defer_begin();
	this_cpu_ptr(it->pmc.sampled)->loss.count = 1;
	hwpmc_sample_take_nmi(&it->link, 1, NULL, true, 0x1234);
	hwpmc_defer_end();
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, sizeof(struct hwpmc_log_drop), records_next(test, (void *)got));
	KUNIT_EXPECT_EQ(test, HWPMC_LOG_DROP, got->type);
	KUNIT_EXPECT_EQ(test, 0x1234ULL, got->time);
	KUNIT_EXPECT_EQ(test, 48U, records_next(test, (void *)got));
	KUNIT_EXPECT_EQ(test, HWPMC_LOG_SAMPLE, got->type);
	KUNIT_EXPECT_EQ(test, 0x1234ULL, got->time);
}

/*
 * Throttled samples are only counted until a DROP record reports them. It is written before the
 * record of the next event, even if throttling has not ended, as after STOP and START.
 */
static void records_drop_before_probe(struct kunit *test)
{
	const struct hwpmc_fired fired = {};
	struct records *it = records_of(test);
	struct hwpmc_log_drop *got = kunit_kzalloc(test, RECORDS_MAX_LENGTH, GFP_KERNEL);
	struct hwpmc_sampler_cpu *sampler;
	unsigned long flags;

	KUNIT_ASSERT_NOT_NULL(test, got);
	local_irq_save(flags);
	hwpmc_defer_begin();
	sampler = this_cpu_ptr(it->pmc.sampled);
	sampler->throttled_since = 0x1000;
	hwpmc_sampler_count_throttled(sampler, 5);
	hwpmc_sampler_count_throttled(sampler, 5);
	hwpmc_sample_probe(&it->link, &fired, 0x1234);
	hwpmc_defer_end();
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, sizeof(*got), records_next(test, (void *)got));
	KUNIT_EXPECT_EQ(test, HWPMC_LOG_DROP, got->h.type);
	KUNIT_EXPECT_EQ(test, 0x1000ULL, got->first);
	KUNIT_EXPECT_EQ(test, 10ULL, got->events);
	KUNIT_EXPECT_EQ(test, sizeof(struct hwpmc_log_probe), records_next(test, (void *)got));
	KUNIT_EXPECT_EQ(test, HWPMC_LOG_PROBE, got->h.type);
	KUNIT_EXPECT_EQ(test, 0x1234ULL, got->h.time);
}

static void records_switch_and_value_bytes(struct kunit *test)
{
	struct hwpmc_link *link = &records_of(test)->link;
	u32 pid = task_tgid_nr(current), tid = task_pid_nr(current);

	hwpmc_emit_value(link, 0x8877665544332211, HWPMC_LOG_SWITCH);
	RECORDS_EXPECT(test, 40, 9, 0, RECORDS_ID, { 24, 4, pid }, { 28, 4, tid },
		       { 32, 8, 0x8877665544332211 });
	hwpmc_emit_value(link, 1, HWPMC_LOG_VALUE);
	RECORDS_EXPECT(test, 40, 10, 0, RECORDS_ID, { 24, 4, pid }, { 28, 4, tid }, { 32, 8, 1 });
}

static void records_user_bytes(struct kunit *test)
{
	struct hwpmc_owner *owner = records_of(test)->owner;

	KUNIT_EXPECT_EQ(test, 0, hwpmc_record_user(owner, 0xabcdef01, NULL, 0));
	RECORDS_EXPECT(test, 40, 18, 0, 0, { 24, 4, 0xabcdef01 });
	/* 7 characters and the NUL; the text beyond the length is not logged. */
	KUNIT_EXPECT_EQ(test, 0, hwpmc_record_user(owner, 2, "7 chars and more", 7));
	RECORDS_EXPECT(test, 40, 18, 0, 0, { 24, 4, 2 }, { 28, 4, 32 }, { 32, 0, 0, "7 chars" });
	KUNIT_EXPECT_EQ(test, 0, hwpmc_record_user(owner, 2, "8 chars!", 8));
	RECORDS_EXPECT(test, 48, 18, 0, 0, { 24, 4, 2 }, { 28, 4, 32 }, { 32, 0, 0, "8 chars!" });
}

static struct kunit_case records_cases[] = {
	KUNIT_CASE(records_initialize_bytes),
	KUNIT_CASE(records_allocate_bytes),
	KUNIT_CASE(records_attach_and_detach_bytes),
	KUNIT_CASE(records_sample_bytes),
	KUNIT_CASE(records_sample_without_period_bytes),
	KUNIT_CASE(records_sample_with_stack_bytes),
	KUNIT_CASE(records_sample_with_chain_consistent),
	KUNIT_CASE(records_throttle_bytes),
	KUNIT_CASE(records_drop_bytes),
	KUNIT_CASE(records_drop_before_sample),
	KUNIT_CASE(records_drop_before_probe),
	KUNIT_CASE(records_switch_and_value_bytes),
	KUNIT_CASE(records_user_bytes),
	{}
};

struct kunit_suite hwpmc_records_suite = {
	.name		= "hwpmc_records",
	.init		= records_init,
	.exit		= records_exit,
	.test_cases	= records_cases,
};
