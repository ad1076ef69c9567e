// SPDX-License-Identifier: GPL-2.0-only
/* What pmctl ps prints for programs: CSV as in RFC 4180, and JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/memory.h"
#include "event/name.h"
#include "watch/ps.h"

/*
 * The fields, in the order of CSV's columns. A field with a text of NULL is a number. The last ones
 * are only in a line of a target.
 */
#define FIELDS		22
#define TARGET_FIELDS	2

struct value {
	const char *name;
	const char *text;
	int64_t number;
};

static void describe(const struct pmc *pmc, struct value *values)
{
	const struct value all[FIELDS] = {
		{ "pid", NULL, pmc->pid },
		{ "user", pmc->user, 0 },
		{ "uid", NULL, pmc->uid },
		{ "command", pmc->comm, 0 },
		{ "exited", NULL, pmc->exited },
		{ "file", NULL, (int64_t)pmc->owner },
		{ "serial", NULL, (int64_t)pmc->serial },
		{ "id", NULL, pmc->id },
		{ "event", pmc->event_name, 0 },
		{ "class", name_class(pmc->class_id), 0 },
		{ "code", NULL, (int64_t)pmc->event },
		{ "row", NULL, pmc->row },
		{ "mode", pmc_mode(pmc), 0 },
		{ "state", pmc_state(pmc), 0 },
		{ "cpu", NULL, pmc->cpu },
		{ "targets", NULL, pmc->targets },
		{ "target-pid", NULL, pmc->target },
		{ "target-command", pmc->target_comm, 0 },
		{ "threads", NULL, pmc->threads },
		{ "age-ns", NULL, (int64_t)pmc->age },
		{ "samples", NULL, (int64_t)pmc->recorded },
		{ "lost", NULL, (int64_t)pmc->lost },
	};

	for (unsigned int i = 0; i < FIELDS; i++)
		values[i] = all[i];
}

/* The same in a line about one of its targets. */
static void describe_target(const struct pmc *pmc, const struct pmc_target *target,
			    struct value *values)
{
	struct pmc one = *pmc;

	one.target = target->pid;
	one.target_comm = target->comm;
	describe(&one, values);
	values[FIELDS] = (struct value){ "target-handle", NULL, (int64_t)target->handle };
	values[FIELDS + 1] = (struct value){ "target-thread", NULL, target->single };
}

static void put_row(FILE *out, const char *separator, const struct value *values,
		    unsigned int count, bool names)
{
	for (unsigned int i = 0; i < count; i++) {
		char *number = xasprintf("%" PRId64, values[i].number);

		if (i)
			fputs(separator, out);
		escape_csv(out, separator,
			   names ? values[i].name : values[i].text ? values[i].text : number);
		free(number);
	}
	fputc('\n', out);
}

/* A line for each target; one if there is none, as of a CPU's PMC. */
static void put_targets(FILE *out, const char *separator, const struct pmc *pmc)
{
	const struct pmc_target first = { .pid = pmc->target, .comm = pmc->target_comm };
	struct value values[FIELDS + TARGET_FIELDS];

	for (size_t i = 0; i < pmc->all_count || !i; i++) {
		describe_target(pmc, pmc->all_count ? &pmc->all[i] : &first, values);
		put_row(out, separator, values, FIELDS + TARGET_FIELDS, false);
	}
}

void ps_print_csv(const struct pmc_list *list, bool targets, FILE *out, const char *separator)
{
	static const struct pmc none = { .comm = NULL };
	static const struct pmc_target no_target = { .comm = NULL };
	struct value values[FIELDS + TARGET_FIELDS];

	describe_target(&none, &no_target, values);
	put_row(out, separator, values, FIELDS + (targets ? TARGET_FIELDS : 0), true);
	for (size_t i = 0; i < list->count; i++) {
		if (targets) {
			put_targets(out, separator, &list->pmcs[i]);
			continue;
		}
		describe(&list->pmcs[i], values);
		put_row(out, separator, values, FIELDS, false);
	}
}

static json_t *target_list(const struct pmc *pmc)
{
	json_t *list = json_array();

	for (size_t i = 0; i < pmc->all_count; i++) {
		json_t *target = json_object();

		json_object_set_new(target, "pid", json_integer(pmc->all[i].pid));
		json_object_set_new(target, "command", escape_json(pmc->all[i].comm));
		json_object_set_new(target, "handle", json_integer((int64_t)pmc->all[i].handle));
		json_object_set_new(target, "thread", json_integer(pmc->all[i].single));
		json_array_append_new(list, target);
	}
	return list;
}

void ps_print_json(const struct pmc_list *list, bool targets, FILE *out)
{
	json_t *top = json_object(), *pmcs = json_array();

	for (size_t i = 0; i < list->count; i++) {
		struct value values[FIELDS];
		json_t *pmc = json_object();

		describe(&list->pmcs[i], values);
		for (unsigned int j = 0; j < FIELDS; j++)
			json_object_set_new(pmc, values[j].name, values[j].text ?
					    escape_json(values[j].text) :
					    json_integer(values[j].number));
		if (targets)
			json_object_set_new(pmc, "target-list", target_list(&list->pmcs[i]));
		json_array_append_new(pmcs, pmc);
	}
	json_object_set_new(top, "pmcs", pmcs);
	json_object_set_new(top, "hidden", json_integer(list->hidden));
	json_dumpf(top, out, JSON_INDENT(2));
	fputc('\n', out);
	json_decref(top);
}
