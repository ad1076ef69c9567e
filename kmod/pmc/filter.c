// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conditions that an event of a probe must meet to be counted: on the thread, on an argument, or on
 * what was returned. Called by fire.c for each event of a PMC that has conditions.
 */
#include <linux/sched.h>
#include <linux/string.h>

#include "../compat/compat.h"
#include "filter.h"
#include "fire.h"
#include "link.h"
#include "pid.h"

/* Whether a number meets a condition, which compares its lowest bytes. */
static bool hwpmc_filter_compare(const struct hwpmc_filter *it, u64 number)
{
	unsigned int unused = 64 - 8 * it->bytes;
	u64 left = number << unused, right = it->value << unused;

	switch (it->op) {
	case HWPMC_FILTER_EQ:
		return left == right;
	case HWPMC_FILTER_NE:
		return left != right;
	case HWPMC_FILTER_LT:
		return (s64)left < (s64)right;
	case HWPMC_FILTER_GT:
		return (s64)left > (s64)right;
	case HWPMC_FILTER_BELOW:
		return left < right;
	case HWPMC_FILTER_ABOVE:
		return left > right;
	default:
		return left & right;
	}
}

static bool hwpmc_filter_meets(const struct hwpmc_filter *it, const struct hwpmc_link *link,
			       const struct hwpmc_fired *fired, const u64 *args)
{
	s32 pid, tid;

	switch (it->field) {
	case HWPMC_FILTER_ARG:
		return hwpmc_filter_compare(it, args[it->arg]);
	case HWPMC_FILTER_RETVAL:
		return hwpmc_filter_compare(it, fired->retval);
	case HWPMC_FILTER_COMM:
		return !strncmp(current->comm, it->comm, TASK_COMM_LEN) ==
		       (it->op == HWPMC_FILTER_EQ);
	case HWPMC_FILTER_CGROUP:
		return hwpmc_task_in_cgroup(current, it->value, it->bytes) ==
		       (it->op == HWPMC_FILTER_EQ);
	default:
		hwpmc_pid_numbers(link->owner, link->thread, &pid, &tid);
		return hwpmc_filter_compare(it, it->field == HWPMC_FILTER_PID ? pid : tid);
	}
}

/**
 * hwpmc_filter_passes - whether an event meets all conditions of a PMC
 * @link: of the PMC, active on this CPU; it has conditions
 * @fired: the event
 *
 * Context: interrupts off, or NMI; never faults.
 */
bool hwpmc_filter_passes(const struct hwpmc_link *link, const struct hwpmc_fired *fired)
{
	const struct hwpmc_filters *filters = link->filters;
	u64 args[HWPMC_PROBE_ARGS_MAX] = {};
	u32 i;

	if (filters->args && fired->get_args)
		fired->get_args(fired, args, filters->args);
	for (i = 0; i < filters->count; i++)
		if (!hwpmc_filter_meets(&filters->list[i], link, fired, args))
			return false;
	return true;
}
