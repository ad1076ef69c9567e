// SPDX-License-Identifier: GPL-2.0-only
/* filter = condition { "&&" condition }; condition = word ( "==" | "!=" | "<" | ">" | "&" ) value */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cgroup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "probe/filter.h"

/* A word that only conditions use. */
#define CGROUP	"cgroup"

static const char *const operators[] = { "==", "!=", "<", ">", "&" };

#define OPERATORS	(sizeof(operators) / sizeof(operators[0]))

/* Copies @length bytes of @text without blanks at both ends. */
static char *trimmed(const char *text, size_t length)
{
	while (length && isspace((unsigned char)text[0])) {
		text++;
		length--;
	}
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	return xstrndup(text, length);
}

static const char *operator_at(const char *text)
{
	for (size_t i = 0; i < OPERATORS; i++)
		if (!strncmp(text, operators[i], strlen(operators[i])))
			return operators[i];
	return NULL;
}

/* Adds a condition and takes ownership of its strings. */
static struct condition *add(struct filter *filter, char *word, char *operator, char *value)
{
	struct condition *condition;

	filter->conditions = xrealloc(filter->conditions, filter->count + 1,
				      sizeof(*filter->conditions));
	condition = &filter->conditions[filter->count++];
	*condition = (struct condition){ .word = word, .operator = operator, .value = value };
	return condition;
}

void filter_add_cgroup(struct filter *filter, const char *path)
{
	add(filter, xstrdup(CGROUP), xstrdup("=="), xstrdup(path));
}

static int take_condition(struct filter *filter, const char *text, size_t length)
{
	size_t at = strcspn(text, "=!<>&");
	const char *found = at < length ? operator_at(text + at) : NULL;
	struct condition *condition;
	size_t after;

	if (!found) {
		error("--filter '%.*s': write a condition as in 'fd == 3', with ==, !=, <, > or &",
		      (int)length, text);
		return -1;
	}
	after = at + strlen(found);
	condition = add(filter, trimmed(text, at), xstrdup(found),
			trimmed(text + after, length - after));
	if (*condition->word && *condition->value)
		return 0;
	error("--filter '%.*s': a word is missing %s %s", (int)length, text,
	      *condition->word ? "after" : "before", found);
	return -1;
}

int filter_parse(struct filter *filter, const char *text)
{
	const char *end;

	while ((end = strstr(text, "&&"))) {
		if (take_condition(filter, text, (size_t)(end - text)))
			return -1;
		text = end + 2;
	}
	return take_condition(filter, text, strlen(text));
}

void filter_free(struct filter *filter)
{
	for (unsigned int i = 0; i < filter->count; i++) {
		free(filter->conditions[i].word);
		free(filter->conditions[i].operator);
		free(filter->conditions[i].value);
	}
	free(filter->conditions);
	memset(filter, 0, sizeof(*filter));
}

/* Parses a number, which may be negative. */
static int number_of(const struct condition *condition, struct hwpmc_filter *to)
{
	bool negative = condition->value[0] == '-';
	uint64_t value;

	if (number_parse_u64(condition->value + negative, 0, &value)) {
		error("--filter: '%s' is not a number, which %s is compared with",
		      condition->value, condition->word);
		return -1;
	}
	to->value = negative ? -value : value;
	return 0;
}

static uint32_t op_of(const struct condition *condition, bool is_signed)
{
	switch (condition->operator[0]) {
	case '=':
		return HWPMC_FILTER_EQ;
	case '!':
		return HWPMC_FILTER_NE;
	case '<':
		return is_signed ? HWPMC_FILTER_LT : HWPMC_FILTER_BELOW;
	case '>':
		return is_signed ? HWPMC_FILTER_GT : HWPMC_FILTER_ABOVE;
	default:
		return HWPMC_FILTER_BITS;
	}
}

static int set_comm(const struct condition *condition, struct hwpmc_filter *to)
{
	to->field = HWPMC_FILTER_COMM;
	to->op = op_of(condition, true);
	if (to->op > HWPMC_FILTER_NE) {
		error("--filter: comm is compared with == or !=, not with %s", condition->operator);
		return -1;
	}
	if (strlen(condition->value) >= sizeof(to->comm)) {
		error("--filter: '%s' is longer than the name of a thread, %zu bytes",
		      condition->value, sizeof(to->comm) - 1);
		return -1;
	}
	strcpy(to->comm, condition->value);
	return 0;
}

static int set_cgroup(const struct condition *condition, struct hwpmc_filter *to)
{
	uint64_t id;

	memset(to, 0, sizeof(*to));
	to->field = HWPMC_FILTER_CGROUP;
	to->op = op_of(condition, true);
	if (to->op > HWPMC_FILTER_NE) {
		error("--filter: cgroup is compared with == or !=, not with %s",
		      condition->operator);
		return -1;
	}
	if (cgroup_id(condition->value, &id))
		return -1;
	to->value = id;
	return 0;
}

static int set_number(const struct condition *condition, const struct argument *type,
		      uint32_t field, struct hwpmc_filter *to)
{
	bool is_signed = !type || type->kind == ARGUMENT_SIGNED || type->kind == ARGUMENT_RAW;

	to->field = field;
	to->bytes = type ? type->bytes : 4;
	to->op = op_of(condition, is_signed);
	return number_of(condition, to);
}

static int set(const struct condition *condition, const struct operand *operand,
	       const struct probe_event *event, unsigned int index, struct hwpmc_filter *to)
{
	memset(to, 0, sizeof(*to));
	switch (operand->kind) {
	case OPERAND_COMM:
		return set_comm(condition, to);
	case OPERAND_PID:
		return set_number(condition, NULL, HWPMC_FILTER_PID, to);
	case OPERAND_TID:
		return set_number(condition, NULL, HWPMC_FILTER_TID, to);
	case OPERAND_RETVAL:
		return set_number(condition, &event->prototype.result, HWPMC_FILTER_RETVAL, to);
	case OPERAND_ARGUMENT:
		to->arg = (uint32_t)operand->index[index];
		return set_number(condition, operand->type, HWPMC_FILTER_ARG, to);
	default:
		error("--filter: the kernel cannot compare %s", condition->word);
		return -1;
	}
}

/* Sets one filter of event number @index of @events. */
static int resolve(const struct condition *condition, const struct operand_events *events,
		   unsigned int index, struct hwpmc_filter *to)
{
	struct operand_events one = {
		.list = events->list, .count = events->count, .from = index, .to = index,
	};
	struct operand operand;
	char why[512];
	int result;

	if (!strcmp(condition->word, CGROUP))
		return set_cgroup(condition, to);
	result = operand_find(&operand, condition->word, false, &one, why, sizeof(why));
	if (result)
		error("--filter, for '%s': %s", events->list[index].name, why);
	else
		result = set(condition, &operand, &events->list[index], index, to);
	operand_free(&operand);
	return result;
}

int filter_resolve(const struct filter *filter, const struct operand_events *events,
		   unsigned int index, struct event *event)
{
	if (filter->count > HWPMC_FILTERS_MAX) {
		error("--filter: too many conditions: the limit is %u", HWPMC_FILTERS_MAX);
		return -1;
	}
	if (!filter->count)
		return 0;
	event->filters = xcalloc(filter->count, sizeof(*event->filters));
	for (unsigned int i = 0; i < filter->count; i++) {
		if (resolve(&filter->conditions[i], events, index, &event->filters[i]))
			return -1;
		event->filter_count = i + 1;
	}
	return 0;
}
