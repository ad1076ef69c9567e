/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface between the machine-independent module (the core) and arch/.
 *
 * Two tiers, as in hwpmc(4): a machine (struct hwpmc_machine) has classes (struct
 * hwpmc_class), a class has rows. The core numbers the rows of all classes consecutively; a
 * class numbers its own from 0, at most 64, since a set of its rows is a u64. arch/ has no
 * notion of owners, targets or tasks: a class accumulates into the slots that it is passed.
 *
 * Names: hwpmc_arch_* is this interface. Inside arch/<arch>/ a name that is not static begins with
 * the file's name: x86_<file>_<verb>, pmuv3_<file>_<verb>, and intel_<file>_<verb> or
 * amd_<file>_<verb> for files that only one vendor's CPUs need. What the core needs inline is in
 * arch/<arch>/include/hwpmc_arch_inline.h, found by search path (see Kbuild).
 */
#ifndef HWPMC_ARCH_H
#define HWPMC_ARCH_H

#include <linux/types.h>

struct pt_regs;

/**
 * struct hwpmc_slot - what one context (a thread, or a CPU) counted on one row
 * @sum: events counted so far
 * @start: value of the counter when @sum was last brought up to date; valid only while the
 *	context is on a CPU
 *
 * Both are written only on the CPU that the context is on, with interrupts off. The invariant
 * that makes @sum exact: no overflow from before @start was read is still flagged in the
 * hardware.
 */
struct hwpmc_slot {
	u64 sum;
	u64 start;
};

/**
 * struct hwpmc_request - an event as the user requested it
 * @event: number in the class
 * @config: class-specific
 * @caps: HWPMC_CAP_*; at least one of USER and SYSTEM is set
 */
struct hwpmc_request {
	u64 event;
	u64 config[2];
	u64 caps;
};

/**
 * struct hwpmc_select - the register values that select what a row counts
 * @event: of the row's own event select register
 * @extra: of an extra register that rows share; see hwpmc_encoding.extra
 *
 * A switch between two PMCs with the same selection on a row writes no register. The core
 * compares selections; only the class interprets them.
 */
struct hwpmc_select {
	u64 event;
	u64 extra;
};

/* Numbers of extra registers of a class are below this. */
#define HWPMC_EXTRAS	8

/**
 * struct hwpmc_encoding - a request translated by its class
 * @sel: the row's selection
 * @extra: number of the extra register that @sel.extra goes to, from 1 and below HWPMC_EXTRAS, or 0
 *	if none. All PMCs that use the register at the same time must agree on its value
 * @rows: rows of the class that can count the event, on the requested CPUs
 * @prefer: the rows among @rows to try first
 * @why: after an error, the reason: a sentence without a full stop, in static storage
 */
struct hwpmc_encoding {
	struct hwpmc_select sel;
	unsigned int extra;
	u64 rows;
	u64 prefer;
	const char *why;
};

/** typedef hwpmc_switch_fn - type of the operations in, fold and wrapped of struct hwpmc_class */
typedef void hwpmc_switch_fn(struct hwpmc_slot *slots, u64 rows);

/**
 * struct hwpmc_class - a kind of counter
 * @id: enum hwpmc_class_id of the uapi
 * @name: in upper case, as in hwpmc(4)
 * @rows: number of rows, 1 to 64
 * @width: of the widest counter, in bits
 * @caps: HWPMC_CAP_*
 * @period_min: smallest period of a sampling PMC, in events; 0: the parameter mincount
 * @shareable: any number of PMCs can use a row at the same time (a time-stamp counter)
 * @needs_pmu: allocating a PMC claims the machine's PMU
 * @public: its values reveal only what any user can see anyway, so counting in kernel mode
 *	needs no privilege
 * @encode: translate a request, for @cpu or, if that is -1, for every CPU. Accesses no
 *	hardware. Returns -EINVAL for an event that cannot be counted, -EOPNOTSUPP for @caps that
 *	the class lacks; sets @why
 * @row_name: "cycle counter", ...
 * @row_width: of one row, in bits
 * @row_exists: whether @cpu has this row
 *
 * The operations below run on the CPU concerned with interrupts off, and never sleep:
 * @program: stop the row, select @sel, set the counter to the low bits of @value, start it. A
 *	half-programmed counter must never count
 * @aim: fold the row, then run it so that it overflows after hwpmc_aim_left() events of @due and
 *	@put_off, or earlier if the counter cannot count so many. Returns the number of events until
 *	the overflow
 * @park: stop @rows until the next @aim or @program; what they counted can still be folded
 * @clear: stop the row and drop its selection. With @user_in: and set the counter to 0
 * @begin: a context on this CPU begins to use @rows; @in follows. NULL: nothing to do
 * @in: a context is scheduled in: read the start of @rows, a set, but not of @off_rows
 * @off_rows: rows that count while the context is off the CPU; set of the class's rows
 * @add_off: a context is scheduled in: add to the sums what @rows, of @off_rows, counted since the
 *	last fold. Called after @in. NULL without @off_rows
 * @fold: bring the sums of @rows, and their starts, up to date
 * @wrapped: fold @rows whose overflow the interrupt found. The caller calls @aim next, so they
 *	need not be ready to overflow again before
 * @ack: clear the overflow flags of @rows, which no context uses
 * @mask: disable the overflow interrupt of @rows until @in, @fold, @wrapped, @aim or @ack clears
 *	their flags. For an interrupt that stays active while a flag is set; NULL if it does not.
 *	Called only if HWPMC_OVERFLOW_IS_NMI
 * @user_in: called instead of @in when a thread that may read its counters in user mode is
 *	scheduled in: set the counters of @rows, and their starts, to 2^(width - 1), so that the
 *	thread cannot read what others counted. Then permit the reads, as hwpmc_arch_user_reads()
 *	does. NULL if user mode cannot read the class's counters
 * @user_index: the number by which user mode reads a row, not 0; see struct hwpmc_user_count. NULL
 *	without @user_in
 *
 * @in and @fold make up the cost of a context switch: they write no register unless a counter
 * overflowed. @aim and @park are for rows that sample; a class without HWPMC_CAP_INTERRUPT has
 * none of @aim, @park and @wrapped.
 */
struct hwpmc_class {
	u32 id;
	const char *name;
	unsigned int rows;
	unsigned int width;
	u64 caps;
	u64 period_min;
	bool shareable;
	bool needs_pmu;
	bool public;

	int (*encode)(const struct hwpmc_request *req, int cpu,
		      struct hwpmc_encoding *enc);
	void (*row_name)(unsigned int row, char *buf, size_t size);
	unsigned int (*row_width)(unsigned int row);
	bool (*row_exists)(int cpu, unsigned int row);

	void (*program)(unsigned int row, const struct hwpmc_select *sel, u64 value);
	u64 (*aim)(struct hwpmc_slot *slots, unsigned int row, u64 due, u64 put_off);
	void (*park)(u64 rows);
	void (*clear)(unsigned int row);
	void (*begin)(struct hwpmc_slot *slots, u64 rows);
	hwpmc_switch_fn *in;
	u64 off_rows;
	hwpmc_switch_fn *add_off;
	hwpmc_switch_fn *fold;
	hwpmc_switch_fn *wrapped;
	void (*ack)(u64 rows);
	void (*mask)(u64 rows);
	hwpmc_switch_fn *user_in;
	u32 (*user_index)(unsigned int row);
};

/**
 * hwpmc_aim_left - events until a row that samples is to overflow
 * @sum: its slot's sum, just folded
 * @due: the sum at which the next sample is due
 * @put_off: used if that sample is overdue. 0: overflow at once; else overflow after this number of
 *	events, plus the number by which @sum exceeds @due
 *
 * Context: any. Return: events, at least 1.
 */
static inline u64 hwpmc_aim_left(u64 sum, u64 due, u64 put_off)
{
	u64 left = due - sum;

	/* Sums stay far below 2^63, so a difference that is negative as s64 is overdue. */
	if (likely((s64)left > 0))
		return left;
	return put_off ? put_off - left : 1;
}

/**
 * typedef hwpmc_overflow_fn - the core's handler of overflow interrupts
 * @class: of the rows
 * @rows: rows that overflowed; 0 if the interrupt found none
 * @regs: registers of the interrupted code
 *
 * Called by the machine on the CPU concerned, with interrupts off; from an NMI if
 * HWPMC_OVERFLOW_IS_NMI. It folds the contexts that use these rows, which also clears their
 * overflow flags, and sets the next period of rows that sample.
 */
typedef void (*hwpmc_overflow_fn)(const struct hwpmc_class *class, u64 rows,
				  struct pt_regs *regs);

/**
 * struct hwpmc_overflow_ops - the core's functions for an overflow interrupt
 * @overflow: called for each class with rows that overflowed
 * @end: called last, once the PMU is ready for the next overflow. @begun: hwpmc_arch_clock()
 *	when the handler began. The core charges the interrupt's time
 */
struct hwpmc_overflow_ops {
	hwpmc_overflow_fn overflow;
	void (*end)(u64 begun);
};

/**
 * struct hwpmc_machine - the machine
 * @vendor: "ARM", "GenuineIntel", ...
 * @pmu: description of the PMU
 * @cpuid: as in struct hwpmc_cpu_info
 * @classes: its classes
 * @class_count: number of @classes
 * @cpu_id: the value of @cpuid for @cpu, which has been online. Context: any
 * @problem: why the PMU cannot be claimed now: a sentence that says what to do; or NULL. Not
 *	called while the PMU is claimed. May make another driver's claim fail while it runs
 * @claim: reserve the PMU against other drivers. May sleep. Returns -EBUSY and sets *@why when
 *	another driver holds it. The core then calls @cpu_up on every online CPU
 * @unclaim: release the PMU; the core has called @cpu_down on every CPU. May sleep
 * @taken: whether the module of that name, which was loaded just now, uses the PMU although it is
 *	claimed; NULL: no module can. May sleep
 * @cpu_fits: on a CPU that comes online: whether it has every row that virtual PMCs may use;
 *	NULL: always
 * @cpu_up: on the CPU, interrupts off: stop all rows, enable the overflow interrupt
 * @cpu_down: on the CPU, interrupts off: stop all rows, disable the overflow interrupt
 * @cpu_resume: on the CPU, interrupts off, between @cpu_up and @cpu_down: stop all rows after the
 *	PMU may have lost its registers in deep idle. Deep idle leaves the overflow interrupt as it
 *	is. NULL if the PMU keeps its registers, as is assumed without CONFIG_CPU_PM
 */
struct hwpmc_machine {
	const char *vendor;
	const char *pmu;
	u64 cpuid;
	const struct hwpmc_class *const *classes;
	unsigned int class_count;

	u64 (*cpu_id)(int cpu);
	const char *(*problem)(void);
	int (*claim)(const struct hwpmc_overflow_ops *ops, const char **why);
	void (*unclaim)(void);
	bool (*taken)(const char *module);
	bool (*cpu_fits)(void);
	void (*cpu_up)(void);
	void (*cpu_down)(void);
	void (*cpu_resume)(void);
};

/**
 * hwpmc_arch_init - detect the machine
 *
 * Claims nothing. May sleep. Return: the machine; one without a PMU has fewer classes, possibly
 * none.
 */
const struct hwpmc_machine *hwpmc_arch_init(void);

/** hwpmc_arch_exit - undo hwpmc_arch_init(); the PMU is not claimed */
void hwpmc_arch_exit(void);

/**
 * hwpmc_arch_chain_kernel - read the return addresses on the kernel stack
 * @regs: in kernel mode, of this CPU's task or of the code that was interrupted; NULL: start
 *	from the caller
 * @to: out: innermost first, without the program counter of @regs
 * @room: size of @to
 *
 * Context: any, NMI included; never faults. Return: number of addresses.
 */
unsigned int hwpmc_arch_chain_kernel(struct pt_regs *regs, u64 *to, unsigned int room);

/**
 * hwpmc_arch_chain_user - read the return addresses of current in user mode, by frame pointers
 * @regs: of user mode
 * @to: out: innermost first, without the program counter of @regs
 * @room: size of @to
 *
 * Context: any, NMI included; never faults, so the chain ends at a page that is not present.
 * Return: number of addresses.
 */
unsigned int hwpmc_arch_chain_user(const struct pt_regs *regs, u64 *to, unsigned int room);

/**
 * hwpmc_arch_user_passing - whether task_pt_regs() of current are incomplete
 * @regs: registers of the interrupted code, in kernel mode
 * @pc: out: if they are, the program counter at which user mode was left, or 0 if unknown;
 *	else unchanged
 *
 * During the kernel's entry and exit they may be those of an earlier entry, or a mixture. Called
 * only if HWPMC_OVERFLOW_IS_NMI: entry and exit run with ordinary interrupts off. Context: NMI.
 */
bool hwpmc_arch_user_passing(const struct pt_regs *regs, u64 *pc);

/**
 * hwpmc_arch_user_regs - copy user registers in the order of their DWARF numbers
 * @regs: of user mode
 * @to: out: HWPMC_ARCH_REGS registers
 */
void hwpmc_arch_user_regs(const struct pt_regs *regs, u64 *to);

/**
 * hwpmc_arch_call_args - read the arguments of a function of current in user mode
 * @regs: of user mode, where the function begins
 * @to: out: the arguments, as if each were an integer or a pointer. One that is on the stack is 0
 *	if its page is not present
 * @count: how many
 *
 * Context: any but NMI; never faults.
 */
void hwpmc_arch_call_args(const struct pt_regs *regs, u64 *to, unsigned int count);

/**
 * hwpmc_arch_call_caller - read where a function of current in user mode returns to
 * @regs: of user mode, where the function begins
 *
 * Context: any but NMI; never faults. Return: the address; 0 if the page that has it is not
 * present.
 */
u64 hwpmc_arch_call_caller(const struct pt_regs *regs);

/**
 * typedef hwpmc_soft_timer_fn - the core's timer for PMCs that sample the clock of class SOFT
 * @at: CLOCK_MONOTONIC in ns
 *
 * Makes the core call its handler of overflows on this CPU at that time at the latest; earlier
 * calls are harmless. Context: interrupts off; may be an NMI.
 */
typedef void hwpmc_soft_timer_fn(u64 at);

/** hwpmc_soft_set_timer - set the timer of the clock; called once, before any PMC exists */
void hwpmc_soft_set_timer(hwpmc_soft_timer_fn *timer);

/** hwpmc_soft_class - events that the kernel counts for every task, on any machine */
extern const struct hwpmc_class hwpmc_soft_class;

/** hwpmc_mock_class - counters for tests, enabled by a module parameter */
extern const struct hwpmc_class hwpmc_mock_class;

#endif /* HWPMC_ARCH_H */
