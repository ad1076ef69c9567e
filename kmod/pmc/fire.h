/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of probes: counting and sampling them. kmod/probe/ calls hwpmc_fire() when one occurs;
 * link.c keeps the table of links. Used by call/ for PMCs of class PROBE.
 */
#ifndef HWPMC_FIRE_H
#define HWPMC_FIRE_H

#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/types.h>
#include <uapi/linux/hwpmc_log.h>

struct hwpmc_class;
struct hwpmc_link;
struct pt_regs;

/**
 * struct hwpmc_probe_cpu - a probe on one CPU
 * @links: the links in the CPU's own context
 * @slow: how many of @links have conditions or write records
 * @skipped: events that were not counted
 *
 * @links and @slow are changed under the lock of the CPU's context, and @skipped on the CPU.
 */
struct hwpmc_probe_cpu {
	struct hlist_head links;
	unsigned int slow;
	u64 skipped;
};

/**
 * struct hwpmc_probe - what PMCs of class PROBE count: a place in the kernel, or in programs
 * @cpu: its part for each CPU
 * @missed: returns the number of events that the kernel did not report at all, or NULL
 *
 * It is freed when no PMC uses it and its provider no longer calls hwpmc_fire() for it.
 */
struct hwpmc_probe {
	struct hwpmc_probe_cpu __percpu *cpu;
	u64 (*missed)(const struct hwpmc_probe *probe);
};

/*
 * The function that the user registers of an event belong to. It determines the address that a walk
 * of frame pointers misses, and that the module adds: see hwpmc_tail_user_first().
 */
enum hwpmc_fired_frame {
	HWPMC_FRAME_ANY,	/* not known: only frame pointers are used */
	HWPMC_FRAME_CALLED,	/* the probed function, at its entry: it has no frame */
	HWPMC_FRAME_CALLER,	/* the caller of the probed function, which has returned */
};

/**
 * struct hwpmc_fired - an event of a probe
 * @regs: registers at the place of the event, in user or kernel mode; NULL: not known. Call chains
 *	then begin at @pc, the address to which the handler in this module returns
 * @pc: the place, if it is not that of @regs; else 0
 * @retval: what was returned there
 * @frame: enum hwpmc_fired_frame
 * @flags: HWPMC_PROBE_* of a PROBE record
 * @get_args: writes the event's first @count arguments, at most HWPMC_PROBE_ARGS_MAX, to @to.
 *	Called by hwpmc_fire() if a sample or a condition needs arguments; NULL: they are 0
 * @of_user: addresses among the arguments, and what is returned, are of user mode
 */
struct hwpmc_fired {
	struct pt_regs *regs;
	unsigned long pc;
	u64 retval;
	u16 flags;
	u8 frame;
	bool of_user;
	void (*get_args)(const struct hwpmc_fired *fired, u64 *to, unsigned int count);
};

/**
 * struct hwpmc_fire_irqs - what hwpmc_fire_begin() changed
 * @flags: the interrupt flags
 * @lockdep_on: whether lockdep had interrupts on
 */
struct hwpmc_fire_irqs {
	unsigned long flags;
	bool lockdep_on;
};

/**
 * hwpmc_fire_begin - turn interrupts off for an event
 *
 * Does not call the tracepoints of local_irq_save(), which may be the probed ones. Changes
 * lockdep's state, too: otherwise a fault on user memory that a record copies would set it to off,
 * and leave it so, since the registers to which the fault returns have interrupts off.
 *
 * Context: any. Return: for hwpmc_fire_end().
 */
static __always_inline struct hwpmc_fire_irqs hwpmc_fire_begin(void)
{
	struct hwpmc_fire_irqs irqs;

	raw_local_irq_save(irqs.flags);
	irqs.lockdep_on = lockdep_hardirqs_enabled();
	if (irqs.lockdep_on)
		lockdep_hardirqs_off(_THIS_IP_);
	return irqs;
}

/* End hwpmc_fire_begin(). */
static __always_inline void hwpmc_fire_end(struct hwpmc_fire_irqs irqs)
{
	if (irqs.lockdep_on) {
		lockdep_hardirqs_on_prepare();
		lockdep_hardirqs_on(_THIS_IP_);
	}
	raw_local_irq_restore(irqs.flags);
}

/* kmod/pmc/fire.c */
extern const struct hwpmc_class hwpmc_fire_class;
int hwpmc_fire_enable(void);
void hwpmc_fire_disable(void);
void hwpmc_fire_exit(void);
void hwpmc_fire_add(struct hwpmc_link *link);
void hwpmc_fire_remove(struct hwpmc_link *link);
void hwpmc_fire_skip(struct hwpmc_probe *probe, u64 events);
void hwpmc_fire(struct hwpmc_probe *probe, const struct hwpmc_fired *fired);
void hwpmc_fire_irqs_off(struct hwpmc_probe *probe, const struct hwpmc_fired *fired);
u64 hwpmc_fire_skipped(const struct hwpmc_probe *probe, int cpu);

#endif /* HWPMC_FIRE_H */
