// SPDX-License-Identifier: GPL-2.0-only
/*
 * A model of one x86 CPU's counter registers in memory: see fake_x86.h.
 * Called by the second copies of arch/x86/ (fake_x86_*.c) and by suites hwpmc_x86_*.
 */
#include "../arch/x86/intel_model.h"
#include "fake_x86.h"

/* One failure per test: most of what follows a wrong state is wrong too. */
#define FAKE_EXPECT(condition, fmt, ...)						\
	do {										\
		if (!(condition) && fake_x86.test->status != KUNIT_FAILURE)		\
			KUNIT_FAIL(fake_x86.test, "access %u: " fmt, fake_x86.accesses,	\
				   ##__VA_ARGS__);					\
	} while (0)

/* Fields of an event select register, and the bits that a CPU accepts in it */
#define SEL_INT		BIT_ULL(20)
#define SEL_ANY		BIT_ULL(21)
#define SEL_EN		BIT_ULL(22)
#define SEL_INTEL	0x00000000ffffffffULL
#define SEL_AMD		0x0000030fffd7ffffULL
#define SEL_K8		0x00000300ffd7ffffULL

/* IA32_PERF_GLOBAL_STATUS: CTR_FRZ, and CTR_FRZ with LBR_FRZ */
#define COUNTERS_FROZEN	BIT_ULL(59)
#define FROZEN		(BIT_ULL(58) | COUNTERS_FROZEN)

#define FAKE_NMI	0x400U	/* LVTPC: delivery mode NMI, not masked */

struct fake_x86 fake_x86;

static u64 fake_low_bits(unsigned int width)
{
	return width ? GENMASK_ULL(width - 1, 0) : 0;
}

static bool fake_global(void)
{
	return fake_x86.id.flavour == X86_AMD_V2 ||
	       (fake_x86.id.flavour == X86_INTEL && fake_x86.id.version >= 2);
}

u64 fake_x86_places(void)
{
	return fake_x86.id.programmable | fake_x86.id.fixed << FAKE_FIXED;
}

unsigned int fake_x86_width(unsigned int place)
{
	return place < FAKE_FIXED ? fake_x86.id.width : fake_x86.id.fixed_width;
}

unsigned int fake_x86_min_period(void)
{
	return fake_x86.id.cores & (INTEL_NHM | INTEL_HSW) ? 32 : 2;
}

static u64 fake_fixed_bits(u64 ctl, unsigned int place)
{
	return ctl >> 4 * (place - FAKE_FIXED) & 0xf;
}

bool fake_x86_runs(unsigned int place)
{
	if (fake_global() && (!(fake_x86.global_ctl & BIT_ULL(place)) ||
			      (fake_x86.status & COUNTERS_FROZEN)))
		return false;
	if (place < FAKE_FIXED)
		return fake_x86.select[place] & SEL_EN;
	return fake_fixed_bits(fake_x86.fixed_ctl, place) & 3;
}

static bool fake_interrupts(unsigned int place)
{
	if (place < FAKE_FIXED)
		return fake_x86.select[place] & SEL_INT;
	return fake_fixed_bits(fake_x86.fixed_ctl, place) & 8;
}

/* SDM volume 3: "Streamlined Freeze_PerfMon_On_PMI" from version 4 on, the legacy one before. */
static void fake_freeze(void)
{
	if (!fake_x86.freeze_on_pmi)
		return;
	if (fake_x86.id.version >= 4)
		fake_x86.status |= COUNTERS_FROZEN;
	else
		fake_x86.global_ctl = 0;
}

static void fake_overflow(unsigned int place)
{
	if (fake_global())
		fake_x86.status |= BIT_ULL(place);
	if (!fake_interrupts(place))
		return;
	fake_freeze();
	if (fake_x86.masked) {
		/* The handler of a pending NMI finds this flag too. */
		fake_x86.lost_nmi |= !fake_x86.pending;
		return;
	}
	fake_x86.pending = true;
	/* On Intel's CPUs the local APIC masks LVTPC when it delivers the interrupt. */
	fake_x86.masked = fake_x86.id.flavour == X86_INTEL;
}

/* Calls the test's NMI handler; no NMI is delivered while one is handled. */
static void fake_deliver_nmi(void)
{
	void (*nmi)(void) = fake_x86.nmi;

	if (!nmi || !fake_x86.pending || fake_x86.accesses < fake_x86.nmi_at)
		return;
	fake_x86.pending = false;
	fake_x86.nmi = NULL;
	nmi();
	fake_x86.nmi = nmi;
}

/* The running counters. Call it before one of them overflows, which may stop the others. */
static u64 fake_running(void)
{
	u64 running = 0, left;

	for (left = fake_x86_places(); left; left &= left - 1)
		if (fake_x86_runs(__ffs64(left)))
			running |= left & -left;
	return running;
}

static void fake_tick(void)
{
	u64 events = fake_x86.step, left;
	unsigned int place;

	if (++fake_x86.accesses == fake_x86.jump_at)
		events += fake_x86.jump;
	for (left = fake_running(); left; left &= left - 1) {
		u64 mask;

		place = __ffs64(left);
		mask = fake_low_bits(fake_x86_width(place));
		if (events > mask - fake_x86.counter[place])
			fake_overflow(place);
		fake_x86.counter[place] = (fake_x86.counter[place] + events) & mask;
		/* Not an event of a row: the Nehalem workaround runs counters without interrupt. */
		if (!fake_interrupts(place))
			continue;
		fake_x86.total[place] += events;
	}
	if (!fake_x86.nmi_late)
		fake_deliver_nmi();
}

void fake_x86_idle(void)
{
	fake_tick();
}

void fake_x86_advance(u64 events)
{
	fake_x86.jump_at = fake_x86.accesses + 1;
	fake_x86.jump = events;
	fake_tick();
}

void fake_x86_reset(struct kunit *test, const struct x86_id *id)
{
	struct x86_msr_map layout;

	memset(&fake_x86, 0, sizeof(fake_x86));
	fake_x86.test = test;
	fake_x86.id = *id;
	/* The value at reset. */
	fake_x86.global_ctl = id->programmable;
	x86_msr_map_init(&layout, id);
	fake_x86_counter_init(&layout);
}

static int fake_fault(u32 msr, u64 value)
{
	FAKE_EXPECT(msr == fake_x86.refused_msr, "#GP: register %x refuses %llx", msr, value);
	return -EIO;
}

u64 fake_x86_rdpmc(u32 index)
{
	unsigned int place = index & BIT(30) ? (index & ~BIT(30)) + FAKE_FIXED : index;

	fake_tick();
	FAKE_EXPECT(place < FAKE_PLACES && (fake_x86_places() & BIT_ULL(place)),
		    "#GP: no counter %x", index);
	if (place >= FAKE_PLACES)
		return 0;
	fake_x86.at_read[place] = fake_x86.total[place];
	return fake_x86.counter[place];
}

u64 fake_x86_read(u32 msr)
{
	bool amd = fake_x86.id.flavour == X86_AMD_V2;

	fake_tick();
	FAKE_EXPECT(fake_global(), "#GP: no register %x", msr);
	if (msr == (amd ? 0xc0000300 : 0x38e))
		return fake_x86.status;
	FAKE_EXPECT(msr == (amd ? 0xc0000301 : 0x38f), "unexpected read of register %x", msr);
	return fake_x86.global_ctl;
}

static int fake_write_counter(unsigned int place, u32 msr, u64 value, bool wide)
{
	u64 mask = fake_low_bits(fake_x86_width(place));

	if (!(fake_x86_places() & BIT_ULL(place)) || (value & ~mask))
		return fake_fault(msr, value);
	FAKE_EXPECT(!fake_x86_runs(place), "counter %u is written while it runs", place);
	if (!wide)
		value = (u64)(s64)(s32)value & mask;
	fake_x86.counter[place] = value;
	fake_x86.at_read[place] = fake_x86.total[place];
	fake_x86.counter_written |= BIT_ULL(place);
	return 0;
}

/* The events that the workaround runs before a new event on Nehalem and Westmere */
static const u32 fake_workaround_events[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };

static bool fake_nehalem(void)
{
	return fake_x86.id.cores & (INTEL_NHM | INTEL_WSM);
}

static bool fake_workaround_selected(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fake_workaround_events); i++)
		if (fake_x86.select[i] != fake_workaround_events[i] || fake_x86.counter[i])
			return false;
	return fake_nehalem();
}

/* On these cores a new event needs the workaround first, and no counter may run yet. */
static void fake_new_event(unsigned int place)
{
	u16 event = fake_x86.select[place];

	FAKE_EXPECT(!fake_nehalem() || event == fake_x86.last[place] ||
		    (fake_x86.workaround_done && !fake_x86.global_ctl),
		    "counter %u starts event %x without the workaround", place, event);
	fake_x86.last[place] = event;
}

static void fake_expect_startable(unsigned int place)
{
	if (place < FAKE_FIXED)
		fake_new_event(place);
	FAKE_EXPECT(fake_x86.counter_written & BIT_ULL(place),
		    "counter %u starts from an old value", place);
	/* The global register is 0 while an interrupt is handled. */
	FAKE_EXPECT(!fake_global() || !fake_x86.global_ctl ||
		    (fake_x86.global_ctl & BIT_ULL(place)),
		    "counter %u starts, but the global register disables it", place);
	FAKE_EXPECT(fake_interrupts(place), "counter %u starts without its interrupt", place);
}

static int fake_write_select(unsigned int place, u32 msr, u64 value)
{
	bool amd = fake_x86.id.flavour != X86_INTEL;
	u64 old, valid = amd ? SEL_AMD : SEL_INTEL;

	if (amd && fake_x86.id.family < 0x10)
		valid = SEL_K8;
	if (!amd && !fake_x86.id.any)
		valid &= ~SEL_ANY;
	if (!(fake_x86_places() & BIT_ULL(place)) || (value & ~valid))
		return fake_fault(msr, value);
	old = fake_x86.select[place];
	FAKE_EXPECT(!fake_x86_runs(place) || !(value & SEL_EN) || old == value,
		    "the selection of counter %u changes while it runs", place);
	fake_x86.select[place] = value;
	if (fake_nehalem() && place < ARRAY_SIZE(fake_workaround_events) &&
	    value == fake_workaround_events[place]) {
		fake_x86.counter_written &= ~BIT_ULL(place);
		return 0;
	}
	if (!(value & SEL_EN))
		fake_x86.counter_written &= ~BIT_ULL(place);
	else if (!(old & SEL_EN))
		fake_expect_startable(place);
	return 0;
}

static int fake_write_fixed_ctl(u64 value)
{
	u64 old = fake_x86.fixed_ctl, left;

	for (left = 0xffff; left; left &= left - 1) {
		unsigned int place = FAKE_FIXED + __ffs64(left);
		u64 bits = fake_fixed_bits(value, place);

		if ((bits && !(fake_x86_places() & BIT_ULL(place))) ||
		    ((bits & 4) && !fake_x86.id.any))
			return fake_fault(0x38d, value);
	}
	fake_x86.fixed_ctl = value;
	for (left = fake_x86.id.fixed; left; left &= left - 1) {
		unsigned int place = FAKE_FIXED + __ffs64(left);
		u64 was = fake_fixed_bits(old, place), is = fake_fixed_bits(value, place);

		FAKE_EXPECT(!(was & 3) || !(is & 3) || was == is,
			    "the selection of counter %u changes while it runs", place);
		if (!(is & 3))
			fake_x86.counter_written &= ~BIT_ULL(place);
		else if (!(was & 3))
			fake_expect_startable(place);
	}
	return 0;
}

static int fake_write_global(u32 msr, u64 value, bool ack)
{
	u64 valid = fake_x86_places();

	if (ack && fake_x86.id.version >= 4)
		valid |= FROZEN;
	if (!fake_global() || (value & ~valid))
		return fake_fault(msr, value);
	if (ack) {
		if (fake_x86.stuck_acks)
			fake_x86.stuck_acks--;
		else
			fake_x86.status &= ~value;
		return 0;
	}
	if (value)
		fake_x86.workaround_done = value == 0xf && fake_workaround_selected();
	fake_x86.global_ctl = value;
	return 0;
}

/* Extra registers: the union of the bits that CPUs accept. */
static int fake_write_extra(u32 msr, u64 value)
{
	u64 valid = msr == 0x3f7 ? 0x7fff1f : 0x3fffffffffULL;

	return value & ~valid ? fake_fault(msr, value) : 0;
}

static int fake_write_intel(u32 msr, u64 value)
{
	if (msr >= 0xc1 && msr < 0xc1 + 32)
		return fake_write_counter(msr - 0xc1, msr, value, false);
	if (msr >= 0x4c1 && msr < 0x4c1 + 32 && fake_x86.id.wide)
		return fake_write_counter(msr - 0x4c1, msr, value, true);
	if (msr >= 0x186 && msr < 0x186 + 32)
		return fake_write_select(msr - 0x186, msr, value);
	if (msr >= 0x309 && msr < 0x309 + 16)
		return fake_write_counter(msr - 0x309 + FAKE_FIXED, msr, value, fake_x86.id.wide);
	switch (msr) {
	case 0x38d:
		return fake_x86.id.fixed ? fake_write_fixed_ctl(value) : fake_fault(msr, value);
	case 0x38f:
		return fake_write_global(msr, value, false);
	case 0x390:
		return fake_write_global(msr, value, true);
	case 0x1a6:
	case 0x1a7:
	case 0x3f7:
		return fake_write_extra(msr, value);
	default:
		return fake_fault(msr, value);
	}
}

static int fake_write_amd(u32 msr, u64 value)
{
	bool k7 = fake_x86.id.flavour == X86_AMD_K7;
	unsigned int place = k7 ? msr & 3 : (msr & 0xf) / 2;

	if (k7 && msr >= 0xc0010000 && msr < 0xc0010004)
		return fake_write_select(place, msr, value);
	if (k7 && msr >= 0xc0010004 && msr < 0xc0010008)
		return fake_write_counter(place, msr, value, true);
	if (!k7 && msr >= 0xc0010200 && msr < 0xc001020c)
		return msr & 1 ? fake_write_counter(place, msr, value, true) :
				 fake_write_select(place, msr, value);
	if (msr == 0xc0000301 || msr == 0xc0000302)
		return fake_write_global(msr, value, msr & 2);
	return fake_fault(msr, value);
}

int fake_x86_write(u32 msr, u64 value)
{
	int status;

	fake_tick();
	if (fake_x86.write_count < FAKE_WRITES)
		fake_x86.writes[fake_x86.write_count++] = (struct fake_write){ msr, value };
	if (msr == fake_x86.refused_msr)
		return -EIO;
	status = fake_x86.id.flavour == X86_INTEL ? fake_write_intel(msr, value) :
						    fake_write_amd(msr, value);
	if (fake_x86.nmi_late)
		fake_deliver_nmi();
	return status;
}

static void fake_write_lvtpc(u32 value)
{
	fake_x86.lvtpc = value;
	fake_x86.masked = value & FAKE_LVT_MASKED;
}

void fake_x86_unmask_pmi(void)
{
	fake_tick();
	FAKE_EXPECT(!fake_global() || !fake_x86.global_ctl,
		    "the interrupt is unmasked after the counters are enabled");
	FAKE_EXPECT(!(fake_x86.status & fake_x86_places()) || fake_x86.stuck_acks,
		    "the interrupt is unmasked with flags %llx set", fake_x86.status);
	fake_write_lvtpc(FAKE_NMI);
}

u32 fake_x86_claim_pmi(void)
{
	u32 before = fake_x86.lvtpc;

	fake_tick();
	fake_write_lvtpc(FAKE_NMI);
	return before;
}

/* An NMI may be delivered before and after the write. */
void fake_x86_restore_pmi(u32 before)
{
	fake_tick();
	fake_write_lvtpc(before);
	fake_tick();
}

void fake_x86_in(enum x86_kind kind, struct hwpmc_slot *slots, u64 rows)
{
	if (kind == X86_FIXED)
		fake_x86_rows_in_fixed(slots, rows);
	else
		fake_x86_rows_in_programmable(slots, rows);
}

void fake_x86_fold(enum x86_kind kind, struct hwpmc_slot *slots, u64 rows)
{
	if (kind == X86_FIXED)
		fake_x86_rows_fold_fixed(slots, rows);
	else
		fake_x86_rows_fold_programmable(slots, rows);
}

static void fake_x86_end(u64 begun)
{
	fake_x86.ended++;
}

void fake_x86_set_overflow(hwpmc_overflow_fn overflow, const struct hwpmc_class *const *classes)
{
	const struct hwpmc_overflow_ops ops = { .overflow = overflow, .end = fake_x86_end };

	fake_x86_pmi_init(&ops, classes);
}

int fake_x86_handle_nmi(void)
{
	return fake_x86_pmi_handle(0, NULL);
}

void fake_x86_wrapped(enum x86_kind kind, struct hwpmc_slot *slots, u64 rows)
{
	if (kind == X86_FIXED)
		fake_x86_rows_overflowed_fixed(slots, rows);
	else
		fake_x86_rows_overflowed_programmable(slots, rows);
}
