// SPDX-License-Identifier: GPL-2.0-only
/* Converts the records of the rings to lines, or adds them to aggregations. */
#include "base/clock.h"
#include "probe/probe.h"

/*
 * The module reads a record's time before it writes the record. It may write the record up to this
 * long after that time, in ns.
 */
#define SLACK	(10 * NS_PER_MS)

static void take_probe(struct probe_run *run, const struct hwpmc_log_probe *record)
{
	struct probe_options *options = &run->options;
	uint32_t pmc = intern_find(&run->ids, &record->sample.h.id);
	struct fired fired = { .record = record };

	if (pmc == INTERN_NONE)
		return;
	fired.number = run->session.counters[pmc].event;
	fired.of = &run->events[fired.number];
	run->ending.recorded++;
	for (unsigned int i = 0; i < options->aggregation_count; i++)
		aggregation_take(&options->aggregations[i], &fired, &run->names);
	if (!options->aggregation_count)
		run->print.ops->event(&run->print, &fired);
}

static void take(const struct hwpmc_log_header *record, void *context)
{
	struct probe_run *run = context;

	if (record->type == HWPMC_LOG_PROBE)
		take_probe(run, (const void *)record);
	else
		stack_names_take(&run->names, record);
}

static void keep(const struct hwpmc_log_header *record, void *context)
{
	order_add(context, record);
}

int probe_records_drain(struct probe_run *run)
{
	uint64_t begin = (uint64_t)clock_now();

	if (rings_drain(&run->rings, keep, &run->order))
		return -1;
	order_take(&run->order, begin - SLACK, take, run);
	fflush(run->print.out);
	return 0;
}

int probe_records_end(struct probe_run *run)
{
	if (probe_records_drain(run))
		return -1;
	session_flush(&run->session);
	if (probe_records_drain(run))
		return -1;
	order_take(&run->order, UINT64_MAX, take, run);
	return 0;
}
