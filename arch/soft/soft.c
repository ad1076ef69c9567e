// SPDX-License-Identifier: GPL-2.0-only
/*
 * Class SOFT: events that the kernel counts for every task, on any machine. Each row is one
 * event and can be shared, since there is nothing to program.
 *
 * The counters are those of current, so a slot has the events of the task while it was on a CPU.
 * Migrations and wake-ups happen off the CPU, so the class does not have them.
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
};

static int soft_encode(const struct hwpmc_request *req, int cpu, struct hwpmc_encoding *enc)
{
	const u32 both = HWPMC_CAP_USER | HWPMC_CAP_SYSTEM;

	if (req->event >= ARRAY_SIZE(soft_names) || req->config[0] || req->config[1]) {
		enc->why = "class SOFT has only the events 0 (clock) to 4 (major page faults)";
		return -EINVAL;
	}
	if ((req->caps & both) != both || (req->caps & ~hwpmc_soft_class.caps)) {
		enc->why = "a software event counts user and kernel mode together, cannot be set and does not interrupt";
		return -EOPNOTSUPP;
	}
	if (cpu >= 0 && req->event != HWPMC_SOFT_CLOCK) {
		enc->why = "a CPU has no count of context switches and page faults: count them for tasks (mode TC)";
		return -EOPNOTSUPP;
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
		/* The fast clock, because an overflow NMI also folds the rows of this class. */
		return ktime_get_mono_fast_ns();
	case HWPMC_SOFT_SWITCHES:
		/* At schedule out the current switch is already counted. */
		return current->nvcsw + current->nivcsw;
	case HWPMC_SOFT_FAULTS:
		return current->min_flt + current->maj_flt;
	case HWPMC_SOFT_FAULTS_MINOR:
		return current->min_flt;
	default:
		return current->maj_flt;
	}
}

static void soft_in(struct hwpmc_slot *slots, u64 rows)
{
	for (; rows; rows &= rows - 1)
		slots[__ffs64(rows)].start = soft_read(__ffs64(rows));
}

static void soft_fold(struct hwpmc_slot *slots, u64 rows)
{
	for (; rows; rows &= rows - 1) {
		struct hwpmc_slot *slot = &slots[__ffs64(rows)];
		u64 now = soft_read(__ffs64(rows));

		slot->sum += now - slot->start;
		slot->start = now;
	}
}

static void soft_ack(u64 rows)
{
}

const struct hwpmc_class hwpmc_soft_class = {
	.id		= HWPMC_CLASS_SOFT,
	.name		= "SOFT",
	.rows		= ARRAY_SIZE(soft_names),
	.width		= 64,
	.caps		= HWPMC_CAP_USER | HWPMC_CAP_SYSTEM | HWPMC_CAP_READ,
	.shareable	= true,
	.public		= true,
	.encode		= soft_encode,
	.row_name	= soft_row_name,
	.row_width	= soft_row_width,
	.row_exists	= soft_row_exists,
	.program	= soft_program,
	.clear		= soft_clear,
	.in		= soft_in,
	.fold		= soft_fold,
	.ack		= soft_ack,
};
