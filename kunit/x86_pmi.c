// SPDX-License-Identifier: GPL-2.0-only
/* x86: which NMIs are taken, and what is done to the registers meanwhile (arch/x86/pmi.c). */
#include <kunit/test.h>

#include "fake_x86.h"
#include "fixture.h"

static const struct hwpmc_class pmi_programmable, pmi_fixed;

/* What was reported. */
static struct {
	u64 rows[X86_KINDS];
	unsigned int calls;
	bool later;
	u64 both;
	u64 global_ctl;
	struct hwpmc_slot slots[32];
} pmi;

static void pmi_overflow(const struct hwpmc_class *class, u64 rows, struct pt_regs *regs)
{
	enum x86_kind kind = class == &pmi_fixed ? X86_FIXED : X86_PROGRAMMABLE;

	pmi.calls++;
	pmi.rows[kind] |= rows;
	pmi.global_ctl = fake_x86.global_ctl;
	/* Of an NMI that was expected and found nothing, the core folds nothing either. */
	if (rows && !pmi.later)
		fake_x86_fold(kind, pmi.slots, rows | (kind == X86_PROGRAMMABLE ? pmi.both : 0));
}

static void pmi_begin(struct kunit *test, const char *cpu)
{
	static const struct hwpmc_class *const classes[X86_KINDS] = {
		[X86_PROGRAMMABLE] = &pmi_programmable, [X86_FIXED] = &pmi_fixed,
	};
	struct x86_id id = fake_cpu_id(test, cpu);

	memset(&pmi, 0, sizeof(pmi));
	fake_x86_reset(test, &id);
	/* Where perf has no driver. */
	fake_x86.lvtpc = FAKE_LVT_MASKED;
	fake_x86_rows_up(fake_x86_places());
	fake_x86_pmi_init(pmi_overflow, classes);
	fake_x86_pmi_on();
}

static void pmi_run(enum x86_kind kind, unsigned int row, u64 value)
{
	const struct x86_counter_setting set = { .select = kind == X86_FIXED ? 0xb : 0x300c0 };

	fake_x86_rows_program(kind, row, &set, value);
	fake_x86_in(kind, pmi.slots, BIT_ULL(row));
}

static int pmi_come(void)
{
	fake_x86.pending = false;
	return fake_x86_pmi_serve(NULL);
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

/* Somebody else's NMI: not taken, and our own still comes afterwards. */
static void pmi_foreign(struct kunit *test)
{
	unsigned int i;

	pmi_begin(test, pmi_cpu(test));
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, 0, pmi_come());
	KUNIT_EXPECT_EQ(test, 0U, pmi.calls);
	KUNIT_EXPECT_FALSE(test, fake_x86.masked);
	fake_x86_pass(200);
	KUNIT_EXPECT_TRUE(test, fake_x86.pending);
	KUNIT_EXPECT_EQ(test, 1, pmi_come());
	KUNIT_EXPECT_EQ(test, 1ULL, pmi.rows[X86_PROGRAMMABLE]);
	KUNIT_EXPECT_EQ(test, 200ULL, pmi.slots[0].sum);
}

/* One overflow, one NMI: the next one is not ours. */
static void pmi_one(struct kunit *test)
{
	pmi_begin(test, pmi_cpu(test));
	pmi_run(X86_PROGRAMMABLE, 1, -100ULL);
	fake_x86_pass(100);
	KUNIT_EXPECT_EQ(test, 1, pmi_come());
	KUNIT_EXPECT_EQ(test, 2ULL, pmi.rows[X86_PROGRAMMABLE]);
	KUNIT_EXPECT_EQ(test, 0, pmi_come());
	KUNIT_EXPECT_EQ(test, 1U, pmi.calls);
}

/* Several at once: their number, so that the kernel drops one right behind; or a late one. */
static void pmi_several(struct kunit *test)
{
	pmi_begin(test, pmi_cpu(test));
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	pmi_run(X86_PROGRAMMABLE, 1, -100ULL);
	fake_x86_pass(100);
	KUNIT_EXPECT_EQ(test, 2, pmi_come());
	KUNIT_EXPECT_EQ(test, 3ULL, pmi.rows[X86_PROGRAMMABLE]);
	KUNIT_EXPECT_EQ(test, 1, pmi_come());
	KUNIT_EXPECT_EQ(test, 0, pmi_come());
}

/* What a fold dealt with before its NMI: that comes, finds nothing, and is taken all the same. */
static void pmi_folded(struct kunit *test)
{
	pmi_begin(test, pmi_cpu(test));
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	fake_x86_pass(100);
	fake_x86_fold(X86_PROGRAMMABLE, pmi.slots, 1);
	KUNIT_EXPECT_TRUE(test, fake_x86.pending);
	KUNIT_EXPECT_EQ(test, 1, pmi_come());
	KUNIT_EXPECT_EQ(test, 0, pmi_come());
	KUNIT_EXPECT_EQ(test, 100ULL, pmi.slots[0].sum);
}

/* Likewise a row that was programmed anew, aimed or cleared with the NMI on its way. */
static void pmi_stopped(struct kunit *test)
{
	unsigned int how;

	for (how = 0; how < 3; how++) {
		pmi_begin(test, pmi_cpu(test));
		pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
		fake_x86_pass(100);
		if (how == 0)
			pmi_run(X86_PROGRAMMABLE, 0, 0);
		else if (how == 1)
			fake_x86_rows_aim(X86_PROGRAMMABLE, pmi.slots, 0, 10000);
		else
			fake_x86_rows_clear(X86_PROGRAMMABLE, 0);
		KUNIT_EXPECT_EQ(test, 1, pmi_come());
		KUNIT_EXPECT_EQ(test, 0, pmi_come());
	}
}

/*
 * One that overflows beside it while it is served, at whatever access, and is folded
 * with it: its NMI is known, and nothing else is taken for it.
 */
static void pmi_beside(struct kunit *test)
{
	unsigned int at, i;

	for (at = 1; at < 30; at++) {
		pmi_begin(test, pmi_cpu(test));
		pmi.both = 3;
		pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
		pmi_run(X86_PROGRAMMABLE, 1, -150ULL);
		fake_x86_pass(100);
		fake_x86.jump_at = fake_x86.accesses + at;
		fake_x86.jump = 50;
		KUNIT_EXPECT_NE(test, 0, pmi_come());
		for (i = 0; i < 3 && fake_x86.pending; i++)
			KUNIT_EXPECT_NE(test, 0, pmi_come());
		KUNIT_EXPECT_FALSE(test, fake_x86.pending);
		fake_x86.jump_at = 0;
		fake_x86_fold(X86_PROGRAMMABLE, pmi.slots, 3);
		KUNIT_EXPECT_EQ(test, fake_x86.total[1], pmi.slots[1].sum);
		fake_x86.now += HZ;
		KUNIT_EXPECT_EQ(test, 0, pmi_come());
		if (test->status == KUNIT_FAILURE)
			return;
	}
}

/* Put off by who changes contexts, who deals with it behind the NMI: no other is to come. */
static void pmi_put_off(struct kunit *test)
{
	unsigned int round;

	pmi_begin(test, pmi_cpu(test));
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	for (round = 0; round < 10; round++) {
		u64 least = fake_x86_least() + 100;

		fake_x86_pass(round ? least : 100);
		pmi.later = true;
		KUNIT_EXPECT_EQ(test, 1, pmi_come());
		pmi.later = false;
		fake_x86_fold(X86_PROGRAMMABLE, pmi.slots, 1);
		fake_x86_rows_aim(X86_PROGRAMMABLE, pmi.slots, 0, pmi.slots[0].sum + least);
		KUNIT_EXPECT_EQ(test, 0, pmi_come());
	}
	/* Nor for what was dealt with long ago. */
	fake_x86_pass(fake_x86_least() + 100);
	fake_x86_fold(X86_PROGRAMMABLE, pmi.slots, 1);
	fake_x86.now += HZ;
	/* Where there are flags they say more. */
	if (!fake_x86.status)
		KUNIT_EXPECT_EQ(test, 0, pmi_come());
}

/* But not for ever. */
static void pmi_window(struct kunit *test)
{
	pmi_begin(test, "K8");
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	pmi_run(X86_PROGRAMMABLE, 1, -100ULL);
	fake_x86_pass(100);
	KUNIT_EXPECT_EQ(test, 2, pmi_come());
	fake_x86.now += HZ;
	KUNIT_EXPECT_EQ(test, 0, pmi_come());
}

/* After down: only what was flagged then. */
static void pmi_down(struct kunit *test)
{
	pmi_begin(test, "Sapphire Rapids");
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	fake_x86_pass(100);
	fake_x86_rows_down();
	fake_x86_pmi_off();
	KUNIT_EXPECT_EQ(test, 1, pmi_come());
	KUNIT_EXPECT_EQ(test, 0, pmi_come());
	KUNIT_EXPECT_EQ(test, 0U, pmi.calls);
}

static void pmi_known(void)
{
	KUNIT_EXPECT_NE(fake_x86.test, 0, fake_x86_pmi_serve(NULL));
}

static void pmi_take_down(unsigned int wraps_at, unsigned int nmi_at)
{
	fake_x86.jump_at = fake_x86.accesses + wraps_at;
	fake_x86.jump = 100;
	fake_x86.nmi_at = fake_x86.accesses + nmi_at;
	fake_x86.nmi = pmi_known;
	/* The core puts everything off meanwhile. */
	pmi.later = true;
	fake_x86_rows_down();
	fake_x86_pmi_off();
	fake_x86.nmi_at = 0;
	fake_x86_idle();
}

/*
 * Down with an overflow at any access of it, and the NMI at any other or behind
 * all: it is known, nothing runs any more, and the local APIC's entry is as before.
 */
static void pmi_down_anywhere(struct kunit *test)
{
	unsigned int wraps_at, nmi_at;

	for (wraps_at = 1; wraps_at < 40; wraps_at++) {
		for (nmi_at = wraps_at; nmi_at < 41; nmi_at++) {
			pmi_begin(test, pmi_cpu(test));
			pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
			pmi_run(X86_PROGRAMMABLE, 1, -100ULL);
			pmi_take_down(wraps_at, nmi_at);
			KUNIT_EXPECT_FALSE(test, fake_x86_runs(0) || fake_x86_runs(1));
			KUNIT_EXPECT_EQ(test, (u32)FAKE_LVT_MASKED, fake_x86.lvtpc);
			if (test->status == KUNIT_FAILURE)
				return;
		}
	}
}

/* Down right after a fold that dealt with an overflow, its NMI still on its way. */
static void pmi_down_folded(struct kunit *test)
{
	pmi_begin(test, pmi_cpu(test));
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	fake_x86_pass(100);
	fake_x86_fold(X86_PROGRAMMABLE, pmi.slots, 1);
	KUNIT_EXPECT_TRUE(test, fake_x86.pending);
	pmi_take_down(0, 1000);
	KUNIT_EXPECT_FALSE(test, fake_x86.pending);
	KUNIT_EXPECT_EQ(test, 0, pmi_come());
}

/* Both kinds: each class hears of its own rows, with all counters standing. */
static void pmi_kinds(struct kunit *test)
{
	pmi_begin(test, "Sapphire Rapids");
	pmi_run(X86_PROGRAMMABLE, 7, -100ULL);
	pmi_run(X86_FIXED, 3, -100ULL);
	pmi.global_ctl = ~0ULL;
	fake_x86_pass(100);
	KUNIT_EXPECT_EQ(test, 2, pmi_come());
	KUNIT_EXPECT_EQ(test, BIT_ULL(7), pmi.rows[X86_PROGRAMMABLE]);
	KUNIT_EXPECT_EQ(test, BIT_ULL(3), pmi.rows[X86_FIXED]);
	KUNIT_EXPECT_EQ(test, 0ULL, pmi.global_ctl);
	KUNIT_EXPECT_EQ(test, fake_x86_places(), fake_x86.global_ctl);
	KUNIT_EXPECT_FALSE(test, fake_x86.masked);
	KUNIT_EXPECT_EQ(test, 0ULL, fake_x86.status);
}

/* Flags of others (a trace's buffer, PEBS) are theirs: not taken, not dropped. */
static void pmi_other_flags(struct kunit *test)
{
	pmi_begin(test, "Sapphire Rapids");
	fake_x86.status = BIT_ULL(55) | BIT_ULL(58) | BIT_ULL(62);
	KUNIT_EXPECT_EQ(test, 0, pmi_come());
	KUNIT_EXPECT_EQ(test, BIT_ULL(55) | BIT_ULL(58) | BIT_ULL(62), fake_x86.status);
	KUNIT_EXPECT_EQ(test, 0U, pmi.calls);
}

/* Somebody had all counters freeze on interrupt: they go on behind it, and nothing is lost. */
static void pmi_freezing(struct kunit *test)
{
	static const char * const cpus[] = { "Core 2", "Haswell", "Skylake-SP", "Sapphire Rapids" };
	unsigned int i, round;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		pmi_begin(test, cpus[i]);
		fake_x86.freezes = true;
		pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
		pmi_run(X86_FIXED, 1, -1000ULL);
		for (round = 1; round <= 3; round++) {
			fake_x86_pass(100);
			KUNIT_EXPECT_FALSE(test, fake_x86_runs(0) || fake_x86_runs(FAKE_FIXED + 1));
			KUNIT_EXPECT_EQ(test, 1, pmi_come());
			KUNIT_EXPECT_TRUE(test, fake_x86_runs(0) && fake_x86_runs(FAKE_FIXED + 1));
			KUNIT_EXPECT_EQ(test, 100ULL * round, pmi.slots[0].sum);
			fake_x86_rows_aim(X86_PROGRAMMABLE, pmi.slots, 0, 100ULL * (round + 1));
		}
		fake_x86_fold(X86_FIXED, pmi.slots, 2);
		KUNIT_EXPECT_EQ(test, 300ULL, pmi.slots[1].sum);
	}
}

/* Flags that stay up whatever one does: the NMI ends all the same, and the sum is right. */
static void pmi_stuck(struct kunit *test)
{
	static const char * const cpus[] = { "Core 2", "Sapphire Rapids", "Zen 4" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		pmi_begin(test, cpus[i]);
		pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
		fake_x86_pass(100);
		fake_x86.stuck = 100;
		KUNIT_EXPECT_NE(test, 0, pmi_come());
		/* One round for each time that the NMI looks; arch/x86/pmi.c has four. */
		KUNIT_EXPECT_EQ_MSG(test, 4U, pmi.calls, "%s", cpus[i]);
		KUNIT_EXPECT_EQ(test, 100ULL, pmi.slots[0].sum);
		KUNIT_EXPECT_EQ(test, fake_x86_places(), fake_x86.global_ctl);
		KUNIT_EXPECT_FALSE(test, fake_x86.masked);
		/* And once they drop, the next one is served as ever. */
		fake_x86.stuck = 0;
		fake_x86.status = 0;
		fake_x86_pass(200);
		fake_x86_rows_aim(X86_PROGRAMMABLE, pmi.slots, 0, 1000);
		fake_x86_pass(700);
		KUNIT_EXPECT_EQ(test, 1, pmi_come());
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
 * A CPU that does not take its global control register, as no real one does: nothing
 * counts there, and the register is not tried again but to give it back.
 */
static void pmi_refused(struct kunit *test)
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
		fake_x86.global_ctl = 0;
		fake_x86.refuses = cases[i].msr;
		fake_x86_rows_up(fake_x86_places());
		fake_x86.write_count = 0;
		pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
		fake_x86_pass(200);
		KUNIT_EXPECT_EQ(test, 0, pmi_come());
		KUNIT_EXPECT_FALSE(test, fake_x86_runs(0));
		KUNIT_EXPECT_EQ_MSG(test, 0U, pmi_writes(cases[i].msr), "%s", cases[i].cpu);
		/* Up once more, where it does. */
		fake_x86.refuses = 0;
		fake_x86_rows_down();
		fake_x86_rows_up(fake_x86_places());
		pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
		fake_x86_pass(200);
		KUNIT_EXPECT_EQ(test, 1, pmi_come());
		KUNIT_EXPECT_EQ(test, 200ULL, pmi.slots[0].sum);
	}
}

/* perf's handler dropped the flags of all: they are served all the same, and once. */
static void pmi_eaten_flags(struct kunit *test)
{
	unsigned int fixed, i;

	pmi_begin(test, pmi_cpu(test));
	fixed = fake_x86.id.fixed ? 1 : 0;
	pmi_run(X86_PROGRAMMABLE, 0, -100ULL);
	pmi_run(X86_PROGRAMMABLE, 1, -1000ULL);
	if (fixed)
		pmi_run(X86_FIXED, 2, -100ULL);
	fake_x86_pass(100);
	fake_x86.status = 0;
	KUNIT_EXPECT_EQ(test, 1 + (int)fixed, pmi_come());
	KUNIT_EXPECT_EQ(test, 1ULL, pmi.rows[X86_PROGRAMMABLE]);
	KUNIT_EXPECT_EQ(test, fixed ? 4ULL : 0, pmi.rows[X86_FIXED]);
	KUNIT_EXPECT_EQ(test, 100ULL, pmi.slots[0].sum);
	KUNIT_EXPECT_FALSE(test, fake_x86.masked);
	/* Each may have an NMI of its own on its way; one more is somebody else's. */
	for (i = 0; i < fixed; i++)
		KUNIT_EXPECT_EQ(test, 1, pmi_come());
	KUNIT_EXPECT_EQ(test, 0, pmi_come());
	/* And they overflow again. */
	fake_x86_rows_aim(X86_PROGRAMMABLE, pmi.slots, 0, 200);
	fake_x86_pass(100);
	fake_x86.status = 0;
	KUNIT_EXPECT_TRUE(test, fake_x86.pending);
	KUNIT_EXPECT_EQ(test, 1, pmi_come());
	KUNIT_EXPECT_EQ(test, 200ULL, pmi.slots[0].sum);
}

/* Every counter of every CPU at once, over and over: no NMI is lost or unknown. */
static void pmi_storm(struct kunit *test)
{
	unsigned int round, row, rows, least;

	pmi_begin(test, pmi_cpu(test));
	least = fake_x86_least();
	rows = hweight64(fake_x86.id.programmable);
	for (row = 0; row < rows; row++)
		pmi_run(X86_PROGRAMMABLE, row, -1ULL - row);
	for (round = 0; round < 100; round++) {
		fake_x86_pass(least + rows - 1);
		KUNIT_EXPECT_TRUE(test, fake_x86.pending);
		KUNIT_EXPECT_EQ(test, (int)rows, pmi_come());
		KUNIT_EXPECT_FALSE(test, fake_x86.lost_nmi);
		for (row = 0; row < rows; row++) {
			KUNIT_EXPECT_EQ(test, fake_x86.total[row], pmi.slots[row].sum);
			fake_x86_rows_aim(X86_PROGRAMMABLE, pmi.slots, row,
					  pmi.slots[row].sum + least + row);
		}
	}
	KUNIT_EXPECT_EQ(test, 100U, pmi.calls);
}

static struct kunit_case pmi_cases[] = {
	KUNIT_CASE_PARAM(pmi_foreign, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_one, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_several, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_folded, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_stopped, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_beside, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_put_off, pmi_cpu_gen_params),
	KUNIT_CASE(pmi_window),
	KUNIT_CASE(pmi_down),
	KUNIT_CASE_PARAM(pmi_down_anywhere, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_down_folded, pmi_cpu_gen_params),
	KUNIT_CASE(pmi_kinds),
	KUNIT_CASE(pmi_other_flags),
	KUNIT_CASE(pmi_freezing),
	KUNIT_CASE(pmi_stuck),
	KUNIT_CASE(pmi_refused),
	KUNIT_CASE_PARAM(pmi_eaten_flags, pmi_cpu_gen_params),
	KUNIT_CASE_PARAM(pmi_storm, pmi_cpu_gen_params),
	{}
};

struct kunit_suite hwpmc_x86_pmi_suite = {
	.name		= "hwpmc_x86_pmi",
	.test_cases	= pmi_cases,
};
