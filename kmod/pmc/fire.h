/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of probes: counting and sampling them. kmod/probe/ calls hwpmc_fire() when one occurs;
 * link.c keeps the table of links. Used by call/ for PMCs of class PROBE.
 */
#ifndef HWPMC_FIRE_H
#define HWPMC_FIRE_H

#include <linux/types.h>
#include <uapi/linux/hwpmc_log.h>

struct hwpmc_class;
struct hwpmc_link;
struct pt_regs;

/**
 * struct hwpmc_probe - what PMCs of class PROBE count: a place in the kernel, or in programs
 * @skipped: events that were not counted, on each CPU
 * @missed: returns the number of those that the kernel did not report at all, or NULL
 *
 * It exists while a PMC uses it, and until no provider calls hwpmc_fire() for it any more.
 */
struct hwpmc_probe {
	u64 __percpu *skipped;
	u64 (*missed)(const struct hwpmc_probe *probe);
};

/* What the frame is in which user mode is: call chains by frame pointers lack the one above it. */
enum hwpmc_fired_frame {
	HWPMC_FRAME_ANY,	/* not known: frame pointers begin with it */
	HWPMC_FRAME_CALLED,	/* a function that begins, and has none yet */
	HWPMC_FRAME_CALLER,	/* a function returned to it: it is above that of @pc */
};

/**
 * struct hwpmc_fired - an event of a probe
 * @regs: registers at the place of the event, in user or kernel mode; NULL: not known, and call
 *	chains begin at @pc, to which the module returns
 * @pc: the place, if it is not that of @regs; else 0
 * @retval: what was returned there
 * @frame: enum hwpmc_fired_frame
 * @flags: HWPMC_PROBE_* of a PROBE record
 * @get_args: writes the event's first @count arguments, at most HWPMC_PROBE_ARGS_MAX, to @to.
 *	Called by hwpmc_fire(), if a sample has arguments; NULL: they are 0
 * @data: for @get_args
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
	const void *data;
};

/* kmod/pmc/fire.c */
extern const struct hwpmc_class hwpmc_fire_class;
int hwpmc_fire_enable(void);
void hwpmc_fire_disable(void);
void hwpmc_fire_exit(void);
void hwpmc_fire_add(struct hwpmc_link *link);
void hwpmc_fire_remove(struct hwpmc_link *link);
void hwpmc_fire_skip(struct hwpmc_probe *probe, u64 events);
void hwpmc_fire(struct hwpmc_probe *probe, const struct hwpmc_fired *fired);
u64 hwpmc_fire_skipped(const struct hwpmc_probe *probe, int cpu);

#endif /* HWPMC_FIRE_H */
