// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <linux/hwpmc.h>
#include <linux/hwpmc_netlink.h>

#include "base/memory.h"
#include "base/number.h"
#include "watch/columns.h"
#include "watch/ps.h"

static const char *const sort_names[] = {
	[PS_PID] = "pid", [PS_USER] = "user", [PS_COMMAND] = "command", [PS_EVENT] = "event",
	[PS_AGE] = "age", [PS_SAMPLES] = "samples", [PS_LOST] = "lost",
};

int ps_sort_find(const char *name)
{
	for (size_t i = 0; i < sizeof(sort_names) / sizeof(sort_names[0]); i++)
		if (!strcmp(sort_names[i], name))
			return (int)i;
	return -1;
}

static int order(uint64_t one, uint64_t other)
{
	return one < other ? -1 : one > other;
}

static int compare_key(const struct pmc *one, const struct pmc *other, enum ps_sort key)
{
	switch (key) {
	case PS_USER:
		return strcmp(one->user, other->user);
	case PS_COMMAND:
		return strcmp(one->comm, other->comm);
	case PS_EVENT:
		return strcmp(one->event_name, other->event_name);
	case PS_AGE:
		return order(other->age, one->age);
	case PS_SAMPLES:
		return order(other->recorded, one->recorded);
	case PS_LOST:
		return order(other->lost, one->lost);
	default:
		return 0;
	}
}

static int compare(const void *one, const void *other, void *key)
{
	const struct pmc *a = one, *b = other;
	int result = compare_key(a, b, *(const enum ps_sort *)key);

	if (!result)
		result = order(a->pid, b->pid);
	if (!result)
		result = order(a->owner, b->owner);
	return result ? result : order(a->serial, b->serial);
}

void ps_sort(struct pmc_list *list, enum ps_sort key)
{
	if (list->count)
		qsort_r(list->pmcs, list->count, sizeof(*list->pmcs), compare, &key);
}

/* Whether two PMCs are one line: they count the same on several CPUs. */
static bool belong_together(const struct pmc *one, const struct pmc *other)
{
	return pmc_is_system(one) && one->owner == other->owner && one->mode == other->mode &&
	       one->class_id == other->class_id && one->event == other->event &&
	       one->caps == other->caps && one->flags == other->flags &&
	       one->state == other->state;
}

static int compare_groups(const void *one, const void *other)
{
	const struct pmc *a = one, *b = other;
	int result = order(a->owner, b->owner);

	if (!result)
		result = order(a->mode, b->mode);
	if (!result)
		result = order(a->class_id, b->class_id);
	if (!result)
		result = order(a->event, b->event);
	if (!result)
		result = order(a->caps, b->caps);
	if (!result)
		result = order(a->flags, b->flags);
	if (!result)
		result = order(a->state, b->state);
	if (!result)
		result = a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
	return result ? result : order(a->serial, b->serial);
}

/* "CPU 3", "CPUs 0-3,5": the CPUs of @count PMCs, in order. */
static char *cpus_text(const struct pmc *pmcs, size_t count)
{
	char *text = xasprintf("CPU%s ", count > 1 ? "s" : ""), *longer;

	for (size_t i = 0, last; i < count; i = last + 1) {
		last = i;
		while (last + 1 < count && pmcs[last + 1].cpu <= pmcs[last].cpu + 1)
			last++;
		if (pmcs[last].cpu > pmcs[i].cpu)
			longer = xasprintf("%s%s%d-%d", text, i ? "," : "", pmcs[i].cpu,
					   pmcs[last].cpu);
		else
			longer = xasprintf("%s%s%d", text, i ? "," : "", pmcs[i].cpu);
		free(text);
		text = longer;
	}
	return text;
}

/* "make (812)", "thread make (812)", "812 (ended)": one target. */
static char *target_text(uint32_t pid, const char *comm, bool single)
{
	if (!pid)
		return xstrdup("a hidden process");
	if (!*comm)
		return xasprintf("%u (ended)", pid);
	return xasprintf("%s%s (%u)", single ? "thread " : "", comm, pid);
}

/* "make (812)", "nothing yet", "make (812) and 2 more": what a PMC follows. */
static char *targets_text(const struct pmc *pmc)
{
	char *first, *text;

	if (!pmc->targets)
		return xstrdup("nothing yet");
	first = target_text(pmc->target, pmc->target_comm, pmc->flags & HWPMC_F_THREAD);
	if (pmc->targets > 1)
		text = xasprintf("%s and %u more", first, pmc->targets - 1);
	else
		text = xasprintf("%s%s", first,
				 pmc->flags & HWPMC_F_DESCENDANTS ? " and children" : "");
	free(first);
	return text;
}

/* A target, in a line of its own */
static char *one_of_text(const struct pmc *pmc, const struct pmc_target *target)
{
	char *one = target_text(target->pid, target->comm, target->single), *text;

	text = xasprintf("%s%s", one, pmc->flags & HWPMC_F_DESCENDANTS ? " and children" : "");
	free(one);
	return text;
}

static char *whom_text(const struct pmc *pmc, bool targets)
{
	return targets && pmc->all_count ? one_of_text(pmc, &pmc->all[0]) : targets_text(pmc);
}

/* "12s", "3m05s", "1h02m", "3d04h". */
static char *age_text(uint64_t ns)
{
	unsigned long long seconds = ns / 1000000000;

	if (seconds < 60)
		return xasprintf("%llus", seconds);
	if (seconds < 3600)
		return xasprintf("%llum%02llus", seconds / 60, seconds % 60);
	if (seconds < 24 * 3600)
		return xasprintf("%lluh%02llum", seconds / 3600, seconds / 60 % 60);
	return xasprintf("%llud%02lluh", seconds / (24 * 3600), seconds / 3600 % 24);
}

static char *number_text(const struct pmc *pmc, uint64_t number)
{
	char grouped[NUMBER_MAX];

	return xstrdup(pmc_is_sampling(pmc) ? number_grouped(number, grouped) : "-");
}

/* "running"; or the reason why a running PMC cannot count any more. */
static char *state_text(const struct pmc *pmc)
{
	if (pmc->state == HWPMC_NL_STATE_RUNNING && pmc->targets && !pmc->threads)
		return xstrdup("ended");
	return xstrdup(pmc_state(pmc));
}

/* The columns of the table, and which of them has the targets. */
#define PS_COLUMNS	10
#define PS_WHOM		5

/* A line: @line has the sums; @pmcs to @pmcs + @count are its PMCs, in the order of their CPUs. */
static void add_line(struct columns *table, const struct pmc *line, const struct pmc *pmcs,
		     size_t count, bool targets)
{
	columns_add(table, xasprintf("%u%s", line->pid, line->exited ? "!" : ""));
	columns_add(table, xstrdup(line->user));
	columns_add(table, xstrdup(line->comm));
	columns_add(table, xstrdup(pmc_is_sampling(line) ? "samples" : "counts"));
	columns_add(table, xstrdup(line->event_name));
	columns_add(table, pmc_is_system(line) ? cpus_text(pmcs, count) : whom_text(line, targets));
	columns_add(table, state_text(line));
	columns_add(table, age_text(line->age));
	columns_add(table, number_text(line, line->recorded));
	columns_add(table, number_text(line, line->lost));
}

/* The lines of a PMC after its first one, which have nothing but its other targets */
static void add_targets(struct columns *table, const struct pmc *pmc)
{
	for (size_t i = 1; i < pmc->all_count; i++)
		for (unsigned int column = 0; column < PS_COLUMNS; column++)
			columns_add(table, column == PS_WHOM ? one_of_text(pmc, &pmc->all[i]) :
							       xstrdup(""));
}

/* The data of all lines: the PMCs in the order of their groups, and the sums of each group. */
struct lines {
	struct pmc *pmcs;
	struct pmc *sums;	/* serial: index of the group's first PMC in @pmcs */
	size_t *counts;		/* by that index */
	size_t count;
};

static void group(struct lines *lines, const struct pmc_list *list)
{
	lines->pmcs = xcalloc(list->count, sizeof(*lines->pmcs));
	lines->sums = xcalloc(list->count, sizeof(*lines->sums));
	lines->counts = xcalloc(list->count, sizeof(*lines->counts));
	memcpy(lines->pmcs, list->pmcs, list->count * sizeof(*lines->pmcs));
	qsort(lines->pmcs, list->count, sizeof(*lines->pmcs), compare_groups);
	for (size_t i = 0, first = 0; i < list->count; i++) {
		const struct pmc *pmc = &lines->pmcs[i];
		struct pmc *sum = &lines->sums[lines->count ? lines->count - 1 : 0];

		if (!i || !belong_together(&lines->pmcs[first], pmc)) {
			first = i;
			sum = &lines->sums[lines->count++];
			*sum = *pmc;
			sum->serial = first;
		} else {
			sum->recorded += pmc->recorded;
			sum->lost += pmc->lost;
			sum->age = pmc->age > sum->age ? pmc->age : sum->age;
		}
		lines->counts[first]++;
	}
}

char *ps_hidden(const struct pmc_list *list)
{
	if (!list->hidden)
		return NULL;
	return xasprintf("%u more PMC%s cannot be shown: other users' or outside of this PID namespace",
			 list->hidden, list->hidden > 1 ? "s" : "");
}

void ps_print(const struct pmc_list *list, enum ps_sort key, bool targets, FILE *out, int width)
{
	static const struct column columns[PS_COLUMNS] = {
		{ "PID", true, 0 }, { "USER", false, 6 }, { "COMMAND", false, 7 },
		{ "HOW", false, 0 }, { "EVENT", false, 8 }, { "WHOM", false, 12 },
		{ "STATE", false, 0 }, { "AGE", true, 0 }, { "SAMPLES", true, 0 },
		{ "LOST", true, 0 },
	};
	struct lines lines = { 0 };
	char *hidden = ps_hidden(list);
	struct columns table;

	columns_begin(&table, columns, PS_COLUMNS);
	if (list->count) {
		group(&lines, list);
		qsort_r(lines.sums, lines.count, sizeof(*lines.sums), compare, &key);
		for (size_t i = 0; i < lines.count; i++) {
			size_t first = lines.sums[i].serial;

			add_line(&table, &lines.sums[i], &lines.pmcs[first], lines.counts[first],
				 targets);
			if (targets)
				add_targets(&table, &lines.sums[i]);
		}
		columns_print(&table, out, width);
	} else if (!hidden) {
		fputs("no PMC is allocated\n", out);
	}
	if (hidden)
		fprintf(out, "%s\n", hidden);
	free(hidden);
	free(lines.pmcs);
	free(lines.sums);
	free(lines.counts);
}
