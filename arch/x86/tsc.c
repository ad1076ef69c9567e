// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: class TSC, the time-stamp counter: one row that can be shared. It cannot be stopped,
 * set or filtered (SDM volume 3, "Time-Stamp Counter"). Any program can read it, so the class
 * is public.
 */
#include <linux/errno.h>
#include <linux/string.h>
#include <asm/msr.h>
#include <asm/tsc.h>
#include <uapi/linux/hwpmc.h>

#include "tsc.h"

static int tsc_encode(const struct hwpmc_request *req, int cpu, struct hwpmc_encoding *enc)
{
	const u32 both = HWPMC_CAP_USER | HWPMC_CAP_SYSTEM;

	if (req->event || req->config[0] || req->config[1]) {
		enc->why = "class TSC has only event 0";
		return -EINVAL;
	}
	if ((req->caps & both) != both || (req->caps & ~x86_tsc_class.caps)) {
		enc->why = "the time-stamp counter counts user and kernel mode together, cannot be set and does not interrupt";
		return -EOPNOTSUPP;
	}
	enc->rows = 1;
	enc->prefer = 0;
	return 0;
}

static void tsc_row_name(unsigned int row, char *buf, size_t size)
{
	strscpy(buf, "time-stamp counter", size);
}

static unsigned int tsc_row_width(unsigned int row)
{
	return 64;
}

static bool tsc_row_exists(int cpu, unsigned int row)
{
	return true;
}

static void tsc_program(unsigned int row, const struct hwpmc_select *sel, u64 value)
{
}

static void tsc_clear(unsigned int row)
{
}

static void tsc_in(struct hwpmc_slot *slots, u64 rows)
{
	slots->start = rdtsc_ordered();
}

static void tsc_fold(struct hwpmc_slot *slots, u64 rows)
{
	u64 now = rdtsc_ordered();

	slots->sum += now - slots->start;
	slots->start = now;
}

static void tsc_ack(u64 rows)
{
}

const struct hwpmc_class x86_tsc_class = {
	.id		= HWPMC_CLASS_TSC,
	.name		= "TSC",
	.rows		= 1,
	.width		= 64,
	.caps		= HWPMC_CAP_USER | HWPMC_CAP_SYSTEM | HWPMC_CAP_READ,
	.shareable	= true,
	.public		= true,
	.encode		= tsc_encode,
	.row_name	= tsc_row_name,
	.row_width	= tsc_row_width,
	.row_exists	= tsc_row_exists,
	.program	= tsc_program,
	.clear		= tsc_clear,
	.in		= tsc_in,
	.fold		= tsc_fold,
	.ack		= tsc_ack,
};
