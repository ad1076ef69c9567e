// SPDX-License-Identifier: GPL-2.0-only
/* What pmctl ps prints for programs: CSV as in RFC 4180, and JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/memory.h"
#include "event/name.h"
#include "watch/ps.h"

/* The fields, in the order of CSV's columns. A field with a text of NULL is a number. */
#define FIELDS	22

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

static void put_row(FILE *out, const char *separator, const struct value *values, bool names)
{
	for (unsigned int i = 0; i < FIELDS; i++) {
		char *number = xasprintf("%" PRId64, values[i].number);

		if (i)
			fputs(separator, out);
		escape_csv(out, separator,
			   names ? values[i].name : values[i].text ? values[i].text : number);
		free(number);
	}
	fputc('\n', out);
}

void ps_print_csv(const struct pmc_list *list, FILE *out, const char *separator)
{
	static const struct pmc none = { .comm = NULL };
	struct value values[FIELDS];

	describe(&none, values);
	put_row(out, separator, values, true);
	for (size_t i = 0; i < list->count; i++) {
		describe(&list->pmcs[i], values);
		put_row(out, separator, values, false);
	}
}

void ps_print_json(const struct pmc_list *list, FILE *out)
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
		json_array_append_new(pmcs, pmc);
	}
	json_object_set_new(top, "pmcs", pmcs);
	json_object_set_new(top, "hidden", json_integer(list->hidden));
	json_dumpf(top, out, JSON_INDENT(2));
	fputc('\n', out);
	json_decref(top);
}
