// SPDX-License-Identifier: GPL-2.0-only
/* Prints PROBE records of any bytes, as probe/probe_records.c does with those of rings. */
#include <stdlib.h>
#include <string.h>

#include "log/log_merge.h"
#include "probe/print.h"
#include "probes.h"

#define KEYS_MAX	16

static const struct {
	enum aggregation_kind kind;
	const char *text;
} kinds[] = {
	{ AGGREGATION_COUNT, "comm,pid,tid,cpu" },
	{ AGGREGATION_COUNT, "event,retval,path" },
	{ AGGREGATION_SUM, "size by kstack" },
	{ AGGREGATION_MIN, "retval by ustack" },
	{ AGGREGATION_MAX, "flags by comm" },
	{ AGGREGATION_AVG, "arg2 by flags" },
	{ AGGREGATION_HIST, "size by event" },
	{ AGGREGATION_LHIST, "retval -100,1000,50" },
	{ AGGREGATION_LATENCY, "call by retval,comm" },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* The entry and the return of a call. */
static struct probe_event events[] = { { .name = "entry" }, { .name = "return" } };

static void make_events(void)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct prototype *prototype = &events[i].prototype;

		if (prototype->count)
			continue;
		prototype->known = true;
		prototype_add(prototype, "path", "const char *");
		prototype_add(prototype, "flags", "int");
		prototype_add(prototype, "size", "unsigned char");
		prototype_add(prototype, "other", "union u");
		prototype_type(&prototype->result, "long");
	}
	events[0].string = 1;
	events[1].prototype.returns = true;
	events[1].string = HWPMC_PROBE_STRING_RETVAL;
}

static void make_aggregations(struct aggregation list[KINDS])
{
	for (unsigned int i = 0; i < KINDS; i++)
		if (aggregation_parse(&list[i], kinds[i].kind, kinds[i].text) ||
		    aggregation_resolve(&list[i], events, 2, KEYS_MAX))
			abort();
}

static void take(struct print *print, const struct hwpmc_log_probe *record)
{
	struct fired fired = { .record = record, .number = record->sample.h.id % 2 };

	fired.of = &events[fired.number];
	for (unsigned int i = 0; i < print->aggregation_count; i++)
		aggregation_take(&print->aggregations[i], &fired, print->names);
	if (!print->aggregation_count)
		print->ops->event(print, &fired);
}

static void take_all(struct print *print, struct log_reader *log)
{
	const struct hwpmc_log_header *record;
	struct log_merge merge;

	log_merge_open(&merge, log, 0);
	while ((record = log_merge_next(&merge)))
		if (record->type == HWPMC_LOG_PROBE)
			take(print, (const void *)record);
		else
			stack_names_take(print->names, record);
	log_merge_close(&merge);
}

void probes_print(const char *path, bool json, bool aggregate)
{
	static const struct print_ending ending = { .recorded = 1 };
	struct aggregation list[KINDS] = { 0 };
	struct stack_names names;
	struct log_reader log;
	char why[512];
	struct print print = {
		.ops = json ? &print_json : &print_text,
		.out = stdout, .names = &names,
		.events = events, .event_count = 2,
		.aggregations = list, .aggregation_count = aggregate ? KINDS : 0,
		.args = true, .comm = true, .stacks = true, .top = 3,
	};

	if (log_read_open(&log, path, why, sizeof(why)))
		return;
	make_events();
	make_aggregations(list);
	stack_names_init(&names, KEYS_MAX);
	names.symbols.paths.root = ROOT;
	if (print.ops->begin)
		print.ops->begin(&print);
	take_all(&print, &log);
	print.ops->results(&print, 1);
	if (print.ops->end)
		print.ops->end(&print, &ending);
	for (unsigned int i = 0; i < KINDS; i++)
		aggregation_free(&list[i]);
	stack_names_free(&names);
	log_read_close(&log);
}
