// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bias: what the events count in an empty program. These are the events of the end of exec, of
 * exit, and of the module's own work when the program is scheduled in and out. stat --bias measures
 * the bias before the runs, and subtracts it from each.
 */
#include <elf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/stat.h"

/* Runs of the empty program. */
#define TIMES	10

/* exit(0) by the system call. */
#if defined(__x86_64__)
#define MACHINE	EM_X86_64
static const unsigned char code[] = { 0xb8, 60, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05 };
#elif defined(__aarch64__)
#define MACHINE	EM_AARCH64
static const unsigned int code[] = { 0xd2800ba8, 0xd2800000, 0xd4000001 };
#else
#define MACHINE	EM_NONE
static const unsigned char code[] = { 0 };
#endif

#define AT	0x400000UL

/* A program without libraries: the work of libraries is not a cost of the measurement. */
struct empty {
	Elf64_Ehdr header;
	Elf64_Phdr load;
	unsigned char code[16];
};

static int make_program(void)
{
	struct empty empty = {
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				     EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = MACHINE, .e_version = EV_CURRENT,
			.e_entry = AT + offsetof(struct empty, code),
			.e_phoff = offsetof(struct empty, load), .e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
		},
		.load = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = AT, .p_paddr = AT,
			.p_filesz = sizeof(empty), .p_memsz = sizeof(empty), .p_align = 0x10000,
		},
	};
	int fd = memfd_create("empty", MFD_CLOEXEC);

	memcpy(empty.code, code, sizeof(code));
	if (fd >= 0 && write(fd, &empty, sizeof(empty)) != sizeof(empty)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		error("--bias: the empty program cannot be made");
	return fd;
}

/* Adds what each event counted in one run of the empty program. */
static int run_once(struct stat_run *run, double *sums)
{
	const struct scope *scope;
	int result = stat_once(run);

	scope = run->aggregate.scopes;
	for (unsigned int i = 0; !result && scope && i < run->session.event_count; i++)
		sums[i] += (double)scope->cells[i].value;
	aggregate_free(&run->aggregate);
	if (result || !run->result)
		return result;
	error("--bias: the empty program cannot be executed here: it ended with status %d",
	      run->result);
	return -1;
}

static int measure(struct stat_run *run, double *sums)
{
	int result = 0;

	for (unsigned int i = 0; !result && !run->wait.signal && i < TIMES; i++)
		result = run_once(run, sums);
	return result;
}

int stat_bias_measure(struct stat_run *run)
{
	struct run_options *options = &run->options, given = *options;
	const struct stat_ending none = { .has_usage = false };
	struct control control = run->control;
	int fd = make_program(), result;
	char path[32], *words[2] = { path };

	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options->command = words;
	options->pre = NULL;
	options->post = NULL;
	options->delay = 0;
	options->timeout = 0;
	run->control.fd = -1;
	run->bias = xcalloc(run->session.event_count, sizeof(*run->bias));
	result = measure(run, run->bias);
	for (unsigned int i = 0; i < run->session.event_count; i++)
		run->bias[i] = round(run->bias[i] / TIMES);
	*options = given;
	run->control = control;
	run->ending = none;
	close(fd);
	return result;
}

double stat_bias_without(const struct stat_run *run, unsigned int event, double value)
{
	double bias = run->bias ? run->bias[event] : 0.0;

	return value > bias ? value - bias : 0.0;
}

void stat_bias_show(const struct stat_run *run)
{
	for (unsigned int i = 0; run->bias && i < run->session.event_count; i++) {
		const struct event *event = &run->session.events[i];
		char number[NUMBER_MAX], name[STAT_NAME_MAX];

		if (run->session.grants[i] == GRANT_YES)
			note("--bias: %s%s%s %s are subtracted from each run: what an empty program counts",
			     stat_print_number(event, (uint64_t)run->bias[i], true, 2, number),
			     *stat_print_unit(event) ? " " : "", stat_print_unit(event),
			     stat_print_name(event, name));
	}
}
