/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the machine-independent module knows of a machine.
 *
 * Two tiers, as in hwpmc(4): a machine (struct hwpmc_machine) has classes
 * (struct hwpmc_class), a class has rows. The core numbers all rows of all
 * classes through; a class numbers its own from 0 (at most 64, since a set of
 * its rows travels as a u64). Nothing here knows owners, targets or tasks: a
 * class accumulates into the slots it is handed.
 */
#ifndef HWPMC_ARCH_H
#define HWPMC_ARCH_H

#include <linux/types.h>

struct pt_regs;

/**
 * struct hwpmc_slot - what one context (a thread, or a CPU) counted on one row
 * @sum: events counted so far
 * @start: the counter when @sum was last brought up to date; meaningful only
 *	while the context is on a CPU
 *
 * Both are written only on the CPU the context is on, interrupts off. The
 * invariant that makes @sum exact: no overflow that happened before @start was
 * read is still flagged in the hardware.
 */
struct hwpmc_slot {
	u64 sum;
	u64 start;
};

/**
 * struct hwpmc_request - an event as the user asked for it
 * @event: number in the class
 * @config: class-specific
 * @caps: HWPMC_CAP_*; at least one of USER and SYSTEM is set
 */
struct hwpmc_request {
	u64 event;
	u64 config[2];
	u32 caps;
};

/**
 * struct hwpmc_select - what a row is to count, as its registers want it
 * @event: of the row's own selection register
 * @extra: of a register besides, shared between rows; see hwpmc_encoding.extra
 *
 * Two PMCs with the same selection on a row need no register written between
 * them. The core compares; only the class knows the meaning.
 */
struct hwpmc_select {
	u64 event;
	u64 extra;
};

/**
 * struct hwpmc_encoding - what a request comes to in this class
 * @sel: the row's selection
 * @extra: which register @sel.extra goes to, from 1, or 0 if none. All PMCs that
 *	use it at a time must agree on its value
 * @rows: rows of the class that can count it, where it was asked for
 * @prefer: of these, the ones to try first
 * @why: after an error, a sentence without a full stop; static storage
 */
struct hwpmc_encoding {
	struct hwpmc_select sel;
	unsigned int extra;
	u64 rows;
	u64 prefer;
	const char *why;
};

/** typedef hwpmc_switch_fn - struct hwpmc_class's in, or fold */
typedef void hwpmc_switch_fn(struct hwpmc_slot *slots, u64 rows);

/**
 * struct hwpmc_class - a kind of counter
 * @id: enum hwpmc_class_id of the uapi
 * @name: upper case, as hwpmc(4) names it
 * @rows: how many, 1 to 64
 * @width: of the widest counter, in bits
 * @caps: HWPMC_CAP_*
 * @shareable: a row serves any number of PMCs at once (a time-stamp counter)
 * @needs_pmu: allocating from it claims the machine's PMU
 * @public: it tells nothing that a user could not see without it, so counting in
 *	kernel mode needs no privilege
 * @encode: for @cpu, or for every CPU if that is -1. Touches no hardware. -EINVAL
 *	for an event that cannot be counted, -EOPNOTSUPP for @caps; sets @why
 * @row_name: "cycle counter", ...
 * @row_width: of one row, in bits
 * @row_exists: whether @cpu has this row
 *
 * The rest runs on the CPU concerned, interrupts off, never sleeping:
 * @program: stop row, select @sel, set the counter to @value's low bits, let it
 *	run. In an order that never lets a half-programmed counter count
 * @aim: fold row, then let it run so that it overflows when its slot's sum comes
 *	to @due: at once if it is there already, earlier if that is further than
 *	the counter can count. Returns how many events it is to count till then
 * @park: stop @rows until the next @aim or @program; what they counted can still
 *	be folded
 * @clear: stop row for good
 * @in: a context comes on: read the start of @rows, a set
 * @fold: bring the sums of @rows up to date, and their starts
 * @wrapped: the same of @rows whose overflow the interrupt has found, and which it aims
 *	next: until then they need not be ready to overflow again
 * @ack: drop the overflow flags of @rows, which nobody uses
 *
 * @in and @fold are the cost of a context switch: no register is written there
 * unless a counter overflowed. @aim and @park are for rows that sample; a class
 * without HWPMC_CAP_INTERRUPT has neither, nor @wrapped.
 */
struct hwpmc_class {
	u32 id;
	const char *name;
	unsigned int rows;
	unsigned int width;
	u32 caps;
	bool shareable;
	bool needs_pmu;
	bool public;

	int (*encode)(const struct hwpmc_request *req, int cpu,
		      struct hwpmc_encoding *enc);
	void (*row_name)(unsigned int row, char *buf, size_t size);
	unsigned int (*row_width)(unsigned int row);
	bool (*row_exists)(int cpu, unsigned int row);

	void (*program)(unsigned int row, const struct hwpmc_select *sel, u64 value);
	u64 (*aim)(struct hwpmc_slot *slots, unsigned int row, u64 due);
	void (*park)(u64 rows);
	void (*clear)(unsigned int row);
	hwpmc_switch_fn *in;
	hwpmc_switch_fn *fold;
	void (*wrapped)(struct hwpmc_slot *slots, u64 rows);
	void (*ack)(u64 rows);
};

/**
 * typedef hwpmc_overflow_fn - the core's answer to an overflow interrupt
 * @class: whose
 * @rows: that overflowed; 0 if the interrupt found nothing
 * @regs: what it interrupted
 *
 * Called by the machine on the CPU concerned, interrupts off; an NMI if
 * HWPMC_OVERFLOW_IS_NMI. Folds the sums of whoever uses these rows, which also
 * drops their flags, and aims rows that sample again.
 */
typedef void (*hwpmc_overflow_fn)(const struct hwpmc_class *class, u64 rows,
				  struct pt_regs *regs);

/**
 * struct hwpmc_machine - the machine
 * @vendor: "ARM", "GenuineIntel", ...
 * @pmu: what counts, in words
 * @cpuid: as in struct hwpmc_cpu_info
 * @classes: its classes
 * @class_count: how many
 * @problem: why the PMU cannot be had now, or NULL. A sentence that says what to do.
 *	Not called while it is claimed; who else would drive it may be refused meanwhile
 * @claim: take the PMU from whoever else drives it. May sleep. -EBUSY and *@why
 *	when it is held. The core then brings up every online CPU
 * @unclaim: give it back; every CPU was taken down before. May sleep
 * @cpu_fits: on a CPU that comes online: whether it has every row that virtual
 *	PMCs may use; NULL: always
 * @cpu_up: on the CPU, interrupts off: all rows stopped, interrupts possible
 * @cpu_down: on the CPU, interrupts off: all rows stopped, no interrupt any more
 */
struct hwpmc_machine {
	const char *vendor;
	const char *pmu;
	u64 cpuid;
	const struct hwpmc_class *const *classes;
	unsigned int class_count;

	const char *(*problem)(void);
	int (*claim)(hwpmc_overflow_fn overflow, const char **why);
	void (*unclaim)(void);
	bool (*cpu_fits)(void);
	void (*cpu_up)(void);
	void (*cpu_down)(void);
};

/**
 * hwpmc_arch_init - find out what this machine has
 *
 * Never claims anything. May sleep. Returns the machine; one without a PMU
 * still is a machine (with fewer classes, maybe none).
 */
const struct hwpmc_machine *hwpmc_arch_init(void);

/** hwpmc_arch_exit - undo hwpmc_arch_init(); the PMU is not claimed any more */
void hwpmc_arch_exit(void);

/**
 * hwpmc_arch_chain_kernel - return addresses in the kernel
 * @regs: in kernel mode, of this CPU's task or what interrupted it; NULL: from here
 * @to: innermost first; what @regs itself is at is not among them
 * @room: in @to
 *
 * Return: how many. Context: any, NMI included; never faults.
 */
unsigned int hwpmc_arch_chain_kernel(struct pt_regs *regs, u64 *to, unsigned int room);

/**
 * hwpmc_arch_chain_user - return addresses of current in user mode, by frame pointers
 * @regs: of user mode
 * @to: innermost first; what @regs itself is at is not among them
 * @room: in @to
 *
 * Return: how many. Context: any, NMI included; never faults, so it ends at a page
 * that is not there.
 */
unsigned int hwpmc_arch_chain_user(const struct pt_regs *regs, u64 *to, unsigned int room);

/**
 * hwpmc_arch_user_passing - whether task_pt_regs() of current are being saved or left
 * @regs: what was interrupted, in kernel mode
 * @pc: where user mode was left, if they are; 0 if that is not known; unchanged if they are not
 *
 * Then they may be of an earlier entry to the kernel, or of two. Only where
 * HWPMC_OVERFLOW_IS_NMI: other interrupts are closed there. Context: NMI.
 */
bool hwpmc_arch_user_passing(const struct pt_regs *regs, u64 *pc);

/**
 * hwpmc_arch_user_regs - user registers in the order of DWARF's numbers
 * @regs: of user mode
 * @to: HWPMC_ARCH_REGS of them
 */
void hwpmc_arch_user_regs(const struct pt_regs *regs, u64 *to);

/** hwpmc_soft_class - what the kernel counts for every task, on any machine */
extern const struct hwpmc_class hwpmc_soft_class;

/** hwpmc_mock_class - counters for tests, driven through a module parameter */
extern const struct hwpmc_class hwpmc_mock_class;

#endif /* HWPMC_ARCH_H */
