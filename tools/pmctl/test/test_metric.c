// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "check.h"
#include "run/metric.h"

static const struct event cycles = { .kind = KIND_CYCLES };
static const struct event cycles_u = { .kind = KIND_CYCLES, .modifiers = MODIFIER_USER };
static const struct event cycles_uk = { .kind = KIND_CYCLES,
					.modifiers = MODIFIER_USER | MODIFIER_KERNEL };
static const struct event instructions = { .kind = KIND_INSTRUCTIONS };
static const struct event branches = { .kind = KIND_BRANCHES };
static const struct event task_clock = { .kind = KIND_TASK_CLOCK };
static const struct event off_cpu = { .kind = KIND_OFF_CPU };
static const struct event misses = { .kind = KIND_BRANCH_MISSES };

static struct metric of(const struct measured *all, unsigned int count, double seconds)
{
	return metric_of(all, count, 0, seconds);
}

static int says(struct metric metric, double value, const char *unit)
{
	return metric.unit && !strcmp(metric.unit, unit) && fabs(metric.value - value) < 1e-9;
}

int main(void)
{
	const struct measured ipc[] = { { &instructions, true, 136 }, { &cycles, true, 100 } };
	const struct measured no_cycles[] = { { &instructions, true, 136 }, { &cycles, false, 0 } };
	const struct measured zero[] = { { &instructions, true, 136 }, { &cycles, true, 0 } };
	const struct measured user[] = { { &instructions, true, 136 }, { &cycles_u, true, 100 } };
	const struct measured both[] = { { &instructions, true, 136 }, { &cycles_uk, true, 100 } };
	const struct measured missed[] = { { &misses, true, 3 }, { &branches, true, 200 } };
	const struct measured not_there[] = { { &misses, false, 0 }, { &branches, true, 200 } };
	const struct measured clock[] = { { &cycles, true, 3e9 } };
	const struct measured used[] = { { &task_clock, true, 3e9 } };
	const struct measured off[] = { { &off_cpu, true, 3e9 } };
	const struct measured user_clock[] = { { &cycles_u, true, 3e9 } };

	check(says(of(ipc, 2, 0), 1.36, "insn per cycle"), "instructions per cycle");
	check(!of(no_cycles, 2, 0).unit, "not without cycles");
	check(!of(zero, 2, 0).unit, "not over 0 cycles");
	check(!of(user, 2, 0).unit, "not over cycles of another mode");
	check(says(of(both, 2, 0), 1.36, "insn per cycle"), ":uk is the same as no modifier");
	check(says(of(missed, 2, 0), 1.5, "of all branches") && of(missed, 2, 0).percent,
	      "misses in percent");
	check(!of(not_there, 2, 5).unit, "nothing of what was not counted");
	check(says(of(clock, 1, 2), 1.5, "GHz"), "cycles a second are GHz");
	check(!of(clock, 1, 0).unit, "not without the time");
	check(says(of(used, 1, 2), 1.5, "CPUs utilized"), "nanoseconds a second are CPUs");
	check(says(of(off, 1, 2), 1.5, "threads off the CPU"), "or threads that are off the CPU");
	check(says(of(user_clock, 1, 2), 1.5, "G/sec"), "cycles of one mode are no frequency");
	return check_result();
}
