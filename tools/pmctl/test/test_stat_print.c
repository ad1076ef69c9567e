// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>

#include "base/escape.h"
#include "check.h"
#include "run/stat_print.h"

static char *output;
static size_t output_size;

static const char *csv(const char *separator, const char *text)
{
	FILE *out;

	free(output);
	output = NULL;
	out = open_memstream(&output, &output_size);
	escape_csv(out, separator, text);
	fclose(out);
	return output;
}

static const char *show(const struct stat_printer_ops *ops, const struct stat_row *row)
{
	struct stat_printer printer = {
		.ops = ops, .separator = ",", .runs = row->variance >= 0 ? 3 : 1,
	};

	free(output);
	output = NULL;
	printer.out = open_memstream(&output, &output_size);
	ops->row(&printer, row);
	fclose(printer.out);
	return output;
}

static struct event cycles = { .name = (char *)"cycles", .modifiers = MODIFIER_USER };
static struct event odd = { .name = (char *)"a,\"b\"\n\xff" };
static struct scope all = { .kind = SCOPE_ALL };
static struct scope cpu = { .kind = SCOPE_CPU, .number = 3, .label = (char *)"CPU3" };

static const struct stat_row counted = {
	.seconds = -1, .scope = &all, .event = &cycles, .value = 1234567, .variance = -1,
	.running = 5, .enabled = 10, .metric = { 1.5, "GHz", false, 3 },
};

static const struct stat_row absent = {
	.seconds = -1, .scope = &all, .event = &odd, .grant = GRANT_NOT_SUPPORTED, .variance = -1,
};

static const struct stat_row repeated = {
	.seconds = 1.25, .scope = &cpu, .event = &cycles, .value = 7, .variance = 0.62,
	.running = 10, .enabled = 10, .metric = { 2.5, "of all branches", true, 2 },
};

static struct event clock_event = { .name = (char *)"task-clock", .kind = KIND_TASK_CLOCK };

static const struct stat_row timed = {
	.seconds = -1, .scope = &all, .event = &clock_event, .value = 1234567899, .variance = -1,
	.running = 1234567899, .enabled = 1234567899,
	.metric = { 0.987, "CPUs utilized", false, 3 },
};

static void quoting(void)
{
	check_text(csv(",", "plain"), "plain", "plain text");
	check_text(csv(",", "a,b"), "\"a,b\"", "the separator");
	check_text(csv(";", "a,b"), "a,b", "not the separator");
	check_text(csv(",", "say \"hi\""), "\"say \"\"hi\"\"\"", "quotes are doubled");
	check_text(csv(",", "a\nb"), "\"a\nb\"", "a line break");
	check_text(csv("::", "a::b"), "\"a::b\"", "a separator of two");
}

static void rows_csv(void)
{
	check_text(show(&stat_print_csv, &counted), "1234567,,cycles:u,5,50.00,1.500,GHz\n", "CSV");
	check_text(show(&stat_print_csv, &absent), "<not supported>,,\"a,\"\"b\"\"\n\xff\",0,100.00,,\n",
		   "CSV without a number");
	check_text(show(&stat_print_csv, &timed),
		   "1234.57,msec,task-clock,1234567899,100.00,0.987,CPUs utilized\n", "CSV of a time");
	check_text(show(&stat_print_csv, &repeated),
		   "     1.250000000,CPU3,7,,cycles:u,0.62%,10,100.00,2.50,% of all branches\n",
		   "CSV with time, CPU and deviation");
}

static void rows_text(void)
{
	check_text(show(&stat_print_text, &counted),
		   "         1,234,567      cycles:u                       #    1.500 GHz\n",
		   "text");
	check_text(show(&stat_print_text, &repeated),
		   "       1.250000000 CPU3                   7      cycles:u                       "
		   "#    2.50% of all branches ( +-  0.62% )\n", "text with everything");
	check_text(show(&stat_print_text, &timed),
		   "          1,234.57 msec task-clock                     #    0.987 CPUs utilized\n",
		   "text of a time");
	check(strstr(show(&stat_print_text, &absent), "   <not supported>      a"),
	      "text without number");
}

static int has(const json_t *object, const char *key, const char *value)
{
	const char *got = json_string_value(json_object_get(object, key));

	return got && !strcmp(got, value);
}

static void rows_json(void)
{
	json_t *object = json_loads(show(&stat_print_json, &counted), 0, NULL);

	check(object, "JSON is JSON");
	check(has(object, "counter-value", "1234567") && has(object, "event", "cycles:u") &&
	      has(object, "unit", ""), "its keys");
	check(has(object, "metric-unit", "GHz") &&
	      json_real_value(json_object_get(object, "metric-value")) == 1.5, "its metric");
	json_decref(object);
	object = json_loads(show(&stat_print_json, &absent), 0, NULL);
	check(object && has(object, "counter-value", "<not supported>") &&
	      !json_object_get(object, "metric-value"), "JSON without number");
	check(has(object, "event", "a,\"b\"??"), "and no UTF-8: only that is missing");
	json_decref(object);
	object = json_loads(show(&stat_print_json, &timed), 0, NULL);
	check(has(object, "counter-value", "1234.567899") && has(object, "unit", "msec"),
	      "JSON of a time has its nanoseconds");
	json_decref(object);
	object = json_loads(show(&stat_print_json, &repeated), 0, NULL);
	check(has(object, "cpu", "3") && json_object_get(object, "variance") &&
	      json_object_get(object, "interval"), "JSON with time, CPU and deviation");
	json_decref(object);
}

int main(void)
{
	quoting();
	rows_csv();
	rows_text();
	rows_json();
	free(output);
	return check_result();
}
