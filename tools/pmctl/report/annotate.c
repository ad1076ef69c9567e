// SPDX-License-Identifier: GPL-2.0-only
/* Finds the functions that have samples. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "report/annotate.h"

static bool event_is_shown(const struct annotate *annotate, uint32_t event)
{
	const struct profile *profile = annotate->profile;

	return patterns_match(&annotate->options->shared.events,
			      intern_text(&profile->names, profile->events[event].name));
}

bool annotate_has_event(const struct annotate *annotate, uint32_t function, uint32_t event)
{
	return event_is_shown(annotate, event) &&
	       annotate_total(annotate, function, event)->samples;
}

static void add(struct annotate_count *count, uint64_t events, uint64_t samples)
{
	count->events = number_sum(count->events, events);
	count->samples += samples;
}

/* Finds the function of each address. */
static void find_functions(struct annotate *annotate, const struct profile_address *addresses,
			   uint32_t count)
{
	struct symbols *symbols = &annotate->profile->symbols;

	annotate->spots = xcalloc(count, sizeof(*annotate->spots));
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_address *address = &addresses[i];
		struct annotate_spot *spot = &annotate->spots[annotate->spot_count];
		uint64_t *nameless = &annotate->nameless[address->event];
		struct function function;

		if (!function_find(symbols, address->object, address->offset, &function,
				   &spot->address)) {
			*nameless = number_sum(*nameless, address->events);
			continue;
		}
		spot->function = intern_id(&annotate->functions, &function);
		spot->event = address->event;
		spot->count = (struct annotate_count){ address->events, address->samples };
		annotate->spot_count++;
	}
}

static int by_function(const void *left, const void *right)
{
	const struct annotate_spot *a = left, *b = right;

	return (a->function > b->function) - (a->function < b->function);
}

static void add_up(struct annotate *annotate)
{
	uint32_t events = annotate->profile->event_count;

	annotate->counts = xcalloc((size_t)annotate->functions.count * events,
				   sizeof(*annotate->counts));
	for (uint32_t i = 0; i < annotate->spot_count; i++) {
		const struct annotate_spot *spot = &annotate->spots[i];

		add(&annotate->counts[(size_t)spot->function * events + spot->event],
		    spot->count.events, spot->count.samples);
	}
	if (annotate->spot_count)
		qsort(annotate->spots, annotate->spot_count, sizeof(*annotate->spots), by_function);
}

/* Returns the largest share that a function has of any shown event. */
static double weight(const struct annotate *annotate, uint32_t function)
{
	double largest = 0;

	for (uint32_t i = 0; i < annotate->profile->event_count; i++) {
		double all = (double)annotate->profile->events[i].events;
		double part = (double)annotate_total(annotate, function, i)->events;

		if (annotate_has_event(annotate, function, i) && all > 0 && part / all > largest)
			largest = part / all;
	}
	return largest;
}

static bool is_chosen(const struct annotate *annotate, uint32_t id)
{
	const struct report_options *options = &annotate->options->shared;
	const struct function *function = annotate_function(annotate, id);
	const char *dso = intern_text(&annotate->profile->names, function->dso);
	bool any = false;

	for (uint32_t i = 0; i < annotate->profile->event_count; i++)
		any = any || annotate_has_event(annotate, id, i);
	return any &&
	       patterns_match(&options->symbols,
			      intern_text(&annotate->profile->names, function->symbol)) &&
	       (patterns_match(&options->dsos, dso) ||
		patterns_match(&options->dsos, path_last(dso)));
}

static int by_weight(const void *left, const void *right, void *context)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	double wa = weight(context, a), wb = weight(context, b);

	if (wa != wb)
		return wa > wb ? -1 : 1;
	return a < b ? -1 : 1;
}

void annotate_choose(struct annotate *annotate)
{
	free(annotate->order);
	annotate->chosen = 0;
	annotate->order = xcalloc(annotate->functions.count, sizeof(*annotate->order));
	for (uint32_t id = 0; id < annotate->functions.count; id++)
		if (is_chosen(annotate, id))
			annotate->order[annotate->chosen++] = id;
	if (annotate->chosen > 1)
		qsort_r(annotate->order, annotate->chosen, sizeof(*annotate->order), by_weight,
			annotate);
}

void annotate_make(struct annotate *annotate, struct profile *profile,
		   const struct annotate_options *options)
{
	struct profile_address *addresses;
	uint32_t count;

	memset(annotate, 0, sizeof(*annotate));
	annotate->profile = profile;
	annotate->options = options;
	intern_init(&annotate->functions, sizeof(struct function));
	source_text_init(&annotate->source, options->shared.root);
	addresses = profile_addresses(profile, &count);
	annotate->nameless = xcalloc(profile->event_count, sizeof(*annotate->nameless));
	find_functions(annotate, addresses, count);
	free(addresses);
	add_up(annotate);
	annotate_choose(annotate);
}

void annotate_free(struct annotate *annotate)
{
	if (annotate->kernel_open)
		kernel_code_close(&annotate->kernel);
	source_text_free(&annotate->source);
	intern_free(&annotate->functions);
	free(annotate->counts);
	free(annotate->order);
	free(annotate->spots);
	free(annotate->nameless);
	memset(annotate, 0, sizeof(*annotate));
}
