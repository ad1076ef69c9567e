/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One x86 CPU's counters as memory. Every access is one step of time: counters
 * that run go on, wraps raise flags and the interrupt, and what must never be
 * seen is looked for: a write that the CPU would refuse with #GP, a selection
 * or a value that changes while its counter runs, a counter that runs on from
 * the value it had under another selection.
 */
#ifndef HWPMC_FAKE_X86_H
#define HWPMC_FAKE_X86_H

#include <kunit/test.h>
#include <linux/bits.h>

#include "../arch/hwpmc_arch.h"
#include "../arch/x86/counter.h"
#include "../arch/x86/id.h"
#include "../arch/x86/msr_map.h"
#include "../arch/x86/rows.h"

#define FAKE_PLACES	48
#define FAKE_FIXED	32	/* the first fixed counter's place */
#define FAKE_WRITES	512
#define FAKE_LVT_MASKED	BIT(16)	/* in the local APIC's entry */

struct fake_write {
	u32 msr;
	u64 value;
};

/**
 * struct fake_x86 - one CPU's
 * @test: to complain to
 * @id: what CPU
 * @counter: by place: programmable ones from 0, fixed ones from FAKE_FIXED
 * @select: selection registers
 * @fixed_ctl: IA32_FIXED_CTR_CTRL
 * @global_ctl: of Intel from version 2 on, of AMD with PerfMonV2
 * @status: likewise
 * @valued: places whose counter was written since it stood
 * @last: event and unit mask of each programmable counter that ran last
 * @settled: what Nehalem needs was done since the global register last let anything run
 * @pending: an NMI waits to be served
 * @lvtpc: the local APIC's entry as it was written last
 * @masked: whether it is masked, by that or since it delivered
 * @lost_nmi: an interrupt came while the entry was masked, and no other was on its way
 * @nmi: serves one that is pending, from this access on: between any two others
 * @nmi_at: this access
 * @freezes: IA32_DEBUGCTL's freeze on interrupt, which is somebody else's
 * @stuck: so many acknowledgements more drop no flag
 * @refuses: an MSR that takes no value at all, by intent
 * @accesses: so far
 * @step: events of every counter that runs, at each access
 * @jump_at: at this access...
 * @jump: ...so many more
 * @total: events counted, by place
 * @at_read: @total when the counter was last read or written
 * @now: jiffies
 * @writes: MSRs that were written, in order
 * @write_count: how many
 */
struct fake_x86 {
	struct kunit *test;
	struct x86_id id;
	u64 counter[FAKE_PLACES];
	u64 select[32];
	u64 fixed_ctl;
	u64 global_ctl;
	u64 status;
	u64 valued;
	u16 last[32];
	bool settled;
	bool pending;
	u32 lvtpc;
	bool masked;
	bool lost_nmi;
	void (*nmi)(void);
	unsigned int nmi_at;
	bool freezes;
	unsigned int stuck;
	u32 refuses;
	unsigned int accesses;
	u64 step;
	unsigned int jump_at;
	u64 jump;
	u64 total[FAKE_PLACES];
	u64 at_read[FAKE_PLACES];
	unsigned long now;
	struct fake_write writes[FAKE_WRITES];
	unsigned int write_count;
};

extern struct fake_x86 fake_x86;

/* New registers of such a CPU, and the code under test set to them; not up. */
void fake_x86_reset(struct kunit *test, const struct x86_id *id);

/* @events happen at once, in one access that changes nothing. */
void fake_x86_pass(u64 events);

/* An access that changes nothing. */
void fake_x86_idle(void);

/* What is up to be seen in the registers: said here once more. */
bool fake_x86_runs(unsigned int place);
u64 fake_x86_places(void);
unsigned int fake_x86_width(unsigned int place);

/* How near the CPU takes an overflow of most events. */
unsigned int fake_x86_least(void);

/* What fake/x86_regs.h makes of the register accesses */
u64 fake_x86_rdpmc(u32 index);
u64 fake_x86_read(u32 msr);
int fake_x86_write(u32 msr, u64 value);
void fake_x86_unmask(void);
u32 fake_x86_take_pmi(void);
void fake_x86_give_pmi(u32 before);

/* arch/x86/counter.c, rows.c and pmi.c, on these registers (kunit/fake_x86_counter.c, ...) */
void fake_x86_rows_init(const struct x86_msr_map *map);
void fake_x86_rows_up(u64 places);
void fake_x86_rows_down(void);
void fake_x86_rows_program(enum x86_kind kind, unsigned int row,
			   const struct x86_counter_setting *set, u64 value);
void fake_x86_rows_sum(enum x86_kind kind, struct hwpmc_slot *slots, u64 rows);
u64 fake_x86_rows_aim(enum x86_kind kind, struct hwpmc_slot *slots, unsigned int row, u64 due);
void fake_x86_rows_park(enum x86_kind kind, u64 rows);
void fake_x86_rows_clear(enum x86_kind kind, unsigned int row);
void fake_x86_rows_ack(enum x86_kind kind, u64 rows);
unsigned int fake_x86_rows_late(unsigned long *when);
void fake_x86_programmable_in(struct hwpmc_slot *slots, u64 rows);
void fake_x86_programmable_fold(struct hwpmc_slot *slots, u64 rows);
void fake_x86_fixed_in(struct hwpmc_slot *slots, u64 rows);
void fake_x86_fixed_fold(struct hwpmc_slot *slots, u64 rows);
unsigned long fake_x86_rows_refused(void);
void fake_x86_pmi_init(hwpmc_overflow_fn overflow, const struct hwpmc_class *const *classes);
void fake_x86_pmi_on(void);
void fake_x86_pmi_off(void);
int fake_x86_pmi_serve(struct pt_regs *regs);

/* Of either kind */
void fake_x86_in(enum x86_kind kind, struct hwpmc_slot *slots, u64 rows);
void fake_x86_fold(enum x86_kind kind, struct hwpmc_slot *slots, u64 rows);

/**
 * struct fake_cpu - a CPU that there is, or was
 * @name: it
 * @leaves: what it says of itself
 * @flavour: and what that comes to, as all below
 * @version: of Intel's architectural performance monitoring
 * @rows: programmable counters
 * @fixed: fixed-function counters
 * @width: of the former, in bits
 * @fixed_width: of the latter
 * @wide: both take their whole width
 * @any: AnyThread
 * @missing: architectural events
 * @text: struct hwpmc_machine.pmu
 */
struct fake_cpu {
	const char *name;
	struct x86_leaves leaves;
	enum x86_flavour flavour;
	unsigned int version;
	unsigned int rows;
	unsigned int fixed;
	unsigned int width;
	unsigned int fixed_width;
	bool wide;
	bool any;
	u32 missing;
	const char *text;
};

extern const struct fake_cpu fake_cpus[];
extern const unsigned int fake_cpu_count;

/* By name; fails the test if there is none. */
struct x86_id fake_cpu_id(struct kunit *test, const char *name);

#endif /* HWPMC_FAKE_X86_H */
