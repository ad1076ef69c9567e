// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_x86_pmi: which NMIs are claimed, and the state of the registers after them
 * (arch/x86/pmi.c). Run by kunit/run.c in KUnit's thread, on fake registers.
 */
#include <kunit/test.h>

#include "fake_x86.h"
#include "fixture.h"

static const struct hwpmc_class pmi_programmable, pmi_fixed;

/*
 * What the overflow handler was called with, and how it behaves: @deferred: it defers the
 * overflow; @fold_too: rows to fold beside those that overflowed.
 */
static struct {
	u64 rows[X86_KINDS];
	unsigned int calls;
	bool deferred;
	u64 fold_too;
	u64 global_ctl;
	struct hwpmc_slot slots[32];
} pmi;

static void pmi_overflow(const struct hwpmc_class *class, u64 rows, struct pt_regs *regs)
{
	enum x86_kind kind = class == &pmi_fixed ? X86_FIXED : X86_PROGRAMMABLE;

	pmi.calls++;
	pmi.rows[kind] |= rows;
	pmi.global_ctl = fake_x86.global_ctl;
	/* Without rows (a latent NMI) the core folds nothing either. */
	if (rows && !pmi.deferred)
		fake_x86_fold(kind, pmi.slots,
			      rows | (kind == X86_PROGRAMMABLE ? pmi.fold_too : 0));
}

static void pmi_begin(struct kunit *test, const char *cpu)
{
	static const struct hwpmc_class *const classes[X86_KINDS] = {
		[X86_PROGRAMMABLE] = &pmi_programmable, [X86_FIXED] = &pmi_fixed,
	};
	struct x86_id id = fake_cpu_id(test, cpu);

	memset(&pmi, 0, sizeof(pmi));
	fake_x86_reset(test, &id);
	/* LVTPC as it is without perf's driver. */
	fake_x86.lvtpc = FAKE_LVT_MASKED;
	fake_x86_rows_up(fake_x86_places());
	fake_x86_set_overflow(pmi_overflow, classes);
	fake_x86_pmi_enable();
}

static void pmi_run(enum x86_kind kind, unsigned int row, u64 value)
{
	const struct x86_counter_setting set = { .select = kind == X86_FIXED ? 0xb : 0x300c0 };

	fake_x86_counter_program(kind, row, &set, value);
	fake_x86_in(kind, pmi.slots, BIT_ULL(row));
}

static int pmi_deliver_nmi(void)
{
	fake_x86.pending = false;
	return fake_x86_handle_nmi();
}

static const char * const pmi_cpus[] = {
	"Core Duo", "Core 2", "Nehalem", "Sapphire Rapids", "K8", "Zen 1", "Zen 4",
};

static void pmi_cpu_name(const char * const *cpu, char *desc)
{
	strscpy(desc, *cpu, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pmi_cpu, pmi_cpus, pmi_cpu_name);

static const char *pmi_cpu(struct kunit *test)
{
	return *(const char * const *)test->param_value;
}

/* Another device's NMI is not claimed, and a deferred overflow is still reported. */
static void pmi_foreign_nmi_not_claimed(struct kunit *test)
{
	unsigned int i;

	pmi_begin(test, pmi_cpu(test));
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, 0U, pmi.calls);
	KUNIT_EXPECT_FALSE(test, fake_x86.masked);
	fake_x86_advance(200);
	KUNIT_EXPECT_TRUE(test, fake_x86.pending);
	KUNIT_EXPECT_EQ(test, 1, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, 1ULL, pmi.rows[X86_PROGRAMMABLE]);
	KUNIT_EXPECT_EQ(test, 200ULL, pmi.slots[0].sum);
}

/* After one overflow one NMI is claimed, and no second. */
static void pmi_one_overflow_one_nmi(struct kunit *test)
{
	pmi_begin(test, pmi_cpu(test));
	pmi_run(X86_PROGRAMMABLE, 1, -100ULL);
	fake_x86_advance(100);
	KUNIT_EXPECT_EQ(test, 1, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, 2ULL, pmi.rows[X86_PROGRAMMABLE]);
	KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, 1U, pmi.calls);
	KUNIT_EXPECT_EQ(test, 1U, fake_x86.ended);
}

/* With several overflows their number is returned; one latent NMI is claimed after them. */
static void pmi_several_overflows_counted(struct kunit *test)
{
	pmi_begin(test, pmi_cpu(test));
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	pmi_run(X86_PROGRAMMABLE, 1, -100ULL);
	fake_x86_advance(100);
	KUNIT_EXPECT_EQ(test, 2, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, 3ULL, pmi.rows[X86_PROGRAMMABLE]);
	KUNIT_EXPECT_EQ(test, 1, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
}

/* If a fold handles an overflow before its NMI, the NMI finds no overflow but is claimed. */
static void pmi_latent_nmi_after_fold(struct kunit *test)
{
	pmi_begin(test, pmi_cpu(test));
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	fake_x86_advance(100);
	fake_x86_fold(X86_PROGRAMMABLE, pmi.slots, 1);
	KUNIT_EXPECT_TRUE(test, fake_x86.pending);
	KUNIT_EXPECT_EQ(test, 1, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, 100ULL, pmi.slots[0].sum);
}

/* The same if the row is programmed, set or cleared while the NMI is pending. */
static void pmi_latent_nmi_after_stop(struct kunit *test)
{
	unsigned int how;

	for (how = 0; how < 3; how++) {
		pmi_begin(test, pmi_cpu(test));
		pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
		fake_x86_advance(100);
		if (how == 0)
			pmi_run(X86_PROGRAMMABLE, 0, 0);
		else if (how == 1)
			fake_x86_set_period(X86_PROGRAMMABLE, pmi.slots, 0, 10000, 0);
		else
			fake_x86_counter_clear(X86_PROGRAMMABLE, 0);
		KUNIT_EXPECT_EQ(test, 1, pmi_deliver_nmi());
		KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
	}
}

/*
 * A second row overflows at any access while the first is handled, and is folded with it: its
 * NMI is claimed, and no other.
 */
static void pmi_overflow_during_handler(struct kunit *test)
{
	unsigned int at, i;

	for (at = 1; at < 30; at++) {
		pmi_begin(test, pmi_cpu(test));
		pmi.fold_too = 3;
		pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
		pmi_run(X86_PROGRAMMABLE, 1, -150ULL);
		fake_x86_advance(100);
		fake_x86.jump_at = fake_x86.accesses + at;
		fake_x86.jump = 50;
		KUNIT_EXPECT_NE(test, 0, pmi_deliver_nmi());
		for (i = 0; i < 3 && fake_x86.pending; i++)
			KUNIT_EXPECT_NE(test, 0, pmi_deliver_nmi());
		KUNIT_EXPECT_FALSE(test, fake_x86.pending);
		fake_x86.jump_at = 0;
		fake_x86_fold(X86_PROGRAMMABLE, pmi.slots, 3);
		KUNIT_EXPECT_EQ(test, fake_x86.total[1], pmi.slots[1].sum);
		fake_x86.now += HZ;
		KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
		if (test->status == KUNIT_FAILURE)
			return;
	}
}

/* A deferred overflow is folded after its NMI, so no latent NMI is expected for it. */
static void pmi_deferred_has_no_latent_nmi(struct kunit *test)
{
	unsigned int round;

	pmi_begin(test, pmi_cpu(test));
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	for (round = 0; round < 10; round++) {
		u64 least = fake_x86_min_period() + 100;

		fake_x86_advance(round ? least : 100);
		pmi.deferred = true;
		KUNIT_EXPECT_EQ(test, 1, pmi_deliver_nmi());
		pmi.deferred = false;
		fake_x86_fold(X86_PROGRAMMABLE, pmi.slots, 1);
		fake_x86_set_period(X86_PROGRAMMABLE, pmi.slots, 0, pmi.slots[0].sum + least, 0);
		KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
	}
	/* An overflow that was folded a second ago leaves no latent NMI that would be claimed. */
	fake_x86_advance(fake_x86_min_period() + 100);
	fake_x86_fold(X86_PROGRAMMABLE, pmi.slots, 1);
	fake_x86.now += HZ;
	/* With status flags the overflow itself is still found. */
	if (!fake_x86.status)
		KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
}

/* A latent NMI is expected for a limited time only. */
static void pmi_latent_nmi_expires(struct kunit *test)
{
	pmi_begin(test, "K8");
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	pmi_run(X86_PROGRAMMABLE, 1, -100ULL);
	fake_x86_advance(100);
	KUNIT_EXPECT_EQ(test, 2, pmi_deliver_nmi());
	fake_x86.now += HZ;
	KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
}

/* After down only the NMI of an overflow that was flagged then is claimed. */
static void pmi_nmi_after_down(struct kunit *test)
{
	pmi_begin(test, "Sapphire Rapids");
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	fake_x86_advance(100);
	fake_x86_rows_down();
	fake_x86_pmi_disable();
	KUNIT_EXPECT_EQ(test, 1, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, 0U, pmi.calls);
}

static void pmi_expect_claimed(void)
{
	KUNIT_EXPECT_NE(fake_x86.test, 0, fake_x86_handle_nmi());
}

static void pmi_down_with_overflow(unsigned int wraps_at, unsigned int nmi_at, bool late)
{
	fake_x86.jump_at = fake_x86.accesses + wraps_at;
	fake_x86.jump = 100;
	fake_x86.nmi_at = fake_x86.accesses + nmi_at;
	fake_x86.nmi_late = late;
	fake_x86.nmi = pmi_expect_claimed;
	/* The core defers overflows during down. */
	pmi.deferred = true;
	fake_x86_rows_down();
	fake_x86_pmi_disable();
	fake_x86.nmi_at = 0;
	fake_x86.nmi_late = false;
	fake_x86_idle();
}

/*
 * An overflow at any access of down, and its NMI at the same access, a later one, or after down:
 * the NMI is claimed, no counter runs, and LVTPC is restored.
 */
static void pmi_overflow_at_any_access_of_down(struct kunit *test)
{
	unsigned int wraps_at, nmi_at;

	for (wraps_at = 1; wraps_at < 40; wraps_at++) {
		for (nmi_at = wraps_at; nmi_at < 41; nmi_at++) {
			pmi_begin(test, pmi_cpu(test));
			pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
			pmi_run(X86_PROGRAMMABLE, 1, -100ULL);
			pmi_down_with_overflow(wraps_at, nmi_at, false);
			KUNIT_EXPECT_FALSE(test, fake_x86_runs(0) || fake_x86_runs(1));
			KUNIT_EXPECT_EQ(test, (u32)FAKE_LVT_MASKED, fake_x86.lvtpc);
			if (test->status == KUNIT_FAILURE)
				return;
		}
	}
}

/*
 * Down right after a fold handled an overflow whose NMI is still pending. That NMI is claimed
 * before any access of down, right after any write, or after down. A further NMI is not claimed.
 */
static void pmi_latent_nmi_during_down(struct kunit *test)
{
	unsigned int when;

	for (when = 2; when < 2 * 41; when++) {
		pmi_begin(test, pmi_cpu(test));
		pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
		fake_x86_advance(100);
		fake_x86_fold(X86_PROGRAMMABLE, pmi.slots, 1);
		KUNIT_EXPECT_TRUE(test, fake_x86.pending);
		pmi_down_with_overflow(0, when / 2, when % 2);
		KUNIT_EXPECT_FALSE(test, fake_x86.pending);
		KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
		if (test->status == KUNIT_FAILURE)
			return;
	}
}

/* Each class gets its own rows, with all counters stopped meanwhile. */
static void pmi_rows_by_class(struct kunit *test)
{
	pmi_begin(test, "Sapphire Rapids");
	pmi_run(X86_PROGRAMMABLE, 7, -100ULL);
	pmi_run(X86_FIXED, 3, -100ULL);
	pmi.global_ctl = ~0ULL;
	fake_x86_advance(100);
	KUNIT_EXPECT_EQ(test, 2, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, BIT_ULL(7), pmi.rows[X86_PROGRAMMABLE]);
	KUNIT_EXPECT_EQ(test, BIT_ULL(3), pmi.rows[X86_FIXED]);
	KUNIT_EXPECT_EQ(test, 0ULL, pmi.global_ctl);
	KUNIT_EXPECT_EQ(test, fake_x86_places(), fake_x86.global_ctl);
	KUNIT_EXPECT_FALSE(test, fake_x86.masked);
	KUNIT_EXPECT_EQ(test, 0ULL, fake_x86.status);
}

/* Status flags of other users (trace buffer, PEBS) are neither claimed nor cleared. */
static void pmi_flags_of_others_kept(struct kunit *test)
{
	pmi_begin(test, "Sapphire Rapids");
	fake_x86.status = BIT_ULL(55) | BIT_ULL(58) | BIT_ULL(62);
	KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, BIT_ULL(55) | BIT_ULL(58) | BIT_ULL(62), fake_x86.status);
	KUNIT_EXPECT_EQ(test, 0U, pmi.calls);
}

/* With FREEZE_PERFMON_ON_PMI set the counters are restarted, and no event is lost. */
static void pmi_freeze_on_pmi_ended(struct kunit *test)
{
	static const char * const cpus[] = { "Core 2", "Haswell", "Skylake-SP", "Sapphire Rapids" };
	unsigned int i, round;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		pmi_begin(test, cpus[i]);
		fake_x86.freeze_on_pmi = true;
		pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
		pmi_run(X86_FIXED, 1, -1000ULL);
		for (round = 1; round <= 3; round++) {
			fake_x86_advance(100);
			KUNIT_EXPECT_FALSE(test, fake_x86_runs(0) || fake_x86_runs(FAKE_FIXED + 1));
			KUNIT_EXPECT_EQ(test, 1, pmi_deliver_nmi());
			KUNIT_EXPECT_TRUE(test, fake_x86_runs(0) && fake_x86_runs(FAKE_FIXED + 1));
			KUNIT_EXPECT_EQ(test, 100ULL * round, pmi.slots[0].sum);
			fake_x86_set_period(X86_PROGRAMMABLE, pmi.slots, 0,
					    100ULL * (round + 1), 0);
		}
		fake_x86_fold(X86_FIXED, pmi.slots, 2);
		KUNIT_EXPECT_EQ(test, 300ULL, pmi.slots[1].sum);
	}
}

/* If flags cannot be cleared, the handler still ends, and the sum is exact. */
static void pmi_stuck_flags_end(struct kunit *test)
{
	static const char * const cpus[] = { "Core 2", "Sapphire Rapids", "Zen 4" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		pmi_begin(test, cpus[i]);
		pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
		fake_x86_advance(100);
		fake_x86.stuck_acks = 100;
		KUNIT_EXPECT_NE(test, 0, pmi_deliver_nmi());
		/* arch/x86/pmi.c reads the flags at most four times. */
		KUNIT_EXPECT_EQ_MSG(test, 4U, pmi.calls, "%s", cpus[i]);
		KUNIT_EXPECT_EQ(test, 100ULL, pmi.slots[0].sum);
		KUNIT_EXPECT_EQ(test, fake_x86_places(), fake_x86.global_ctl);
		KUNIT_EXPECT_FALSE(test, fake_x86.masked);
		/* Once they can be cleared, the next overflow is handled normally. */
		fake_x86.stuck_acks = 0;
		fake_x86.status = 0;
		fake_x86_advance(200);
		fake_x86_set_period(X86_PROGRAMMABLE, pmi.slots, 0, 1000, 0);
		fake_x86_advance(700);
		KUNIT_EXPECT_EQ(test, 1, pmi_deliver_nmi());
		KUNIT_EXPECT_EQ(test, 1000ULL, pmi.slots[0].sum);
	}
}

static unsigned int pmi_writes(u32 msr)
{
	unsigned int i, count = 0;

	for (i = 0; i < fake_x86.write_count; i++)
		count += fake_x86.writes[i].msr == msr;
	return count;
}

/*
 * If the global control register refuses writes, as on no real CPU, nothing counts there, and
 * the register is not written again except by down.
 */
static void pmi_refused_global_ctl_not_retried(struct kunit *test)
{
	static const struct {
		const char *cpu;
		u32 msr;
	} cases[] = {
		{ "Core 2", 0x38f }, { "Nehalem", 0x38f }, { "Sapphire Rapids", 0x38f },
		{ "Zen 4", 0xc0000301 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		pmi_begin(test, cases[i].cpu);
		fake_x86_rows_down();
		fake_x86_pmi_disable();
		fake_x86.global_ctl = 0;
		fake_x86.refused_msr = cases[i].msr;
		fake_x86_rows_up(fake_x86_places());
		fake_x86_pmi_enable();
		fake_x86.write_count = 0;
		pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
		fake_x86_advance(200);
		KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
		KUNIT_EXPECT_FALSE(test, fake_x86_runs(0));
		KUNIT_EXPECT_EQ_MSG(test, 0U, pmi_writes(cases[i].msr), "%s", cases[i].cpu);
		/* Up again with a register that accepts writes. */
		fake_x86.refused_msr = 0;
		fake_x86_rows_down();
		fake_x86_pmi_disable();
		fake_x86_rows_up(fake_x86_places());
		fake_x86_pmi_enable();
		pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
		fake_x86_advance(200);
		KUNIT_EXPECT_EQ(test, 1, pmi_deliver_nmi());
		KUNIT_EXPECT_EQ(test, 200ULL, pmi.slots[0].sum);
	}
}

/* If perf's handler has cleared all flags, each overflow is still handled, once. */
static void pmi_flags_cleared_by_perf(struct kunit *test)
{
	unsigned int fixed, i;

	pmi_begin(test, pmi_cpu(test));
	fixed = fake_x86.id.fixed ? 1 : 0;
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	pmi_run(X86_PROGRAMMABLE, 1, -1000ULL);
	if (fixed)
		pmi_run(X86_FIXED, 2, -100ULL);
	fake_x86_advance(100);
	fake_x86.status = 0;
	KUNIT_EXPECT_EQ(test, 1 + (int)fixed, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, 1ULL, pmi.rows[X86_PROGRAMMABLE]);
	KUNIT_EXPECT_EQ(test, fixed ? 4ULL : 0, pmi.rows[X86_FIXED]);
	KUNIT_EXPECT_EQ(test, 100ULL, pmi.slots[0].sum);
	KUNIT_EXPECT_FALSE(test, fake_x86.masked);
	/* Each may have a latent NMI; one more is not claimed. */
	for (i = 0; i < fixed; i++)
		KUNIT_EXPECT_EQ(test, 1, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, 0, pmi_deliver_nmi());
	/* The next overflow is handled too. */
	fake_x86_set_period(X86_PROGRAMMABLE, pmi.slots, 0, 200, 0);
	fake_x86_advance(100);
	fake_x86.status = 0;
	KUNIT_EXPECT_TRUE(test, fake_x86.pending);
	KUNIT_EXPECT_EQ(test, 1, pmi_deliver_nmi());
	KUNIT_EXPECT_EQ(test, 200ULL, pmi.slots[0].sum);
}

/* All counters overflow at once, 100 times: no NMI is lost or unclaimed. */
static void pmi_all_counters_repeatedly(struct kunit *test)
{
	unsigned int round, row, rows, least;

	pmi_begin(test, pmi_cpu(test));
	least = fake_x86_min_period();
	rows = hweight64(fake_x86.id.programmable);
	for (row = 0; row < rows; row++)
		pmi_run(X86_PROGRAMMABLE, row, -1ULL - row);
	for (round = 0; round < 100; round++) {
		fake_x86_advance(least + rows - 1);
		KUNIT_EXPECT_TRUE(test, fake_x86.pending);
		KUNIT_EXPECT_EQ(test, (int)rows, pmi_deliver_nmi());
		KUNIT_EXPECT_FALSE(test, fake_x86.lost_nmi);
		for (row = 0; row < rows; row++) {
			KUNIT_EXPECT_EQ(test, fake_x86.total[row], pmi.slots[row].sum);
			fake_x86_set_period(X86_PROGRAMMABLE, pmi.slots, row,
					    pmi.slots[row].sum + least + row, 0);
		}
	}
	KUNIT_EXPECT_EQ(test, 100U, pmi.calls);
}

static struct kunit_case pmi_cases[] = {
	KUNIT_CASE_PARAM(pmi_foreign_nmi_not_claimed, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_one_overflow_one_nmi, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_several_overflows_counted, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_latent_nmi_after_fold, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_latent_nmi_after_stop, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_overflow_during_handler, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_deferred_has_no_latent_nmi, pmi_cpu_gen_params),
	KUNIT_CASE(pmi_latent_nmi_expires),
	KUNIT_CASE(pmi_nmi_after_down),
	KUNIT_CASE_PARAM(pmi_overflow_at_any_access_of_down, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_latent_nmi_during_down, pmi_cpu_gen_params),
	KUNIT_CASE(pmi_rows_by_class),
	KUNIT_CASE(pmi_flags_of_others_kept),
	KUNIT_CASE(pmi_freeze_on_pmi_ended),
	KUNIT_CASE(pmi_stuck_flags_end),
	KUNIT_CASE(pmi_refused_global_ctl_not_retried),
	KUNIT_CASE_PARAM(pmi_flags_cleared_by_perf, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_all_counters_repeatedly, pmi_cpu_gen_params),
	{}
};

struct kunit_suite hwpmc_x86_pmi_suite = {
	.name		= "hwpmc_x86_pmi",
	.test_cases	= pmi_cases,
};
