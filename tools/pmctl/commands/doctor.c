// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/options.h"
#include "commands/command.h"
#include "commands/doctor.h"

static const char help[] =
	"usage: pmctl doctor [--fix]\n"
	"\n"
	"Checks what pmctl needs, from the kernel to the counters. Each line starts with [ok];\n"
	"with [!!] for a problem, followed by what to do; or with [--] if the check was not\n"
	"possible. The exit status is 0 without a problem, otherwise 1.\n"
	"\n"
	"      --fix   disable the NMI watchdog if it holds a counter, now and at the next boots, by\n"
	"              /etc/sysctl.d/60-hwpmc.conf: remove that file to enable it again\n";

static const struct option long_options[] = {
	{ "fix", no_argument, NULL, 'f' },
	{ NULL, 0, NULL, 0 },
};

static int take(int letter, void *context)
{
	struct doctor *doctor = context;

	doctor->fix = letter == 'f';
	return 0;
}

static const struct options_grammar grammar = {
	.command = "doctor",
	.letters = ":",
	.own = long_options,
	.take = take,
};

enum doctor_result doctor_report(struct doctor *doctor, enum doctor_result result,
				 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(doctor->text, sizeof(doctor->text), format, args);
	va_end(args);
	return result;
}

void doctor_read_line(const char *path, char *line, size_t size)
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

static unsigned int run_checks(const doctor_check *checks, struct doctor *doctor)
{
	static const char *const marks[] = { "[ok]", "[!!]", "[--]" };
	unsigned int bad = 0;

	for (; *checks; checks++) {
		enum doctor_result result;

		doctor->text[0] = '\0';
		result = (*checks)(doctor);
		if (doctor->text[0])
			printf("%s %s\n", marks[result], doctor->text);
		bad += result == DOCTOR_PROBLEM;
	}
	return bad;
}

static int cmd_doctor(int argc, char **argv)
{
	struct doctor doctor = { .fd = -1 };
	unsigned int bad;

	if (options_parse(argc, argv, &grammar, &doctor))
		return EXIT_OWN;
	if (optind < argc) {
		error("doctor takes no arguments, not '%s'", argv[optind]);
		return EXIT_OWN;
	}
	bad = run_checks(doctor_module_checks, &doctor);
	bad += run_checks(doctor_device_checks, &doctor);
	bad += run_checks(doctor_pmu_checks, &doctor);
	if (bad)
		printf("\n%u problem%s.\n", bad, bad > 1 ? "s" : "");
	else
		puts("\nNo problems.");
	hardware_free(&doctor.hardware);
	if (doctor.fd >= 0)
		close(doctor.fd);
	return bad ? 1 : 0;
}

const struct command doctor_command = {
	.name = "doctor",
	.run = cmd_doctor,
	.brief = "find out why something does not work",
	.help = help,
	.grammar = &grammar,
};
