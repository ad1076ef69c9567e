// SPDX-License-Identifier: GPL-2.0-only
/*
 * Class MOCK, for tests on any machine: four counters of 64 bits. It exists when the module is
 * loaded with mock=1.
 *
 * Event 0 counts microseconds, event 1 the reads of the counter itself, so that a test can
 * predict values without hardware.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <uapi/linux/hwpmc.h>

#include "../hwpmc_arch.h"

#define MOCK_ROWS		4
#define MOCK_EVENT_USECS	0
#define MOCK_EVENT_READS	1
#define MOCK_EVENTS		2

struct mock_row {
	u64 sel;
	bool runs;
	u64 reads;
	u64 preset;
};

static DEFINE_PER_CPU(struct mock_row [MOCK_ROWS], mock_rows);

static int mock_encode(const struct hwpmc_request *req, int cpu, struct hwpmc_encoding *enc)
{
	if (req->event >= MOCK_EVENTS || req->config[0] || req->config[1]) {
		enc->why = "class MOCK has only the events 0 (microseconds) and 1 (reads)";
		return -EINVAL;
	}
	if (req->caps & ~hwpmc_mock_class.caps) {
		enc->why = "class MOCK lacks a requested capability";
		return -EOPNOTSUPP;
	}
	enc->sel.event = req->event;
	enc->rows = GENMASK_ULL(MOCK_ROWS - 1, 0);
	enc->prefer = 0;
	return 0;
}

static void mock_row_name(unsigned int row, char *buf, size_t size)
{
	snprintf(buf, size, "mock counter %u", row);
}

static unsigned int mock_row_width(unsigned int row)
{
	return 64;
}

static bool mock_row_exists(int cpu, unsigned int row)
{
	return true;
}

static void mock_program(unsigned int row, const struct hwpmc_select *sel, u64 value)
{
	struct mock_row *mock = this_cpu_ptr(&mock_rows[row]);

	mock->sel = sel->event;
	mock->reads = 0;
	mock->preset = value;
	mock->runs = true;
}

static void mock_clear(unsigned int row)
{
	this_cpu_ptr(&mock_rows[row])->runs = false;
}

static u64 mock_read(unsigned int row)
{
	struct mock_row *mock = this_cpu_ptr(&mock_rows[row]);

	WARN_ON_ONCE(!mock->runs);
	if (mock->sel == MOCK_EVENT_READS)
		return mock->preset + mock->reads++;
	/* Not local_clock(): with an unstable TSC it advances only at ticks. */
	return mock->preset + ktime_get_ns() / NSEC_PER_USEC;
}

static void mock_in(struct hwpmc_slot *slots, u64 rows)
{
	for (; rows; rows &= rows - 1)
		slots[__ffs64(rows)].start = mock_read(__ffs64(rows));
}

static void mock_fold(struct hwpmc_slot *slots, u64 rows)
{
	for (; rows; rows &= rows - 1) {
		struct hwpmc_slot *slot = &slots[__ffs64(rows)];
		u64 now = mock_read(__ffs64(rows));

		slot->sum += now - slot->start;
		slot->start = now;
	}
}

static void mock_ack(u64 rows)
{
}

const struct hwpmc_class hwpmc_mock_class = {
	.id		= HWPMC_CLASS_MOCK,
	.name		= "MOCK",
	.rows		= MOCK_ROWS,
	.width		= 64,
	.caps		= HWPMC_CAP_USER | HWPMC_CAP_SYSTEM | HWPMC_CAP_READ | HWPMC_CAP_WRITE,
	.public		= true,
	.encode		= mock_encode,
	.row_name	= mock_row_name,
	.row_width	= mock_row_width,
	.row_exists	= mock_row_exists,
	.program	= mock_program,
	.clear		= mock_clear,
	.in		= mock_in,
	.fold		= mock_fold,
	.ack		= mock_ack,
};
