// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>

#include "run/metric.h"

/* The ratio of two events, if both were counted in the same modes. */
static const struct ratio {
	enum kind above;
	enum kind below;
	bool percent;
	const char *unit;
} ratios[] = {
	{ KIND_INSTRUCTIONS, KIND_CYCLES, false, "insn per cycle" },
	{ KIND_BRANCH_MISSES, KIND_BRANCHES, true, "of all branches" },
	{ KIND_CACHE_MISSES, KIND_CACHE_REFERENCES, true, "of all cache refs" },
	{ KIND_STALLED_FRONTEND, KIND_CYCLES, true, "frontend cycles idle" },
	{ KIND_STALLED_BACKEND, KIND_CYCLES, true, "backend cycles idle" },
	{ KIND_L1D_LOAD_MISSES, KIND_L1D_LOADS, true, "of all L1-dcache accesses" },
	{ KIND_L1I_LOAD_MISSES, KIND_L1I_LOADS, true, "of all L1-icache accesses" },
	{ KIND_LLC_LOAD_MISSES, KIND_LLC_LOADS, true, "of all LL-cache accesses" },
	{ KIND_DTLB_LOAD_MISSES, KIND_DTLB_LOADS, true, "of all dTLB cache accesses" },
	{ KIND_ITLB_LOAD_MISSES, KIND_ITLB_LOADS, true, "of all iTLB cache accesses" },
};

/* ":uk" means the same as no modifier. */
static unsigned int mode_of(const struct event *event)
{
	return event->modifiers ? event->modifiers : MODIFIER_USER | MODIFIER_KERNEL;
}

static const struct measured *find(const struct measured *all, unsigned int count, enum kind kind,
				   const struct event *beside)
{
	for (unsigned int i = 0; i < count; i++)
		if (all[i].counted && all[i].event->kind == kind &&
		    mode_of(all[i].event) == mode_of(beside))
			return &all[i];
	return NULL;
}

static struct metric ratio_of(const struct measured *all, unsigned int count,
			      const struct measured *this)
{
	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		const struct ratio *ratio = &ratios[i];
		const struct measured *below;

		if (ratio->above != this->event->kind)
			continue;
		below = find(all, count, ratio->below, this->event);
		if (below && below->value > 0)
			return (struct metric){ this->value / below->value *
						(ratio->percent ? 100.0 : 1.0),
						ratio->unit, ratio->percent, 2 };
	}
	return (struct metric){ 0 };
}

static struct metric rate_of(const struct measured *this, double seconds)
{
	double rate = this->value / seconds;

	if (this->event->kind == KIND_TASK_CLOCK)
		return (struct metric){ rate / 1e9, "CPUs utilized", false, 3 };
	if (this->event->kind == KIND_OFF_CPU)
		return (struct metric){ rate / 1e9, "threads off the CPU", false, 3 };
	/* Cycles of one mode divided by the time of both modes are not a frequency. */
	if (this->event->kind == KIND_CYCLES &&
	    mode_of(this->event) == (MODIFIER_USER | MODIFIER_KERNEL))
		return (struct metric){ rate / 1e9, "GHz", false, 3 };
	if (rate >= 1e9)
		return (struct metric){ rate / 1e9, "G/sec", false, 3 };
	if (rate >= 1e6)
		return (struct metric){ rate / 1e6, "M/sec", false, 3 };
	if (rate >= 1e3)
		return (struct metric){ rate / 1e3, "K/sec", false, 3 };
	return (struct metric){ rate, "/sec", false, 3 };
}

struct metric metric_of(const struct measured *all, unsigned int count, unsigned int index,
			double seconds)
{
	const struct measured *this = &all[index];
	struct metric metric = { 0 };

	if (!this->counted)
		return metric;
	metric = ratio_of(all, count, this);
	if (!metric.unit && seconds > 0)
		metric = rate_of(this, seconds);
	return metric;
}
