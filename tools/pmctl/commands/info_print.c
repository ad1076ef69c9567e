// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "commands/info.h"

static const char *string_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static long long number_of(const json_t *object, const char *key)
{
	return (long long)json_integer_value(json_object_get(object, key));
}

static void print_list(const json_t *list)
{
	size_t i;
	json_t *item;

	json_array_foreach(list, i, item)
		printf("%s%s", i ? " " : "", json_string_value(item));
	putchar('\n');
}

static void print_class(const json_t *class)
{
	long long rows = number_of(class, "rows");

	printf("  %-6s %2lld row%s of %lld bits  ", string_of(class, "name"), rows,
	       rows == 1 ? " " : "s", number_of(class, "width"));
	print_list(json_object_get(class, "caps"));
}

static void print_head(const json_t *info)
{
	const char *problem = string_of(info, "problem"), *names = string_of(info, "event-names");
	long long rows = number_of(info, "cpu-rows");

	printf("Module:   hwpmc %s (ABI %s)\n", string_of(info, "module"), string_of(info, "abi"));
	printf("CPU:      %s %s, %lld online of %lld possible\n", string_of(info, "vendor"),
	       string_of(info, "cpuid"), number_of(info, "cpus-online"),
	       number_of(info, "cpus-possible"));
	printf("PMU:      %s, %lld row%s per CPU\n", string_of(info, "pmu"), rows,
	       rows == 1 ? "" : "s");
	printf("Events:   %s\n", *names ? names : "generic and architected names only");
	if (*problem)
		printf("Problem:  %s\n", problem);
}

static void print_holder(const json_t *row)
{
	long long holders = number_of(row, "holders"), pid = number_of(row, "pid");

	if (!json_is_true(json_object_get(row, "enabled"))) {
		printf("  %s", strcmp(string_of(row, "disposition"), "absent") ? "disabled" : "absent");
		return;
	}
	printf("  %s", string_of(row, "disposition"));
	if (!holders)
		return;
	if (pid)
		printf(", held by %s (pid %lld)", string_of(row, "comm"), pid);
	else
		fputs(", held by a process that you may not see", stdout);
	if (*string_of(row, "mode"))
		printf(", %s, event %s", string_of(row, "mode"), string_of(row, "event"));
	if (holders > 1)
		printf(", and %lld more", holders - 1);
}

static void print_cpu(const json_t *cpu)
{
	size_t i;
	json_t *row;

	printf("\nCPU %lld:\n", number_of(cpu, "cpu"));
	json_array_foreach(json_object_get(cpu, "rows"), i, row) {
		printf("  %2lld  %-6s  %-18s %2lld bits", number_of(row, "row"),
		       string_of(row, "class"), string_of(row, "name"), number_of(row, "width"));
		print_holder(row);
		putchar('\n');
	}
}

static void print_stats(json_t *stats)
{
	char grouped[NUMBER_MAX];
	const char *key;
	json_t *value;

	if (!stats)
		return;
	puts("\nSince the module was loaded:");
	json_object_foreach(stats, key, value)
		printf("  %-22s %18s\n", key,
		       number_grouped((uint64_t)json_integer_value(value), grouped));
}

void info_print(const json_t *info)
{
	size_t i;
	json_t *item;

	print_head(info);
	puts("\nClasses:");
	json_array_foreach(json_object_get(info, "classes"), i, item)
		print_class(item);
	json_array_foreach(json_object_get(info, "cpus"), i, item)
		print_cpu(item);
	print_stats(json_object_get(info, "stats"));
}
