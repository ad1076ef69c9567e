// SPDX-License-Identifier: GPL-2.0-only
/*
 * list  = item { "," item }
 * item  = event | "{" event { "," event } "}" [ ":" modifiers ]
 * event = probe | name [ ":" modifiers ] | pmu "/" term { "," term } "/" [ [ ":" ] modifiers ]
 * probe = provider ":" name
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "event/spec.h"

/* The position in the text, and the buffer for a message. */
struct cursor {
	const char *at;
	struct spec_list *list;
	char *why;
	size_t size;
};

#define refuse(cursor, ...) (snprintf((cursor)->why, (cursor)->size, __VA_ARGS__), -1)

/* The modifiers of pmctl, and those of perf that pmctl does not support. */
#define OURS		"uk"
#define NOT_OURS	"hpPGHSDIWe"
#define NEITHER		"modifier '%c' is neither u (user) nor k (kernel)"

static int add_modifier(struct cursor *cursor, char letter, unsigned int *modifiers)
{
	if (letter == 'u')
		*modifiers |= MODIFIER_USER;
	else if (letter == 'k')
		*modifiers |= MODIFIER_KERNEL;
	else
		return refuse(cursor, NEITHER, letter);
	return 0;
}

static int add_modifiers(struct cursor *cursor, const char *letters, size_t length,
			 unsigned int *modifiers)
{
	if (!length)
		return refuse(cursor, "a modifier is missing after ':': use u (user) or k (kernel)");
	for (size_t i = 0; i < length; i++)
		if (add_modifier(cursor, letters[i], modifiers))
			return -1;
	return 0;
}

/* Returns the text after the last colon of @text if it consists of @letters only; else NULL. */
static char *last_letters(const char *text, const char *letters)
{
	char *colon = strrchr(text, ':');

	if (!colon || colon == text || colon[-1] == ':' || colon[1 + strspn(colon + 1, letters)])
		return NULL;
	return colon + 1;
}

/* Removes and stores the modifiers of "cycles:uk". They may be empty: "cycles:". */
static int take_modifiers(struct cursor *cursor, struct spec *spec)
{
	char *letters = last_letters(spec->text, OURS);

	if (!letters)
		return 0;
	letters[-1] = '\0';
	return add_modifiers(cursor, letters, strlen(letters), &spec->modifiers);
}

const char *spec_foreign(const char *name)
{
	return last_letters(name, OURS NOT_OURS);
}

int spec_refuse_foreign(const char *letters, char *why, size_t size)
{
	snprintf(why, size, NEITHER, letters[strspn(letters, OURS)]);
	return -1;
}

static void add_term(struct spec *spec, char *term)
{
	char *equals = strchr(term, '=');
	struct spec_term *added;

	spec->terms = xrealloc(spec->terms, spec->term_count + 1, sizeof(*spec->terms));
	added = &spec->terms[spec->term_count++];
	if (equals)
		*equals++ = '\0';
	added->key = xstrdup(term);
	added->value = equals ? xstrdup(equals) : NULL;
}

static int parse_terms(struct cursor *cursor, struct spec *spec)
{
	char *first = strchr(spec->text, '/'), *last = strrchr(spec->text, '/');
	char *copy, *rest, *term;
	const char *letters = last + 1;

	if (first == last)
		return refuse(cursor, "event '%s' lacks its second '/'", spec->text);
	if (*letters && add_modifiers(cursor, letters + (*letters == ':'),
				      strlen(letters) - (*letters == ':'), &spec->modifiers))
		return -1;
	last[1] = '\0';
	spec->kind = SPEC_TERMS;
	spec->pmu = xstrndup(spec->text, (size_t)(first - spec->text));
	copy = xstrndup(first + 1, (size_t)(last - first - 1));
	for (rest = copy; (term = strsep(&rest, ","));)
		if (*term)
			add_term(spec, term);
	free(copy);
	if (!spec->term_count)
		return refuse(cursor, "event '%s' has no term between its slashes", spec->text);
	return 0;
}

static int parse_raw(struct spec *spec)
{
	if (spec->text[0] != 'r' || number_parse_u64(spec->text + 1, 16, &spec->raw))
		return -1;
	/* strtoull() accepts "r0x11", which perf rejects. */
	return strpbrk(spec->text + 1, "xX") ? -1 : 0;
}

/* The providers of probes in the module. */
static const char *const providers[] = {
	"syscall:", "tracepoint:", "kprobe:", "uprobe:", "profile:", "interval:",
};

bool spec_is_probe(const char *text)
{
	for (size_t i = 0; i < sizeof(providers) / sizeof(providers[0]); i++)
		if (!strncmp(text, providers[i], strlen(providers[i])))
			return true;
	return false;
}

/* The length of one event; commas between slashes belong to it. */
static size_t event_length(const char *at)
{
	size_t length;
	int inside = 0;

	if (spec_is_probe(at))
		return strcspn(at, ",{}");
	for (length = 0; at[length]; length++) {
		if (at[length] == '/')
			inside = !inside;
		else if (!inside && strchr(",{}", at[length]))
			break;
	}
	return length;
}

static struct spec *append(struct spec_list *list)
{
	struct spec *spec;

	list->specs = xrealloc(list->specs, list->count + 1, sizeof(*list->specs));
	spec = &list->specs[list->count++];
	memset(spec, 0, sizeof(*spec));
	return spec;
}

static int parse_event(struct cursor *cursor, unsigned int group)
{
	struct spec *spec;
	size_t length;

	while (isspace((unsigned char)*cursor->at))
		cursor->at++;
	length = event_length(cursor->at);
	if (!length)
		return refuse(cursor, "an event name is missing before '%s'",
			      *cursor->at ? cursor->at : "the end");
	spec = append(cursor->list);
	spec->text = xstrndup(cursor->at, length);
	spec->group = group;
	cursor->at += length;
	while (length && isspace((unsigned char)spec->text[length - 1]))
		spec->text[--length] = '\0';
	if (spec_is_probe(spec->text)) {
		spec->kind = SPEC_PROBE;
		return 0;
	}
	if (strchr(spec->text, '/'))
		return parse_terms(cursor, spec);
	if (take_modifiers(cursor, spec))
		return -1;
	if (!parse_raw(spec))
		spec->kind = SPEC_RAW;
	return 0;
}

/* "{a,b}:u": the modifiers of a group apply to every member. */
static int group_modifiers(struct cursor *cursor, unsigned int first)
{
	unsigned int modifiers = 0;
	size_t length;

	if (*cursor->at != ':')
		return 0;
	cursor->at++;
	length = strcspn(cursor->at, ",");
	if (add_modifiers(cursor, cursor->at, length, &modifiers))
		return -1;
	cursor->at += length;
	for (; first < cursor->list->count; first++)
		cursor->list->specs[first].modifiers |= modifiers;
	return 0;
}

static int parse_group(struct cursor *cursor)
{
	unsigned int group = ++cursor->list->groups, first = cursor->list->count;

	do {
		cursor->at++;	/* the brace, or a comma */
		if (parse_event(cursor, group))
			return -1;
	} while (*cursor->at == ',');
	if (*cursor->at != '}')
		return refuse(cursor, *cursor->at ? "a group cannot contain a group" :
						    "the '}' of a group is missing");
	cursor->at++;
	return group_modifiers(cursor, first);
}

static int parse_item(struct cursor *cursor)
{
	int result = *cursor->at == '{' ? parse_group(cursor) : parse_event(cursor, 0);

	if (!result && *cursor->at && *cursor->at != ',')
		return refuse(cursor, "a ',' is missing before '%s'", cursor->at);
	return result;
}

int spec_parse(const char *text, struct spec_list *list, char *why, size_t size)
{
	struct cursor cursor = { .at = text, .list = list, .why = why, .size = size };

	for (;;) {
		if (parse_item(&cursor))
			return -1;
		if (!*cursor.at)
			return 0;
		cursor.at++;
	}
}

static void spec_free(struct spec *spec)
{
	for (unsigned int i = 0; i < spec->term_count; i++) {
		free(spec->terms[i].key);
		free(spec->terms[i].value);
	}
	free(spec->terms);
	free(spec->pmu);
	free(spec->text);
}

void spec_list_free(struct spec_list *list)
{
	for (unsigned int i = 0; i < list->count; i++)
		spec_free(&list->specs[i]);
	free(list->specs);
	memset(list, 0, sizeof(*list));
}
