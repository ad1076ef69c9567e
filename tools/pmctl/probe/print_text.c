// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/utf8.h"
#include "probe/print.h"

#define COMM_WIDTH	15
#define STACK_INDENT	"                "

const char *print_comm(const struct print *print, const struct fired *fired)
{
	const struct hwpmc_log_sample *sample = &fired->record->sample;
	const char *comm = fired_comm(fired);

	if (!comm)
		comm = processes_comm(&print->names->processes, sample->pid, sample->tid);
	return comm ? comm : "?";
}

uint32_t print_keys(const struct print *print, const struct aggregation *aggregation)
{
	uint32_t count = aggregation->cells.keys.count;

	return print->top && (unsigned long)print->top < count ? (uint32_t)print->top : count;
}

static int name_width(const struct print *print)
{
	int most = 5;	/* of the heading */

	for (unsigned int i = 0; i < print->event_count; i++) {
		int width = utf8_width(print->events[i].name);

		most = width > most ? width : most;
	}
	return most;
}

static void put_padded(FILE *out, const char *text, int width)
{
	int length = utf8_put(out, text);

	fprintf(out, "%*s", length < width ? width - length : 0, "");
}

static void begin(struct print *print)
{
	if (print->aggregation_count)
		return;
	fprintf(print->out, "%12s CPU %7s %7s ", "TIME", "PID", "TID");
	if (print->comm)
		fprintf(print->out, "%-*s ", COMM_WIDTH, "COMM");
	fputs("EVENT\n", print->out);
}

/*
 * Prints the string of an event like strace: with dots if it is not complete. Returns whether there
 * is one.
 */
static bool put_string(const struct fired *fired, FILE *out)
{
	bool cut;
	const char *text = fired_string(fired, &cut);

	if (!text)
		return false;
	fputc('"', out);
	utf8_put(out, text);
	fputs(cut ? "\"..." : "\"", out);
	return true;
}

/* @all: all arguments; else only the one whose string the record has. */
static void put_arguments(const struct fired *fired, bool all, FILE *out)
{
	char text[PROTOTYPE_TEXT_MAX];
	uint64_t raw;

	for (unsigned int i = 0; fired_argument(fired, i, &raw); i++) {
		const struct argument *argument = &fired->of->prototype.arguments[i];
		bool is_string = i + 1 == fired->of->string;

		if (!all && !is_string)
			continue;
		fputc(' ', out);
		utf8_put(out, argument->name);
		fputc('=', out);
		if (!is_string || !put_string(fired, out))
			fputs(prototype_text(argument, raw, text), out);
	}
}

static void put_result(const struct fired *fired, FILE *out)
{
	char text[PROTOTYPE_TEXT_MAX];
	const char *error = fired_error(fired);
	const struct argument *type = &fired->of->prototype.result;
	int64_t value;

	if (!fired_result(fired, &value))
		return;
	if (fired->of->string == HWPMC_PROBE_STRING_RETVAL) {
		fputs(" = ", out);
		if (!put_string(fired, out))
			fprintf(out, "%#" PRIx64, (uint64_t)fired->record->retval);
	} else if (type->kind == ARGUMENT_RAW) {
		fprintf(out, " = %" PRId64, value);
	} else {
		fprintf(out, " = %s", prototype_text(type, fired->record->retval, text));
	}
	if (error)
		fprintf(out, " %s", error);
}

static void event(struct print *print, const struct fired *fired)
{
	const struct hwpmc_log_sample *sample = &fired->record->sample;
	int64_t since = (int64_t)sample->h.time - print->start;
	bool more = print->args || fired->of->string || fired->of->prototype.returns;
	FILE *out = print->out;

	/* An event of another CPU may be older than the start time that was read here. */
	fprintf(out, "%12.6f %3u %7d %7d ", since > 0 ? (double)since / NS_PER_SECOND : 0.0,
		sample->h.cpu, sample->pid, sample->tid);
	if (print->comm) {
		put_padded(out, print_comm(print, fired), COMM_WIDTH);
		fputc(' ', out);
	}
	put_padded(out, fired->of->name, more ? name_width(print) : 0);
	if (print->args || fired->of->string)
		put_arguments(fired, print->args, out);
	put_result(fired, out);
	fputc('\n', out);
	if (!print->stacks)
		return;
	stack_write(print->names, sample, false, STACK_INDENT, out);
	stack_write(print->names, sample, true, STACK_INDENT, out);
}

static void put_title(struct print *print, const struct aggregation *aggregation)
{
	const struct expression *expression = &aggregation->expression;

	fputs(aggregation_name(aggregation->kind), print->out);
	if (expression->value) {
		fputs(" of ", print->out);
		utf8_put(print->out, expression->value);
	}
	for (unsigned int i = 0; i < expression->key_count; i++) {
		fputs(i ? ", " : " by ", print->out);
		utf8_put(print->out, expression->keys[i]);
	}
	fputs(":\n", print->out);
}

void print_rest(struct print *print, const struct aggregation *aggregation)
{
	uint32_t count = aggregation->cells.keys.count, shown = print_keys(print, aggregation);
	char text[NUMBER_MAX];

	if (!count)
		fputs("  no events\n", print->out);
	if (shown < count)
		fprintf(print->out, "  and %s more: --top shows %" PRIu32 "\n",
			number_grouped(count - shown, text), shown);
	if (aggregation->cells.cut)
		fprintf(print->out, "  left out: %s events of other keys; --max-keys is %" PRIu32 "\n",
			number_grouped(aggregation->cells.cut, text), aggregation->cells.limit);
}

static void put_unmatched(struct print *print, const struct aggregation *aggregation)
{
	const struct latency *latency = &aggregation->latency;
	char no_return[NUMBER_MAX], no_entry[NUMBER_MAX];

	if (latency->no_return || latency->no_entry || latency->count)
		fprintf(print->out, "  not matched: entries without a return %s, "
			"returns without an entry %s\n",
			number_grouped(latency->no_return + latency->count, no_return),
			number_grouped(latency->no_entry, no_entry));
}

static void results(struct print *print, double seconds)
{
	if (seconds >= 0)
		fprintf(print->out, "--- %.3f s\n", seconds);
	for (unsigned int i = 0; i < print->aggregation_count; i++) {
		const struct aggregation *aggregation = &print->aggregations[i];

		put_title(print, aggregation);
		if (aggregation_has_histogram(aggregation))
			print_histograms(print, aggregation);
		else
			print_table(print, aggregation);
		print_rest(print, aggregation);
		if (aggregation->kind == AGGREGATION_LATENCY)
			put_unmatched(print, aggregation);
		fputc('\n', print->out);
	}
}

const struct print_ops print_text = { .begin = begin, .event = event, .results = results };
