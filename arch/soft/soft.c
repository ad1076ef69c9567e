// SPDX-License-Identifier: GPL-2.0-only
/*
 * Class SOFT: events that the kernel counts for every task, on any machine. Each row is one
 * event and can be shared, since there is nothing to program. The clock can sample: a timer of the
 * core is its overflow interrupt. Off-CPU time can sample, too: when it is added, the core takes
 * the sample.
 *
 * The counters are those of current, so a slot has the events of the task while it was on a CPU.
 * Migrations and off-CPU time occur while the task is off the CPU, and are added when it is
 * scheduled in.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <uapi/linux/hwpmc.h>

#include "../hwpmc_arch.h"

static const char *const soft_names[] = {
	[HWPMC_SOFT_CLOCK]		= "clock (ns)",
	[HWPMC_SOFT_SWITCHES]		= "context switches",
	[HWPMC_SOFT_FAULTS]		= "page faults",
	[HWPMC_SOFT_FAULTS_MINOR]	= "minor page faults",
	[HWPMC_SOFT_FAULTS_MAJOR]	= "major page faults",
	[HWPMC_SOFT_MIGRATIONS]		= "migrations",
	[HWPMC_SOFT_OFF_CPU]		= "off-CPU time (ns)",
};

/* Rows whose events are added when the context is scheduled in. */
#define SOFT_OFF	(BIT_ULL(HWPMC_SOFT_MIGRATIONS) | BIT_ULL(HWPMC_SOFT_OFF_CPU))

static hwpmc_soft_timer_fn *soft_timer;

/* See hwpmc_arch.h. */
void hwpmc_soft_set_timer(hwpmc_soft_timer_fn *timer)
{
	soft_timer = timer;
}

static int soft_encode(const struct hwpmc_request *req, int cpu, struct hwpmc_encoding *enc)
{
	const u64 both = HWPMC_CAP_USER | HWPMC_CAP_SYSTEM;

	if (req->event >= ARRAY_SIZE(soft_names) || req->config[0] || req->config[1]) {
		enc->why = "class SOFT has only the events 0 (clock) to 6 (off-CPU time)";
		return -EINVAL;
	}
	if (req->caps & ~hwpmc_soft_class.caps) {
		enc->why = "a software event cannot be set, and has no qualifiers";
		return -EOPNOTSUPP;
	}
	if ((req->caps & HWPMC_CAP_INTERRUPT) && req->event != HWPMC_SOFT_CLOCK &&
	    req->event != HWPMC_SOFT_OFF_CPU) {
		enc->why = "of the software events only the clock (0) and off-CPU time (6) can sample";
		return -EOPNOTSUPP;
	}
	if ((req->caps & both) != both && !(req->caps & HWPMC_CAP_INTERRUPT)) {
		enc->why = "a software event counts user and kernel mode together";
		return -EOPNOTSUPP;
	}
	if (cpu >= 0 && req->event == HWPMC_SOFT_OFF_CPU) {
		enc->why = "off-CPU time is that of tasks: attach it to a process (mode TC or TS)";
		return -EINVAL;
	}
	if (cpu >= 0 && req->event != HWPMC_SOFT_CLOCK) {
		enc->why = "a CPU has only a count of its clock: count the other software events for tasks (mode TC)";
		return -EINVAL;
	}
	enc->rows = BIT_ULL(req->event);
	enc->prefer = 0;
	return 0;
}

static void soft_row_name(unsigned int row, char *buf, size_t size)
{
	strscpy(buf, soft_names[row], size);
}

static unsigned int soft_row_width(unsigned int row)
{
	return 64;
}

static bool soft_row_exists(int cpu, unsigned int row)
{
	return true;
}

static void soft_program(unsigned int row, const struct hwpmc_select *sel, u64 value)
{
}

static void soft_clear(unsigned int row)
{
}

static u64 soft_read(unsigned int row)
{
	switch (row) {
	case HWPMC_SOFT_CLOCK:
	case HWPMC_SOFT_OFF_CPU:
		/* The fast clock, because an overflow NMI also folds the rows of this class. */
		return ktime_get_mono_fast_ns();
	case HWPMC_SOFT_SWITCHES:
		/* At schedule out the current switch is already counted. */
		return current->nvcsw + current->nivcsw;
	case HWPMC_SOFT_FAULTS:
		return current->min_flt + current->maj_flt;
	case HWPMC_SOFT_FAULTS_MINOR:
		return current->min_flt;
	case HWPMC_SOFT_FAULTS_MAJOR:
		return current->maj_flt;
	default:
		return current->se.nr_migrations;
	}
}

/*
 * The start of these rows is from an earlier use of the slot: what occurred since is not counted.
 */
static void soft_begin(struct hwpmc_slot *slots, u64 rows)
{
	for (rows &= SOFT_OFF; rows; rows &= rows - 1)
		slots[__ffs64(rows)].start = soft_read(__ffs64(rows));
}

static void soft_fold(struct hwpmc_slot *slots, u64 rows)
{
	/* The task runs, so there is nothing to add. Its off-CPU time begins at the last fold. */
	if (unlikely(rows & BIT_ULL(HWPMC_SOFT_OFF_CPU))) {
		slots[HWPMC_SOFT_OFF_CPU].start = soft_read(HWPMC_SOFT_OFF_CPU);
		rows &= ~BIT_ULL(HWPMC_SOFT_OFF_CPU);
	}
	for (; rows; rows &= rows - 1) {
		struct hwpmc_slot *slot = &slots[__ffs64(rows)];
		u64 now = soft_read(__ffs64(rows));

		slot->sum += now - slot->start;
		slot->start = now;
	}
}

static void soft_add_off(struct hwpmc_slot *slots, u64 rows)
{
	for (; rows; rows &= rows - 1) {
		struct hwpmc_slot *slot = &slots[__ffs64(rows)];
		u64 now = soft_read(__ffs64(rows));

		/* The fast clocks of two CPUs may differ by more than the time between them. */
		if ((s64)(now - slot->start) > 0)
			slot->sum += now - slot->start;
		slot->start = now;
	}
}

static void soft_in(struct hwpmc_slot *slots, u64 rows)
{
	for (rows &= ~SOFT_OFF; rows; rows &= rows - 1)
		slots[__ffs64(rows)].start = soft_read(__ffs64(rows));
}

/* Called for the clock only: off-CPU time raises no interrupt. */
static u64 soft_aim(struct hwpmc_slot *slots, unsigned int row, u64 due, u64 put_off)
{
	struct hwpmc_slot *slot = &slots[row];
	u64 left;

	soft_fold(slots, BIT_ULL(row));
	left = hwpmc_aim_left(slot->sum, due, put_off);
	soft_timer(slot->start + left);
	return left;
}

/* The clock cannot be stopped. Its timer finds nothing due when it expires. */
static void soft_park(u64 rows)
{
}

static void soft_ack(u64 rows)
{
}

const struct hwpmc_class hwpmc_soft_class = {
	.id		= HWPMC_CLASS_SOFT,
	.name		= "SOFT",
	.rows		= ARRAY_SIZE(soft_names),
	.width		= 64,
	.caps		= HWPMC_CAP_INTERRUPT | HWPMC_CAP_USER | HWPMC_CAP_SYSTEM | HWPMC_CAP_READ,
	.period_min	= 10 * NSEC_PER_USEC,
	.shareable	= true,
	.public		= true,
	.encode		= soft_encode,
	.row_name	= soft_row_name,
	.row_width	= soft_row_width,
	.row_exists	= soft_row_exists,
	.program	= soft_program,
	.aim		= soft_aim,
	.park		= soft_park,
	.clear		= soft_clear,
	.begin		= soft_begin,
	.in		= soft_in,
	.off_rows	= SOFT_OFF,
	.add_off	= soft_add_off,
	.fold		= soft_fold,
	.wrapped	= soft_fold,
	.ack		= soft_ack,
};
