// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/exit.h"
#include "commands/command.h"
#include "commands/doctor.h"

static const char help[] =
	"usage: pmctl doctor\n"
	"\n"
	"Checks what pmctl needs, from the kernel to the counters. Each line is [ok], [!!] with\n"
	"what to do about it, or [--] if it cannot be told. The exit status is 0 if nothing is\n"
	"wrong, otherwise 1.\n";

enum health health_say(struct patient *patient, enum health health, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(patient->text, sizeof(patient->text), format, args);
	va_end(args);
	return health;
}

void first_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");

	line[0] = '\0';
	if (!file)
		return;
	if (!fgets(line, (int)size, file))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(file);
}

static unsigned int run_checks(const check_fn *checks, struct patient *patient)
{
	static const char *const marks[] = { "[ok]", "[!!]", "[--]" };
	unsigned int bad = 0;

	for (; *checks; checks++) {
		enum health health;

		patient->text[0] = '\0';
		health = (*checks)(patient);
		if (patient->text[0])
			printf("%s %s\n", marks[health], patient->text);
		bad += health == HEALTH_BAD;
	}
	return bad;
}

static int cmd_doctor(int argc, char **argv)
{
	struct patient patient = { .fd = -1 };
	unsigned int bad;

	if (argc > 1) {
		error("doctor takes no arguments, not '%s'", argv[1]);
		return EXIT_OWN;
	}
	bad = run_checks(module_checks, &patient);
	bad += run_checks(device_checks, &patient);
	bad += run_checks(pmu_checks, &patient);
	if (bad)
		printf("\n%u problem%s.\n", bad, bad > 1 ? "s" : "");
	else
		puts("\nAll is well.");
	hardware_free(&patient.hardware);
	if (patient.fd >= 0)
		close(patient.fd);
	return bad ? 1 : 0;
}

const struct command doctor_command = {
	.name = "doctor",
	.run = cmd_doctor,
	.brief = "find out why something does not work",
	.help = help,
	.grammar = &command_no_options,
};
