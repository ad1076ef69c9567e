/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of one x86 CPU's counter registers and of its local APIC's LVTPC in memory, for suites
 * hwpmc_x86_*; counter.c, rows.c, pmi.c and nehalem_workaround.c are compiled against it
 * (kunit/fake/x86_regs.h). Any context; there is one for the module.
 *
 * Each access is one step of time: running counters count, wraps set overflow flags and raise
 * the interrupt. A forbidden access fails the test: a write that the CPU refuses with #GP, a
 * selection or value that changes while its counter runs, a counter that starts from the value
 * it had under another selection.
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
#define FAKE_FIXED	32	/* place (bit in the global registers) of the first fixed counter */
#define FAKE_WRITES	512
#define FAKE_LVT_MASKED	BIT(16)	/* in the local APIC's entry */

struct fake_write {
	u32 msr;
	u64 value;
};

/**
 * struct fake_x86 - the registers of one CPU
 * @test: the test that a forbidden access fails
 * @id: the CPU
 * @counter: by place: programmable counters from 0, fixed ones from FAKE_FIXED
 * @select: selection registers
 * @fixed_ctl: IA32_FIXED_CTR_CTRL
 * @global_ctl: IA32_PERF_GLOBAL_CTRL (Intel from version 2 on), PerfCntrGlobalCtl (AMD PerfMonV2)
 * @status: IA32_PERF_GLOBAL_STATUS, PerfCntrGlobalStatus
 * @counter_written: places whose counter was written since it was stopped
 * @last: event and unit mask that each programmable counter ran with last
 * @workaround_done: the Nehalem workaround was run since the global register last enabled a counter
 * @pending: an NMI is pending
 * @lvtpc: LVTPC of the local APIC as last written
 * @masked: LVTPC is masked, by a write or by a delivery
 * @lost_nmi: an interrupt was raised while LVTPC was masked and none was pending
 * @nmi: called to handle a pending NMI, between any two accesses from @nmi_at on
 * @nmi_at: number of that access
 * @nmi_late: it is handled right after a write, not before the next access
 * @freeze_on_pmi: another driver set FREEZE_PERFMON_ON_PMI in IA32_DEBUGCTL
 * @stuck_acks: number of acknowledgements to come that clear no flag
 * @refused_msr: an MSR that refuses every value, set by a test
 * @accesses: number of accesses
 * @step: events that each running counter counts at each access
 * @jump_at: number of the access at which they count @jump more events
 * @jump: events
 * @total: events counted with the interrupt enabled, by place
 * @at_read: @total when the counter was last read or written
 * @now: jiffies
 * @ended: how often the end of an interrupt was called
 * @writes: MSR writes in order
 * @write_count: number of @writes
 */
struct fake_x86 {
	struct kunit *test;
	struct x86_id id;
	u64 counter[FAKE_PLACES];
	u64 select[32];
	u64 fixed_ctl;
	u64 global_ctl;
	u64 status;
	u64 counter_written;
	u16 last[32];
	bool workaround_done;
	bool pending;
	u32 lvtpc;
	bool masked;
	bool lost_nmi;
	void (*nmi)(void);
	unsigned int nmi_at;
	bool nmi_late;
	bool freeze_on_pmi;
	unsigned int stuck_acks;
	u32 refused_msr;
	unsigned int accesses;
	u64 step;
	unsigned int jump_at;
	u64 jump;
	u64 total[FAKE_PLACES];
	u64 at_read[FAKE_PLACES];
	unsigned long now;
	unsigned int ended;
	struct fake_write writes[FAKE_WRITES];
	unsigned int write_count;
};

extern struct fake_x86 fake_x86;

/* Resets the registers to those of CPU @id and initializes the code under test, without up. */
void fake_x86_reset(struct kunit *test, const struct x86_id *id);

/* Counts @events at once, in one access that changes no register. */
void fake_x86_advance(u64 events);

/* One access that changes no register. */
void fake_x86_idle(void);

/* The state of the registers; not shared with the code under test, so that both must agree. */
bool fake_x86_runs(unsigned int place);
u64 fake_x86_places(void);
unsigned int fake_x86_width(unsigned int place);

/* The smallest period of most events on this CPU, in events. */
unsigned int fake_x86_min_period(void);

/* The register accesses, called by fake/x86_regs.h */
u64 fake_x86_rdpmc(u32 index);
u64 fake_x86_read(u32 msr);
int fake_x86_write(u32 msr, u64 value);
void fake_x86_unmask_pmi(void);
u32 fake_x86_claim_pmi(void);
void fake_x86_restore_pmi(u32 before);

/* The functions of arch/x86/counter.c, rows.c and pmi.c on these registers */
void fake_x86_counter_init(const struct x86_msr_map *map);
void fake_x86_rows_up(u64 places);
void fake_x86_rows_down(void);
void fake_x86_counter_program(enum x86_kind kind, unsigned int row,
			      const struct x86_counter_setting *set, u64 value);
u64 fake_x86_set_period(enum x86_kind kind, struct hwpmc_slot *slots, unsigned int row, u64 due,
			u64 put_off);
void fake_x86_rows_stop(enum x86_kind kind, u64 rows);
void fake_x86_counter_clear(enum x86_kind kind, unsigned int row);
void fake_x86_rows_ack(enum x86_kind kind, u64 rows);
unsigned int fake_x86_rows_latent_nmis(unsigned long *when);
void fake_x86_rows_in_programmable(struct hwpmc_slot *slots, u64 rows);
void fake_x86_rows_fold_programmable(struct hwpmc_slot *slots, u64 rows);
void fake_x86_rows_in_fixed(struct hwpmc_slot *slots, u64 rows);
void fake_x86_rows_fold_fixed(struct hwpmc_slot *slots, u64 rows);
void fake_x86_rows_overflowed_programmable(struct hwpmc_slot *slots, u64 rows);
void fake_x86_rows_overflowed_fixed(struct hwpmc_slot *slots, u64 rows);
unsigned long fake_x86_counter_refused(void);
void fake_x86_pmi_init(const struct hwpmc_overflow_ops *ops,
		       const struct hwpmc_class *const *classes);
void fake_x86_pmi_enable(void);
void fake_x86_pmi_disable(void);
int fake_x86_pmi_handle(unsigned int type, struct pt_regs *regs);

/* Sets the core's handler of overflows. */
void fake_x86_set_overflow(hwpmc_overflow_fn overflow, const struct hwpmc_class *const *classes);

/* Handles an NMI; returns what the handler does. */
int fake_x86_handle_nmi(void);

/* The operations in, fold and wrapped, on rows of @kind */
void fake_x86_in(enum x86_kind kind, struct hwpmc_slot *slots, u64 rows);
void fake_x86_fold(enum x86_kind kind, struct hwpmc_slot *slots, u64 rows);
void fake_x86_wrapped(enum x86_kind kind, struct hwpmc_slot *slots, u64 rows);

/**
 * struct fake_cpu - a CPU model
 * @name: its name
 * @leaves: its CPUID leaves and IA32_PERF_CAPABILITIES
 * @flavour: expected from @leaves, as all below
 * @version: version of Intel's architectural performance monitoring
 * @rows: number of programmable counters
 * @fixed: number of fixed-function counters
 * @width: of programmable counters, in bits
 * @fixed_width: of fixed-function counters, in bits
 * @wide: counters can be written in their full width
 * @any: AnyThread is supported
 * @missing: architectural events that CPUID reports as not available
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

/* Decodes the CPU called @name; fails the test if there is none. */
struct x86_id fake_cpu_id(struct kunit *test, const char *name);

#endif /* HWPMC_FAKE_X86_H */
