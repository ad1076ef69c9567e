// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "probe/operand.h"

static const struct {
	const char *name;
	enum operand_kind kind;
	bool is_value;
} words[] = {
	{ "comm", OPERAND_COMM, false },     { "pid", OPERAND_PID, false },
	{ "tid", OPERAND_TID, false },	     { "cpu", OPERAND_CPU, false },
	{ "event", OPERAND_EVENT, false },   { "retval", OPERAND_RETVAL, true },
	{ "kstack", OPERAND_KSTACK, false }, { "ustack", OPERAND_USTACK, false },
};

#define WORDS	(sizeof(words) / sizeof(words[0]))

/* Returns the index of "arg3", 2; negative if it is another word. */
static int argument_number(const char *word)
{
	long number;

	if (strncmp(word, "arg", 3) || number_parse(word + 3, 1, PROTOTYPE_ARGS_MAX, &number))
		return -1;
	return (int)number - 1;
}

static int argument_named(const struct prototype *prototype, const char *word)
{
	int number = argument_number(word);

	for (unsigned int i = 0; i < prototype->count; i++)
		if (!strcmp(prototype->arguments[i].name, word))
			return (int)i;
	return number < (int)prototype->count ? number : -1;
}

/* Finds the argument in each event that has it. Returns whether any event has it. */
static bool find_argument(struct operand *operand, const char *word,
			  const struct operand_events *events)
{
	operand->kind = OPERAND_ARGUMENT;
	operand->index = xcalloc(events->count, sizeof(int));
	for (unsigned int i = 0; i < events->count; i++) {
		const struct prototype *prototype = &events->list[i].prototype;

		operand->index[i] = i >= events->from && i <= events->to ?
					    argument_named(prototype, word) : -1;
		if (operand->index[i] >= 0 && !operand->type)
			operand->type = &prototype->arguments[operand->index[i]];
	}
	return operand->type;
}

static int unknown(const char *word, bool is_value, const struct operand_events *events, char *why,
		   size_t size)
{
	const char *what = is_value ? "value" : "key";
	struct suggest suggest;
	char names[256];

	suggest_init(&suggest, word);
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].is_value || !is_value)
			suggest_offer(&suggest, words[i].name);
	for (unsigned int i = events->from; i <= events->to; i++)
		for (unsigned int j = 0; j < events->list[i].prototype.count; j++)
			suggest_offer(&suggest, events->list[i].prototype.arguments[j].name);
	suggest_format(&suggest, names, sizeof(names));
	suggest_free(&suggest);
	if (names[0])
		snprintf(why, size, "'%s' is not a %s of these events; did you mean %s?", word, what,
			 names);
	else
		snprintf(why, size, "'%s' is not a %s of these events; 'pmctl list --args EVENT' shows "
			 "their arguments", word, what);
	return -1;
}

static bool any_returns(const struct operand_events *events)
{
	for (unsigned int i = events->from; i <= events->to; i++)
		if (events->list[i].prototype.returns)
			return true;
	return false;
}

int operand_find(struct operand *operand, const char *word, bool is_value,
		 const struct operand_events *events, char *why, size_t size)
{
	memset(operand, 0, sizeof(*operand));
	operand->name = xstrdup(word);
	for (size_t i = 0; i < WORDS; i++) {
		if (strcmp(word, words[i].name) != 0)
			continue;
		operand->kind = words[i].kind;
		if (is_value && !words[i].is_value) {
			snprintf(why, size, "'%s' is a key, not a number: write it after 'by'", word);
			return -1;
		}
		if (operand->kind != OPERAND_RETVAL || any_returns(events))
			return 0;
		snprintf(why, size, "no event returns a value: 'retval' needs an event that ends in "
			 ":return");
		return -1;
	}
	if (find_argument(operand, word, events))
		return 0;
	return unknown(word, is_value, events, why, size);
}

void operand_free(struct operand *operand)
{
	free(operand->name);
	free(operand->index);
	memset(operand, 0, sizeof(*operand));
}

static bool argument_of(const struct operand *operand, const struct fired *fired, uint64_t *raw)
{
	int index = operand->index[fired->number];

	return index >= 0 && fired_argument(fired, (unsigned int)index, raw);
}

bool operand_value(const struct operand *operand, const struct fired *fired, int64_t *value)
{
	uint64_t raw;

	if (operand->kind == OPERAND_RETVAL)
		return fired_result(fired, value);
	if (operand->kind != OPERAND_ARGUMENT || !argument_of(operand, fired, &raw))
		return false;
	*value = prototype_value(&fired->of->prototype.arguments[operand->index[fired->number]],
				 raw);
	return true;
}

#define COMM_SIZE	16

static void comm_key(const struct fired *fired, struct stack_names *names, uint64_t key[2])
{
	const struct hwpmc_log_sample *sample = &fired->record->sample;
	const char *comm = fired_comm(fired);

	if (!comm)
		comm = processes_comm(&names->processes, sample->pid, sample->tid);
	if (comm)
		memcpy(key, comm, strnlen(comm, COMM_SIZE - 1));
}

static int stack_key(const struct operand *operand, const struct fired *fired,
		     struct stack_names *names, uint64_t key[2])
{
	uint32_t id = stack_id(names, &fired->record->sample, operand->kind == OPERAND_USTACK);

	key[0] = id;
	return id == INTERN_NONE ? -1 : 0;
}

int operand_key(const struct operand *operand, const struct fired *fired,
		struct stack_names *names, uint64_t key[2])
{
	const struct hwpmc_log_sample *sample = &fired->record->sample;
	int64_t value;

	switch (operand->kind) {
	case OPERAND_COMM:
		comm_key(fired, names, key);
		return 0;
	case OPERAND_PID:
		key[0] = (uint64_t)sample->pid;
		return 0;
	case OPERAND_TID:
		key[0] = (uint64_t)sample->tid;
		return 0;
	case OPERAND_CPU:
		key[0] = sample->h.cpu;
		return 0;
	case OPERAND_EVENT:
		key[0] = fired->number;
		return 0;
	case OPERAND_KSTACK:
	case OPERAND_USTACK:
		return stack_key(operand, fired, names, key);
	case OPERAND_RETVAL:
		key[1] = !!(sample->h.flags & HWPMC_PROBE_ERROR);
		break;
	case OPERAND_ARGUMENT:
		break;
	}
	if (!operand_value(operand, fired, &value))
		return 1;
	key[0] = (uint64_t)value;
	return 0;
}

static void write_result(const uint64_t key[2], FILE *out)
{
	int64_t value = (int64_t)key[0];
	const char *error = key[1] ? fired_error_name(-value) : NULL;

	fprintf(out, "%" PRId64, value);
	if (error)
		fprintf(out, " %s", error);
}

void operand_write(const struct operand *operand, const uint64_t key[2],
		   const struct stack_names *names, const struct operand_events *events, FILE *out)
{
	char text[PROTOTYPE_TEXT_MAX];

	switch (operand->kind) {
	case OPERAND_COMM:
		utf8_put(out, (const char *)key);
		return;
	case OPERAND_EVENT:
		utf8_put(out, events->list[key[0]].name);
		return;
	case OPERAND_KSTACK:
	case OPERAND_USTACK:
		fputs(intern_text(&names->stacks, (uint32_t)key[0]), out);
		return;
	case OPERAND_RETVAL:
		write_result(key, out);
		return;
	case OPERAND_ARGUMENT:
		fputs(prototype_text(operand->type, key[0], text), out);
		return;
	case OPERAND_PID:
	case OPERAND_TID:
	case OPERAND_CPU:
		fprintf(out, "%" PRId64, (int64_t)key[0]);
		return;
	}
}

static json_t *lines_json(const char *text)
{
	json_t *lines = json_array();
	char *copy = xstrdup(text), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			json_array_append_new(lines, escape_json(line));
	free(copy);
	return lines;
}

json_t *operand_json(const struct operand *operand, const uint64_t key[2],
		     const struct stack_names *names, const struct operand_events *events)
{
	char text[PROTOTYPE_TEXT_MAX];

	switch (operand->kind) {
	case OPERAND_COMM:
		return escape_json((const char *)key);
	case OPERAND_EVENT:
		return escape_json(events->list[key[0]].name);
	case OPERAND_KSTACK:
	case OPERAND_USTACK:
		return lines_json(intern_text(&names->stacks, (uint32_t)key[0]));
	case OPERAND_ARGUMENT:
		if (operand->type->kind == ARGUMENT_POINTER)
			return json_string(prototype_text(operand->type, key[0], text));
		break;
	default:
		break;
	}
	return json_integer((json_int_t)key[0]);
}
