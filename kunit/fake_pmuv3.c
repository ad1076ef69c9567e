// SPDX-License-Identifier: GPL-2.0-only
/*
 * A model of one CPU's PMUv3 registers in memory: see fake_pmuv3.h.
 * Called by the second copy of pmuv3_rows.c (fake_pmuv3_rows.c) and by suites hwpmc_pmuv3_*.
 */
#include "fake_pmuv3.h"

/* One failure per test: most of what follows a wrong state is wrong too. */
#define FAKE_EXPECT(condition, fmt, ...)						\
	do {										\
		if (!(condition) && fake_pmuv3.test->status != KUNIT_FAILURE)		\
			KUNIT_FAIL(fake_pmuv3.test, "access %u: " fmt,			\
				   fake_pmuv3.accesses, ##__VA_ARGS__);			\
	} while (0)

/* More accesses than any test needs: a loop that polls the flags ends with a failure. */
#define FAKE_MAX_ACCESSES	200000

struct fake_pmuv3 fake_pmuv3;

void fake_reset(struct kunit *test, bool wide)
{
	fake_pmuv3 = (struct fake_pmuv3){ .test = test, .wide = wide };
}

static bool fake_runs(unsigned int place)
{
	return (fake_pmuv3.pmcr & FAKE_PMCR_E) && (fake_pmuv3.enabled & BIT(place));
}

/* Mask of the counter's bits, or if @flag of those whose carry sets the overflow flag. */
static u64 fake_mask(unsigned int place, bool flag)
{
	bool wide = place == FAKE_CYCLES || fake_pmuv3.wide;
	u64 longer = place == FAKE_CYCLES ? FAKE_PMCR_LC : FAKE_PMCR_LP;

	return wide && (!flag || (fake_pmuv3.pmcr & longer)) ? U64_MAX : U32_MAX;
}

static void fake_count(unsigned int place, u64 events)
{
	u64 *counter = &fake_pmuv3.counter[place];
	u64 carry = fake_mask(place, true);

	if (events > carry - (*counter & carry)) {
		fake_pmuv3.double_wrap |= fake_pmuv3.flags & BIT(place);
		fake_pmuv3.flags |= BIT(place);
	}
	*counter = (*counter + events) & fake_mask(place, false);
	fake_pmuv3.total[place] += events;
}

static void fake_tick(void)
{
	unsigned int place;
	u64 events = fake_pmuv3.step;

	if (++fake_pmuv3.accesses == fake_pmuv3.jump_at)
		events += fake_pmuv3.jump;
	for (place = 0; place < FAKE_COUNTERS; place++)
		if (fake_runs(place))
			fake_count(place, events);
}

static void fake_trace(void)
{
	unsigned int place = fake_pmuv3.traced;

	if (fake_pmuv3.state_count == ARRAY_SIZE(fake_pmuv3.states))
		return;
	fake_pmuv3.states[fake_pmuv3.state_count++] = (struct fake_state){
		.enabled = fake_runs(place),
		.interrupt = fake_pmuv3.interrupts & BIT(place),
		.flag = fake_pmuv3.flags & BIT(place),
		.typer = fake_pmuv3.typer[place],
		.counter = fake_pmuv3.counter[place],
	};
}

static void fake_mark_unsynced(enum fake_unsynced kind, u32 mask)
{
	fake_pmuv3.unsynced[kind] |= mask;
	fake_pmuv3.writes++;
	fake_trace();
}

/* Counters of @mask with a write of @kind that is not synchronised yet. */
static u32 fake_pending(enum fake_unsynced kind, u32 mask)
{
	return fake_pmuv3.unsynced[kind] & mask;
}

void fake_isb(void)
{
	fake_tick();
	memset(fake_pmuv3.unsynced, 0, sizeof(fake_pmuv3.unsynced));
	fake_pmuv3.pmcr_unsynced = false;
	fake_pmuv3.counters_read = false;
	fake_pmuv3.isbs++;
	fake_trace();
}

u64 fake_read_counter(unsigned int place)
{
	fake_tick();
	FAKE_EXPECT(!fake_pending(FAKE_FLAG, BIT(place)),
		    "counter %u is read before the clear of its flag is synchronised", place);
	FAKE_EXPECT(!fake_pending(FAKE_COUNTER, BIT(place)),
		    "counter %u is read before the write of its value is synchronised", place);
	fake_pmuv3.counters_read = true;
	fake_pmuv3.at_read[place] = fake_pmuv3.total[place];
	fake_trace();
	return fake_pmuv3.counter[place];
}

u64 fake_read_flags(void)
{
	fake_tick();
	FAKE_EXPECT(!fake_pmuv3.counters_read,
		    "the flags are read without an ISB after the counters");
	/* A loop that waits for them to be clear must end. */
	FAKE_EXPECT(fake_pmuv3.accesses < FAKE_MAX_ACCESSES, "the flags are polled without end");
	if (fake_pmuv3.test->status == KUNIT_FAILURE)
		return 0;
	fake_trace();
	return fake_pmuv3.flags;
}

/* A counter's selection or value may change only while it is stopped. */
static void fake_expect_stopped(unsigned int place, const char *what)
{
	FAKE_EXPECT(!(fake_pmuv3.enabled & BIT(place)),
		    "the %s of counter %u changes while it runs", what, place);
	FAKE_EXPECT(!fake_pending(FAKE_ENABLE, BIT(place)),
		    "the %s of counter %u changes before its stop is synchronised", what, place);
}

void fake_write_typer(unsigned int place, u64 value)
{
	fake_tick();
	fake_expect_stopped(place, "selection");
	fake_pmuv3.typer[place] = value;
	fake_mark_unsynced(FAKE_TYPER, BIT(place));
}

void fake_set_counter(unsigned int place, u64 value)
{
	fake_tick();
	FAKE_EXPECT(!(value & ~fake_mask(place, false)), "%llx is too wide for counter %u", value,
		    place);
	fake_pmuv3.counter[place] = value & fake_mask(place, false);
	fake_pmuv3.programmed |= BIT(place);
	fake_mark_unsynced(FAKE_COUNTER, BIT(place));
}

void fake_write_counter(unsigned int place, u64 value)
{
	fake_expect_stopped(place, "value");
	fake_set_counter(place, value);
}

static void fake_expect_startable(u32 mask)
{
	FAKE_EXPECT(!(mask & ~fake_pmuv3.programmed), "counters %x start without a new value",
		    mask & ~fake_pmuv3.programmed);
	FAKE_EXPECT(!(mask & fake_pmuv3.flags), "counters %x start with an old flag set",
		    mask & fake_pmuv3.flags);
	FAKE_EXPECT(!fake_pending(FAKE_TYPER, mask),
		    "counters %x may start with the old selection", mask);
	FAKE_EXPECT(!fake_pending(FAKE_COUNTER, mask), "counters %x may start from the old value",
		    mask);
	FAKE_EXPECT(!fake_pending(FAKE_FLAG, mask), "counters %x may lose a flag that they set",
		    mask);
	FAKE_EXPECT(!(mask & ~fake_pmuv3.interrupts), "counters %x start without an interrupt",
		    mask & ~fake_pmuv3.interrupts);
	FAKE_EXPECT(!fake_pending(FAKE_INTERRUPT, mask),
		    "counters %x may start without an interrupt", mask);
	FAKE_EXPECT((fake_pmuv3.pmcr & FAKE_PMCR_E) && !fake_pmuv3.pmcr_unsynced,
		    "counters %x start while PMCR.E is 0 or not synchronised", mask);
}

/* The instruction counter is bit 32 of a mask, if the PMU has it; the module only stops it. */
static void fake_write_high(enum fake_unsynced kind, u64 mask, bool on)
{
	FAKE_EXPECT(!(mask >> 32) || (mask >> 32 == 1 && fake_pmuv3.instructions && !on),
		    "the mask %llx has bits that are reserved, or of a counter that is not used",
		    mask);
	if (mask >> 32)
		fake_pmuv3.high[kind] = on;
}

void fake_write_enable(u64 mask, bool on)
{
	fake_tick();
	fake_write_high(FAKE_ENABLE, mask, on);
	if (on) {
		fake_expect_startable(mask & ~fake_pmuv3.enabled);
		fake_pmuv3.enabled |= mask;
	} else {
		fake_pmuv3.enabled &= ~mask;
		fake_pmuv3.programmed &= ~mask;
	}
	fake_mark_unsynced(FAKE_ENABLE, mask);
}

void fake_write_interrupt(u64 mask, bool on)
{
	fake_tick();
	fake_write_high(FAKE_INTERRUPT, mask, on);
	if (on) {
		FAKE_EXPECT(!(mask & fake_pmuv3.flags),
			    "interrupts of counters %x are enabled with an old flag set",
			    mask & fake_pmuv3.flags);
		FAKE_EXPECT(!fake_pending(FAKE_FLAG, mask),
			    "interrupts of counters %x are enabled before the flags are clear",
			    mask);
		fake_pmuv3.interrupts |= mask;
	} else {
		fake_pmuv3.interrupts &= ~mask;
	}
	fake_mark_unsynced(FAKE_INTERRUPT, mask);
}

void fake_clear_flags(u64 mask)
{
	fake_tick();
	fake_write_high(FAKE_FLAG, mask, false);
	FAKE_EXPECT(!fake_pending(FAKE_ENABLE, mask & ~fake_pmuv3.enabled),
		    "counters %x may set their flag again: their stop is not synchronised", mask);
	fake_pmuv3.flags &= ~mask;
	fake_mark_unsynced(FAKE_FLAG, mask);
}

void fake_write_pmcr(u64 value)
{
	unsigned int place;

	fake_tick();
	FAKE_EXPECT(!fake_pmuv3.enabled && !fake_pending(FAKE_ENABLE, ~0U),
		    "PMCR changes while counters %x may run", fake_pmuv3.enabled);
	FAKE_EXPECT(value & FAKE_PMCR_LC, "the cycle counter overflows at 32 bits");
	for (place = 0; place < FAKE_COUNTERS; place++)
		if (value & (place == FAKE_CYCLES ? FAKE_PMCR_C : FAKE_PMCR_P))
			fake_pmuv3.counter[place] = 0;
	/* P and C read as zero. */
	fake_pmuv3.pmcr = value & ~(u64)(FAKE_PMCR_P | FAKE_PMCR_C);
	fake_pmuv3.pmcr_unsynced = true;
	fake_pmuv3.writes++;
	fake_trace();
}

void fake_write_userenr(u64 value)
{
	fake_tick();
	fake_pmuv3.userenr = value;
	fake_pmuv3.writes++;
	fake_trace();
}
